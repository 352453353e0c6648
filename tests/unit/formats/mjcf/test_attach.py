"""<attach>: bodies of other models, read by the rules of their own files, with a prefix to their names."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.formats import xml
from tribo.model import Shape

FOLDER = Path(__file__).parents[3] / "data" / "mjcf" / "attach"


def scene(name, **options):
    world = tribo.World()
    world.load_mjcf(FOLDER / name, **options)
    return world


def test_an_arm_on_both_sides_keeps_the_rules_of_its_own_file():
    """Angles there are radians, densities 500, damping 0.3; here degrees, 1000 and 7."""
    (robot,) = scene("two.xml").objects
    assert robot.joint_names == ("l_shoulder", "l_elbow", "r_shoulder", "r_elbow", "hinge")
    for side in "lr":
        assert robot.joint(f"{side}_shoulder").limits == (-1.0, 1.0)
        assert robot.joint(f"{side}_elbow").damping == 0.3
        capsule = math.pi * 0.02**2 * (0.3 + 4.0 / 3.0 * 0.02)
        assert robot.link(f"{side}_upper").mass == pytest.approx(500.0 * capsule, rel=1e-12)
    assert robot.joint("hinge").limits == pytest.approx((-math.pi / 2, math.pi / 2))
    assert robot.joint("hinge").damping == 7.0
    assert ("l_upper", "l_fore") in robot.ignored_collisions
    assert ("l_upper", "r_fore") not in robot.ignored_collisions
    assert [(a.name, a.joint, a.kp) for a in robot.description.actuators] == [
        ("l_servo", "l_elbow", 20.0), ("r_servo", "r_elbow", 20.0),
    ]  # fmt: skip
    followers = [body.joint.mimic for body in robot.description.bodies if body.joint.mimic]
    assert followers == [("l_shoulder", 1.0, 0.0), ("r_shoulder", 1.0, 0.0)]
    np.testing.assert_allclose(robot.frame("l_hand").position, (0, 0, 1.6), atol=1e-12)
    # In a frame that is turned by 90° about x, on a base that is turned by 30°: 1 m along its y, minus 0.6.
    turned = np.array([-math.sin(math.pi / 6), math.cos(math.pi / 6)])
    np.testing.assert_allclose(robot.frame("r_hand").position, (*(0.4 * turned), 1.0), atol=1e-12)


def test_models_are_attached_within_models_and_as_a_whole():
    world = scene("three.xml")
    assert [part.name for part in world.objects] == ["x_base", "all_upper", "all_other", "all_floor"]
    robot = world["x_base"]
    assert "x_r_elbow" in robot.joint_names
    assert robot.joint("x_r_elbow").limits == (-2.0, 0.5)
    assert robot.joint("x_l_shoulder").damping == 0.3
    assert robot.joint("x_hinge").damping == 7.0
    np.testing.assert_allclose(robot.frame("x_l_hand").position, (0, 0, 6.6), atol=1e-12)
    assert [a.name for a in world["all_other"].description.actuators] == ["all_push"]


def test_keyframes_of_what_is_attached_are_said(caplog):
    scene("two.xml")
    assert "keyframes of a model that is attached are not read" in caplog.text
    with pytest.raises(tribo.DescriptionError, match="keyframes of a model"):
        scene("two.xml", strict=True)


CHILD = """<mujoco model="child"><default><default class="soft"><geom size="0.2"/></default></default>
<asset><mesh file="part.obj"/></asset>
<worldbody><body name="leaf"><joint name="j"/><geom class="soft"/></body></worldbody></mujoco>"""


def attached(folder, element, assets='<model name="child" file="child.xml"/>', rest="", child=CHILD):
    (folder / "child.xml").write_text(child)
    top = folder / "top.xml"
    top.write_text(
        f"<mujoco>{rest}<asset>{assets}</asset><worldbody><body name='b'><freejoint/><geom size='0.1'/>"
        f"{element}</body></worldbody></mujoco>"
    )
    world = tribo.World()
    world.load_mjcf(top)
    return world


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ('<attach model="chid" body="leaf"/>', "did you mean 'child'"),
        ('<attach model="child" body="leave"/>', "did you mean 'leaf'"),
        ('<attach body="leaf"/>', "attribute 'model' is missing"),
        ('<attach model="child" prefix="a_"/>' * 2, "the default class 'a_main'"),
        ('<attach model="child" body="leaf"/><body name="leaf"><geom size="1"/></body>', "the same name"),
    ],
)  # fmt: skip
def test_what_cannot_be_attached_is_said_with_its_place(tmp_path, element, message):
    with pytest.raises(tribo.DescriptionError, match=re.escape(message)) as caught:
        attached(tmp_path, element)
    assert ".xml" in str(caught.value)


def test_classes_of_one_name_in_both_files_are_two(tmp_path):
    rest = '<default><default class="soft"><geom size="0.7"/></default></default>'
    (robot,) = attached(tmp_path, '<attach model="child" prefix="p_"/>', rest=rest).objects
    assert robot.collision_body("p_leaf/0").size == (0.2,)


def test_meshes_are_looked_for_where_their_own_file_says(tmp_path):
    """A tetrahedron of 0.1 m: its hull has the four corners, about their mass centre."""
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    text = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "arm" / "meshes" / "part.obj").write_text(text)
    (tmp_path / "arm" / "arm.xml").write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="part.obj"/></asset><worldbody>'
        '<body name="leaf"><joint name="j"/><geom type="mesh" mesh="part"/></body></worldbody></mujoco>'
    )
    (robot,) = attached(
        tmp_path, '<attach model="arm" prefix="p_"/>', '<model name="arm" file="arm/arm.xml"/>',
        rest='<compiler meshdir="elsewhere"/>',
    ).objects  # fmt: skip
    assert robot.link("p_leaf").mass == pytest.approx(1000.0 * float(np.float32(0.1)) ** 3 / 6.0, rel=1e-9)
    assert robot.collision_body("p_leaf/0").shape == Shape.HULL


@pytest.mark.parametrize("file", ["../outside.xml", "/etc/hostname", "none.xml", "\0", ""])
def test_models_outside_of_the_folder_are_refused(tmp_path, file):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "outside.xml").write_text(CHILD)
    with pytest.raises(tribo.DescriptionError):
        attached(inner, '<attach model="child"/>', f'<model name="child" file="{file}"/>')


def test_a_model_that_attaches_itself_is_refused(tmp_path):
    child = CHILD.replace('<mesh file="part.obj"/>', '<model name="top" file="top.xml"/>').replace(
        "</joint>", ""
    )
    child = child.replace('<geom class="soft"/>', '<attach model="top" prefix="x"/>')
    with pytest.raises(tribo.DescriptionError, match="attaches itself"):
        attached(tmp_path, '<attach model="child" prefix="a"/>', child=child)


def test_doublings_end_before_they_fill_the_memory(tmp_path, monkeypatch):
    """Each of 20 files attaches the next one twice: a million bodies, were it not for the limit."""
    monkeypatch.setattr("tribo.formats.mjcf.attach.MAX_TAGS", 5_000)
    assert xml.MAX_TAGS > 5_000
    for k in range(20):
        twice = "".join(f'<attach model="n" body="b" prefix="{side}"/>' for side in "lr")
        (tmp_path / f"m{k}.xml").write_text(
            f'<mujoco><asset><model name="n" file="m{k + 1}.xml"/></asset><worldbody><body name="b">'
            f'<geom size="0.1"/>{twice}</body></worldbody></mujoco>'
        )
    (tmp_path / "m20.xml").write_text(
        '<mujoco><worldbody><body name="b"><geom size="0.1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(tribo.DescriptionError, match="more than 5000 elements"):
        tribo.World().load_mjcf(tmp_path / "m0.xml")
