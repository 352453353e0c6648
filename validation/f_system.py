"""Family F, second half: geometry, repeatability, robots at rest and at work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import play_tribo
from parts import fixed_base, link
from stage import Body, Pair, Scene, tilt
from suite import BOTH, Check, Player, case, holds

import tribo
from tribo.description.trees import ShapeDescription, TreeDescription
from tribo.model import Joint, Shape

G = 9.81
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
STANCE = np.array([0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, -0.5, 1.0, 0.0, -0.5, 1.0])
HEIGHT = 2 * 0.24 * np.cos(0.5) + 0.025


@case(
    "F12",
    "ball, capsule and box slide at 2 m/s over a floor of separate box tiles, μ = 0.1",
    "no bump at the joints",
    peers=BOTH,
    note="tiles of 0.37 m, flush; for tribo also the speed, against the same slide on a plane",
)
def over_tiles(player: Player) -> list[Check]:
    """Height, tilt of the box, speed."""
    movers = [
        Body("sphere", (0.1,), 1.0, (0.1, -0.5, 0.1), velocity=(2.0, 0.0, 0.0)),
        Body("capsule", (0.1, 0.3), 1.0, (0.1, 0.0, 0.1), (0.5**0.5, 0.5**0.5, 0.0, 0.0),
             velocity=(2.0, 0.0, 0.0)),
        Body("box", (0.3, 0.2, 0.1), 1.0, (0.1, 0.6, 0.05), velocity=(2.0, 0.0, 0.0)),
    ]  # fmt: skip
    tiles = [
        Body("box", (0.37, 0.37, 0.1), 1.0, (0.37 * i - 0.37, 0.37 * j - 1.11, -0.05), kind="static",
             name=f"tile{i}_{j}")
        for i in range(10) for j in range(7)
    ]  # fmt: skip
    track = player.play(Scene([*movers, *tiles], 1000, Pair(0.1), planes=[]))
    bump = np.abs(track.position[:, :3, 2] - track.position[0, :3, 2]).max()
    lean = tilt(track.orientation[:, 2]).max()
    checks = [Check("bump [m]", bump, 1e-6), Check("tilt of the box [rad]", lean, 1e-6)]
    if player.is_tribo:
        plane = player.play(Scene(movers, 1000, Pair(0.1)))
        gap = np.abs(plane.velocity[:, :3] - track.velocity[:, :3]).max()
        checks.append(Check("speed against a plane [m/s]", gap, 1e-6))
    return checks


def crowd() -> tribo.World:
    """Return a world with a robot, a stack and rolling bodies."""
    scene = Scene([Body("box", (0.2, 0.2, 0.2), 1.0 + k, (2.0, 0.0, 0.1 + 0.2 * k)) for k in range(3)],
                  pair=Pair(0.6, 0.2, rolling=0.01))  # fmt: skip
    world, _, _ = play_tribo.build(scene)
    for k in range(3):
        world.add_sphere(0.1, 1.0, name=f"ball{k}", position=(3.0 + 0.15 * k, 0.05 * k, 0.3 + 0.1 * k),
                         angular_velocity=(1, 2, 3))  # fmt: skip
    standing(world)
    return world


def standing(world: tribo.World, kp: float = 100.0) -> tribo.ArticulatedSystem:
    """Add the package's own robot in its stance."""
    robot = world.add_articulated_system(QUADRUPED, name="robot")
    q = np.concatenate([[0.0, 0.0, HEIGHT, 1.0, 0.0, 0.0, 0.0], STANCE])
    robot.generalized_coordinate = robot.pd_target = q
    robot.set_pd_gains(kp, 2.0)
    return robot


