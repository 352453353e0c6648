"""Family B, second half: Euler's disc, the tippe-top, a rolling disc."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from stage import Body, Pair, Robot, Scene, energy, matrices, turn
from suite import Check, Player, case, holds

G = 9.81


@case(
    "B9",
    "Euler's disc: a = 0.05 m, thin, tilt 10°, centre at rest, spin along the diameter through the contact, "
    "dt = 0.1 ms, 1 s",
    "precession √(4g/(a sin α)) = 67.2271 rad/s, E = 1.5 mga sin α",
    peers=("MuJoCo",),
    fast=True,
    note="thickness 10 µm, which takes 1e-5 of the rate; μ = 1; contact bends the path: 6.0e-3 before that "
    "was of second order in dt",
)
def eulers_disc(player: Player) -> list[Check]:
    """Tilt, precession and energy."""
    a, tilt, thick = 0.05, np.radians(10), 1e-5
    spin = np.sqrt(4 * G * np.sin(tilt) / a)
    # Axis leans by the tilt towards +x: the lowest point of the rim is on the −x … +x side of its slope.
    place = (0.0, 0.0, a * np.sin(tilt) + thick / 2 * np.cos(tilt))
    down = np.array([np.cos(tilt), 0.0, -np.sin(tilt)])  # from the centre to the contact
    disc = Body("cylinder", (a, thick), 0.1, place, turn((0, 1, 0), tilt), spin=tuple(spin * down))
    scene = Scene([disc], 10_000, Pair(1.0), dt=1e-4, every=10)
    track = player.play(scene)
    axis = matrices(track.orientation[:, 0])[:, :, 2]
    leans = np.arccos(np.clip(axis[:, 2], -1, 1))
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    rate = abs(turned[-1] - turned[0]) / (track.time[-1] - track.time[0])
    total = energy(scene, track).sum(axis=1)
    gain = np.maximum(0.0, total - total[0]).max() / (1.5 * 0.1 * G * a * np.sin(tilt))
    return [
        Check("tilt, relative", np.abs(leans / tilt - 1.0).max(), 5e-3),
        Check("precession, relative", abs(rate / 67.2271 - 1.0), 1e-3),
        Check("gain of energy, relative", gain, 1e-6),
    ]


TOP = """<robot name="top"><link name="top"><inertial><origin xyz="0 0 -0.004"/><mass value="0.1"/>
<inertia ixx="3.6e-5" iyy="3.6e-5" izz="4e-5" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.03"/></geometry></collision></link></robot>"""


@case(
    "B10",
    "tippe-top: ball of 30 mm, centre of mass 4 mm off, spun at 150 rad/s at a tilt of 0.3 rad, dt = 0.1 ms, "
    "2 s, μ = 0.1 and 0.5",
    "Jellett's constant L · (contact − centre of mass), whatever the friction",
    peers=("MuJoCo",),
)
def tippe_top(player: Player) -> list[Check]:
    """Largest change of Jellett's constant."""
    r, off, lean = 0.03, 0.004, 0.3
    inertia = np.diag([3.6e-5, 3.6e-5, 4e-5])
    worst = 0.0
    for mu in (0.1, 0.5):
        q = (0.0, 0.0, r, *turn((0, 1, 0), lean))
        axis = np.array([np.sin(lean), 0.0, np.cos(lean)])
        spin = 150.0 * axis
        robot = Robot(TOP, q, (0.0, 0.0, 0.0, *(spin)))
        track = player.play(Scene([], 20_000, Pair(mu), robots=[robot], dt=1e-4, every=20))
        rotation = matrices(track.q[:, 3:7])
        omega = track.v[:, 3:6]
        if not player.is_tribo:
            omega = np.einsum("tij,tj->ti", rotation, omega)  # MuJoCo: body axes
        momentum = np.einsum("tij,jk,tlk,tl->ti", rotation, inertia, rotation, omega)
        arm = np.array([0.0, 0.0, -r]) + off * rotation[:, :, 2]
        jellett = (momentum * arm).sum(axis=1)
        worst = max(worst, np.abs(jellett / jellett[0] - 1.0).max())
    return [Check("Jellett's constant, relative", worst, 1e-4)]


AXES = np.array([0.12, 0.03, 0.025])  # [m] semi-axes
SKEW = 0.1  # [rad] from the ellipsoid's axes to those of its inertia, about its shortest axis
ROCK = np.radians(0.5)  # the tilt about both level axes with which it starts


def skewed() -> np.ndarray:
    """Return the inertia of a homogeneous ellipsoid of 1 kg, turned by the skew (3, 3)."""
    x, y, z = AXES**2
    turned = matrices(np.array(turn((0, 0, 1), SKEW)))
    return np.asarray(turned @ np.diag([y + z, x + z, x + y]) @ turned.T / 5)


