"""A gripper closes on a can of half a kilogram, lifts it and holds it for a minute.

    python examples/17_grasp.py [grasp.png]

Two fingers press with 20 N each; friction alone carries the can. After it was lifted it must not creep:
contacts are hard and Coulomb's law is exact, so there is no slow slip.
"""

import sys

import numpy as np

import tribo
from tribo.description import inertias
from tribo.description.trees import JointDescription, LinkDescription
from tribo.model import Joint

GRIP = 20.0  # [N] of each finger
RADIUS, HEIGHT, MASS = 0.033, 0.12, 0.5  # of the can [m, kg]


def gripper() -> LinkDescription:
    """Return a lift with a hand and two fingers that close along y."""
    root = LinkDescription("stand", 1.0, inertia=inertias.box(1.0, (0.1, 0.1, 0.1)))
    root.joint = JointDescription("floor", Joint.FIXED)
    hand = LinkDescription("hand", 1.0, inertia=inertias.box(1.0, (0.1, 0.2, 0.05)))
    hand.add_shape("box", (0.06, 0.2, 0.04), collides=False)
    root.attach(hand, JointDescription("lift", Joint.PRISMATIC, (0, 0, 0.2), axis=(0, 0, 1)))
    for side, name in ((1, "left"), (-1, "right")):
        finger = LinkDescription(name, 0.1, inertia=inertias.box(0.1, (0.02, 0.01, 0.08)))
        finger.add_shape("box", (0.03, 0.01, 0.08), material="rubber")
        place = (0, 0.06 * side, -0.11)
        hand.attach(finger, JointDescription(name, Joint.PRISMATIC, place, axis=(0, -side, 0)))
    return root


def build() -> tuple[tribo.World, tribo.ArticulatedSystem, tribo.SingleBody]:
    """Return a world with a can on the floor between the fingers."""
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    world.set_material_pair("rubber", "tin", friction=0.9)
    can = world.add_cylinder(RADIUS, HEIGHT, MASS, "tin", position=(0, 0, HEIGHT / 2))
    robot = world.add_articulated_system(gripper(), name="gripper")
    robot.set_pd_gains([4000.0, 0.0, 0.0], [200.0, 20.0, 20.0])
    return world, robot, can


def draw_picture(world: tribo.World, path: str) -> None:
    """Draw gripper and can."""
    from tribo.viewer import draw, film, raster, scene

    looks, poses = scene.describe(world), scene.read_poses(world)
    camera = raster.Camera(eye=(0.75, -0.6, 0.5), target=(0, 0, 0.25), fov=36)
    film.save_picture(draw.picture(looks, poses, camera, draw.Style(640, 440, tile=0.2)), path)


def main() -> None:
    """Grasp, lift, hold; print how far the can slips."""
    world, robot, can = build()
    force = world.add_force_torque_sensor(robot, "lift")
    robot.generalized_force = [0.0, GRIP, GRIP]
    world.step(500)
    for height in np.linspace(0.0, 0.2, 500):
        robot.pd_target[0] = height
        world.step(2)
    world.step(1000)
    hand = robot.frame("hand")
    start = hand.to_local(can.position)
    turn = hand.rotation_matrix.T @ can.rotation_matrix
    worst = 0.0
    for second in range(60):
        world.step(1000)
        slip = float(np.linalg.norm(hand.to_local(can.position) - start))
        worst = max(worst, slip)
        if second % 15 == 14:
            print(f"{second + 1:3d} s: the can has slipped {slip:.2e} m")
    tilt = float(np.abs(hand.rotation_matrix.T @ can.rotation_matrix - turn).max())
    weight = force.measure().force[2]
    print(f"worst slip {worst:.2e} m, turned by {tilt:.1e} rad, the lift carries {weight:.4f} N")
    if len(sys.argv) > 1:
        draw_picture(world, sys.argv[1])
    assert can.position[2] > HEIGHT / 2 + 0.15
    assert worst <= 1e-8
    assert abs(weight - (1.2 + MASS) * 9.81) < 1e-6


if __name__ == "__main__":
    main()
