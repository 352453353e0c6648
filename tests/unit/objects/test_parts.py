"""What passes through fixed joints: closed forms, balances, and what is refused because nobody knows."""

import numpy as np
import pytest

import tribo

G = 9.81


def cube(mass, edge):
    return mass * edge**2 / 6.0 * np.eye(3)


def gantry():
    """Return a base that stands, with two trays on fixed joints; a pan hangs on the first by a hinge."""
    base = tribo.LinkDescription("base", mass=5.0, inertia=cube(5.0, 0.2))
    base.fix_to_world()
    left = base.add_child("left", "fixed", position=(0.5, 0, 0.2), joint_name="left_flange")
    left.add_shape("box", (0.4, 0.4, 0.02), mass=1.5)
    right = base.add_child("right", "fixed", position=(-0.5, 0, 0.2), joint_name="right_flange")
    right.add_shape("box", (0.4, 0.4, 0.02), mass=1.5)
    tip = left.add_child("tip", "fixed", position=(0.2, 0, -0.1), joint_name="tip_flange")
    tip.mass, tip.com, tip.inertia = 0.5, (0.1, 0, 0), cube(0.5, 0.1)
    pan = tip.add_child("pan", "revolute", axis=(0, 1, 0), joint_name="hook")
    pan.mass, pan.com, pan.inertia = 0.25, (0, 0, -0.3), cube(0.25, 0.05)
    return base


def test_a_fixed_joint_carries_its_part_and_all_that_hangs_on_it():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    assert robot.body_names == ("base", "pan")
    sensors = [world.add_force_torque_sensor(robot, f"{name}_flange")
               for name in ("left", "right", "tip")]  # fmt: skip
    world.step(3)
    left, right, tip = (sensor.measure() for sensor in sensors)
    # The pan hangs straight below its hook: it is at rest from the start.
    assert np.allclose(tip.force, (0, 0, 0.75 * G), rtol=0, atol=1e-12)
    assert np.allclose(tip.torque, (0, -0.1 * 0.5 * G, 0), rtol=0, atol=1e-12)
    assert np.allclose(left.force, (0, 0, 2.25 * G), rtol=0, atol=1e-12)
    arm = 0.3 * 0.5 + 0.2 * 0.25
    assert np.allclose(left.torque, (0, -arm * G, 0), rtol=0, atol=1e-12)
    assert np.allclose(right.force, (0, 0, 1.5 * G), rtol=0, atol=1e-12)
    assert np.abs(right.torque).max() < 1e-12
    base = world.add_force_torque_sensor(robot, "base")
    assert np.allclose(base.measure().force, (0, 0, robot.mass * G), rtol=0, atol=1e-12)


def test_names_of_links_and_frames_stand_for_the_joint_on_which_they_hang():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    joint, link = (world.add_force_torque_sensor(robot, name) for name in ("tip_flange", "tip"))
    turned = world.add_force_torque_sensor(
        robot, "tip", position=(0.1, 0, 0), orientation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    )
    world.step()
    assert (joint.measure().force == link.measure().force).all()
    assert robot.frame("tip_flange").link_name == "tip"
    assert robot.frame("hook").link_name == "pan"
    read = turned.measure()
    # 90° about y: the sensor's −x points up. About the part's centre of mass the pan's hook is 0.1 m behind.
    assert np.allclose(read.force, (-0.75 * G, 0, 0), rtol=0, atol=1e-12)
    assert np.allclose(read.torque, (0, 0.1 * 0.25 * G, 0), rtol=0, atol=1e-12)
    with pytest.raises(KeyError, match="did you mean 'tip_flange'"):
        world.add_force_torque_sensor(robot, "tip_flang")


