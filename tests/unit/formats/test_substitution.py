"""URDF from text, templates with @@names and {expressions}, and modules; none of them opens a door."""

import os

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import urdf
from tribo.formats.substitution import checked

SOLID = (
    '<inertial><mass value="{m}"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
)
ARM = f"""<robot name="arm">
  <link name="base">{SOLID.replace("{m}", "2")}</link>
  <link name="arm">{SOLID.replace("{m}", "@@mass")}</link>
  <joint name="hip_@@side" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 @@width_m {{2*(@@height+0.1)}}"/><axis xyz="0 1 0"/>
    <limit lower="{{-pi/2}}" upper="1" effort="@@effort"/></joint>
</robot>"""
VALUES = {"mass": 1.5, "side": "left", "@@height": 0.2, "width": 0.25, "width_m": "0.75", "effort": 80}
HAND = f"""<link name="hand">{SOLID.replace("{m}", "0.5")}</link>
<joint name="wrist" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.4"/></joint>"""
PLAIN = ARM.replace("hip_@@side", "hip").replace("@@mass", "1").replace("@@width_m", "0")
PLAIN = PLAIN.replace("{2*(@@height+0.1)}", "0").replace("{-pi/2}", "-1").replace("@@effort", "80")


def test_text_is_as_good_as_a_file(tmp_path):
    (tmp_path / "arm.urdf").write_text(PLAIN)
    text, file = (tribo.World().add_articulated_system(s) for s in (PLAIN, tmp_path / "arm.urdf"))
    np.testing.assert_array_equal(text.mass_matrix, file.mass_matrix)
    assert text.joint_names == file.joint_names == ("hip",)


def test_a_template_is_filled_in():
    arm = urdf.read(ARM, parameters=VALUES).bodies[1]
    assert arm.mass == 1.5
    assert arm.joint.name == "hip_left"
    assert arm.joint.position == (0.0, 0.75, pytest.approx(0.6, abs=1e-15))  # the longest name counts
    assert (arm.joint.lower, arm.joint.effort) == (-np.pi / 2, 80.0)


def test_a_template_without_values_is_refused():
    with pytest.raises(DescriptionError, match=r"@@.* is to be filled in; pass parameters="):
        urdf.read(ARM)
    with pytest.raises(DescriptionError, match="@@effort has no value"):
        urdf.read(ARM, parameters={k: v for k, v in VALUES.items() if k != "effort"})


def test_values_do_not_become_elements():
    """What looks like XML in a value is text of an attribute."""
    evil = 'left"/><link name="intruder"/><joint name="x'
    tree = urdf.read(ARM, parameters={**VALUES, "side": evil})
    assert [body.name for body in tree.bodies] == ["base", "arm"]
    assert tree.bodies[1].joint.name == "hip_" + evil


@pytest.mark.parametrize(
    "expression", ["__import__('os').getcwd()", "open('x')", "(1).__class__", "9**9**9", "[].append"]
)
def test_expressions_are_arithmetic_only(expression):
    with pytest.raises(DescriptionError, match=r"expression|brace"):
        urdf.read(ARM.replace("2*(@@height+0.1)", expression), parameters=VALUES)


def test_values_that_grow_are_refused(monkeypatch):
    monkeypatch.setattr("tribo.formats.substitution.MAX_CHARACTERS", 1000)
    with pytest.raises(DescriptionError, match="more than 1000 characters"):
        urdf.read(ARM, parameters={**VALUES, "side": "x" * 1001})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a b": 1.0}, "must be a name"), ({"": 1.0}, "must be a name"),
        ({"a": [1.0]}, "must be a number or text"), ({"a": True}, "must be a number or text"),
        ("a=1", "must be {name: value}"),
    ],
)  # fmt: skip
def test_wrong_parameters(given, says):
    with pytest.raises(DescriptionError, match=says):
        checked(given)


def test_numbers_keep_all_digits():
    assert checked({"a": 0.1 + 0.2, "b": np.float64(1e-300), "c": np.int64(3)}) == {
        "a": "0.30000000000000004", "b": "1e-300", "c": "3",
    }  # fmt: skip


# -- modules -----------------------------------------------------------------------------------

WHOLE = urdf.read(PLAIN.replace("</robot>", HAND + "</robot>"))


@pytest.mark.parametrize("module", [HAND, f"<robot name='m'>{HAND}</robot>",
                                    f"<?xml version='1.0'?>\n{HAND}"])  # fmt: skip
def test_a_module_is_as_if_it_stood_in_the_file(module):
    found = urdf.read(PLAIN, modules=[module])
    assert [b.name for b in found.bodies] == [b.name for b in WHOLE.bodies]
    assert (found.bodies[1].mass, found.bodies[1].com) == (1.5, WHOLE.bodies[1].com)
    np.testing.assert_array_equal(found.bodies[1].inertia, WHOLE.bodies[1].inertia)
    assert {f.name for f in found.frames} >= {"hand", "wrist"}


