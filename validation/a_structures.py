"""Family A, second half: ladders, cards, jaws, belts and grooves that friction holds up."""

from __future__ import annotations

import numpy as np
import play_tribo
from stage import Body, Force, Pair, Plane, Robot, Scene, turn
from suite import BOTH, Check, Player, case, holds

from tribo.description.trees import BodyDescription, JointDescription, ShapeDescription, TreeDescription
from tribo.model import Joint, Shape

G = 9.81


@case(
    "A10",
    "uniform ladder of 2 m on floor and wall, μ = 0.5 at both",
    "stands iff tan φ ≥ (1 − μ²)/2μ: φ = 36.870°",
    peers=BOTH,
    note="a capsule of 1 mm radius: the round ends move the limit by less than 0.05°",
)
def ladder(player: Player) -> list[Check]:
    """Motion in 5 s at 0.2° above and below the limit."""
    moved = []
    r, length = 1e-3, 2.0
    for offset in (0.2, -0.2):
        phi = np.arctan(0.75) + np.radians(offset)
        centre = (r + length / 2 * np.cos(phi), 0.0, r + length / 2 * np.sin(phi))
        bar = Body("capsule", (r, length), 1.0, centre, turn((0, 1, 0), phi - np.pi / 2),
                   inertia=(1 / 3, 1 / 3, 1e-3))  # fmt: skip
        planes = [Plane(), Plane((1.0, 0.0, 0.0))]
        track = player.play(Scene([bar], 5000, Pair(0.5), planes=planes, every=50))
        moved.append(np.abs(track.position - track.position[0]).max())
    return [Check("motion at +0.2° [m]", moved[0], 1e-6), holds("slides at −0.2°", moved[1] > 0.05)]


def card(angle: float, side: float, length: float, r: float) -> TreeDescription:
    """Return a card of two parallel bars that leans on its mirror image at x = 0."""
    axis = turn((0, 1, 0), -side * (np.pi / 2 - angle))
    shapes = [
        ShapeDescription(Shape.CAPSULE, (r, length / 2), (0.0, y, 0.0), axis, name=f"card/{k}")
        for k, y in enumerate((-0.2, 0.2))
    ]
    body = BodyDescription(
        "card", -1, JointDescription("root", Joint.FREE), 1.0,
        inertia=np.diag([1 / 12 + 0.04, 1 / 12, 0.04 + 1 / 12]), shapes=shapes,
    )  # fmt: skip
    return TreeDescription([body])


@case(
    "A11",
    "two equal cards that lean on each other at φ = 65° from the floor",
    "stand iff μ ≥ cot φ/2 = 0.23315",
    note="a card is two parallel bars of 0.1 mm radius: two sharp parallel edges would have no normal; "
    "the limit is that of round ends, 1e-4 lower",
)
def leaning_cards(player: Player) -> list[Check]:
    """Motion in 20 s at 1.01 of the least friction, and at 0.99 of it."""
    length, r, phi = 1.0, 1e-4, np.radians(65)
    least = 0.5 / np.tan(phi) / (1 + r / (length * np.sin(phi)))
    moved = []
    for share, steps in ((1.01, 20_000), (0.99, 5000)):
        world, _, _ = play_tribo.build(Scene(pair=Pair(share * least)))
        cards = []
        for side in (-1.0, 1.0):
            x = side * (r + length / 2 * np.cos(phi))
            place = (x, 0.0, r + length / 2 * np.sin(phi))
            cards.append(world.add_articulated_system(card(phi, side, length, r), position=place))
        start = np.array([c.position for c in cards])
        world.step(steps)
        moved.append(np.abs(np.array([c.position for c in cards]) - start).max())
    return [Check("motion at 1.01 in 20 s [m]", moved[0], 1e-6), holds("slides at 0.99", moved[1] > 0.05)]


def jaws(squeeze: float) -> Robot:
    """Return two plates on rails that are pressed together."""
    links = "".join(
        f"""<link name="{name}"><inertial><mass value="0.5"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="0.1 0.4 0.8"/></geometry></collision></link>
        <joint name="{name}_rail" type="prismatic"><parent link="world"/><child link="{name}"/>
        <origin xyz="{x} 0 1"/><axis xyz="1 0 0"/>
        <limit lower="-1" upper="1" effort="1e9" velocity="1e9"/></joint>"""
        for name, x in (("left", -0.15), ("right", 0.15))
    )
    urdf = f'<robot name="jaws"><link name="world"/>{links}</robot>'
    return Robot(urdf, (0.0, 0.0), (0.0, 0.0), (squeeze, -squeeze))


