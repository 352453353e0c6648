"""What is refused leaves a world as it was, bit for bit; what was removed says so."""

import re

import numpy as np
import pytest
from scenes import QUADRUPED

import tribo
from tribo.checks.errors import EditError

NAMES = ("damping", "armature", "dry_friction", "stiffness", "velocity_limit", "effort_limits")
WRONG = (-1.0, "x", None, [1.0], np.full(18, -1.0), {"LF_HAA": 1.0, "LF_KFE": -1.0},
         {"LF_HAA": 1.0, "LF_KFE": "x"}, {"LF_HAA": 1.0, "LF_KFE": np.zeros(0)})  # fmt: skip


def moving_quadruped():
    """Return a world in which the package's robot tumbles: it carries a record of its momentum."""
    world = tribo.World(gravity=(0, 0, -9.81))
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 3), name="dog")
    robot.set_pd_gains(20.0, 1.0)
    robot.generalized_velocity = np.linspace(-2.0, 2.0, 18)
    world.step(20)
    assert robot._tree_motion.any()
    return world, robot


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_joint_parameter_leaves_the_world_bit_for_bit(name):
    world, robot = moving_quadruped()
    robot.effort_limits = (-30.0, 50.0)
    world.step(5)
    digest = world.hash()
    for value in WRONG:
        with pytest.raises((TypeError, ValueError)):
            setattr(robot, name, value)
        assert world.hash() == digest, value
        assert robot.joint("LF_HAA").effort_limits == (-30.0, 50.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("effort_limits", ({"LF_HAA": "x"}, {"LF_HAA": 1.0})),
        ("effort_limits", (-1.0, -1.0)),
        ("spring_reference", {"LF_HAA": 0.1, "LF_KFE": np.inf}),
        ("joint_coordinates", {"LF_HAA": 0.1, "LF_KFE": np.nan}),
        ("joint_velocities", {"LF_HAA": 0.1, "LF_KFE": "x"}),
        ("drive_form", {"LF_HAA": "stable", "LF_KFE": "x"}),
        ("gravity_compensation", {"LF_HAA": True, "LF_KFE": 3}),
    ],
)
def test_a_refused_mapping_leaves_the_world_bit_for_bit(name, value):
    world, robot = moving_quadruped()
    digest = world.hash()
    with pytest.raises((TypeError, ValueError)) as refused:
        setattr(robot, name, value)
    assert "ufunc" not in str(refused.value)
    assert world.hash() == digest


def test_a_refused_mapping_keeps_what_is_mixed_on_one_joint():
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1))
    robot._command_rows("drive_form")[0, :3] = 1  # of the base's dofs some, not all
    root = robot.description.bodies[0].joint.name
    assert robot.joint(root).drive_form == "mixed"
    with pytest.raises(ValueError, match="drive_form of LF_KFE must be one of"):
        robot.drive_form = {root: "implicit", "LF_KFE": "none"}
    assert robot.joint(root).drive_form == "mixed"


def test_a_batch_that_refuses_a_parameter_is_left_bit_for_bit():
    world, _ = moving_quadruped()
    batch = tribo.Batch(world, 2, threads=1)
    before = batch["dog"]._array("state", "tree_motion", "trees").copy()
    with pytest.raises(ValueError, match="damping of LF_KFE must be ≥ 0"):
        batch["dog"].damping = {"LF_HAA": 0.1, "LF_KFE": [0.1, -0.1]}
    assert np.array_equal(batch["dog"]._array("state", "tree_motion", "trees"), before)
    assert (batch["dog"].damping[:, 6] == world["dog"].damping[6]).all()


# -- references of springs ------------------------------------------------------------------------
def test_one_reference_stands_for_all_joints_of_one_coordinate():
    world, robot = moving_quadruped()
    robot.spring_reference = 0.5
    assert (robot.spring_reference[7:] == 0.5).all()
    assert robot.spring_reference[:7].tolist() == [0, 0, 0, 1, 0, 0, 0]
    robot.spring_reference = np.arange(12) * 0.1
    assert np.array_equal(robot.spring_reference[7:], np.arange(12) * 0.1)
    batch = tribo.Batch(world, 2, threads=1)
    batch["dog"].spring_reference = 0.25
    assert (batch["dog"].spring_reference[:, 7:] == 0.25).all()


@pytest.mark.parametrize("value", [(1, 0, 0), [], np.zeros((2, 19)), np.zeros(18)])
def test_references_of_a_wrong_shape_say_which_are_right(value):
    world, robot = moving_quadruped()
    digest = world.hash()
    expected = "spring_reference of dog must have shape (19,), or (12,) for the joints alone"
    with pytest.raises(ValueError, match=re.escape(expected)):
        robot.spring_reference = value
    assert world.hash() == digest


def test_one_reference_is_refused_by_a_robot_of_ball_joints():
    base = tribo.LinkDescription("base")
    base.add_shape("sphere", (0.1,), mass=1.0)
    base.add_child("arm", "spherical").add_shape("sphere", (0.1,), mass=1.0)
    robot = tribo.World().add_articulated_system(base, name="chain")
    with pytest.raises(ValueError, match="spring_reference of chain: one number stands for"):
        robot.spring_reference = 0.5


# -- constraints ----------------------------------------------------------------------------------
READINGS = ("force", "gap", "points", "impulse", "torque")


