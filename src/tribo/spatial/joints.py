"""Joints: how the frame of a body moves with its joint variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.transforms import plnr, rotx, roty, rotz, xlt

SPATIAL_CODES = ("R", "Rx", "Ry", "Rz", "P", "Px", "Py", "Pz", "H")
PLANAR_CODES = ("r", "px", "py")
_TURN = {"Rx": rotx, "Ry": roty, "Rz": rotz, "R": rotz}
_AXIS = {"x": 0, "y": 1, "z": 2, "R": 2, "P": 2}


@dataclass(frozen=True, slots=True)
class JointType:
    """A joint with parameters, where the code alone does not say everything.

    Example:
        >>> screw = JointType("H", {"pitch": 0.01})    # 1 cm per radian
    """

    code: str
    pars: Mapping[str, float] = field(default_factory=dict)


def jcode(jtyp: Any) -> tuple[str, float]:
    """Return code and pitch [m/rad] of a joint given as a string, a `JointType` or a mapping.

    Raises:
        KeyError: There is no joint of this code.
        ValueError: A helical joint has no pitch.
    """
    if isinstance(jtyp, Mapping):
        jtyp = JointType(str(jtyp.get("code")), dict(jtyp.get("pars") or {}))
    code = jtyp.code if isinstance(jtyp, JointType) else jtyp
    check.known(code, SPATIAL_CODES + PLANAR_CODES, "joint code")
    if code != "H":
        return code, 0.0
    if not isinstance(jtyp, JointType) or "pitch" not in jtyp.pars:
        raise ValueError('a helical joint needs its pitch: JointType("H", {"pitch": metres per radian})')
    return code, check.number(jtyp.pars["pitch"], "pitch of a helical joint")


def jcalc(jtyp: Any, q: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the transform across a joint and its motion subspace.

    Args:
        jtyp: Spatial: "R" = "Rz", "Rx", "Ry" revolute, "P" = "Pz", "Px", "Py" prismatic, "H" helical about
            z with `pars.pitch` [m/rad]. Planar: "r", "px", "py".
        q: Joint variable [rad, m].

    Returns:
        Xj (6, 6) or (3, 3) from the joint's fixed frame to the moving one, and S (6,) or (3,).

    Source: Featherstone 2008, section 4.4, Table 4.1.

    Example:
        >>> Xj, S = jcalc("Px", 0.5)
        >>> S.tolist()
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    code, pitch = jcode(jtyp)
    if code in PLANAR_CODES:
        axis = PLANAR_CODES.index(code)
        angle, r = (q, (0.0, 0.0)) if axis == 0 else (0.0, np.eye(2)[axis - 1] * q)
        return plnr(angle, r), np.eye(3)[axis]
    axis = _AXIS[code[-1]] if code != "H" else 2
    S = np.zeros(6)
    if code == "H":
        S[[2, 5]] = 1.0, pitch
        return xlt([0.0, 0.0, q * pitch]) @ rotz(q), S
    if code[0] == "R":
        S[axis] = 1.0
        return _TURN[code](q), S
    S[3 + axis] = 1.0
    return xlt(np.eye(3)[axis] * q), S
