"""The rotation of a joint: every axis along which it has a short way."""

from math import cos, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tribo.dynamics.kinematics import rotate_about


@pytest.mark.parametrize(
    "axis", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0.36, -0.48, 0.8)]
)
def test_every_branch_of_a_joint_turns_about_its_axis(axis):
    axis = tuple(float(x) for x in axis)
    start = tuple(Rotation.from_rotvec([0.3, -0.8, 1.1]).as_matrix().ravel())
    made = np.reshape(rotate_about(start, axis, cos(0.7), sin(0.7)), (3, 3))
    expected = np.reshape(start, (3, 3)) @ Rotation.from_rotvec(0.7 * np.array(axis)).as_matrix()
    np.testing.assert_allclose(made, expected, atol=4e-16)
