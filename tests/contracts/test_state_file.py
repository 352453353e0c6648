"""The state as bytes: the same bits in another process; anything else is refused with the world as it was."""

import hashlib
import json
import os
import pickle
import struct
import subprocess
import sys

import numpy as np
import pytest
from house.repository import ROOT
from scenes import ground_world, standing_quadruped

import tribo
from tribo.readout.state_bytes import FORMER, VERSION
from tribo.sensors import Noise

SCRIPT = """
import sys
from contracts.test_state_file import crowd
world = crowd()
world.load_state(sys.argv[1])
print(world.hash())
world.step(1000)
print(world.hash())
"""


def crowd():
    """Return a world with a robot that stands and things that roll and slide."""
    world = ground_world(friction=0.6, restitution=0.2, rolling_friction=0.01)
    standing_quadruped(world)
    for k in range(3):
        world.add_box((0.2, 0.2, 0.2), 1.0 + k, position=(2, 0, 0.1 + 0.2 * k))
        world.add_sphere(0.1, 1.0, position=(3, k, 0.3), angular_velocity=(1, 2, 3))
    return world


@pytest.fixture(scope="module")
def blob():
    world = crowd()
    world.step(200)
    return world.dump_state()


def test_another_process_goes_on_bit_for_bit(tmp_path):
    world = crowd()
    world.step(200)
    world.save_state(tmp_path / "state")
    here = world.hash()
    world.step(1000)
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "state")], check=True, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.stdout.split() == [here, world.hash()]
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_readings_and_commands_come_along(blob):
    world = crowd()
    robot = world.objects[1]
    robot.set_pd_gains(1.0, 1.0)
    world.time_step = 2e-3
    world.load_state(blob)
    assert world.time_step == 1e-3
    assert robot.kp.max() > 1.0
    assert len(world.contacts) > 4
    assert abs(world.time - 0.2) < 1e-12


def many_boxes():
    """Return a world with more contacts than a new one has room for."""
    world = ground_world(friction=0.6)
    for k in range(30):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.5 * k, 0, 0.1))
    return world


def test_a_new_world_takes_the_state_of_one_whose_tables_have_grown():
    world = many_boxes()
    world.step(20)
    assert len(world.contacts) == 120
    other = many_boxes()
    other.load_state(world.dump_state())
    assert other.hash() == world.hash()
    world.step(20)
    other.step(20)
    assert other.hash() == world.hash()


def signed(body):
    return body + hashlib.blake2b(body, digest_size=32).digest()


def changed(blob, **edits):
    """Return a blob whose header says something else, with a right checksum."""
    _, version, length = struct.unpack_from("<12sII", blob)
    begin = 20 + length
    header = json.loads(blob[20:begin])
    header.update(edits)
    text = json.dumps(header).encode()
    return signed(struct.pack("<12sII", b"tribo state\n", version, len(text)) + text + blob[begin:-32])


def with_value(blob, part, value):
    """Return a blob with another first number in one of its arrays, with a right checksum."""
    _, _, length = struct.unpack_from("<12sII", blob)
    begin = 20 + length
    for name, kind, shape in json.loads(blob[20:begin])["arrays"]:
        if name == part:
            packed = np.array([value], kind).tobytes()
            return signed(blob[:begin] + packed + blob[begin + len(packed) : -32])
        begin += int(np.prod(shape)) * np.dtype(kind).itemsize
    raise KeyError(part)


