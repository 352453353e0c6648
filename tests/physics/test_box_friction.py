"""Friction with bounds along two directions: it needs a normal force, and it is all that acts."""

from __future__ import annotations

import numpy as np
import pytest

import tribo
from tribo.materials import ContactMaterial

MU, DT = 0.5, 1e-3
BOXES = ["box", "scaled_box"]


def world_of(model: str, gravity: tuple[float, float, float]) -> tribo.World:
    world = tribo.World(time_step=DT, gravity=gravity)
    world.default_pair = ContactMaterial(
        friction=MU, youngs_modulus=1e5, spook_damping=0.01, friction_model=(model, "direct")
    )
    world.add_box((10, 10, 1), 1.0, body_type="static", position=(0, 0, -0.5))
    return world


def impulses(world: tribo.World, body: tribo.SingleBody, steps: int) -> np.ndarray:
    """Return the change of momentum less that by weight, and the impulse that is read, of each step."""
    found = []
    weight = DT * body.mass * np.asarray(world.gravity)
    for _ in range(steps):
        before = body.linear_momentum.copy()
        world.step()
        found.append([body.linear_momentum - before - weight, DT * body.net_contact_force])
    return np.array(found)


@pytest.mark.parametrize("model", BOXES)
def test_nothing_brakes_a_ball_that_passes_the_ground(model: str) -> None:
    """It is pulled up and turns 0.2 mm above the ground: it has lost 0.57 of 2 m/s there."""
    world = world_of(model, (0, 0, 5.0))
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.2002), linear_velocity=(2.0, 0, -1.0))
    lowest = np.inf
    for _ in range(400):
        world.step()
        lowest = min(lowest, ball.position[2] - 0.1)
    assert lowest == pytest.approx(2e-4, abs=1e-12)
    assert ball.linear_velocity[0] == 2.0
    assert not ball.angular_velocity.any()


@pytest.mark.parametrize("model", BOXES)
@pytest.mark.parametrize("up", [0.0, 0.5])
def test_what_falls_off_a_ceiling_is_not_braked(model: str, up: float) -> None:
    """A ball that touches it from below, at rest along the normal or in leaving, has no normal force."""
    world = world_of(model, (0, 0, -9.81))
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, -1.1), linear_velocity=(2.0, 0, -up))
    world.step(3)
    assert ball.linear_velocity[0] == 2.0


@pytest.mark.parametrize("inertia", [(4e-3, 4e-3, 4e-3), (3e-3, 4e-3, 5e-3)])
@pytest.mark.parametrize("turn", [0.0, 1.0])
@pytest.mark.parametrize("model", BOXES)
def test_an_oblique_hit_gives_mu_times_its_normal_impulse(
    model: str, turn: float, inertia: tuple[float, float, float]
) -> None:
    """At 10 m/s it slides throughout: p_x = −μ N, N of this step or of the last one, and p_z = 1 N s in all.

    The gap is closed in one step, by the part of the speed that it does not need, and the ball stopped in the
    next. A new point of a box has the first of these as its load; the sums are of round-off.
    """
    world = world_of(model, (0, 0, 0))
    ball = world.add_sphere(
        0.1, 1.0, position=(0, 0, 0.1104), linear_velocity=(10.0, 0, -1.0), angular_velocity=(turn, 0, 0),
        inertia=np.diag(inertia),
    )  # fmt: skip
    made = impulses(world, ball, 60)
    change, read = made[:, 0], made[:, 1]
    assert read == pytest.approx(change, abs=1e-13)
    assert change[:, 2].sum() == pytest.approx(1.0, abs=1e-12)
    first = int(np.argmax(change[:, 2] > 0.0))
    load = change[:, 2].copy()
    if model == "box":
        load[first + 1 :] = change[first:-1, 2]
    assert -change[:, 0] == pytest.approx(MU * load, abs=1e-12)


@pytest.mark.parametrize("inertia", [(5e-3, 5e-3, 5e-3), (4e-3, 5e-3, 6e-3)])
@pytest.mark.parametrize("model", BOXES)
def test_a_cone_does_not_act_beside_the_box(model: str, inertia: tuple[float, float, float]) -> None:
    """An ellipsoid slides and tumbles: |p_x| ≤ μ N. With unequal moments of inertia it reached twice that."""
    world = world_of(model, (0, 0, -9.81))
    body = world.add_ellipsoid(
        (0.12, 0.1, 0.09), 1.0, position=(0, 0, 0.09 - 9.81e-5), linear_velocity=(2.0, 0, 0),
        angular_velocity=(0, 1.0, 0), inertia=np.diag(inertia),
    )  # fmt: skip
    made = impulses(world, body, 300)
    change, read = made[:, 0], made[:, 1]
    assert read == pytest.approx(change, abs=1e-13)
    load = change[:, 2] if model == "scaled_box" else np.maximum(change[:, 2], np.roll(change[:, 2], 1))
    assert (np.abs(change[:, 0]) <= MU * load + 1e-12).all()
    assert np.abs(change[:, 0]).max() > 0.9 * MU * 9.81 * DT  # it does slide


@pytest.mark.parametrize("inertia", [(5e-3, 5e-3, 5e-3), (4e-3, 5e-3, 6e-3)])
def test_along_one_direction_a_scaled_box_is_a_cone(inertia: tuple[float, float, float]) -> None:
    """Both have |f| ≤ μ N there; a bound is followed to 1e-9 of it, 300 steps long."""
    ends = []
    for model in ("iterative", "scaled_box"):
        world = world_of(model, (0, 0, -9.81))
        body = world.add_ellipsoid(
            (0.12, 0.1, 0.09), 1.0, position=(0, 0, 0.09 - 9.81e-5), linear_velocity=(2.0, 0, 0),
            angular_velocity=(0, 1.0, 0), inertia=np.diag(inertia),
        )  # fmt: skip
        world.step(300)
        ends.append([*body.linear_velocity, *body.angular_velocity])
    assert ends[1] == pytest.approx(ends[0], abs=300 * 1e-9 * MU * 9.81 * DT * 0.1 / 4e-3)


@pytest.mark.parametrize("model", BOXES)
def test_points_that_do_not_touch_take_no_share_of_a_hit(model: str) -> None:
    """A tilted box lands on an edge, on a ground that moves as it does: far corners count at 20 m/s only."""
    ends = []
    for speed in (0.0, 20.0):
        world = tribo.World(time_step=DT, gravity=(0, 0, 0))
        world.default_pair = ContactMaterial(
            friction=MU, youngs_modulus=1e5, spook_damping=0.01, friction_model=(model, "direct")
        )
        moves = (speed, 0.0, 0.0)
        world.add_box((50, 50, 1), 1.0, body_type="kinematic", position=(0, 0, -0.5), linear_velocity=moves)
        box = world.add_box(
            (0.2, 0.2, 0.1), 1.0, position=(0, 0, 0.061), rpy=(0, 0.1, 0),
            linear_velocity=(speed, 0.5, -1.0),
        )  # fmt: skip
        pushed = impulses(world, box, 3)[:, 0]
        ends.append(pushed[int(np.argmax(pushed[:, 2] > 0.0))])
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)
