"""Tasks from Gymnasium's MJCF files next to Gymnasium's environments: the same observations and rewards."""

import gymnasium
import numpy as np
import pytest

from tribo.gym import Env, load
from tribo.gym.rotations import turned

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
pytest.importorskip("glfw", reason="the peer needs gymnasium[mujoco] in full")
TASKS = ("Ant", "HalfCheetah", "Hopper", "Walker2d", "Humanoid")


@pytest.fixture(params=TASKS)
def twins(request):
    """An environment of each, both in one state, off the ground and moving."""
    env, peer = Env(load(request.param)), gymnasium.make(f"{request.param}-v5").unwrapped
    env.reset(seed=0)
    peer.reset(seed=0)
    q, v = rng_state(peer)
    peer.set_state(q, v)
    place(env, q, v)
    return env, peer


def rng_state(peer):
    rng = np.random.default_rng(3)
    q = peer.init_qpos + rng.uniform(-0.1, 0.1, peer.model.nq)
    v = rng.uniform(-1.0, 1.0, peer.model.nv)
    if peer.model.nq > peer.model.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    q[2 if peer.model.nq > peer.model.nv else 1] += 0.05
    return q, v


def place(env, q, v):
    robot = env.vector.simulation.object("torso")
    v = v.copy()
    if robot.is_floating:
        v[3:6] = turned(q[None, 3:7], v[None, 3:6])[0]
    robot.set_state(q, v)
    env.vector.simulation.changed()


def test_spaces_and_control_steps_are_the_same(twins):
    env, peer = twins
    assert env.observation_space.shape == peer.observation_space.shape
    assert np.array_equal(env.action_space.low, peer.action_space.low)
    assert np.array_equal(env.action_space.high, peer.action_space.high)
    assert env.vector.simulation.control_step == pytest.approx(peer.dt, rel=1e-12)
    assert env.task.episode_steps == gymnasium.spec(f"{env.task.name}-v5").max_episode_steps


def test_observations_of_a_state_are_the_same(twins):
    env, peer = twins
    seen = env.vector.simulation.observe(np.arange(1))[0]
    expected = peer._get_obs()
    assert np.abs(seen - expected).max() < 1e-9 * np.abs(expected).max()


def test_rewards_are_made_of_the_same_terms(twins):
    """What does not depend on the physics is equal; the forward speed follows from the positions."""
    env, peer = twins
    action = np.random.default_rng(1).uniform(env.action_space.low, env.action_space.high)
    before = env.vector.simulation.observe(np.arange(1))
    assert before.shape[0] == 1
    _, reward, ended, _, infos = env.step(action)
    _, _, peer_ended, _, peer_infos = peer.step(action)
    names = {name for name in peer_infos if name.startswith("reward_")}
    assert names == {name for name in infos if name.startswith("reward_")}
    for name in names - {"reward_forward", "reward_contact"}:
        assert infos[name] == pytest.approx(peer_infos[name], rel=1e-6)
    assert reward == pytest.approx(sum(infos[name] for name in names), abs=1e-12)
    assert infos["reward_forward"] == pytest.approx(peer_infos["reward_forward"], abs=0.25)
    assert ended == peer_ended
