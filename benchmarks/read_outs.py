"""Time of reading a world: poses, velocities, contacts of a standing quadruped, next to MuJoCo's arrays.

    python benchmarks/read_outs.py

The least of many short runs of 100 reads each, in µs.
"""

import timeit
from collections.abc import Callable

import tribo
from tribo.tools.demo import ASSETS


def least(read: Callable[[], object]) -> float:
    return min(timeit.repeat(read, number=100, repeat=1000)) * 1e4


def main() -> None:
    world = tribo.World()
    world.add_ground()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.4))
    world.step(400)
    reads = {
        "robot.position": lambda: robot.position,
        "robot.orientation": lambda: robot.orientation,
        "robot.linear_velocity": lambda: robot.linear_velocity,
        "robot.angular_velocity": lambda: robot.angular_velocity,
        "robot.q": lambda: robot.q,
        "robot.v": lambda: robot.v,
        f"world.contacts ({len(world.contacts)})": lambda: world.contacts,
        "world.contact_data": lambda: world.contact_data,
        "robot.contacts": lambda: robot.contacts,
    }
    for name, read in reads.items():
        print(f"{name:24} {least(read):6.2f} µs")


if __name__ == "__main__":
    main()
