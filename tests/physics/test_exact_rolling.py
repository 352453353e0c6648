"""Exact derivatives of steps with rolling and spinning friction, against Richardson's extrapolation."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from linearize import TOLERANCE, extrapolated

CLOSE = 1e-6  # [–] of the largest number of a column, or of 1: above it the extrapolation says too little
GAPS = {"q/ball/z", "v/ball/vz", "wrench/ball/sphere/fz"}


def compare(found, expected, bound):
    """Return how much of the columns the extrapolation says; all that it says has to agree."""
    told = bound.max(axis=0) <= CLOSE * np.maximum(np.abs(expected).max(axis=0), 1.0)
    assert (np.abs(found - expected)[:, told] <= bound[:, told]).all()
    return told.mean()


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize(
    ("roll", "spin", "omega"),
    [(0.002, 0.001, (-10, 20, 2)), (0.5, 0.5, (0, 0, 0)), (0.0, 0.01, (-10, 20, 2))],
)
def test_a_ball_that_rolls_and_spins_or_is_held(roll, spin, omega, integrator):
    """Columns that move the gap meet its corner; the others are compared."""
    world = tribo.World(time_step=0.001)
    world.integrator, world.erp, world.tolerance = integrator, 1.0, TOLERANCE
    world.add_ground(material="cloth")
    world.set_material_pair(
        "cloth", "ivory", friction=0.3, restitution=0.0, rolling_friction=roll, spinning_friction=spin
    )
    ball = world.add_sphere(0.03, 0.2, "ivory", name="ball", position=(0, 0, 0.03))
    ball.linear_velocity = (0.6, 0.3, 0) if any(omega) else (0, 0, 0)
    ball.angular_velocity = omega
    world.step(5)
    found = tribo.linearize(world, controls="wrench", method="exact")
    still = [k for k, name in enumerate(found.names) if name not in GAPS]
    made = extrapolated(world, still, TOLERANCE / 0.03, controls="wrench")
    assert compare(found.central[:, still], *made) > 0.4
    if any(omega) and roll > 0.0:  # torque ρ r m g, and what friction takes to roll with it
        slower = np.linalg.norm(ball.linear_velocity)
        world.step()
        slower -= np.linalg.norm(ball.linear_velocity)
        assert slower == pytest.approx(roll * 9.81 * 0.001 * 5.0 / 7.0, rel=1e-4)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_feet_with_rolling_friction(integrator):
    said = []
    for seed in range(6):
        generator = np.random.default_rng(seed)
        world = tribo.World(time_step=0.002)
        world.integrator, world.tolerance = integrator, TOLERANCE
        world.add_ground(material="floor")
        world.set_material_pair(
            "floor", "rubber", friction=0.8, rolling_friction=0.01, spinning_friction=0.005
        )
        root = tribo.LinkDescription("base")
        root.add_shape("box", (0.3, 0.2, 0.1), mass=2.0, collides=False)
        for k, kind in enumerate(("revolute", "spherical")):
            place = (0.2 * (-1) ** k, 0.0, 0.0)
            leg = root.add_child(f"leg{k}", kind, axis=generator.normal(size=3), position=place)
            leg.add_shape("sphere", (0.05,), mass=1.0, position=(0, 0, -0.3), material="rubber")
        part = world.add_articulated_system(root, position=(0, 0, 0.352))
        part.generalized_velocity = 0.2 * generator.normal(size=part.dof) - np.eye(part.dof)[2]
        found = tribo.linearize(world)
        if found.method == "exact":
            made = extrapolated(world)
            if made is not None:
                said.append(compare(found.central, *made))
    assert sum(share > 0.9 for share in said) >= 3
