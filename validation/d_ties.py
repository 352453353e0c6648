"""Cases D17 to D20: free bodies on pins, hinges and welds, in motions with a closed form.

    python validation/d_ties.py [--ms 4 2 1 0.5]

prints the errors of tribo at several time steps, and their orders: a rule of second order divides its errors
by four where the step halves.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from typing import Any

import numpy as np
from stage import Body, Force, Scene, Tie, Track, energy, inertia_of, matrices
from suite import BOTH, Check, Player, absent, case, holds

import tribo

G = 9.81
UP = np.array([0.0, 0.0, 1.0])
Errors = dict[str, float]


def toward(axis: np.ndarray) -> tuple[float, ...]:
    """Return the quaternion that turns z onto an axis by the shortest way."""
    q = np.array([1.0 + axis[2], *np.cross(UP, axis)])
    return tuple(q / np.linalg.norm(q))


def angular_momentum(scene: Scene, track: Track) -> np.ndarray:
    """Return the angular momentum of all bodies about their common centre of mass (t, 3)."""
    mass = np.array([body.mass for body in scene.bodies])
    arms = track.position - np.average(track.position, axis=1, weights=mass)[:, None]
    total = np.einsum("k,tki->ti", mass, np.cross(arms, track.velocity))
    for k, body in enumerate(scene.bodies):
        r = matrices(track.orientation[:, k])
        total += np.einsum("tij,jk,tlk,tl->ti", r, inertia_of(body), r, track.spin[:, k])
    return total


def kept(scene: Scene, track: Track) -> Errors:
    """Return the largest changes of energy and angular momentum, relative."""
    total = energy(scene, track).sum(axis=1)
    momentum = angular_momentum(scene, track)
    change = np.linalg.norm(momentum - momentum[0], axis=1).max()
    return {
        "energy, relative": np.abs(total / total[0] - 1.0).max(),
        "angular momentum, relative": change / np.linalg.norm(momentum[0]),
    }


def gone_round(scene: Scene, track: Track, rate: float) -> float:
    """Return by how much the first body is ahead of a steady rate about the vertical at the end [rad]."""
    x, y, _ = np.moveaxis(track.position[:, 0], -1, 0)
    return float(np.unwrap(np.arctan2(y, x))[-1] - rate * scene.dt * scene.steps)


def gyroscope(player: Player, dt: float, seconds: float = 3.0, **options: Any) -> Errors:
    """A disc on a pin precesses with a level axle at Ω = m g l/(I ω)."""
    radius, arm, spin = 0.1, 0.2, 60.0
    rate = G * arm / (0.5 * radius**2 * spin)
    disc = Body(
        "cylinder", (radius, 0.02), 1.0, (arm, 0.0, 0.0), toward(np.array([1.0, 0.0, 0.0])),
        (0.0, rate * arm, 0.0), (spin, 0.0, rate),
    )  # fmt: skip
    scene = Scene([disc], round(seconds / dt), planes=[], ties=[Tie("pin", "b0")], dt=dt, every=5, **options)
    track = player.play(scene)
    total = energy(scene, track).sum(axis=1)
    return {
        "droop [m]": np.abs(track.position[:, 0, 2]).max(),
        "precession [rad]": abs(gone_round(scene, track, rate)),
        "energy [J]": np.abs(total - total[0]).max(),
    }


def conical_pendulum(player: Player, dt: float, seconds: float = 10.0, **options: Any) -> Errors:
    """A bar on a pin goes round at 45°: Ω² cos θ (I_t − I_a) = m g d."""
    tilt, length, width = np.radians(45.0), 0.5, 0.05
    along = np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    about = (length**2 + width**2) / 12 + length**2 / 4
    rate = np.sqrt(G * length / 2 / (np.cos(tilt) * (about - width**2 / 6)))
    place = 0.5 * length * along
    bar = Body(
        "box", (width, width, length), 1.0, tuple(place), toward(along),
        tuple(np.cross(rate * UP, place)), tuple(rate * UP),
    )  # fmt: skip
    scene = Scene([bar], round(seconds / dt), planes=[], ties=[Tie("pin", "b0")], dt=dt, every=5, **options)
    track = player.play(scene)
    x, y, z = np.moveaxis(track.position[:, 0], -1, 0)
    return {
        "angle to the vertical [rad]": np.abs(np.arctan2(np.hypot(x, y), -z) - tilt).max(),
        "angle gone round [rad]": abs(gone_round(scene, track, rate)),
    }


def satellite(player: Player, dt: float, seconds: float = 10.0, **options: Any) -> Errors:
    """A body with a wheel on a hinge along its axis of symmetry: the axis turns about L at the rate L/I_t."""
    spin, nod, edge, offset = 100.0, np.array([2.0, 0.0, 0.0]), 0.3, 0.2
    low, high = -offset / 6.0 * UP, offset * 5.0 / 6.0 * UP
    body = Body("box", (edge,) * 3, 5.0, tuple(low), velocity=tuple(np.cross(nod, low)), spin=tuple(nod))
    wheel = Body(
        "cylinder", (0.1, 0.02), 1.0, tuple(high), velocity=tuple(np.cross(nod, high)),
        spin=tuple(nod + spin * UP),
    )  # fmt: skip
    ties = [Tie("hinge", "b0", "b1", tuple(high))]
    scene = Scene(
        [body, wheel],
        round(seconds / dt),
        planes=[],
        ties=ties,
        gravity=(0.0, 0.0, 0.0),
        dt=dt,
        every=5,
        **options,
    )
    track = player.play(scene)
    momentum = angular_momentum(scene, track)[0]
    size = float(np.linalg.norm(momentum))
    across = inertia_of(body)[0, 0] + inertia_of(wheel)[0, 0] + 5.0 / 6.0 * offset**2
    n, angle = momentum / size, size / across * seconds
    there = UP * np.cos(angle) + np.cross(n, UP) * np.sin(angle) + n * (n @ UP) * (1 - np.cos(angle))
    axis = matrices(track.orientation[:, 0])[:, :, 2]
    return {
        "axis after 10 s [rad]": float(np.linalg.norm(np.cross(there, axis[-1]))),
        "angle of nutation [rad]": np.abs(np.arccos(axis @ n) - np.arccos(UP @ n)).max(),
        **kept(scene, track),
    }


def attitude(inertia: np.ndarray, momentum: np.ndarray, seconds: float, steps: int) -> np.ndarray:
    """Return R of a free rigid body that starts with R = 1, by Runge and Kutta on its quaternion."""
    inverse, h = np.linalg.inv(inertia), seconds / steps

    def slope(q: np.ndarray) -> np.ndarray:
        omega = inverse @ (matrices(q / np.linalg.norm(q)).T @ momentum)  # in body axes
        return 0.5 * np.array([-q[1:] @ omega, *(q[0] * omega + np.cross(q[1:], omega))])

    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(steps):
        a = slope(q)
        b = slope(q + h / 2 * a)
        c = slope(q + h / 2 * b)
        q = q + h / 6 * (a + 2 * b + 2 * c + slope(q + h * c))
    return matrices(q / np.linalg.norm(q))


def welded_pair(player: Player, dt: float, seconds: float = 10.0, **options: Any) -> Errors:
    """Two welded boxes tumble like one rigid body: Euler's equations, by Runge and Kutta."""
    omega = np.array([0.5, 6.0, 1.0])
    sizes, masses = ((0.6, 0.2, 0.1), (0.1, 0.5, 0.2)), (2.0, 1.0)
    places = np.array([(0.0, 0.0, 0.0), (0.4, 0.3, 0.0)])
    places -= np.average(places, axis=0, weights=masses)
    bodies = [
        Body("box", size, m, tuple(p), velocity=tuple(np.cross(omega, p)), spin=tuple(omega))
        for size, m, p in zip(sizes, masses, places, strict=True)
    ]
    scene = Scene(
        bodies, round(seconds / dt), planes=[], ties=[Tie("weld", "b0", "b1")],
        gravity=(0.0, 0.0, 0.0), dt=dt, every=5, **options,
    )  # fmt: skip
    track = player.play(scene)
    inertia = sum(
        inertia_of(b) + b.mass * (p @ p * np.eye(3) - np.outer(p, p))
        for b, p in zip(bodies, places, strict=True)
    )
    known = attitude(inertia, inertia @ omega, seconds, round(1000 * seconds))
    off = known.T @ matrices(track.orientation[-1, 0])
    return {
        "attitude after 10 s [rad]": float(np.linalg.norm(off - off.T) / np.sqrt(8.0)),
        **kept(scene, track),
    }


