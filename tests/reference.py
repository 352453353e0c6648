"""The slow textbook versions, in plain NumPy and without a line of the engine: the oracle.

Trees are described by plain objects with the fields of `tribo.description.trees` (bodies with parent,
joint, mass, com, inertia), read by attribute only. Joint types: 0 fixed, 1 revolute, 2 prismatic,
3 spherical, 4 free.
World axes throughout; a free joint's velocity is (linear velocity of the origin, angular velocity),
a spherical joint's the relative angular velocity in the axes of the joint frame of the parent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

COORDINATES = {0: 0, 1: 1, 2: 1, 3: 4, 4: 7}
DOFS = {0: 0, 1: 1, 2: 1, 3: 3, 4: 6}


def relative_difference(found: Any, expected: Any, least: float) -> float:
    """Return the largest difference relative to the largest entry expected, or to `least`."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    scale = max(float(np.abs(expected).max(initial=0.0)), least)
    return float(np.abs(found - expected).max(initial=0.0)) / scale


def skew(a: np.ndarray) -> np.ndarray:
    """Return [a]× with [a]× b = a × b."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], float)


def rotation_of(q: Any) -> np.ndarray:
    """Return the matrix of a unit quaternion (w, x, y, z)."""
    w, v = q[0], np.asarray(q[1:], float)
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew(v)


def axis_rotation(axis: Any, angle: float) -> np.ndarray:
    """Return the rotation about a unit axis."""
    k = skew(np.asarray(axis, float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def quaternion_product(a: Any, b: Any) -> np.ndarray:
    """Return a ⊗ b."""
    u, v = np.asarray(a[1:], float), np.asarray(b[1:], float)
    return np.array([a[0] * b[0] - u @ v, *(a[0] * v + b[0] * u + np.cross(u, v))])


def quaternion_exp(turn: Any) -> np.ndarray:
    """Return the quaternion of a rotation vector."""
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) / angle * np.asarray(turn))])


def moved(bodies: Any, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    """Return q ⊕ dt v."""
    out, a, b = np.array(q, float), 0, 0
    for body in bodies:
        kind = int(body.joint.type)
        if kind in (1, 2):
            out[a] += dt * v[b]
        elif kind == 3:
            out[a : a + 4] = quaternion_product(quaternion_exp(dt * v[b : b + 3]), q[a : a + 4])
        elif kind == 4:
            out[a : a + 3] += dt * v[b : b + 3]
            turn = quaternion_exp(dt * v[b + 3 : b + 6])
            out[a + 3 : a + 7] = quaternion_product(turn, q[a + 3 : a + 7])
        a += COORDINATES[kind]
        b += DOFS[kind]
    return out


class Pose:
    """Position, rotation, Jacobian and velocity-product acceleration of one body's origin."""

    def __init__(self, nv: int) -> None:
        """Start at the world."""
        self.p, self.r = np.zeros(3), np.eye(3)
        self.jac_v, self.jac_w = np.zeros((3, nv)), np.zeros((3, nv))
        self.acc, self.alpha = np.zeros(3), np.zeros(3)  # at v̇ = 0


def forward(bodies: Any, q: np.ndarray, v: np.ndarray) -> list[Pose]:
    """Return pose, Jacobians (velocity of the origin, angular velocity) and J̇ v of every body."""
    nv = sum(DOFS[int(b.joint.type)] for b in bodies)
    poses: list[Pose] = []
    a = d = 0
    for body in bodies:
        kind = int(body.joint.type)
        up = poses[body.parent] if body.parent >= 0 else Pose(nv)
        x = Pose(nv)
        arm = up.r @ np.asarray(body.joint.position, float)
        frame = up.r @ rotation_of(body.joint.quaternion)
        axis = frame @ np.asarray(body.joint.axis, float)
        w_up = up.jac_w @ v
        x.p, x.r = up.p + arm, frame
        x.jac_w = up.jac_w.copy()
        x.alpha = up.alpha.copy()
        if kind == 2:
            arm = arm + q[a] * axis
            x.p = up.p + arm
        x.jac_v = up.jac_v - skew(arm) @ up.jac_w
        x.acc = up.acc + np.cross(up.alpha, arm) + np.cross(w_up, np.cross(w_up, arm))
        if kind == 1:
            x.r = frame @ axis_rotation(body.joint.axis, q[a])
            x.jac_w[:, d] += axis
            x.alpha = up.alpha + np.cross(w_up, axis * v[d])
        elif kind == 2:
            x.jac_v[:, d] += axis
            x.acc = x.acc + 2 * np.cross(w_up, axis * v[d])
        elif kind == 3:
            x.r = frame @ rotation_of(q[a : a + 4])
            x.jac_w[:, d : d + 3] += frame
            x.alpha = up.alpha + np.cross(w_up, frame @ v[d : d + 3])
        elif kind == 4:
            x.p, x.r = np.array(q[a : a + 3]), rotation_of(q[a + 3 : a + 7])
            x.jac_v[:, d : d + 3] = np.eye(3)
            x.jac_w[:, d + 3 : d + 6] = np.eye(3)
        a += COORDINATES[kind]
        d += DOFS[kind]
        poses.append(x)
    return poses


