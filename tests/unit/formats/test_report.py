"""What a file says and the engine does not do is one warning for each robot; the rest stays quiet."""

import logging

import numpy as np
import pytest
from scenes import QUADRUPED

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import urdf

SOLID = '<inertial><mass value="1"/><inertia {}/></inertial>'
ROUND = 'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def arm(inertia=ROUND, inside=LIMIT, more=""):
    return f"""<robot name="arm"><link name="base">{SOLID.format(ROUND)}</link>
    <link name="tip">{SOLID.format(inertia)}</link>
    <joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/>{inside}</joint>
    {more}</robot>"""


def diagonal(x, y, z):
    return f'ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"'


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def added(text, caplog, **options):
    with caplog.at_level(logging.INFO, "tribo"):
        return tribo.World().add_articulated_system(text, name="arm", **options)


def test_a_misspelt_axis_is_warned_of(caplog):
    robot = added(arm(inside=LIMIT + '<axs xyz="0 0 1"/>'), caplog)
    (text,) = warnings(caplog)
    assert text.startswith("arm: ")
    assert "<axs>" in text
    assert "did you mean 'axis'" in text
    assert robot.description.notes == robot.description.doubts


def test_an_impossible_inertia_is_warned_of_and_strict_refuses_it(caplog):
    text = arm(diagonal(5, 1, 1))
    added(text, caplog)
    (said,) = warnings(caplog)
    assert "body 'tip' (1, 1, 5 kg m²)" in said
    assert "triangle inequality" in said
    with pytest.raises(DescriptionError, match="triangle inequality"):
        added(text, caplog, strict=True)


def test_an_inertia_that_rounding_made_impossible_is_only_noted(caplog):
    robot = added(arm(diagonal(2.01, 1, 1)), caplog, strict=True)
    assert "rounding" in robot.description.notes[0]
    assert warnings(caplog) == []
    assert any("rounding" in record.getMessage() for record in caplog.records)


def test_an_impossible_inertia_of_a_link_that_hardly_counts_is_only_noted(caplog):
    """As the base of ANYmal: (0, 0, 3e-6) kg m² on a trunk of many kilograms."""
    bad = SOLID.format(diagonal(0, 0, "3e-6")).replace('mass value="1"', 'mass value="0.001"')
    more = f'<link name="dummy">{bad}</link><joint name="glue" type="fixed">'
    more += '<parent link="tip"/><child link="dummy"/></joint>'
    robot = added(arm(more=more), caplog, strict=True)
    assert "part of a sound body" in robot.description.notes[0]
    assert warnings(caplog) == []


def test_a_robot_built_in_python_is_warned_of_as_well(caplog):
    root = tribo.LinkDescription("base", mass=1.0, inertia=np.diag([5.0, 1.0, 1.0]))
    added(root, caplog)
    (said,) = warnings(caplog)
    assert "link 'base'" in said
    caplog.clear()
    root.fix_to_world()
    added(root, caplog)
    assert warnings(caplog) == []


def test_there_is_one_warning_for_all_and_the_notes_hold_the_rest(caplog):
    more = "".join(f"<thing{k}/>" for k in range(8))
    robot = added(arm(inside=LIMIT + "<axs/>", more=more), caplog)
    (text,) = warnings(caplog)
    assert "9 things" in text
    assert "<thing0>" in text
    assert "<thing7>" not in text
    assert "and 4 more" in text
    assert len(robot.description.notes) == 9


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<limit lower="-1" upper="1" effort="0" velocity="1"/>', "effort='0'"),
        ('<limit lower="-1" upper="1" effort="1" velocity="0"/>', "velocity='0'"),
        ('<limit lower="0" upper="0" effort="1" velocity="1"/>', "both stops are 0"),
    ],
)
def test_what_is_only_good_to_know_is_no_warning(caplog, inside, says):
    robot = added(arm(inside=inside), caplog, strict=True)
    assert says in robot.description.notes[0]
    assert warnings(caplog) == []
    assert any(says in record.getMessage() for record in caplog.records)


def test_a_clean_robot_says_nothing(caplog):
    with caplog.at_level(logging.WARNING, "tribo"):
        tribo.World().add_articulated_system(QUADRUPED)
    assert warnings(caplog) == []


def test_robots_from_mjcf_and_rules_from_an_srdf_warn_as_well(caplog):
    geom = '<geom size="0.1" mass="1" solref="0.01 1"/>'
    text = f'<mujoco><worldbody><body name="b"><freejoint/>{geom}</body></worldbody><wrong/></mujoco>'
    with caplog.at_level(logging.WARNING, "tribo"):
        tribo.World().add_articulated_system(text, name="ball")
    (said,) = warnings(caplog)
    assert "<wrong>" in said
    caplog.clear()
    added(arm(), caplog, srdf='<robot name="arm"><disable_colisions link1="a" link2="b"/></robot>')
    (said,) = warnings(caplog)
    assert "<disable_colisions>" in said


