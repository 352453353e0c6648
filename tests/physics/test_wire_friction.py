"""Friction of wires without mass over places on their way: T₂ ≤ T₁ e^{μβ}."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world

import tribo

MU, TOP = 0.3, 2.0
TURN = math.pi  # half round two places, a quarter turn each


def atwood(ratio, **options):
    """Hang 1 kg and `ratio` kg on a wire over two places."""
    world = empty_world(1e-3)
    light = world.add_sphere(0.05, 1.0, position=(-0.5, 0, 1), collision_mask=0)
    heavy = world.add_sphere(0.05, ratio, position=(0.5, 0, 1), collision_mask=0)
    over = [(-0.5, 0, TOP), (0.5, 0, TOP)]
    wire = world.add_wire(light, heavy, over=over, **{"friction": MU, **options})
    return world, light, heavy, wire


def test_it_holds_up_to_the_capstan_ratio():
    """e^{μβ} = 2.57: at 0.95 of it nothing moves, but for the first steps, in which the tension is new."""
    world, light, _, wire = atwood(0.95 * math.exp(MU * TURN))
    world.step(500)
    height = float(light.position[2])
    assert abs(light.linear_velocity[2]) < 1e-9
    world.step(1000)
    assert light.position[2] == pytest.approx(height, abs=1e-9)
    assert wire.tensions[0] == pytest.approx(GRAVITY, rel=1e-6)
    assert wire.tensions[2] == pytest.approx(0.95 * math.exp(MU * TURN) * GRAVITY, rel=1e-6)


@pytest.mark.parametrize("ratio", [3.0, 6.0])
def test_it_slips_with_the_capstan_ratio_of_tensions(ratio):
    """m₁ (g + a) e^{μβ} = m₂ (g − a), once the bounds, of the last step's tensions, have settled."""
    world, light, _, wire = atwood(ratio)
    world.step(50)
    before = float(light.linear_velocity[2])
    world.step(100)
    grip = math.exp(MU * TURN)
    expected = GRAVITY * (ratio - grip) / (ratio + grip)
    assert (light.linear_velocity[2] - before) / 0.1 == pytest.approx(expected, rel=1e-4)
    assert wire.tensions[2] / wire.tensions[0] == pytest.approx(grip, rel=1e-6)
    assert wire.tensions[1] / wire.tensions[0] == pytest.approx(math.sqrt(grip), rel=1e-6)
    assert wire.tension == wire.tensions[0]


def test_without_friction_it_is_a_pulley():
    world, light, _, wire = atwood(3.0, friction=0.0)
    world.step(100)
    assert light.linear_velocity[2] == pytest.approx(0.1 * GRAVITY / 2, rel=1e-6)
    assert wire.tensions == pytest.approx([1.5 * GRAVITY] * 3, rel=1e-6)


def test_a_spring_that_slips_is_stretched_by_its_mean_tension():
    """A compliant wire holds, too: T₀ and T₂ are the weights."""
    world, light, _, wire = atwood(2.0, stiffness=1e4, damping=200.0)
    world.step(2000)
    assert abs(light.linear_velocity[2]) < 1e-6
    assert wire.tensions[[0, 2]] == pytest.approx([GRAVITY, 2.0 * GRAVITY], rel=1e-4)


@pytest.mark.parametrize(("speed", "power"), [(0.2, 1.0), (-0.2, -1.0)])
def test_a_winch_hauls_against_friction_and_lets_out_with_it(speed, power):
    """Its drum pulls m g e^{±μβ}."""
    world = empty_world(1e-3)
    load = world.add_sphere(0.05, 2.0, position=(0.5, 0, 1), collision_mask=0)
    winch = world.add_winch(
        None, load, first_point=(-0.5, 0, 0), max_force=1e3, speed=speed, friction=MU,
        over=[(-0.5, 0, TOP), (0.5, 0, TOP)],
    )  # fmt: skip
    world.step(500)
    assert load.linear_velocity[2] == pytest.approx(speed, abs=1e-6)
    assert winch.tension == pytest.approx(2.0 * GRAVITY * math.exp(power * MU * TURN), rel=1e-4)


@pytest.mark.parametrize(("share", "rises"), [(0.99, False), (1.01, True)])
def test_the_force_of_a_winch_is_bounded_at_its_drum(share, rises):
    """It lifts if its motor has m g e^{μβ}."""
    world = empty_world(1e-3)
    load = world.add_sphere(0.05, 2.0, position=(0.5, 0, 1), collision_mask=0)
    force = share * 2.0 * GRAVITY * math.exp(MU * TURN)
    world.add_winch(
        None, load, first_point=(-0.5, 0, 0), max_force=force, speed=0.2, friction=MU,
        over=[(-0.5, 0, TOP), (0.5, 0, TOP)],
    )  # fmt: skip
    world.step(1500)
    before = float(load.position[2])
    world.step(200)
    assert (load.position[2] - before > 0.01) == rises


def test_a_friction_that_cannot_be_is_refused():
    world = empty_world(1e-3)
    ball = world.add_sphere(0.05, 1.0)
    with pytest.raises(ValueError, match=r"needs 1 to 5 places over which it runs \(over=\[…\]\), it has 0"):
        world.add_wire(None, ball, length=1.0, friction=0.1)
    with pytest.raises(ValueError, match="it has 6"):
        world.add_wire(None, ball, over=[(k, 0, 1) for k in range(6)], friction=0.1)
    with pytest.raises(ValueError, match="tension of a custom wire is given"):
        world.add_wire(None, ball, over=[(0, 0, 1)], tension=1.0, friction=0.1)
    with pytest.raises(ValueError, match="friction"):
        world.add_wire(None, ball, over=[(0, 0, 1)], friction=-0.1)
    assert not world.constraints
    wire = world.add_wire(None, ball, over=[(0, 0, 1)])
    wire.friction = 0.2
    assert wire.friction == 0.2


def test_file_snapshot_and_batch_hold_it(tmp_path):
    world, light, _, wire = atwood(3.0)
    world.save(tmp_path / "world.xml")
    saved = world.snapshot()
    world.step(100)
    there = light.position.copy()
    world.restore(saved)
    world.step(100)
    assert np.array_equal(light.position, there)
    other = tribo.World.load(tmp_path / "world.xml")
    other.step(100)
    assert np.array_equal(other.objects[0].position, there)
    world.restore(saved)
    batch = tribo.Batch(world, 2, threads=1)
    batch.constraint(wire.name).friction = [0.0, MU]
    batch.step(100)
    tension = batch.constraint(wire.name).tension
    world.step(100)
    assert batch.hash()[1] == world.hash()
    assert tension[1] == pytest.approx(wire.tension, rel=1e-15)  # added up in another order
    assert tension[0] == pytest.approx(1.5 * GRAVITY, rel=1e-6)
