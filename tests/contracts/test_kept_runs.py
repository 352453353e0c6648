"""Adding or removing one object copies what is kept; the records are those of a world built at once."""

import random

import numpy as np
import pytest
from scenes import QUADRUPED

import tribo
from tribo.engine import builder
from tribo.objects.record_views import VIEWS
from tribo.world.interior import Interior


def _ball(world, rng):
    return world.add_sphere(rng.uniform(0.05, 0.2), 1.0, material=rng.choice("abc"))


def _hull(world, rng, count=9):
    points = np.random.default_rng(rng.randrange(1000)).normal(size=(count, 3))
    return world.add_convex(points / np.linalg.norm(points, axis=1)[:, None], 1.0)


def _surface(world, rng):
    x, y = rng.uniform(1, 3), rng.uniform(1, 3)
    return world.add_surface([(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)], [(0, 1, 2), (0, 2, 3)])


def _heights(world, rng):
    return world.add_height_map(
        tribo.HeightField.fractal(samples=(rng.randrange(3, 6), 4), seed=rng.randrange(9))
    )


def _robot(world, rng):
    return world.add_articulated_system(QUADRUPED, position=(0, 0, rng.uniform(0, 1)))


HAND = """<mujoco><worldbody><site name="w" pos="1 0 1"/>
 <body><joint name="a"/><geom size="0.1" pos="0.3 0 0"/>
 <site name="s"/><body pos="0 0 1"><joint name="b"/><geom size="0.1" pos="0 0.3 0"/></body></body></worldbody>
 <tendon><fixed name="t" stiffness="1"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed>
 <spatial name="u" stiffness="1"><site site="w"/><site site="s"/></spatial></tendon>
 <equality><joint joint1="b" joint2="a" polycoef="0 1 2 3 4"/></equality>
 <actuator><muscle tendon="t" lengthrange="0 1"/><motor site="s"/></actuator></mujoco>"""


def _hand(world, rng):
    return world.add_articulated_system(HAND, position=(0, 0, rng.uniform(0, 1)))


MAKERS = (
    _ball, _hull, _hand, lambda world, rng: _hull(world, rng, 60), _surface, _heights, _robot,
    lambda world, rng: world.add_box((1, 1, 1), 1.0, body_type="static", position=(0, 0, 3)),
)  # fmt: skip


def _edit(world, rng):
    """Change something in one of many ways; some are seen by the description only until the next build."""
    part = rng.choice(world.objects)
    way = rng.randrange(8)
    if way == 0:
        part.collision_bodies[0].material = rng.choice("abcd")
    elif way == 1:
        part.position = rng.uniform(-1, 1), 0.0, 1.0
    elif way == 2:
        world.remove(part)
    elif way == 3 and part.dof == 6:
        part.mass = rng.uniform(1, 2)
    elif way == 4 and part.dof == 6:
        part.com = rng.uniform(-0.1, 0.1), 0.0, 0.0
    elif way == 5 and part.dof > 6:
        part.joint(part.joint_names[3]).damping = rng.uniform(0, 1)
    elif way == 7 and part.dof > 6:
        touch = part.allow_collision if rng.random() < 0.5 else part.ignore_collision
        joint = part.joint(rng.choice(part.joint_names))
        touch(joint.link.name, joint.parent_link.name)
    elif way == 6 and part.dof == 6:
        part.body_type = "kinematic"


def _numbers(part):
    """Return all numbers of an object, whatever they are."""
    return np.concatenate([np.ravel(getattr(part, f"_{name}")).astype(float) for name in VIEWS])


def _at_once(world):
    """Return the model of a world that is built from nothing."""
    first = np.cumsum([0, *(len(part.description.bodies) for part in world.objects)])
    first_body = {part.id: int(at) for part, at in zip(world.objects, first, strict=False)}
    ties = [tie.tie(first_body) for tie in world.constraints]
    parts = [part.part() for part in world.objects]
    descriptions = [part.description for part in parts]
    return builder.build_model(descriptions, parts.__getitem__, world.materials, builder.Capacity(), ties)[0]


