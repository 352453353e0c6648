"""Family E: drives, chains under load; compliance as it arrives."""

from __future__ import annotations

import numpy as np
import play_tribo
import reference
from parts import fixed_base, link
from stage import Scene
from suite import Check, Player, case, holds

from tribo.description.trees import TreeDescription
from tribo.model import Joint

G = 9.81


@case(
    "E1",
    "joint with a PD drive of each of the four forms, ωh = 0.1 … 1000, ζ = 0 … 5, 1000 steps",
    "the exact 2 × 2 map of each form",
    note="relative to the largest position so far: stable PD grows outside of its region, and is followed "
    "to 1e4 m there",
)
def pd_map(player: Player) -> list[Check]:
    """Largest difference to the maps; largest speed over the start's; which combinations diverge."""
    checks = []
    for form, shares in PD_FORMS.items():
        worst, growth, wrong = _pd_errors(form, *shares)
        checks.append(Check(f"{form}: position, relative", worst, 1e-10))
        if form == "stable":
            checks.append(holds("stable: diverges where h² kp > (4 m + 2 h kd)/3 only", wrong == 0))
        else:
            checks.append(Check(f"{form}: speed over that of the undamped swing", growth, 1.0))
    return checks


# a, b, c of τ = −kp (e + h (a v + b v⁺)) − kd ((1 − c) v + c v⁺ − v_d)
PD_FORMS = {
    "implicit": (0.0, 1.0, 1.0),
    "stable": (1.0, 0.0, 1.0),
    "averaged": (0.0, 0.5, 0.5),
    "trapezoid": (-0.25, 0.25, 0.5),
}


def _pd_errors(form: str, a: float, b: float, c: float) -> tuple[float, float, int]:
    """Return largest difference to the map, largest speed, how often it diverges against the theory."""
    worst, growth, wrong = 0.0, 0.0, 0
    dt, m, target = 1e-3, 2.0, 0.3
    for stiffness in (0.1, 1.0, 5.0, 50.0, 1e3):
        for damping in (0.0, 0.1, 1.0, 5.0):
            omega = stiffness / dt
            kp, kd = m * omega**2, 2 * damping * omega * m
            world, _, _ = play_tribo.build(Scene(planes=[], gravity=(0.0, 0.0, 0.0)))
            cart = link("cart", 0, Joint.PRISMATIC, m, axis=(1.0, 0.0, 0.0))
            robot = world.add_articulated_system(TreeDescription([fixed_base(), cart]))
            robot.set_pd_gains(kp, kd)
            robot.drive_form = form
            robot.pd_target = [target]
            x, v, size = -0.2, 0.5, 1.0
            robot.generalized_coordinate, robot.generalized_velocity = [x], [v]
            for _ in range(1000):
                middle = x + dt / 2 * v
                force = kp * (middle - target + dt * (a + b) * v) + kd * v
                v -= dt * force / (m + dt * c * kd + dt * dt * b * kp)
                x = middle + dt / 2 * v
                world.step()
                size = max(size, abs(x))
                worst = max(worst, abs(robot.generalized_coordinate[0] - x) / size)
                if size > 1e4:
                    break
            growth = max(growth, abs(v) / (0.5 + omega * 0.5))
            wrong += (size > 1e4) != (dt * dt * kp > (4 * m + 2 * dt * kd) / 3)
    return worst, growth, wrong


AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))


def arm(efforts: dict[int, float] | None = None) -> TreeDescription:
    """Return an arm of six links."""
    bodies = [fixed_base()]
    for k, axis in enumerate(AXES):
        joint = {"axis": axis, "position": (0.0 if k == 0 else 0.25, 0.0, 0.0)}
        if efforts and k in efforts:
            joint["effort"] = efforts[k]  # type: ignore[assignment]
        mass = 2.0 / (k + 1)
        bodies.append(link(f"l{k}", k, Joint.REVOLUTE, mass, com=(0.12, 0.0, 0.01),
                           inertia=(0.004, 0.01, 0.01), **joint))  # fmt: skip
    return TreeDescription(bodies)


