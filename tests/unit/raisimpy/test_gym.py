"""raisimGymTorch's interface over a batch."""

import numpy as np
import pytest
from scenes import QUADRUPED

from tribo import raisimpy as raisim
from tribo.viewer import side_by_side

pytest.importorskip("yaml")
CFG = """
environment:
  num_envs: 3
  num_threads: 1
  simulation_dt: 0.0025
  control_dt: 0.01
  terminal_reward: -5.0
  reward:
    height: {coeff: 2.0}
    effort: {coeff: -0.5}
"""


class Balls(raisim.RaisimGymEnv):
    ob_dim, action_dim = 2, 1
    hard = 0

    def create_world(self):
        world = raisim.World()
        world.addSphere(0.1, 1.0).setName("ball")
        return world

    def reset(self, worlds):
        ball = self.batch["ball"]
        ball.generalized_coordinate[worlds, 2] = 1.0 + self.rng.uniform(0, 0.1, len(worlds))
        ball.generalized_velocity[worlds] = 0.0

    def act(self, action):
        self.effort = action[:, 0]
        self.batch["ball"].generalized_velocity[:, 2] += action[:, 0]

    def observe(self):
        ball = self.batch["ball"]
        return np.stack([ball.generalized_coordinate[:, 2], ball.generalized_velocity[:, 2]], axis=1)

    def rewards(self):
        return {"height": self.batch["ball"].generalized_coordinate[:, 2], "effort": self.effort}

    def is_terminal_state(self):
        return self.batch["ball"].generalized_coordinate[:, 2] < 0.5

    def curriculum_update(self):
        self.hard += 1


@pytest.fixture
def env():
    return raisim.RaisimGymVecEnv(Balls("", CFG), normalize_ob=False, seed=3)


def test_sizes_and_steps(env):
    assert (env.num_envs, env.num_obs, env.num_acts) == (3, 2, 1)
    before = env.observe()
    reward, done = env.step(np.full((3, 1), 0.5))
    assert reward.shape == done.shape == (3,)
    after = env.observe()
    assert after.dtype == np.float32
    # One control step is four steps of 2.5 ms: v = 0.5 − g · 0.01.
    assert after[:, 1] == pytest.approx(np.full(3, 0.5 - 9.81 * 0.01), rel=1e-5)
    assert (after[:, 0] > before[:, 0]).all()
    heights = env.wrapper.batch["ball"].generalized_coordinate[:, 2]
    assert reward == pytest.approx(2.0 * heights - 0.5 * 0.5, rel=1e-6)
    info = env.get_reward_info()
    assert info[0]["reward_sum"] == pytest.approx(info[0]["height"] + info[0]["effort"])
    with pytest.raises(ValueError, match=r"\(3, 1\)"):
        env.step(np.zeros(3))


def test_what_fails_begins_anew(env):
    env.wrapper.batch["ball"].generalized_coordinate[1, 2] = 0.2
    reward, done = env.step(np.zeros((3, 1)))
    assert done.tolist() == [False, True, False]
    assert reward[1] < -4.0
    assert env.observe()[1, 0] > 0.99


def test_the_seed_decides(env):
    other = raisim.RaisimGymVecEnv(Balls("", CFG), normalize_ob=False, seed=3)
    assert np.array_equal(env.observe(), other.observe())
    other.seed(4)
    other.reset()
    assert not np.array_equal(env.observe(), other.observe())


def test_scaling_is_learnt_kept_and_read(env, tmp_path):
    env.normalize_ob = True
    rng = np.random.default_rng(0)
    seen = rng.normal([1.0, -2.0], [0.5, 3.0], (40, 3, 2))
    for rows in seen:
        env.wrapper.observe = lambda rows=rows: rows
        scaled = env.observe()
    flat = seen.reshape(-1, 2)
    assert env.mean == pytest.approx(flat.mean(axis=0), abs=1e-5)
    assert env.var == pytest.approx(flat.var(axis=0), rel=1e-4)
    assert scaled == pytest.approx((rows - env.mean) / np.sqrt(env.var), rel=1e-4)
    env.save_scaling(str(tmp_path), "7")
    other = raisim.RaisimGymVecEnv(Balls("", CFG))
    other.load_scaling(str(tmp_path), "7")
    assert other.mean == pytest.approx(env.mean)
    assert other.count == 1e5
    np.savetxt(tmp_path / "mean8.csv", np.zeros(3))
    np.savetxt(tmp_path / "var8.csv", np.zeros(3))
    with pytest.raises(ValueError, match="2 entries"):
        other.load_scaling(str(tmp_path), "8")


def test_curriculum_and_configuration(env, tmp_path):
    env.curriculum_callback()
    assert env.wrapper.hard == 1
    path = tmp_path / "cfg.yaml"
    path.write_text(CFG)
    assert raisim.gym.configuration(str(path))["control_dt"] == 0.01
    assert raisim.gym.configuration({"num_envs": 2})["num_envs"] == 2
    with pytest.raises(ValueError, match="multiple"):
        Balls("", {"simulation_dt": 0.003, "control_dt": 0.01})
    with pytest.raises(TypeError, match="mapping"):
        raisim.gym.configuration("environment: 3")


