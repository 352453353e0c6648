"""Joints that move without inertia whatever the pose, since what hangs on them follows other joints.

A joint's springs and damping, implicit in a step, stand for its inertia; a base that floats has neither.
"""

from __future__ import annotations

import random

import numpy as np

from tribo.description.trees import BodyDescription, TreeDescription
from tribo.formats.loops import motion
from tribo.formats.pose import Pose, matrix
from tribo.model import Joint

LEAST = 1e-12  # [–] of the inertia of all that hangs on a joint: less is none
ROUNDING = 1e-9  # [–] of the larger inertias of a link: less is none
POSES = 2  # random ones: what is singular in all of them is so by its build


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _inertia(body: BodyDescription) -> np.ndarray:
    """Return the spatial inertia (6, 6) of a body about its origin, rotation first."""
    c = _skew(np.array(body.com))
    upper = body.inertia + body.mass * c @ c.T
    return np.block([[upper, body.mass * c], [body.mass * c.T, body.mass * np.eye(3)]])


def directions(body: BodyDescription) -> np.ndarray:
    """Return the directions (6, n) in which its joint lets a body move."""
    kind, axis = body.joint.type, np.asarray(body.joint.axis, float)
    if kind == Joint.REVOLUTE:
        return np.concatenate([axis, np.zeros(3)])[:, None]
    if kind == Joint.PRISMATIC:
        return np.concatenate([np.zeros(3), axis])[:, None]
    if kind == Joint.SPHERICAL:
        return np.eye(6)[:, :3]
    return np.eye(6) if kind == Joint.FREE else np.zeros((6, 0))


def _to_parent(body: BodyDescription, rng: random.Random) -> np.ndarray:
    """Return the transform (6, 6) of motions of the parent to the body's frame, at a random coordinate."""
    joint = body.joint
    q = [rng.gauss(0.0, 0.1 if joint.type == Joint.PRISMATIC else 1.0) for _ in range(4)]
    pose = Pose(joint.position, joint.quaternion) @ motion(joint, q)
    e = matrix(pose.quaternion).T
    return np.block([[e, np.zeros((3, 3))], [-e @ _skew(np.array(pose.position)), e]])


def _weakest(tree: TreeDescription, seed: int, *, is_explicit: bool = False) -> set[int]:
    """Return the bodies whose joints have no inertia in a random pose; explicit: springs do not stand for it.

    Articulated-body inertias; source: Featherstone 2008, eq. 7.23 to 7.27.
    """
    rng = random.Random(seed)
    bodies = tree.bodies
    own = [_inertia(body) for body in bodies]
    whole = [inertia.copy() for inertia in own]
    weak = set()
    for i in range(len(bodies) - 1, -1, -1):
        body = bodies[i]
        s = directions(body)
        d = s.T @ own[i] @ s + body.joint.armature * np.eye(s.shape[1])
        rest = own[i]
        is_held = body.joint.stiffness > 0.0 or body.joint.damping > 0.0
        if s.shape[1] and (is_explicit or not is_held):
            # Relative to all that hangs on it, each direction by itself: metres are not radians.
            size = np.sqrt(np.maximum(np.diag(s.T @ whole[i] @ s), 0.0) + body.joint.armature)
            if not (size > 0.0).all() or np.linalg.eigvalsh(d / np.outer(size, size))[0] <= LEAST:
                weak.add(i)
                d = d + np.diag(np.maximum(size, 1e-150) ** 2)  # go on with what is sound
            u = own[i] @ s
            rest = own[i] - u @ np.linalg.solve(d, u.T)
        if body.parent >= 0:
            x = _to_parent(body, rng)
            own[body.parent] = own[body.parent] + x.T @ rest @ x
            whole[body.parent] = whole[body.parent] + x.T @ whole[i] @ x
    return weak


def joints_without_inertia(tree: TreeDescription) -> list[int]:
    """Return the bodies, by number, whose joints have no inertia of their own in any pose."""
    found = set(range(len(tree.bodies)))
    for seed in range(POSES):
        if found:
            found &= _weakest(tree, seed) | ({0} & _weakest(tree, seed, is_explicit=True))
    return sorted(found)


def too_little(tree: TreeDescription, i: int) -> str:
    """Return how little inertia body i has in its joint, and what it carries; "" if it has none at all."""
    rng, body = random.Random(0), tree.bodies[i]
    whole = [_inertia(one) for one in tree.bodies]
    for k in range(len(whole) - 1, i, -1):
        x = _to_parent(tree.bodies[k], rng)
        whole[tree.bodies[k].parent] += x.T @ whole[k] @ x
    s = directions(body)
    rotor = body.joint.armature * np.eye(s.shape[1])
    own, carried = s.T @ _inertia(body) @ s + rotor, s.T @ whole[i] @ s + rotor
    size = np.sqrt(np.maximum(np.diag(own), 0.0))
    if not (size > 0.0).all() or np.linalg.eigvalsh(own / np.outer(size, size))[0] <= ROUNDING:
        return ""
    k = int(np.argmin(np.diag(own) / np.diag(carried)))
    unit = "kg m²" if s[:3, k].any() else "kg"
    return f"{own[k, k]:.2g} {unit} of its own, {carried[k, k]:.2g} {unit} with what hangs on it"
