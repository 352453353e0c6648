"""Force–torque sensors of bodies over which wires run, and at which they end, by closed forms of statics."""

import numpy as np
import pytest

import tribo

START, PLACE, END = (np.array(x) for x in ((-1.0, 0.5, 0.2), (0.5, 0.1, 0.9), (1.5, -0.4, -0.3)))
ARM = """<robot name="{name}"><link name="world"/><link name="arm"><inertial><origin xyz="0.2 0 0"/>
  <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="0.5"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0.3 0 0"/></joint>
  <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="1e6" velocity="100"/></joint></robot>"""


def unit(vector):
    return vector / np.linalg.norm(vector)


def rigged(link="tip", **numbers):
    """Return a world without gravity: a wire from a point over an arm to a post, both in stiff hinges."""
    world = tribo.World(gravity=(0, 0, 0))
    arm, post = (
        world.add_articulated_system(ARM.format(name=name), name=name, position=place)
        for name, place in (("arm", (0.2, 0, 0.5)), ("post", (1.3, 0, 0)))
    )
    for robot in (arm, post):
        robot.set_pd_gains(1e7, 1e4)
    frames = [robot.frame(link) for robot in (arm, post)]
    inside = [f.rotation_matrix.T @ (p - f.position) for f, p in zip(frames, (PLACE, END), strict=True)]
    world.add_wire(None, frames[1], START, inside[1], over=[(frames[0], inside[0])], name="rope", **numbers)
    for robot in (arm, post):
        for joint in ("hinge", "mount"):
            world.add_force_torque_sensor(robot, joint, name=f"{robot.name} {joint}")
    return world


def read(sensor, k=None):
    """Return force and torque in world axes; of world k of a batch."""
    turn, reading = sensor.rotation_matrix, sensor.measure()
    at, found = sensor.position, [reading.force, reading.torque]
    if k is not None:
        turn, at, found = turn[k], at[k], [value[k] for value in found]
    return turn @ found[0], turn @ found[1], at


def assert_felt(sensor, force, point, k=None):
    """The joint holds the link against the force at a point; both ways of statics."""
    found, torque, at = read(sensor, k)
    scale = np.linalg.norm(force)
    np.testing.assert_allclose(found, -force, rtol=0, atol=1e-5 * scale)
    np.testing.assert_allclose(torque, -np.cross(point - at, force), rtol=0, atol=1e-5 * scale)


def pulls(first, second):
    """Return the force at the place and at the end, for the tensions of the two parts."""
    back, on = unit(START - PLACE), unit(END - PLACE)
    return first * back + second * on, -second * on


def test_a_place_is_pulled_along_both_parts_and_the_end_along_its_own():
    """T (u₁ + u₂) at the place: sensors said 0 there, and at the end T along the first part."""
    world = rigged(tension=30.0)
    world.step(3000)
    at_place, at_end = pulls(30.0, 30.0)
    for joint in ("hinge", "mount"):
        assert_felt(world.sensor(f"arm {joint}"), at_place, PLACE)
        assert_felt(world.sensor(f"post {joint}"), at_end, END)


def test_each_part_pulls_with_its_own_tension_where_the_wire_rubs():
    """The parts differ by Euler's factor at most; here what the step says of them is felt."""
    world = rigged(length=2.0, stiffness=100.0, damping=1.0)
    rope = world.constraint("rope")
    rope.friction = 0.4
    world.step(3000)
    first, second = rope.tensions
    assert first > 1.2 * second > 12.0
    at_place, at_end = pulls(first, second)
    assert_felt(world.sensor("arm hinge"), at_place, PLACE)
    assert_felt(world.sensor("post hinge"), at_end, END)


def test_all_worlds_of_a_batch_feel_it():
    batch = tribo.Batch(rigged(tension=30.0), 3, threads=1)
    felt = {name: batch.sensor(name) for name in batch.sensor_names}
    batch.constraint("rope").tension = [10.0, 20.0, 30.0]
    batch.step(3000)
    alone = rigged(tension=20.0)
    alone.step(3000)
    for name, sensor in felt.items():
        np.testing.assert_array_equal(sensor.measure().force[1], alone.sensor(name).measure().force)
        np.testing.assert_array_equal(sensor.reading.torque[1], alone.sensor(name).reading.torque)
    for k, tension in enumerate((10.0, 20.0, 30.0)):
        at_place, at_end = pulls(tension, tension)
        assert_felt(felt["arm hinge"], at_place, PLACE, k)
        assert_felt(felt["post mount"], at_end, END, k)


def test_a_pulley_in_free_motion_accelerates_by_what_its_joint_and_the_wire_do():
    """m a = F + T (u₁ + u₂) of a link that is free to turn, by its velocities before and after a step."""
    world = rigged(link="arm", tension=5.0)
    arm = world["arm"]
    arm.set_pd_gains(0.0, 0.0)
    world.step(50)
    link = arm.frame("arm")
    com = np.array((0.2 * 2 + 0.3 * 0.5, 0, 0)) / 2.5
    before = link.velocity_of(com)
    world.step()
    change = 2.5 * (link.velocity_of(com) - before) / world.time_step
    force, _, _ = read(world.sensor("arm hinge"))
    place = world.constraint("rope").way[1].pose()[0]
    pull = 5.0 * (unit(START - place) + unit(END - place))
    np.testing.assert_allclose(change, force + pull, rtol=0, atol=1e-2 * np.linalg.norm(pull))


@pytest.mark.parametrize(
    "over", [(), ((0.0, 0.0, 0.0),), ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.5, 0.0, 1.0))]
)
def test_the_loads_of_a_wire_add_up_to_nothing(over):
    """Also where places coincide with one another or with an end: such a part pulls at nothing."""
    world = tribo.World(gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, mass=2.0)
    rope = world.add_wire(ball, None, second_point=(1, 0, 0.5), over=over, tension=3.0, name="rope")
    world.step()
    found = rope.loads([end.pose() for end in rope.way])
    forces = np.array([force for _, force, _ in found])
    assert np.isfinite(forces).all()
    np.testing.assert_allclose(forces.sum(axis=0), 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(forces[-1]), 3.0, rtol=1e-12)
    assert all((torque == 0.0).all() for _, _, torque in found)