@case("A12", "ball between two parallel jaws, squeezed with N each", "holds iff 2μN ≥ mg", peers=BOTH)
def between_jaws(player: Player) -> list[Check]:
    """Creep in 60 s at 1.001 of the least force; acceleration at 0.999 of it."""
    mu = 0.5
    found = []
    for share, steps in ((1.001, 60_000), (0.999, 500)):
        ball = Body("sphere", (0.1,), 1.0, (0.0, 0.0, 1.0))
        robot = jaws(share * G / (2 * mu))
        found.append(player.play(Scene([ball], steps, Pair(mu), planes=[], robots=[robot], every=500)))
    creep = np.abs(found[0].position - found[0].position[0]).max()
    fall = found[1].velocity[-1, 0, 2]
    return [
        Check("creep in 60 s [m]", creep, 1e-9),
        Check("speed at 0.999, relative", abs(fall / (-0.001 * G * 0.5) - 1.0), 1e-4),
    ]


def beads(count: int, radius: float, bead: float, wrap: float) -> TreeDescription:
    """Return a chain of beads that lies on a drum about y, without gravity, planar.

    Bead k sits at the angle (k − ½) wrap/count from the first tangent point; the free end segments are
    tangents half a spacing on. Bodies are the segments, each with a bead where it begins.
    """
    reach = radius + bead
    angles = (np.arange(count) + 0.5) * wrap / count
    points = [reach * np.array([-np.cos(a), 0.0, np.sin(a)]) for a in angles]
    bodies = []
    for k, point in enumerate(points):
        joint = JointDescription("root", Joint.FREE)
        if k > 0:
            place = tuple(point - points[k - 1])
            joint = JointDescription(f"j{k}", Joint.REVOLUTE, place, axis=(0.0, 1.0, 0.0))
        shape = ShapeDescription(Shape.SPHERE, (bead,), name=f"bead{k}/0")
        inertia = np.diag([1e-5, 1e-5, 1e-5])
        bodies.append(BodyDescription(f"bead{k}", k - 1, joint, 0.01, inertia=inertia, shapes=[shape]))
    tree = TreeDescription(bodies)
    tree.ignored = {(i, j) for i in range(count) for j in range(i + 1, count)}
    return tree


@case(
    "A13",
    "string of N beads over a fixed drum, half a turn, μ = 0.3, N = 10 and 40",
    "T₂/T₁ = [(1 + μ tan(β/2N))/(1 − μ tan(β/2N))]ᴺ: 2.588356, 2.567689 (e^{μπ} = 2.566333)",
)
def belt_over_a_drum(player: Player) -> list[Check]:
    """Motion at 0.999 of the limit in 1 s, and that it slips at 1.001."""
    mu, wrap, radius, bead = 0.3, np.pi, 0.5, 1e-6
    checks = []
    for count in (10, 40):
        x = mu * np.tan(wrap / (2 * count))
        limit = ((1 + x) / (1 - x)) ** count
        moved = []
        for share in (0.999, 1.001):
            world, _, _ = play_tribo.build(Scene(pair=Pair(mu), planes=[], gravity=(0.0, 0.0, 0.0)))
            world.add_capsule(radius, 1.0, 1.0, orientation=turn((1, 0, 0), np.pi / 2), body_type="static")
            tree = beads(count, radius, bead, wrap)
            start = (radius + bead) * np.array([-np.cos(0.5 * wrap / count), 0.0, np.sin(0.5 * wrap / count)])
            string = world.add_articulated_system(tree, position=start)
            for _ in range(1000):
                string.apply_force("bead0", (0.0, 0.0, -1.0), (0.0, 0.0, 0.0))
                string.apply_force(f"bead{count - 1}", (0.0, 0.0, -share * limit), (0.0, 0.0, 0.0))
                world.step()
            moved.append(np.abs(string.position - start).max())
        checks.append(Check(f"N = {count}: motion at 0.999 [m]", moved[0], 1e-6))
        checks.append(holds(f"N = {count}: slips at 1.001", moved[1] > 1e-3))
    return checks


@case(
    "A14",
    "round bar in a V-groove of half-angle 30°, 45°, 60°, pulled along its axis",
    "slides at F = μmg/sin α",
    peers=BOTH,
)
def bar_in_a_groove(player: Player) -> list[Check]:
    """Friction while it slides, and drift at 0.999 of it."""
    mu, r = 0.3, 0.05
    worst = creep = 0.0
    for alpha in np.radians([30, 45, 60]):
        limit = mu * G / np.sin(alpha)
        planes = [Plane((0.0, side * np.cos(alpha), np.sin(alpha))) for side in (-1.0, 1.0)]
        bar = Body("capsule", (r, 1.0), 1.0, (0.0, 0.0, r / np.sin(alpha)), turn((0, 1, 0), np.pi / 2))
        for share in (0.999, 1.01):
            push = Force("b0", (share * limit, 0.0, 0.0))
            scene = Scene([bar], 1000, Pair(mu), planes=planes, forces=[push], every=1000)
            track = player.play(scene)
            if share < 1.0:
                creep = max(creep, np.abs(track.position[-1] - track.position[0]).max())
            else:
                found = share * limit - track.velocity[-1, 0, 0] / track.time[-1]
                worst = max(worst, abs(found / limit - 1.0))
    return [Check("friction, relative", worst, 1e-6), Check("drift at 0.999 [m]", creep, 1e-9)]
