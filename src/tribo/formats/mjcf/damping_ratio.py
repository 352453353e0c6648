"""Servos and springs that a file damps by a ratio: their numbers follow from the inertia that they move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from types import MappingProxyType

import numpy as np

from tribo.description.trees import DescriptionError, TreeDescription, Vector
from tribo.engine.layout import DOFS
from tribo.formats.loops import poses_at
from tribo.formats.pose import matrix
from tribo.formats.singular import directions


def mass_matrix(tree: TreeDescription, q: Sequence[float]) -> np.ndarray:
    """Return the mass matrix of a tree at coordinates q, (dof, dof), rotors included.   Σ Jᵀ I J

    Of a free joint the rows are in the axes of its body, which leaves those of all other joints alone.
    """
    firsts = np.cumsum([0, *(DOFS[body.joint.type] for body in tree.bodies)])
    nv = int(firsts[-1])
    made = np.zeros((nv, nv))
    jacobians: list[tuple[np.ndarray, np.ndarray]] = []  # of rotation, and of the world's origin
    for k, (body, pose) in enumerate(zip(tree.bodies, poses_at(tree, q), strict=True)):
        turn, place = matrix(pose.quaternion), np.array(pose.position)
        above = jacobians[body.parent] if body.parent >= 0 else (np.zeros((3, nv)),) * 2
        rotation, origin = above[0].copy(), above[1].copy()
        own, span = directions(body), slice(firsts[k], firsts[k + 1])
        rotation[:, span] = turn @ own[:3]
        origin[:, span] = turn @ own[3:] + np.cross(place, rotation[:, span], axis=0)
        jacobians.append((rotation, origin))
        centre = place + turn @ np.array(body.com)
        com = origin + np.cross(rotation, centre, axis=0)
        made += body.mass * com.T @ com + rotation.T @ turn @ body.inertia @ turn.T @ rotation
        made[range(span.start, span.stop), range(span.start, span.stop)] += body.joint.armature
    return made


def settle(
    tree: TreeDescription,
    drawn: Sequence[float],
    springs: Mapping[str, Vector] = MappingProxyType({}),
) -> None:
    """Give each servo with a damping ratio ζ its damping, as MuJoCo does.   d = 2 ζ √(k m)

    m is the inertia that the servo feels when the tree is as the file draws it, 1/(gear² (M⁻¹)_jj). A spring
    of time constant t [s] and damping ratio ζ, `springs` by joint, gets k = m/(t ζ)² and d = 2 m/t for
    m = 1/(M⁻¹)_jj, of a ball joint 1 over the mean of the three.

    Raises:
        DescriptionError: Nothing has inertia there.
    """
    own = {body.joint.name: body.joint for body in tree.bodies if body.joint.name in springs}
    if not own and not any(actuator.damping_ratio for actuator in tree.actuators):
        return
    try:
        inverse = np.linalg.inv(mass_matrix(tree, drawn))
    except np.linalg.LinAlgError:
        raise DescriptionError(
            "dampratio, springdamper: the mass matrix is singular in the pose that is drawn; give kv, "
            "stiffness and damping, or bodies a mass"
        ) from None
    firsts = np.cumsum([0, *(DOFS[body.joint.type] for body in tree.bodies)]).tolist()
    place = {body.joint.name: first for body, first in zip(tree.bodies, firsts, strict=False)}
    for name, joint in own.items():
        time, ratio = springs[name]
        eased = inverse.diagonal()[place[name] : place[name] + DOFS[joint.type]]
        inertia = 1.0 / float(eased.mean())
        joint.stiffness, joint.damping = inertia / (time * ratio) ** 2, 2.0 * inertia / time
    for k, actuator in enumerate(tree.actuators):
        if not actuator.damping_ratio or actuator.gear == 0.0:
            continue
        dof = place[actuator.joint]
        felt = 1.0 / (actuator.gear**2 * float(inverse[dof, dof]))
        damping = 2.0 * actuator.damping_ratio * sqrt(actuator.gain * felt)
        bias = (actuator.bias[0], actuator.bias[1], -damping)
        tree.actuators[k] = replace(actuator, bias=bias)
