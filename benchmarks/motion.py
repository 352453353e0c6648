"""Robots in motion: what a step costs and how often it is flagged, where contacts come, hold and go.

`landing`: every floating robot of example-robot-data falls from 1 m under PD drives, 0.8 s at 1 ms. `grip`:
two fingers on an arm that turns hold a box or a hull. Median and 99th percentile of the time of a step [µs],
and the steps with `NOT_CONVERGED`. `held`: how far a box creeps on a turntable in 10 s. `rest`: the processor
time of a step of ANYmal standing, a pyramid and a heap. `compliant`: ANYmal standing on rigid contacts and
on a contact material, in turns. `wheels`: a two-wheeler whose wheels are driven against each other, 600 steps
of 5 ms in which it spins and falls.

    python benchmarks/motion.py landing grip held rest compliant wheels
"""

from __future__ import annotations

import argparse
import logging
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measure import step_by_step
from scenes import robot_path

import tribo
from tribo.formats.mesh_files import robot_package

ARM = """<robot name="arm"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.4 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
{left}{right}<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 1"/></joint></robot>"""
FINGER = """<link name="{0}"><inertial><mass value="0.2"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.06 0.02 0.06"/></geometry></collision></link>
<joint name="{0}" type="prismatic"><parent link="arm"/><child link="{0}"/><origin xyz="0.8 0 0"/>
<axis xyz="0 1 0"/><limit lower="-0.1" upper="0.1" effort="1e3" velocity="100"/></joint>"""
TWO_WHEELER = Path(__file__).parents[1] / "tests/data/two_wheeler.urdf"  # 1 N m, at most 40 rad/s
CUBE = 0.03 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def timed(world: tribo.World, steps: int, push: Callable[[], None] | None = None) -> str:
    """Step a world; return the figures in words."""
    taken, flagged = step_by_step(world, steps, time.perf_counter, push)
    median, most = np.percentile(taken, [50, 99])
    return f"{median:7.0f} {most:8.0f} {flagged:5d} of {steps}"


def landing() -> None:
    """Let every robot fall."""
    folder = robot_package()
    if folder is None:
        raise SystemExit("needs the package example-robot-data")
    for path in sorted(Path(folder).rglob("*.urdf")):
        world = tribo.World(time_step=1e-3)
        world.add_ground()
        try:
            robot = world.add_articulated_system(path)
            if not robot.is_floating:
                continue
            robot.ignore_overlaps()
            robot.position = (0.0, 0.0, 1.0)
            gains = np.r_[np.zeros(6), np.ones(robot.dof - 6)]
            robot.set_pd_gains(100.0 * gains, 2.0 * gains)
            print(f"{path.stem:28s} {timed(world, 800)}", flush=True)
        except (ValueError, tribo.SimulationError) as error:
            print(f"{path.stem:28s} {str(error)[:90]}", flush=True)


def grip() -> None:
    """Hold a box and a hull while the arm turns."""
    for shape in ("box", "hull"):
        for rate, stiffness in ((0.5, 1e6), (2.0, 1e6), (0.5, 2e4)):
            world = tribo.World(time_step=1e-3)
            world.set_material_pair("default", "default", friction=0.9)
            fingers = {side: FINGER.format(side) for side in ("left", "right")}
            arm = world.add_articulated_system(ARM.format(**fingers), fixed_base=True)
            arm.set_state([0.0, -0.04, 0.04], [rate, 0.0, 0.0])
            arm.set_pd_gains([0, stiffness, 0], [0, 1e3 if stiffness > 1e5 else 200.0, 0])
            arm.pd_target = [0, -0.04, 0]
            add = world.add_box if shape == "box" else world.add_convex
            load = add(
                (0.06, 0.06, 0.06) if shape == "box" else CUBE, 0.3, position=(0.8, 0, 0),
                linear_velocity=(0, 0.8 * rate, 0), angular_velocity=(0, 0, rate),
            )  # fmt: skip

            def close(arm: tribo.ArticulatedSystem = arm) -> None:
                arm.generalized_force = [0, 0, -40.0]

            figures = timed(world, 4000, close)
            x, y, z = load.position
            turn = arm.generalized_coordinate[0]
            out = math.cos(turn) * x + math.sin(turn) * y - 0.8
            print(f"{shape} {rate:g} rad/s {stiffness:g} N/m {figures}, sag {z:.1e}, out {out:.1e} m")


