"""Arguments that a call does not have: each public method says so by its name, with what to use instead."""

import importlib
import inspect

import pytest

import tribo
from tribo.checks.calls import answered_call
from tribo.tools.demo import ASSETS

# These are called each step and answer as Python does, which costs nothing.
PLAIN = {("World", "step"), ("World", "update"), ("World", "advance"), ("Batch", "step")}
# These take names of settings; they refuse others with a KeyError that lists them.
BY_NAME = {"set_settings", "set_motors"}


def things():
    """Return one of each kind of thing that users call methods of."""
    world = tribo.World()
    world.add_ground()
    box = world.add_box(size=(1, 1, 1), mass=1.0, position=(5, 0, 0.5))
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
    hills = world.add_height_map([[0, 0], [0, 0]], size=(1, 1))
    wire = world.add_wire(box, robot, length=10.0)
    imu = world.add_imu(robot, "trunk")
    world.step()
    batch = tribo.Batch(world, 2, threads=1)
    return [
        world, box, robot, hills, wire, imu, batch, batch[robot.name], batch[box.name], box.contacts[0],
        robot.joint("LF_HAA"), robot.link("trunk"), robot.frame("trunk"), box.collision_bodies[0],
        world.materials, tribo.HeightField([[0, 0], [0, 0]], (1, 1)),
    ]  # fmt: skip


def public_methods(thing):
    for name in dir(type(thing)):
        made = inspect.getattr_static(type(thing), name)
        if name[0] != "_" and not isinstance(made, property):
            found = getattr(thing, name, None)
            if callable(found) and not inspect.isclass(found):
                yield name, found


def test_every_method_names_an_argument_that_it_does_not_have():
    silent, asked = [], 0
    for thing in things():
        for name, method in public_methods(thing):
            if (type(thing).__name__, name) in PLAIN or name in BY_NAME:
                continue
            asked += 1
            with pytest.raises(TypeError) as raised:
                method(no_such_argument=1)
            said = str(raised.value)
            named = "no_such_argument" in said or "missing a required argument" in said
            if not named or f"{name}()" in said:
                silent.append(f"{type(thing).__name__}.{name}: {said}")
    assert silent == []
    assert asked > 250


MODULES = (
    "tribo", "tribo.control", "tribo.identification", "tribo.gym", "tribo.gym.randomisation", "tribo.viewer",
    "tribo.ground", "tribo.robots", "tribo.scale",
)  # fmt: skip


def public_functions(module):
    """Yield name and function of all functions of a module that take arguments."""
    for name in getattr(module, "__all__", dir(module)):
        found = getattr(module, name)
        if name[0] != "_" and inspect.isfunction(found) and found is not answered_call:
            if inspect.signature(found).parameters:
                yield name, found


@pytest.mark.parametrize("module", MODULES)
def test_every_function_names_an_argument_that_it_does_not_have(module):
    functions = dict(public_functions(importlib.import_module(module)))
    assert functions
    for function in functions.values():
        with pytest.raises(TypeError) as raised:
            function(no_such_argument=1)
        said = str(raised.value)
        assert said.startswith(function.__name__), said
        assert "no_such_argument" in said or "missing a required argument" in said  # it may take any


@pytest.mark.parametrize(
    "call",
    [
        tribo.linearize, tribo.equilibrium, tribo.contact_inverse_dynamics, lambda box: tribo.Batch(box, 2),
        lambda box: tribo.largest_load(box, "box", (0, 0, 0, 1, 0, 0)),
    ],
)  # fmt: skip
def test_an_object_in_place_of_its_world_is_answered_with_the_world(call):
    box = tribo.World().add_box(size=(1, 1, 1), mass=1.0, name="box")
    with pytest.raises(TypeError, match=r"must be a tribo\.World, got .*; give its world: box\.world"):
        call(box)
    with pytest.raises(TypeError, match=r"must be a tribo\.World, got 'box'$"):
        call("box")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda w: w["box"].apply_force((1, 0, 0), pos=(0, 0, 0)), "argument 'pos'; did you mean 'point'"),
        (lambda w: w.save(filename="w.xml"), "World.save: has no argument 'filename'; did you mean 'path'"),
        (lambda w: w.remove(), "World.remove: missing a required argument"),
        (lambda w: tribo.HeightField.fractal(no=1), "HeightField.fractal: has no argument 'no'; known:"),
        (lambda w: tribo.World.load(file="w.xml"), "World.load: has no argument 'file'; did you mean 'path'"),
    ],
)  # fmt: skip
def test_the_right_argument_is_named(call, said):
    world = tribo.World()
    world.add_box(size=(1, 1, 1), mass=1.0, name="box")
    with pytest.raises(TypeError) as raised:
        call(world)
    assert said in str(raised.value)


def test_shapes_are_shown_as_they_were_given():
    world = tribo.World()
    shown = [
        (world.add_box(size=(0.1, 0.2, 0.3), mass=1.0), "box(0.1, 0.2, 0.3)"),
        (world.add_cylinder(radius=0.1, height=0.5, mass=1.0), "cylinder(0.1, 0.5)"),
        (world.add_capsule(radius=0.1, height=0.5, mass=1.0), "capsule(0.1, 0.5)"),
        (world.add_ellipsoid((0.1, 0.2, 0.3), mass=1.0), "ellipsoid(0.1, 0.2, 0.3)"),
        (world.add_sphere(radius=0.1, mass=1.0), "sphere(0.1)"),
    ]
    for body, words in shown:
        assert words in repr(body)
        assert words in repr(body.collision_bodies[0])
        assert words in world.summary()


@pytest.mark.parametrize(
    ("guess", "right"),
    [
        ("tribo.gym.make", "tribo.gym.load"),
        ("tribo.gym.VecEnv", "tribo.gym.VectorEnv"),
        ("tribo.learn.PPO", "tribo.learn.train"),
        ("tribo.viewer.save_video", "tribo.viewer.film.save_film"),
    ],
)
def test_packages_answer_guessed_names(guess, right):
    pytest.importorskip("gymnasium")
    with pytest.raises(AttributeError) as raised:
        eval(guess)
    assert right in str(raised.value)


def test_a_part_of_a_package_is_imported_when_it_is_asked_for():
    assert tribo.viewer.film.save_film.__name__ == "save_film"