def checks(errors: Errors, *tolerances: float) -> list[Check]:
    """Return errors with what they may be."""
    return [
        Check(what, float(error), most)
        for (what, error), most in zip(errors.items(), tolerances, strict=True)
    ]


@case(
    "D17",
    "free bodies on a pin to the world: gyroscope (disc of 1 kg and 0.1 m, 0.2 m from its pin, 60 rad/s), "
    "3 s; bar of 0.5 m as a conical pendulum at 45°, 10 s",
    "level axle, Ω = mgl/(Iω) = 6.54 rad/s; Ω² cos θ (I_t − I_a) = mgd",
    peers=BOTH,
    note="before constraints on free bodies were of second order: droop 0.056 m, −0.89 J; 45° → 44.4°; as "
    "joints of a tree: D20",
)
def pinned(player: Player) -> list[Check]:
    """Droop, precession, energy; angles."""
    return [
        *checks(gyroscope(player, 1e-3), 1e-3, 1e-3, 1e-3),
        *checks(conical_pendulum(player, 1e-3), 1e-3, 1e-3),
    ]


@case(
    "D18",
    "free bodies tied to each other, no weight, 10 s: body of 5 kg with a wheel of 1 kg at 100 rad/s on a "
    "hinge; two welded boxes that tumble at 6 rad/s",
    "nutation at L/I_t by a constant angle; Euler's equations; energy and momentum constant",
    peers=BOTH,
    note="as joints of a tree: D20",
)
def tied(player: Player) -> list[Check]:
    """Axis, nutation, attitude; energy and momentum."""
    return [
        *checks(satellite(player, 1e-3), 1e-3, 1e-3, 1e-4, 1e-12),
        *checks(welded_pair(player, 1e-3), 1e-3, 1e-6, 1e-12),
    ]


