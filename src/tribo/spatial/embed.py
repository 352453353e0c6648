"""Numbers of a model as arrays in three dimensions: what compiled code and converters start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.spatial.floating import BASE
from tribo.spatial.inertia import mcI
from tribo.spatial.joints import jcode
from tribo.spatial.model import Model, get_gravity
from tribo.spatial.transforms import plnr, plux


@dataclass(frozen=True, slots=True)
class Body:
    """One body with its joint, in three dimensions; planar models lie in the plane z = 0."""

    parent: int  # −1: the fixed base
    position: np.ndarray  # (3,) [m] joint frame in the parent
    rotation: np.ndarray  # (3, 3) axes of the joint frame, as columns, in the parent
    axis: np.ndarray  # (3,) unit, joint frame
    turn: float  # [–] radians about the axis per joint variable
    slide: float  # [m or –] metres along it per joint variable
    mass: float  # [kg]
    com: np.ndarray  # (3,) [m] body frame
    inertia: np.ndarray  # (3, 3) [kg m²] about the centre of mass
    floats: bool = False  # the joint is a free one


def embedded(model: Model, *, floats: bool) -> list[Body]:
    """Return the bodies of a model.

    Args:
        model: Spatial or planar.
        floats: Make one free joint of the six that `floatbase` puts first.
    """
    first = BASE if floats else 0
    made = []
    for i in range(first, model.NB):
        mass, com, inertia = mcI(model.I[i])
        if model.is_planar:
            angle, r = plnr(model.Xtree[i])
            rotation = _turned(angle)
            position, com = np.array([*r, 0.0]), np.array([*com, 0.0])
            inertia = np.diag([0.0, 0.0, inertia])
        else:
            e, position = plux(model.Xtree[i])
            rotation = e.T
        axis, turn, slide = axis_of(model.jtype[i])
        is_base = floats and i == first
        parent = max(model.parent[i] - first, -1)
        made.append(Body(parent, position, rotation, axis, turn, slide, mass, com, inertia, is_base))
    return made


def is_floating(model: Model) -> bool:
    """Tell whether the first six joints are those of `floatbase`."""
    if model.is_planar or model.NB <= BASE or list(model.parent[: BASE + 1]) != [*range(-1, BASE)]:
        return False
    codes = [jcode(j)[0] for j in model.jtype[: BASE + 1]]
    plain = all(np.array_equal(x, np.eye(6)) for x in model.Xtree[: BASE + 1])
    massless = not any(np.any(i) for i in model.I[:BASE])
    alone = all(p >= BASE for p in model.parent[BASE + 1 :])
    return codes == ["Px", "Py", "Pz", "Rx", "Ry", "Rz"] and plain and massless and alone


def axis_of(jtype: object) -> tuple[np.ndarray, float, float]:
    """Return axis, turn and slide of a joint, see `Body`."""
    code, pitch = jcode(jtype)
    if code == "r":
        return np.array([0.0, 0.0, 1.0]), 1.0, 0.0
    axis = np.eye(3)["xyz".index(code[-1])] if code[-1] in "xyz" else np.array([0.0, 0.0, 1.0])
    if code == "H":
        return axis, 1.0, pitch
    return axis, *((1.0, 0.0) if code[0] == "R" else (0.0, 1.0))


def gravity(model: Model) -> np.ndarray:
    """Return gravity in three dimensions (3,) [m/s²]."""
    g = get_gravity(model)[-model.dimension :]
    return np.array([*g, 0.0]) if model.is_planar else g


def _turned(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
