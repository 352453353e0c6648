"""666 and elastic 666: 6 × 6 × 6 balls fall without friction (SimBenchmark: hard contact, overlap)."""

from __future__ import annotations

import numpy as np

from simbench import overlap
from simbench.scene import Body, Figures, Goal, Scene, Simulation, Speed, ball_energy

RADIUS, MASS, SPACING = 0.1, 10.0, 0.21  # [m], [kg], [m]
PLASTIC = (
    "RaiSim 1.35e-4 (1.51 s), ODE 1.55e-4 (10.6 s), DART 2.8e-4 (22.9 s), MuJoCo 0.095 (12.1 s), "
    "Bullet 0.382 (12.0 s)"
)
ELASTIC = "RaiSim 8.37 (0.655 s), ODE 112.3 (5.6 s), Bullet 41498 (2.32 s), DART 3.47e5 (8.06 s)"


def centres(lowest: float) -> np.ndarray:
    """Return places [m] on a grid, each off by up to 1 mm."""
    steps = np.arange(6) * SPACING
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    grid[:, 2] += lowest
    return np.asarray(grid + np.random.default_rng(42).random(grid.shape) * 1e-3)


def scenes() -> list[Scene]:
    plastic = Scene(
        "666", "spheres", "216 balls fall into a heap", steps=10_000, ground="default",
        bodies=_balls(0.101), friction=0.0,
        modes={"tribo": ("default",), "mujoco": ("default", "stiff"), "pybullet": ("standard",),
               "physx": ("tgs",)},
        goals=(Goal("default", 1e-9),), published=PLASTIC,
        speeds=(Speed("physx", 1.0, "error"),),
    )  # fmt: skip
    elastic = Scene(
        "elastic_666", "spheres", "216 balls rebound from one another without loss", steps=10_000,
        ground="default", bodies=_balls(1.101), friction=0.0, restitution=1.0, erp=0.0,
        modes={"tribo": ("default", "propagate"), "mujoco": ("spring",), "pybullet": ("accurate",),
               "physx": ("tgs",)},
        goals=(Goal("propagate", 1e-2),), published=ELASTIC,
    )  # fmt: skip
    return [plastic, elastic]


def _balls(lowest: float) -> tuple[Body, ...]:
    return tuple(Body("sphere", (RADIUS,), MASS, tuple(at)) for at in centres(lowest).tolist())


class Watch:
    """Mean of the sum of squared overlaps; with restitution, mean squared error of the energy."""

    def __init__(self, scene: Scene) -> None:
        """Note the energy at the start."""
        self.scene = scene
        at = np.array([body.position for body in scene.bodies])
        self.start = -MASS * float((at @ np.array(scene.gravity)).sum())
        self.overlaps: list[float] = []
        self.energies: list[float] = []
        self.deepest = 0.0

    def see(self, sim: Simulation, step: int) -> str:
        """Measure."""
        found = overlap.balls(sim.positions(), RADIUS, has_ground=True)
        self.overlaps.append(float((found**2).sum()))
        self.deepest = max(self.deepest, float(found.max(initial=0.0)))
        self.energies.append((ball_energy(self.scene, sim) - self.start) ** 2)
        return ""

    def figures(self) -> Figures:
        """Return the error of this scene and the other one."""
        square, energy = float(np.mean(self.overlaps)), float(np.mean(self.energies))
        seen = {"overlap²": square, "deepest": self.deepest, "energy²": energy}
        return {"error": energy if self.scene.restitution else square, **seen}
