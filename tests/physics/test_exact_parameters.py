"""Exact derivatives of a step by parameters, against closed forms and central differences."""

import numpy as np
import pytest

import tribo
from tribo import identification

CLOSE = 1e-7  # [–] of the largest number of a column
TOLERANCE = 1e-14


def arm(integrator, axis=(0.2, 1.0, 0.4)):
    """A hinge, a ball joint and a slide, with a spring and a damper, in motion."""
    world = tribo.World(time_step=0.002)
    world.integrator = integrator
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    root.fix_to_world()
    one = root.add_child("one", "revolute", axis=axis, position=(0.1, 0.2, 0.1), joint_name="hip")
    two = one.add_child("two", "spherical", position=(0.1, 0.0, -0.3), joint_name="ball")
    three = two.add_child(
        "three", "prismatic", axis=(0.3, -0.5, 0.8), position=(0.1, 0.05, -0.3), joint_name="slide"
    )
    for link in (one, two, three):
        link.add_shape("box", (0.1, 0.2, 0.4), mass=1.0, position=(0.1, 0.1, -0.2))
    robot = world.add_articulated_system(root, name="arm", position=(0, 0, 2))
    hip = robot.joint("hip")
    hip.armature, hip.damping, hip.stiffness = 0.2, 0.1, 3.0
    robot.generalized_velocity = (0.5, -0.4, 0.6, 0.2, -0.3)
    world.step(2)
    return world


def agree(world, parameters, **given):
    """Tell whether derivatives by parameters are exact, and as differences are by their own error."""
    found = tribo.linearize(world, parameters=parameters, **given)
    moved = tribo.linearize(world, parameters=parameters, method="differences", **given)
    bound = moved.error[:, -found.E.shape[1] :][: len(found.E)] + CLOSE * np.abs(moved.E).max(axis=0)
    assert (found.method, found.obstacle) == ("exact", "")
    assert (np.abs(moved.E).max(axis=0) > 0.0).all()
    return (np.abs(found.E - moved.E) <= bound).all()


def right(world, parameters):
    """Tell whether derivatives by parameters, exact or not, are as differences are by their own error."""
    found = tribo.linearize(world, parameters=parameters)
    moved = tribo.linearize(world, parameters=parameters, method="differences")
    bound = moved.error[:, -found.E.shape[1] :][: len(found.E)] + 1e-6 * np.abs(moved.E).max(axis=0)
    assert np.abs(moved.E).max() > 0.0
    return (np.abs(found.E - moved.E) <= bound).all()


def hopper(integrator, fall, **law):
    """A cart, a lift and a leg with a ball as its foot, 0.5 mm above the ground."""
    world = tribo.World(time_step=0.002)
    world.integrator, world.tolerance = integrator, TOLERANCE
    world.add_ground(material="floor")
    world.set_material_pair("floor", "rubber", friction=0.3, **law)
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0))
    lift = cart.add_child("lift", "prismatic", axis=(0, 0, 1))
    for link in (cart, lift):
        link.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    leg = lift.add_child("leg", "revolute", axis=(0, 1, 0))
    leg.add_shape("sphere", (0.05,), mass=1.0, position=(0, 0, -0.3), material="rubber")
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 0.3505))
    robot.generalized_velocity = [0.8, fall, 0.5]
    return world, robot


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_friction_of_a_foot_whose_overlap_is_corrected_or_that_rebounds(integrator):
    """The law asks what forces alone do; as an equivalent force friction would change that."""
    friction = identification.pair("floor", "rubber", friction=(0.0, 1.0))
    world, robot = hopper(integrator, 0.0)
    robot.generalized_coordinate = [0.0, -0.0006, 0.0]
    robot.generalized_velocity = [0.8, 0.0, 0.9]
    world.step(3)
    assert right(world, friction)
    world, _ = hopper(integrator, -0.3, restitution=0.6, restitution_threshold=0.01)
    assert right(world, friction)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_the_centre_of_mass_is_in_the_lever_of_rolling_friction(integrator):
    world, _ = hopper(integrator, -0.3, rolling_friction=0.05)
    world.erp = 0.0
    world.step(4)
    assert right(world, identification.inertial("robot", "leg"))


