"""Family D, second half: chains, robots in free motion, identities of trees."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import play_tribo
import reference
from d_smooth import period
from parts import rods
from scenes import random_state, random_tree
from stage import Robot, Scene, Track
from suite import BOTH, Check, Player, case

import tribo
from tribo.formats import urdf

G = 9.81
NONE = (0.0, 0.0, 0.0)
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
STANCE = np.array([0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, -0.5, 1.0, 0.0, -0.5, 1.0])


def modes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies [Hz] and shapes (absolute angles, columns) of a hanging chain of 1 m and 1 kg."""
    length = mass = 1.0 / count
    m = np.diag(np.full(count, mass * length**2 / 12))
    for k in range(count):
        arm = np.where(np.arange(count) < k, length, 0.0)
        arm[k] = length / 2
        m += mass * np.outer(arm, arm)
    k = np.diag([mass * G * length * (count - 1 - i + 0.5) for i in range(count)])
    values, shapes = np.linalg.eig(np.linalg.solve(m, k))
    order = np.argsort(values.real)
    return np.sqrt(values.real[order]) / (2 * np.pi), shapes.real[:, order]


@case(
    "D9",
    "hanging chain of 10 rods, 1 m in all, released in its first and second mode at 1 mrad, dt = 0.1 ms",
    "0.59956986 and 1.38915552 Hz",
    peers=BOTH,
)
def hanging_chain(player: Player) -> list[Check]:
    """Frequencies of two modes."""
    frequencies, shapes = modes(10)
    checks = []
    for k, known in enumerate((0.59956986, 1.38915552)):
        assert abs(frequencies[k] / known - 1.0) < 1e-8
        shape = 1e-3 * shapes[:, k] / np.abs(shapes[:, k]).max()
        q = tuple(float(x) for x in np.diff(shape, prepend=0.0))
        robot = Robot(rods(10, 0.1, 0.1), q, (0.0,) * 10)
        track = player.play(Scene([], round(1.4 / known / 1e-4), planes=[], robots=[robot], dt=1e-4))
        error = abs(1.0 / (period(track) * known) - 1.0)
        checks.append(Check(f"mode {k + 1}, relative", error, 1e-4))
    return checks