def test_a_part_on_a_spinning_joint_is_pulled_inwards():
    rotor = tribo.LinkDescription("stand")
    rotor.fix_to_world()
    arm = rotor.add_child("arm", "revolute", axis=(0, 0, 1), joint_name="shaft")
    arm.mass, arm.inertia = 1.0, cube(1.0, 0.3)
    bob = arm.add_child("bob", "fixed", position=(0.4, 0, 0), joint_name="clamp")
    bob.mass, bob.com, bob.inertia = 0.7, (0.1, 0, 0), cube(0.7, 0.1)
    world = tribo.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(rotor)
    robot.generalized_velocity = [6.0]
    sensor = world.add_force_torque_sensor(robot, "clamp")
    world.step(50)
    read = sensor.measure()
    assert np.allclose(read.force, (-0.7 * 36.0 * 0.5, 0, 0), rtol=0, atol=1e-9)
    assert np.abs(read.torque).max() < 1e-9
    # Speeding up: m α r across, I α about the part's centre.
    robot.generalized_force = [2.0]
    before = robot.generalized_velocity.copy()
    world.step()
    alpha = float((robot.generalized_velocity - before)[0] / world.time_step)
    read = sensor.measure()
    assert read.force[1] == pytest.approx(0.7 * alpha * 0.5, rel=1e-9)
    moment = cube(0.7, 0.1)[2, 2] * alpha + 0.1 * 0.7 * alpha * 0.5
    assert read.torque[2] == pytest.approx(moment, rel=1e-9)


def test_contacts_count_on_the_part_whose_shape_they_touch():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    world.add_sphere(0.05, 2.0, position=(0.6, 0.05, 0.26))
    left = world.add_force_torque_sensor(robot, "left_flange")
    right = world.add_force_torque_sensor(robot, "right_flange")
    world.step(300)
    (contact,) = world.contacts
    force = contact.force_on(robot)
    read = left.measure()
    # 1e-6 N: what is left of a rest after 300 steps at the solver's tolerance.
    assert np.allclose(read.force, (0, 0, (2.25 + 2.0) * G), rtol=0, atol=1e-6)
    assert np.allclose(read.force, (0, 0, 2.25 * G) - force, rtol=0, atol=1e-9)
    moment = np.cross(contact.position - left.position, force)
    own = (0, -(0.3 * 0.5 + 0.2 * 0.25) * G, 0)
    assert np.allclose(read.torque, own - moment, rtol=0, atol=1e-9)
    assert np.allclose(right.measure().force, (0, 0, 1.5 * G), rtol=0, atol=1e-12)


def test_the_legs_of_a_table_carry_its_top():
    top = tribo.LinkDescription("top")
    top.add_shape("box", (1.0, 0.6, 0.04), mass=8.0)
    for k, (x, y) in enumerate(((0.45, 0.25), (-0.45, 0.25), (0.45, -0.25), (-0.45, -0.25))):
        leg = top.add_child(f"leg{k}", "fixed", position=(x, y, -0.3))
        leg.add_shape("box", (0.05, 0.05, 0.56), mass=0.6)
    world = tribo.World()
    world.add_ground()
    table = world.add_articulated_system(top, position=(0, 0, 0.58))
    legs = [world.add_force_torque_sensor(table, f"leg{k}") for k in range(4)]
    world.step(500)
    force, torque = np.zeros(3), np.zeros(3)
    for leg in legs:
        read = leg.measure()
        held = leg.rotation_matrix @ read.force
        force += held
        torque += leg.rotation_matrix @ read.torque
        torque += np.cross(leg.position - table.position, held)
    assert np.allclose(force, (0, 0, -8.0 * G), rtol=0, atol=1e-6)
    assert np.allclose(torque, 0.0, rtol=0, atol=1e-6)


