"""Sample models: trees, arms and the rolling disc.

`autoTree`, `rollingdisc` and `doubleElbow` have Spatial_v2's names and numbers;
`planar` has its name and topology. `hinged_rods`, `tumbling_box` and `crossed_rods` are ours: they
serve for examples of its tutorial whose models are not published.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.spatial.floating import floatbase
from tribo.spatial.inertia import mcI
from tribo.spatial.loops import stabilised
from tribo.spatial.model import Appearance, Camera, GroundContact, Model
from tribo.spatial.transforms import plnr, rotx, xlt

ROD = 0.04  # [m] radius of drawn rods
ELBOW = 0.25  # [m] between the two joints of `doubleElbow`
GEAR_TIME = 0.1  # [s] in which `doubleElbow` returns to its constraint


def autoTree(nb: int, bf: float = 1.0, skew: float = 0.0, taper: float = 1.0) -> Model:
    """Return a tree of revolute joints, made by rule.

    Args:
        nb: Number of bodies ≥ 1.
        bf: Branching factor ≥ 1; 1: a chain, 2: a binary tree, 1.5: every second body branches.
        skew: [rad] angle of each joint's axis to the one before, about the link.
        taper: Size of a body relative to the one before: lengths taperⁱ, masses taper³ⁱ.

    Returns:
        Spatial model; links of length 1 m and 1 kg times their taper along x, thin rods of radius
        0.05 of their length.

    Example:
        >>> autoTree(7, 2).parent
        [-1, 0, 0, 1, 1, 2, 2]
    """
    if not (nb >= 1 and bf >= 1.0 and np.isfinite((skew, taper)).all()):
        raise ValueError(f"autoTree needs nb ≥ 1 and bf ≥ 1, got {nb} and {bf}")
    parent, Xtree, inertias, looks = [], [], [], []
    for i in range(nb):
        mother = int(np.floor((i - 1 + np.ceil(bf)) / bf)) - 1
        parent.append(mother)
        reach = 0.0 if mother < 0 else taper**mother
        joint = xlt([reach, 0.0, 0.0])
        Xtree.append(joint if mother < 0 else rotx(skew) @ joint)
        size, mass = taper**i, taper ** (3 * i)
        across = mass * size**2 * 1.015 / 12.0
        inertias.append(mcI(mass, [0.5 * size, 0.0, 0.0], np.diag([0.0025 * mass * size**2, across, across])))
        looks.append([["cyl", [[0.0, 0.0, 0.0], [size, 0.0, 0.0]], 0.05 * size]])
    return Model(parent, ["R"] * nb, Xtree, inertias, appearance=Appearance([], looks))


def planar(n: int) -> Model:
    """Return a planar arm of n revolute joints: rods of 1 m and 1 kg along x, no gravity.

    Example:
        >>> planar(3).jtype
        ['r', 'r', 'r']
    """
    if n < 1:
        raise ValueError(f"planar needs n ≥ 1, got {n}")
    inertia = mcI(1.0, [0.5, 0.0], 1.0 / 12.0)
    Xtree = [plnr(0.0, [0.0 if i == 0 else 1.0, 0.0]) for i in range(n)]
    looks = Appearance([], [[_rod((0.0, 0.0), (1.0, 0.0))] for _ in range(n)])
    return Model(list(range(-1, n - 1)), ["r"] * n, Xtree, [inertia] * n, appearance=looks)


def tumbling_box() -> Model:
    """Return a floating box of 3 × 2 × 1 m and 6 kg, for `FDfb`: it tumbles about its middle axis.

    In the place of Spatial_v2's `singlebody`, tutorial example 4, whose numbers are not published.
    """
    size, mass = np.array([3.0, 2.0, 1.0]), 6.0
    inertia = mcI(mass, np.zeros(3), mass / 12.0 * np.diag((size**2).sum() - size**2))
    looks = Appearance([], [[["box", [(-0.5 * size).tolist(), (0.5 * size).tolist()]]]])
    return floatbase(Model([-1], ["R"], [np.eye(6)], [inertia], appearance=looks))


def crossed_rods() -> Model:
    """Return two rods of 1 m and 1 kg that float, joined at their middles by a joint about z.

    In the place of Spatial_v2's `scissor`, tutorial example 5, whose numbers are not published.
    """
    across = 1.015 / 12.0
    inertia = mcI(1.0, np.zeros(3), np.diag([0.0025, across, across]))
    rod = [["cyl", [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]], ROD]]
    looks = Appearance([], [rod, rod])
    model = Model([-1, 0], ["R", "R"], [np.eye(6)] * 2, [inertia] * 2, appearance=looks)
    return floatbase(model)


def hinged_rods(L2: float = 1.0) -> Model:
    """Return a floating rod of 1 m and 1 kg, with a second one of length L2 [m] hinged to its end.

    The hinge, joint 6, turns about z; the second rod has L2 kg. In free space equal rods return to where
    they were when the hinge has done so.

    In the place of Spatial_v2's `vee`, tutorial example 3, whose numbers are not published; without weight
    as there.
    """
    if L2 <= 0.0:
        raise ValueError(f"hinged_rods needs L2 > 0, got {L2}")
    rods = []
    for size in (1.0, L2):
        inertia = size**3 * np.diag([0.0025, 1.015 / 12.0, 1.015 / 12.0])
        rods.append(mcI(size, [0.5 * size, 0.0, 0.0], inertia))
    looks = Appearance([], [[["cyl", [[0.0, 0.0, 0.0], [size, 0.0, 0.0]], ROD]] for size in (1.0, L2)])
    model = Model([-1, 0], ["R", "R"], [np.eye(6), xlt([1.0, 0.0, 0.0])], rods, appearance=looks)
    model.gravity = np.zeros(3)
    return floatbase(model)


def doubleElbow() -> Model:
    """Return a planar arm whose elbow is two joints that gears turn alike, for `FDgq`.

    Two rods of 1 m and 1 kg, between them a massless link of 0.25 m; `gamma_q` holds q[1] = q[2] and
    returns to it within some 0.1 s.

    Example:
        >>> from tribo.spatial import FDgq
        >>> qdd = FDgq(doubleElbow(), [0.1, 0.5, 0.5], [0, 1, 1], [1, 2, 0])
        >>> bool(abs(qdd[1] - qdd[2]) < 1e-12)
        True
    """
    rod = mcI(1.0, [0.5, 0.0], 1.0 / 12.0)
    looks = Appearance([], [[_rod((0.0, 0.0), (1.0, 0.0))], [_rod((0.0, 0.0), (ELBOW, 0.0))]])
    looks.body.append(looks.body[0])
    Xtree = [plnr(0.0, [reach, 0.0]) for reach in (0.0, 1.0, ELBOW)]
    inertias = [rod, np.zeros((3, 3)), rod]
    return Model([-1, 0, 1], ["r"] * 3, Xtree, inertias, appearance=looks, gamma_q=_geared)


def _geared(
    model: Model, q0: np.ndarray, qd0: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the constraint q = (y0, y1, y1)."""
    G = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    q, qd = G @ q0[:2], G @ qd0[:2]
    return q, qd, G, stabilised(q, qd, q0, qd0, GEAR_TIME)