@pytest.mark.parametrize("place", ["hand", "hand.urdf", "hand.xml", "modules/hand.urdf"])
def test_modules_by_name(place, tmp_path):
    """Looked up beside the URDF and in its folder `modules`."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "arm.urdf").write_text(PLAIN)
    (tmp_path / place).write_text(HAND)
    robot = tribo.World().add_articulated_system(tmp_path / "arm.urdf", modules=["hand"])
    assert "hand" in robot.frame_names
    assert urdf.read(tmp_path / "arm.urdf", modules=[tmp_path / place]).bodies[1].mass == 1.5


def test_a_module_may_be_a_template():
    found = urdf.read(PLAIN, modules=[HAND.replace("0.4", "{@@reach/2}")], parameters={"reach": 1.0})
    (hand,) = [frame for frame in found.frames if frame.name == "hand"]
    assert hand.position == (0.0, 0.0, 0.5)


def test_modules_of_world_files(tmp_path):
    (tmp_path / "arm.urdf").write_text(PLAIN)
    (tmp_path / "hand.urdf").write_text(HAND)
    world = '<raisim><objects><articulated_system urdf_path="arm.urdf" modules="{}"/></objects></raisim>'
    (tmp_path / "world.xml").write_text(world.format("hand"))
    (robot,) = tribo.World.load(tmp_path / "world.xml").objects
    assert "hand" in robot.frame_names
    robot.world.save(tmp_path / "again.xml")
    (again,) = tribo.World.load(tmp_path / "again.xml").objects
    np.testing.assert_array_equal(again.mass_matrix, robot.mass_matrix)
    (tmp_path / "world.xml").write_text(world.format("../hand"))
    with pytest.raises(DescriptionError, match=r"world.xml:1.*'\.\./hand' does not exist"):
        tribo.World.load(tmp_path / "world.xml")


def test_modules_by_name_do_not_leave_the_folder(tmp_path):
    """Neither by dots, nor by an absolute path, nor by a link."""
    robots, secret = tmp_path / "robots", tmp_path / "secret.urdf"
    robots.mkdir()
    secret.write_text(HAND)
    (robots / "arm.urdf").write_text(PLAIN)
    (robots / "link.urdf").symlink_to(secret)
    for name in ("../secret", "link", "..", "nothing", "modules/secret", "a\0b", "x" * 300):
        with pytest.raises(DescriptionError, match="does not exist"):
            urdf.read(robots / "arm.urdf", modules=[name])


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("</robot><robot>", "not well-formed"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]><link name="&e;"/>', r"not well-formed|DOCTYPE"),
        (HAND.replace("hand", "arm"), "joint 'arm'|already|loop|one body"),
        (HAND.replace('link="arm"', 'link="nobody"'), "'nobody' does not exist"),
        ("hand", "module 'hand' does not exist; give its path"),
    ],
)
def test_wrong_modules(module, says):
    with pytest.raises(DescriptionError, match=says):
        urdf.read(PLAIN, modules=[module])


def test_too_many_modules(monkeypatch, tmp_path):
    with pytest.raises(DescriptionError, match="101 modules"):
        urdf.read(PLAIN, modules=[HAND] * 101)
    (tmp_path / "arm.urdf").write_text(PLAIN)
    names = "hand " * 101
    (tmp_path / "world.xml").write_text(
        f'<raisim><objects><articulated_system urdf_path="arm.urdf" modules="{names}"/></objects></raisim>'
    )
    with pytest.raises(DescriptionError, match="101 modules"):
        tribo.World.load(tmp_path / "world.xml")
    monkeypatch.setattr("tribo.formats.urdf_modules.MAX_TAGS", 50)
    with pytest.raises(DescriptionError, match="more than 50 elements altogether"):
        urdf.read(PLAIN, modules=[HAND.replace("hand", f"hand{k}") for k in range(9)])


def test_modules_are_for_urdf_only():
    world = tribo.World()
    with pytest.raises(DescriptionError, match="are those of a URDF"):
        world.add_articulated_system(urdf.read(PLAIN), modules=[HAND])
    with pytest.raises(DescriptionError, match="are those of a URDF"):
        world.add_articulated_system(tribo.LinkDescription("a", 1.0, inertia=np.eye(3)), parameters={})
    assert world.objects == ()


def test_nothing_is_written(tmp_path):
    """RaiSim leaves generated files behind; nothing here does."""
    (tmp_path / "arm.urdf").write_text(ARM)
    urdf.read(tmp_path / "arm.urdf", modules=[HAND], parameters=VALUES)
    assert os.listdir(tmp_path) == ["arm.urdf"]
