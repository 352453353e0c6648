"""Servos, springs and mocap bodies that a file damps by a ratio: numbers that follow from the inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from types import MappingProxyType

import numpy as np

from tribo.checks.check import LARGEST
from tribo.description.actuators import MUSCLE, ActuatorDescription, ActuatorLaw
from tribo.description.trees import DescriptionError, TreeDescription, Vector
from tribo.engine.layout import DOFS
from tribo.formats.loops import poses_at
from tribo.formats.mjcf import ways
from tribo.formats.nodes import Node
from tribo.formats.pose import matrix
from tribo.formats.singular import directions

PEAK, SCALE = 2, 3  # of the numbers that make a muscle
SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95)  # MuJoCo's standard


def mass_matrix(
    tree: TreeDescription, q: Sequence[float]
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Return the mass matrix of a tree at coordinates q, (dof, dof), with rotors, and Jacobians.   Σ Jᵀ I J

    Of a free joint the rows are in the axes of its body, which leaves those of all other joints alone. The
    Jacobians are those of the rotation of each body, and of the point of it at the world's origin, (3, dof).
    """
    spans = tree.joint_slices(DOFS)
    nv = spans[-1].stop
    made = np.zeros((nv, nv))
    jacobians: list[tuple[np.ndarray, np.ndarray]] = []
    for k, (body, pose) in enumerate(zip(tree.bodies, poses_at(tree, q), strict=True)):
        turn, place = matrix(pose.quaternion), np.array(pose.position)
        above = jacobians[body.parent] if body.parent >= 0 else (np.zeros((3, nv)),) * 2
        rotation, origin = above[0].copy(), above[1].copy()
        own, span = directions(body), spans[k]
        rotation[:, span] = turn @ own[:3]
        origin[:, span] = turn @ own[3:] + np.cross(place, rotation[:, span], axis=0)
        jacobians.append((rotation, origin))
        centre = place + turn @ np.array(body.com)
        com = origin + np.cross(rotation, centre, axis=0)
        made += body.mass * com.T @ com + rotation.T @ turn @ body.inertia @ turn.T @ rotation
        made[range(span.start, span.stop), range(span.start, span.stop)] += body.joint.armature
    return made, jacobians


def settle(
    tree: TreeDescription, drawn: Sequence[float], springs: Mapping[str, Vector] = MappingProxyType({})
) -> None:
    """Give each servo with a damping ratio ζ its damping, as MuJoCo does.   d = 2 ζ √(k m)

    m is the inertia that the servo feels when the tree is as the file draws it, 1/(gear² (M⁻¹)_jj). A spring
    of time constant t [s] and damping ratio ζ, `springs` by joint, gets k = m/(t ζ)² and d = 2 m/t for
    m = 1/(M⁻¹)_jj, of a ball joint 1 over the mean of the three.

    Raises:
        DescriptionError: Nothing has inertia there.
    """
    own = {body.joint.name: body.joint for body in tree.bodies if body.joint.name in springs}
    needs = [
        one.damping_ratio or (one.law is not None and one.law.gain_kind == MUSCLE) for one in tree.actuators
    ]
    if not own and not any(needs):
        return
    try:
        matrix_drawn, jacobians = mass_matrix(tree, drawn)
        inverse = np.linalg.inv(matrix_drawn)
    except np.linalg.LinAlgError:
        raise DescriptionError(
            "dampratio, springdamper: the mass matrix is singular in the pose that is drawn; give kv, "
            "stiffness and damping, or bodies a mass"
        ) from None
    place = {b.joint.name: span for b, span in zip(tree.bodies, tree.joint_slices(DOFS), strict=True)}
    for name, joint in own.items():
        time, ratio = springs[name]
        inertia = 1.0 / float(inverse.diagonal()[place[name]].mean())
        joint.stiffness, joint.damping = inertia / (time * ratio) ** 2, 2.0 * inertia / time
    for actuator in tree.actuators:
        row = _moment(tree, actuator, place, drawn, jacobians)
        if actuator.law is not None and actuator.law.gain_kind == MUSCLE:
            _strengthen(actuator.law, inverse, row)
        if not actuator.damping_ratio or not row.any():
            continue
        felt = 1.0 / float(row @ inverse @ row)
        law = actuator.law or actuator
        law.bias = (*law.bias[:2], -2.0 * actuator.damping_ratio * sqrt(-law.bias[1] * felt))


