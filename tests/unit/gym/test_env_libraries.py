"""Environments for other libraries: the same numbers as `VectorEnv`, in their forms."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tribo.gym import VectorEnv, load


def series(worlds, steps, length):
    """Yield actions and what a `VectorEnv` makes of them, in worlds with short episodes."""
    envs = VectorEnv(load("CartPole"), worlds, threads=1, autoreset_mode="SameStep", max_episode_steps=length)
    rng = np.random.default_rng(0)
    yield None, envs.reset(seed=3)[0]
    for _ in range(steps):
        actions = rng.uniform(-1, 1, (worlds, 1))
        yield actions, envs.step(actions)


def test_stable_baselines_gets_the_same_numbers():
    """Observations, rewards and ends as float32; returns and last observations where episodes end."""
    pytest.importorskip("stable_baselines3")
    from tribo.gym.stable_baselines import StableBaselinesEnv

    envs = StableBaselinesEnv(load("CartPole"), 4, threads=1, max_episode_steps=20)
    assert envs.seed(3) == [3, 4, 5, 6]
    total, ends = np.zeros(4), 0
    for actions, expected in series(4, 70, 20):
        if actions is None:
            assert_array_equal(envs.reset(), expected.astype(np.float32))
            continue
        seen, rewards, over, infos = envs.step(actions)
        assert seen.dtype == rewards.dtype == np.float32
        assert_array_equal(seen, expected[0].astype(np.float32))
        assert_array_equal(rewards, expected[1].astype(np.float32))
        assert_array_equal(over, expected[2] | expected[3])
        total += expected[1]
        for row in range(4):
            assert bool(infos[row]) == over[row]
        for row in np.flatnonzero(over):
            last = expected[4]["final_obs"][row].astype(np.float32)
            assert_array_equal(infos[row]["terminal_observation"], last)
            assert infos[row]["TimeLimit.truncated"] == (expected[3][row] and not expected[2][row])
            assert infos[row]["episode"]["r"] == total[row] == infos[row]["episode"]["l"]
            total[row], ends = 0.0, ends + 1
    assert ends > 8
    with pytest.raises(AttributeError, match="share one VectorEnv"):
        envs.env_method("reset")


def test_rsl_rl_gets_the_same_numbers():
    """Observations in their group, time limits apart from falls."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("rsl_rl")
    from tribo.gym.rsl_rl import RslRlEnv

    envs = RslRlEnv(load("CartPole"), 4, seed=3, threads=1, max_episode_steps=20)
    assert (envs.num_actions, envs.max_episode_length) == (1, 20)
    cuts = 0
    for actions, expected in series(4, 70, 20):
        if actions is None:
            seen = envs.get_observations()["policy"].numpy()
            assert_array_equal(seen, expected.astype(np.float32))
            continue
        seen, rewards, over, extras = envs.step(torch.from_numpy(actions))
        assert_array_equal(seen["policy"].numpy(), expected[0].astype(np.float32))
        assert_array_equal(rewards.numpy(), expected[1].astype(np.float32))
        assert_array_equal(over.numpy(), expected[2] | expected[3])
        assert_array_equal(extras["time_outs"].numpy(), expected[3] & ~expected[2])
        assert extras["log"]["/reward/upright"] == pytest.approx(1.0)
        cuts += int(expected[3].sum())
    assert cuts > 0
    envs.episode_length_buf = torch.full((4,), 19)
    _, _, over, extras = envs.step(torch.zeros(4, 1))
    assert over.all()
    assert extras["time_outs"].any()
