"""When an island counts as moving, and what the guard says of a rebound that it cannot mend."""

from types import SimpleNamespace

import numpy as np
import pytest

import tribo
from tribo.contact.impact import rebound_energy
from tribo.contact.problem import island_sums
from tribo.contact.solver import block_matrix, method_choice
from tribo.model import Status


def pressed(weight, speed=0.0, spacing=0.3):
    """Return a world with a wall of twelve boxes, pressed down by weight or by as large forces."""
    gravity = (0, 0, -9.81) if weight else (0, 0, 0)
    world = tribo.World(time_step=1e-3, gravity=gravity)
    world.add_ground()
    for k in range(12):
        box = world.add_box((0.2, 0.2, 0.1), 1.0, position=(spacing * (k % 3), 0, 0.05 + 0.1 * (k // 3)))
        box.linear_velocity = speed, 0.0, 0.0
    for _ in range(20):
        if not weight:
            for box in world.objects[1:]:
                box.apply_force((0, 0, -9.81))
        world.step()
    return world


def is_moving(world):
    """Return whether the island of the first box moves, by the step that was made last."""
    engine = world.engine
    return method_choice.is_moving(
        engine.model, engine.settings, engine.work, int(engine.work.tree_island[1])
    )


@pytest.mark.parametrize("weight", [True, False])
def test_what_moves(weight):
    """Boxes at rest do not move, whether weight presses them or another force; boxes that slide do."""
    assert not is_moving(pressed(weight))
    assert is_moving(pressed(weight, speed=2.0))


def test_a_gap_is_no_motion():
    """Boxes 0.018 mm apart rest: their contacts may close at 0.018 m/s, twice what a step's fall gives.

    (What they may do was taken for what they do: a wall with such gaps never rested.)
    """
    world = pressed(True, spacing=0.200018)
    work = world.engine.work
    assert (work.contact_gap[: work.contact_count[0]] > 1.5e-5).sum() > 3
    assert not is_moving(world)


@pytest.mark.parametrize(("added", "says"), [(0.0, 0), (1.0, Status.NOT_CONVERGED)])
def test_guard_says_what_even_a_plastic_blow_adds(monkeypatch, added, says):
    """Every part of the restitution is too much, and the plastic blow in the end adds `added` J."""
    parts = []
    monkeypatch.setattr(rebound_energy, "scale_rebounds", lambda settings, work, t, part: parts.append(part))
    monkeypatch.setattr(rebound_energy, "island_rows", lambda work, t: 3)
    monkeypatch.setattr(rebound_energy, "solve_by_settings", lambda *arguments: True)
    monkeypatch.setattr(
        rebound_energy, "energy_gained", lambda *arguments: (1.0 if parts[-1] > 0.0 else added, 1.0)
    )
    work = SimpleNamespace(status=[0])
    settings = SimpleNamespace(tolerance=1e-10)
    getattr(rebound_energy.limit_restitution, "py_func", rebound_energy.limit_restitution)(
        None, settings, work, 0
    )
    assert parts[-1] == 0.0
    assert work.status[0] == says


def test_sweeps_are_no_more_than_allowed():
    """`max_sweeps` is the price of a step, also where a heap of balls falls over unsolved. (Before,
    24 sweeps more, from zero, in each such step: what an impact costs was taken for energy that it adds.)"""
    rng = np.random.default_rng(1)
    world = tribo.World()
    world.contact_solver = "sweeps"
    world.max_sweeps = 5
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground()
    for k in range(40):
        x, y = rng.uniform(-1e-2, 1e-2, 2)
        world.add_sphere(
            0.1, 1.0, position=(0.2 * (k % 2) + x, 0.2 * (k // 2 % 2) + y, 0.1 + 0.2005 * (k // 4))
        )
    unsolved = 0
    for _ in range(400):
        world.step()
        unsolved += bool(world.status & Status.NOT_CONVERGED)
        assert world.sweeps <= 5
    assert unsolved > 100


@pytest.mark.parametrize(
    ("sweeps", "missed", "is_said"), [(100, 1e-2, True), (300, 2e-3, True), (700, 1e-4, False)]
)
def test_a_law_that_is_missed_is_said_from_a_thousandth_on(sweeps, missed, is_said, caplog):
    """Five boxes in one step from no impulse: the more sweeps, the nearer."""
    world = tribo.World()
    world.contact_solver, world.max_sweeps = "sweeps", sweeps
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground()
    for k in range(5):
        world.add_box((0.2, 0.2, 0.1), 1.0, position=(0.02 * k, 0, 0.05 + 0.1 * k))
    world.step()
    assert world.sweeps == sweeps
    assert 0.5 * missed < world.engine.work.island_miss.max() < 2.0 * missed
    assert bool(world.status & Status.NOT_CONVERGED) == is_said
    assert ("raise world.max_sweeps" in caplog.text) == is_said


def test_a_crowd_gains_no_energy_and_keeps_its_momentum():
    """361 balls of 0.01 and 100 kg that fly at one another, one island of more than 300.

    Far sweeps are no way downhill: impulses that bring energy are left. Momentum is that of pairs of forces,
    to rounding, whatever is missed.
    """
    world = tribo.World(2e-3, gravity=(0, 0, 0))
    world.default_pair = tribo.PairProperties(friction=1.5)
    rng = np.random.default_rng(1)
    mass = np.where(np.arange(361) % 2 == 0, 0.01, 100.0)
    for k in range(361):
        place = np.array((0.1 * (k % 19), 0.1 * (k // 19), 0.0))
        ball = world.add_sphere(0.05, mass[k], position=place)
        ball.linear_velocity = rng.normal(size=3) - 3.0 * (place - (0.9, 0.9, 0.0))
    before = mass @ [ball.linear_velocity for ball in world.objects]
    large = 0
    for _ in range(25):
        world.step()
        model, work = world.engine.model, world.engine.work
        sizes = np.bincount(work.tree_island)
        t = int(sizes.argmax())
        if sizes[t] <= 300:
            continue
        large += 1
        count = block_matrix.find_nodes(model, work, t)
        assert not island_sums.adds_energy(model, work, t, count)
        contacts = int(work.contact_count[0])
        impulse, mu = work.contact_impulse[:contacts], work.contact_friction[:contacts]
        friction = np.hypot(impulse[:, 0], impulse[:, 1])
        assert (friction <= mu * impulse[:, 2] * (1.0 + 1e-12)).all()
    assert large > 3
    after = mass @ [ball.linear_velocity for ball in world.objects]
    np.testing.assert_allclose(after, before, atol=1e-11 * mass.sum())
