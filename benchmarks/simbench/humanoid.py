"""A humanoid of Atlas's size: 29 hinges and 174.25 kg as in SimBenchmark, geometry of our own.

Boston Dynamics' own files are not on PyPI. Masses per link are near the public ones of the robot, sizes
near a man of 1.9 m; the trunk takes up what is missing to 174.25 kg. Inertias are those of homogeneous
boxes of the size of the links. One collision box or cylinder per link.
"""

from __future__ import annotations

from dataclasses import dataclass

TOTAL = 174.25  # [kg]
HEIGHT = 0.97  # [m] of the base above the soles with straight legs


@dataclass(frozen=True)
class _Link:
    name: str
    parent: str
    at: tuple[float, float, float]  # [m] joint in the parent
    axis: str
    mass: float  # [kg]
    size: tuple[float, float, float]  # [m] of the box
    com: tuple[float, float, float]  # [m] centre of the box
    round: bool = False  # a cylinder along z instead


X, Y, Z = "1 0 0", "0 1 0", "0 0 1"


def _trunk() -> list[_Link]:
    return [
        _Link("ltorso", "pelvis", (0.0, 0.0, 0.16), Z, 2.409, (0.12, 0.15, 0.04), (0.0, 0.0, 0.0)),
        _Link("mtorso", "ltorso", (0.0, 0.0, 0.03), Y, 0.69, (0.12, 0.15, 0.04), (0.0, 0.0, 0.02)),
        _Link("utorso", "mtorso", (0.0, 0.0, 0.05), X, 0.0, (0.3, 0.36, 0.5), (0.0, 0.0, 0.28)),
    ]


def _arm(side: str, s: float) -> list[_Link]:
    chain = (
        ("clav", (0.0, 0.2 * s, 0.46), Z, 4.466, (0.12, 0.14, 0.12), (0.0, 0.07 * s, 0.0)),
        ("scap", (0.0, 0.14 * s, 0.0), X, 3.899, (0.12, 0.12, 0.12), (0.0, 0.06 * s, 0.0)),
        ("uarm", (0.0, 0.12 * s, 0.0), Y, 4.386, (0.1, 0.24, 0.1), (0.0, 0.1 * s, 0.0)),
        ("larm", (0.0, 0.2 * s, 0.0), X, 3.248, (0.1, 0.24, 0.1), (0.0, 0.1 * s, 0.0)),
        ("ufarm", (0.0, 0.2 * s, 0.0), Y, 2.4798, (0.1, 0.2, 0.1), (0.0, 0.08 * s, 0.0)),
        ("lfarm", (0.0, 0.18 * s, 0.0), X, 0.648, (0.08, 0.1, 0.08), (0.0, 0.04 * s, 0.0)),
        ("hand", (0.0, 0.08 * s, 0.0), Y, 0.5366, (0.08, 0.12, 0.08), (0.0, 0.05 * s, 0.0)),
    )
    return _chain(side, "utorso", chain)


def _leg(side: str, s: float) -> list[_Link]:
    chain = (
        ("uglut", (0.0, 0.09 * s, 0.0), Z, 1.959, (0.1, 0.1, 0.1), (0.0, 0.0, 0.0)),
        ("lglut", (0.0, 0.0, -0.05), X, 0.898, (0.1, 0.1, 0.1), (0.0, 0.0, 0.0)),
        ("uleg", (0.0, 0.0, -0.05), Y, 8.204, (0.14, 0.14, 0.4), (0.0, 0.0, -0.2), True),
        ("lleg", (0.0, 0.0, -0.4), Y, 4.515, (0.12, 0.12, 0.4), (0.0, 0.0, -0.2), True),
        ("talus", (0.0, 0.0, -0.4), Y, 0.125, (0.05, 0.05, 0.05), (0.0, 0.0, 0.0)),
        ("foot", (0.0, 0.0, 0.0), X, 2.41, (0.26, 0.13, 0.05), (0.03, 0.0, -0.045)),
    )
    return _chain(side, "pelvis", chain)


def _chain(side: str, parent: str, rows: tuple[tuple, ...]) -> list[_Link]:
    made = []
    for row in rows:
        made.append(_Link(f"{side}_{row[0]}", parent, *row[1:]))
        parent = made[-1].name
    return made


def links() -> list[_Link]:
    """Return all links but the pelvis, in the order of the gains."""
    return [*_trunk(), *_arm("l", 1.0), *_arm("r", -1.0), *_leg("l", 1.0), *_leg("r", -1.0)]


def text() -> str:
    """Return the robot's URDF."""
    pelvis = _Link("pelvis", "", (0.0, 0.0, 0.0), X, 17.891, (0.22, 0.3, 0.2), (0.0, 0.0, 0.05))
    rest = TOTAL - pelvis.mass - sum(link.mass for link in links())
    parts = ['<robot name="humanoid">', _link(pelvis, pelvis.mass)]
    for link in links():
        parts.append(_link(link, link.mass or rest))
        parts.append(
            f'<joint name="{link.name}_joint" type="continuous"><parent link="{link.parent}"/>'
            f'<child link="{link.name}"/><origin xyz="{link.at[0]} {link.at[1]} {link.at[2]}"/>'
            f'<axis xyz="{link.axis}"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def _link(link: _Link, mass: float) -> str:
    a, b, c = (x * x for x in link.size)
    k = mass / 12.0
    origin = f'<origin xyz="{link.com[0]} {link.com[1]} {link.com[2]}"/>'
    box = f'<box size="{link.size[0]} {link.size[1]} {link.size[2]}"/>'
    rod = f'<cylinder radius="{link.size[0] / 2}" length="{link.size[2]}"/>'
    return (
        f'<link name="{link.name}"><inertial>{origin}<mass value="{mass}"/><inertia ixx="{k * (b + c)}" '
        f'iyy="{k * (a + c)}" izz="{k * (a + b)}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision>{origin}<geometry>{rod if link.round else box}</geometry></collision></link>"
    )


_ARM = ((2e4, 1e4, 1e3, 1e3, 1e3, 100.0, 0.2), (30.0, 10.0, 10.0, 5.0, 3.0, 0.5, 0.01))
_LEG = ((2e4, 5e4, 5e4, 3e4, 1e4, 2e4), (40.0, 40.0, 40.0, 5.0, 2.0, 10.0))
KP = (1e4,) * 3 + _ARM[0] * 2 + _LEG[0] * 2  # [N m/rad] in the order of `links`
KD = (50.0,) * 3 + _ARM[1] * 2 + _LEG[1] * 2  # [N m s/rad]