@case(
    "E2",
    "arm of six joints under PD holds against gravity; once with an effort limit that is too small",
    "q − q_d = −τ_g/K_p; τ = limit exactly",
)
def arm_holds(player: Player) -> list[Check]:
    """Sag, torque and the limit."""
    world, _, _ = play_tribo.build(Scene(planes=[]))
    robot = world.add_articulated_system(arm())
    robot.set_pd_gains(800.0, 60.0)
    target = np.array([0.3, -0.4, 0.5, 0.2, 0.7, -0.3])
    robot.pd_target = robot.generalized_coordinate = target
    world.step(20_000)
    q = robot.generalized_coordinate
    weight = reference.bias_force(robot.description.bodies, q, np.zeros(6), (0, 0, -G))
    sag = np.abs(q - target + weight / 800.0).max() / np.abs(weight / 800.0).max()
    torque = np.abs(robot.applied_torque - weight).max() / np.abs(weight).max()
    limit = 0.5 * abs(weight[1])
    world, _, _ = play_tribo.build(Scene(planes=[]))
    robot = world.add_articulated_system(arm({1: limit}))
    robot.set_pd_gains(800.0, 60.0)
    robot.pd_target = robot.generalized_coordinate = target
    saturated, worst = 0, 0.0
    for _ in range(1000):
        world.step()
        applied = abs(robot.applied_torque[1])
        worst = max(worst, applied - limit)
        saturated += applied == limit
    return [
        Check("sag, relative", sag, 1e-6),
        Check("torque, relative", torque, 1e-6),
        Check("torque beyond the limit [N m]", max(0.0, worst), 0.0),
        holds("saturates at the limit exactly", saturated > 100),
    ]


@case(
    "E5",
    "chain of 20 rods between level supports 1.5 m apart, 2 m long, the far one a pin",
    "tan θᵢ = (N/2 − i + ½) w/H, Σ ℓ cos θᵢ = D; end tension √(H² + (Nw/2)²)",
    note="released as a V, with damped joints",
)
def catenary(player: Player) -> list[Check]:
    """Node positions and end tension at rest."""
    count, length, weight, span = 20, 0.1, 1.0, 1.5
    number = count / 2 - np.arange(1, count + 1) + 0.5
    low, high = 1e-3, 1e3
    for _ in range(200):
        pull = np.sqrt(low * high)
        reach = (length / np.sqrt(1 + (number * weight / pull) ** 2)).sum()
        low, high = (pull, high) if reach < span else (low, pull)
    angles = np.arctan(number * weight / pull)
    known = np.cumsum(length * np.column_stack([np.cos(angles), -np.sin(angles)]), axis=0)
    world, _, _ = play_tribo.build(Scene(planes=[]))
    thin = weight / G * length**2 / 12
    bodies = [fixed_base()]
    for k in range(count):
        place = (0.0 if k == 0 else length, 0.0, 0.0)
        bodies.append(link(f"rod{k}", k, Joint.REVOLUTE, weight / G, com=(length / 2, 0, 0), axis=(0, 1, 0),
                           inertia=(1e-9, thin, thin), position=place, damping=0.3))  # fmt: skip
    robot = world.add_articulated_system(TreeDescription(bodies))
    start = np.arccos(span / (count * length)) * np.sign(number)
    robot.generalized_coordinate = np.diff(start, prepend=0.0)
    pin = world.add_pin(robot.link(f"rod{count - 1}"), None, position=(span, 0, 0))
    world.step(40_000)
    positions, rotations = robot.body_poses()
    nodes = positions[1:] + rotations[1:] @ np.array([length, 0.0, 0.0])
    error = np.abs(nodes[:, [0, 2]] - known).max()
    tension = np.hypot(pull, count * weight / 2)
    return [
        Check("nodes / length", error / (count * length), 1e-6),
        Check("end tension, relative", abs(np.linalg.norm(pin.force) / tension - 1.0), 1e-6),
    ]
