"""Identify what another engine did, and say what is left: MuJoCo's contact is soft, tribo's pair is rigid.

    python benchmarks/identification_peers.py

Needs the extra `bench`. Poses are MuJoCo's, with errors of 1 mm; the rest of the misfit is the difference of
the two contact models.
"""

from __future__ import annotations

import logging

import numpy as np

import tribo
from tribo.identification import Identification, Trajectory, pair

NOISE, STEP = 1e-3, 1e-4  # [m], [s] of MuJoCo
SLIDE = """<mujoco><option timestep="1e-4" cone="elliptic" impratio="100"/><worldbody>
<geom type="plane" size="9 9 1" friction="0.35 0 0"/>
<body pos="0 0 .025"><freejoint/><geom type="box" size=".1 .1 .025" mass="1" friction="0.35 0 0"/></body>
</worldbody></mujoco>"""
BOUNCE = """<mujoco><option timestep="1e-4"/><worldbody><geom type="plane" size="9 9 1"/>
<body pos="0 0 .4"><freejoint/><geom type="sphere" size=".02" mass="0.0027" condim="1"
 solref="-40000 -12" solimp="1 1 0.001"/></body></worldbody></mujoco>"""


def played(xml: str, velocity: tuple[float, float, float], rows: int, every: float) -> np.ndarray:
    """Return the positions of the body of a model, (rows, 3) [m], at intervals [s]."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qvel[:3] = velocity
    made = []
    for _ in range(rows):
        made.append(data.qpos[:3].copy())
        for _ in range(round(every / STEP)):
            mujoco.mj_step(model, data)
    return np.array(made)


def slide() -> Identification:
    """Identify the friction of a box that slides."""
    positions = played(SLIDE, (1.2, 0.0, 0.0), 30, 0.02)[:, 0]
    noisy = positions + np.random.default_rng(0).normal(0.0, NOISE, 30)
    world = tribo.World(time_step=0.002)
    world.add_ground(material="floor")
    world.add_box((0.2, 0.2, 0.05), 1.0, "wood", position=(0, 0, 0.025), name="box")
    film = Trajectory(0.02 * np.arange(30), {"q/box/x": noisy}, noise=NOISE)
    return tribo.identify(world, film, pair("floor", "wood", friction=(0.05, 1.0)))


def bounce() -> Identification:
    """Identify the restitution of a ball."""
    positions = played(BOUNCE, (0.0, 0.0, 0.0), 90, 1.0 / 60.0)[:, 2]
    noisy = positions + np.random.default_rng(0).normal(0.0, NOISE, 90)
    world = tribo.World(time_step=0.002)
    world.impact = "propagate"
    world.add_ground(material="floor")
    world.add_sphere(0.02, 0.0027, "ball", position=(0, 0, 0.4), name="ball")
    times = np.round(1.0 / 60.0 / STEP) * STEP * np.arange(90)
    film = Trajectory(times, {"q/ball/z": noisy}, noise=NOISE)
    return tribo.identify(world, film, pair("floor", "ball", restitution=(0.1, 1.0)))


def main() -> None:
    """Print what is found, and what is left."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    print("slide of a box, MuJoCo's friction 0.35:", slide(), sep="\n", end="\n\n")
    print("bounce of a ball on a spring and a damper:", bounce(), sep="\n")


if __name__ == "__main__":
    main()
