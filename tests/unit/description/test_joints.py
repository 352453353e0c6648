"""What a joint that is described in Python may be, and how what it may not be is refused."""

import numpy as np
import pytest
from scenes import empty_world

import tribo
from tribo.description.trees import DescriptionError, JointDescription
from tribo.model import Joint


def robot_of(kind="revolute", **options):
    """Return a fixed base and an arm with mass on a joint of some properties."""
    base = tribo.LinkDescription("base")
    base.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    base.fix_to_world()
    for name, extra in (("first", {}), ("second", options)):
        arm = base.add_child(name, kind, joint_name=f"{name}_joint", **extra)
        arm.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    return base


@pytest.mark.parametrize("value", [0.4, np.float32(0.4), (0.4,), [0.4], np.array([0.4])])
def test_a_reference_of_a_spring_is_a_number(value):
    robot = empty_world().add_articulated_system(robot_of(stiffness=1.0, spring_reference=value))
    assert robot.joint("second_joint").spring_reference == pytest.approx(0.4, rel=1e-7)
    other = robot_of()
    other.children[1].joint.spring_reference = value
    robot = empty_world().add_articulated_system(other)
    assert robot.joint("second_joint").spring_reference == pytest.approx(0.4, rel=1e-7)


WRONG = {
    "upper": (None, "upper of joint 'second_joint' must be a number or inf, got None"),
    "lower": ("a", "lower of joint 'second_joint' must be a number or inf, got 'a'"),
    "effort": ([1.0], r"effort of joint 'second_joint' must be a number or inf, got \[1.0\]"),
    "effort_lower": ("a", "effort_lower of joint 'second_joint' must be a number or None"),
    "damping": (True, "damping of joint 'second_joint' must be a number or inf, got True"),
    "mimic": ("x", r"mimic of joint 'second_joint' must be \(leader, ratio, offset\), such as"),
    "is_cone": ("x", "is_cone of joint 'second_joint' must be True or False, got 'x'"),
    "spring_reference": ("x", "spring_reference of joint 'second_joint' must be one number, got"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_property_of_a_wrong_kind_is_refused_at_once_and_when_it_is_assigned(what):
    value, says = WRONG[what]
    with pytest.raises(DescriptionError, match=says):
        robot_of(**{what: value})
    base = robot_of()
    setattr(base.children[1].joint, what, value)
    world = empty_world()
    with pytest.raises(DescriptionError, match=says):
        world.add_articulated_system(base)
    assert not world.objects


@pytest.mark.parametrize("value", [("first_joint", 1.0), ("first_joint", "a", 0.0), (1, 1.0, 0.0)])
def test_a_mimic_is_a_joint_and_two_numbers(value):
    with pytest.raises(DescriptionError, match="mimic of joint 'second_joint' must be"):
        robot_of(mimic=value)


def test_a_ball_joint_needs_a_quaternion_as_reference():
    with pytest.raises(DescriptionError, match=r"must be a quaternion \(w, x, y, z\), got 0.4"):
        robot_of("spherical", spring_reference=0.4)
    robot_of("spherical", spring_reference=(1, 0, 0, 0))


def test_a_place_in_arrays_and_a_wrong_place():
    base = tribo.LinkDescription("base", 1.0, inertia=np.eye(3))
    arm = base.add_child("arm", "revolute", position=np.array([0.0, 0.0, 1.0]))
    arm.mass, arm.inertia = 1.0, np.eye(3)
    robot = empty_world().add_articulated_system(base)
    assert robot.joint("arm_joint").position_in_parent.tolist() == [0.0, 0.0, 1.0]
    arm.joint.position = 5
    with pytest.raises(DescriptionError, match="position of joint 'arm_joint' must be 3 numbers"):
        empty_world().add_articulated_system(base)


def test_a_property_that_is_misspelt_is_proposed():
    with pytest.raises(DescriptionError, match=r"has no 'stifness'; did you mean 'stiffness'\?.*known"):
        robot_of(stifness=1)


@pytest.mark.parametrize(
    ("name", "kind"), [("revolute", Joint.REVOLUTE), ("continuous", Joint.REVOLUTE),
                       ("spherical", Joint.SPHERICAL), ("free", Joint.FREE)]
)  # fmt: skip
def test_a_type_by_its_name(name, kind):
    assert JointDescription("a", name).type == kind


@pytest.mark.parametrize("kind", ["revolut", 1, None, "REVOLUTE"])
def test_a_type_that_is_none(kind):
    with pytest.raises(DescriptionError, match="type of joint 'a' must be one of continuous, fixed"):
        JointDescription("a", kind)


def test_a_name_is_a_text():
    with pytest.raises(DescriptionError, match="the name of a joint must be a string, got 3"):
        JointDescription(3, "revolute")


# -- joints that follow others --------------------------------------------------------------------
URDF = """<robot name="r"><link name="world"/>{links}{joints}</robot>"""
LINK = """<link name="{}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}_joint" type="continuous"><parent link="world"/><child link="{name}"/>
<axis xyz="0 0 1"/>{more}</joint>"""
MJCF = """<mujoco><worldbody><body name="base"><body name="a"><joint name="first_joint" type="hinge"/>
<geom size="0.1"/></body><body name="b"><joint name="second_joint" type="hinge"/><geom size="0.1"/></body>
</body></worldbody><equality><joint joint1="second_joint" joint2="first_joint"
polycoef="{} {} 0 0 0"/></equality></mujoco>"""


def follower_in(source, ratio, offset):
    """Add two joints, the second of which follows the first, to a world; return it."""
    world = empty_world()
    if source == "python":
        world.add_articulated_system(robot_of(mimic=("first_joint", ratio, offset)))
    elif source == "urdf":
        more = f'<mimic joint="first_joint" multiplier="{ratio!r}" offset="{offset!r}"/>'
        joints = JOINT.format(name="first", more="") + JOINT.format(name="second", more=more)
        links = LINK.format("first") + LINK.format("second")
        world.add_articulated_system(URDF.format(links=links, joints=joints))
    else:
        world.load_mjcf(MJCF.format(offset, ratio))
    return world


@pytest.mark.parametrize("source", ["python", "urdf", "mjcf"])
def test_the_ratio_of_a_follower_is_bounded(source):
    says = r"joint 'second_joint' follows 'first_joint' \(mimic\): its ratio.* at most 1e\+06 in size"
    for ratio in (1.0001e6, -1e12, 1e14):
        with pytest.raises(DescriptionError, match=says):
            follower_in(source, ratio, 0.0)
    for ratio in (0.0, 1e6, -1e6):
        world = follower_in(source, ratio, 0.0)
        assert world.objects[0].joint("second_joint").mimic[1] == ratio
        world.step(3)
        assert not world.status & tribo.Status.INVALID


@pytest.mark.parametrize("source", ["python", "urdf", "mjcf"])
def test_the_offset_of_a_follower_is_bounded(source):
    with pytest.raises(DescriptionError, match=r"at most 1e\+15"):
        follower_in(source, 1.0, 1e16)


@pytest.mark.parametrize("size", [(1e300,) * 3, (1.0, 1.0, 1e-300)])
def test_a_size_with_which_nothing_can_be_calculated_is_refused(size):
    link = tribo.LinkDescription("base")
    with pytest.raises(DescriptionError, match="of an ellipsoid must be from 1e-15 to"):
        link.add_shape("ellipsoid", size, mass=1.0)
    assert not link.shapes


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"axis": (0, 0, 0)}, "axis of joint 'arm_joint' has no direction"),
        ({"axis": (0, np.nan, 0)}, "axis of joint 'arm_joint' must be finite"),
        ({"lower": 1.0, "upper": -1.0}, r"joint 'arm_joint': lower 1\.0 is above upper -1\.0"),
        ({"damping": -1.0}, "damping of joint 'arm_joint' must be ≥ 0"),
    ],
)
def test_a_joint_that_cannot_be_is_refused_before_its_link_is_added(options, says):
    base = tribo.LinkDescription("base")
    with pytest.raises(ValueError, match=says):
        base.add_child("arm", "revolute", **options)
    assert not base.children
