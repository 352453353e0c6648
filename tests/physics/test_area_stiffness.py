"""Stiffness by contact area: k = E A/ℓ whatever the points are, how many there are, and how many are kept."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tribo
from tribo.materials import ContactMaterial

G = 9.81
E, LENGTH, MASS = 1e6, 0.02, 2.0


def world_of(**values: object) -> tribo.World:
    given: dict[str, object] = {
        "youngs_modulus": E, "spook_damping": 0.01, "elastic_rest_length": LENGTH,
    }  # fmt: skip
    world = tribo.World(time_step=1e-3)
    world.default_pair = ContactMaterial(**(given | values))  # type: ignore[arg-type]
    world.add_ground()
    return world


def feet(world: tribo.World, side: int, turn: float = 0.0) -> tribo.SingleBody:
    """Add a plate of side² balls of 1 cm over 0.4 m × 0.2 m."""
    parts = [
        tribo.CompoundPart("sphere", (0.01,), position=(x, y, 0.0))
        for x in np.linspace(-0.2, 0.2, side)
        for y in np.linspace(-0.1, 0.1, side)
    ]
    half = (math.cos(0.5 * turn), 0, 0, math.sin(0.5 * turn))
    return world.add_compound(parts, mass=MASS, position=(0, 0, 0.01), orientation=half)


def depth(world: tribo.World, body: tribo.SingleBody, height: float) -> float:
    world.step(1500)
    return height - float(body.position[2])


@pytest.mark.parametrize("model", ["iterative", "box"])
def test_a_box_rests_at_its_weight_over_E_A_by_the_length(model: str) -> None:
    """δ = m g ℓ/(E A), to the 1e-9 that 150 damping times leave of the motion at the start."""
    world = world_of(friction_model=(model, "direct"))
    box = world.add_box((0.4, 0.2, 0.02), MASS, position=(0, 0, 0.01))
    assert depth(world, box, 0.01) == pytest.approx(MASS * G * LENGTH / (E * 0.08), rel=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.6])
@pytest.mark.parametrize("mode", ["reduce_none", "reduce_geometry"])
@pytest.mark.parametrize("side", [2, 4, 8])
def test_the_number_of_points_does_not_matter(side: int, mode: str, turn: float) -> None:
    """4, 16 and 64 feet of one hull, with and without contact reduction, turned against the world."""
    world = world_of(contact_reduction_mode=mode)
    plate = feet(world, side, turn)
    assert depth(world, plate, 0.01) == pytest.approx(MASS * G * LENGTH / (E * 0.08), rel=1e-9)


def test_half_of_the_area_is_half_as_stiff() -> None:
    world = world_of()
    boxes = [
        world.add_box((length, 0.2, 0.02), MASS, position=(0, y, 0.01))
        for length, y in ((0.4, 0.0), (0.2, 1.0))
    ]
    world.step(1500)
    first, second = (0.01 - box.position[2] for box in boxes)
    assert second == pytest.approx(2.0 * first, rel=1e-9)


def test_a_point_counts_as_a_square_of_the_length() -> None:
    """A ball on a plane has no area: k = E ℓ."""
    world = world_of()
    ball = world.add_sphere(0.1, MASS, position=(0, 0, 0.1))
    assert depth(world, ball, 0.1) == pytest.approx(MASS * G / (E * LENGTH), rel=1e-9)


def test_a_line_counts_as_a_strip_as_wide_as_the_length() -> None:
    """A lying cylinder of 0.5 m: two points, k = E s, s = 0.5 m."""
    world = world_of()
    turn = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    roll = world.add_cylinder(0.1, 0.5, MASS, position=(0, 0, 0.1), orientation=turn)
    assert depth(world, roll, 0.1) == pytest.approx(MASS * G / (E * 0.5), rel=1e-6)


def test_adhesion_reaches_as_far_as_its_force_stretches_the_area() -> None:
    """A plate under a ceiling hangs from its area: δ = overlap − m g ℓ/(E A)."""
    world = tribo.World(time_step=1e-3)
    world.default_pair = ContactMaterial(
        youngs_modulus=E, spook_damping=0.01, elastic_rest_length=LENGTH, adhesion_force=50.0,
        adhesive_overlap=1e-3,
    )  # fmt: skip
    world.add_box((1, 1, 0.2), 1.0, position=(0, 0, 1.1), body_type="static")
    plate = world.add_box((0.4, 0.2, 0.02), MASS, position=(0, 0, 0.99 + 1e-3))
    world.step(2000)
    hangs = plate.position[2] - 0.99
    assert hangs == pytest.approx(1e-3 - MASS * G * LENGTH / (E * 0.08), rel=1e-6)


def test_snapshot_and_batch_hold_it() -> None:
    world = world_of()
    plate = feet(world, 4)
    saved = world.snapshot()
    world.step(100)
    there = plate.position.copy()
    world.restore(saved)
    world.step(100)
    np.testing.assert_array_equal(plate.position, there)
    world.restore(saved)
    batch = tribo.Batch(world, 2)
    batch.set_material_pair("default", "default", elastic_rest_length=[LENGTH, 2.0 * LENGTH])
    batch.step(1500)
    deep = 0.01 - batch[plate.name].position[:, 2]
    assert deep[1] == pytest.approx(2.0 * deep[0], rel=1e-6)


@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_points_that_do_not_touch_add_no_area(speed: float) -> None:
    """A tilted box with an edge of length s in the ground is pressed by k = E s, at any speed of both.

    At 20 m/s the far corners, 1 cm above, are points too. (1/m + x²/I + R) λ = 4 γ d/h with R = 4 γ/(k h²), x
    the arm of the edge; round-off of d is 1e-15 of the 1 cm that both go in a step, beside d = 0.1 mm.
    """
    h, m, i, deep, tilt = 5e-4, 1.0, 5e-3, 1e-4, 0.05
    world = tribo.World(time_step=h, gravity=(0, 0, 0))
    world.default_pair = ContactMaterial(
        friction=0.0, youngs_modulus=E, spook_damping=0.01, elastic_rest_length=LENGTH
    )
    moves = (speed, 0.0, 0.0)
    world.add_box((50, 50, 1), 1.0, body_type="kinematic", position=(0, 0, -0.5), linear_velocity=moves)
    low, arm = (0.1 * math.sin(tilt) + 0.05 * math.cos(tilt), 0.1 * math.cos(tilt) - 0.05 * math.sin(tilt))
    box = world.add_box(
        (0.2, 0.2, 0.1), m, position=(0, 0, low - deep), rpy=(0, tilt, 0), linear_velocity=moves,
        inertia=np.diag((i, i, i)),
    )  # fmt: skip
    world.step()
    gamma = 1.0 / (1.0 + 4.0 * 0.01 / h)
    give = 4.0 * gamma / (E * 0.2 * h * h)
    impulse = 4.0 * gamma * deep / h / (1.0 / m + arm * arm / i + give)
    assert box.linear_velocity[2] == pytest.approx(impulse / m, rel=1e-9)