@pytest.mark.parametrize("seed", range(6))
def test_records_are_those_of_a_world_that_is_built_at_once(seed):
    rng = random.Random(seed)
    world = tribo.World()
    _ball(world, rng)
    for round_ in range(10):
        for _ in range(rng.randrange(1, 3)):
            rng.choice(MAKERS)(world, rng)
        if round_ == 5:
            world.add_pin(world.objects[0], world.objects[-1], (0, 0, 1), name="pin")
        for _ in range(rng.randrange(3)):
            if len(world.objects) > 4 and "pin" not in {tie.name for tie in world.constraints}:
                _edit(world, rng)
            elif len(world.objects) > 4:
                world.remove(world.constraint("pin"))
        numbers = [_numbers(part) for part in world.objects]
        model, made = world.engine.model, _at_once(world)
        for name, array in model.arrays.items():
            if name != "lazy_address":
                np.testing.assert_array_equal(array, made.arrays[name], err_msg=name)
        for part, before in zip(world.objects, numbers, strict=True):
            np.testing.assert_array_equal(_numbers(part), before)
            assert np.shares_memory(part._v, world.engine.state.v) or part.dof == 0
        world.step(2)


def test_one_object_more_or_less_is_one_object_to_describe(monkeypatch):
    world = tribo.World()
    for k in range(50):
        world.add_sphere(0.1, 1.0, position=(k, 0, 0))
    world.step()
    described = []
    add = builder._Filler.add
    monkeypatch.setattr(builder._Filler, "add", lambda self, *given: (described.append(1), add(self, *given)))
    ball = world.add_sphere(0.1, 1.0, position=(0, 5, 0))
    world.step()
    assert len(described) == 1
    world.remove(world.objects[7])
    world.step()
    assert len(described) == 1
    ball.body_type = "kinematic"
    world.step()
    assert len(described) == 2
    assert float(world.objects[7].position[0]) == 8.0


def test_what_is_changed_between_adding_and_the_next_step_counts():
    """Until the world is built again, such a change is in the description only."""
    world = tribo.World()
    first = world.add_sphere(0.1, 1.0, position=(0, 0, 0))
    world.step()
    world.add_sphere(0.1, 1.0, position=(9, 0, 0))
    first.mass = 3.0
    first.collision_bodies[0].size = 0.2
    world.step()
    assert world.engine.model.body_mass[0] == 3.0
    assert world.engine.model.shape_size[0, 0] == 0.2
    assert world.engine.model.body_radius[0] == 0.2


def test_links_that_may_touch_from_now_on_are_built_anew():
    """Whether a link touches its parent stands in the model of the robot, not in the list of pairs."""
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED)
    world.step()
    joint = robot.joint(robot.joint_names[1])
    body = joint.body_index
    before = int(world.engine.model.joint_collides[body])
    (robot.ignore_collision if before else robot.allow_collision)(joint.link.name, joint.parent_link.name)
    assert int(world.engine.model.joint_collides[body]) == 1 - before


def test_objects_that_nobody_looks_at_keep_their_numbers(monkeypatch):
    looked = []
    hand_out = Interior.hand_out
    monkeypatch.setattr(
        Interior, "hand_out", lambda self, part: looked.append(part.name) or hand_out(self, part)
    )
    world = tribo.World()
    for k in range(8):
        world.add_sphere(0.1, 1.0, name=f"{k}", position=(k, 0, 0), linear_velocity=(0, k, 0))
    world.step(0)
    held = world["3"].generalized_velocity
    whole = world["3"].generalized_coordinate
    part_of_it = whole[:3]
    for gone, new in (("0", "a"), ("5", "b"), ("7", "c")):
        world.remove(gone)
        world.add_box((1, 1, 1), 1.0, name=new, position=(0, 9, 0))
        world.step(0)
    # Those that were removed or looked at, and nothing else, cost anything.
    assert sorted(set(looked)) == ["0", "3", "5", "7"]
    for array in (held, whole, part_of_it):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    names = [part.name for part in world.objects]
    assert names == ["1", "2", "3", "4", "6", "a", "b", "c"]
    for k in (1, 2, 3, 4, 6):
        ball = world[f"{k}"]
        assert ball.position.tolist() == [k, 0, 0]
        assert ball.linear_velocity.tolist() == [0, k, 0]
        ball.generalized_velocity[2] = 5.0
        assert world.engine.state.v[ball.span.v].tolist() == [0, k, 5, 0, 0, 0]
    with pytest.raises(AttributeError, match="has no attribute 'positon'"):
        _ = world["1"].positon


def test_what_is_edited_before_it_is_looked_at_keeps_its_numbers():
    world = tribo.World()
    for k in range(3):
        world.add_sphere(0.1, 1.0, name=f"{k}", position=(k, 0, 0), linear_velocity=(0, k, 0))
    world.step(0)
    world.add_sphere(0.1, 1.0, position=(0, 9, 0))
    world["1"].mass = 2.0  # the records have not been built with the new object yet
    world.step(0)
    world.remove("2")
    assert world["1"].linear_velocity.tolist() == [0, 1, 0]
    world.step(0)
    assert (world["1"].mass, world["1"].position.tolist()) == (2.0, [1, 0, 0])
