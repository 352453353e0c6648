"""State and commands are the records themselves, every other array is a read-only copy."""

import copy
import pickle

import numpy as np
import pytest
from scenes import GRAVITY, empty_world, ground_world, slider, standing_quadruped

import tribo

LIVE = (
    "generalized_coordinate", "generalized_velocity", "generalized_force", "pd_target",
    "pd_velocity_target", "kp", "kd",
)  # fmt: skip


SHORT = dict(zip(LIVE, ("q", "v", "tau", "target_q", "target_v", "kp", "kd"), strict=True))


@pytest.fixture
def scene():
    """A robot and a ball on a ground, in contact."""
    world = ground_world()
    world.add_sphere(0.1, 1.0, name="ball", position=(3, 0, 0.1))
    standing_quadruped(world, name="robot")
    world.step(3)
    return world


def entry(array):
    """Return a view of one number, whatever the first axis is."""
    return array[..., -1:]


# -- live --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize("batched", [False, True])
def test_what_is_written_is_what_the_engine_reads(scene, name, batched):
    owner = tribo.Batch(scene, 2, threads=1)["robot"] if batched else scene["robot"]
    entry(getattr(owner, name))[...] = 0.25
    assert (entry(getattr(owner, name)) == 0.25).all()
    engine = owner._batch.engine if batched else scene.engine
    short = SHORT[name]
    record = engine.state if short in ("q", "v") else engine.command
    assert (record.arrays[short][:, -1] == 0.25).all()


def test_a_written_velocity_moves_the_body_in_the_next_step():
    """Also before the first step: ẋ dt, exactly."""
    world = empty_world(1e-3, (0, 0, 0))
    ball = world.add_sphere(0.1, 1.0)
    ball.generalized_velocity[0] = 2.0
    ball.generalized_coordinate[2] = 7.0
    assert ball.position[2] == 7.0
    world.step()
    np.testing.assert_allclose(ball.position, [2e-3, 0, 7.0], rtol=1e-14)


def test_reading_changing_and_assigning_works(scene):
    robot = scene["robot"]
    q = robot.generalized_coordinate
    before = q.copy()
    q[7:] += 0.1
    robot.generalized_coordinate = q
    np.testing.assert_array_equal(robot.generalized_coordinate[7:], before[7:] + 0.1)
    robot.generalized_velocity *= 0.0
    robot.pd_target[7:] -= 0.1
    np.testing.assert_array_equal(robot.generalized_velocity, 0.0)


def test_views_outlive_steps_snapshots_larger_tables_and_new_materials():
    """The same memory throughout; only another list of objects needs other arrays."""
    world = ground_world()
    for k in range(20):
        ball = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.2 * k, 0, 0.06))
    q = ball.generalized_coordinate
    saved, capacity = world.snapshot(), world.engine.capacity
    world.step(50)
    assert world.engine.capacity != capacity
    world.set_material_pair("new", "newer", friction=0.1)
    ball.material = "new"
    world.step()
    assert q is ball.generalized_coordinate
    world.restore(saved)
    assert q[2] == ball.position[2] == 0.06
    q[2] = 3.0
    world.step()
    assert ball.position[2] == pytest.approx(3.0, abs=1e-4)


SHAPED = (
    lambda a: a[2:3],
    lambda a: a.view(),
    lambda a: a.reshape(1, -1),
    lambda a: a[6:][::2],
    lambda a: a[::-1],
)
PLAIN = (
    np.asarray,
    np.asanyarray,
    lambda a: np.asarray(a).reshape(1, -1),
    lambda a: np.asarray(a)[6:],
    lambda a: a.view(np.ndarray),
    lambda a: np.frombuffer(a),
)


@pytest.mark.parametrize("change", ["nothing", "add", "remove", "body type", "remove itself"])
def test_no_write_vanishes_whatever_the_array_was_made_of(scene, change):
    """Slices and shapes write into the world, or refuse; plain arrays refuse always."""
    robot, views = scene["robot"], [getattr(scene["robot"], name) for name in LIVE]
    plain = [make(view) for view in views for make in PLAIN if make is not np.asanyarray]
    views += [make(view) for view in views for make in (*SHAPED, np.asanyarray)]
    if change == "add":
        scene.add_sphere(0.1, 1.0, position=(9, 0, 1))
    elif change == "remove":
        scene.remove("ball")
    elif change == "body type":
        robot.body_type = "kinematic"
    elif change == "remove itself":
        scene.remove(robot)
    scene.step()
    for array in plain:
        assert type(array) is np.ndarray
        with pytest.raises(ValueError, match="read-only"):
            array[-1] = 1.0
    for view in views if change != "nothing" else ():
        for write in WRITES:
            with pytest.raises(ValueError, match="read-only"):
                write(view)
    if change == "remove itself":
        with pytest.raises(ValueError, match="read-only"):
            robot.pd_target[-1] = 1.0
    else:
        robot.pd_target[-1] = 0.5
        assert scene.engine.command.target_q[robot.span.q][-1] == 0.5