def test_robots_that_touch_keep_their_momentum_together():
    """Masses, the tilt of gravity and restitution of two floating robots that meet."""
    world = tribo.World(time_step=0.002)
    world.tolerance = TOLERANCE
    world.set_material_pair("a", "a", friction=0.1, restitution=0.7, restitution_threshold=0.01)
    rng = np.random.default_rng(0)
    for name, x, speed in (("one", -0.45, 1.0), ("two", 0.35, -1.0)):
        link = root = tribo.LinkDescription("base")
        root.add_shape("sphere", (0.1,), mass=1.0, material="a")
        for k in range(2):
            link = link.add_child(f"link{k}", "revolute", axis=rng.normal(size=3), position=(0.2, 0, 0))
            link.add_shape("sphere", (0.1,), mass=0.7, position=(0.1, 0.05, 0), material="a")
        robot = world.add_articulated_system(root, name=name, position=(x, 0.02 * x, 1))
        robot.generalized_velocity = [speed, 0.0, 0.0, *0.3 * rng.normal(size=robot.dof - 3)]
    for _ in range(400):
        before = world.snapshot()
        world.step()
        if any(np.any(contact.impulse) for contact in world.contacts):
            break
    world.restore(before)
    parameters = [
        identification.body("one", "link0", mass=(0.1, 5.0)),
        identification.tilt(x=(-0.5, 0.5)),
        identification.pair("a", "a", restitution=(0.0, 1.0)),
    ]
    assert all(right(world, one) for one in parameters)


