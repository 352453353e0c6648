"""Sensors against what they must say by the laws of mechanics and geometry."""

import math

import numpy as np
import pytest
from world_shapes import turned

import tribo
from tribo.sensors import Noise
from tribo.sensors.base import Sensor
from tribo.tools.demo import ASSETS

G = 9.81


def test_an_imu_at_rest_reads_plus_g_and_in_free_fall_nothing():
    world = tribo.World()
    world.add_ground()
    box = world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5))
    falling = world.add_box((0.2, 0.2, 0.2), 1.0, position=(5, 0, 50))
    q = turned(np.random.default_rng(0))
    on_box, free, fixed = (
        world.add_imu(part, orientation=q, position=(0.1, 0.2, 0.3)) for part in (box, falling, None)
    )
    for sensor in (on_box, free, fixed):
        with pytest.raises(tribo.EditError, match="step the world first"):
            sensor.measure()
    world.step(20)
    up = on_box.rotation_matrix.T @ (0, 0, G)
    assert np.allclose(on_box.measure().linear_acceleration, up, rtol=0, atol=1e-9)
    assert np.allclose(fixed.measure().linear_acceleration, fixed.rotation_matrix.T @ (0, 0, G))
    assert np.abs(free.measure().linear_acceleration).max() < 1e-9
    assert np.abs(on_box.measure().angular_velocity).max() < 1e-9
    with pytest.raises(ValueError, match="read-only"):
        on_box.reading.linear_acceleration[0] = 1.0


def test_an_imu_on_a_spinning_body_feels_the_centripetal_acceleration():
    world = tribo.World(gravity=(0, 0, 0))
    wheel = world.add_cylinder(1.0, 0.1, 1.0, angular_velocity=(0, 0, 3.0))
    imu = world.add_imu(wheel, position=(0.5, 0, 0))
    world.step(100)
    read = imu.measure()
    assert np.allclose(read.linear_acceleration, (-9.0 * 0.5, 0, 0), rtol=0, atol=1e-9)
    assert np.allclose(read.angular_velocity, (0, 0, 3.0), rtol=0, atol=1e-12)


def test_an_imu_on_a_robot_is_the_derivative_of_its_velocity():
    world = tribo.World()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 2))
    robot.generalized_velocity[:] = np.linspace(-1, 1, robot.dof)
    name = robot.body_names[3]
    imu = world.add_imu(robot, name, position=(0.05, 0, -0.1))
    world.step(5)
    before = robot.frame(name).velocity_of((0.05, 0, -0.1))
    world.step()
    read = imu.measure()
    after = robot.frame(name).velocity_of((0.05, 0, -0.1))
    truth = imu.rotation_matrix @ read.linear_acceleration + np.array(world.gravity)
    # The difference is the mean over the step, the reading holds at its end: apart by jerk × Δt/2.
    assert np.allclose(truth, (after - before) / world.time_step, rtol=0, atol=0.05)
    fast = tribo.World(time_step=1e-5)
    twin = fast.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 2))
    twin.generalized_velocity[:] = np.linspace(-1, 1, robot.dof)
    imu = fast.add_imu(twin, name, position=(0.05, 0, -0.1))
    before = twin.frame(name).velocity_of((0.05, 0, -0.1))
    fast.step()
    truth = imu.rotation_matrix @ imu.measure().linear_acceleration + np.array(fast.gravity)
    after = twin.frame(name).velocity_of((0.05, 0, -0.1))
    assert np.allclose(truth, (after - before) / 1e-5, rtol=0, atol=0.0005)


def test_rates_and_times():
    world = tribo.World(time_step=1e-3)
    ball = world.add_sphere(0.1, 1.0)
    fast, slow = world.add_imu(ball, update_rate=1000), world.add_imu(ball, update_rate=300)
    times = []
    for _ in range(20):
        world.step()
        times.append(slow.reading.time if slow.reading else None)
        assert fast.reading.time == pytest.approx(world.time, abs=1e-12)
    seen = sorted({round(1e3 * t) for t in times if t})
    assert seen == [4, 7, 10, 14, 17, 20]
    other = tribo.World(time_step=1e-3)
    twin = other.add_imu(other.add_sphere(0.1, 1.0), update_rate=300)
    other.step(19)  # many steps in one call stop where single ones do
    assert round(1e3 * twin.reading.time) == 17
    with pytest.raises(ValueError, match="1000 steps per second"):
        world.add_imu(ball, update_rate=1001)
    world.time_step = 2e-3
    with pytest.raises(ValueError, match="500 steps per second"):
        world.step()
    assert world.time == pytest.approx(0.02)


def test_update_and_advance_measure_too():
    world = tribo.World()
    imu = world.add_imu(world.add_sphere(0.1, 1.0), update_rate=1000)
    world.update()
    world.advance()
    assert np.abs(imu.reading.linear_acceleration).max() < 1e-9


