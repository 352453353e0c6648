"""Family F: what holds at the end of a step, where bodies turn, are carried and meet."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import play_tribo
from approaches import SHAPES, approaches
from stage import Body, G, Pair, Plane, Scene, Tie, Track, energy, matrices, turn
from suite import CannotPlay, Check, Player, case

import tribo

OMEGA, FAR = 3.0, 0.5
FLOORS = ("box", "hull", "mesh", "height map")
UP = np.array([0.0, 0.0, 1.0])


def creep(track: Track, k: int, far: float) -> float:
    """Return by how much body k has moved outwards from the axis z [m]."""
    return float(np.abs(np.hypot(track.position[:, k, 0], track.position[:, k, 1]) - far).max())


def load(far: float) -> Body:
    """Return a box of 0.2 m that goes round with what it lies on."""
    spin = (0.0, 0.0, OMEGA)
    return Body(
        "box", (0.2,) * 3, 1.0, (far, 0.0, 0.1), velocity=(0.0, far * OMEGA, 0.0), spin=spin
    )


@case(
    "F27",
    "box 0.5 m (μ 0.6) from the axis of a cylinder of 2 m, driven at 3 rad/s; 0.8 m (μ 0.9) from that of a "
    "free merry-go-round of 100 kg on a hinge; 10 s",
    "it is carried: it stays where it lies",
    peers=("MuJoCo",),
    note="before contacts were asked for where the step ends (β), 23 and 16 mm; "
    "PyBullet has no bodies that move as they are told, MuJoCo plays the second",
)
def carried(player: Player) -> list[Check]:
    """Creep outwards."""
    found = []
    if player.is_tribo:
        table = Body(
            "cylinder",
            (2.0, 0.2),
            100.0,
            (0.0, 0.0, -0.1),
            spin=(0.0, 0.0, OMEGA),
            kind="kinematic",
        )
        scene = Scene([table, load(FAR)], 10_000, Pair(0.6), planes=[], every=10)
        found.append(Check("driven: outwards [m]", creep(player.play(scene), 1, FAR), 1e-6))
    table = Body("cylinder", (2.0, 0.2), 100.0, (0.0, 0.0, -0.1), spin=(0.0, 0.0, OMEGA))
    scene = Scene(
        [table, load(0.8)], 10_000, Pair(0.9), planes=[], every=10, ties=[Tie("hinge", "b0", axis=tuple(UP))]
    )  # fmt: skip
    track = player.play(scene)
    return [*found, Check("free: outwards [m]", creep(track, 1, 0.8), 1e-6)]


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
    slab = Body("box", (4.0, 4.0, 0.2), 1.0, (0.0, 0.0, -0.1), kind="static")
    scene = Scene(
        [disc, slab] if floor == "box" else [disc], 5000, Pair(1.0), dt=dt, every=5,
        planes=[Plane()] if floor == "plane" else [],
    )  # fmt: skip
    track = player.play(scene) if floor in ("plane", "box") else on_terrain(scene, floor)
    axes = matrices(track.orientation[:, 0])[:, :, 2]
    turned = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    total = energy(scene, track).sum(axis=1)
    return float(abs(turned[-1] - turned[0]) / rate - 1.0), float((total / total[0] - 1.0).max())


def on_terrain(scene: Scene, floor: str) -> Track:
    """Play a scene in tribo on two triangles, the face of a hull, or a height map of cells of 0.1 m."""
    world, bodies, robots = grounded(scene, floor)
    return play_tribo.follow(scene, world, bodies, robots)


def grounded(scene: Scene, floor: str) -> tuple[tribo.World, Any, Any]:
    """Build a scene and its floor in tribo; planes are the scene's."""
    world, bodies, robots = play_tribo.build(scene)
    if floor == "mesh":
        square = [(-1.69, -1.83, 0.0), (2.31, -1.83, 0.0), (2.31, 2.17, 0.0), (-1.69, 2.17, 0.0)]
        world.add_surface(square, [(0, 1, 2), (0, 2, 3)])
    elif floor == "hull":
        corners = list(itertools.product((-2.0, 2.0), (-2.0, 2.0), (-0.2, 0.0)))
        world.add_convex(corners, 1.0, position=(0.0, 0.0, -0.1), body_type="static")
    elif floor == "box":
        world.add_box((4.0, 4.0, 0.2), 1.0, position=(0.0, 0.0, -0.1), body_type="static")
    elif floor == "height map":
        world.add_height_map(np.zeros((41, 41)), (4.0, 4.0))
    return world, bodies, robots


