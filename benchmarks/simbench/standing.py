"""Robots that stand: ANYmal B and a humanoid, N × N of them (SimBenchmark: speed and its scaling)."""

from __future__ import annotations

from functools import cache

import numpy as np

from simbench.scene import Figures, Goal, Robots, Scene, Simulation, Speed

ANYMAL_ROWS, HUMANOID_ROWS = (1, 2, 3, 5, 7, 10, 15), (1, 2, 3, 5)
ANYMAL = {
    1: "RaiSim 0.408 s for 50 000 steps (122.6 k steps/s), MuJoCo 1.74, Bullet 3.68, DART 5.89, ODE 23.1",
    2: "RaiSim 2.04 s, MuJoCo 8.35, Bullet 14.0, DART 18.6, ODE 93",
    3: "RaiSim 4.90 s, MuJoCo 18.5, Bullet 32.2, DART 41.2, ODE 209",
    5: "RaiSim 14.6 s, MuJoCo 49.8, Bullet 93.0, DART 121.6, ODE 613",
    7: "RaiSim 30.6 s, MuJoCo 111, Bullet fails, DART 298, ODE 1230",
    10: "RaiSim 67.8 s, MuJoCo 234, DART 688, ODE 3146",
    15: "RaiSim 203 s (246 steps/s), MuJoCo 548, DART 1687, ODE 11383",
}
HUMANOID = {
    1: "Atlas: RaiSim 2.01 s for 50 000 steps (24.9 k steps/s), MuJoCo 4.41, Bullet 7.55, DART 11.9",
    2: "RaiSim 9.28 s, MuJoCo 17.6, Bullet 30.2, DART 49",
    3: "RaiSim 23.4 s, MuJoCo 41.1, Bullet 69.7, DART 120",
    5: "RaiSim 70.2 s, MuJoCo 114.6, Bullet 230.8",
}
MODES = {"tribo": ("default", "own drive"), "mujoco": ("default", "stiff", "own drive"),
         "pybullet": ("standard",)}  # fmt: skip


@cache
def anymal() -> tuple[str, float]:
    """Return URDF and mass [kg] of ANYmal B from `example-robot-data`."""
    from scenes import ANYMAL as FILE
    from scenes import robot_file, without_meshes

    from simbench import robot_text
    from tribo.formats import urdf

    tree = urdf.read(without_meshes(robot_file(FILE)))
    return robot_text.flat(tree, "anymal"), robot_text.mass(tree)


def anymal_joints() -> dict[str, float]:
    """Return the joint angles of SimBenchmark [rad]."""
    from scenes import stand_joints

    return stand_joints()


def scenes() -> list[Scene]:
    found = [scene("anymal", rows) for rows in ANYMAL_ROWS]
    return found + [scene("humanoid", rows) for rows in HUMANOID_ROWS]


def scene(kind: str, rows: int) -> Scene:
    """Return rows × rows robots: "anymal" or "humanoid"."""
    from simbench import humanoid

    if kind == "anymal":
        pose = anymal_joints()
        gains = (40.0,) * len(pose), (1.0,) * len(pose)
        robots = Robots(anymal()[0], _grid(rows, 2.0, 0.54), pose, *gains)
        dt, published = 5e-3, ANYMAL.get(rows, "")
    else:
        pose = {f"{link.name}_joint": 0.0 for link in humanoid.links()}
        robots = Robots(humanoid.text(), _grid(rows, 2.5, humanoid.HEIGHT), pose, humanoid.KP, humanoid.KD)
        dt, published = 5e-4, HUMANOID.get(rows, "")
    count = rows * rows
    return Scene(
        f"{kind}_{count}", "standing", f"{count} × {kind} under PD control", time_step=dt, ground="default",
        steps=max(200, round(10.0 / dt / count)), settle=200, timed_steps=max(40, 8000 // count),
        watch_every=20, robots=robots, modes=MODES, published=published,
        goals=(Goal("default", 0.0, "fallen"), Goal("own drive", 0.0, "fallen")),
        speeds=(Speed("mujoco", 2.0), Speed("pybullet", 5.0)),
    )  # fmt: skip


def _grid(rows: int, spacing: float, height: float) -> tuple[tuple[float, ...], ...]:
    return tuple((spacing * i, spacing * j, height) for i in range(rows) for j in range(rows))


class Watch:
    """Whether all stand."""

    def __init__(self, scene: Scene) -> None:
        """Note where they start."""
        assert scene.robots is not None
        self.start = np.array(scene.robots.positions)
        self.height = self.upright = 0.0
        self.drift = 0.0

    def see(self, sim: Simulation, step: int) -> str:
        """Look at the bases."""
        bases = sim.bases()
        self.height = float((bases[:, 2] / self.start[:, 2]).min())
        self.upright = float((1.0 - 2.0 * (bases[:, 4] ** 2 + bases[:, 5] ** 2)).min())
        self.drift = float(np.linalg.norm((bases - np.pad(self.start, ((0, 0), (0, 4))))[:, :2],
                                          axis=1).max())  # fmt: skip
        return ""

    def figures(self) -> Figures:
        """Return whether one fell: a base below half its height or tilted by more than 30°."""
        fallen = not (self.height > 0.5 and self.upright > np.cos(np.pi / 6))
        return {"fallen": float(fallen), "lowest base / start": self.height,
                "least upright": self.upright, "drift": self.drift}  # fmt: skip
