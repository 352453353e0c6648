"""Sensors in all worlds at once: what the sensors of worlds alone say, bit for bit."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo
from tribo.sensors import Noise

NOISE = Noise(stddev=0.01, random_walk=0.1, dropout=0.05)
FRAME = {"position": (0.1, 0, 0.05), "orientation": (0.5, 0.5, 0.5, 0.5)}


def build(k=0, noise=None):
    """Return a quadruped that stands, k cm higher, with one sensor of each kind and others."""
    world = ground_world(friction=0.8)
    dog = standing_quadruped(world, kp=60.0, kd=2.0, name="dog")
    dog.generalized_coordinate[2] += 0.01 * k
    world.add_box((0.3, 0.4, 0.5), 2.0, position=(1, 0.2, 0.25), name="box")
    for name, link, place in (("rope", "trunk", (0.1, 0, 0)), ("string", "LF_FOOT", (0, 0, 0))):
        world.add_wire(None, dog.frame(link), first_point=(0.2, 0, 2.0), second_point=place, length=1.4,
                       name=name, stiffness=40.0)  # fmt: skip
    same = {"noise": noise, "seed": 5 + k}
    world.add_imu(dog, "trunk", name="imu", gyro_noise=noise, **FRAME, **same)
    world.add_imu(None, name="fixed imu")
    world.add_lidar(dog, "trunk", name="lidar", yaw_samples=36, pitch=(-0.5, 0.0, 0.1),
                    range_limits=(0.2, 20), position=(0, 0, 0.2), **same)  # fmt: skip
    world.add_depth_camera(dog, "trunk", name="camera", width=8, height=6, position=(0.3, 0, 0.1),
                           **same)  # fmt: skip
    world.add_force_torque_sensor(dog, "LF_KFE", name="knee", **same)
    world.add_force_torque_sensor(dog, "LF_FOOT", name="foot", **same)
    world.add_contact_sensor(dog, "LF_FOOT", name="touch", **same)
    world.add_joint_encoder(dog, "LF_KFE", name="encoder", velocity_noise=noise, **same)
    return world


def assert_same(reading, alone, k):
    """Row k of a reading of a batch is the reading of a world alone."""
    for field in alone._fields:
        expected, found = getattr(alone, field), getattr(reading, field)
        if field in ("yaw", "pitch"):
            np.testing.assert_array_equal(found, expected)
        elif field == "points" and hasattr(alone, "ranges"):
            np.testing.assert_array_equal(found[k][np.isfinite(reading.ranges[k])], expected)
        else:
            np.testing.assert_array_equal(found[k], expected)
            assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize(("noise", "threads"), [(None, 1), (NOISE, 2)])
def test_readings_are_those_of_worlds_alone(noise, threads):
    """Every kind of sensor, with pushes on a foot that are held or not, over calls of many steps and one."""
    worlds = 3
    batch = tribo.Batch(build(0, noise), worlds, threads=threads)
    alone = [build(k, noise) for k in range(worlds)]
    felt = {name: batch.sensor(name) for name in batch.sensor_names}
    assert set(felt) == {sensor.name for sensor in alone[0].sensors}
    for k, world in enumerate(alone):
        batch.set_from_world(world, k)
    for steps in (40, 1, 25):
        push = np.array([(0.0, 0.0, 3.0 + k) for k in range(worlds)])
        batch["dog"].apply_force("LF_FOOT", push)
        for k, world in enumerate(alone):
            world["dog"].apply_force("LF_FOOT", push[k])
            world.step(steps)
        batch.step(steps)
        for name, sensor in felt.items():
            reading = sensor.measure()
            assert sensor.reading is reading
            for k, world in enumerate(alone):
                assert_same(reading, world.sensor(name).measure(), k)
                np.testing.assert_array_equal(sensor.position[k], world.sensor(name).position)
                np.testing.assert_array_equal(sensor.rotation_matrix[k], world.sensor(name).rotation_matrix)
    assert batch.hash() == [world.hash() for world in alone]
    assert not np.isnan(felt["touch"].reading.force[:, 2]).all()


def test_asking_changes_no_bits_and_events_of_a_call_stay_those_of_the_call():
    plain, asked = (tribo.Batch(build(), 2, threads=1) for _ in range(2))
    asked.sensor("imu")
    for batch in (plain, asked):
        batch.watch_collisions = True
        batch["dog"].apply_force("trunk", (0, 0, 5.0))
        assert batch.step(30).all()
        batch["dog"].apply_force("trunk", (0, 0, 5.0))
        assert batch.step(30, hold_forces=True).all()
    assert plain.hash() == asked.hash()
    for field in ("world", "step", "begins", "shape"):
        np.testing.assert_array_equal(getattr(plain.collisions, field), getattr(asked.collisions, field))
    np.testing.assert_array_equal(plain.status, asked.status)


def test_a_force_that_is_held_is_felt_in_the_last_step():
    """A box in free fall: the accelerometer reads F/m, or nothing after a force of the first step alone."""
    world = tribo.World(time_step=0.01)
    box = world.add_box((1, 1, 1), 2.0, name="box")
    world.add_imu(box, name="imu")
    batch = tribo.Batch(world, 2, threads=1)
    imu = batch.sensor("imu")
    for hold, expected in ((False, 0.0), (True, 1.5)):
        batch["box"].apply_force((3.0, 0.0, 0.0))
        batch.step(10, hold_forces=hold)
        # v is below 1 m/s and rounded to 2⁻⁵³ of it; the difference of two over 0.01 s: 2.2e-14.
        np.testing.assert_allclose(imu.measure().linear_acceleration[:, 0], expected, atol=1e-12)


def test_what_no_step_led_to_is_not_a_number():
    """Before a step, and where a state was put in: for accelerations and forces, not for what is seen now."""
    batch = tribo.Batch(build(), 4, threads=1)
    starts, saved = batch.pool([0]), batch.snapshot()
    felt = {name: batch.sensor(name) for name in ("imu", "touch", "knee", "foot", "encoder")}

    def unknown():
        last = {
            "imu": lambda r: r.linear_acceleration, "touch": lambda r: r.force,
            "knee": lambda r: r.force, "foot": lambda r: r.torque,
        }  # fmt: skip
        found = [np.isnan(get(felt[name].measure())).all(axis=1).tolist() for name, get in last.items()]
        assert all(one == found[0] for one in found)
        is_finite = np.isfinite(batch["dog"].generalized_velocity).all(axis=1)
        assert np.isfinite(felt["imu"].reading.angular_velocity[is_finite]).all()
        assert np.isfinite(felt["encoder"].measure().position[is_finite]).all()
        assert felt["touch"].reading.points[found[0]].sum() == 0
        return found[0]

    assert unknown() == [True] * 4
    batch.step(20)
    assert unknown() == [False] * 4
    batch.reset(starts, worlds=[1])
    assert unknown() == [False, True, False, False]
    batch.copy_worlds(0, targets=[2])
    assert unknown() == [False, True, True, False]
    batch.restore(saved, 3)
    assert unknown() == [False, True, True, True]
    batch.step()
    assert unknown() == [False] * 4
    batch.set_from_world(build(), worlds=slice(0, 2))
    assert unknown() == [True, True, False, False]
    batch.step(2)
    batch.rollout(targets={"dog": np.zeros((3, 12))})
    assert unknown() == [True] * 4
    batch.step(2)
    batch["dog"].generalized_velocity[2, 3] = np.inf
    assert batch.step(5).tolist() == [True, True, False, True]
    assert unknown() == [False, False, True, False]


def test_some_worlds_and_errors_that_begin_anew():
    """Rows are those of the worlds that are asked; the errors of the others stand still."""
    batch = tribo.Batch(build(0, NOISE), 4, threads=1)
    imu = batch.sensor("imu")
    batch.step(3)
    mask = np.array([True, False, False, True])
    first = imu.measure(mask)
    assert first.time.shape == (2,)
    assert first.linear_acceleration.shape == (2, 3)
    every = imu.measure()
    imu.restart(mask)
    again = imu.measure(mask)
    np.testing.assert_array_equal(again.linear_acceleration, first.linear_acceleration)
    imu.restart()
    np.testing.assert_array_equal(imu.measure([1, 2]).angular_velocity, every.angular_velocity[1:3])
    imu.restart(seed=6)  # world 0 has what world 1 had, whose state is the same
    np.testing.assert_array_equal(imu.measure(0).angular_velocity[0], every.angular_velocity[1])


def test_what_is_wrong_is_said():
    batch = tribo.Batch(build(), 2, threads=1)
    with pytest.raises(KeyError, match="camera"):
        batch.sensor("camra")
    imu = batch.sensor("imu")
    assert batch.sensor("imu") is imu
    assert repr(imu) == "<SensorBatch 'imu': Imu on dog in 2 worlds>"
    with pytest.raises(ValueError, match="2 worlds"):
        imu.measure(5)
    with pytest.raises(ValueError, match="seed"):
        imu.restart(seed=-1)
    with pytest.raises(AttributeError):
        imu.rate = 3.0
    with pytest.raises(ValueError, match="read-only"):
        imu.measure().time[0] = 1.0
    pushed = build()
    pushed["dog"].apply_force("LF_FOOT", (0, 0, 1.0))
    batch = tribo.Batch(pushed, 2, threads=1)
    foot = batch.sensor("foot")
    batch.step()
    with pytest.raises(tribo.EditError, match="which link"):
        foot.measure()
    batch.step()
    assert np.isfinite(foot.measure().force).all()


@pytest.mark.parametrize("kind", ["camera", "lidar"])
def test_too_many_rays_are_refused_before_any_work(monkeypatch, kind):
    """It took 7 s to make 2²⁴ rays, which were refused then; errors and the last reading stay."""
    wide = ground_world()
    if kind == "camera":
        made = wide.add_depth_camera(None, name="wide", width=500, height=500, noise=NOISE)
    else:
        made = wide.add_lidar(None, name="wide", yaw_samples=2500, pitch=np.linspace(-1, 1, 100), noise=NOISE)
    batch = tribo.Batch(wide, 68, threads=1)
    felt = batch.sensor("wide")
    errors = [stream.get() for streams in felt._errors for stream in streams]

    def readings(*_):
        raise AssertionError("it measures")

    monkeypatch.setattr(type(made), "readings", readings)
    with pytest.raises(MemoryError, match=r"wide casts 250000 rays in each of 68 worlds.*at most 67 worlds"):
        felt.measure([0, 1])
    assert felt.reading is None
    assert errors == [stream.get() for streams in felt._errors for stream in streams]
    few = tribo.Batch(wide, 67, threads=1).sensor("wide")
    with pytest.raises(AssertionError, match="it measures"):
        few.measure()


@pytest.mark.parametrize("worlds", [1, 2])
def test_lidars_cover_whole_turns(worlds):
    world = build()
    world.add_lidar(world["dog"], "trunk", name="slow", yaw_samples=20, spin_rate=2.0, update_rate=20.0)
    batch = tribo.Batch(world, worlds, threads=1)
    reading = batch.sensor("slow").measure()
    assert reading.ranges.shape == (worlds, 20, 1)
    assert reading.points.shape == (worlds, 20, 1, 3)
    np.testing.assert_array_equal(np.isnan(reading.points[..., 0]), np.isinf(reading.ranges))


def test_pushes_go_with_the_state_that_they_acted_on():
    """A push on the foot, whose fixed link bears a sensor, is not felt by a world that was reset after it.

    Nor in the step after a rollout in which it acted. (It was felt as soon as another one was pushed.)
    """
    push, none = np.array([30.0, 0.0, 0.0]), np.zeros(3)
    one, other = (tribo.Batch(build(), 2, threads=1) for _ in range(2))
    starts = [batch.pool([0]) for batch in (one, other)]
    for batch in (one, other):
        batch.sensor("foot")
        batch.step()
    one["dog"].apply_force("LF_SHANK_TO_FOOT", push)
    one.reset(starts[0], worlds=[1])
    other.reset(starts[1], worlds=[1])
    other["dog"].apply_force("LF_SHANK_TO_FOOT", np.array([push, none]))
    for batch in (one, other):
        batch.step()
    np.testing.assert_array_equal(one.sensor("foot").measure().force, other.sensor("foot").measure().force)
    one["dog"].apply_force("LF_SHANK_TO_FOOT", push)
    one.rollout(targets={"dog": np.tile(one["dog"].pd_target[0, 7:], (2, 1))})
    other.restore(one.snapshot())
    for batch in (one, other):
        batch["dog"].apply_force("LF_KFE", push)
        batch.step()
    np.testing.assert_array_equal(one.sensor("foot").measure().force, other.sensor("foot").measure().force)