def test_sensors_do_not_change_what_happens():
    results = []
    for has_sensors in (False, True):
        world = tribo.World()
        world.add_ground()
        robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.6))
        if has_sensors:
            world.add_imu(robot, robot.body_names[0], update_rate=250)
            world.add_depth_camera(robot, width=8, height=6, update_rate=50)
            world.add_force_torque_sensor(robot, robot.joint_names[0], update_rate=100)
        world.step(100)
        results.append(robot.generalized_coordinate.copy())
    assert (results[0] == results[1]).all()


def test_force_and_torque_in_a_joint_carry_what_hangs_on_it():
    text = """<robot><link name="world"/><link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
      <limit lower="-3" upper="3" effort="1000" velocity="100"/></joint></robot>"""
    world = tribo.World()
    arm = world.add_articulated_system(text)
    arm.set_pd_gains(1e6, 1e3)
    sensor = world.add_force_torque_sensor(arm, "hinge")
    world.step(3000)
    read = sensor.measure()
    turn = sensor.rotation_matrix
    assert np.allclose(turn @ read.force, (0, 0, 2 * G), rtol=0, atol=1e-6)
    lever = turn @ (0.5, 0, 0)
    assert np.allclose(turn @ read.torque, np.cross(lever, (0, 0, 2 * G)), rtol=0, atol=1e-5)
    assert float(read.torque[1]) == pytest.approx(float(arm.applied_torque[0]), abs=1e-5)
    arm.apply_force("arm", (3.0, 0, 0))
    world.step()
    assert (turn @ sensor.measure().force)[0] == pytest.approx(-3.0, abs=0.05)


def test_joints_and_contacts_of_a_standing_robot_carry_its_weight():
    world = tribo.World()
    world.add_ground()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.5))
    robot.set_pd_gains(200.0, 10.0)
    world.step(3000)
    feet = [world.add_contact_sensor(robot, f"{leg}_SHANK") for leg in ("LF", "RF", "LH", "RH")]
    hips = [world.add_force_torque_sensor(robot, link.joint.name) for link in robot.links[0].children]
    world.step()
    weight = robot.mass * G
    total = sum(foot.rotation_matrix @ foot.measure().force for foot in feet)
    assert np.allclose(total, (0, 0, weight), rtol=0, atol=1e-3 * weight)
    assert all(foot.reading.is_touching for foot in feet)
    trunk = robot.links[0].mass * G
    held = sum(hip.rotation_matrix @ hip.measure().force for hip in hips)
    assert np.allclose(held, (0, 0, -trunk), rtol=0, atol=1e-3 * weight)


def room():
    world = tribo.World()
    world.add_ground()
    wall = world.add_box((1, 20, 20), 1.0, body_type="static", position=(3.5, 0, 0))
    ball = world.add_sphere(0.5, 1.0, position=(2, 0, 1))
    return world, wall, ball


def test_a_camera_sees_depth_along_its_axis():
    world, wall, ball = room()
    camera = world.add_depth_camera(None, position=(0, 0, 1), width=41, height=31, horizontal_fov=1.0)
    depth, seen = camera.measure()[1:]
    assert depth.shape == (31, 41)
    assert depth[15, 20] == pytest.approx(1.5, abs=1e-12)  # the middle: the ball
    assert seen[15, 20] == world.objects.index(ball)
    assert depth[0, 0] == pytest.approx(3.0, abs=1e-12)  # a wall across the axis has one depth
    assert seen[0, 0] == world.objects.index(wall)
    assert seen[30, 20] == 0  # the ground is below
    f = camera.intrinsics[0, 0]
    assert depth[30, 20] == pytest.approx(f / 15.0, abs=1e-9)  # 1 m above it, 15 pixels below the middle
    points = camera.points()
    assert np.allclose(points[30, 20], (depth[30, 20], 0, -1), rtol=0, atol=1e-9)
    # The pinhole maps the points back to the middles of their pixels.
    optical = points[3, 7] @ camera.optical_rotation
    u, v, w = camera.intrinsics @ optical
    assert (u / w, v / w) == pytest.approx((7.5, 3.5))


def test_clipping_and_the_own_body():
    world, _, ball = room()
    near = world.add_depth_camera(None, position=(0, 0, 1), width=3, height=3, clip=(1.6, 2.9))
    middle = near.measure().depth[1, 1]
    assert middle == pytest.approx(2.5, abs=1e-12)  # the near plane cuts the ball open: its far side is seen
    assert math.isnan(near.measure().depth[0, 0])
    assert near.reading.segmentation[0, 0] == -1
    inside = world.add_lidar(ball, yaw_samples=4)
    assert inside.measure().ranges[0, 0] == pytest.approx(1.0, abs=1e-12)
    seeing = world.add_lidar(ball, yaw_samples=4, sees_parent=True)
    assert seeing.measure().ranges[0, 0] == pytest.approx(0.5, abs=1e-12)


