"""Rolling: a driven plate carries 25 balls (SimBenchmark: friction, coupling of a contact in 3-D).

Closed form: the plate slides with f1 = μ (M + n m) g, each ball rolls with f2, so that
M a = F − f1 − n f2 and m a_ball = f2; rolling without slip on a plate that accelerates gives
f2 = (F − f1)/M / (3.5/m + n/M). Velocities grow linearly; a step of any size can have them exactly.
"""

from __future__ import annotations

import numpy as np

from simbench.scene import Body, Figures, Goal, Scene, Simulation

PLATE, BALL, COUNT, PUSH = 10.0, 1.0, 25, 150.0  # [kg], [kg], [–], [N]
RADIUS, OVERLAP = 0.5, 4e-5  # [m] of a ball, of a ball and the plate at the start
FRICTION = {"ground plate": 0.4, "plate ball": 0.8, "ground ball": 0.5}
DIRECTIONS = {"y": (0.0, 1.0, 0.0), "oblique": (0.5, 0.866, 0.0)}
PUBLISHED = {
    "y": "RaiSim 4.13e-7 (0.323 s), Bullet 4.9e-9 (0.548 s), ODE quick 7.7e-9, "
    "MuJoCo 2.4e-3…9.2e-3, DART 0.426",
    "oblique": "RaiSim 4.14e-7 (0.308 s), 4.09e-7 with 1000 sweeps; Bullet 5.7e-9 (0.562 s), "
    "3.9e-27 with 1000; MuJoCo 6.9e-3 (1.67 s); ODE, DART 3.145",
}


def scenes() -> list[Scene]:
    return [_scene(name) for name in DIRECTIONS]


def _scene(name: str) -> Scene:
    along = np.array(DIRECTIONS[name])
    plate = Body("box", (20.0, 20.0, 1.0), PLATE, (0.0, 0.0, 0.5 - 2e-5), material="plate",
                 force=tuple(PUSH * along))  # fmt: skip
    balls = [
        Body("sphere", (RADIUS,), BALL, (2.0 * i - 4, 2.0 * j - 4, 1.5 - 6e-5), material="ball")
        for i in range(5)
        for j in range(5)
    ]
    return Scene(
        f"rolling_{name}", "rolling", f"a plate pushed along {name}, 25 balls roll on it", steps=4000,
        ground="ground", bodies=(plate, *balls), pairs=FRICTION, restitution_threshold=0.01, erp=0.0,
        modes={"tribo": ("default",), "mujoco": ("default", "elliptic", "stiff"), "pybullet": ("accurate",)},
        goals=(Goal("default", 1e-12),), published=PUBLISHED[name],
    )  # fmt: skip


def accelerations(push: float, gravity: float, lever: float = 1.0) -> tuple[float, float]:
    """Return accelerations of plate and ball along a push [N] of the plate [m/s²].

    `lever` is the distance of the contact from the ball's centre over the ball's radius.
    """
    drag = FRICTION["ground plate"] * (PLATE + COUNT * BALL) * gravity
    grip = (push - drag) / PLATE / ((1.0 + 2.5 * lever**2) / BALL + COUNT / PLATE)
    return (push - drag - COUNT * grip) / PLATE, grip / BALL


class Watch:
    """Mean squared velocity error of the plate and the first ball.

    The scene starts with balls 40 µm deep in the plate, which the closed form does not know. An
    engine that keeps the overlap and has the contact in its middle is right if the second figure is
    zero: that is the closed form with the lever shortened by half the overlap.
    """

    def __init__(self, scene: Scene) -> None:
        """Prepare the closed forms."""
        push = np.array(scene.bodies[0].force)
        size = float(np.linalg.norm(push))  # 149.997 N along (0.5, 0.866)
        self.dt, g = scene.time_step, -scene.gravity[2]
        self.expected = [
            np.outer(accelerations(size, g, lever), push / size)  # of plate and ball
            for lever in (1.0, 1.0 - OVERLAP / 2 / RADIUS)
        ]
        self.errors: list[list[float]] = [[], []]
        self.height = 0.0

    def see(self, sim: Simulation, step: int) -> str:
        """Compare."""
        for errors, expected in zip(self.errors, self.expected, strict=True):
            wrong = sim.velocities()[:2] - expected * self.dt * step
            errors.append(float((wrong**2).sum()))
        self.height = float(sim.positions()[0, 2])
        return ""

    def figures(self) -> Figures:
        """Return the error."""
        plain, deep = (float(np.mean(errors)) for errors in self.errors)
        return {"error": plain, "error with overlap": deep, "sink": 0.5 - 2e-5 - self.height}