@case(
    "F15",
    "stack of three asleep: support removed, 1 mN, gravity changed, a velocity of 1 µm/s",
    "wakes in the next step; without support it falls as a stack that never slept",
)
def sleepers(player: Player) -> list[Check]:
    """Who is asleep before and after; the fall."""

    def asleep() -> tuple[tribo.World, list[tribo.SingleBody]]:
        bodies = [Body("box", (1.0, 1.0, 1.0), 1.0, (0.0, 0.0, 0.5 + k)) for k in range(3)]
        world, boxes, _ = play_tribo.build(Scene(bodies, pair=Pair(0.6)))
        world.sleeping = True
        world.step(300)
        return world, list(boxes)

    def remove(world: tribo.World, boxes: list[tribo.SingleBody]) -> None:
        world.remove(boxes.pop(0))

    def push(world: tribo.World, boxes: list[tribo.SingleBody]) -> None:
        boxes[2].apply_force((1e-3, 0.0, 0.0))

    def pull(world: tribo.World, boxes: list[tribo.SingleBody]) -> None:
        world.gravity = (0.0, 0.0, -G * (1.0 + 1e-12))

    def nudge(world: tribo.World, boxes: list[tribo.SingleBody]) -> None:
        boxes[1].linear_velocity = (1e-6, 0.0, 0.0)

    checks = []
    causes = {"support removed": remove, "1 mN": push, "gravity": pull, "velocity": nudge}
    for name, cause in causes.items():
        world, boxes = asleep()
        slept = all(box.is_asleep for box in boxes)
        cause(world, boxes)
        world.step()
        checks.append(holds(name, slept and not any(box.is_asleep for box in boxes)))
        if cause is remove:
            speed = boxes[0].linear_velocity[2]
            checks.append(Check("fall of the first step, relative", abs(speed / (-G * 1e-3) - 1), 1e-10))
    return checks


def state(world: tribo.World) -> bytes:
    """Return coordinates and velocities as bytes."""
    return bytes(world.engine.state.q.tobytes() + world.engine.state.v.tobytes())


@case(
    "F16",
    "robot, stack and balls, 100 steps: at once; single steps; batch of 1 and 64; 1 and 4 threads",
    "bitwise equal",
)
def same_bits(player: Player) -> list[Check]:
    """Equality of states."""
    first, second = crowd(), crowd()
    first.step(100)
    for _ in range(100):
        second.step()
    known = state(first)
    equal = {"single steps": state(second) == known}
    for worlds, threads in ((1, 1), (64, 1), (64, 4)):
        batch = tribo.Batch(crowd(), worlds, threads=threads)
        batch.step(100)
        q, v = batch.engine.state.arrays["q"], batch.engine.state.arrays["v"]
        same = all(q[w].tobytes() + v[w].tobytes() == known for w in range(worlds))
        equal[f"batch of {worlds}, {threads} threads"] = same
    return [holds(name, same) for name, same in equal.items()]


@case(
    "F17",
    "snapshot in contact, 500 steps, restored twice in the same world and once in a fresh one",
    "bitwise equal continuations",
)
def snapshots(player: Player) -> list[Check]:
    """Equality of continuations."""
    world = crowd()
    world.step(300)
    saved = world.snapshot()
    world.step(500)
    known = state(world)
    checks = []
    for k in range(2):
        world.restore(saved)
        world.step(500)
        checks.append(holds(f"same world, {k + 1}", state(world) == known))
    fresh = crowd()
    fresh.restore(saved)
    fresh.step(500)
    checks.append(holds("fresh world", state(fresh) == known))
    world.restore(saved)
    other = crowd()
    other.load_state(world.dump_state())
    other.step(500)
    return [*checks, holds("fresh world, from bytes", state(other) == known)]


@case(
    "F18",
    "three of 64 worlds get a velocity of 1e200, a NaN target, a NaN force",
    "only they are flagged and stand still; the others go on, bitwise",
)
def one_bad_world(player: Player) -> list[Check]:
    """Flags, frozen states and the bits of the others."""
    good = tribo.Batch(crowd(), 64, threads=2)
    bad = tribo.Batch(crowd(), 64, threads=2)
    for batch in (good, bad):
        batch.step(20)
    bad["ball0"].generalized_velocity[7] = 1e200
    bad["robot"].pd_target[23, 8] = np.nan
    bad["robot"].generalized_force[40, 9] = np.nan
    frozen = {w: bad.engine.state.arrays["q"][w].copy() for w in (7, 23, 40)}
    good.step(50)
    with np.errstate(all="ignore"):
        made = bad.step(50)
    others = [w for w in range(64) if w not in frozen]
    same = all(
        good.engine.state.arrays[name][w].tobytes() == bad.engine.state.arrays[name][w].tobytes()
        for w in others for name in ("q", "v")
    )  # fmt: skip
    still = all(np.array_equal(bad.engine.state.arrays["q"][w], q) for w, q in frozen.items())
    return [
        holds("flagged, and only they", sorted(np.flatnonzero(~made)) == sorted(frozen)),
        holds("frozen at their last valid state", still),
        holds("the others are bitwise unaffected", same),
    ]


