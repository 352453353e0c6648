"""Orientations in all forms against SciPy, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tribo
from tribo.checks import orientation
from tribo.description.extents import rotation_matrix
from tribo.tools.demo import ASSETS

ANGLES = 0.3, -0.7, 1.9
EPS = 8 * np.finfo(float).eps  # of products of three unit quaternions


def same(quaternion, rotation):
    """Tell whether a quaternion (w, x, y, z) is a rotation of SciPy's, whatever its sign."""
    x, y, z, w = rotation.as_quat()
    return abs(abs(np.dot(quaternion, (w, x, y, z))) - 1.0) < EPS


@pytest.mark.parametrize("axes", ["xyz", "zyx", "XYZ", "ZYX", "zxz"])
def test_euler_is_scipys(axes):
    assert same(tribo.quaternion(euler=(axes, ANGLES)), Rotation.from_euler(axes, ANGLES))


def test_rpy_is_that_of_urdf():
    assert same(tribo.quaternion(rpy=ANGLES), Rotation.from_euler("xyz", ANGLES))


def test_axis_and_angle():
    wanted = Rotation.from_rotvec(1.2 * np.array([0.0, 0.6, 0.8]))
    assert same(tribo.quaternion(axis_angle=(0.0, 3.0, 4.0, 1.2)), wanted)
    assert same(tribo.quaternion(axis_angle=((0.0, 3.0, 4.0), 1.2)), wanted)


def test_all_forms_are_taken_where_an_orientation_is():
    turn = Rotation.from_euler("xyz", ANGLES)
    world = tribo.World()
    forms = {
        "orientation": turn, "rotation_matrix": turn.as_matrix(), "rpy": ANGLES, "euler": ("xyz", ANGLES),
        "axis_angle": (turn.as_rotvec() / turn.magnitude(), turn.magnitude()),
    }  # fmt: skip
    for form, value in forms.items():
        assert same(world.add_box((1, 1, 1), 1.0, **{form: value}).orientation, turn)
        robot = world.load_urdf(ASSETS / "quadruped.urdf", **{form: value})
        assert same(robot.orientation, turn)
    box = world.add_box((1, 1, 1), 1.0)
    for value in (turn, turn.as_matrix(), turn.as_matrix().tolist(), tribo.quaternion(rpy=ANGLES)):
        box.orientation = (1, 0, 0, 0)
        box.orientation = value
        assert same(box.orientation, turn)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rpy": (0, 0, 1), "orientation": (1, 0, 0, 0)}, TypeError, "the same twice"),
        ({"euler": (0, 0, 1)}, ValueError, "fixed axes"),
        ({"euler": ("xyZ", (0, 0, 1))}, ValueError, "three of"),
        ({"orientation": (0, 0, 1)}, ValueError, r"quaternion \(w, x, y, z\).*rpy="),
        ({"rotation_matrix": np.diag([1, 1, -1])}, ValueError, "mirrors"),
        ({"rotation_matrix": np.diag([1, 1, 2])}, ValueError, "right angles"),
        ({"rotation_matrix": np.eye(2)}, ValueError, r"\(3, 3\)"),
        ({"axis_angle": (0, 0, 0, 1)}, ValueError, "axis of some length"),
        ({"rpy": (0, 0, np.nan)}, ValueError, "finite"),
        ({"orientation": (2, 0, 0, 0)}, ValueError, r"unit quaternion \(w, x, y, z\)"),
        ({"orientation": [[1, 0], [0]]}, TypeError, "orientation"),
    ],
)
def test_what_is_no_orientation_is_refused(options, error, words):
    world = tribo.World()
    with pytest.raises(error, match=words):
        world.add_box((1, 1, 1), 1.0, **options)
    assert len(world.objects) == 0
    with pytest.raises(TypeError, match="takes one of"):
        tribo.quaternion()


def test_a_matrix_may_be_rounded_as_a_quaternion_may():
    """Columns of 0.707 are 1.5e-4 too short, and the turn is wrong by less than that."""
    c = 0.707
    box = tribo.World().add_box((1, 1, 1), 1.0)
    box.orientation = [[c, -c, 0], [c, c, 0], [0, 0, 1]]
    assert np.linalg.norm(box.orientation) == pytest.approx(1.0, abs=1e-15)
    assert 2 * np.arctan2(*box.orientation[[3, 0]]) == pytest.approx(np.pi / 4, abs=1.5e-4)
    c = 0.7
    with pytest.raises(ValueError, match="must be a rotation, its columns"):
        box.orientation = [[c, -c, 0], [c, c, 0], [0, 0, 1]]


def test_quaternions_belong_to_their_matrices():
    rng = np.random.default_rng(3)
    q = rng.normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q[:4] = np.eye(4)  # each branch at its most extreme
    found = orientation.of_matrices(np.array([rotation_matrix(row) for row in q]))
    sign = np.sign(np.einsum("ni,ni->n", q, found))[:, None]
    np.testing.assert_allclose(found * sign, q, atol=1e-14)
