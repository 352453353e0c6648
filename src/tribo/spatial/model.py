"""The model structure: a tree of bodies with its joints, inertias, contact points and looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.inertia import check_inertia
from tribo.spatial.joints import PLANAR_CODES, jcalc, jcode

STANDARD_GRAVITY = 9.81  # [m/s²]
# gamma_q(model, q0, qd0) -> q, qd, G, g: a constraint q = γ(y), see `FDgq`.
Constraint = Callable[
    ["Model", np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
]


def check_parents(parents: Sequence[int], what: str) -> None:
    """Refuse parents that are no tree: each must be numbered before what hangs on it, −1 for the base."""
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError(
                f"{what}[{i}] must be −1 (the base) or below {i}: {what}[{i}] = {parent} is no parent; "
                "number parents first, from 0 (the toolbox counts from 1)"
            )


def whole_numbers(values: Any, what: str) -> list[int]:
    """Return numbers of bodies as integers; refuse what is none."""
    try:
        given = np.ravel(np.asarray(values, float))
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be whole numbers, got {values!r:.80}") from None
    if not (np.isfinite(given).all() and (given == np.round(given)).all()):
        raise ValueError(f"{what} must be whole numbers, got {given.tolist()!r:.80}")
    return [int(i) for i in given]


@dataclass(slots=True)
class GroundContact:
    """Points of bodies that feel the ground; the field `gc` of a model."""

    body: Sequence[int]  # (n,) the body that owns each point
    point: Any  # (3, n) or planar (2, n) [m], body coordinates

    def __post_init__(self) -> None:
        """Make arrays of lists."""
        self.body = whole_numbers(np.ravel(self.body), "gc.body")
        self.point = np.array(self.point, float)


@dataclass(slots=True)
class Appearance:
    """Looks of a model: drawing instructions of the base and of each body."""

    base: list[Any] = field(default_factory=list)
    body: list[list[Any]] = field(default_factory=list)


@dataclass(slots=True)
class Camera:
    """From where a model is looked at."""

    body: int = -1  # to follow; −1: none
    trackpoint: tuple[float, ...] = (0.0, 0.0, 0.0)  # [m] of that body
    direction: tuple[float, ...] | None = None  # from the object to the camera
    up: tuple[float, ...] | None = None
    zoom: float = 1.0
    locus: tuple[float, float] = (0.0, 0.0)  # where on the screen, −1…1


@dataclass(slots=True)
class Model:
    """A kinematic tree; Spatial_v2's fields, bodies numbered from 0 and −1 for the fixed base.

    Source: Featherstone 2008, section 4.1 to 4.4, Table 4.3.

    Example:
        >>> from tribo.spatial import ID, mcI
        >>> pendulum = Model(
        ...     parent=[-1], jtype=["Ry"], Xtree=[np.eye(6)], I=[mcI(1.0, [0, 0, -0.5], np.zeros((3, 3)))]
        ... )
        >>> ID(pendulum, [np.pi / 2], [0.0], [0.0]).round(6).tolist()    # m g l
        [4.905]
    """

    parent: Sequence[int]  # (NB,) parent[i] < i; −1: the fixed base
    jtype: Sequence[Any]  # (NB,) codes or `JointType`s, see `jcalc`
    Xtree: Sequence[np.ndarray]  # (NB,) parent body to joint frame at q = 0
    I: Sequence[np.ndarray]  # (NB,) inertia in the body's own frame, see `mcI`
    gravity: Any = None  # [m/s²] (3,) or (2,); None: `get_gravity`
    gc: GroundContact | None = None
    appearance: Appearance | None = None
    camera: Camera | None = None
    gamma_q: Constraint | None = None
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse a structure that is no tree or mixes planar and spatial."""
        self.parent = whole_numbers(self.parent, "parent")
        self.Xtree = [np.array(x, float) for x in self.Xtree]
        self.I = [np.array(i, float) for i in self.I]
        lengths = {"parent": len(self.parent), "jtype": len(self.jtype)}
        lengths |= {"Xtree": len(self.Xtree), "I": len(self.I)}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"parent, jtype, Xtree and I must have one entry per body, got {lengths}")
        check_parents(self.parent, "parent")
        side = 3 if self.is_planar else 6
        for i in range(self.NB):
            if (jcode(self.jtype[i])[0] in PLANAR_CODES) != self.is_planar:
                raise ValueError(
                    f"jtype[{i}] = {self.jtype[i]!r}: planar (r, px, py) and spatial joints do not mix"
                )
            _checked(self.Xtree[i], side, f"Xtree[{i}]")
            check_inertia(self.I[i], side, f"I[{i}]")
        if self.gravity is not None:
            self.gravity = check.vector(self.gravity, "gravity", self.dimension)
        if self.gc is not None:
            check_points(self)

    @property
    def NB(self) -> int:
        """Number of moving bodies, and of joints."""
        return len(self.parent)

    @property
    def is_planar(self) -> bool:
        """Whether vectors have 3 numbers instead of 6."""
        return bool(self.jtype) and jcode(self.jtype[0])[0] in PLANAR_CODES

    @property
    def dimension(self) -> int:
        """Number of dimensions of space, 2 or 3."""
        return 2 if self.is_planar else 3


