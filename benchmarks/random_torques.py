"""Robots of other people under random torques: they fall, get stuck and thrash, next to MuJoCo.

Models come with `gymnasium[mujoco]` and `dm_control`, as their files are (time steps too). Every ten steps
each joint gets a new torque, uniform up to √3 times the root mean square of what the file's own actuators
do under random controls; the same in all engines, whose blocks of 100 steps take turns. For each: median
and 99th percentile of the processor time of a step [µs]; for tribo the share of flagged steps, too.

* `mujoco`: as the file says (Gymnasium's Ant and Humanoid ask for four evaluations a step).
* `euler`: with MuJoCo's Euler step, one evaluation, as tribo's.
* `stiff`: that, contacts with a time constant of two steps, elliptic cones, `impratio` 100.

    pip install 'gymnasium[mujoco]' dm_control
    python benchmarks/random_torques.py [model ...] [--steps 2000]
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np
from measure import percentiles

import tribo

BLOCK, HOLD = 100, 10  # steps
KINDS = ("mujoco", "euler", "stiff")


def files() -> dict[str, Path]:
    """Return the models by name."""
    import dm_control
    import gymnasium

    gym = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    suite = Path(dm_control.__file__).parent / "suite"
    return {
        "Ant": gym / "ant.xml",
        "HalfCheetah": gym / "half_cheetah.xml",
        "Hopper": gym / "hopper.xml",
        "Walker2d": gym / "walker2d.xml",
        "Humanoid": gym / "humanoid.xml",
        "dm walker": suite / "walker.xml",
        "dm cheetah": suite / "cheetah.xml",
        "dm humanoid": suite / "humanoid.xml",
        "dm quadruped": suite / "quadruped.xml",
        "dm dog": suite / "dog.xml",
    }


def torque_limits(path: Path) -> np.ndarray:
    """Return √3 times the root mean square of what the actuators do to each dof under random controls."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data, rng, total = mujoco.MjData(model), np.random.default_rng(0), np.zeros(model.nv)
    limited = model.actuator_ctrllimited.astype(bool)
    low = np.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
    for k in range(300):
        if k % HOLD == 0:
            data.ctrl[:] = rng.uniform(low, high)
        mujoco.mj_step(model, data)
        total += data.qfrc_actuator**2
    limits = np.sqrt(3.0 * total / 300)
    if model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE:
        limits[:6] = 0.0
    return limits


def make_stiff(model: mujoco.MjModel, kind: str) -> None:
    """If the kind is "stiff": contacts with a time constant of two steps, elliptic cones, `impratio` 100."""
    if kind == "stiff":
        model.geom_solref[:] = (2.0 * model.opt.timestep, 1.0)
        model.opt.cone, model.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100.0


def peer(path: Path, kind: str) -> Callable[[np.ndarray], None]:
    """Return a function that makes one step of MuJoCo under joint torques."""
    model = mujoco.MjModel.from_xml_path(str(path))
    if kind != "mujoco":
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    make_stiff(model, kind)
    data = mujoco.MjData(model)

    def step(torques: np.ndarray) -> None:
        data.qfrc_applied[:] = torques
        mujoco.mj_step(model, data)

    return step


def own(path: Path) -> tuple[Callable[[np.ndarray], None], tribo.World]:
    """Return a function that makes one step of tribo under joint torques, and the world.

    The torques are written into the robot's live array, as MuJoCo's are into its own.
    """
    world = tribo.World()
    world.load_mjcf(path)
    world.time_step = mujoco.MjModel.from_xml_path(str(path)).opt.timestep
    robots = [o for o in world.objects if isinstance(o, tribo.ArticulatedSystem)]
    robot = max(robots, key=lambda robot: robot.dof)
    dof, force = robot.dof, robot.generalized_force

    def step(torques: np.ndarray) -> None:
        force[:] = torques[-dof:]
        world.step()

    return step, world


def compare(name: str, path: Path, steps: int) -> dict[str, float]:
    """Return medians and 99th percentiles [µs] of all engines on one model, and the flagged share."""
    limits = torque_limits(path)
    step, world = own(path)
    engines = {"tribo": step}
    engines |= {kind: peer(path, kind) for kind in KINDS}
    own(path)[0](limits)  # kernels
    times: dict[str, list[float]] = {kind: [] for kind in engines}
    flagged = 0
    for block in range(steps // BLOCK):
        for kind, step in engines.items():
            rng = np.random.default_rng(block)
            for k in range(BLOCK):
                if k % HOLD == 0:
                    torques = limits * rng.uniform(-1.0, 1.0, len(limits))
                start = time.thread_time_ns()
                step(torques)
                times[kind].append(1e-3 * (time.thread_time_ns() - start))
                if kind == "tribo":
                    flagged += bool(world.status & tribo.Status.NOT_CONVERGED)
    return {"flagged": flagged / steps, **percentiles(times)}


def head(what: str, kinds: tuple[str, ...] = KINDS) -> list[str]:
    """Return the head of the table."""
    columns = [what, "tribo median µs", "99 %", "flagged"]
    return columns + [cell for kind in kinds for cell in (kind, "×")]


def cells(name: str, found: dict[str, float], kinds: tuple[str, ...] = KINDS) -> list[str]:
    """Return the row of one model."""
    row = [name, f"{found['tribo']:.1f}", f"{found['tribo, 99 %']:.0f}", f"{found['flagged']:.2%}"]
    for kind in kinds:
        row.append(f"{found[kind]:.1f}, {found[f'{kind}, 99 %']:.0f}")
        row.append(f"{found[kind] / found['tribo']:.2f}")
    return row


def measure(steps: int) -> dict[str, dict[str, float]]:
    """Return the figures of all models; none, and say so, where the packages that bring them are missing."""
    if not (find_spec("gymnasium") and find_spec("dm_control")):
        print("robots are left out: pip install 'gymnasium[mujoco]' dm_control", file=sys.stderr)
        return {}
    return {name: compare(name, path, steps) for name, path in files().items()}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    known = files()
    parser.add_argument("models", nargs="*", default=list(known), metavar="model")
    parser.add_argument("--steps", type=int, default=2000)
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| " + " | ".join(head("model")) + " |")
    print("|" + " --- |" * len(head("model")))
    for name in chosen.models:
        print(
            f"| {' | '.join(cells(name, compare(name, known[name], chosen.steps)))} |", flush=True
        )


if __name__ == "__main__":
    main()