def add_in_place(array):
    array += 1.0


WRITES = (
    add_in_place,
    lambda a: a.__setitem__(..., 0.25),
    lambda a: np.add(a, 1.0, out=a),
    lambda a: np.add.at(a, (..., 0), 1.0),
    lambda a: np.copyto(a, 0.25),
    lambda a: np.clip(a, 0.5, 0.6, out=a),
    lambda a: np.put(a, 0, 0.25),
    lambda a: np.putmask(a, np.ones(a.shape, bool), 0.25),
    lambda a: a.fill(0.25),
    lambda a: a.put(0, 0.25),
    lambda a: a.sort(),
    lambda a: np.multiply(a, 2.0, out=a, where=np.ones(a.shape, bool)),
)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("make", [lambda a: a, *SHAPED])
def test_every_way_to_write_is_that_of_a_plain_array(scene, make, write):
    robot = scene["robot"]
    robot.pd_target = np.concatenate([robot.pd_target[:7], np.linspace(0.9, 0.1, 12)])
    plain = np.array(robot.pd_target)
    write(make(plain))
    live = make(robot.pd_target)
    write(live)
    np.testing.assert_array_equal(scene.engine.command.target_q[robot.span.q], plain)
    np.testing.assert_array_equal(live, make(plain))


def test_what_is_made_of_live_arrays_is_plain(scene):
    """Results and copies are arrays like any other."""
    q = scene["robot"].generalized_coordinate
    for made in (2.0 * q, np.sin(q), q + q[:1], np.asarray(q), q @ np.eye(len(q)), np.cumsum(q)):
        assert type(made) is np.ndarray
    assert type(q.sum()) is type(q[0]) is np.float64
    assert repr(q[:2]) == repr(np.array(q[:2]))
    copies = [q.copy(), q[[0, 1]], pickle.loads(pickle.dumps(q)), copy.deepcopy(q)]
    for made in copies:
        made[:] = 1.0  # their own memory: they stay writable
    scene.remove("ball")
    _ = scene.engine
    for made in copies:
        made[:] = 1.0
    locked = q.copy()
    locked.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        locked[0] = 1.0
    force = scene["robot"].generalized_force
    with pytest.raises(ValueError, match="could not broadcast"):
        force[:] = np.ones(1000)


def test_state_cannot_be_written_between_update_and_advance(scene):
    """Commands can: a controller decides there."""
    robot = scene["robot"]
    scene.update()
    for name in LIVE[:2]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(robot, name)[-1] = 1.0
    robot.generalized_force[-1] = 0.5
    scene.advance()
    robot.generalized_velocity[-1] = 0.0


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("generalized_coordinate", 8, np.nan), ("generalized_coordinate", 2, np.inf),
        ("generalized_velocity", 3, np.nan), ("kp", 8, np.nan), ("pd_target", 8, np.nan),
        ("generalized_force", 8, np.inf),
    ],
)  # fmt: skip
def test_a_value_that_is_not_finite_is_named_by_the_next_step(scene, name, at, value):
    robot = scene["robot"]
    robot.set_pd_gains(10.0, 1.0)
    before = scene.time
    getattr(robot, name)[at] = value
    with pytest.raises(tribo.SimulationError, match=f"entry {at} of {name} of robot is {value}"):
        scene.step()
    assert scene.time == before


# -- read-only ---------------------------------------------------------------------------------

READOUTS = {
    "position": lambda w: w["ball"].position,
    "orientation": lambda w: w["ball"].orientation,
    "rotation_matrix": lambda w: w["ball"].rotation_matrix,
    "linear_velocity": lambda w: w["ball"].linear_velocity,
    "angular_velocity": lambda w: w["ball"].angular_velocity,
    "velocity of what is static": lambda w: w["ground"].linear_velocity,
    "inertia": lambda w: w["ball"].inertia,
    "applied_torque": lambda w: w["robot"].applied_torque,
    "effort_limits": lambda w: w["robot"].effort_limits[1],
    "mass_matrix": lambda w: w["robot"].mass_matrix,
    "frame_position": lambda w: w["robot"].frame_position("trunk"),
    "frame_orientation": lambda w: w["robot"].frame_orientation("trunk"),
    "body_poses": lambda w: w["robot"].body_poses()[0],
    "gravity": lambda w: w.gravity,
    "momentum": lambda w: w.linear_momentum,
    "angular momentum": lambda w: w.angular_momentum,
    "residual": lambda w: w.residual,
    "contact force": lambda w: w["ball"].contacts[0].force,
    "contact normal": lambda w: w.contacts[0].normal,
    "batch time": lambda w: tribo.Batch(w, 2).time,
    "batch status": lambda w: tribo.Batch(w, 2).status,
    "batch is_valid": lambda w: tribo.Batch(w, 2).is_valid,
    "batch residual": lambda w: tribo.Batch(w, 2).residual,
    "batch torque": lambda w: tribo.Batch(w, 2)["robot"].applied_torque,
    "batch position": lambda w: tribo.Batch(w, 2)["robot"].position,
    "batch force": lambda w: tribo.Batch(w, 2)["ball"].net_contact_force,
}