def get_gravity(model: Model) -> np.ndarray:
    """Return the acceleration of gravity as a motion vector, (6,) or (3,) [m/s²].

    A spatial model without `gravity` has (0, 0, −9.81), a planar one **(0, 0)**: planar models that stand
    on a ground must say (0, −9.81).

    Example:
        >>> from tribo.spatial import planar
        >>> get_gravity(planar(2)).tolist()
        [0.0, 0.0, 0.0]
    """
    if model.is_planar:
        g = np.zeros(2) if model.gravity is None else model.gravity
        return np.array([0.0, *g])
    g = np.array([0.0, 0.0, -STANDARD_GRAVITY]) if model.gravity is None else model.gravity
    return np.array([0.0, 0.0, 0.0, *g])


def bodies(
    model: Model, q: Any, qd: Any | None = None, first: int = 0
) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray, np.ndarray]:
    """Return Xup and S of the joints from body `first` on, and q, qd as checked vectors."""
    q = check.vector(np.ravel(np.asarray(q, float)), "q", model.NB - first)
    if qd is not None:
        qd = check.vector(np.ravel(np.asarray(qd, float)), "qd", model.NB - first)
    joints = [jcalc(model.jtype[i], q[i - first]) for i in range(first, model.NB)]
    Xup = [Xj @ model.Xtree[first + k] for k, (Xj, _) in enumerate(joints)]
    return Xup, [S for _, S in joints], q, np.zeros(0) if qd is None else qd


def _checked(matrix: np.ndarray, side: int, what: str) -> np.ndarray:
    if matrix.shape != (side, side) or not np.isfinite(matrix).all():
        raise ValueError(f"{what} must be {side}×{side} finite numbers, got shape {matrix.shape}")
    return matrix


def check_points(model: Model) -> GroundContact:
    """Return the contact points of a model after checking them.

    Raises:
        ValueError: There are none, or they do not fit the bodies.
    """
    gc = model.gc
    if gc is None or not len(gc.body):
        raise ValueError("the model has no contact points: set model.gc = GroundContact(body, point)")
    wanted = (model.dimension, len(gc.body))
    if gc.point.shape != wanted or not np.isfinite(gc.point).all():
        raise ValueError(
            f"gc.point must have a column of {wanted[0]} finite numbers for each of the {wanted[1]} bodies "
            f"in gc.body, got shape {gc.point.shape}{', of rows' * (gc.point.shape == wanted[::-1])}"
        )
    for k, body in enumerate(gc.body):
        if not 0 <= body < model.NB:
            raise ValueError(f"gc.body[{k}] must be a body 0…{model.NB - 1}, got {body}")
    return gc
