"""Bouncing: 49 balls fall 5 m and rebound without loss (SimBenchmark: energy of elastic impacts)."""

from __future__ import annotations

import numpy as np

from simbench.scene import Body, Figures, Goal, Scene, Simulation, ball_energy

PUBLISHED = {
    1e-2: "RaiSim 186 (0.0253 s)",
    1e-3: "RaiSim 0.0186 (0.235 s), ODE 185 (1.86 s), Bullet 75245 (0.852 s), DART 72274 (3.2 s)",
    1e-4: "RaiSim 1.86e-6 (2.37 s)",
}


def scenes() -> list[Scene]:
    return [_scene(dt) for dt in PUBLISHED]


def _scene(dt: float) -> Scene:
    balls = [Body("sphere", (0.1,), 10.0, (2.0 * i, 2.0 * j, 5.0)) for i in range(7) for j in range(7)]
    main = dt == 1e-3
    modes: dict[str, tuple[str, ...]] = {"tribo": ("default",)}
    if main:
        modes |= {"mujoco": ("spring",), "pybullet": ("accurate",), "physx": ("tgs",)}
    return Scene(
        "bouncing" if main else f"bouncing_{dt:g}", "bouncing",
        f"49 balls rebound from 5 m, dt {1e3 * dt:g} ms", steps=round(20.0 / dt), time_step=dt,
        ground="default", bodies=tuple(balls), friction=0.0, restitution=1.0, erp=0.0, modes=modes,
        goals=(Goal("default", 1e-6),) if main else (), published=PUBLISHED[dt],
        watch_every=max(1, round(1e-3 / dt)),
    )  # fmt: skip


class Watch:
    """Mean squared error of the total energy, which starts as m g z of the centres."""

    def __init__(self, scene: Scene) -> None:
        """Note the energy at the start."""
        self.scene = scene
        at = np.array([body.position for body in scene.bodies])
        mass = np.array([body.mass for body in scene.bodies])
        self.start = float(-mass @ at @ np.array(scene.gravity))
        self.errors: list[float] = []
        self.highest = 0.0

    def see(self, sim: Simulation, step: int) -> str:
        """Compare."""
        self.errors.append((ball_energy(self.scene, sim) - self.start) ** 2)
        return ""

    def figures(self) -> Figures:
        """Return the error and the energy left over, relative."""
        last = np.sqrt(self.errors[-1]) / abs(self.start)
        return {"error": float(np.mean(self.errors)), "end energy error": float(last)}
