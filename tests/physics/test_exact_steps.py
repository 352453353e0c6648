"""Exact derivatives of several steps, against Richardson's extrapolation of differences and closed forms."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo import identification
from tribo.queries.contact_tangents import bend_of

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from linearize import TOLERANCE, extrapolated, quadruped, random_tree

NOISE = 20.0  # bounds of the extrapolation: `left` is what one step leaves, and four take it on


def agree(world, **given):
    """Tell whether derivatives are exact and those of the extrapolation, none at a border."""
    found = tribo.linearize(world, threads=1, **given)
    near, bound = extrapolated(world, **given)
    assert (found.method, found.obstacle) == ("exact", "")
    largest = np.maximum(np.abs(near).max(axis=0), 1.0)
    assert (bound.max(axis=0) / largest).max() < 1e-6
    return bool((np.abs(found.central - near) <= NOISE * bound).all())


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("seed", range(3))
def test_of_random_trees(integrator, seed):
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.002)
    world.integrator, world.tolerance = integrator, TOLERANCE
    robot = world.add_articulated_system(random_tree(generator), position=(0, 0, 1))
    robot.generalized_velocity = generator.normal(size=robot.dof)
    robot.generalized_force = generator.normal(size=robot.dof)
    world.step(2)
    assert agree(world, steps=5)


def test_of_a_body_that_tumbles_and_of_wrenches_that_are_held():
    world = tribo.World()
    world.tolerance = TOLERANCE
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.angular_velocity = (10.0, 20.0, -15.0)
    box.apply_force((1.0, -2.0, 3.0))  # in the first step alone
    assert agree(world, steps=4, controls="wrench")


def test_of_a_robot_along_its_contacts():
    world = quadruped(0.5)
    world.tolerance = TOLERANCE
    tribo.equilibrium(world).apply(world)
    world.step(20)
    assert agree(world, steps=4, on_contacts=True)


def test_of_a_ball_that_lands_on_the_way():
    world = tribo.World(time_step=0.01)
    world.tolerance = TOLERANCE
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 0.15))
    ball.linear_velocity = (1, 0, -2)
    assert agree(world, steps=6, controls="wrench")


@pytest.mark.parametrize("steps", [2, 3])
def test_a_ball_at_rest_has_a_derivative_on_each_side(steps):
    world = tribo.World()
    world.integrator = "semi_implicit"
    world.add_ground()
    world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 0.1))
    world.step(50)
    found = tribo.linearize(world, steps=steps, method="exact")
    erp, dt = world.erp, world.time_step
    # Raised it falls onto the floor in the first step. Lowered it is lifted by a share of what is left.
    assert found.of("v/ball/vz", "q/ball/z", "forward") == pytest.approx(0.0, abs=1e-9)
    left = (1.0 - erp) ** (steps - 1)
    assert found.of("v/ball/vz", "q/ball/z", "backward") == pytest.approx(-erp / dt * left, rel=1e-9)
    assert found.of("q/ball/z", "q/ball/z", "backward") == pytest.approx(left * (1.0 - erp), rel=1e-9)
    assert "q/ball/z" in found.kinks
    moved = tribo.linearize(world, steps=steps, method="differences")
    for side in ("forward", "backward"):
        assert np.allclose(getattr(found, side), getattr(moved, side), rtol=0, atol=1e-2)


@pytest.mark.parametrize("pressed", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("overlap", [2e-6, 2e-5])
def test_an_overlap_that_a_velocity_opens_is_exact(overlap, pressed):
    """All of it, or as much as a tenth of what weight and force give the ball in the step."""
    world = tribo.World()
    world.tolerance = TOLERANCE
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 0.1 - overlap))
    ball.apply_force((0, 0, -9.81 * pressed))
    found = tribo.linearize(world, controls="wrench")
    assert (found.method, found.obstacle) == ("exact", "")
    moved = tribo.linearize(world, controls="wrench", method="differences")
    for one, other in ((found.A, moved.A), (found.B, moved.B)):
        assert np.allclose(one, other, rtol=0, atol=1e-6 * np.abs(other).max())


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_by_parameters_that_are_held(integrator):
    world = tribo.World(time_step=0.005)
    world.integrator, world.tolerance = integrator, TOLERANCE
    world.set_material_pair("floor", "box", friction=0.4)
    world.add_ground(material="floor")
    box = world.add_box((0.2, 0.2, 0.2), 2.0, name="box", position=(0, 0, 0.1), material="box")
    box.linear_velocity = (2.0, 0.0, 0.0)
    world.step(3)
    pair = identification.pair("floor", "box", friction=(0.1, 0.9))
    found = tribo.linearize(world, steps=8, parameters=pair, on_contacts=True)
    assert (found.method, found.obstacle) == ("exact", "")
    moved = tribo.linearize(world, steps=8, parameters=pair, on_contacts=True, method="differences")
    assert (found.directions[0] @ found.E[-found.directions.shape[1] :])[0] == pytest.approx(
        -9.81 * 8 * 0.005
    )
    assert np.allclose(found.E, moved.E, rtol=0, atol=1e-8)


def test_a_step_on_the_way_without_exact_derivatives_is_named():
    world = tribo.World(time_step=0.01)
    world.add_ground()
    box = world.add_box((0.2, 0.2, 0.2), 1.0, name="box", position=(0, 0, 0.13))
    box.linear_velocity, box.angular_velocity = (1.0, 0.0, -1.0), (0.0, 0.0, 3.0)  # it lands and slips
    found = tribo.linearize(world, steps=6)
    assert (found.method, found.obstacle[:9]) == ("differences", "in step 3")
    with pytest.raises(tribo.control.NotDifferentiableError, match="in step"):
        tribo.linearize(world, steps=6, method="exact")


@pytest.mark.parametrize("spin", [0.0, 3.0])
def test_points_that_slip_apart_share_a_load_by_no_equation(spin):
    """Which of four corners bears more turns their friction: the equations of the step leave it open."""
    world = tribo.World(time_step=0.002)
    world.integrator, world.tolerance = "semi_implicit", TOLERANCE
    world.add_ground()
    box = world.add_box((0.2, 0.2, 0.2), 1.0, name="box", position=(0, 0, 0.1))
    box.linear_velocity, box.angular_velocity = (1, 0, 0), (0, 0, spin)
    world.step(3)
    found = tribo.linearize(world, controls="wrench", on_contacts=True)
    assert ("share a load" in found.obstacle) == (spin > 0.0)
    moved = tribo.linearize(world, controls="wrench", on_contacts=True, method="differences", step=1e-5)
    assert np.allclose(found.B, moved.B, rtol=0, atol=1e-7)


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("integrator", ["semi_implicit", "midpoint"])
def test_restitution_of_points_that_share_a_load_is_by_differences(steps, integrator):
    """Four balls of one body hit the ground at once; two rebound more than the others."""
    world = tribo.World(time_step=0.001)
    world.integrator, world.tolerance = integrator, TOLERANCE
    for name in ("A", "B"):
        world.set_material_pair("ground", name, friction=0.3, restitution=0.5, restitution_threshold=0.0)
    world.add_ground(material="ground")
    places = [(0.2, 0.2, 0), (-0.2, 0.2, 0), (-0.2, -0.2, 0), (0.2, -0.2, 0)]
    balls = [
        tribo.CompoundPart("sphere", (0.1,), mass=0.5, position=place, material=material)
        for place, material in zip(places, "ABAB", strict=True)
    ]
    body = world.add_compound(balls, name="body", position=(0, 0, 0.1))
    body.linear_velocity = (0, 0, -1)
    parameter = identification.pair("ground", "A", restitution=(0, 1))
    found = tribo.linearize(world, steps=steps, parameters=[parameter])
    moved = tribo.linearize(world, steps=steps, parameters=[parameter], method="differences")
    assert np.allclose(found.E, moved.E, rtol=0, atol=1e-6)


@pytest.mark.parametrize("steps", [1, 3])
def test_a_force_exactly_at_its_limit_changes_to_one_side_alone(steps):
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    slide = root.add_child("slide", "prismatic", axis=(1, 0, 0), effort=5.0)
    slide.add_shape("box", (0.1, 0.1, 0.1), mass=2.0, collides=False)
    robot = world.add_articulated_system(root, name="cart")
    robot.generalized_force = [5.0]
    found, moved = (tribo.linearize(world, steps=steps, method=one) for one in ("exact", "differences"))
    name = "force/cart/slide_joint"
    assert found.of("v/cart/slide_joint", name, "forward") == 0.0
    assert found.of("v/cart/slide_joint", name, "backward") == pytest.approx(steps * 0.01 / 2.0, rel=1e-9)
    assert name in found.kinks
    assert name in moved.kinks
    assert np.allclose(found.B, moved.B, rtol=0, atol=1e-8)
    A, B = tribo.control.Linearizer(world, steps=steps).matrices(world)
    assert np.allclose(B, found.B, rtol=0, atol=1e-15)
    assert np.allclose(A, found.A, rtol=0, atol=1e-15)


def test_how_a_contact_bends_does_not_depend_on_axes_in_which_it_is_asked():
    """What the turns of two bodies have in common is taken in the axes of the step, for each normal anew."""
    world = tribo.World(time_step=0.005)
    ball = world.add_sphere(0.1, mass=1.0, name="ball")
    ball.linear_velocity = (1.0, 0.0, 0.0)
    world.step()
    surfaces = (2, 0.09, 0.0, 0.09, 0.09), (2, 0.03, 0.0, 0.03, 0.03)
    one = (0.5, 5.3, 0.2), (16.0, -18.0, 2.0), (0.7, 0.9, 0.1), (-3.7, 0.1, -5.2)
    two = (-5.5, 13.4, 3.0), (78.0, -17.0, -14.0), (0.1, -0.5, 0.1), (0.7, -2.1, -0.6)
    n = np.array([0.46, 0.77, 0.44]) / np.linalg.norm([0.46, 0.77, 0.44])
    x = np.cross(n, (0.0, 0.0, 1.0)) / np.linalg.norm(np.cross(n, (0.0, 0.0, 1.0)))
    found = []
    for angle in (0.0, 0.7, 2.0):
        a = np.cos(angle) * x + np.sin(angle) * np.cross(n, x)
        axes = np.stack([a, np.cross(n, a), n])
        v = axes @ (0.2, -0.1, 1.0)
        beta = bend_of(
            world.engine.settings, tuple(axes.ravel()), *surfaces, one, two, tuple(v), 0.0
        )  # fmt: skip
        found.append(axes.T @ beta)
    assert abs(n @ found[0]) > 1e-3
    assert np.allclose(found[1:], found[0], rtol=0, atol=1e-15)


def test_a_force_near_its_limit_is_said():
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    slide = root.add_child("slide", "prismatic", axis=(1, 0, 0), effort=5.0)
    slide.add_shape("box", (0.1, 0.1, 0.1), mass=2.0, collides=False)
    robot = world.add_articulated_system(root, name="cart")
    robot.generalized_force = [-5.0 + 1e-5]
    found = tribo.linearize(world, method="exact")
    assert [str(one) for one in found.changes] == [
        (
            "force/cart/slide_joint: drive cart/slide_joint: at an effort limit | within its limits | "
            "within its limits"
        )
    ]


def test_a_gap_that_a_move_opens_is_said():
    """An overlap of 0.2 µm is closed by the velocity; moved up by 1 µm there is none."""
    world = tribo.World(time_step=0.005)
    world.tolerance = TOLERANCE
    world.add_ground(name="ground")
    world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 0.1 - 2e-7))
    world.step()
    found = tribo.linearize(world, controls="wrench", method="exact")
    said = {(one.input, one.what): (one.below, one.at, one.above) for one in found.changes}
    assert said["q/ball/z", "gap of contact ground–ball"] == ("overlaps", "overlaps", "open")
    smaller = tribo.linearize(world, controls="wrench", method="exact", step=1e-8)
    assert smaller.is_smooth