BAD = {
    "nothing": (lambda b: b"", "no state"),
    "another file": (lambda b: pickle.dumps({"a": 1}) * 100, "no state"),
    "cut short": (lambda b: b[:-100], "checksum|incomplete"),
    "cut to the head": (lambda b: b[:20], "no state|incomplete"),
    "a bit turned": (lambda b: b[:-60] + bytes([b[-60] ^ 1]) + b[-59:], "checksum"),
    "another format": (lambda b: b[:12] + struct.pack("<I", 1) + b[16:], "format 1"),
    "a header beyond the end": (lambda b: b[:16] + struct.pack("<I", 2**32 - 1) + b[20:], "incomplete"),
    "bytes left over": (lambda b: signed(b[:-32] + bytes(8)), "length"),
    "more contacts than bytes": (lambda b: changed(b, contacts=[10**12, 0, 0]), "numbers|length"),
    "fewer contacts than none": (lambda b: changed(b, contacts=[-1, 0, 0]), "number of contacts"),
    "no numbers of contacts": (lambda b: changed(b, contacts="many"), "damaged"),
    "no model": (lambda b: changed(b, model=[]), "another model"),
    "no arrays": (lambda b: changed(b, arrays=[]), "numbers of coordinates"),
    "no header": (lambda b: signed(struct.pack("<12sII", b"tribo state\n", VERSION, 2) + b"{]"), "header"),
    "not a number": (lambda b: with_value(b, "state.q", np.nan), "state.q is not finite"),
    "no time step": (lambda b: with_value(b, "settings.dt", 0.0), "range"),
    "no integrator": (lambda b: with_value(b, "settings.integrator", 77), "range"),
    "a shape that is none": (lambda b: with_value(b, "work.contact_shape", 10**6), "range"),
    "another count": (lambda b: with_value(b, "state.warm_count", 10**6), "range"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_state_is_refused(blob, what, tmp_path):
    make, message = BAD[what]
    world = crowd()
    before = world.hash()
    with pytest.raises(ValueError, match=message):
        world.load_state(make(blob))
    path = tmp_path / "state"
    path.write_bytes(make(blob))
    with pytest.raises(ValueError, match=message):
        world.load_state(path)
    assert world.hash() == before
    world.load_state(blob)  # the right one is still taken
    assert world.hash() != before


def test_another_model_is_named(blob):
    world = crowd()
    world.set_material_pair("default", "default", friction=0.123)
    with pytest.raises(ValueError, match="pair_table differs"):
        world.load_state(blob)
    heavier = crowd()
    heavier.objects[1].links[0].mass *= 2.0
    with pytest.raises(ValueError, match="body_mass differs"):
        heavier.load_state(blob)
    with pytest.raises(ValueError, match="another model"):
        tribo.World().load_state(blob)


def test_a_state_of_a_version_with_other_pair_properties_is_refused(blob):
    """A version whose pair table has one column less writes another digest of it and another number."""
    world = crowd()
    before = world.hash()
    columns = world.engine.model.arrays["pair_table"].shape[-1]
    older = changed(blob, pair_properties=columns - 1)
    message = f"another version of tribo: .* have {columns - 1} properties, .* version have {columns}; "
    with pytest.raises(ValueError, match=message + "write it anew with this version"):
        world.load_state(older)
    # Before the number was kept, only the digest of the table told them apart.
    _, _, length = struct.unpack_from("<12sII", blob)
    header = json.loads(blob[20 : 20 + length])
    silent = changed(blob, pair_properties=None, model={**header["model"], "pair_table": "0" * 16})
    with pytest.raises(ValueError, match=r"pair_table differs.* if another version of tribo has written it"):
        world.load_state(silent)
    assert world.hash() == before
    world.load_state(changed(blob, pair_properties=None))  # an older file of the same layout is taken


def test_hash_tells_states_apart():
    world, same = crowd(), crowd()
    assert world.hash() == same.hash()
    world.step(3)
    same.step(3)
    assert world.hash() == same.hash()
    same.objects[1].generalized_velocity[3] += 1e-15
    assert world.hash() != same.hash()


# -- sensors ---------------------------------------------------------------------------------------
def sensing(others=True):
    """Return a world with a sensor of each kind, whose errors wander."""
    world = ground_world(friction=0.6)
    robot = standing_quadruped(world)
    noise = Noise(stddev=0.1, random_walk=1.0, dropout=0.1)
    options = {"noise": noise, "seed": 5, "update_rate": 130.0}
    world.add_imu(robot, name="imu", gyro_noise=noise, **options)
    if others:
        world.add_joint_encoder(robot, robot.joint_names[0], name="encoder", velocity_noise=noise, **options)
        world.add_force_torque_sensor(robot, robot.joint_names[1], name="wrench", **options)
        world.add_contact_sensor(robot, "LF_FOOT", name="touch", **options)
        world.add_lidar(robot, name="lidar", yaw_samples=30, spin_rate=50.0, **options)
        world.add_depth_camera(robot, name="camera", width=4, height=3, **options)
        world.add_lidar(None, name="idle", position=(0, 0, 9), yaw_samples=8)
    return world


def readings(world):
    """Return what the sensors read last, as bits."""
    return {
        one.name: one.reading and [np.asarray(value).tobytes() for value in one.reading]
        for one in world.sensors
    }


@pytest.fixture(scope="module")
def sensed():
    world = sensing()
    world.step(211)
    world.sensor("idle").measure()  # nothing is in its plane: no points
    return world.dump_state()


def test_sensors_come_along(sensed):
    """Clock, bias, number of the error and reading: both worlds read the same from then on."""
    world = sensing()
    world.step(211)
    world.sensor("idle").measure()
    other = sensing()
    other.load_state(sensed)
    assert readings(other) == readings(world)
    assert not other.sensor("imu").reading.linear_acceleration.flags.writeable
    for _ in range(5):
        world.step(7)
        other.step(7)
        assert readings(other) == readings(world)
    assert other.hash() == world.hash()
    assert np.array_equal(
        world.sensor("imu").measure().linear_acceleration, other.sensor("imu").measure().linear_acceleration
    )


def former(blob):
    """Return a state as the former format has it: without sensors."""
    _, _, length = struct.unpack_from("<12sII", blob)
    header = json.loads(blob[20 : 20 + length])
    count = header.pop("sensors")
    text = json.dumps(header).encode()
    arrays = blob[20 + length : len(blob) - 32 - count]
    return signed(struct.pack("<12sII", b"tribo state\n", FORMER, len(text)) + text + arrays)


def test_a_state_without_sensors_starts_their_clocks(sensed):
    world = sensing()
    world.load_state(former(sensed))
    assert world.time == pytest.approx(0.211)
    assert world.sensor("imu").reading is None
    assert world.sensor("imu").due() == pytest.approx(0.211 + 1.0 / 130.0)


def test_a_state_of_other_sensors_is_refused(sensed):
    world = sensing(others=False)
    before = world.hash()
    with pytest.raises(ValueError, match="other sensors"):
        world.load_state(sensed)
    with pytest.raises(ValueError, match="other sensors"):
        sensing().load_state(world.dump_state())
    assert world.hash() == before


def with_imu(blob, place, value):
    """Return a state in whose sensors a number of the IMU is another."""
    _, _, length = struct.unpack_from("<12sII", blob)
    header = json.loads(blob[20 : 20 + length])
    begin = len(blob) - 32 - header["sensors"]
    sensors = json.loads(blob[begin:-32])
    part = sensors[0][1]
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    text = json.dumps(sensors).encode()
    header["sensors"] = len(text)
    head = json.dumps(header).encode()
    body = struct.pack("<12sII", b"tribo state\n", VERSION, len(head)) + head + blob[20 + length : begin]
    return signed(body + text)


ARRAY = {"array": "<f8", "shape": [3], "bytes": "00" * 24}
NO_SENSORS = {
    "start": ([0], float("nan")), "text": ([0], "now"), "ticks": ([1], -1), "many ticks": ([1], 10**30),
    "count": ([3, 0, 0], -1), "a part of a count": ([3, 0, 0], 0.5), "time": ([3, 0, 2], float("inf")),
    "a long time": ([3, 0, 2], 10**400), "bias": ([3, 0, 1], {**ARRAY, "shape": [1, 3]}),
    "bias that is none": ([3, 0, 1], {**ARRAY, "bytes": "f" * 48}), "stream": ([3, 1], [0, 0.0]),
    "streams": ([3], []), "fields": ([2], [1.0]), "a word": ([2, 1], "up"),
    "no bytes": ([2, 1], {"array": "<f8"}),
    "objects": ([2, 1], {**ARRAY, "array": "|O8"}), "size": ([2, 1], {**ARRAY, "shape": [10**15]}),
    "negative size": ([2, 1], {**ARRAY, "shape": [-1]}), "digits": ([2, 1], {**ARRAY, "bytes": "zz" * 24}),
}  # fmt: skip


@pytest.mark.parametrize("what", NO_SENSORS)
def test_sensors_that_are_damaged_are_refused(sensed, what):
    world = sensing()
    world.step(20)
    before, read = world.hash(), readings(world)
    with pytest.raises(ValueError, match="damaged"):
        world.load_state(with_imu(sensed, *NO_SENSORS[what]))
    assert (world.hash(), readings(world)) == (before, read)
    world.load_state(with_imu(sensed, [1], 27))  # the same with a number of its own is taken
    world.step(20)
