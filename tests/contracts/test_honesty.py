"""The judge of `make honesty` finds what is planted, and nothing where the books are in order."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from honesty import books


@pytest.fixture
def world():
    """Two balls and a tied pair in flight."""
    made = tribo.World(time_step=0.001)
    balls = [made.add_sphere(0.1, 1.0, position=(k, 0, 3.0), name=f"ball{k}") for k in range(4)]
    for ball in balls:
        ball.angular_velocity = (1.0, 2.0, 0.5)
    made.add_weld(balls[2], balls[3])
    made.step(20)
    return made


def judged(world, change):
    before = books.page(world)
    world.step()
    change(world)
    return set(books.wrongs(world, before, books.page(world), before.kinetic, before.energy))


def velocity(world):
    world["ball0"].linear_velocity = world["ball0"].linear_velocity * 1.001


def turn(world):
    world["ball1"].angular_velocity = world["ball1"].angular_velocity * (1.0, -1.0, 1.0)


def apart(world):
    world["ball3"].position = np.add(world["ball3"].position, (2e-4, 0, 0))


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda _: None, set()), (velocity, {"energy", "momentum"}), (turn, {"spin"}),
        (apart, {"gap", "spin"}),
    ],
)  # fmt: skip
def test_books_find_what_is_planted(world, change, wrong):
    """Nothing else is found: the balls fly, of which each step is exact to rounding."""
    assert judged(world, change) == wrong


def test_sums_are_those_of_the_world():
    """The books add up what the user described; the engine's own sums say the same, to 1e-12."""
    world = tribo.World()
    world.add_sphere(0.1, 2.0, position=(1, 0, 1)).linear_velocity = (1, 2, 3)
    robot = world.add_articulated_system(
        Path(tribo.__file__).parent / "assets" / "quadruped.urdf", position=(0, 0, 2)
    )
    robot.generalized_velocity[:] = np.linspace(-1.0, 1.0, robot.dof)
    page = books.page(world)
    assert page.energy == pytest.approx(world.energy, rel=1e-12)
    total = sum(page.momentum.values())
    np.testing.assert_allclose(total, world.linear_momentum, rtol=1e-12)
    np.testing.assert_allclose(sum(page.spin.values()), world.angular_momentum, rtol=1e-11)