def test_looking(env):
    pytest.importorskip("viser")
    env.turn_on_visualization(port=8473)
    try:
        env.step(np.zeros((3, 1)))
        assert env._view is not None
    finally:
        env.close()
    assert env._view is None


class Robots(Balls):
    """The package's quadruped, with a mesh that has a texture on its trunk."""

    def create_world(self):
        world = raisim.World()
        world.addGround()
        robot = world.addArticulatedSystem(self.resource_dir)
        robot.setName("ball")
        robot.setBasePos([0, 0, 0.6])
        return world


def test_32_worlds_of_robots_are_shown_and_filmed(tmp_path, monkeypatch):
    """However many worlds there are, a mesh is sent once, and once only it is said what there is to draw."""
    pytest.importorskip("viser")
    pytest.importorskip("imageio_ffmpeg")
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (64, 64), (200, 30, 30)).save(tmp_path / "paint.jpg")
    (tmp_path / "box.mtl").write_text("newmtl paint\nmap_Kd paint.jpg\n")
    (tmp_path / "box.obj").write_text(
        "mtllib box.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl paint\n"
        "f 1/1 2/2 3/3\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 1/1 3/2 4/3\n"
    )
    text = QUADRUPED.read_text("utf-8")
    mesh = '<visual><geometry><mesh filename="box.obj"/></geometry></visual>'
    text = text.replace('<link name="trunk">', f'<link name="trunk">{mesh}', 1)
    assert mesh in text
    (tmp_path / "robot.urdf").write_text(text)
    told = []
    describe = side_by_side.describe
    monkeypatch.setattr(side_by_side, "describe", lambda world: told.append(world) or describe(world))
    env = raisim.RaisimGymVecEnv(
        Robots(str(tmp_path / "robot.urdf"), CFG.replace("num_envs: 3", "num_envs: 32"))
    )
    env.turn_on_visualization(port=8475)
    try:
        assert len(env._view.shown.worlds) == 16
        meshes = [handle for handle in env._view._stage.visual.handles if "mesh" in handle.name]
        assert [len(handle.batched_positions) for handle in meshes] == [16]
        assert b"image/jpeg" in meshes[0].glb_data
        assert b"image/png" not in meshes[0].glb_data
        env.start_video_recording(str(tmp_path / "film.mp4"))
        for _ in range(2):
            env.step(np.zeros((32, 1)))
        assert len(told) == 2  # by the page and by the film
        env.stop_video_recording()
    finally:
        env.close()
    assert (tmp_path / "film.mp4").stat().st_size > 1000


SLIDER = """
environment:
  num_envs: 32
  num_threads: 1
  simulation_dt: 0.005
  control_dt: 0.02
  reward:
    far: {coeff: -1.0}
"""


class Slider(raisim.RaisimGymEnv):
    """A ball without weight is to be brought to x = 0 by pushes along x."""

    ob_dim, action_dim = 2, 1
    reach = 0.5

    def create_world(self):
        world = raisim.World()
        world.setGravity([0, 0, 0])
        world.addSphere(0.1, 1.0).setName("ball")
        return world

    def reset(self, worlds):
        ball = self.batch["ball"]
        ball.generalized_coordinate[worlds, 0] = self.rng.choice([-1, 1], len(worlds)) * self.reach
        ball.generalized_velocity[worlds] = 0.0

    def act(self, action):
        self.batch["ball"].generalized_velocity[:, 0] += 0.2 * np.clip(action[:, 0], -1.0, 1.0)

    def observe(self):
        ball = self.batch["ball"]
        return np.stack([ball.generalized_coordinate[:, 0], ball.generalized_velocity[:, 0]], axis=1)

    def rewards(self):
        return {"far": self.batch["ball"].generalized_coordinate[:, 0] ** 2}

    def curriculum_update(self):
        self.reach = min(1.0, self.reach + 0.1)


def rollout(env, policies, steps=60):
    """Return the sums of rewards, of one linear policy in each world, and where the balls are at last."""
    env.reset()
    total = np.zeros(env.num_envs)
    for _ in range(steps):
        reward, _ = env.step((env.observe() * policies).sum(axis=1, keepdims=True))
        total += reward
    return total, env.wrapper.batch["ball"].generalized_coordinate[:, 0]


def test_a_policy_is_trained(tmp_path):
    """Cross-entropy search over linear policies, as a script of raisimGymTorch would step its worlds."""
    path = tmp_path / "cfg.yaml"
    path.write_text(SLIDER)
    env = raisim.RaisimGymVecEnv(Slider("", str(path)), normalize_ob=False, seed=1)
    rng, mean, spread = np.random.default_rng(2), np.zeros(2), np.full(2, 3.0)
    before, x = rollout(env, np.zeros((32, 2)))
    assert np.abs(x) == pytest.approx(np.full(32, 0.5))  # nothing is pushed
    for _ in range(8):
        policies = rng.normal(mean, spread, (env.num_envs, 2))
        returns, _ = rollout(env, policies)
        best = policies[np.argsort(returns)[-8:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        env.curriculum_callback()
    assert env.wrapper.reach == 1.0
    after, x = rollout(env, np.tile(mean, (32, 1)))
    # Twice as far away at first as before the training, four times the cost if nothing had been learnt.
    assert after.mean() > before.mean()
    assert np.abs(x).max() < 0.1
