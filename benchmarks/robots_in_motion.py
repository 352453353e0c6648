"""Robots that land, twitch, grip and lie limp, next to MuJoCo: what a step costs and how often it is flagged.

* `lands`: the package's quadruped falls on its feet under PD drives, tilted; 400 steps of 2 ms, then anew.
* `twitches`: 64 of them on one thread, each joint with a new target within ± 0.3 rad every ten steps.
* `grips`: two fingers on an arm that turns at 0.5 rad/s carry a box; one is held by a spring, one pushes.
* `limp`: ANYmal B with all its shapes and no drives falls and lies there; 500 steps of 1 ms, then anew.

Engines take turns; median and 99th percentile of the processor time of a step [µs], of a world's step in
`twitches`. `mujoco` is as MuJoCo has it by default; `stiff`: contacts with a time constant of two steps,
elliptic cones, `impratio` 100.

    python benchmarks/robots_in_motion.py [lands twitches grips limp] [--steps 4000]
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from measure import percentiles
from mujoco.batch import Batch as MujocoBatch
from mujoco_robots import on_ground
from scenes import robot_path

import tribo
from tribo.gym.tasks.quadruped import URDF, WALKER

KINDS = ("mujoco", "stiff")
KP, KD, FRICTION = 40.0, 1.0, 0.8
WORLDS, HOLD = 64, 10
FLAG = int(tribo.Status.NOT_CONVERGED)
GRIPPER = """<mujoco><option timestep="0.001"/><default><geom friction="0.9"/></default><worldbody>
<body name="arm"><joint name="swing" axis="0 0 1"/>
<inertial mass="2" pos="0.4 0 0" diaginertia="0.1 0.1 0.1"/>
<body name="left" pos="0.8 -0.04 0">
<joint name="left" type="slide" axis="0 1 0" stiffness="20000" damping="200"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body>
<body name="right" pos="0.8 0.04 0"><joint name="right" type="slide" axis="0 1 0"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body></body>
<body name="box" pos="0.8 0 0"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.3"/></body>
</worldbody></mujoco>"""


def make_stiff(model: mujoco.MjModel, kind: str) -> None:
    """If the kind is "stiff": contacts with a time constant of two steps, elliptic cones, `impratio` 100."""
    if kind == "stiff":
        model.geom_solref[:] = (2.0 * model.opt.timestep, 1.0)
        model.opt.cone, model.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100.0


def head() -> list[str]:
    """Return the head of the table."""
    return ["scene", "tribo median µs", "99 %", "flagged", *(c for k in KINDS for c in (k, "×"))]


def cells(name: str, found: dict[str, float]) -> list[str]:
    """Return the row of one scene."""
    row = [name, f"{found['tribo']:.1f}", f"{found['tribo, 99 %']:.0f}", f"{found['flagged']:.2%}"]
    for kind in KINDS:
        row.append(f"{found[kind]:.1f}, {found[f'{kind}, 99 %']:.0f}")
        row.append(f"{found[kind] / found['tribo']:.2f}")
    return row


@dataclass
class Racer:
    """One engine in one scene: `begin` with random numbers, then `step` as often as a block has steps."""

    begin: Callable[[np.random.Generator], None]
    step: Callable[[np.random.Generator], None]
    flagged: Callable[[], float] = float  # share of the worlds whose last step was


@dataclass
class Scene:
    """Engines by name, how many steps a block has, and how many world-steps one call makes."""

    racers: dict[str, Racer]
    block: int
    per_call: int = 1


def quadruped(dt: float) -> mujoco.MjModel:
    """Return the package's quadruped on the ground in MuJoCo, with position servos."""
    text = URDF.read_text("utf-8").replace(" height=", " length=")  # of capsules
    return on_ground(text, dt, FRICTION, gains=(KP, KD), meets_itself=True)


def _start(rng: np.random.Generator, height: float, pose: np.ndarray) -> tuple[Any, Any]:
    """Return coordinates and velocities of a robot that falls, tilted."""
    q = np.array(pose)
    turn = rng.uniform(-0.3, 0.3, 3)
    angle = np.linalg.norm(turn)
    q[2], q[3:7] = height, np.r_[np.cos(angle / 2), np.sin(angle / 2) * turn / angle]
    v = np.zeros(len(q) - 1)
    v[:3] = rng.uniform(-0.5, 0.5, 3)
    return q, v


def _falling(robot: Any, world: tribo.World, make: Callable[[], mujoco.MjModel], height: float,
             pose: np.ndarray, block: int) -> Scene:  # fmt: skip
    """Return a scene of a robot that falls, again and again."""

    def begin(rng: np.random.Generator) -> None:
        robot.set_state(*_start(rng, height, pose))

    def step(_rng: np.random.Generator) -> None:
        world.step()

    racers = {"tribo": Racer(begin, step, lambda: _flagged(world.status))}
    for kind in KINDS:
        model = make()
        make_stiff(model, kind)
        data = mujoco.MjData(model)
        if model.nu:
            data.ctrl[:] = pose[7:]

        def begin_it(rng: np.random.Generator, data: Any = data) -> None:
            data.qpos[:], data.qvel[:] = _start(rng, height, pose)
            data.qacc_warmstart[:] = 0.0

        def step_it(_rng: np.random.Generator, model: Any = model, data: Any = data) -> None:
            mujoco.mj_step(model, data)

        racers[kind] = Racer(begin_it, step_it)
    return Scene(racers, block)


def _flagged(status: Any) -> float:
    if isinstance(status, int):  # of one world: not by NumPy, which would cool what the next step needs
        return float(status & FLAG != 0)
    return float(np.mean((np.asarray(status) & FLAG) != 0))


