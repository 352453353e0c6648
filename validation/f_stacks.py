"""Family F, first half: the solver under heavy, hyperstatic and hard contact sets."""

from __future__ import annotations

import numpy as np
import play_tribo
from stage import Body, Pair, Scene, Track, incline, turn
from suite import BOTH, MUJOCO, Check, Player, case, holds

import tribo
from tribo.description.trees import BodyDescription, JointDescription, ShapeDescription, TreeDescription
from tribo.model import Joint, Shape

G = 9.81


@case(
    "F1",
    "10 000 random islands, 3 … 40 contacts, mass ratios up to 1e4, a quarter of the pairs with rolling and "
    "spinning friction",
    "an independent residual: ≤ 1e-9 of the speed to remove, where no step brings it nearer ≤ 1e-6 (natural "
    "maps differ by up to 2), or said to be unsolved",
    fast=False,
    note="the solver of a step on tables written by hand, as "
    "`tests/unit/contact/solver/test_pile.py` does; some of these problems have no solution",
)
def random_problems(player: Player) -> list[Check]:
    """Largest residual of what is said to be solved; share of the rest."""
    import hard_problems
    from unit.contact.solver.test_pile import MAX_CONTACTS, NODES, solve

    rng = np.random.default_rng(2024)
    engine = hard_problems.engine_of(NODES, MAX_CONTACTS)
    worst, unsolved, rough = 0.0, 0, 0
    for _ in range(10_000):
        contacts = int(rng.integers(3, MAX_CONTACTS + 1))
        is_solved, found = solve(engine, rng, contacts, 0.25, 2.0)
        unsolved += not is_solved
        worst = max(worst, found) if is_solved else worst
        rough += is_solved and found > 1e-9
    return [
        Check("residual of the solved", worst, 2e-6),
        Check("solved to more than 1e-9 only, share", rough / 10_000, 0.01),
        Check("said to be unsolved, share", unsolved / 10_000, 0.01),
    ]


def tower(masses: list[float], edge: float = 0.2) -> list[Body]:
    """Return equal boxes piled up on the ground."""
    return [Body("box", (edge,) * 3, m, (0.0, 0.0, edge * (k + 0.5))) for k, m in enumerate(masses)]


def sideways(track: Track) -> float:
    """Return the largest horizontal motion."""
    return float(np.abs(track.position[:, :, :2] - track.position[0, :, :2]).max())


@case(
    "F2",
    "box of 1 kg under a box of 1000 kg, 60 s",
    "the ground carries 1001 g from 1 s on",
    peers=BOTH,
    note="read every 20 ms",
)
def heavy_on_light(player: Player) -> list[Check]:
    """Force, penetration, drift."""
    scene = Scene(tower([1.0, 1000.0]), 60_000, Pair(0.8), every=20, wants_support=True)
    track = player.play(scene)
    force = track.support[track.time > 1.0, 2]
    sunk = (track.position[0, :, 2] - track.position[:, :, 2]).max()
    return [
        Check("force, relative", np.abs(force / (1001 * G) - 1.0).max(), 1e-6),
        Check("penetration [m]", max(0.0, sunk), 1e-5),
        Check("drift [m]", sideways(track), 1e-6),
    ]