SCENES = (gyroscope, conical_pendulum, satellite, welded_pair)


@case(
    "D19",
    "driven too far: two boxes of 1 kg on a common pin, one torqued with 1 N m for 2 s, at 1 and 4 ms; a box "
    "on a hinge at 180 rad/s for 2 s at 4 ms (0.72 rad a step), and 0.2 m off its hinge at 1 ms",
    "L = 2 N m s; what turns too far for its step says so (`TIME_STEP_TOO_LONG`); the hinge keeps its speed",
    peers=BOTH,
    note="0.2 m off its centre the box loses 2 % of its speed at 4 ms; peers do not say "
    "that a step is too long; MuJoCo's pinned boxes become NaN (which it says) and start again, with its "
    "default and stiff settings at both steps",
)
def too_far(player: Player) -> list[Check]:
    """Momentum, status, speed."""
    if not player.is_tribo:
        return too_far_for_a_peer(player)
    found = []
    for dt in (1e-3, 4e-3):
        world = tribo.World(dt, gravity=(0, 0, 0))
        one, other = (world.add_box((0.2, 0.1, 0.1), 1.0, position=(x, 0, 0)) for x in (0.0, 0.2))
        world.add_pin(one, other, (0.1, 0.0, 0.0), collide=False)
        silent = 0
        for _ in range(round(2.0 / dt)):
            one.apply_torque(UP)
            world.step()
            far = dt * max(np.linalg.norm(body.angular_velocity) for body in (one, other))
            silent += far > 0.5 and not world.status & tribo.Status.TIME_STEP_TOO_LONG
        error = np.linalg.norm(world.angular_momentum - 2.0 * UP) / 2.0
        found.append(Check(f"{1e3 * dt:g} ms: angular momentum, relative", float(error), 1e-12))
        found.append(holds(f"{1e3 * dt:g} ms: beyond 0.5 rad a step it is said", silent == 0))
    centred, _ = on_hinge(0.0)
    eccentric, _ = on_hinge(0.2, 1e-3)
    _, silent = on_hinge(0.2)
    return [
        *found,
        Check("hinge: speed, relative", centred, 1e-9),
        Check("hinge 0.2 m off the centre, 1 ms: speed, relative", eccentric, 1e-5),
        holds("hinge 0.2 m off the centre: what takes 1e-3 of the energy in a step is said", not silent),
    ]