def _dog(dt: float) -> tuple[tribo.World, Any]:
    world = tribo.World(time_step=dt)
    world.add_ground(material="floor")
    world.set_material_pair("floor", "rubber", friction=FRICTION)
    dog = world.add_articulated_system(URDF, name="dog")
    dog.generalized_coordinate = dog.pd_target = WALKER.start()
    dog.set_pd_gains(KP, KD)
    return world, dog


def lands() -> Scene:
    """Let a quadruped fall on its feet."""
    world, dog = _dog(0.002)
    return _falling(dog, world, lambda: quadruped(0.002), 0.95, WALKER.start(), 400)


def limp() -> Scene:
    """Let ANYmal fall without drives."""
    path = robot_path("anymal_b_simple_description/robots/anymal.urdf")
    world = tribo.World(time_step=0.001)
    world.set_material_pair("default", "default", friction=FRICTION)
    world.add_ground()
    robot = world.add_articulated_system(path)
    robot.ignore_overlaps()
    pose = np.array(robot.generalized_coordinate)
    return _falling(
        robot,
        world,
        lambda: on_ground(path.read_text("utf-8"), 0.001, FRICTION, meets_itself=True),
        0.8,
        pose,
        500,
    )


def twitches() -> Scene:
    """Let 64 quadrupeds follow random targets."""
    dt = 0.002
    world, _ = _dog(dt)
    batch = tribo.Batch(world, WORLDS, threads=1)
    dogs, start = batch["dog"], batch.snapshot()
    stance = WALKER.start()[7:]

    def targets(rng: np.random.Generator) -> np.ndarray:
        return stance + rng.uniform(-0.3, 0.3, (WORLDS, len(stance)))

    def step(rng: np.random.Generator) -> None:
        dogs.pd_target[:, 7:] = targets(rng)
        batch.step(HOLD)

    racers = {
        "tribo": Racer(
            lambda _rng: batch.restore(start), step,
            lambda: _flagged(batch.status),
        )
    }  # fmt: skip
    for kind in KINDS:
        model = quadruped(dt)
        make_stiff(model, kind)
        peers = MujocoBatch(model, WORLDS, 1)
        state = [peers.bind(name) for name in ("qpos", "qvel", "qacc_warmstart", "ctrl")]

        def begin_it(_rng: np.random.Generator, state: Any = state) -> None:
            state[0][:], state[1][:], state[2][:] = WALKER.start(), 0.0, 0.0

        def step_it(rng: np.random.Generator, peers: Any = peers, state: Any = state) -> None:
            state[3][:] = targets(rng)
            peers.step(nstep=HOLD)

        racers[kind] = Racer(begin_it, step_it)
    return Scene(racers, 20, WORLDS * HOLD)


def grips() -> Scene:
    """Let two fingers carry a box."""
    world = tribo.World()
    arm, box = world.load_mjcf(GRIPPER)
    world.time_step = 0.001
    push, force = np.array([0.0, 0.0, -40.0]), arm.generalized_force

    def begin(_rng: np.random.Generator) -> None:
        arm.set_state(np.zeros(3), [0.5, 0.0, 0.0])
        box.position, box.orientation = (0.8, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        box.linear_velocity, box.angular_velocity = (0.0, 0.4, 0.0), (0.0, 0.0, 0.5)

    def step(_rng: np.random.Generator) -> None:
        force[:] = push  # into the live array, as into MuJoCo's
        world.step()

    racers = {"tribo": Racer(begin, step, lambda: _flagged(world.status))}
    for kind in KINDS:
        model = mujoco.MjModel.from_xml_string(GRIPPER)
        make_stiff(model, kind)
        data = mujoco.MjData(model)

        def begin_it(_rng: np.random.Generator, model: Any = model, data: Any = data) -> None:
            mujoco.mj_resetData(model, data)
            data.qvel[:] = [0.5, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.5]

        def step_it(_rng: np.random.Generator, model: Any = model, data: Any = data) -> None:
            data.qfrc_applied[:3] = push
            mujoco.mj_step(model, data)

        racers[kind] = Racer(begin_it, step_it)
    return Scene(racers, 2000)


SCENES = {"lands": lands, "twitches": twitches, "grips": grips, "limp": limp}


def race(scene: Scene, steps: int) -> dict[str, float]:
    """Return medians and 99th percentiles [µs] of all engines, and the flagged share."""
    times: dict[str, list[float]] = {name: [] for name in scene.racers}
    flagged: list[float] = []
    for racer in scene.racers.values():  # kernels, caches
        rng = np.random.default_rng(0)
        racer.begin(rng)
        racer.step(rng)
    for block in range(max(1, steps // (scene.block * max(1, scene.per_call // WORLDS)))):
        for name, racer in scene.racers.items():
            rng = np.random.default_rng(block)
            racer.begin(rng)
            for _ in range(scene.block):
                start = time.thread_time_ns()
                racer.step(rng)
                times[name].append(1e-3 * (time.thread_time_ns() - start) / scene.per_call)
                if name == "tribo":
                    flagged.append(racer.flagged())
    return {"flagged": float(np.mean(flagged)), **percentiles(times)}


def measure(steps: int) -> dict[str, dict[str, float]]:
    """Return the figures of all scenes."""
    return {name: race(make(), steps) for name, make in SCENES.items()}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("scenes", nargs="*", default=list(SCENES), metavar="scene")
    parser.add_argument("--steps", type=int, default=4000)
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| " + " | ".join(head()) + " |")
    print("|" + " --- |" * len(head()))
    for name in chosen.scenes:
        row = cells(name, race(SCENES[name](), chosen.steps))
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