def _moment(
    tree: TreeDescription,
    actuator: ActuatorDescription,
    place: Mapping[str, slice],
    q: Sequence[float],
    jacobians: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Return how the length of an actuator grows with each dof, (dof,); zero: it is on no joint."""
    row = np.zeros(tree.joint_slices(DOFS)[-1].stop)
    if actuator.law is None:
        row[place[actuator.joint]] = actuator.gear
    elif actuator.law.coupling:
        coupling = next(one for one in tree.couplings if one.name == actuator.law.coupling)
        for name, c in coupling.terms:
            row[place[name]] += actuator.law.gear * c
        if coupling.way:
            row += actuator.law.gear * ways.moment(coupling, tree, poses_at(tree, q), jacobians)
    return row


def _strengthen(law: ActuatorLaw, inverse: np.ndarray, row: np.ndarray) -> None:
    """Give a muscle whose force is not written the force that its scale says.   F₀ = scale/‖M⁻¹ Jᵀ‖"""
    if law.gain[PEAK] < 0.0:
        eased = max(1e-15, float(np.linalg.norm(inverse @ row)))
        law.gain = (*law.gain[:PEAK], law.gain[SCALE] / eased, *law.gain[PEAK + 1 :])
    if law.bias_kind == MUSCLE and law.bias[PEAK] < 0.0:
        law.bias = (*law.bias[:PEAK], law.gain[PEAK], *law.bias[PEAK + 1 :])


def inverse_masses(
    tree: TreeDescription, q: Sequence[float], body: int, point: Vector, node: Node
) -> tuple[float, float]:
    """Return the inverse mass and inertia of a body, diag(J M⁻¹ Jᵀ), means of three axes [1/kg, 1/(kg m²)].

    At coordinates q; point: (3,) [m], world, at which it is pushed.
    """
    mass, jacobians = mass_matrix(tree, q)
    rotation, origin = jacobians[body]
    try:
        inverse = np.linalg.inv(mass)
    except np.linalg.LinAlgError:
        raise node.error(
            "pulls a robot whose mass matrix is singular as drawn; give bodies a mass, joints an armature"
        ) from None
    moved, turned = (
        float(np.trace(j @ inverse @ j.T)) / 3.0
        for j in (origin + np.cross(rotation, point, axis=0), rotation)
    )
    return moved, turned


def mocap_spring(
    node: Node, inverse: tuple[float, float], shortest: float, scale: float | None
) -> dict[str, float]:
    """Return compliance and damping of an equality by which a mocap body pulls, from `solref` and `solimp`.

    MuJoCo's force of a row is −(k r + b v + a)/R, R = Â (1 − d)/d: a spring, a damper, and a mass 1/R, which
    is left out. d: impedance at its `width`; Â: `inverse`, the `inverse_masses` of the body that is pulled;
    shortest: least time constant [s]. Rows of a rotation are half its angle times `scale`; None: none.
    Source: MuJoCo's documentation, Modeling, Solver parameters.
    """
    given = (*node.vector("solref", None, SOLREF), *SOLREF[1:])
    d = min(max((*node.vector("solimp", None, SOLIMP), *SOLIMP[1:])[1], 1e-4), 0.9999)  # MuJoCo's bounds
    if given[0] > 0.0 and given[1] > 0.0:  # time constant [s], damping ratio
        time, ratio = max(given[0], shortest), given[1]
        share, back = (1.0 - d) * time * ratio * time * ratio, 2.0 * time * ratio * ratio
    elif given[0] < 0.0 and given[1] <= 0.0:  # −stiffness, −damping, per unit of mass
        share, back = (1.0 - d) / -given[0], given[1] / given[0]
    else:
        words = "must be two numbers > 0, time constant and damping ratio, or −stiffness < 0 and −damping ≤ 0"
        raise node.error(f"solref={node.attributes['solref']!r} {words}")
    made = {"compliance": share * inverse[0], "spook_damping": back}
    if scale is not None:
        turn = share * inverse[1] * (2.0 / scale) * (2.0 / scale)
        made |= {"angular_compliance": turn, "angular_spook_damping": back}
    if not max(made.values()) <= LARGEST:
        raise node.error(f"its solref, solimp, torquescale give a spring beyond all bounds: {made}")
    return made
