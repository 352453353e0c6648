"""Equalities of mocap bodies: springs, as `solref` and `solimp` say, which pull a robot to where a user puts it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.description.trees import TreeDescription, Vector
from tribo.formats.mjcf.damping_ratio import mass_matrix
from tribo.formats.nodes import Node

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)  # MuJoCo's standard
LEAST, MOST = 1e-4, 0.9999  # MuJoCo's bounds of an impedance


def inverse_masses(
    tree: TreeDescription, q: Sequence[float], body: int, point: Vector
) -> tuple[float, float]:
    """Return how easily a point of a body moves [1/kg], and the body turns [1/(kg m²)], mean of three axes.

    diag(J M⁻¹ Jᵀ) at coordinates q. Args: point: (3,) [m], world, at q.

    Raises:
        LinAlgError: The mass matrix is singular.
    """
    matrix, jacobians = mass_matrix(tree, q)
    rotation, origin = jacobians[body]
    across = origin + np.cross(rotation, point, axis=0)
    inverse = np.linalg.inv(matrix)
    moved, turned = (float(np.trace(j @ inverse @ j.T)) / 3.0 for j in (across, rotation))
    return moved, turned


def spring(node: Node, eased: tuple[float, float]) -> dict[str, float]:
    """Return compliance and damping of a constraint that MuJoCo softens by `solref` and `solimp`.

    MuJoCo's force of a row is −(k r + b v + a)/R, R = Â (1 − d)/d: a spring k/R, a damper b/R, and a mass 1/R
    that moves along. Spring and damper are kept, with the impedance d at its `width` and Â of the body that is
    held. The rows of a rotation are half its angle times `torquescale`.

    Args:
        eased: `inverse_masses` of what is held.

    Source: MuJoCo's documentation, Computation and Modeling (solver parameters).
    """
    given = (*node.vector("solref", None, SOLREF), *SOLREF[1:])
    shape = node.vector("solimp", None, SOLIMP)
    d = min(max(shape[1] if len(shape) > 1 else SOLIMP[1], LEAST), MOST)
    if given[0] > 0.0 and given[1] > 0.0:  # time constant [s], damping ratio
        share, time = (1.0 - d) * (given[0] * given[1]) ** 2, 2.0 * given[0] * given[1] ** 2
    elif given[0] < 0.0 and given[1] <= 0.0:  # −stiffness, −damping, per unit of mass
        share, time = (1.0 - d) / -given[0], given[1] / given[0]
    else:
        words = node.attributes["solref"]
        raise node.error(
            f"solref={words!r} must be two numbers > 0, time constant and damping ratio, or two ≤ 0, "
            "−stiffness (not 0) and −damping"
        )
    made = {"compliance": share * eased[0], "spook_damping": time}
    if node.tag == "weld":
        scale = node.number("torquescale", 1.0, above=0.0)
        made["angular_compliance"] = share * eased[1] * 4.0 / scale**2
        made["angular_spook_damping"] = time
    return made
