"""Boxes: Kapla (SimBenchmark: stacking), a pyramid of 55 and a pile of 200 (where PhysX is fastest)."""

from __future__ import annotations

import numpy as np

from simbench import overlap
from simbench.scene import Body, Figures, Goal, Scene, Simulation, Speed

BASE, WALL, BLOCK = (0.05, 0.25, 0.1), (0.2, 0.05, 0.1), 10.0  # [m], [m], [kg]
FALLEN = 1.0  # [m] Kapla has collapsed when no block is higher
KAPLA = (
    "steps before collapse: RaiSim never (60000; 1000 sweeps, 2885 s), 263 with 100 sweeps; "
    "Bullet 55058 (6955 s); ODE ≤ 6453; MuJoCo ≤ 3297; DART 17–19"
)
PEERS = {"mujoco": ("default", "stiff"), "pybullet": ("standard",), "physx": ("tgs",)}


def scenes() -> list[Scene]:
    return [
        Scene(
            "kapla", "blocks", "a tower of 102 blocks, 600 s", steps=60_000, time_step=0.01,
            ground="default", bodies=tuple(_kapla()), watch_every=20,
            modes={"tribo": ("default",), **PEERS, "pybullet": ("accurate",)},
            goals=(Goal("default", 0.0, "collapsed"), Goal("default", 1.0, "s per s")),
            published=KAPLA,
        ),
        Scene(
            "pyramid_55", "blocks", "a pyramid of 55 cubes, 3 s", steps=1200, time_step=2.5e-3, friction=0.5,
            ground="default", bodies=tuple(_pyramid()), modes={"tribo": ("default",), **PEERS},
            watch_every=10, published="(not in SimBenchmark)",
            speeds=(Speed("physx", 1.0, "deepest"),),
        ),
        Scene(
            "pile_200", "blocks", "200 cubes fall into a pile, 4 s", steps=1600, time_step=2.5e-3,
            friction=0.5, ground="default", bodies=tuple(_pile()),
            modes={"tribo": ("default", "sweeps"), **PEERS},
            watch_every=10, published="(not in SimBenchmark)",
            speeds=(Speed("physx", 1.0, "error"),),
        ),
    ]  # fmt: skip


def _kapla() -> list[Body]:
    made = []
    for i in range(6):
        low, high = 0.2 * i + 0.05, 0.2 * i + 0.15
        made += [Body("box", BASE, BLOCK, (0.2 * j, 0.0, low)) for j in range(8)]
        made += [Body("box", WALL, BLOCK, (0.4 * j + 0.1, 0.1, high)) for j in range(4)]
        left = [0.3, 0.7, 1.1, 0.1, 1.3]
        made += [Body("box", WALL, BLOCK, (x, -0.1, high)) for x in left]
    return made


def _pyramid(rows: int = 10, edge: float = 0.2, gap: float = 0.01) -> list[Body]:
    made = []
    for row in range(rows):
        for k in range(rows - row):
            x = (k - (rows - row - 1) / 2) * (edge + gap)
            made.append(Body("box", (edge,) * 3, 1.0, (x, 0.0, (row + 0.5) * edge)))
    return made


def _pile(edge: float = 0.2, spacing: float = 0.36) -> list[Body]:
    rng = np.random.default_rng(42)
    made = []
    for k in range(8):
        for i in range(5):
            for j in range(5):
                turn = rng.normal(size=4)
                at = (spacing * (i - 2), spacing * (j - 2), 0.3 + spacing * k)
                turn /= np.linalg.norm(turn)
                made.append(Body("box", (edge,) * 3, 1.0, at, tuple(turn.tolist())))
    return made


class Watch:
    """Overlaps and how far the blocks moved; Kapla ends when its top has come down."""

    def __init__(self, scene: Scene) -> None:
        """Note the start."""
        self.scene = scene
        self.start = np.array([body.position for body in scene.bodies])
        self.overlaps: list[float] = []
        self.deepest = self.moved = self.speed = 0.0
        self.step = 0
        self.collapsed = False

    def see(self, sim: Simulation, step: int) -> str:
        """Measure."""
        at = sim.positions()
        found = overlap.depths(self.scene, at, sim.orientations())
        self.overlaps.append(float((found**2).sum()))
        self.deepest = max(self.deepest, float(found.max(initial=0.0)))
        self.moved = float(np.linalg.norm(at - self.start, axis=1).max())
        self.speed = float(np.linalg.norm(sim.velocities(), axis=1).max())
        self.step = step
        self.collapsed = self.scene.name == "kapla" and not at[:, 2].max() > FALLEN
        return f"collapsed after {step} steps" if self.collapsed else ""

    def figures(self) -> Figures:
        """Return what was seen; the error is the mean of the sum of squared overlaps."""
        seen = {"error": float(np.mean(self.overlaps)), "deepest": self.deepest, "moved": self.moved,
                "end speed": self.speed}  # fmt: skip
        if self.scene.name == "kapla":
            seen |= {"collapsed": float(self.collapsed), "steps": float(self.step)}
        return seen
