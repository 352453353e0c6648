"""`dir(world)` and completion show what users may call, and nothing raises NotImplementedError."""

import re

import pytest
from house.repository import PACKAGE, ROOT, kept_modules

import tribo
from tribo.batch.batch import GONE as GONE_OF_BATCHES
from tribo.tools.demo import ASSETS
from tribo.world.gone_names import GONE

# Sealed compiled arrays tell Numba so what they do not do; Numba asks for this error.
COMPILER = {"compiler/field_array.py"}
CALLED = {
    name
    for folder in ("docs", "examples", "benchmarks", "tests")
    for path in sorted((ROOT / folder).rglob("*.*"))
    if path.suffix in {".md", ".py"}
    for name in re.findall(r"\.(\w+)", path.read_text("utf-8"))
}


def public_names(thing):
    return [name for name in dir(thing) if name[0] != "_"]


def test_there_are_no_stubs():
    stubs = [
        path.relative_to(PACKAGE).as_posix()
        for path in kept_modules()
        if "raise NotImplementedError" in path.read_text("utf-8")
    ]
    assert {*stubs} <= COMPILER


@pytest.mark.parametrize("make", [tribo.World, lambda: tribo.Batch(tribo.World(), 2, threads=1)])
def test_what_completion_shows_is_used_and_explained_somewhere(make):
    """A name that no page, example, benchmark or test calls is none that users may call."""
    thing = make()
    unused = [name for name in public_names(thing) if name not in CALLED]
    assert unused == []
    kinds = (getattr(type(thing), name, None) for name in public_names(thing))
    assert all(kind is None or kind.__doc__ for kind in kinds)


def things_of_a_world():
    """Return one thing of each kind that users have in hand, of worlds and of batches."""
    world = tribo.World()
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.05), name="ball")
    stone = world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(1, 0, 1), name="stone")
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 3, 0.6), name="dog")
    trunk = dog.body_names[0]
    made = [ball, dog, dog.link(trunk), dog.joint("LF_HFE"), dog.frame("LF_FOOT")]
    made += [ball.collision_bodies[0]]
    made += [world.add_imu(dog, trunk), world.add_lidar(dog), world.add_depth_camera(dog)]
    made += [world.add_force_torque_sensor(dog, "LF_HFE"), world.add_contact_sensor(dog, trunk)]
    made += [world.add_joint_encoder(dog, "LF_HFE"), world.add_wire(ball, stone)]
    made += [world.add_pin(stone, None, position=(1, 0, 1.1))]
    made += [world.add_motor(ball, stone, axis=(0, 0, 1), max_force=1.0)]
    batch = tribo.Batch(world, 2, threads=1)
    made += [batch["dog"], batch["ball"], batch["dog"].link(trunk)]
    made += [batch.sensor(batch.sensor_names[0]), batch.constraint(batch.constraint_names[0])]
    world.step()
    return [*made, world.contacts[0]]


def test_what_completion_shows_of_the_things_in_a_world_is_used_somewhere():
    """As for worlds: `link.` and `sensor.` show what users may call, not what the package's parts ask."""
    things = things_of_a_world()
    assert len({type(thing) for thing in things}) > 15
    unused = {
        f"{type(thing).__name__}.{name}"
        for thing in things
        for name in public_names(thing)
        if name not in CALLED
    }
    assert unused == set()


@pytest.mark.parametrize("name", GONE)
def test_an_internal_name_of_old_says_what_to_use(name):
    world = tribo.World()
    assert name not in dir(world)
    with pytest.warns(DeprecationWarning, match=re.escape(GONE[name][0])):
        assert getattr(world, name) is not None


@pytest.mark.parametrize("name", GONE_OF_BATCHES)
def test_an_internal_name_of_batches_says_what_to_use(name):
    batch = tribo.Batch(tribo.World(), 2, threads=1)
    assert name not in dir(batch)
    with pytest.warns(DeprecationWarning, match=re.escape(GONE_OF_BATCHES[name])):
        assert getattr(batch, name) is not None


@pytest.mark.parametrize("make", [tribo.World, lambda: tribo.Batch(tribo.World(), 2, threads=1)])
def test_a_name_that_never_was_is_an_error(make):
    with pytest.raises(AttributeError, match="no attribute 'stepp'"):
        make().stepp()
