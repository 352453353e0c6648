"""A pile of mixed shapes next to MuJoCo in turns within the same process: time and overlap.

    python benchmarks/mixed_pile.py [--bodies 1000] [--until 1.2] [--step 0.002] [--only tribo] [--boxes]
                                    [--seed 5]

Balls, boxes, capsules and cylinders of 0.08 to 0.24 m fall from a grid in random turns onto a plane, ten
layers one upon another, and make a heap. Every tenth step the poses of each engine are given to one judge,
the narrow phase of tribo (measured against coal: docs/physics/collision.md), which finds the overlap of each
pair of shapes and of each with the ground. *Deepest* is the greatest over the run, *overlap²* the sum of
squares, mean over the looks, *flagged* the share of tribo's steps with NOT_CONVERGED. With --boxes all are
boxes. *tribo, compliant* has contact materials that give way by 1 mm under a hundred times the weight of a
body. Times are processor time of one thread, each engine 0.1 s of motion at a time.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tribo

FRICTION = 0.8
STIFFNESS = 1e6  # [N/m] of compliant contacts
SPACING = 0.27  # [m]
JUDGED = 10  # steps between two looks
TURN = 0.1  # [s] of motion that an engine makes at a time


@dataclass
class Part:
    """One body of the pile."""

    kind: str
    size: tuple[float, ...]  # [m] ball: r; box: half edges; capsule, cylinder: r, half length
    position: np.ndarray
    orientation: np.ndarray  # w, x, y, z


def parts(count: int, seed: int = 5, *, boxes: bool = False) -> list[Part]:
    """Return the bodies before the fall, boxes alone or mixed."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(count / 10.0)))
    made = []
    for k in range(count):
        place = np.array([k % side, k // side % side, k // side**2], dtype=float)
        place[:2] -= 0.5 * (side - 1)
        place = SPACING * place + rng.uniform(-0.01, 0.01, 3) + (0.0, 0.0, 0.2)
        turn = rng.normal(size=4)
        a, b, c = rng.uniform(0.04, 0.08, 3)
        kind = "box" if boxes else ("ball", "box", "capsule", "cylinder")[k % 4]
        size = {"ball": (a,), "box": (a, b, c)}.get(kind, (0.7 * a, b))
        made.append(Part(kind, size, place, turn / np.linalg.norm(turn)))
    return made


def tribo_world(pile: list[Part], time_step: float) -> tribo.World:
    """Return the pile in tribo, with standard settings."""
    world = tribo.World(time_step)
    world.default_pair = tribo.PairProperties(friction=FRICTION)
    world.add_ground()
    add: dict[str, Callable[..., Any]] = {
        "ball": lambda s, **at: world.add_sphere(s[0], 1.0, **at),
        "box": lambda s, **at: world.add_box(2.0 * np.array(s), 1.0, **at),
        "capsule": lambda s, **at: world.add_capsule(s[0], 2.0 * s[1], 1.0, **at),
        "cylinder": lambda s, **at: world.add_cylinder(s[0], 2.0 * s[1], 1.0, **at),
    }
    for part in pile:
        add[part.kind](part.size, position=part.position, orientation=part.orientation)
    return world


class Tribo:
    """The pile in tribo."""

    def __init__(
        self, pile: list[Part], time_step: float, sweeps: int = 0, *, is_compliant: bool = False
    ) -> None:
        """Build it; sweeps: of the solver that only sweeps, 0: the standard solver."""
        self.world = tribo_world(pile, time_step)
        if is_compliant:
            self.world.default_pair = tribo.ContactMaterial(
                youngs_modulus=STIFFNESS, spook_damping=2.0 * time_step, friction=FRICTION
            )
        if sweeps:
            self.world.contact_solver, self.world.max_sweeps = "sweeps", sweeps
        self.steps = self.flagged = 0

    def step(self, n: int) -> None:
        """Advance, and count the steps that are flagged."""
        for _ in range(n):
            self.world.step()
            self.flagged += bool(self.world.status & tribo.Status.NOT_CONVERGED)
        self.steps += n

    def poses(self) -> np.ndarray:
        """Return position and quaternion (w, x, y, z) of each body."""
        return np.asarray(self.world.engine.state.q).reshape(-1, 7).copy()


class Mujoco:
    """The pile in MuJoCo."""

    def __init__(
        self, pile: list[Part], time_step: float, is_stiff: bool = False, is_cg: bool = False
    ) -> None:
        """Build it, with standard or stiff contacts (those of benchmarks/peers_mujoco.py), Newton or CG."""
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        spec.option.timestep = time_step
        shapes = mujoco.mjtGeom
        kinds = {
            "ball": shapes.mjGEOM_SPHERE,
            "box": shapes.mjGEOM_BOX,
            "capsule": shapes.mjGEOM_CAPSULE,
            "cylinder": shapes.mjGEOM_CYLINDER,
        }
        spec.worldbody.add_geom(type=shapes.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
        for part in pile:
            body = spec.worldbody.add_body(pos=part.position, quat=part.orientation)
            body.add_freejoint()
            size = [*part.size, 0.0, 0.0][:3]
            body.add_geom(type=kinds[part.kind], size=size, mass=1.0)
        for geom in spec.geoms:
            geom.friction[0] = FRICTION
        if is_cg:
            spec.option.solver = mujoco.mjtSolver.mjSOL_CG
        if is_stiff:
            spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
            spec.option.impratio = 100.0
            spec.option.noslip_iterations = 3
            for geom in spec.geoms:
                geom.solref = [2.0 * time_step, 1.0]
                geom.solimp = [0.99, 0.999, 0.001, 0.5, 2.0]
        spec.memory = 1 << 30
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def step(self, n: int) -> None:
        """Advance."""
        self.mujoco.mj_step(self.model, self.data, nstep=n)

    def poses(self) -> np.ndarray:
        """Return position and quaternion (w, x, y, z) of each body."""
        if any(warning.number for warning in self.data.warning):
            raise RuntimeError("MuJoCo warns: its memory was too small, or the motion is unstable")
        return np.asarray(self.data.qpos).reshape(-1, 7).copy()


def overlaps(judge: tribo.World, poses: np.ndarray) -> np.ndarray:
    """Return the overlap of each pair of shapes that overlaps [m]."""
    state = judge.engine.state
    state.q[:] = poses.ravel()
    state.v[:] = 0.0
    judge.engine.update()
    work = judge.engine.work
    n = work.contact_count[0]
    pairs = work.contact_shape[:n].astype(np.int64)
    key = pairs[:, 0] * (1 + pairs.max(initial=0)) + pairs[:, 1]
    _, which = np.unique(key, return_inverse=True)
    deepest = np.zeros(which.max(initial=-1) + 1)
    np.maximum.at(deepest, which, -work.contact_gap[:n])
    return deepest[deepest > 0.0]


def engines(pile: list[Part], time_step: float) -> dict[str, Callable[[], Any]]:
    """Return what builds the pile in each engine."""
    return {
        "tribo": lambda: Tribo(pile, time_step),
        "tribo, ten sweeps": lambda: Tribo(pile, time_step, 10),
        "tribo, compliant": lambda: Tribo(pile, time_step, is_compliant=True),
        "tribo, compliant, ten sweeps": lambda: Tribo(pile, time_step, 10, is_compliant=True),
        "tribo, compliant, thirty sweeps": lambda: Tribo(pile, time_step, 30, is_compliant=True),
        "MuJoCo": lambda: Mujoco(pile, time_step),
        "MuJoCo, stiff": lambda: Mujoco(pile, time_step, is_stiff=True),
        "MuJoCo, CG": lambda: Mujoco(pile, time_step, is_cg=True),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bodies", type=int, default=1000)
    parser.add_argument("--until", type=float, default=1.2)
    parser.add_argument("--step", type=float, default=0.002)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    tribo.warm_up(everything=True, quiet=True)
    pile = parts(options.bodies, options.seed, boxes=options.boxes)
    made = engines(pile, options.step)
    piles = {name: make() for name, make in made.items() if name in (options.only or made)}
    judge = tribo_world(pile, options.step)
    judge.gravity = (0.0, 0.0, 0.0)
    judge.step(0)
    turns = round(options.until / TURN)
    looks = round(TURN / options.step) // JUDGED
    times = {name: np.zeros(turns) for name in piles}
    squares: dict[str, list[float]] = {name: [] for name in piles}
    deepest = dict.fromkeys(piles, 0.0)
    for turn in range(turns):
        for name, engine in piles.items():
            for _ in range(looks):
                start = time.process_time()
                engine.step(JUDGED)
                times[name][turn] += time.process_time() - start
                found = overlaps(judge, engine.poses())
                squares[name].append(float((found**2).sum()))
                deepest[name] = max(deepest[name], float(found.max(initial=0.0)))
        line = ", ".join(f"{name} {1e3 * t[turn] / (looks * JUDGED):.2f}" for name, t in times.items())
        print(f"t = {(turn + 1) * TURN:.1f} s, ms a step: {line}", flush=True)
    print("\n| engine | ms a step | greatest of 0.1 s | deepest [m] | overlap² [m²] | top [m] | flagged |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, engine in piles.items():
        steps = looks * JUDGED
        flagged = f"{engine.flagged / engine.steps:.1%}" if isinstance(engine, Tribo) else ""
        print(
            f"| {name} | {1e3 * times[name].mean() / steps:.2f} | {1e3 * times[name].max() / steps:.2f} "
            f"| {deepest[name]:.1e} | {np.mean(squares[name]):.1e} "
            f"| {engine.poses()[:, 2].max():.2f} | {flagged} |"
        )


if __name__ == "__main__":
    main()