def carried(count: int, steps: int) -> tuple[float, float, bool]:
    """Return error of the interface forces, drift and whether all steps converged."""
    world, boxes, _ = play_tribo.build(Scene(tower([1.0] * count), pair=Pair(0.6)))
    start = np.array([b.position for b in boxes])
    error, good = 0.0, True
    for k in range(steps // 100):
        world.step(100)
        good &= world.status == 0
        if k < 10:
            continue
        lower = [world.objects[0], *boxes[:-1]]
        for i, box in enumerate(boxes):
            force = sum(c.force[2] for c in box.contacts if c.object_b is lower[i])
            error = max(error, abs(force / ((count - i) * G) - 1.0))
    now = np.array([b.position for b in boxes])
    return error, float(np.abs((now - start)[:, :2]).max()), good


@case(
    "F3",
    "stacks of 10 and 20 equal boxes, 60 s",
    "stand; interface k carries k mg",
    fast=False,
    peers=(MUJOCO,),
    note="forces read every 0.1 s from 1 s on (tribo only); for the peers the drift of the stacks alone",
)
def stacks(player: Player) -> list[Check]:
    """Forces and drift."""
    checks = []
    for count in (10, 20):
        if player.is_tribo:
            error, drift, good = carried(count, 60_000)
            checks += [
                Check(f"{count}: forces, relative", error, 1e-5),
                Check(f"{count}: lateral drift [m]", drift, 1e-6),
                holds(f"{count}: every solve converges", good),
            ]
        else:
            scene = Scene(tower([1.0] * count), 60_000, Pair(0.6), every=600)
            checks.append(Check(f"{count}: lateral drift [m]", sideways(player.play(scene)), 1e-6))
    return checks


@case(
    "F4",
    "overhanging stack of four bricks, the k-th from the top shifted by share · L/2k",
    "stands at 0.995 for 20 s, falls at 1.005",
    peers=BOTH,
)
def overhang(player: Player) -> list[Check]:
    """Motion at 0.995, fall at 1.005."""
    found = []
    for share in (0.995, 1.005):
        shift, bricks = 0.0, []
        for k in range(4, 0, -1):  # k bricks from here to the top
            shift += share * 0.2 / (2 * k)
            bricks.append(Body("box", (0.2, 0.1, 0.05), 1.0, (shift, 0.0, 0.05 * (5 - k) - 0.025)))
        desk = Body("box", (0.2, 0.2, 0.5), 1.0, (0.0, 0.0, -0.25), kind="static", name="desk")
        # The lowest brick overhangs the desk's edge by the last share.
        scene = Scene([desk, *bricks], 20_000, Pair(0.8), planes=[], every=100)
        track = player.play(scene)
        found.append(np.abs(track.position - track.position[0]).max())
    return [Check("motion at 0.995 [m]", found[0], 1e-6), holds("falls at 1.005", found[1] > 0.05)]


def arch(thickness: float, stones: int = 16) -> tuple[tribo.World, list[tribo.SingleBody]]:
    """Return a round arch of wedges without mortar, mean radius 1 m."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.7)))
    half = np.pi / stones / 2
    inner, outer = 1.0 - thickness / 2, 1.0 + thickness / 2
    wedge = np.array([(r * np.sin(a), y, r * np.cos(a))
                      for r in (inner, outer) for a in (-half, half) for y in (-0.1, 0.1)])  # fmt: skip
    a, b = inner * np.sin(half), outer * np.sin(half)  # half the parallel sides of the trapezoid
    far = inner * np.cos(half) + thickness * np.cos(half) / 3 * (a + 2 * b) / (a + b)
    made = []
    for k in range(stones):
        angle = np.pi * ((k + 0.5) / stones - 0.5)
        c, s = np.cos(angle), np.sin(angle)
        placed = wedge @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        made.append(world.add_convex(placed, 1.0, name=f"stone{k}", position=(far * s, 0.0, far * c)))
    return world, made


@case(
    "F5",
    "semicircular arch of 16 stones, thickness 0.13 and 0.09 of the mean radius, μ = 0.7",
    "stands; collapses (limit 0.1075)",
    note="Heyman 1969; Milankovitch 1907 for the limit; the stones' centres after 5 s and 2 s",
)
def round_arch(player: Player) -> list[Check]:
    """Motion of the thick arch, fall of the thin one."""
    world, stones = arch(0.13)
    start = np.array([stone.position for stone in stones])
    world.step(5000)
    moved = np.abs(np.array([stone.position for stone in stones]) - start).max()
    world, stones = arch(0.09)
    top = max(stone.position[2] for stone in stones)
    world.step(2000)
    fell = top - max(stone.position[2] for stone in stones)
    return [Check("motion at 0.13 [m]", moved, 1e-5), holds("falls at 0.09", fell > 0.3)]


@case(
    "F7",
    "Painlevé's rod: tan θ = 2, slides at 2 m/s, μ = 1.4 > 4/3, 0.5 s",
    "no solution of the force problem: finite impulses, energy does not grow, the step says so",
    note="energy without the work of gravity within a step; residual: of steps without a flag",
)
def painleve(player: Player) -> list[Check]:
    """Energy, residual, finiteness, and whether a hard step is flagged."""
    theta, a = np.arctan(2.0), 0.5
    worst, residual, finite = -np.inf, 0.0, True
    for direction in (1.0, -1.0):
        rod = Body("capsule", (1e-3, 2 * a), 1.0, (0.0, 0.0, 1e-3 + a * np.sin(theta)),
                   turn((0, 1, 0), np.pi / 2 - theta), (2.0 * direction, 0.0, 0.0),
                   inertia=(a * a / 3, a * a / 3, 1e-6))  # fmt: skip
        world, (body,), _ = play_tribo.build(Scene([rod], pair=Pair(1.4)))
        total = world.energy
        for _ in range(500):
            world.step()
            now = world.energy
            work = G * 1e-3 * (np.abs(body.linear_velocity[2]) + G * 1e-3)
            worst = max(worst, (now - total - work) / 2.0)
            total = now
            finite &= bool(np.isfinite(body.position).all())
            if world.status == 0:
                residual = max(residual, float(world.residual.max()))
    return [
        holds("finite", finite),
        Check("gain of energy, relative", max(0.0, worst), 1e-9),
        Check("residual of unflagged steps", residual, 1e-8),
    ]


def table(world: tribo.World, com: tuple[float, float, float]) -> tribo.ArticulatedSystem:
    """Return a table of 10 kg on the round ends of four legs."""
    feet = [(x, y, -0.5) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    shapes = [ShapeDescription(Shape.SPHERE, (0.02,), f, name=f"leg/{k}") for k, f in enumerate(feet)]
    body = BodyDescription("table", -1, JointDescription("root", Joint.FREE), 10.0, com,
                           np.diag([1.0, 1.2, 1.5]), shapes)  # fmt: skip
    return world.add_articulated_system(TreeDescription([body]), position=(0, 0, 0.52))


@case(
    "F8",
    "rigid table on four legs, load in the centre, then off it",
    "force and moment balance; equal legs under a central load; the same whatever the order of adding",
)
def four_legs(player: Player) -> list[Check]:
    """Balance, shares, order."""
    checks = []
    balance = 0.0
    for com in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.1), (0.15, -0.12, 0.0)):
        world, _, _ = play_tribo.build(Scene(pair=Pair(0.5)))
        robot = table(world, com)
        world.step(300)
        centre = robot.position + robot.rotation_matrix @ np.array(com)
        force = sum(c.force for c in robot.contacts) - [0, 0, 10 * G]
        moment = sum(np.cross(c.position - centre, c.force) for c in robot.contacts)
        balance = max(balance, np.abs(force).max() / (10 * G), np.abs(moment).max() / (10 * G))
        if com == (0.0, 0.0, 0.0):
            legs = np.array([c.force[2] for c in robot.contacts])
            equal = np.abs(legs / (2.5 * G) - 1.0).max() if len(legs) == 4 else np.inf
            checks.append(Check("equal legs, relative", equal, 1e-8))
    results = []
    places = [(0.0, 0.0, 0.1), (0.05, 0.0, 0.31), (0.02, 0.03, 0.53)]
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        world, _, _ = play_tribo.build(Scene(pair=Pair(0.5)))
        boxes = {k: world.add_box((0.2, 0.2, 0.2), 1.0 + k, position=places[k]) for k in order}
        world.step(100)
        results.append([boxes[k].position for k in range(3)])
    spread = np.ptp(np.array(results), axis=0).max()
    return [*checks, Check("balance, relative", balance, 1e-8), Check("order of adding [m]", spread, 1e-8)]


@case("F9", "slab of 100 kg on four balls of 0.1 kg, taken away", "the balls stay where they are")
def load_taken_away(player: Player) -> list[Check]:
    """Speed after the slab is gone."""
    bodies = [Body("sphere", (0.1,), 0.1, (x, y, 0.1)) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    bodies.append(Body("box", (1.0, 1.0, 0.1), 100.0, (0.0, 0.0, 0.25)))
    world, made, _ = play_tribo.build(Scene(bodies, pair=Pair(0.8)))
    world.step(200)
    world.remove(made[-1])
    speed = 0.0
    for _ in range(100):
        world.step()
        speed = max(speed, *(float(np.abs(b.linear_velocity).max()) for b in made[:-1]))
    return [Check("speed [m/s]", speed, 1e-9)]


@case(
    "F10",
    "box of 20 m (8000 : 1) dropped from 15 m on two boxes of 1 m, 4 s",
    "settles: penetration, no ejection",
    peers=BOTH,
)
def giant(player: Player) -> list[Check]:
    """Penetration and the fastest small box after the impact."""
    bodies = [
        Body("box", (1.0, 1.0, 1.0), 1.0, (x, 0.0, 0.5), name=f"small{k}") for k, x in enumerate((-5.0, 5.0))
    ]
    bodies.append(Body("box", (20.0, 20.0, 20.0), 8000.0, (0.0, 0.0, 26.0), name="big"))
    track = player.play(Scene(bodies, 4000, Pair(0.6), every=5))
    late = track.time > 2.5
    sunk = max(0.0, (11.0 - track.position[late, 2, 2]).max(), (0.5 - track.position[late, :2, 2]).max())
    moved = np.abs(track.position[:, :2] - track.position[0, :2]).max()
    return [
        Check("penetration [m]", sunk, 1e-3),
        Check("the small boxes move [m]", moved, 0.01),
        Check("speed at the end [m/s]", np.abs(track.velocity[-1]).max(), 1e-3),
    ]


@case(
    "F24",
    "PhysX#276: box on a slope of 20°, μ = 1",
    "contact forces: sum and moment balance the weight",
    peers=(),
)
def forces_on_a_slope(player: Player) -> list[Check]:
    """Balance of forces and moments."""
    gravity = incline(np.radians(20))
    box = Body("box", (1.0, 1.0, 1.0), 1.0, (0.0, 0.0, 0.5))
    world, (body,), _ = play_tribo.build(Scene([box], pair=Pair(1.0), gravity=gravity))
    worst = 0.0
    for _ in range(500):
        world.step()
        contacts = body.contacts
        force = sum(c.force for c in contacts) + np.array(gravity)
        moment = sum(np.cross(c.position - body.position, c.force) for c in contacts)
        worst = max(worst, np.abs(force).max() / G, np.abs(moment).max() / G)
    return [Check("forces and moments, relative", worst, 1e-8)]