def flying(dt: float, integrator: str, gravity: tuple[float, ...], **options: object) -> tribo.World:
    """Return the package's own robot in free motion without losses."""
    description = urdf.read(QUADRUPED)
    for body in description.bodies[1:]:
        body.joint.damping = 0.0
        body.joint.lower, body.joint.upper = -np.inf, np.inf
    world, _, _ = play_tribo.build(Scene(planes=[], dt=dt, gravity=gravity, integrator=integrator))
    robot = world.add_articulated_system(description, name="robot", **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(5)
    robot.generalized_coordinate = np.concatenate([[0, 0, 2.0, 1, 0, 0, 0], STANCE])
    v = np.concatenate([[0.3, 0.1, 1.0], [0.5, -0.3, 0.4], 2.0 * rng.normal(size=12)])
    robot.generalized_velocity = v
    return world


def energy_drift(dt: float, integrator: str, gravity: tuple[float, ...] = (0.0, 0.0, -G)) -> float:
    """Return the largest energy error in 2 s relative to the peak of the kinetic energy."""
    world = flying(dt, integrator, gravity, collision_group=0, collision_mask=0)
    start, worst, peak = world.energy, 0.0, 0.0
    for _ in range(round(2.0 / dt / 10)):
        world.step(10)
        worst = max(worst, abs(world.energy - start))
        peak = max(peak, world.kinetic_energy)
    return worst / peak


@case(
    "D10",
    "quadruped falls from 2 m, contacts off, joints moving, 2 s",
    "energy constant; midpoint of second, semi-implicit Euler of first order; rk4",
    note="relative to the peak of the kinetic energy; slopes from 2 and 1 ms without gravity",
)
def energy_of_a_falling_robot(player: Player) -> list[Check]:
    """Energy error and orders."""
    fine, coarse = (energy_drift(dt, "midpoint", NONE) for dt in (1e-3, 2e-3))
    fine1, coarse1 = (energy_drift(dt, "semi_implicit", NONE) for dt in (1e-3, 2e-3))
    return [
        Check("midpoint, relative", energy_drift(1e-3, "midpoint"), 1e-5),
        Check("semi-implicit, relative", energy_drift(1e-3, "semi_implicit"), 1e-3),
        Check("rk4, relative", energy_drift(1e-3, "rk4"), 1e-12),
        Check("midpoint, order − 2", abs(np.log2(coarse / fine) - 2.0), 0.5),
        Check("semi-implicit, order − 1", abs(np.log2(coarse1 / fine1) - 1.0), 0.3),
    ]


@case(
    "D11",
    "quadruped at rest in zero gravity is hit by a ball of 10 kg at 5 m/s, 10 s",
    "momentum and angular momentum constant",
    note="relative to 50 kg m/s and to that times 1 m",
)
def momentum_of_a_hit_robot(player: Player) -> list[Check]:
    """Change in a step with impact, drift in 10 s."""
    world = flying(1e-3, "midpoint", NONE)
    robot = world["robot"]
    robot.generalized_velocity = np.zeros(18)  # type: ignore[attr-defined]
    world.add_sphere(0.2, 10.0, position=(-1.0, 0.05, 2.02), linear_velocity=(5.0, 0.0, 0.0))
    p0, l0 = world.linear_momentum, world.angular_momentum
    per_impact = impacts = 0
    drift = turned = 0.0
    before = p0
    for _ in range(10_000):
        world.step()
        if world.engine.work.contact_count[0]:
            p = world.linear_momentum
            if any(c.impulse.any() for c in world.contacts):
                impacts += 1
                per_impact = max(per_impact, np.abs(p - before).max() / 50.0)
            before = p
        else:
            before = world.linear_momentum
        drift = max(drift, np.abs(before - p0).max() / 50.0)
    turned = np.abs(world.angular_momentum - l0).max() / 50.0
    return [
        Check("momentum, per impact, relative", per_impact if impacts else np.inf, 1e-10),
        Check("momentum, drift, relative", drift, 1e-6),
        Check("angular momentum, drift, relative", turned, 1e-6),
    ]


@case(
    "D12",
    "60 random trees of 2 … 20 bodies, floating and fixed, all joints",
    "plain NumPy (`tests/reference.py`): M, h; inverse dynamics of the step's own acceleration gives τ back",
    note="G = J M⁻¹ Jᵀ against a dense solve and Ṁ − 2C are in `tests/unit/test_dynamics.py`",
)
def random_trees(player: Player) -> list[Check]:
    """Relative errors."""
    rng = np.random.default_rng(12)
    worst = {"mass matrix": 0.0, "bias force": 0.0, "ID(FD(τ)) − τ": 0.0}
    for k in range(60):
        description = random_tree(rng, int(rng.integers(2, 21)), floating=bool(k % 2))
        bodies = copy.deepcopy(description.bodies)
        world, _, _ = play_tribo.build(Scene(planes=[], integrator="semi_implicit"))
        robot = world.add_articulated_system(description)
        random_state(rng, robot)
        q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
        tau = rng.normal(size=robot.dof)
        robot.generalized_force = tau
        m, h = reference.mass_matrix(bodies, q), reference.bias_force(bodies, q, v, (0, 0, -G))
        worst["mass matrix"] = max(worst["mass matrix"], _gap(robot.mass_matrix, m))
        world.update()
        worst["bias force"] = max(worst["bias force"], _gap(world.engine.work.bias_force, h))
        world.advance()
        rate = (robot.generalized_velocity - v) / 1e-3
        force = m @ rate + h
        scale = np.abs(m @ rate).max() + np.abs(h).max()
        worst["ID(FD(τ)) − τ"] = max(worst["ID(FD(τ)) − τ"], np.abs(force - tau).max() / scale)
    return [Check(f"{name}, relative", error, 1e-10) for name, error in worst.items()]


def _gap(found: np.ndarray, known: np.ndarray) -> float:
    return float(np.abs(found - known).max() / np.abs(known).max())


@case(
    "D13",
    "rod of 1 m on a hinge falls from 1° off the vertical, dt = 0.1 ms",
    "level after 1.36765980 s with 5.42452926 rad/s",
    peers=BOTH,
)
def toppling_rod(player: Player) -> list[Check]:
    """Time and speed when it is level."""
    robot = Robot(rods(1, 1.0, 1.0), (float(np.pi - np.radians(1)),), (0.0,))
    track: Track = player.play(Scene([], 14_000, planes=[], robots=[robot], dt=1e-4))
    over = track.q[:, 0] - np.pi / 2
    k = int(np.flatnonzero(over <= 0.0)[0]) - 1
    share = over[k] / (over[k] - over[k + 1])
    time = track.time[k] + share * 1e-4
    rate = abs(track.v[k, 0] + share * (track.v[k + 1, 0] - track.v[k, 0]))
    return [
        Check("time, relative", abs(time / 1.36765980 - 1.0), 1e-4),
        Check("speed, relative", abs(rate / 5.42452926 - 1.0), 1e-4),
    ]
