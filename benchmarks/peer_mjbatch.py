"""Quadrupeds that walk by a policy, or twitch at random: tribo, mjbatch and mujoco.rollout in one process.

mjbatch pins a MuJoCo of its own (3.14), so it is no part of the extra "bench"; make an environment for it:

    python -m venv peer && peer/bin/pip install '.[jit,gym]' mjbatch
    peer/bin/python benchmarks/peer_mjbatch.py

All have the package's quadruped, PD drives (40 N m/rad, 1 N m s/rad), friction 0.8, 2 ms, ten
steps for each control. The loop is the same: read states, compute observations and policy (NumPy), write
targets, step; robots that fell are put back. MuJoCo has its default contacts, which give way, and no
collisions of the robot with itself; tribo has hard contacts, and those as well. "tribo within" has the policy
in the call (`Batch.set_policy`): what is seen, the network and the targets are compiled code.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from measure import Job, in_turns
from mujoco_robots import on_ground

import tribo
from tribo.gym.rotations import turned_back
from tribo.gym.tasks.quadruped import URDF, WALKER
from tribo.learn import Policy

ROOT = Path(__file__).parents[1]
POLICY = ROOT / "examples" / "quadruped_policy.npz"
SUBSTEPS, DT, KP, KD = 10, 0.002, 40.0, 1.0
START = WALKER.start()
START[2] += 0.02


class Tribo:
    """Worlds in tribo."""

    def __init__(self, worlds: int, threads: int) -> None:
        world = tribo.World(time_step=DT)
        world.add_ground(material="floor")
        world.set_material_pair("floor", "rubber", friction=0.8)
        dog = world.add_articulated_system(URDF, name="dog")
        dog.generalized_coordinate = dog.pd_target = START
        dog.set_pd_gains(KP, KD)
        self.batch = tribo.Batch(world, worlds, threads=threads)
        self.dog, self.start = self.batch["dog"], self.batch.pool([0])

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities, angular ones in axes of the trunk."""
        q, v = self.dog.generalized_coordinate, self.dog.generalized_velocity.copy()
        v[:, 3:6] = turned_back(q[:, 3:7], v[:, 3:6])
        return q, v

    def step(self, targets: np.ndarray) -> None:
        """Take a control."""
        self.dog.pd_target[:, 7:] = targets
        self.batch.step(SUBSTEPS)

    def put_back(self, rows: np.ndarray) -> None:
        """Put robots at the start."""
        self.batch.reset(self.start, rows)


class TriboWithin(Tribo):
    """The same; compiled code asks the policy, within `step`."""

    def __init__(self, worlds: int, threads: int) -> None:
        super().__init__(worlds, threads)
        network = Policy.load(POLICY).network()
        self.law = self.batch.set_policy(network, **WALKER.within_batch(), steps_per_action=SUBSTEPS)

    def begin(self, command: np.ndarray, phase: np.ndarray) -> None:
        """Put all robots at the start, and tell each what is wanted of it."""
        self.batch.reset(self.start)
        self.law.restart()
        self.law.command, self.law.phase = command, phase[:, None]
        self.starts = self.batch.pool()

    def step(self, targets: np.ndarray | None = None) -> None:
        """Take a control; the policy knows the targets."""
        self.batch.step(SUBSTEPS)

    def put_back(self, rows: np.ndarray) -> None:
        """Put robots at the start; what is wanted of them stays."""
        self.batch.reset(self.starts, rows, rows)


def mujoco_model() -> mujoco.MjModel:
    """Return the same robot on the same ground in MuJoCo, with position servos for drives."""
    text = URDF.read_text("utf-8").replace(" height=", " length=")  # of capsules
    model = on_ground(text, DT, 0.8, gains=(KP, KD))
    names = [model.actuator(k).name for k in range(model.nu)]
    expected = [f"{leg}_{part}" for leg in ("LF", "RF", "LH", "RH") for part in ("HAA", "HFE", "KFE")]
    assert names == expected, names
    return model


class Mjbatch:
    """Worlds in MuJoCo, by mjbatch."""

    def __init__(self, worlds: int, threads: int) -> None:
        import mjbatch

        self.batch = mjbatch.Batch(mujoco_model(), worlds, num_threads=threads)
        self.q, self.v = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.control, self.warm = self.batch.bind("ctrl"), self.batch.bind("qacc_warmstart")
        self.put_back(np.arange(worlds))

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities, angular ones in axes of the trunk, as MuJoCo has them."""
        return self.q, self.v

    def step(self, targets: np.ndarray) -> None:
        """Take a control."""
        self.control[:] = targets
        self.batch.step(nstep=SUBSTEPS)

    def put_back(self, rows: np.ndarray) -> None:
        """Put robots at the start."""
        self.q[rows], self.v[rows], self.warm[rows] = START, 0.0, 0.0


class MujocoRollout:
    """Worlds in MuJoCo, by `mujoco.rollout`: states go in and come out of each call."""

    def __init__(self, worlds: int, threads: int) -> None:
        from mujoco import rollout

        self.model = mujoco_model()
        self.pool = rollout.Rollout(nthread=threads)
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        nq, nv = self.model.nq, self.model.nv
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        assert size == 1 + nq + nv
        self.states = np.zeros((worlds, size))
        self.q, self.v = self.states[:, 1 : 1 + nq], self.states[:, 1 + nq :]
        self.warm = np.zeros((worlds, nv))
        self.made = np.zeros((worlds, SUBSTEPS, size))
        self.put_back(np.arange(worlds))

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities, angular ones in axes of the trunk, as MuJoCo has them."""
        return self.q, self.v

    def step(self, targets: np.ndarray) -> None:
        """Take a control."""
        held = np.repeat(targets[:, None], SUBSTEPS, axis=1)
        self.pool.rollout(
            self.model, self.data, self.states, held, initial_warmstart=self.warm,
            state=self.made, skip_checks=False,
        )  # fmt: skip
        self.states[:] = self.made[:, -1]

    def put_back(self, rows: np.ndarray) -> None:
        """Put robots at the start."""
        self.q[rows], self.v[rows], self.warm[rows] = START, 0.0, 0.0


