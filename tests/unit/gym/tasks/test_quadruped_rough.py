"""Rough ground: tiles, the height scan, and the curriculum that moves worlds between levels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tribo.gym import VectorEnv
from tribo.gym.simulation import Simulation
from tribo.gym.tasks import quadruped, quadruped_rough
from tribo.gym.tasks.quadruped_rough import DOG, HEIGHT, KINDS, LEVELS, RISE, SLOPE, TILE


def played(worlds=6, **options):
    """Return a simulation in which episodes have begun."""
    sim = Simulation(quadruped_rough.task(), worlds, threads=1, **options)
    sim.draws.seed(np.arange(worlds), list(range(worlds)))
    sim.begin(np.arange(worlds))
    return sim


def test_tiles_are_harder_from_level_to_level():
    """Bumps, slopes and stairs grow with the level, in proportion; the middles are flat."""
    for kind, name in enumerate(KINDS):
        spans = []
        for level in range(LEVELS):
            tile = heights_of(level, kind)
            spans.append(np.ptp(tile))
            n = tile.shape[0] // 2
            assert np.ptp(tile[n - 6 : n + 7, n - 6 : n + 7]) == 0.0, (name, level)
        assert_allclose(spans, spans[-1] * np.arange(1, LEVELS + 1) / LEVELS, rtol=0.1)
    rise = SLOPE * (0.5 * TILE - 0.1 - 0.7)  # from 0.1 m inside of the border to the flat middle
    assert np.ptp(heights_of(LEVELS - 1, 1)) == pytest.approx(rise, rel=1e-9)
    risers = np.diff(heights_of(2, 2)[:, 29])
    assert set(np.abs(risers).round(9)) <= {0.0, round(0.5 * RISE, 9)}


def heights_of(level, kind):
    """Return the heights of a tile without its border, (59, 59) [m]."""
    x, y = quadruped_rough.middle(np.array(level), np.array(kind))
    i, j = (round((p + 0.5 * s) / 0.1) for p, s in zip((x, y), quadruped_rough.SIZE, strict=True))
    return quadruped_rough.heights()[j - 29 : j + 30, i - 29 : i + 30]


def test_episodes_begin_on_the_middle_of_a_tile():
    """The trunk is as high over the ground as in the stance, and the scan says that it is flat there."""
    sim = played()
    where = quadruped_rough.level(sim)
    assert (where[:, 0] == 0).all()
    assert len(set(where[:, 1])) > 1
    place = sim.object(DOG).generalized_coordinate[:, :2]
    assert_allclose(place, quadruped_rough.middle(where[:, 0], where[:, 1]), atol=1e-12)
    assert_allclose(quadruped_rough.ground(sim), HEIGHT + 0.02, atol=1e-9)
    inner = np.abs(quadruped_rough.SCAN).max(axis=1) < 0.45  # 0.7 m of flat ground in any direction
    assert_allclose(quadruped_rough.scan(sim)[:, inner], 0.02, atol=1e-9)


def test_the_scan_is_the_map():
    """Each number is the height of the map at its point, which the map's object gives as well."""
    sim = played(4)
    rng = np.random.default_rng(2)
    dog = sim.object(DOG)
    q = dog.generalized_coordinate.copy()
    q[:, :2] += rng.uniform(-2.0, 2.0, (4, 2))
    dog.set_state(q, np.zeros(18))
    sim.changed()
    yaw = 2.0 * np.arctan2(q[:, 6], q[:, 3])
    terrain = sim.world["terrain"]
    for k in range(4):
        c, s = np.cos(yaw[k]), np.sin(yaw[k])
        points = q[k, :2] + quadruped_rough.SCAN @ np.array([[c, s], [-s, c]])
        heights = np.array([terrain.height(*point) for point in points])
        expected = np.clip(q[k, 2] - heights - HEIGHT, -1.0, 1.0)
        assert_allclose(quadruped_rough.scan(sim)[k], expected, atol=1e-9)


def test_worlds_move_between_levels():
    """Who walked far goes up, who hardly moved down, who passed the last level anywhere; others stay."""
    sim = played(6)
    level, told = quadruped_rough.level(sim), sim.remember("told", 1)
    level[:, 0] = 2, 2, 2, 0, LEVELS - 1, 3
    far = np.array([0.55, 0.1, 0.3, 0.0, 0.55, 0.55]) * TILE
    told[:, 0] = TILE * np.array([0.6, 0.6, 0.5, 0.6, 0.6, 0.6])
    sim.object(DOG).generalized_coordinate[:, 0] = sim.remember("begin", 2)[:, 0] + far
    sim.steps[:] = 1, 1, 1, 1, 1, 0  # the last one has not begun: there is nothing to judge
    sim.begin(np.arange(6))
    assert level[[0, 1, 2, 3, 5], 0].tolist() == [3.0, 1.0, 2.0, 0.0, 3.0]
    assert 0 <= level[4, 0] < LEVELS
    assert (told == 0.0).all()
    at = quadruped_rough.middle(level[:, 0], level[:, 1])
    assert_allclose(sim.object(DOG).generalized_coordinate[:, :2], at, atol=1e-12)


def test_levels_last_beyond_a_checkpoint():
    """A simulation that goes back to a state knows the levels of then."""
    sim = played(3)
    quadruped_rough.level(sim)[:, 0] = 1, 2, 3
    saved = sim.state()
    other = Simulation(quadruped_rough.task(), 3, threads=1)
    other.set_state(saved)
    assert_array_equal(quadruped_rough.level(other), quadruped_rough.level(sim))


def test_leaving_the_map_ends_the_episode():
    """The scan has numbers there all the same."""
    sim = played(2)
    sim.object(DOG).generalized_coordinate[1, 0] = 0.5 * quadruped_rough.SIZE[0] + 1.0
    sim.changed()
    assert quadruped_rough.is_away(sim).tolist() == [False, True]
    assert np.isfinite(quadruped_rough.scan(sim)).all()


def test_random_motors_are_state_of_an_environment():
    """Motors drawn at each reset: a run that is kept and one that is taken up go on with equal bits."""
    from tribo.gym import randomisation

    def env():
        task = quadruped.task()
        task.randomisations["motors"] = randomisation.motors(
            DOG, delay=(0.0, 0.02), time_constant=(0.002, 0.01), stall_torque=(30.0, 40.0),
            no_load_speed=(20.0, 30.0),
        )  # fmt: skip
        return VectorEnv(task, 3, threads=1, max_episode_steps=6, autoreset_mode="SameStep")

    first, second = env(), env()
    first.reset(seed=4)
    actions = np.random.default_rng(0).uniform(-1, 1, (16, 3, 12))
    for k in range(8):
        first.step(actions[k])
    delays = first.simulation.object(DOG).motors["delay"][:, 6]
    assert len(set(delays)) > 1
    second.set_state(first.state())
    for k in range(8, 16):
        for a, b in zip(first.step(actions[k])[:4], second.step(actions[k])[:4], strict=True):
            assert_array_equal(a, b)
    assert first.simulation.batch.hash() == second.simulation.batch.hash()
