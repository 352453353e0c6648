"""What cannot be assigned is refused, and the message names what can."""

import re

import numpy as np
import pytest
from scenes import QUADRUPED

import tribo
from tribo.checks import answers


def quadruped():
    """Return a world with the package's own robot."""
    world = tribo.World()
    return world, world.add_articulated_system(QUADRUPED)


def test_coordinates_by_name_refuse_an_array_and_name_what_takes_one():
    _, robot = quadruped()
    before = robot.generalized_coordinate.copy()
    with pytest.raises(TypeError, match="generalized_coordinate"):
        robot.joint_coordinates = np.zeros(12)
    with pytest.raises(TypeError, match="generalized_velocity"):
        robot.joint_velocities = [0.0] * 12
    assert np.array_equal(robot.generalized_coordinate, before)


@pytest.mark.parametrize("name", ["mass_matrix", "applied_torque", "joints", "dof"])
def test_what_is_only_read_says_so_and_lists_what_can_be_assigned(name):
    _, robot = quadruped()
    with pytest.raises(AttributeError, match=r"only read.*generalized_force"):
        setattr(robot, name, np.zeros(12))


def test_a_property_that_fails_inside_its_setter_keeps_its_own_message():
    _, robot = quadruped()
    with pytest.raises(ValueError, match="generalized_coordinate"):
        robot.generalized_coordinate = [0.0]


@pytest.mark.parametrize("item", [3, None, np.eye(4, 3), [np.eye(4, 3)], {"vertices": 1}])
def test_what_is_no_mesh_is_refused_with_the_ways_to_give_one(item):
    world = tribo.World()
    with pytest.raises(TypeError, match=r"path of a file.*trimesh.*\(vertices, triangles\), got"):
        world.add_mesh(item, mass=1.0)
    assert len(world.objects) == 0


@pytest.mark.parametrize("kind", ["world", "batch"])
def test_a_state_by_joint_name_is_refused_with_the_property_that_takes_it(kind):
    world, robot = quadruped()
    handle = tribo.Batch(world, 2, threads=1)[robot.name] if kind == "batch" else robot
    q, v = np.array(robot.generalized_coordinate), np.array(robot.generalized_velocity)
    with pytest.raises(TypeError, match=r"coordinate of .*; by joint name: joint_coordinates = "):
        handle.set_state({"LF_HAA": 0.1}, v)
    with pytest.raises(TypeError, match=r"velocity of .*; by joint name: joint_velocities = "):
        handle.set_state(q, {"LF_HAA": 0.1})


@pytest.mark.parametrize("folders", [3, None, [None], b"x", ["here", 3]])
def test_folders_are_paths(folders):
    with pytest.raises(TypeError, match="package_dirs must be a folder or several, got"):
        tribo.World().add_articulated_system(QUADRUPED, package_dirs=folders)


def test_a_file_is_no_folder():
    with pytest.raises(ValueError, match=r"package_dirs: .*quadruped\.urdf is a file; give its folder"):
        tribo.World().add_articulated_system(QUADRUPED, package_dirs=QUADRUPED)


def test_what_was_not_solved_says_by_how_much_where_and_what_to_do(caplog):
    world = tribo.World()
    world.contact_solver, world.max_sweeps = "sweeps", 3
    world.add_ground()
    for k in range(5):
        world.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1 + 0.2 * k), name=f"box{k}")
    world.step()
    assert world.status & tribo.Status.NOT_CONVERGED
    said = re.search(r"misses its laws by up to (\S+) m/s", caplog.text)
    assert said is not None
    assert 1e-3 * 9.81e-3 < float(said[1]) < 9.81e-3  # beyond a thousandth of the weight, not all of it
    assert "raise world.max_sweeps" in caplog.text
    pair = r"most of it at the contact of (plane/0 of ground_\d|box/0 of box\d) and box/0 of box\d"
    assert re.search(pair, caplog.text)


def test_messages_show_plain_numbers_and_the_right_article():
    with pytest.raises(ValueError, match=r"radius must be > 0, got -1\.0$"):
        tribo.World().add_sphere(np.float64(-1.0), 1.0)
    link = tribo.LinkDescription("base")
    with pytest.raises(ValueError, match=r"mass of an ellipsoid of 'base' must be ≥ 0, got -1\.0$"):
        link.add_shape("ellipsoid", np.ones(3), mass=np.float64(-1.0))


def test_a_missing_name_is_searched_once(monkeypatch):
    """`hasattr` in a loop asks the same again; a search over all names takes milliseconds."""
    world, asked = tribo.World(), []
    distance = answers.distance
    monkeypatch.setattr(answers, "distance", lambda a, b: asked.append(a) or distance(a, b))
    assert not hasattr(world, "gravty")
    first = len(asked)
    assert first > 0
    assert not hasattr(world, "gravty")
    assert len(asked) == first