@case(
    "F28",
    "Euler's disc (8 cm, 1 cm thick, 15°, μ 1, dt 0.2 ms) for 1 s on a plane, a box, a hull, two triangles "
    "and a height map of cells of 0.1 m",
    "precession from Ω e_z × L = P × m g e_z, energy constant: on every ground as on a plane",
    peers=("MuJoCo",),
    note="before rims were curves on every ground: 1.3e-2 on a box; before they passed fixed points and "
    "edges without a hit 1.4e-5 on a plane, 8.3e-5 on the map; peers play plane and box; gain: at any time",
)
def discs(player: Player) -> list[Check]:
    """Errors of the plane; the largest of the others in parts of them; gain."""
    plane = disc_on(player, "plane")
    others = [disc_on(player, floor) for floor in (FLOORS if player.is_tribo else ("box",))]
    return [
        Check("plane: precession, relative", abs(plane[0]), 1e-3),
        Check(
            "others: precession over that of the plane",
            max(abs(t / plane[0]) for t, _ in others),
            3.0,
        ),
        Check("gain of energy, relative", max(0.0, *(e for _, e in [plane, *others])), 1e-6),
    ]


@case(
    "F29",
    "two bodies of all 28 pairs of box, ball, cylinder, capsule, cone, ellipsoid and hull, 0.1 to 0.3 m, "
    "meet at 1 to 5 m/s, turning at up to 30 rad/s, 20 times each, dt = 1 and 4 ms",
    "they do not overlap",
    fast=False,
    note="before turns were looked after 4 mm; `validation/approaches.py` has more of them",
)
def meetings(player: Player) -> list[Check]:
    """Depth."""
    if not player.is_tribo:
        raise CannotPlay("asks for the distance of shapes")
    found = []
    for ms in (1, 4):
        deepest = 0.0
        for number, kinds in enumerate(itertools.combinations_with_replacement(SHAPES, 2)):
            met = approaches(kinds, 1e-3 * ms, 20, np.random.default_rng([number, 1000 * ms]))
            deepest = max(deepest, *(depth for depth, _ in met))
        found.append(Check(f"overlap, {ms} ms [m]", deepest, 2e-3))
    return found


def cone_on(floor: str, dt: float) -> tuple[float, float]:
    """Return the error of the way of a cone that rolls about its apex for 20 s, and its gain, relative."""
    r, h, rate = 0.1, 0.2, 4.0
    half = np.arctan2(r, h)
    place = 0.75 * h * np.array([np.cos(half), 0.0, np.sin(half)])
    spin = np.array([-rate / np.tan(half), 0.0, 0.0])  # about the line of contact
    scene = Scene(
        [], round(20.0 / dt), Pair(1.0), dt=dt, planes=[Plane()] if floor == "plane" else []
    )
    world = grounded(scene, floor)[0]
    cone = world.add_cone(
        r, h, 1.0, position=place, orientation=turn((0.0, -1.0, 0.0), np.pi / 2 + half),
        linear_velocity=np.cross(spin, place), angular_velocity=spin,
    )  # fmt: skip
    before, most, gone = world.energy, 0.0, 0.0
    for k in range(scene.steps):
        world.step()
        most = max(most, world.energy / before - 1.0)
        if k % 10 == 9:
            now = np.arctan2(cone.position[1], cone.position[0])
            gone += (now - gone + np.pi) % (2.0 * np.pi) - np.pi
    return float(gone / (20.0 * rate) - 1.0), float(most)


@case(
    "F30",
    "cone (10 cm, 20 cm high, μ 1) rolls about its apex at 4 rad/s for 20 s on a plane, a box, a hull, two "
    "triangles and a height map of cells of 0.1 m",
    "goes round by 80 rad, energy constant: on every ground as on a plane; of second order",
    note="before, it gained 4.5 % of its energy on a box; the peers have no cones",
)
def cones(player: Player) -> list[Check]:
    """Errors of the plane, its order; the largest of the others in parts of them; gain."""
    if not player.is_tribo:
        raise CannotPlay("no cones")
    plane, coarse = cone_on("plane", 1e-3), cone_on("plane", 2e-3)
    others = [cone_on(floor, 1e-3) for floor in FLOORS]
    return [
        Check("plane: way, relative", abs(plane[0]), 1e-3),
        Check("plane: |order − 2|", abs(float(np.log2(coarse[0] / plane[0])) - 2.0), 0.2),
        Check("others: way over that of the plane", max(abs(w / plane[0]) for w, _ in others), 3.0),
        Check("gain of energy, relative", max(0.0, *(e for _, e in [plane, *others])), 1e-6),
    ]