@pytest.mark.parametrize("mode", ["simultaneous", "propagate"])
def test_a_blow_is_felt_by_the_part_that_it_meets(mode):
    world = tribo.World()
    world.impact = mode
    world.set_material_pair("default", "default", restitution=0.5)
    world.add_ground()
    body = tribo.LinkDescription("body", mass=3.0, inertia=cube(3.0, 0.2))
    foot = body.add_child("foot", "fixed", position=(0, 0, -0.3), joint_name="ankle")
    foot.add_shape("sphere", (0.05,), mass=1.0)
    robot = world.add_articulated_system(body, position=(0, 0, 0.4))
    ankle = world.add_force_torque_sensor(robot, "ankle")
    touch = world.add_contact_sensor(robot, "body")
    robot.linear_velocity = (0, 0, -2.0)
    most = 0.0
    for _ in range(60):
        before = robot.linear_velocity.copy()
        world.step()
        gained = (robot.linear_velocity - before) / world.time_step
        # The foot gives the body what the body needs beyond its weight.
        needed = 3.0 * (gained + np.array((0, 0, G)))
        assert np.allclose(-ankle.measure().force, needed, rtol=1e-9, atol=1e-9)
        total = touch.measure().force - robot.mass * np.array((0, 0, G))
        assert np.allclose(total, robot.mass * gained, rtol=1e-9, atol=1e-9)
        most = max(most, float(touch.reading.force[2]))
    assert most > 1000.0  # there was a blow: 4 kg × 3 m/s in 1 ms


def test_forces_from_outside_count_where_they_were_applied():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    left = world.add_force_torque_sensor(robot, "left_flange", update_rate=1000)
    right = world.add_force_torque_sensor(robot, "right_flange", update_rate=1000)
    robot.apply_force("tip", (3, 0, 0), point=(0, 0, 0))
    robot.apply_torque("left", (0, 0, 4))
    robot.apply_force("base", (100, 0, 0))
    saved = world.snapshot()
    state = world.dump_state()
    for _ in range(2):  # a snapshot keeps which link is pushed
        world.step()
        assert np.allclose(left.reading.force, (-3, 0, 2.25 * G), rtol=0, atol=1e-12)
        own = -(0.3 * 0.5 + 0.2 * 0.25) * G
        assert np.allclose(left.reading.torque, (0, own + 3 * 0.1, -4), rtol=0, atol=1e-12)
        assert np.allclose(right.reading.force, (0, 0, 1.5 * G), rtol=0, atol=1e-12)
        world.restore(saved)
    world.step(2)  # they last one step
    assert np.allclose(left.reading.force, (0, 0, 2.25 * G), rtol=0, atol=1e-12)
    world.load_state(state)  # bytes do not say on which link a force acts
    with pytest.raises(tribo.EditError, match="step the world first"):
        left.measure()  # what it knew of the last step belongs to another state
    with pytest.raises(tribo.EditError, match="does not say on which link"):
        world.step()
    world.step()
    assert np.allclose(left.reading.force, (0, 0, 2.25 * G), rtol=0, atol=1e-12)


def test_a_pushed_link_is_known_though_the_sensor_came_later():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    robot.apply_force("left", (7, 0, 0))
    world.step(5)  # nobody measures, and the force is over
    left = world.add_force_torque_sensor(robot, "left_flange")
    robot.apply_force("base", (1, 0, 0))
    world.step()
    assert np.allclose(left.measure().force, (0, 0, 2.25 * G), rtol=0, atol=1e-12)


def test_constraints_count_at_the_link_that_they_hold():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    left = world.add_force_torque_sensor(robot, "left_flange")
    right = world.add_force_torque_sensor(robot, "right_flange")
    weight = world.add_sphere(0.02, 3.0, position=(0.5, 0, -0.5))
    world.add_wire(weight, robot.frame("left"))
    world.step(5)
    assert np.allclose(left.measure().force, (0, 0, 5.25 * G), rtol=0, atol=1e-8)
    assert np.allclose(right.measure().force, (0, 0, 1.5 * G), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["pin", "weld", "wire", "motor"])
