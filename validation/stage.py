"""Scenes that every engine can read, and what they record. Plain data: JSON carries them to a subprocess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

G = 9.81
Vector = tuple[float, ...]
ZERO = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SIDES = 128  # of the hull that stands for a cone or an ellipsoid where an engine has none
CELLS = 40
SQUARE = ((-1.69, -1.83, 0.0), (2.31, -1.83, 0.0), (2.31, 2.17, 0.0), (-1.69, 2.17, 0.0))
TRIANGLES = ((0, 1, 2), (0, 2, 3))


@dataclass
class Pair:
    """Properties of a pair of materials."""

    friction: float = 0.0
    restitution: float = 0.0
    threshold: float = 0.0  # [m/s]
    static_friction: float | None = None
    static_speed: float = 1e-3  # [m/s]
    rolling: float = 0.0
    spinning: float = 0.0
    stiffness: float | None = None  # [N/m^1.5] tribo's compliant law
    damping: float = 0.0  # [N s/m^1.5]
    spring: Vector = ()  # peers' counterpart: [N/m], [N s/m], and the mass that meets it [kg]


@dataclass
class Body:
    """A single body. Sizes: radius; edges; radius, distance of cap centres; radius, height; semi-axes.

    A cone's axis is z, its apex up, its origin the centre of mass. A hull has points instead of a size.
    """

    shape: str  # sphere, box, capsule, cylinder, ellipsoid, cone, hull
    size: Vector
    mass: float = 1.0
    position: Vector = ZERO
    orientation: Vector = UPRIGHT  # w, x, y, z
    velocity: Vector = ZERO
    spin: Vector = ZERO  # [rad/s] world
    inertia: Vector | None = None  # body axes: (3,) or (6,) xx yy zz xy xz yz; None: homogeneous
    material: str = "default"
    kind: str = "dynamic"
    name: str = ""
    points: tuple[Vector, ...] = ()  # of a hull, from the centre of mass [m]


@dataclass
class Plane:
    """A half space below height along its normal."""

    normal: Vector = (0.0, 0.0, 1.0)
    height: float = 0.0
    material: str = "default"


@dataclass
class Robot:
    """A tree of joints in URDF; a root link called ``world`` is fixed."""

    urdf: str
    q: Vector  # coordinates, as tribo orders them (free base: position, quaternion w first)
    v: Vector
    force: Vector = ()  # constant joint forces
    name: str = "robot"


@dataclass
class Tie:
    """A pin, hinge or weld of two bodies, or of a body and the world (""), at a place in the world."""

    kind: str  # pin, hinge, weld
    first: str
    second: str = ""
    position: Vector = ZERO
    axis: Vector = (0.0, 0.0, 1.0)


@dataclass
class Force:
    """A force on a body at an offset from its centre, both in world axes: force + rate · t; and a torque."""

    body: str
    force: Vector = ZERO
    rate: Vector = ZERO
    offset: Vector = ZERO
    torque: Vector = ZERO


@dataclass
class Scene:
    """What there is, for how long, and how often it is written down."""

    bodies: list[Body] = field(default_factory=list)
    steps: int = 1000
    pair: Pair = field(default_factory=Pair)
    pairs: dict[str, Pair] = field(default_factory=dict)  # "a|b"
    planes: list[Plane] = field(default_factory=lambda: [Plane()])
    robots: list[Robot] = field(default_factory=list)
    forces: list[Force] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    ties_are_joints: bool = False  # of one tree, instead of constraints of free bodies
    floor: str = ""  # "mesh" (`SQUARE`) or "height map" (`CELLS` cells of 0.1 m), at height 0
    gravity: Vector = (0.0, 0.0, -G)
    dt: float = 1e-3
    every: int = 1
    wants_support: bool = False  # total force of everything that does not move, per sample
    wants_lawless: bool = False  # how far contact forces are outside their law, per sample
    integrator: str = "midpoint"  # tribo's; peers have their own
    impact: str = "simultaneous"  # tribo's

    def __post_init__(self) -> None:
        """Give every body a name."""
        for k, body in enumerate(self.bodies):
            body.name = body.name or f"b{k}"

    def index(self, name: str) -> int:
        """Return the number of a body."""
        return [body.name for body in self.bodies].index(name)


@dataclass
class Track:
    """States at the samples, the start first. Shapes (t, bodies, 3 or 4); robots (t, coordinates)."""

    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    q: np.ndarray
    v: np.ndarray
    support: np.ndarray  # (t, 3) [N], empty if not asked for
    lawless: np.ndarray  # (t, 2) largest pull [N], largest |f_t| − μ f_n over μ f_n; empty if not asked for

    @classmethod
    def of(cls, rows: list[Any]) -> Track:
        """Collect rows of (time, position, orientation, velocity, spin, q, v, support, lawless)."""
        columns = [np.array(column, float) for column in zip(*rows, strict=True)]
        return cls(*columns)


def incline(angle: float) -> Vector:
    """Return the gravity that makes a level ground a slope which falls along +x."""
    return (G * float(np.sin(angle)), 0.0, -G * float(np.cos(angle)))


def turn(axis: Any, angle: float) -> Vector:
    """Return the quaternion of a rotation about an axis."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return (float(np.cos(angle / 2)), *(float(x) for x in np.sin(angle / 2) * unit))