Engine = Tribo | Mjbatch | MujocoRollout


class Loop:
    """Controls of all robots, by the policy or at random."""

    def __init__(self, engine: Engine, policy: Policy | None, worlds: int) -> None:
        self.engine, self.policy, self.worlds = engine, policy, worlds
        self.reset()

    def reset(self) -> None:
        """Begin: all robots at the start, the same random numbers."""
        self.rng = np.random.default_rng(1)
        self.action, self.count = np.zeros((self.worlds, 12)), 0
        self.phase = self.rng.uniform(0, 1, self.worlds)
        self.command = self.rng.uniform([-0.5, -0.3, -0.8], [1.0, 0.3, 0.8], (self.worlds, 3))
        self.fell = 0
        if isinstance(self.engine, TriboWithin):
            self.engine.begin(self.command, self.phase)
        else:
            self.engine.put_back(np.arange(self.worlds))

    def observe(self) -> np.ndarray:
        """Return what the task "Quadruped" observes."""
        q, v = self.engine.state()
        down = np.broadcast_to([0.0, 0.0, -1.0], (self.worlds, 3))
        angle = 2 * np.pi * ((WALKER.strides * SUBSTEPS * DT * self.count + self.phase) % 1.0)
        parts = (
            turned_back(q[:, 3:7], v[:, :3]), 0.25 * v[:, 3:6], turned_back(q[:, 3:7], down),
            self.command, np.stack([np.sin(angle), np.cos(angle)], axis=1), q[:, 7:] - WALKER.stance,
            0.05 * v[:, 6:], self.action,
        )  # fmt: skip
        return np.concatenate(parts, axis=1)

    def run(self, controls: int) -> None:
        """Take controls; put back what fell."""
        for _ in range(controls):
            if isinstance(self.engine, TriboWithin):
                pass  # it sees and acts within the call
            elif self.policy is None:
                self.action = self.rng.uniform(-0.7, 0.7, (self.worlds, 12))
            else:
                self.action = np.clip(self.policy(self.observe()), -1.0, 1.0)
            self.engine.step(WALKER.stance + WALKER.scale * self.action)
            self.count += 1
            q, _ = self.engine.state()
            fallen = (q[:, 2] < 0.2) | (2 * (q[:, 4] ** 2 + q[:, 5] ** 2) > 0.5)
            self.fell += int(fallen.sum())
            if fallen.any():
                self.engine.put_back(np.flatnonzero(fallen))


def main() -> None:
    """Print world-steps per second, by processor time and by the clock."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--controls", type=int, default=25, help="in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write all timings there")
    chosen = parser.parse_args()
    policy = Policy.load(POLICY)
    makers: dict[str, Callable[[int, int], Engine]] = {
        "tribo": Tribo, "tribo within": TriboWithin, "mjbatch": Mjbatch,
        "mujoco.rollout": MujocoRollout,
    }  # fmt: skip
    loops = {
        (engine, way, threads): Loop(make(chosen.worlds, threads), law, chosen.worlds)
        for way, law in (("policy", policy), ("random", None))
        for threads in (1, 2)
        for engine, make in makers.items()
        if law is not None or make is not TriboWithin
    }
    jobs = {" ".join(map(str, key)): Job(loop.reset, loop.run) for key, loop in loops.items()}
    timings = in_turns(jobs, chosen.controls, chosen.rounds)
    steps = chosen.worlds * SUBSTEPS
    print(f"MuJoCo {mujoco.__version__}, {platform.machine()}, {os.cpu_count()} processors")
    print(f"{chosen.worlds} robots, {chosen.controls} controls, {chosen.rounds} rounds in turns")
    print(f"{'':<26} {'steps/s/core':>14} {'best':>10} {'steps/s':>10} {'best':>10} {'falls':>7}")
    for name, loop in zip(timings, loops.values(), strict=True):
        timing = timings[name]
        median, best = timing.median, float(min(timing.cpu))
        wall, least = float(np.median(timing.wall)), float(min(timing.wall))
        core, most, clock, fastest = (steps * 1e6 / t for t in (median, best, wall, least))
        print(f"{name:<26} {core:>14.0f} {most:>10.0f} {clock:>10.0f} {fastest:>10.0f} {loop.fell:>7}")
    if chosen.json:
        chosen.json.write_text(json.dumps({n: {"cpu": t.cpu, "wall": t.wall} for n, t in timings.items()}))


if __name__ == "__main__":
    main()