@pytest.mark.parametrize("name", READOUTS)
def test_readouts_refuse_writing(scene, name):
    if "ground" not in scene:
        scene.add_ground(-5.0, name="ground")
        scene.step()
    array = READOUTS[name](scene)
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 1


def test_readouts_are_of_their_time(scene):
    """A reading that is kept does not change later."""
    before = scene["ball"].position
    scene["ball"].position = 0, 0, 5
    assert before[2] != 5


# -- values for the joints alone ---------------------------------------------------------------


@pytest.mark.parametrize("batched", [False, True])
def test_drives_take_values_for_the_joints_alone(scene, batched):
    robot = tribo.Batch(scene, 3, threads=1)["robot"] if batched else scene["robot"]
    base = robot.pd_target[..., :7].copy()
    robot.set_pd_gains(np.arange(12.0), np.ones(12))
    robot.pd_target = np.linspace(-1, 1, 12)
    robot.pd_velocity_target = np.full(12, 0.5)
    robot.generalized_force = np.full(18, 9.0)
    robot.generalized_force = np.full(12, 2.0)
    for array, first, joints in (
        (robot.kp, 0.0, np.arange(12.0)),
        (robot.kd, 0.0, 1.0),
        (robot.generalized_force, 0.0, 2.0),
        (robot.pd_velocity_target, 0.0, 0.5),
    ):
        np.testing.assert_array_equal(array[..., :6], first)
        np.testing.assert_array_equal(array[..., 6:], np.broadcast_to(joints, array[..., 6:].shape))
    np.testing.assert_array_equal(robot.pd_target[..., :7], base)
    np.testing.assert_array_equal(robot.pd_target[..., 7:], base[..., :1] * 0 + np.linspace(-1, 1, 12))
    robot.kp = 3.0
    np.testing.assert_array_equal(robot.kp[..., 6:], 3.0)
    np.testing.assert_array_equal(robot.kd[..., 6:], 1.0)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize(
    ("name", "both"), [("pd_target", ("19", "12")), ("generalized_force", ("18", "12")), ("kp", ("18", "12"))]
)
def test_a_wrong_length_names_both_that_are_right(scene, batched, name, both):
    robot = tribo.Batch(scene, 3, threads=1)["robot"] if batched else scene["robot"]
    before = getattr(robot, name).copy()
    with pytest.raises(ValueError, match=rf"{name} of robot .*{both[0]}.*{both[1]}.* joints alone.*\(5,\)"):
        setattr(robot, name, np.ones(5))
    np.testing.assert_array_equal(getattr(robot, name), before)


def test_a_fixed_base_has_one_length():
    robot = empty_world().add_articulated_system(slider(), name="s")
    with pytest.raises(ValueError, match=r"pd_target of s must have shape \(1,\), got \(2,\)"):
        robot.pd_target = [1.0, 2.0]
    robot.set_pd_gains(5.0, [1.0])
    assert (robot.kp[0], robot.kd[0]) == (5.0, 1.0)


# -- batches check what is assigned ------------------------------------------------------------

BAD = {
    "nan": ("generalized_velocity", np.full(18, np.nan), "finite"),
    "text": ("generalized_velocity", "abc", "numbers"),
    "short": ("generalized_coordinate", np.ones(12), "shape"),
    "worlds": ("generalized_velocity", np.ones((2, 18)), "shape"),
    "rotation": ("generalized_coordinate", np.zeros(19), "unit quaternion"),
    "negative gain": ("kp", -1.0, "≥ 0"),
    "negative gains": ("kd", np.full((3, 18), -1.0), "≥ 0"),
    "huge": ("pd_target", np.full(12, 1e300), "at most"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_values_for_a_batch_change_nothing(scene, name):
    field, value, says = BAD[name]
    robot = tribo.Batch(scene, 3, threads=1)["robot"]
    before = getattr(robot, field).copy()
    with pytest.raises((ValueError, TypeError), match=says):
        setattr(robot, field, value)
    np.testing.assert_array_equal(getattr(robot, field), before)


def test_assigned_quaternions_of_a_batch_are_normalized(scene):
    batch = tribo.Batch(scene, 3, threads=1)
    batch["ball"].generalized_coordinate = [0, 0, 1, 1.0005, 0, 0, 0]
    np.testing.assert_array_equal(batch["ball"].generalized_coordinate[:, 3], 1.0)
    batch.step(10)
    np.testing.assert_allclose(batch["ball"].generalized_velocity[:, 2], -0.01 * GRAVITY, rtol=1e-12)