def product(one: Vector, other: Vector) -> Vector:
    """Return the quaternion of the second rotation followed by the first."""
    a, u = one[0], np.array(one[1:])
    b, v = other[0], np.array(other[1:])
    return (float(a * b - u @ v), *(float(x) for x in a * v + b * u + np.cross(u, v)))


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return rotation matrices (…, 3, 3) of quaternions (…, 4)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion(rotation: np.ndarray) -> Vector:
    """Return the quaternion of a rotation matrix."""
    x, y, z = np.diag(rotation)
    squares = np.array([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z]) / 4
    k = int(squares.argmax())
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = rotation
    rows = [[0, zy - yz, xz - zx, yx - xy], [zy - yz, 0, xy + yx, xz + zx],
            [xz - zx, xy + yx, 0, yz + zy], [yx - xy, xz + zx, yz + zy, 0]]  # fmt: skip
    q = np.array(rows[k]) / (4 * np.sqrt(squares[k]))
    q[k] = np.sqrt(squares[k])
    return tuple(float(part) for part in q)


def tilt(quaternions: np.ndarray) -> np.ndarray:
    """Return the angle between body z and world z [rad]."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    return 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))


def hull_of(body: Body) -> np.ndarray:
    """Return the points (n, 3) whose hull stands for a body: a cone and an ellipsoid get `SIDES` sides."""
    if body.shape == "hull":
        return np.array(body.points)
    angle = 2.0 * np.pi / SIDES * np.arange(SIDES)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)], axis=1)
    if body.shape == "cone":
        r, h = body.size
        return np.vstack([r * ring - [0.0, 0.0, h / 4], [0.0, 0.0, 0.75 * h]])
    steps = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 4 + 1)[1:-1]
    belts = [np.cos(a) * ring[::2] + [0.0, 0.0, np.sin(a)] for a in steps]
    poles = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]
    return np.vstack([*belts, poles]) * body.size


def inertia_of(body: Body) -> np.ndarray:
    """Return the inertia of a body (3, 3) in its axes, homogeneous if not given."""
    if body.inertia is None:
        return np.diag(homogeneous(body))
    xx, yy, zz, xy, xz, yz = (*body.inertia, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def homogeneous(body: Body) -> np.ndarray:
    """Return the principal moments (3,) of a homogeneous body."""
    m, s = body.mass, body.size
    if body.shape == "ellipsoid":
        x, y, z = (axis * axis for axis in s)
        return m / 5 * np.array([y + z, x + z, x + y])
    if body.shape == "sphere":
        return np.full(3, 0.4 * m * s[0] ** 2)
    if body.shape == "box":
        x, y, z = (edge * edge for edge in s)
        return m / 12 * np.array([y + z, x + z, x + y])
    r, h = s[0], s[1]
    if body.shape == "cone":
        across = m * (3 / 20 * r * r + 3 / 80 * h * h)
        return np.array([across, across, 0.3 * m * r * r])
    if body.shape == "cylinder":
        across = m * (3 * r * r + h * h) / 12
        return np.array([across, across, m * r * r / 2])
    tube, ball = h, 4 / 3 * r  # capsule: volumes divided by π r²
    rod, caps = m * tube / (tube + ball), m * ball / (tube + ball)
    across = rod * (3 * r * r + h * h) / 12 + caps * (0.4 * r * r + h * h / 4 + 3 * h * r / 8)
    return np.array([across, across, rod * r * r / 2 + caps * 0.4 * r * r])


def energy(scene: Scene, track: Track) -> np.ndarray:
    """Return kinetic and potential energy of the moving single bodies at every sample (t, 2)."""
    total = np.zeros((len(track.time), 2))
    rotation = matrices(track.orientation)
    for k, body in enumerate(scene.bodies):
        if body.kind != "dynamic":
            continue
        local = np.einsum("tji,tj->ti", rotation[:, k], track.spin[:, k])
        total[:, 0] += 0.5 * body.mass * (track.velocity[:, k] ** 2).sum(axis=1)
        total[:, 0] += 0.5 * ((local @ inertia_of(body)) * local).sum(axis=1)
        total[:, 1] -= body.mass * track.position[:, k] @ np.array(scene.gravity)
    return total