def test_a_world_file_warns_once(caplog):
    ball = '<sphere name="a" mass="1" colour="red"><dim radius="1"/></sphere>'
    text = f'<raisim version="1.0"><objects>{ball}</objects></raisim>'
    with caplog.at_level(logging.WARNING, "tribo"):
        tribo.World.load(text)
    (said,) = warnings(caplog)
    assert "'colour'" in said


def test_doubts_are_notes():
    tree = urdf.read(arm(diagonal(5, 1, 1), inside='<limit effort="0"/><axs/>'))
    assert set(tree.doubts) < set(tree.notes)
    assert len(tree.doubts) == 2


def test_a_file_is_spoken_of_once_however_many_worlds_are_built_from_it(tmp_path, caplog):
    """A thousand worlds said the same a thousand times. Another file, or other words, are news."""
    scene = (
        '<mujoco><worldbody><body name="ball"><freejoint/>'
        '<geom size="0.1" solref="0.1 1" {}/></body></worldbody></mujoco>'
    )
    (tmp_path / "ball.xml").write_text(scene.format(""))
    (tmp_path / "other.xml").write_text(scene.format(""))
    (tmp_path / "arm.urdf").write_text(arm(more="<odd/>"))
    counts = []
    for name in ("ball.xml", "ball.xml", "other.xml"):
        tribo.World().load_mjcf(tmp_path / name)
        counts.append(len(warnings(caplog)))
    assert counts == [counts[0], counts[0], 2 * counts[0]]
    assert counts[0] >= 1
    (tmp_path / "ball.xml").write_text(scene.format('odd="1"'))
    tribo.World().load_mjcf(tmp_path / "ball.xml")
    assert len(warnings(caplog)) == 2 * counts[0] + 1
    caplog.clear()
    for _ in range(3):
        robot = tribo.World().add_articulated_system(tmp_path / "arm.urdf")
    assert len(warnings(caplog)) == 1
    assert robot.description.doubts  # the notes of each robot stay


MJCF = """<mujoco><worldbody>
<body name="shelf"><geom size="0.1"/><site name="goal"/></body>
<body name="ball" pos="0 0 1"><freejoint/><geom size="0.1" margin="0.1"/></body>
</worldbody><sensor><touch name="felt"/><clock name="time"/></sensor></mujoco>"""
SDF = """<sdf version="1.9"><model name="door"><link name="leaf"><gravty>1</gravty></link><wings/></model>
</sdf>"""


@pytest.mark.parametrize(("load", "text", "doubts"), [("load_mjcf", MJCF, 3), ("load_sdf", SDF, 2)])
def test_a_scene_is_one_warning_and_its_first_object_holds_all(caplog, load, text, doubts):
    with caplog.at_level(logging.INFO, "tribo"):
        objects = getattr(tribo.World(), load)(text)
    (said,) = warnings(caplog)
    assert f"{doubts} things" in said
    assert f"all of them are in description.notes of {objects[0].name!r}" in said
    notes = objects[0].description.notes
    assert len(objects[0].description.doubts) == doubts
    assert all(note in said for note in objects[0].description.doubts)
    assert all(any(note in record.getMessage() for record in caplog.records) for note in notes)
    assert ("sites of bodies that stand" in " ".join(notes)) == (load == "load_mjcf")


STATE = """<raisim version="1"><objects><sphere name="s" mass="1"><dim radius="1"/><state>{}</state></sphere>
</objects></raisim>"""
ORIGIN = arm(inside=LIMIT + "<origin>{}</origin>")


@pytest.mark.parametrize("inner", ['<pose value="0 0 1"/>', "0 0 1"])
@pytest.mark.parametrize("kind", ["RaiSim", "URDF"])
def test_what_stands_in_an_element_of_attributes_is_warned_of(tmp_path, caplog, kind, inner):
    (file := tmp_path / "file.xml").write_text((STATE if kind == "RaiSim" else ORIGIN).format(inner))
    load = tribo.World.load if kind == "RaiSim" else tribo.World().add_articulated_system
    load(file)
    (said,) = warnings(caplog)
    tag = "state" if kind == "RaiSim" else "origin"
    assert f"<pose>: unknown in <{tag}>" in said or f"<{tag}>: text '0 0 1' is ignored" in said
    with pytest.raises(DescriptionError, match=r"file\.xml"):
        load(file, strict=True)