def rolling_ellipsoid(y: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return the rates of (vertical γ, angular velocity ω), in body axes, of 1 kg that rolls without slip.

    The contact is at r = −D² γ / ‖D γ‖ from the centre, whose velocity is r × ω. Momentum about the contact:
    (I + |r|² − r rᵀ) ω' = −ω × I ω + r × (r' × ω + ω × (r × ω) + g γ).
    """
    up, spin = y[:3], y[3:]
    reach = np.linalg.norm(AXES * up)
    arm = -(AXES**2) * up / reach
    up_rate = np.cross(up, spin)
    arm_rate = (arm * (arm @ up_rate) - AXES**2 * up_rate) / reach
    moved = np.cross(arm_rate, spin) + np.cross(spin, np.cross(arm, spin)) + G * up
    right = np.cross(arm, moved) - np.cross(spin, inertia @ spin)
    left = inertia + (arm @ arm) * np.eye(3) - np.outer(arm, arm)
    return np.concatenate([up_rate, np.linalg.solve(left, right)])


@case(
    "B11",
    "rattleback: ellipsoid with semi-axes of 0.12, 0.03 and 0.025 m, its inertia turned by 0.1 rad about the "
    "vertical, spun at 2 rad/s either way at a tilt of 0.5°, μ = 1, dt = 0.1 ms, 4 s",
    "energy does not rise; the spin reverses one way only, and is that of the equations of rolling "
    "without slip, integrated by Runge and Kutta's method of order 8",
    peers=("MuJoCo",),
    fast=True,
    note="5.7e-3 rad/s while contact that bends the path was of first order in dt",
)
def rattleback(player: Player) -> list[Check]:
    """Spin about the vertical both ways against the equations of rolling, and the energy."""
    inertia = skewed()
    moments = tuple(inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
    tilted = matrices(np.array(turn((1, 0, 0), ROCK))) @ matrices(np.array(turn((0, 1, 0), ROCK)))
    c, s = np.cos(ROCK / 2), np.sin(ROCK / 2)
    up = tilted[2]
    reach = float(np.linalg.norm(AXES * up))
    arm = tilted @ (-(AXES**2) * up / reach)
    spins, off, gain = [], [], 0.0
    for rate in (2.0, -2.0):
        start = Body(
            "ellipsoid", tuple(AXES.tolist()), 1.0, (0.0, 0.0, reach), (c * c, s * c, c * s, s * s),
            tuple(np.cross(arm, (0.0, 0.0, rate)).tolist()), (0.0, 0.0, rate), moments,
        )  # fmt: skip
        scene = Scene([start], 40_000, Pair(1.0), dt=1e-4, every=200)
        track = player.play(scene)
        known = solve_ivp(
            lambda t, y: rolling_ellipsoid(y, inertia), (0.0, 4.0), [*up, *(rate * up)], method="DOP853",
            rtol=1e-9, atol=1e-11, t_eval=np.linspace(0.0, 4.0, 201),
        ).y  # fmt: skip
        spin = track.spin[:, 0, 2]
        spins.append(spin)
        off.append(np.abs(spin - (known[:3] * known[3:]).sum(axis=0)).max())
        total = energy(scene, track).sum(axis=1)
        gain = max(gain, (total.max() - total[0]) / total[0])
    return [
        holds("keeps its spin one way", bool((spins[0] > 1.9).all())),
        holds("reverses it the other way", bool(spins[1][-1] > 1.9)),
        Check("spin that is kept [rad/s]", off[0], 1e-4),
        Check("spin that reverses [rad/s]", off[1], 1e-2),
        Check("gain of energy, relative", gain, 1e-6),
    ]


@case(
    "B12",
    "disc (R 0.05 m, T 0.01 m, 3000 kg/m³) launched upright, rolling straight at 0.5 m/s, 3 s",
    "lateral motion 0, energy does not grow",
    note="rigid contact on both rims",
    waits_for="compliant ground points: the circle of the leaning disc",
)
def rolling_disc(player: Player) -> list[Check]:
    """Lateral motion and energy."""
    r, thick = 0.05, 0.01
    mass = 3000 * np.pi * r * r * thick
    disc = Body("cylinder", (r, thick), mass, (0.0, 0.0, r), turn((1, 0, 0), np.pi / 2),
                velocity=(0.5, 0.0, 0.0), spin=(0.0, 0.5 / r, 0.0))  # fmt: skip
    scene = Scene([disc], 3000, Pair(0.8), every=10)
    track = player.play(scene)
    total = energy(scene, track).sum(axis=1)
    return [
        Check("lateral motion [m]", np.abs(track.position[:, 0, 1]).max(), 1e-9),
        Check("gain of energy, relative", (total.max() - total[0]) / total[0], 1e-9),
    ]
