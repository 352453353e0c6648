"""Time of calls from Python: what a controller reads and sets between two steps of a standing quadruped.

    python benchmarks/read_outs.py

The least of many short runs, in µs; the last rows are MuJoCo's on a robot with as many joints.
"""

import timeit
from collections.abc import Callable

import mujoco
import numpy as np

import tribo
from tribo.tools.demo import ASSETS

JOINTS = 12


def least(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=20, repeat=500)) * 5e4


def servos() -> str:
    """Return a chain of hinges with position servos, MJCF."""
    body = '<body pos="0 0 0.2"><joint name="j{0}" axis="0 1 0"/><geom size="0.02" fromto="0 0 0 0 0 0.2"/>'
    bodies = "".join(body.format(k).replace("<geom", '<geom type="capsule"') for k in range(JOINTS))
    drives = "".join(f'<position joint="j{k}" kp="20" kv="1"/>' for k in range(JOINTS))
    chain = f"<worldbody>{bodies}{'</body>' * JOINTS}</worldbody>"
    return f"<mujoco>{chain}<actuator>{drives}</actuator></mujoco>"


def main() -> None:
    """Print the times."""
    world = tribo.World()
    world.add_ground()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.4))
    robot.set_pd_gains(60.0, 2.0)
    world.step(400)
    q, tau, now = robot.q.copy(), np.zeros(robot.dof), world.snapshot()
    chain = tribo.World().add_articulated_system(servos())
    controls = np.zeros(JOINTS)
    model = mujoco.MjModel.from_xml_string(servos())
    data = mujoco.MjData(model)

    def give_controls() -> None:
        data.ctrl[:] = controls

    calls: dict[str, Callable[[], object]] = {
        "robot.q": lambda: robot.q,
        "robot.v": lambda: robot.v,
        "robot.position": lambda: robot.position,
        "robot.orientation": lambda: robot.orientation,
        "robot.linear_velocity": lambda: robot.linear_velocity,
        "robot.angular_velocity": lambda: robot.angular_velocity,
        "robot.joint_velocities": lambda: robot.joint_velocities,
        "robot.link(name).position": lambda: robot.link("LF_SHANK").position,
        "robot.in_contact(name)": lambda: robot.in_contact("LF_FOOT"),
        "robot.net_contact_force": lambda: robot.net_contact_force,
        "robot.contact_wrenches()": lambda: robot.contact_wrenches(),
        "robot.contacts": lambda: robot.contacts,
        f"world.contacts ({len(world.contacts)})": lambda: world.contacts,
        "world.contact_data": lambda: world.contact_data,
        "robot.pd_target = q": lambda: setattr(robot, "pd_target", q),
        "robot.generalized_force = τ": lambda: setattr(robot, "generalized_force", tau),
        "robot.set_controls(u)": lambda: chain.set_controls(controls),
        "world.snapshot()": world.snapshot,
        "world.restore(snapshot)": lambda: world.restore(now),
        "world.step()": world.step,
        "MuJoCo: data.ctrl[:] = u": give_controls,
        "MuJoCo: data.qpos": lambda: data.qpos,
        "MuJoCo: data.body(k).xpos": lambda: data.body(3).xpos,
    }
    for name, call in calls.items():
        print(f"{name:30} {least(call):7.2f} µs")


if __name__ == "__main__":
    main()