def test_a_sensor_in_a_hinge_knows_of_what_else_holds_the_link(kind):
    beam = tribo.LinkDescription("wall")
    beam.fix_to_world()
    bar = beam.add_child("bar", "revolute", axis=(0, 1, 0), joint_name="hinge")
    bar.add_shape("box", (1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0))
    bar.add_child("end", "fixed", position=(1.0, 0, 0))
    world = tribo.World()
    robot = world.add_articulated_system(beam)
    hinge = world.add_force_torque_sensor(robot, "hinge")
    end = robot.frame("end")
    lift, moment = 1.0 * G, 0.0  # half of the weight at the end
    if kind == "pin":
        world.add_pin(end, None)
    elif kind == "weld":
        world.add_weld(end, None)
    elif kind == "wire":
        world.add_wire(end, None, second_point=(1.0, 0, 2.0))
    else:
        world.add_motor(None, robot.link("bar"), axis=(0, 1, 0), max_force=100.0)
        lift, moment = 2.0 * G, 1.0 * G
    world.step(20)
    read = hinge.measure()
    total = read.force[2], read.torque[1]
    if kind == "weld":  # statically indeterminate: what the two ends give together
        tie = world.constraints[0]
        at_end = tie.force
        assert read.force + at_end == pytest.approx((0, 0, 2.0 * G), abs=1e-6)
    else:
        assert total[0] == pytest.approx(lift, abs=1e-6)
    # Nothing turns the hinge: about its axis the link receives nothing through it.
    assert total[1] == pytest.approx(0.0, abs=1e-6)
    assert moment == 0.0 or abs(world.constraints[0].applied) == pytest.approx(moment, abs=1e-6)


def test_what_bears_a_body_bears_its_parts_by_the_same_share():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    robot.link("base").gravity_compensation = 0.6
    left = world.add_force_torque_sensor(robot, "left_flange")
    whole = world.add_force_torque_sensor(robot, "base")
    world.step()
    assert left.measure().force[2] == pytest.approx((0.4 * 2.0 + 0.25) * G, abs=1e-12)
    assert whole.measure().force[2] == pytest.approx((0.4 * 8.5 + 0.25) * G, abs=1e-12)


def test_a_mass_that_was_changed_is_not_shared_out_by_guess():
    world = tribo.World()
    robot = world.add_articulated_system(gantry())
    left = world.add_force_torque_sensor(robot, "left_flange")
    base = robot.link("base")
    mass = base.mass
    base.mass = 1.1 * mass
    world.step()
    with pytest.raises(tribo.EditError, match=r"mass of the body that has 'left' as a part was changed"):
        left.measure()
    base.mass = mass
    assert left.measure().force[2] == pytest.approx(2.25 * G, abs=1e-9)
    base.com = (0.1, 0, 0)
    with pytest.raises(tribo.EditError, match="com of the body"):
        robot.frame("left").reaction()


def test_a_constraint_of_a_file_that_names_no_link_is_not_shared_out_by_guess(tmp_path):
    world = tribo.World()
    robot = world.add_articulated_system(gantry(), name="gantry")
    world.add_wire(robot.frame("left"), None, second_point=(0.5, 0, 3.0), tension=5.0)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    sensor = again.add_force_torque_sensor(again["gantry"], "left_flange")
    again.step()
    with pytest.raises(tribo.EditError, match="without saying by which of its links"):
        sensor.measure()