def held() -> None:
    """Let a turntable carry a box."""
    for dt in (1e-3, 4e-3):
        world = tribo.World(time_step=dt)
        world.add_cylinder(2.0, 0.2, 100.0, position=(0, 0, -0.1), body_type="kinematic",
                           angular_velocity=(0, 0, 3.0))  # fmt: skip
        box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.5, 0, 0.1),
                            linear_velocity=(0, 1.5, 0), angular_velocity=(0, 0, 3.0))  # fmt: skip
        world.step(round(10.0 / dt))
        x, y, z = box.position
        print(f"turntable {dt:g} s: outwards {math.hypot(x, y) - 0.5:.1e}, up {z - 0.1:.1e} m")


def standing() -> tribo.World:
    """Return a world in which ANYmal stands under PD drives."""
    world = tribo.World()
    world.add_ground()
    robot = world.add_articulated_system(
        robot_path("anymal_b_simple_description/robots/anymal.urdf"), position=(0, 0, 0.7)
    )
    robot.ignore_overlaps()
    robot.set_pd_gains(100.0, 2.0)
    return world


def compliant() -> None:
    """Time ANYmal on rigid and on compliant contacts, in turns."""
    worlds = {"rigid": standing(), "compliant": standing()}
    worlds["compliant"].default_pair = tribo.ContactMaterial(youngs_modulus=1e5, friction=0.8)
    times: dict[str, list[float]] = {name: [] for name in worlds}
    for world in worlds.values():
        world.step(2000)
    for _ in range(7):
        for name, world in worlds.items():
            start = time.process_time()
            world.step(5000)
            times[name].append((time.process_time() - start) / 5000)
    ratios = np.divide(times["rigid"], times["compliant"])
    print(
        f"ANYmal stands: rigid {1e6 * np.median(times['rigid']):.2f}, compliant "
        f"{1e6 * np.median(times['compliant']):.2f} µs a step; speed {np.median(ratios):.2f} of rigid"
    )


def rest() -> None:
    """Time what stands, and a heap that has hardly come to rest."""
    scenes = {"anymal": (standing(), 2000, 20000)}
    world = tribo.World()
    world.add_ground()
    for level in range(10):
        for k in range(10 - level):
            x = 0.21 * (k - 0.5 * (10 - level))
            world.add_box((0.2, 0.2, 0.2), 1.0, position=(x, 0, 0.1 + 0.2 * level))
    scenes["pyramid"] = world, 600, 1000
    world = tribo.World()
    world.add_ground()
    rng = np.random.default_rng(0)
    for level in range(60):
        place = (*rng.uniform(-0.4, 0.4, 2), 0.2 + 0.15 * level)
        world.add_box((0.2, 0.2, 0.2), 1.0, position=place)
    scenes["heap"] = world, 340, 400
    for name, (world, before, steps) in scenes.items():
        world.step(before)
        least = math.inf
        for _ in range(3):
            start = time.process_time()
            world.step(steps)
            least = min(least, (time.process_time() - start) / steps)
        print(f"{name:8s} {1e6 * least:.2f} µs a step")


def wheels() -> None:
    """Let a two-wheeler spin on the spot and fall."""
    for torque in (0.0, 1.0):
        world = tribo.World(time_step=5e-3)
        world.add_ground()
        robot = world.add_articulated_system(TWO_WHEELER, position=(0, 0, 0.12))
        world.step(100)

        def push(robot: tribo.ArticulatedSystem = robot, torque: float = torque) -> None:
            robot.generalized_force = [0, 0, 0, 0, 0, 0, torque, -torque]

        print(f"two-wheeler {torque:g} N m {timed(world, 600, push)}")


SCENES = {
    "landing": landing, "grip": grip, "held": held, "rest": rest, "compliant": compliant, "wheels": wheels,
}  # fmt: skip


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("scenes", nargs="+", choices=tuple(SCENES))
    logging.disable(logging.WARNING)
    print("landing, grip: scene, median µs, 99th percentile, flagged")
    for name in parser.parse_args().scenes:
        SCENES[name]()


if __name__ == "__main__":
    main()