def test_accelerations_without_impulses_that_a_rollout_remembers():
    """Under `midpoint` dry friction changes v of later steps by the acceleration that predicts them."""
    world = tribo.World(time_step=0.002)
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="rail")
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=2.0)
    pole = cart.add_child("pole", "revolute", axis=(0, 1, 0), position=(0, 0, 0.1), joint_name="hinge")
    pole.add_shape("box", (0.05, 0.05, 0.5), mass=0.5, position=(0, 0, 0.25), collides=False)
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 2))
    robot.joint("rail").dry_friction = 0.8
    robot.generalized_velocity = [-1.0, 0.5]
    given = {
        "forces": {"robot": np.zeros((40, 2))},
        "derivatives": True,
        "parameters": [
            identification.joint("robot", "rail", dry_friction=(0.0, 2.0)),
            identification.body("robot", "pole", mass=(0.1, 3.0)),
        ],
    }
    found = tribo.rollout(world, **given)
    moved = tribo.rollout(world, method="differences", **given)
    for one in np.eye(2):
        (_, mine), (_, theirs) = (each.jvp(parameters=one[None]) for each in (found, moved))
        np.testing.assert_allclose(mine, theirs, atol=1e-8 * np.abs(theirs).max())


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_masses_joints_lengths_and_gravity(integrator):
    assert agree(
        arm(integrator),
        [
            identification.inertial("arm", "two"),
            identification.body("arm", "three", mass=(0.1, 5.0)),
            identification.joint("arm", "hip", armature=(0.0, 1.0), damping=(0.0, 1.0)),
            identification.joint("arm", "hip", stiffness=(0.0, 9.0)),
            identification.joint("arm", "ball", distance=(0.1, 2.0)),
            identification.joint("arm", "slide", distance=(0.1, 2.0)),
            identification.tilt(x=(-0.5, 0.5)),
        ],
    )


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_dry_friction_that_slips(integrator):
    world = tribo.World(time_step=0.01)
    world.integrator = integrator
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="rail")
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=2.0)
    robot = world.add_articulated_system(root, name="robot")
    robot.joint("rail").dry_friction = 0.5
    robot.generalized_velocity = [-1.0]
    friction = identification.joint("robot", "rail", dry_friction=(0.0, 1.0))
    found = tribo.linearize(world, parameters=friction)
    assert (found.method, found.obstacle) == ("exact", "")
    assert abs(found.E[1, 0] - 0.01 / 2.0) < 1e-13
    robot.generalized_velocity = [0.0]
    assert not tribo.linearize(world, parameters=friction).E.any()  # it holds


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_a_box_that_slides_feels_friction_and_the_tilt_of_the_ground(integrator):
    world = tribo.World(time_step=0.002)
    world.integrator, world.tolerance = integrator, TOLERANCE
    world.add_ground(material="ice")
    world.set_material_pair("ice", "stone", friction=0.4)
    box = world.add_box((0.3, 0.3, 0.3), 2.0, "stone", name="box", position=(0, 0, 0.15))
    box.linear_velocity = (3.0, 0, 0)
    world.step(3)
    parameters = [
        identification.pair("ice", "stone", friction=(0.0, 1.0)),
        identification.tilt(y=(-0.1, 0.1)),
        identification.body("box", mass=(1.0, 3.0)),
    ]
    found = tribo.linearize(world, parameters=parameters, on_contacts=True)
    assert (found.method, found.obstacle) == ("exact", "")
    slower, tilted, heavier = (found.directions.T @ np.eye(6)[0]) @ found.E[len(found.E) // 2 :]
    assert abs(slower + 9.81 * 0.002) < 1e-8
    assert abs(tilted - 9.81 * 0.002) < 1e-8
    assert abs(heavier) < 1e-12


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_a_rebound_feels_restitution_and_its_threshold(integrator):
    world = tribo.World(time_step=0.01)
    world.integrator = integrator
    world.add_ground(material="floor")
    world.set_material_pair("floor", "ball", restitution=0.6, restitution_threshold=0.1, friction=0.0)
    ball = world.add_sphere(0.05, 1.0, "ball", name="ball", position=(0, 0, 0.065))
    ball.linear_velocity = (0.0, 0.0, -2.0)
    assert agree(
        world, identification.pair("floor", "ball", restitution=(0.0, 0.9), restitution_threshold=(0.0, 0.5))
    )
    world.step()
    assert ball.linear_velocity[2] > 0.5


def test_what_a_parameter_changes_besides_is_left_to_differences():
    """A longer link that carries a contact, and masses of a robot that keeps its momentum."""
    world = tribo.World()
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    leg = root.add_child("leg", "revolute", axis=(0, 1, 0), position=(0, 0, -0.1), joint_name="hip")
    leg.add_shape("sphere", (0.05,), mass=1.0, position=(0, 0, -0.3))
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 2.0))
    mass = identification.body("robot", "leg", mass=(0.1, 3.0))
    found = tribo.linearize(world, parameters=mass)
    assert found.method == "exact, parameters by differences"
    assert "momentum" in found.obstacle
    world.add_ground()
    robot.position = (0, 0, 0.4505)
    robot.generalized_velocity = (0, 0, -1.0, 0, 0, 0, 0)
    longer = identification.joint("robot", "hip", distance=(0.01, 1.0))
    found = tribo.linearize(world, parameters=longer)
    assert found.method == "exact, parameters by differences"
    assert "pushed" in found.obstacle


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_wrench_on_a_link_whose_drive_is_at_its_limit(sign):
    """It is no command of the drive: its torque comes to that of the limit."""
    world = tribo.World(time_step=0.01)
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    link = root.add_child("link", "revolute", axis=(0, 1, 0), effort=0.5)
    link.add_shape("box", (0.1, 0.1, 0.4), mass=1.0, position=(0, 0, -0.2))
    robot = world.add_articulated_system(root, name="arm", position=(0, 0, 2))
    robot.generalized_coordinate = [sign * 0.5]
    robot.set_pd_gains(50.0, 1.0)
    world.step(3)
    found = tribo.linearize(world, controls=("wrench", "force"), method="exact")
    moved = tribo.linearize(world, controls=("wrench", "force"), method="differences")
    assert np.abs(moved.B).max() > 0.1
    assert np.abs(found.B - moved.B).max() < 1e-9
    linearizer = tribo.control.Linearizer(world)
    linearizer.at(world)
    assert not linearizer.matrices(world)[1].any()