def rollingdisc(npt: int) -> Model:
    """Return a floating polyhedral disc that rolls on 2 npt points: tutorial example 7.

    Radius 0.05 m, thickness 0.01 m, 3000 kg/m³ with the inertia of a cylinder; the axis is y. Points
    0…npt − 1 are on the face y = −5 mm, the rest on y = +5 mm, at angles from +z towards +x.

    Args:
        npt: Number of vertices of the polygon, ≥ 3.

    Example:
        >>> len(rollingdisc(16).gc.body)
        32
    """
    if npt < 3:
        raise ValueError(f"rollingdisc needs npt ≥ 3, got {npt}")
    R, T, density = 0.05, 0.01, 3000.0
    mass = np.pi * R**2 * T * density
    across = mass * (3.0 * R**2 + T**2) / 12.0
    inertia = mcI(mass, np.zeros(3), np.diag([across, 0.5 * mass * R**2, across]))
    angle = 2.0 * np.pi * np.arange(npt) / npt
    rim = R * np.stack([np.sin(angle), np.zeros(npt), np.cos(angle)])
    half = np.array([[0.0], [0.5 * T], [0.0]])
    points = np.concatenate([rim - half, rim + half], axis=1)
    model = Model(
        [-1], ["R"], [np.eye(6)], [inertia], gc=GroundContact([0] * (2 * npt), points),
        appearance=Appearance([["tiles", [[-1, 1], [-1, 1], [0, 0]], 0.1]], [_prism(points, npt)]),
        camera=Camera(body=0, direction=(0.0, -3.0, 1.0), zoom=1.0),
        name="rollingdisc",
    )  # fmt: skip
    return floatbase(model)


def _prism(points: np.ndarray, n: int) -> list[Any]:
    """Return the drawing of a prism from the vertices of its two faces."""
    here = np.arange(n)
    after = (here + 1) % n
    sides = np.concatenate([np.stack([here, here + n, after + n], 1), np.stack([here, after + n, after], 1)])
    fans = [np.stack([np.zeros(n - 2, int), here[1:-1], here[2:]], axis=1)]
    fans.append(np.stack([np.zeros(n - 2, int), here[2:], here[1:-1]], axis=1) + n)
    return [
        ["colour", [[0.90, 0.55, 0.24]]],
        ["vertices", points.T.tolist()],
        ["triangles", sides.tolist()],
        ["colour", [[0.27, 0.50, 0.74]]],
        ["triangles", np.concatenate(fans).tolist()],
    ]


def _rod(start: tuple[float, float], end: tuple[float, float]) -> list[Any]:
    return ["cyl", [[*start, 0.0], [*end, 0.0]], ROD]
