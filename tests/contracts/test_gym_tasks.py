"""What every task of tribo.gym keeps: Gymnasium's form, and the same bits for the same seed."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tribo.gym
from tribo.gym import VectorEnv, load, names
from tribo.gym.rendering import Window
from tribo.gym.tasks import anymal

STEPS, WORLDS = 12, 3
INFINITE = "ignore:.*A Box observation space (min|max)imum value is:UserWarning"


def playable(task):
    """Return the name of a task, marked to be skipped where the files of its robot are not installed."""
    try:
        load(task)
        if task == "Anymal":
            anymal.urdf()
    except ImportError as error:
        return pytest.param(task, marks=pytest.mark.skip(reason=str(error)))
    return task


TASKS = [playable(task) for task in names()]


def play(task, worlds, *, seed=5, threads=1, mode="SameStep", first=0, steps=STEPS, length=7):
    """Return all that some worlds give for fixed actions; short episodes, so that new ones begin."""
    envs = VectorEnv(load(task), worlds, threads=threads, autoreset_mode=mode, max_episode_steps=length)
    space = envs.single_action_space
    given = np.random.default_rng(0).uniform(space.low, space.high, (steps, WORLDS, *space.shape))
    series = [envs.reset(seed=seed + first)[0]]
    for actions in given[:, first : first + worlds]:
        seen, rewards, ended, cut, _ = envs.step(actions)
        series.append(np.concatenate([seen, rewards[:, None], ended[:, None], cut[:, None]], axis=1))
    return series


@pytest.fixture(scope="module")
def played():
    """Series of all worlds on one thread, by task, each computed once."""
    kept = {}

    def of(task):
        if task not in kept:
            kept[task] = play(task, WORLDS)
        return kept[task]

    return of


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.filterwarnings(INFINITE)
def test_gymnasium_accepts_it(task, monkeypatch):
    """In all render modes; the page in the browser is tested once, in test_gym."""
    monkeypatch.setattr(Window, "show", lambda self: None)
    check_env(gymnasium.make(f"tribo/{task}-v0").unwrapped)


@pytest.mark.parametrize("task", TASKS)
def test_same_seed_same_bits_on_any_number_of_threads(task, played):
    assert all(map(np.array_equal, play(task, WORLDS, threads=2), played(task)))


@pytest.mark.parametrize("task", TASKS)
def test_a_world_of_a_batch_is_the_world_alone(task, played):
    """Episodes end and begin in between, so resets and randomisations of others must not be felt."""
    for first in range(WORLDS):
        alone = play(task, 1, first=first)
        assert all(np.array_equal(one[0], many[first]) for one, many in zip(alone, played(task), strict=True))


@pytest.mark.parametrize("task", TASKS)
def test_another_seed_is_another_start(task, played):
    start = tribo.gym.VectorEnv(load(task), 1, threads=1).reset(seed=99)[0]
    assert not np.array_equal(start, played(task)[0][:1])


@pytest.mark.parametrize("task", TASKS)
def test_numbers_are_finite_and_episodes_are_cut(task, played):
    series = played(task)
    assert all(np.isfinite(part).all() for part in series)
    assert any((part[:, -2:] > 0).any() for part in series[1:])


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_is_kept_goes_on_bit_for_bit(task):
    envs = VectorEnv(load(task), 2, threads=1, max_episode_steps=7)
    space = envs.action_space
    actions = np.random.default_rng(1).uniform(space.low, space.high, (12, *space.shape))
    envs.reset(seed=0)
    for k in range(5):
        envs.step(actions[k])
    saved = envs.state()
    first = [envs.step(actions[k])[0] for k in range(5, 12)]
    other = VectorEnv(load(task), 2, threads=1, max_episode_steps=7)
    other.set_state(saved)
    assert all(np.array_equal(a, other.step(actions[k])[0]) for a, k in zip(first, range(5, 12), strict=True))