def test_frames_keep_their_links_through_files_orders_and_copies():
    text = """<robot name="r"><link name="world"/><link name="column"/><link name="hand"><inertial>
      <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="thumb"><inertial><mass value="0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"
      iyz="0"/></inertial></link><link name="finger"><inertial><mass value="0.25"/><inertia ixx="0.1"
      iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="foot" type="fixed"><parent link="world"/><child link="column"/></joint>
      <joint name="b" type="revolute"><parent link="hand"/><child link="finger"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
      <joint name="a" type="revolute"><parent link="column"/><child link="thumb"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
      <joint name="wrist" type="fixed"><parent link="column"/><child link="hand"/></joint></robot>"""
    world = tribo.World()
    first = world.add_articulated_system(text)
    second = world.add_articulated_system(
        text, joint_order=tuple(reversed(first.joint_names)), position=(3, 0, 0)
    )
    assert first.joint_names != second.joint_names
    for robot in (first, second):
        assert robot.frame("wrist").reaction()[5] == pytest.approx(2.25 * G, abs=1e-12)
        assert robot.frame("foot").reaction()[5] == pytest.approx(2.75 * G, abs=1e-12)
        assert robot.joint("a").reaction()[5] == pytest.approx(0.5 * G, abs=1e-12)


def test_reactions_of_many_states_and_worlds():
    world = tribo.World()
    robot = world.add_articulated_system(gantry(), name="gantry")
    v = np.array([[0.0], [3.0]])
    found = robot.at(None, v, None).frame("tip").reaction()
    # Turning at ω the pan, 0.3 m below its hook, pulls with m ω² r.
    assert np.allclose(found[:, 5] - 0.75 * G, (0, 0.25 * 9.0 * 0.3), rtol=0, atol=1e-12)
    wrench = np.zeros((2, 6))
    wrench[0, 3:] = 1.0, 2.0, 3.0
    given = robot.frame("tip").reaction(wrench=wrench, part_wrench=wrench[0])
    elsewhere = robot.frame("tip").reaction(wrench=wrench)
    assert np.allclose(elsewhere - given, (*np.cross(
        robot.link("base").com_position - robot.frame("tip").position, (1, 2, 3)), 1, 2, 3,
    ), rtol=0, atol=1e-12)  # fmt: skip
    with pytest.raises(ValueError, match="hangs on a joint that moves"):
        robot.frame("hook").reaction(part_wrench=wrench[0])
    batch = tribo.Batch(world, 3)
    assert batch["gantry"].frame("left").reaction().shape == (3, 6)


def test_a_sensor_on_an_arm_that_takes_its_steps_in_parts_reads_the_middle_of_the_step():
    """80 rad/s at 1 ms against steps of 10 µs: some (dt ω)²/8 = 8e-4 of configuration and velocity.

    (The parts left the arm where they ended: half a step, dt ω/2 = 4e-2, on.)
    """
    reads = []
    for dt, steps in ((1e-3, 10), (1e-5, 950)):
        stand = tribo.LinkDescription("stand")
        stand.fix_to_world()
        arm = stand.add_child("arm", "revolute", axis=(0, 0, 1), joint_name="shaft")
        arm.mass, arm.com, arm.inertia = 1.0, (0.2, 0, 0), cube(1.0, 0.3)
        fore = arm.add_child("fore", "revolute", position=(0.4, 0, 0), axis=(0, 0, 1), joint_name="elbow")
        fore.mass, fore.com, fore.inertia = 1.0, (0.2, 0, 0), cube(1.0, 0.3)
        bob = fore.add_child("bob", "fixed", position=(0.4, 0, 0), joint_name="clamp")
        bob.mass, bob.com, bob.inertia = 0.7, (0.1, 0, 0), cube(0.7, 0.1)
        world = tribo.World(time_step=dt, gravity=(0, 0, 0))
        robot = world.add_articulated_system(stand)
        robot.generalized_coordinate = [0.3, 1.2]
        robot.generalized_velocity = [30.0, 50.0]
        sensor = world.add_force_torque_sensor(robot, "clamp")
        in_parts = 0
        for _ in range(steps):
            world.step()
            in_parts += int(world.engine.work.tree_is_fourth.any())
        assert (in_parts > 0) == (dt == 1e-3)
        reads.append(sensor.measure().force)
    assert np.allclose(reads[0], reads[1], rtol=0, atol=5e-3 * np.linalg.norm(reads[1]))
