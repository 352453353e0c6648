"""A robot without ground: momentum after a hit, energy after a throw (SimBenchmark: integration)."""

from __future__ import annotations

import numpy as np

from simbench.scene import Body, Figures, Goal, Robots, Scene, Simulation, Speed

SPEED = (5.0, 10.0)  # [m/s], [kg] of the ball
MOMENTUM = (
    "RaiSim 4.68e-5 (0.058 s), Bullet 2.66e-4 (0.439 s), MuJoCo Euler 1.14e-3 (0.376 s), RK4 3e-13 "
    "(0.784 s), ODE 1e-26 (1.8–2.7 s), DART 169 (0.53 s)"
)
ENERGY = (
    "RaiSim 0.0118 (0.0150 s), MuJoCo Euler 3.48 (0.0667 s), RK4 1.6e-17 (0.138 s), Bullet 3.65 (0.083 s), "
    "ODE 3.9 (0.48–0.73 s), DART 236.8 (0.097 s)"
)
MODES = {"tribo": ("default", "semi_implicit", "rk4"), "mujoco": ("default", "rk4"),
         "pybullet": ("standard",)}  # fmt: skip
ROBOTS = (Speed("mujoco", 2.0), Speed("pybullet", 5.0))


def scenes() -> list[Scene]:
    from simbench.standing import anymal, anymal_joints

    urdf, mass = anymal()
    joints = anymal_joints()
    ball = Body("sphere", (0.2,), SPEED[1], (0.0, -5.0, 2.0), velocity=(0.0, SPEED[0], 0.0))
    hit = Scene(
        "momentum", "flight", "a ball hits ANYmal B in free space", steps=10_000, gravity=(0.0, 0.0, 0.0),
        bodies=(ball,), robots=Robots(urdf, ((0.0, 0.0, 2.0),), joints), modes=MODES, settle=1500,
        timed_steps=5000,
        goals=(Goal("default", 1e-20),), published=MOMENTUM, speeds=ROBOTS,
    )  # fmt: skip
    lifted = Robots(urdf, ((0.0, 0.0, 2.0),), joints, lift=2.0 * mass * 9.81, lift_steps=1000)
    thrown = Scene(
        "energy", "flight", "ANYmal B is lifted for 1 s and flies for 2 s, joints free", steps=3000,
        robots=lifted, modes=MODES, settle=1000, timed_steps=5000, published=ENERGY, speeds=ROBOTS,
        goals=(Goal("default", 1e-4), Goal("rk4", 1e-16)),
    )  # fmt: skip
    return [hit, thrown]


class Watch:
    """Mean squared error of the momentum, or of the energy once nothing pushes any more."""

    def __init__(self, scene: Scene) -> None:
        """Note what is conserved."""
        self.scene = scene
        self.momentum = np.zeros(3)
        for body in scene.bodies:
            self.momentum += body.mass * np.array(body.velocity)
        self.energy: float | None = None
        self.errors: list[float] = []
        self.hit = 0.0

    def see(self, sim: Simulation, step: int) -> str:
        """Compare."""
        assert self.scene.robots is not None
        if self.scene.bodies:
            self.errors.append(float(((sim.momentum() - self.momentum) ** 2).sum()))
            now = sim.velocities()[0]
            self.hit = float(np.linalg.norm(now - np.array(self.scene.bodies[0].velocity)))
        elif step >= self.scene.robots.lift_steps:
            now = sim.energy()
            self.energy = now if self.energy is None else self.energy
            self.errors.append((now - self.energy) ** 2)
        return ""

    def figures(self) -> Figures:
        """Return the error; a ball that missed would make it worthless."""
        found = {"error": float(np.mean(self.errors))}
        if self.scene.bodies:
            found["ball slowed by"] = self.hit
        return found
