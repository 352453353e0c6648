"""Collision shapes change while a world runs: they act as if they had been like that from the start."""

import numpy as np
import pytest
from scenes import GRAVITY, QUADRUPED, empty_world, ground_world, standing_quadruped

import tribo
from tribo.description.trees import DescriptionError

QUARTER = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # about y


def test_a_ball_that_grows_rests_higher():
    """The broad phase, the contact and the rest height follow; the mass does not."""
    world = ground_world()
    ball = world.add_sphere(0.1, 2.0, position=(0, 0, 0.1))
    world.step(10)
    ball.collision_bodies[0].size = 0.25
    ball.position = (0, 0, 0.3)
    world.step(1000)
    assert ball.position[2] == pytest.approx(0.25, abs=1e-9)
    assert ball.mass == 2.0
    (contact,) = ball.contacts
    assert contact.force[2] == pytest.approx(2.0 * GRAVITY, rel=1e-9)


@pytest.mark.parametrize("build_first", [False, True])
def test_edits_are_like_a_new_robot(build_first):
    """Feet of another size at another place: bit for bit as from a URDF that says so."""
    size, moved = 0.03, (0.01, 0.0, -0.005)
    edited, made = ground_world(friction=0.8), ground_world(friction=0.8)
    robot = standing_quadruped(edited)
    if build_first:
        edited.step(0)
    foot = robot.collision_body("LF_FOOT/0")
    shift = np.array(foot.position_in_body) + moved
    foot.size, foot.position_in_body = (size,), shift
    other = standing_quadruped(made)
    shape = next(s for b in other.description.bodies for s in b.shapes if s.name == "LF_FOOT/0")
    shape.size, shape.position = (size,), tuple(shift.tolist())  # before the first build
    edited.step(300)
    made.step(300)
    np.testing.assert_array_equal(robot.generalized_coordinate, other.generalized_coordinate)
    assert robot.position[2] > 0.0


def test_a_bar_that_is_turned_up():
    """A lying bar of half length 0.4 m stands after a quarter turn of its shape."""
    world = ground_world()
    bar = world.add_box((0.8, 0.1, 0.1), 1.0, position=(0, 0, 0.5), name="bar")
    world.step(1)
    bar.collision_bodies[0].orientation_in_body = QUARTER
    world.step(1000)
    assert bar.position[2] == pytest.approx(0.4, abs=1e-6)
    np.testing.assert_allclose(bar.collision_bodies[0].orientation_in_body, QUARTER)


def test_a_snapshot_takes_edits_back():
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.5))
    shape = ball.collision_bodies[0]
    world.step(5)
    saved = world.snapshot()
    world.step(500)
    expected = ball.position.copy()
    world.restore(saved)
    shape.size, shape.position_in_body = 0.2, (0, 0, 0.1)
    world.step(50)
    world.restore(saved)
    assert shape.size == (0.1,)
    np.testing.assert_array_equal(shape.position_in_body, (0, 0, 0))
    world.step(500)
    np.testing.assert_array_equal(ball.position, expected)


def test_edits_outlive_a_rebuild():
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.2))
    world.step(1)
    ball.collision_bodies[0].size = 0.2
    world.add_sphere(0.1, 1.0, position=(3, 0, 0.1))
    ball.position = (0, 0, 0.3)
    world.step(1000)
    assert ball.position[2] == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "name", "value", "says"),
    [
        ("ball", "size", 0.0, "each length of size of .* must be > 0"),
        ("ball", "size", 1e-16, "must be ≥ 1e-15"),
        ("ball", "size", (0.1, 0.2), r"shape \(1,\)"),
        ("ball", "size", np.nan, "finite"),
        ("box", "size", 0.1, r"shape \(3,\)"),
        ("box", "position_in_body", (0, 0), r"shape \(3,\)"),
        ("box", "orientation_in_body", (2, 0, 0, 0), "unit"),
        ("wedge", "size", 0.1, "a hull is given by more than lengths"),
        ("ground", "size", 0.1, "a plane is given by more than lengths"),
        ("ground", "position_in_body", (0, 0, 1), "move that"),
    ],
)
def test_wrong_values_change_nothing(shape, name, value, says):
    world = ground_world()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    parts = {"ball": world.add_sphere(0.1, 1.0), "box": world.add_box((1, 1, 1), 1.0),
             "wedge": world.add_convex(corners, 1.0), "ground": world.objects[0]}  # fmt: skip
    body = parts[shape].collision_bodies[0]
    before = body.size, tuple(body.position_in_body), tuple(body.orientation_in_body)
    with pytest.raises(ValueError, match=says):
        setattr(body, name, value)
    assert before == (body.size, tuple(body.position_in_body), tuple(body.orientation_in_body))


def test_not_between_update_and_advance_and_not_when_gone():
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0)
    shape = ball.collision_bodies[0]
    world.update()
    for name, value in (("size", 0.2), ("position_in_body", (0, 0, 1)), ("orientation_in_body", QUARTER)):
        with pytest.raises(tribo.EditError, match="between update and advance"):
            setattr(shape, name, value)
    world.advance()
    world.remove(ball)
    with pytest.raises(tribo.EditError, match="was removed"):
        shape.size = 0.2


def test_a_world_file_does_not_lose_edits(tmp_path):
    """A robot's file cannot hold them, which is said; a ball's can."""
    world = empty_world()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.collision_bodies[0].size = 0.2
    world.save(tmp_path / "world.xml")
    assert tribo.World.load(tmp_path / "world.xml")["ball"].collision_bodies[0].size == (0.2,)
    robot = world.add_articulated_system(QUADRUPED)
    robot.collision_body("LF_FOOT/0").size = 0.03
    with pytest.raises(DescriptionError, match="shapes that differ from its URDF"):
        world.save(tmp_path / "world.xml")
    again = empty_world().add_articulated_system(robot.to_urdf())
    assert again.collision_body("LF_FOOT/0").size == (0.03,)


def test_filter_of_an_object_that_was_just_added_shifts_nothing():
    """Writing a shape's material before the rebuild must not reach another object's shape."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, "a", name="first")
    ball = world.add_sphere(0.1, 1.0, "b", name="second")
    world.step()
    world.remove("first")
    ball.material = "c"
    world.step()
    assert world.material_names[world.engine.model.shape_material[0]] == "c"