@pytest.mark.parametrize("link", ["LF_SHANK", "trunk"])
def test_a_constraint_whose_robot_was_removed_says_so(link):
    world, robot = moving_quadruped()
    pin = world.add_pin(robot.link(link))
    wire = world.add_wire(robot.link(link), None, second_point=(0, 0, 9), stiffness=10.0)
    world.step()
    world.remove(robot)
    both = [(pin, name) for name in READINGS]
    both += [(wire, name) for name in ("force", "gap", "points", "impulse", "stretch", "distance",
                                       "potential_energy")]  # fmt: skip
    for tie, name in both:
        with pytest.raises(EditError, match="dog was removed from its world and its constraints"):
            getattr(tie, name)
    assert "removed" in repr(pin)


@pytest.mark.parametrize("value", [np.zeros(0), np.zeros(2), [], "x", None])
def test_a_break_force_is_one_number(value):
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 1))
    wire = world.add_wire(ball, None, second_point=(0, 0, 2))
    with pytest.raises(TypeError, match="break_force of wire_0 must be a number, got"):
        wire.break_force = value
    wire.break_force = np.array(np.inf)
    assert wire.break_force == np.inf


def test_a_wire_that_was_compliant_becomes_stiff_again_bit_for_bit():
    def hanging():
        world = tribo.World()
        ball = world.add_sphere(0.1, mass=1.0, position=(0.5, 0, 1))
        return world, world.add_wire(ball, None, second_point=(0, 0, 2))

    world, wire = hanging()
    same, softened = hanging()
    softened.stiffness = 1000.0
    assert softened.wire_type == "compliant"
    softened.stiffness = wire.stiffness
    assert (softened.wire_type, softened.stiffness) == ("stiff", np.inf)
    world.step(50)
    same.step(50)
    assert same.hash() == world.hash()
    softened.stiffness = 1000.0
    batch = tribo.Batch(same, 2, threads=1)
    batch.constraint(softened.name).stiffness = [np.inf, 10.0]
    assert batch.constraint(softened.name).stiffness.tolist() == [np.inf, 10.0]
    for value in (None, -1.0, np.nan, "x"):
        with pytest.raises((TypeError, ValueError), match="stiffness of wire_0 must be"):
            softened.stiffness = value
        assert softened.stiffness == 1000.0


@pytest.mark.parametrize("value", [b"ab", bytearray(b"ab"), "ab", 1.0, (1.0,), None])
def test_a_pair_is_no_text(value):
    joint = moving_quadruped()[1].joint("LF_HAA")
    before = joint.limits
    with pytest.raises(ValueError, match=r"limits of LF_HAA must be a pair \(lower, upper\), got"):
        joint.limits = value
    assert joint.limits == before


@pytest.mark.parametrize("value", [b"ab", "ab", (1.0,), (b"a", b"b"), [-1.0, 1.0], None])
def test_limits_of_a_drive_are_numbers(value):
    joint = moving_quadruped()[1].joint("LF_HAA")
    before = joint.effort_limits
    with pytest.raises((TypeError, ValueError), match=r"^effort_limits.* of LF_HAA must be"):
        joint.effort_limits = value
    assert joint.effort_limits == before


def test_a_stop_that_is_not_a_number_says_so():
    joint = moving_quadruped()[1].joint("LF_HAA")
    for value in ((-1, np.nan), (np.nan, 1), (np.nan, np.nan)):
        with pytest.raises(ValueError, match="limits of LF_HAA: nan is not a number"):
            joint.limits = value


# -- stops in a batch -----------------------------------------------------------------------------
def test_stops_of_a_batch_are_read_as_they_were_set():
    world, robot = moving_quadruped()
    batch = tribo.Batch(world, 2, threads=1)
    joint = batch["dog"].joint("LF_KFE")
    was = robot.joint("LF_KFE").limits
    assert [side.tolist() for side in joint.limits] == [[was[0]] * 2, [was[1]] * 2]
    joint.limits = (-1.5, 1.5)
    assert [side.tolist() for side in joint.limits] == [[-1.5] * 2, [1.5] * 2]
    joint.limits = ([-1.0, -2.0], 2.0)
    assert [side.tolist() for side in joint.limits] == [[-1.0, -2.0], [2.0, 2.0]]
    with pytest.raises(ValueError, match=r"lower 0\.0 must not be above upper -1\.0 \(world 1\)"):
        joint.limits = (0.0, [1.0, -1.0])
    with pytest.raises(ValueError, match="must be two numbers or one for each of 2 worlds"):
        joint.limits = (0.0, [1.0, 1.0, 1.0])
    assert [side.tolist() for side in joint.limits] == [[-1.0, -2.0], [2.0, 2.0]]
    assert robot.joint("LF_KFE").limits == was
    for value in ((np.zeros(0), 1.0), (0.0, np.zeros(2))):
        with pytest.raises(ValueError, match="limits of LF_KFE must be two numbers, got one of"):
            robot.joint("LF_KFE").limits = value


def test_worlds_of_a_batch_stop_where_each_was_told_to():
    world = tribo.World(gravity=(0, 0, 0))
    base = tribo.LinkDescription("base")
    base.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    cart = base.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="rail")
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    base.fix_to_world()
    world.add_articulated_system(base, name="p")
    batch = tribo.Batch(world, 2, threads=1)
    batch["p"].joint("rail").limits = (-1.0, [0.1, 0.2])
    batch["p"].generalized_force = [5.0]
    assert batch.step(1000).all()
    np.testing.assert_allclose(batch["p"].generalized_coordinate[:, 0], [0.1, 0.2], atol=1e-9)


def test_the_ground_stays():
    """A half space has no mass to fall with."""
    ground = tribo.World().add_ground()
    with pytest.raises(ValueError, match="half space"):
        ground.body_type = "dynamic"