@case(
    "F19",
    "ball of 1 cm at 50 m/s hits a plate of 1 mm, 1000 random impacts",
    "never passes",
    note="contacts that one step can reach are rows of the solve",
)
def bullet(player: Player) -> list[Check]:
    """Share of the balls that get through."""
    rng = np.random.default_rng(7)
    scene = Scene([Body("box", (2.0, 2.0, 0.001), 1.0, kind="static", name="plate"),
                   Body("sphere", (0.005,), 0.01, name="ball")], planes=[], gravity=(0.0, 0.0, 0.0),
                  pair=Pair(0.3, 0.5))  # fmt: skip
    world, (_, ball), _ = play_tribo.build(scene)
    through = 0
    for _ in range(1000):
        way = rng.normal(size=3)
        way[2] = -abs(way[2]) - 0.3
        way /= np.linalg.norm(way)
        place = np.array([*rng.uniform(-0.3, 0.3, 2), 0.0]) - way * rng.uniform(0.1, 0.2)
        ball.position, ball.linear_velocity, ball.angular_velocity = place, 50.0 * way, np.zeros(3)
        world.step(8)
        through += ball.position[2] < 0.0
    return [Check("got through, share", through / 1000, 0.0)]


def trot(dt: float, until: float) -> np.ndarray:
    """Return base position of a quadruped that trots in place, at 20 samples."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.8), dt=dt))
    robot = standing(world)
    q = robot.pd_target.copy()
    rows = []
    for k in range(round(until / dt)):
        phase = np.sin(2 * np.pi * 2.0 * k * dt)
        lift = 0.25 * np.clip([phase, -phase, -phase, phase], 0.0, None)
        target = q.copy()
        target[7:].reshape(4, 3)[:, 1] += lift * [1, 1, -1, -1]
        target[7:].reshape(4, 3)[:, 2] -= 2 * lift * [1, 1, -1, -1]
        robot.pd_target = target
        world.step()
        if (k + 1) % round(until / dt / 20) == 0:
            rows.append(robot.generalized_coordinate[:3])
    return np.array(rows)


@case(
    "F20",
    "quadruped trots in place, dt = 8, 4, 2, 1 ms against 0.25 ms",
    "states converge at order 1 or better",
    note="0.16 s, before the first foot comes down; the largest difference of the base position; "
    "order from 8 to 1 ms",
)
def refinement(player: Player) -> list[Check]:
    """Order of convergence."""
    known = trot(2.5e-4, 0.16)
    errors = {dt: np.abs(trot(dt, 0.16) - known).max() for dt in (8e-3, 4e-3, 2e-3, 1e-3)}
    order = np.log2(errors[8e-3] / errors[1e-3]) / 3
    return [Check("1 − order", 1.0 - order, 0.05), Check("error at 1 ms [m]", errors[1e-3], 1e-3)]


@case(
    "F22",
    "standing quadruped, 5 s",
    "feet carry mg together; no foot ever reads less than 1e-3 mg",
    note="from 1 s on",
)
def feet(player: Player) -> list[Check]:
    """Sum of the foot forces and the least of all readings."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(0.8)))
    robot = standing(world)
    world.step(1000)
    weight, worst, least = robot.mass * G, 0.0, np.inf
    for _ in range(4000):
        world.step()
        forces: dict[str, float] = {}
        for c in robot.contacts:
            forces[c.body_a] = forces.get(c.body_a, 0.0) + c.force[2]
        worst = max(worst, abs(sum(forces.values()) / weight - 1.0))
        least = min(least, min(forces.values()) if len(forces) >= 4 else 0.0)
    return [
        Check("Σ f/mg − 1", worst, 1e-6),
        Check("1e-3 mg over the least foot force", 1e-3 * weight / max(least, 1e-300), 1.0),
    ]


