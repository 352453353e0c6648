"""Many worlds at once: 64 standing quadrupeds, each with its own noise, on one and on two threads."""

from __future__ import annotations

import numpy as np
from measure import Job, Timing, in_turns
from scenes import STAND_HEIGHT, Scene, digest, scenes, tribo_world

import tribo

WORLDS = 64
THREADS = (1, 2)
ROWS = 100  # of noise, used again and again


def noise(scene: Scene) -> np.ndarray:
    """Return joint targets (rows, worlds, joints) [rad]."""
    shape = (ROWS, WORLDS, len(scene.joints))
    shift = np.random.default_rng(11).normal(0.0, scene.target_noise, shape)
    return np.array(list(scene.joints.values())) + shift


class TriboBatch:
    """Worlds in tribo."""

    def __init__(self, scene: Scene, threads: int) -> None:
        """Copy a settled world."""
        world, robot = tribo_world(scene)
        world.step(scene.settle)
        self.batch = tribo.Batch(world, WORLDS, threads=threads)
        self.q = self.batch[robot.name].generalized_coordinate
        columns = [robot.coordinate_slice(name).start for name in scene.joints]
        order = np.argsort(columns)
        self.target = self.batch[robot.name].pd_target[:, min(columns) : max(columns) + 1]
        self.rows = np.ascontiguousarray(noise(scene)[:, :, order])
        self.start = self.batch.snapshot()

    def reset(self) -> None:
        """Go back to the start."""
        self.batch.restore(self.start)

    def run(self, steps: int) -> None:
        """Step all worlds, new targets before each step."""
        for k in range(steps):
            self.target[...] = self.rows[k % ROWS]
            self.batch.step()


class MujocoBatch:
    """Worlds in MuJoCo."""

    def __init__(self, scene: Scene, threads: int, stiff: bool) -> None:
        """Copy a settled simulation."""
        from mujoco.batch import Batch
        from peers_mujoco import MujocoSimulation

        single = MujocoSimulation(scene, stiff)
        self.batch = Batch(single.model, WORLDS, threads)
        self.start = {name: getattr(single.data, name).copy() for name in ("qpos", "qvel", "qacc_warmstart")}
        self.state = {name: self.batch.bind(name) for name in self.start}
        self.q, self.control = self.state["qpos"], self.batch.bind("ctrl")
        self.rows = noise(scene)

    def reset(self) -> None:
        """Go back to the start."""
        for name, value in self.start.items():
            self.state[name][...] = value

    def run(self, steps: int) -> None:
        """Step all worlds, new targets before each step."""
        for k in range(steps):
            self.control[...] = self.rows[k % ROWS]
            self.batch.step()


def alone(scene: Scene, number: int, steps: int) -> np.ndarray:
    """Return the final coordinates of one of the worlds, stepped by itself."""
    world, robot = tribo_world(scene)
    world.step(scene.settle)
    target = robot.pd_target
    columns = np.concatenate([np.r_[robot.coordinate_slice(name)] for name in scene.joints])
    rows = noise(scene)[:, number]
    for k in range(steps):
        target[columns] = rows[k % ROWS]
        robot.pd_target = target
        world.step()
    return np.asarray(robot.generalized_coordinate)


def measure(rounds: int, steps: int, with_peers: bool) -> dict[str, object]:
    """Return timings per engine and thread count, and whether the results are bitwise equal."""
    scene = scenes()["anymal_stand"]
    made: dict[str, TriboBatch | MujocoBatch] = {}
    for n in THREADS:
        made[f"tribo, {n}"] = TriboBatch(scene, n)
        if with_peers:
            made[f"mujoco default, {n}"] = MujocoBatch(scene, n, stiff=False)
            made[f"mujoco stiff, {n}"] = MujocoBatch(scene, n, stiff=True)
    hashes, problems = {}, []
    for name, batch in made.items():
        batch.reset()
        batch.run(300)
        hashes[name] = digest(batch.q)
        if (np.abs(batch.q[:, 2] / STAND_HEIGHT - 1) > 0.1).any():
            problems.append(f"{name}: a robot fell")
    made["tribo, 1"].reset()
    made["tribo, 1"].run(300)
    if digest(made["tribo, 1"].q[5]) != digest(alone(scene, 5, 300)):
        problems.append("tribo: world 5 differs from the same world stepped alone")
    if len({h for name, h in hashes.items() if name.startswith("tribo")}) != 1:
        problems.append("tribo: the result depends on the number of threads")
    jobs = {name: Job(batch.reset, batch.run) for name, batch in made.items()}
    timings = {} if problems else in_turns(jobs, steps, rounds)
    return {"worlds": WORLDS, "hashes": hashes, "problems": problems,
            "timings": {name: _per_world(t) for name, t in timings.items()}}  # fmt: skip


def _per_world(timing: Timing) -> dict[str, list[float]]:
    return {"cpu": [t / WORLDS for t in timing.cpu], "wall": [t / WORLDS for t in timing.wall]}