def test_a_lidar_turns():
    world = tribo.World(time_step=1e-3)
    for x, y in ((5, 0), (0, 5), (-5, 0), (0, -5)):
        size = (1, 20, 9) if x else (20, 1, 9)
        world.add_box(size, 1.0, body_type="static", position=(1.1 * x, 1.1 * y, 0))
    whole = world.add_lidar(None, yaw_samples=360, pitch=(-0.1, 0.0, 0.1))
    read = whole.measure()
    assert read.ranges.shape == (360, 3)
    assert np.allclose(np.abs(read.points[:, :2]).max(axis=1), 5.0, rtol=0, atol=1e-9)
    assert read.yaw[90] == pytest.approx(math.pi / 2)
    for clockwise in (False, True):
        rolling = world.add_lidar(None, yaw_samples=360, spin_rate=10, update_rate=100, clockwise=clockwise)
        columns = []
        for _ in range(10):
            world.step(10)
            columns.append(rolling.reading.yaw)
            assert len(rolling.reading.yaw) == 36
        swept = np.sort(np.mod(np.concatenate(columns), 2 * math.pi - 1e-12))
        assert len(np.unique(swept.round(9))) == 360
    limited = world.add_lidar(None, yaw_samples=8, range_limits=(0.1, 5.5))
    assert np.isinf(limited.measure().ranges[1, 0])  # the corners are farther away


def test_encoders():
    world = tribo.World()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
    name = robot.joint_names[1]
    step = 2 * math.pi / 4096
    encoder = world.add_joint_encoder(robot, name, noise=Noise(resolution=step))
    robot.joint(name).coordinate = 0.777
    robot.joint(name).velocity = -2.0
    read = encoder.measure()
    assert read.position == pytest.approx(0.777, abs=step / 2)
    assert read.position / step == pytest.approx(round(read.position / step), abs=1e-9)
    assert read.velocity == -2.0
    with pytest.raises(KeyError, match="unknown joint"):
        world.add_joint_encoder(robot, "elbow")
    root = robot.links[0].joint.name
    with pytest.raises((ValueError, KeyError)):
        world.add_joint_encoder(robot, root)


def noisy(seed, count, **numbers):
    world = tribo.World(gravity=(0, 0, 0))
    imu = world.add_imu(world.add_sphere(0.1, 1.0), update_rate=1000, noise=Noise(**numbers), seed=seed)
    found = []
    for _ in range(count):
        world.step()
        found.append(imu.reading.linear_acceleration)
    return np.array(found)


def test_noise_has_the_moments_asked_for_and_repeats():
    count = 1500
    for kind in ("gaussian", "uniform"):
        found = noisy(1, count, stddev=0.2, mean=0.5, kind=kind)
        error = 5 / math.sqrt(3 * count)  # five standard deviations of the estimates
        assert found.mean() == pytest.approx(0.5, abs=0.2 * error)
        assert found.std() == pytest.approx(0.2, rel=error)
    assert np.abs(found - 0.5).max() <= 0.2 * math.sqrt(3) + 1e-9
    assert (noisy(1, 50, stddev=0.2) == noisy(1, 50, stddev=0.2)).all()
    assert (noisy(1, 50, stddev=0.2) != noisy(2, 50, stddev=0.2)).all()
    lost = np.isnan(noisy(3, count, dropout=0.25))
    assert (lost.any(axis=1) == lost.all(axis=1)).all()
    assert lost.mean() == pytest.approx(0.25, abs=5 * math.sqrt(0.25 * 0.75 / count))
    steps = np.diff(noisy(4, count, random_walk=0.3), axis=0)
    assert steps.std() == pytest.approx(0.3 * math.sqrt(1e-3), rel=5 / math.sqrt(3 * count))


def test_snapshots_hold_noise_and_clocks():
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0)
    imu = world.add_imu(ball, update_rate=300, noise=Noise(stddev=0.1, random_walk=0.1, dropout=0.1))
    world.step(50)
    saved = world.snapshot()
    first = []
    for _ in range(30):
        world.step()
        first.append((imu.reading.time, imu.reading.linear_acceleration.tobytes()))
    world.restore(saved)
    second = []
    for _ in range(30):
        world.step()
        second.append((imu.reading.time, imu.reading.linear_acceleration.tobytes()))
    assert first == second
    world.add_imu(ball)
    with pytest.raises(ValueError, match="other sensors"):
        world.restore(saved)