def pusher() -> TreeDescription:
    """Return a finger of two hinges whose tip is a ball."""
    bodies = [fixed_base()]
    for k in range(2):
        body = link(f"l{k}", k, Joint.REVOLUTE, 1.0, com=(0.15, 0, 0), inertia=(1e-3, 0.01, 0.01),
                    axis=(0, 1, 0), position=(0.3 * k, 0, 0))  # fmt: skip
        bodies.append(body)
    bodies[-1].shapes.append(ShapeDescription(Shape.SPHERE, (0.02,), (0.3, 0, 0), name="tip/0"))
    return TreeDescription(bodies)


@case(
    "F23",
    "finger of two joints pushes a wall with constant joint torques",
    "normal force constant",
    note="the contact sticks (μ = 1); J⁻ᵀτ less the weight is what it carries",
)
def push_a_wall(player: Player) -> list[Check]:
    """Scatter and value of the normal force."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(1.0), planes=[]))
    q = np.array([0.6, -1.3])
    tip = 0.3 * np.array([np.cos(q[0]) + np.cos(q.sum()), np.sin(q[0]) + np.sin(q.sum())])
    world.add_ground(-(tip[0] + 0.02), normal=(-1, 0, 0))
    robot = world.add_articulated_system(pusher())
    robot.generalized_coordinate = q
    # x = Σ cos, z = −Σ sin: rows of the Jacobian of the contact.
    # Friction acts at the ball's surface, 0.02 m beyond its centre.
    reach = 0.3 * np.cos(q.sum()) + 0.02
    jac = np.array([[-tip[1], -0.3 * np.sin(q.sum())], [-tip[0] - 0.02, -reach]])
    weight = np.array([
        -G * 0.15 * np.cos(q[0]) - G * (0.3 * np.cos(q[0]) + 0.15 * np.cos(q.sum())),
        -G * 0.15 * np.cos(q.sum()),
    ])  # fmt: skip
    pull = np.array([20.0, -3.0])  # push 20 N into the wall, carry 3 N by friction
    robot.generalized_force = weight + jac.T @ pull
    readings = []
    for _ in range(2000):
        world.step()
        readings.append(sum(-c.force[0] for c in robot.contacts))
    late = np.array(readings[200:])
    return [
        Check("scatter / mean", late.std() / late.mean(), 1e-6),
        Check("mean against J⁻ᵀτ, relative", abs(late.mean() / 20.0 - 1.0), 1e-6),
    ]


@case(
    "F25",
    "ball held by four jaws at right angles, 60 s",
    "stays",
    note="each jaw pushes with 1.2 times the least force",
)
def four_jaws(player: Player) -> list[Check]:
    """Motion of the ball."""
    mu, mass, r = 0.5, 0.3, 0.04
    world, _, _ = play_tribo.build(Scene(pair=Pair(mu), planes=[]))
    ball = world.add_sphere(r, mass, position=(0, 0, 1))
    squeeze = 1.2 * mass * G / (4 * mu)
    for k in range(4):
        angle = k * np.pi / 2
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        plate = link("plate", 0, Joint.PRISMATIC, 0.2, axis=(1, 0, 0), inertia=(1e-4,) * 3)
        plate.shapes.append(ShapeDescription(Shape.BOX, (0.01, 0.02, 0.05), name="plate/0"))
        jaw = world.add_articulated_system(
            TreeDescription([fixed_base(), plate]), position=[*(-(r + 0.01) * way[:2]), 1.0],
            orientation=(np.cos(angle / 2), 0, 0, np.sin(angle / 2)),
        )  # fmt: skip
        jaw.generalized_force = [squeeze]
    worst = 0.0
    for _ in range(600):
        world.step(100)
        worst = max(worst, np.abs(ball.position - [0, 0, 1]).max())
    return [Check("motion [m]", worst, 1e-8)]