def com_jacobian(pose: Pose, body: Any) -> np.ndarray:
    """Return the Jacobian of a body's centre of mass."""
    return pose.jac_v - skew(pose.r @ np.asarray(body.com, float)) @ pose.jac_w


def mass_matrix(bodies: Any, q: np.ndarray) -> np.ndarray:
    """Return Σ m J_vᵀ J_v + J_ωᵀ I J_ω, with the rotors' inertias on the diagonal."""
    nv = sum(DOFS[int(b.joint.type)] for b in bodies)
    m = np.zeros((nv, nv))
    d = 0
    for body, x in zip(bodies, forward(bodies, q, np.zeros(nv)), strict=True):
        j = com_jacobian(x, body)
        inertia = x.r @ np.asarray(body.inertia) @ x.r.T
        m += body.mass * j.T @ j + x.jac_w.T @ inertia @ x.jac_w
        width = DOFS[int(body.joint.type)]
        m[range(d, d + width), range(d, d + width)] += body.joint.armature
        d += width
    return m


def bias_force(bodies: Any, q: np.ndarray, v: np.ndarray, gravity: Any) -> np.ndarray:
    """Return Σ J_vᵀ m (a − g) + J_ωᵀ (I α + ω × I ω), accelerations at v̇ = 0."""
    h = np.zeros(len(v))
    for body, x in zip(bodies, forward(bodies, q, v), strict=True):
        arm = x.r @ np.asarray(body.com, float)
        w = x.jac_w @ v
        a = x.acc + np.cross(x.alpha, arm) + np.cross(w, np.cross(w, arm))
        inertia = x.r @ np.asarray(body.inertia) @ x.r.T
        h += com_jacobian(x, body).T @ (body.mass * (a - np.asarray(gravity)))
        h += x.jac_w.T @ (inertia @ x.alpha + np.cross(w, inertia @ w))
    return h


def project_cone(mu: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the nearest points of friction cones, x of shape (n, 3)."""
    t = np.linalg.norm(x[:, :2], axis=1)
    n = (mu * t + x[:, 2]) / (1 + mu * mu)
    scale = np.divide(mu * n, t, out=np.zeros_like(t), where=t > 0)
    out = np.column_stack([scale * x[:, 0], scale * x[:, 1], n])
    inside = t <= mu * x[:, 2]
    out[inside] = x[inside]
    out[mu * t <= -x[:, 2]] = 0.0
    return out


def natural_residual(
    g: np.ndarray,
    c: np.ndarray,
    mu: np.ndarray,
    x: np.ndarray,
    lower: np.ndarray | tuple[float, ...] = (),
    upper: np.ndarray | tuple[float, ...] = (),
) -> float:
    """Return how far x is from solving the contact problem, as a velocity, component by component.

    With w = G x + c and a length r per contact: the normal impulse must be max(0, x_n − r w_n), the
    tangential one x_t − r w_t cut to length μ max(0, x_n − r w_n). Of the rows behind the contacts, each must
    be x − r w cut to its bounds.
    """
    w = g @ x + c
    worst = 0.0
    for k in range(len(mu)):
        i = slice(3 * k, 3 * k + 3)
        r = 3.0 / np.trace(g[i, i])
        y = x[i] - r * w[i]
        n = max(0.0, y[2])
        length = float(np.hypot(y[0], y[1]))
        t = y[:2] if length <= mu[k] * n else y[:2] * (mu[k] * n / length)
        worst = max(worst, float(np.abs(x[i] - [*t, n]).max()) / r)
    for i, low, high in zip(range(3 * len(mu), len(x)), lower, upper, strict=True):
        r = 1.0 / g[i, i]
        worst = max(worst, abs(x[i] - min(max(low, x[i] - r * w[i]), high)) / r)
    return worst


def random_bounds(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random bounds of scalar rows: one-sided either way, none, or a box."""
    lower, upper = np.zeros(count), np.zeros(count)
    for k in range(count):
        box = 10.0 ** rng.uniform(-3, 1)
        lower[k], upper[k] = [(0, np.inf), (-np.inf, 0), (-np.inf, np.inf), (-box, box)][rng.integers(4)]
    return lower, upper
