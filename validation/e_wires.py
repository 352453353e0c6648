"""Cases D14, E3 and E4: loops closed by pins, stiff and compliant wires."""

from __future__ import annotations

import numpy as np
import play_tribo
from parts import fixed_base, link
from stage import Scene
from stewart import Platform
from suite import Check, Player, case, holds

import tribo
from tribo.description.trees import TreeDescription
from tribo.model import Joint

G = 9.81
PERIODS = {10: 2.00989263, 60: 2.15287467, 90: 2.36784195}  # [s] of a pendulum of 1 m, by start [deg]


def empty_world(dt: float = 1e-3) -> tribo.World:
    """Return a world without a ground."""
    world, _, _ = play_tribo.build(Scene(planes=[], dt=dt))
    return world


def crossings(times: list[float], values: list[float]) -> np.ndarray:
    """Return when values fall through zero, by straight lines between samples."""
    t, x = np.array(times), np.array(values)
    k = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    return t[k] + (t[k + 1] - t[k]) * x[k] / (x[k] - x[k + 1])


@case(
    "D14",
    "parallelogram of 1 m, two cranks and a coupler closed by pins, from 30°, 10 s; four bars at 20 rad/s; "
    "Stewart platform on six driven legs with twelve pins",
    "loop gap; energy; leg forces of statics",
    note="energy relative to what the masses lose on the way down; the platform goes up and down by 0.2 m "
    "and tilts by 0.4 rad, 10 rad/s, dt 1 ms",
)
def pinned_loop(player: Player) -> list[Check]:
    """Largest gaps and change of energy; the platform."""
    world = empty_world()
    angle = float(np.radians(30))
    tip = np.array([-np.sin(angle), 0.0, -np.cos(angle)])
    bars = []
    for x in (0.0, 1.0):
        bar = link("bar", 0, Joint.REVOLUTE, 1.0, axis=(0.0, 1.0, 0.0), com=(0.0, 0.0, -0.5))
        crank = world.add_articulated_system(TreeDescription([fixed_base(), bar]), position=(x, 0, 0))
        crank.generalized_coordinate = [angle]
        bars.append(crank.link("bar"))
    coupler = world.add_box(
        (1.0, 0.05, 0.05), mass=1.0, position=np.add(tip, (0.5, 0, 0)), collision_mask=0, collision_group=0
    )
    pins = [world.add_pin(bar, coupler, np.add(tip, (x, 0, 0))) for x, bar in enumerate(bars)]
    start, gap, change = world.energy, 0.0, 0.0
    for _ in range(2_000):
        world.step(5)
        gap = max(gap, *(float(np.abs(pin.gap).max()) for pin in pins))
        change = max(change, abs(world.energy - start))
    return [
        Check("gap [m]", gap, 1e-8),
        Check("energy, relative", change / (2.0 * G * (1.0 - np.cos(angle))), 1e-4),
        Check("gap of fast bars [m]", fast_bars(20.0), 1e-8),
        *stewart_platform(),
    ]


def fast_bars(speed: float) -> float:
    """Return the largest gap of a four-bar linkage (0.3, 0.89, 0.73, 1 m) whose crank turns fast."""
    world = empty_world()
    a, b, c, d = (np.array(p, float) for p in ((0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.7), (1.0, 0, 0)))
    bars = []
    for start, end in ((a, b), (b, c), (c, d)):
        r = end - start
        half = 0.5 * np.arctan2(-r[2], r[0])
        bars.append(
            world.add_box(
                (np.linalg.norm(r), 0.04, 0.04),
                mass=1.0,
                position=(start + end) / 2,
                orientation=(np.cos(half), 0, np.sin(half), 0),
                collision_mask=0,
            )
        )
    y = (0, 1, 0)
    ties = [
        world.add_hinge(None, bars[0], a, y), world.add_pin(bars[0], bars[1], b),
        world.add_pin(bars[1], bars[2], c), world.add_hinge(None, bars[2], d, y),
    ]  # fmt: skip
    world.add_motor(None, bars[0], y, speed=speed, max_force=1e3)
    world.step(500)
    assert abs(bars[0].angular_velocity[1] / speed - 1.0) < 1e-6
    gap = 0.0
    for _ in range(2000):
        world.step()
        gap = max(gap, *(float(np.abs(tie.gap).max()) for tie in ties))
    return gap


def stewart_platform() -> list[Check]:
    """Return the largest gap of the twelve pins on a fast path; forces of the legs at rest."""
    gap, _ = Platform(1e-3).play(2.0, 10.0)
    at_rest = Platform(1e-3, leg_mass=1e-6)
    at_rest.world.step(1000)
    expected = at_rest.statics()
    off = np.abs(at_rest.forces() / expected - 1.0).max()
    return [Check("gap of the platform [m]", gap, 1e-8), Check("leg forces, relative", float(off), 1e-5)]


@case(
    "E3",
    "ball on a stiff wire of 1 m at its centre, from 10°, 60° and 90°",
    "period of the pendulum; ‖x‖ = L; slack: no tension",
)
def stiff_wire(player: Player) -> list[Check]:
    """Period, length, tension of a slack wire."""
    checks = []
    worst = 0.0
    for degrees, period in PERIODS.items():
        world = empty_world()
        angle = np.radians(degrees)
        ball = world.add_sphere(0.05, 1.0, position=(np.sin(angle), 0, -np.cos(angle)))
        wire = world.add_wire(None, ball)
        times, places = [], []
        for _ in range(round(3.5 * period * 1000)):
            world.step()
            times.append(world.time)
            places.append(float(ball.position[0]))
            worst = max(worst, abs(wire.stretch))
        found = np.diff(crossings(times, places)).mean()
        checks.append(Check(f"period from {degrees}°, relative", abs(found / period - 1.0), 1e-4))
    world = empty_world()
    ball = world.add_sphere(0.05, 1.0)
    wire = world.add_wire(None, ball, length=1.0)
    tensions = []
    for _ in range(440):  # it is taut after 0.4515 s
        world.step()
        tensions.append(wire.tension)
    return [
        *checks,
        Check("length [m]", worst, 1e-6),
        Check("tension of a slack wire [N]", max(tensions), 0.0),
    ]


@case(
    "E4",
    "1 kg on a compliant wire, k = 200 N/m; the same with k dt²/m = 100",
    "stretch mg/k = 4.905 cm; T = 2π√(m/k); stable",
    note="the spring is the mean over the step and damps nothing; the stiff one has a damper of 10 kg/dt",
)
def compliant_wire(player: Player) -> list[Check]:
    """Stretch, period, and the stiff one."""
    world = empty_world()
    ball = world.add_sphere(0.05, 1.0, position=(0, 0, -1.02))
    wire = world.add_wire(None, ball, length=1.0, stiffness=200.0)
    times, places = [], []
    for _ in range(3000):
        world.step()
        times.append(world.time)
        places.append(wire.stretch - G / 200.0)
    period = float(np.diff(crossings(times, places)).mean())
    wire.damping = 20.0
    world.step(20_000)
    stretch = wire.stretch
    ball.position, ball.linear_velocity = (0, 0, -1), (0, 0, 0)
    wire.stiffness, wire.damping = 100.0 / 1e-6, 10.0 / 1e-3
    world.step(2000)
    return [
        Check("stretch, relative", abs(stretch / (G / 200.0) - 1.0), 1e-6),
        Check("period, relative", abs(period / (2 * np.pi / np.sqrt(200.0)) - 1.0), 1e-3),
        holds("k dt²/m = 100 is stable", abs(wire.tension / G - 1.0) < 1e-6),
    ]