def test_removed_and_refused():
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0)
    imu = world.add_imu(ball, name="imu", update_rate=100)
    camera = world.add_depth_camera(None)
    assert world.sensor("imu") is imu
    with pytest.raises(ValueError, match="already a sensor"):
        world.add_imu(ball, name="imu")
    with pytest.raises(KeyError, match="did you mean 'imu'"):
        world.sensor("inu")
    world.remove(ball)
    world.step(20)
    assert world.sensors == (camera,)
    with pytest.raises(tribo.EditError, match="removed"):
        imu.measure()
    with pytest.raises((ValueError, tribo.EditError), match="sphere"):
        world.add_imu(ball)
    world.remove_sensor(camera)
    with pytest.raises(tribo.EditError, match="removed"):
        camera.measure()
    assert world.sensors == ()
    for wrong in (
        {"width": 10**5, "height": 10**5}, {"width": 0}, {"horizontal_fov": 3.2}, {"clip": (2, 1)},
        {"clip": (math.nan, 1)}, {"update_rate": 0}, {"noise": 0.1}, {"seed": -1},
        {"orientation": (0, 0, 0, 2)},
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError, MemoryError)):
            world.add_depth_camera(None, **wrong)
    for wrong in ({"yaw_samples": 10**9}, {"pitch": []}, {"pitch": 3.0}, {"range_limits": (-1, 2)}):
        with pytest.raises((ValueError, TypeError, MemoryError)):
            world.add_lidar(None, **wrong)
    with pytest.raises(MemoryError, match="at most"):
        world.add_lidar(None, yaw_samples=10**8)
    for wrong in ({"stddev": -1}, {"dropout": 1.5}, {"kind": "pink"}, {"mean": math.nan}):
        with pytest.raises((ValueError, TypeError)):
            Noise(**wrong)
    assert world.sensors == ()
    with pytest.raises(TypeError, match="robot"):
        world.add_force_torque_sensor(world.add_sphere(0.1, 1.0), "hinge")


def test_a_link_can_carry_a_sensor_as_it_can_a_constraint():
    world = tribo.World()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 2))
    link = robot.links[-1]
    direct = world.add_imu(link, position=(0.01, 0, 0))
    by_name = world.add_imu(robot, link.name, position=(0.01, 0, 0))
    world.step()
    assert np.array_equal(direct.position, by_name.position)
    assert np.array_equal(direct.measure().linear_acceleration, by_name.measure().linear_acceleration)
    with pytest.raises(TypeError, match="an object of the world, a link of a robot, or None"):
        world.add_imu("trunk")


def test_a_step_asks_timed_sensors_alone(monkeypatch):
    """Sensors on request, of which robots bring dozens, are not asked in a step; nor one that left."""
    asked = []
    due = Sensor.due
    monkeypatch.setattr(Sensor, "due", lambda sensor: asked.append(sensor.name) or due(sensor))
    world = tribo.World()
    box = world.add_box((1, 1, 1), mass=1.0)
    world.add_imu(box, name="on request")
    world.step(3)
    assert asked == []
    world.add_imu(box, name="timed", update_rate=500.0)
    world.step(2)
    assert set(asked) == {"timed"}
    assert world.sensor("timed").reading is not None
    world.remove_sensor("timed")
    asked.clear()
    world.step(3)
    assert asked == []
    assert np.allclose(world.sensor("on request").measure().linear_acceleration, 0.0, atol=1e-9)


def test_a_force_that_is_applied_after_the_step_is_no_part_of_a_reading():
    """Not even on a link that is merged with the one that the sensor carries."""
    text = """<robot><link name="world"/><link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="tool"><inertial><origin xyz="0 0 0"/><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
      <limit lower="-3" upper="3" effort="1000" velocity="100"/></joint>
      <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="1 0 0"/></joint>
      </robot>"""
    world = tribo.World()
    arm = world.add_articulated_system(text)
    sensor = world.add_force_torque_sensor(arm, "flange")
    world.step()
    arm.apply_force("arm", (1.0, 0, 0))
    world.step()
    before = sensor.measure()
    arm.apply_force("tool", (0, 50.0, 0))
    after = sensor.measure()
    assert np.array_equal(before.force, after.force)
    assert np.array_equal(before.torque, after.torque)
    world.step()
    assert not np.allclose(sensor.measure().force, before.force, atol=1.0)


def test_after_a_step_that_failed_there_is_no_last_step():
    """It read what had changed since the last step that was noted, by the time of one step."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 50))
    imu = world.add_imu(ball)
    world.step()
    assert np.abs(imu.measure().linear_acceleration).max() < 1e-9
    ball.linear_velocity = (0, 0, 0)
    ball.generalized_velocity[3] = np.inf
    with pytest.raises(tribo.SimulationError):
        world.step(20)
    ball.angular_velocity = (0, 0, 0)
    with pytest.raises(tribo.EditError, match="step the world first"):
        imu.measure()
    world.step()
    assert np.abs(imu.measure().linear_acceleration).max() < 1e-9