def too_far_for_a_peer(player: Player) -> list[Check]:
    """Return momentum and speed in an engine that does not say what it loses."""
    found = []
    for ms in (1, 4):
        boxes = [Body("box", (0.2, 0.1, 0.1), 1.0, (x, 0.0, 0.0)) for x in (0.0, 0.2)]
        scene = Scene(
            boxes, 2000 // ms, planes=[], forces=[Force("b0", torque=tuple(UP))], gravity=(0.0, 0.0, 0.0),
            ties=[Tie("pin", "b0", "b1", (0.1, 0.0, 0.0))], dt=1e-3 * ms,
        )  # fmt: skip
        last = angular_momentum(scene, player.play(scene))[-1]
        error = float(np.linalg.norm(last - 2.0 * UP) / 2.0)
        found.append(Check(f"{ms} ms: angular momentum, relative", error, 1e-12))
        found.append(absent(f"{ms} ms: beyond 0.5 rad a step it is said"))
    speeds = []
    for far, ms in ((0.0, 4), (0.2, 1)):
        box = Body(
            "box", (0.2, 0.1, 0.1), 1.0, (far, 0.0, 0.0), velocity=(0.0, 180.0 * far, 0.0),
            spin=tuple(180.0 * UP),
        )  # fmt: skip
        scene = Scene(
            [box], 2000 // ms, planes=[], ties=[Tie("hinge", "b0")], gravity=(0.0, 0.0, 0.0),
            dt=1e-3 * ms,
        )  # fmt: skip
        speeds.append(abs(float(player.play(scene).spin[-1, 0, 2]) / 180.0 - 1.0))
    return [
        *found,
        Check("hinge: speed, relative", speeds[0], 1e-9),
        Check("hinge 0.2 m off the centre, 1 ms: speed, relative", speeds[1], 1e-5),
        absent("hinge 0.2 m off the centre: what takes 1e-3 of the energy in a step is said"),
    ]


def on_hinge(far: float, dt: float = 4e-3) -> tuple[float, int]:
    """Return which part of its speed a box on a hinge loses in 2 s, and how many steps lose much unsaid."""
    world = tribo.World(dt, gravity=(0, 0, 0))
    box = world.add_box((0.2, 0.1, 0.1), 1.0, position=(far, 0, 0))
    world.add_hinge(box, position=(0, 0, 0), axis=UP)
    box.angular_velocity = 180.0 * UP
    box.linear_velocity = 180.0 * np.cross(UP, (far, 0, 0))
    silent, energy_before = 0, world.energy
    for _ in range(round(2.0 / dt)):
        world.step()
        is_lost = abs(world.energy - energy_before) > 1e-3 * energy_before
        silent += is_lost and not world.status & tribo.Status.TIME_STEP_TOO_LONG
        energy_before = world.energy
    return abs(float(box.angular_velocity[2]) / 180.0 - 1.0), silent


@case(
    "D20",
    "the four scenes of D17 and D18 with the pin, hinge or weld as a joint of one tree, by `rk4`",
    "as there: a rule of fourth order misses the gyroscope by T ω (ω dt)⁴/120 = 2e-5 rad",
    peers=BOTH,
    note="MuJoCo by its RK4, as exact as tribo: behind it with the gyroscope, ahead with the energy of the "
    "pair; PyBullet has semi-implicit Euler only",
)
def jointed(player: Player) -> list[Check]:
    """As `pinned` and `tied`."""
    options = {"ties_are_joints": True, "integrator": "rk4"}
    return [
        *checks(gyroscope(player, 1e-3, **options), *3 * [2e-5]),
        *checks(conical_pendulum(player, 1e-3, **options), *2 * [1e-6]),
        *checks(satellite(player, 1e-3, **options), *3 * [1e-6], 1e-9),
        *checks(welded_pair(player, 1e-3, **options), *2 * [1e-6], 1e-9),
    ]


def main() -> None:
    """Print errors and orders of tribo."""
    import play_tribo

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ms", type=float, nargs="+", default=[4.0, 2.0, 1.0, 0.5], help="falling by two")
    steps = parser.parse_args().ms
    for scene in SCENES:
        runs = [scene(play_tribo.player(), 1e-3 * ms) for ms in steps]
        print(scene.__name__, "at", ", ".join(f"{ms:g}" for ms in steps), "ms")
        for what in runs[0]:
            errors = [run[what] for run in runs]
            orders = [np.log2(a / b) for a, b in pairwise(errors)]
            print(f"  {what:28}", *(f"{e:8.1e}" for e in errors), "  order", *(f"{o:5.2f}" for o in orders))


if __name__ == "__main__":
    main()
