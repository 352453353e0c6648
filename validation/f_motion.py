"""Family F: what holds at the end of a step, where bodies turn, are carried and meet."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from approaches import SHAPES, approaches, deepest, staged
from stage import Body, G, Pair, Plane, Robot, Scene, Tie, Track, energy, matrices, turn
from suite import BOTH, CannotPlay, Check, Player, absent, case

OMEGA, FAR = 3.0, 0.5
FLOORS = ("box", "hull", "mesh", "height map")
UP = np.array([0.0, 0.0, 1.0])
TABLES = {"cylinder": (2.0, 0.2), "box": (4.0, 4.0, 0.2)}
INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial>'
FINGER = '<collision><origin xyz="{}"/><geometry><box size="0.06 0.02 0.06"/></geometry></collision></link>'
GRIPPER = (
    '<robot name="arm"><link name="world"/>'
    '<link name="arm"><inertial><origin xyz="0.4 0 0"/><mass value="2"/>'
    + INERTIA.format(0.1) + FINGER.format("0.8 -0.04 0")
    + '<link name="finger"><inertial><mass value="0.2"/>' + INERTIA.format(1e-3) + FINGER.format("0 0 0")
    + '<joint name="swing" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>'
    '</joint><joint name="grip" type="prismatic"><parent link="arm"/><child link="finger"/>'
    '<origin xyz="0.8 0.04 0"/>'
    '<axis xyz="0 1 0"/><limit lower="-0.1" upper="0.1" effort="1e3" velocity="100"/></joint></robot>'
)  # fmt: skip


def creep(track: Track, k: int, far: float) -> float:
    """Return by how much body k has moved outwards from the axis z [m]."""
    return float(np.abs(np.hypot(track.position[:, k, 0], track.position[:, k, 1]) - far).max())


def load(far: float) -> Body:
    """Return a box of 0.2 m that goes round with what it lies on."""
    spin = (0.0, 0.0, OMEGA)
    return Body("box", (0.2,) * 3, 1.0, (far, 0.0, 0.1), velocity=(0.0, far * OMEGA, 0.0), spin=spin)


def table(shape: str, kind: str) -> Body:
    """Return a turntable of 100 kg whose top is at height 0."""
    place, spin = (0.0, 0.0, -0.1), (0.0, 0.0, OMEGA)
    return Body(shape, TABLES[shape], 100.0, place, spin=spin, kind=kind)


@case(
    "F27",
    "box 0.5 m (μ 0.6) from the axis of a cylinder of 2 m, then of a box of 4 m, driven at 3 rad/s; 0.8 m "
    "(μ 0.9) from that of a free merry-go-round of 100 kg on a hinge; 10 s",
    "it is carried: it stays where it lies",
    peers=BOTH,
    note="before contacts were asked for where the step ends (β), 23 and 16 mm; what is driven is set anew "
    "before each step in PyBullet, and turns on a hinge with 1e4 kg m² in MuJoCo",
)
def carried(player: Player) -> list[Check]:
    """Creep outwards."""
    found = []
    for shape in TABLES:
        scene = Scene([table(shape, "kinematic"), load(FAR)], 10_000, Pair(0.6), planes=[], every=10)
        error = creep(player.play(scene), 1, FAR)
        found.append(Check(f"driven {shape}: outwards [m]", error, 1e-6))
    scene = Scene(
        [table("cylinder", "dynamic"), load(0.8)], 10_000, Pair(0.9), planes=[], every=10,
        ties=[Tie("hinge", "b0", axis=tuple(UP))],
    )  # fmt: skip
    track = player.play(scene)
    return [*found, Check("free: outwards [m]", creep(track, 1, 0.8), 1e-6)]


def gripped(player: Player, dt: float, seconds: float = 10.0) -> tuple[float, float]:
    """Return how far a box in a gripper on an arm creeps outwards, and how far it sinks [m]."""
    box = Body("box", (0.06,) * 3, 0.3, (0.8, 0.0, 0.0), velocity=(0.0, 1.6, 0.0), spin=(0.0, 0.0, 2.0))
    arm = Robot(GRIPPER, (0.0, 0.0), (2.0, 0.0), force=(0.0, -40.0))
    scene = Scene([box], round(seconds / dt), Pair(0.9), planes=[], robots=[arm], dt=dt, every=10)
    track = player.play(scene)
    x, y, z = np.moveaxis(track.position[:, 0], -1, 0)
    angle = track.q[:, 0]
    outwards = np.cos(angle) * x + np.sin(angle) * y - 0.8
    return float(np.abs(outwards).max()), float(np.abs(z).max())


@case(
    "F31",
    "box of 6 cm and 0.3 kg between two fingers (40 N, μ 0.9) at the end of an arm of 0.8 m that swings "
    "round freely at 2 rad/s; 10 s",
    "40 N hold what weight and turning pull at it: it stays where it was gripped",
    peers=BOTH,
    note="before contacts were asked for where the step ends (β), 16 mm outwards",
)
def swung(player: Player) -> list[Check]:
    """Creep outwards, sinking."""
    outwards, down = gripped(player, 1e-3)
    return [Check("outwards [m]", outwards, 1e-6), Check("down [m]", down, 1e-6)]


def laid(body: Body, floor: str, steps: int, dt: float, every: int) -> Scene:
    """Return a scene of a body on a floor of the height 0, μ = 1."""
    slabs = {
        "box": Body("box", (4.0, 4.0, 0.2), 1.0, (0.0, 0.0, -0.1), kind="static"),
        "hull": Body(
            "hull", (), 1.0, (0.0, 0.0, -0.1), kind="static", inertia=(1.0, 1.0, 1.0),
            points=tuple(itertools.product((-2.0, 2.0), (-2.0, 2.0), (-0.1, 0.1))),
        ),
    }  # fmt: skip
    return Scene(
        [body, *([slabs[floor]] if floor in slabs else [])], steps, Pair(1.0), dt=dt, every=every,
        planes=[Plane()] if floor == "plane" else [], floor=floor if floor in FLOORS[2:] else "",
    )  # fmt: skip


def on_floors(run: Callable[[str], tuple[float, float]]) -> list[tuple[float, float]]:
    """Return what comes out on all floors but the plane that an engine has."""
    found = []
    for floor in FLOORS:
        try:
            found.append(run(floor))
        except CannotPlay:
            continue
    return found


def disc_on(player: Player, floor: str) -> tuple[float, float]:
    """Return the relative error of precession and the largest gain of energy of Euler's disc in 1 s.

    The centre stands still if ω is parallel to the way to the contact P: then ω = Ω (e_z + s d), and
    Ω e_z × L = P × m g e_z gives Ω².
    """
    r, h, tilt, dt = 0.08, 0.01, np.radians(15.0), 2e-4
    axial, across = r * r / 2, (3 * r * r + h * h) / 12
    axis = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    low = r * np.array([0.0, np.cos(tilt), -np.sin(tilt)]) - h / 2 * axis
    spin = UP - np.cross(low, UP)[0] / np.cross(low, axis)[0] * axis  # ω/Ω
    momentum = across * spin + (axial - across) * (spin @ axis) * axis
    rate = float(np.sqrt(np.cross(low, UP)[0] * G / np.cross(UP, momentum)[0]))
    disc = Body(
        "cylinder",
        (r, h),
        1.0,
        (0.0, 0.0, -float(low[2])),
        turn((1.0, 0.0, 0.0), -tilt),
        spin=tuple(rate * spin),
    )
    scene = laid(disc, floor, 5000, dt, 5)
    track = player.play(scene)
    axes = matrices(track.orientation[:, 0])[:, :, 2]
    turned = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    total = energy(scene, track).sum(axis=1)
    return float(abs(turned[-1] - turned[0]) / rate - 1.0), float((total / total[0] - 1.0).max())


@case(
    "F28",
    "Euler's disc (8 cm, 1 cm thick, 15°, μ 1, dt 0.2 ms) for 1 s on a plane, a box, a hull, two triangles "
    "and a height map of cells of 0.1 m",
    "precession from Ω e_z × L = P × m g e_z, energy constant: on every ground as on a plane",
    peers=BOTH,
    note="before rims were curves on every ground: 1.3e-2 on a box; before they passed fixed points and "
    "edges without a hit 1.4e-5 on a plane, 8.3e-5 on the map; MuJoCo has no triangles that are not a hull; "
    "gain: at any time",
)
def discs(player: Player) -> list[Check]:
    """Errors of the plane; the largest of the others in parts of them; gain."""
    plane = disc_on(player, "plane")
    others = on_floors(lambda floor: disc_on(player, floor))
    return [
        Check("plane: precession, relative", abs(plane[0]), 1e-3),
        Check("others: precession over that of the plane", max(abs(t / plane[0]) for t, _ in others), 3.0),
        Check("gain of energy, relative", max(0.0, *(e for _, e in [plane, *others])), 1e-6),
    ]


@case(
    "F29",
    "two bodies of all 28 pairs of box, ball, cylinder, capsule, cone, ellipsoid and hull, 0.1 to 0.3 m, "
    "meet at 1 to 5 m/s, turning at up to 30 rad/s, 20 times each, dt = 1 and 4 ms",
    "they do not overlap",
    fast=False,
    peers=BOTH,
    note="before turns were looked after 4 mm; `validation/approaches.py` has more of them; peers: tribo's "
    "distance of the shapes in their poses; cones are hulls of 128 sides there, in PyBullet ellipsoids, too",
)
def meetings(player: Player) -> list[Check]:
    """Depth."""
    found = []
    for ms in (1, 4):
        most = 0.0
        for number, kinds in enumerate(itertools.combinations_with_replacement(SHAPES, 2)):
            rng = np.random.default_rng([number, 1000 * ms])
            if player.is_tribo:
                depths = [depth for depth, _ in approaches(kinds, 1e-3 * ms, 20, rng)]
            else:
                depths = [deepest(player, *met) for met in staged(kinds, 1e-3 * ms, 20, rng)]
            most = max(most, *depths)
        found.append(Check(f"overlap, {ms} ms [m]", most, 2e-3))
    return found


def cone_on(player: Player, floor: str, dt: float) -> tuple[float, float]:
    """Return the error of the way of a cone that rolls about its apex for 20 s, and its gain, relative."""
    r, h, rate = 0.1, 0.2, 4.0
    half = np.arctan2(r, h)
    place = 0.75 * h * np.array([np.cos(half), 0.0, np.sin(half)])
    spin = np.array([-rate / np.tan(half), 0.0, 0.0])  # about the line of contact
    cone = Body(
        "cone", (r, h), 1.0, tuple(place), turn((0.0, -1.0, 0.0), np.pi / 2 + half),
        tuple(np.cross(spin, place)), tuple(spin),
    )  # fmt: skip
    scene = laid(cone, floor, round(20.0 / dt), dt, 5)
    track = player.play(scene)
    x, y, _ = np.moveaxis(track.position[:, 0], -1, 0)
    total = energy(scene, track).sum(axis=1)
    gone = np.unwrap(np.arctan2(y, x))[-1]
    return float(gone / (20.0 * rate) - 1.0), float((total / total[0] - 1.0).max())


@case(
    "F30",
    "cone (10 cm, 20 cm high, μ 1) rolls about its apex at 4 rad/s for 20 s on a plane, a box, a hull, two "
    "triangles and a height map of cells of 0.1 m",
    "goes round by 80 rad, energy constant: on every ground as on a plane; of second order",
    peers=BOTH,
    note="the peers have no cones: theirs is a hull of 128 sides; MuJoCo has no triangles that are not "
    "a hull",
)
def cones(player: Player) -> list[Check]:
    """Errors of the plane, its order; the largest of the others in parts of them; gain."""
    plane = cone_on(player, "plane", 1e-3)
    others = on_floors(lambda floor: cone_on(player, floor, 1e-3))
    order = absent("plane: |order − 2|", 0.2)
    if player.is_tribo:
        coarse = cone_on(player, "plane", 2e-3)
        order = Check(order.what, abs(float(np.log2(coarse[0] / plane[0])) - 2.0), 0.2)
    return [
        Check("plane: way, relative", abs(plane[0]), 1e-3),
        order,
        Check("others: way over that of the plane", max(abs(w / plane[0]) for w, _ in others), 3.0),
        Check("gain of energy, relative", max(0.0, *(e for _, e in [plane, *others])), 1e-6),
    ]
