"""What a step must keep, judged from read-outs: poses and velocities of bodies, contacts, gaps, drives.

Nothing of the engine's own sums is used: energy and momentum are added up here, body by body, from what the
user described (masses, centres of mass, inertias) and what the world shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

import tribo
from honesty import sources

ENERGY = 1e-6  # [–] of the scale: rise of energy beyond what drives gave
MOMENTUM = 1e-9  # [–] of the scale: change in a group on which nothing from outside acts
OVERLAP = 1e-3  # [m] growth in a step
GAP = 1e-4  # [m] growth of a constraint's gap in a step
CONE = 1e-6  # [–] of the normal force
LENGTH = 0.1  # [m] weight times this is a part of the scale of energy: scenes are that large


@dataclass
class Page:
    """The sums of one moment."""

    energy: float
    kinetic: float
    momentum: dict[str, np.ndarray]  # by object (3,) [kg m/s]
    mass: dict[str, float]
    moment: dict[str, np.ndarray]  # first moment Σ m x (3,) [kg m]
    spin: dict[str, np.ndarray]  # angular momentum about the origin (3,) [kg m²/s]
    size: dict[str, float]  # Σ m |v| and Σ m |x − c| |v|: what rounding is measured by
    depth: dict[tuple[str, ...], float]
    gap: dict[str, float]
    power: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)  # v by robot, τ
    moving: dict[str, float] = field(default_factory=dict)  # kinetic energy by object [J]
    turns: dict[str, float] = field(default_factory=dict)  # angular speed by single body [rad/s]
    swerves: dict[str, float] = field(default_factory=dict)  # ‖I ω‖ ‖α‖ by single body, α without forces
    pulls: dict[tuple[str, str], sources.Pull] = field(default_factory=dict)


def page(world: tribo.World) -> Page:
    """Read a world."""
    made = Page(0.0, 0.0, {}, {}, {}, {}, {}, {}, {})
    g = np.asarray(world.gravity)
    for thing in movable(world):
        mass, x, v, rotation, angular, inertia = bodies_of(thing)
        local = np.einsum("bji,bj->bi", rotation, angular)
        own = np.einsum("bij,bjk,bk->bi", rotation, inertia, local)
        kinetic = 0.5 * float(mass @ (v * v).sum(axis=1) + (own * angular).sum())
        if isinstance(thing, tribo.ArticulatedSystem):
            rate = np.asarray(thing.generalized_velocity)
            kinetic += 0.5 * float(np.asarray(thing.armature) @ (rate * rate))
            made.power[thing.name] = rate.copy(), np.asarray(thing.applied_torque)
            made.energy += _of_springs(thing, g, mass, x)
        made.moving[thing.name] = kinetic
        if sources.is_single(thing):
            made.turns[thing.name] = float(np.linalg.norm(thing.angular_velocity))
            alpha = np.linalg.solve(inertia[0], np.cross(local[0], inertia[0] @ local[0]))
            made.swerves[thing.name] = float(np.linalg.norm(own) * np.linalg.norm(alpha))
        made.kinetic += kinetic
        made.energy += kinetic - float(mass @ (x @ g))
        made.momentum[thing.name], made.mass[thing.name] = mass @ v, float(mass.sum())
        made.moment[thing.name] = mass @ x
        made.spin[thing.name] = (np.cross(x, mass[:, None] * v) + own).sum(axis=0)
        made.size[thing.name] = float(
            (mass * np.linalg.norm(v, axis=1)).sum() + np.linalg.norm(own, axis=1).sum()
        )
    for contact in world.contacts:
        if not is_soft(contact):
            key = (contact.object_a.name, contact.body_a, contact.object_b.name, contact.body_b)
            made.depth[key] = max(made.depth.get(key, 0.0), contact.depth)
    for tie in world.constraints:
        slack = isinstance(tie, tribo.Wire) and tie.type == "wire" and tie.stretch < 0.0
        made.gap[tie.name] = 0.0 if slack else float(np.linalg.norm(tie.gap))
    made.pulls = sources.pulls(world)
    return made


def bodies_of(thing: tribo.Object) -> tuple[np.ndarray, ...]:
    """Return masses, centres and their velocities, rotations, angular velocities and inertias of bodies."""
    if not isinstance(thing, tribo.ArticulatedSystem):  # its origin is its centre of mass
        kept = (thing.mass, thing.position, thing.linear_velocity, thing.rotation_matrix,
                thing.angular_velocity, thing.inertia)  # fmt: skip
        return tuple(np.array([value]) for value in kept)
    bodies = thing.description.bodies
    position, rotation = thing.body_poses()
    linear, angular = thing.body_velocities()
    arm = np.einsum("bij,bj->bi", rotation, np.array([body.com for body in bodies]))
    mass = np.array([body.mass for body in bodies])
    inertia = np.array([body.inertia for body in bodies])
    return mass, position + arm, linear + np.cross(angular, arm), rotation, angular, inertia


def movable(world: tribo.World) -> Iterator[tribo.Object]:
    """Yield the objects that have momentum."""
    return (thing for thing in world.objects if thing.body_type == tribo.DYNAMIC)


def is_soft(contact: tribo.Contact) -> bool:
    """Tell whether a contact gives way like a spring: it overlaps by its law and stores energy."""
    pair = contact.pair
    if isinstance(pair, tribo.PairProperties):
        return bool(pair.is_compliant)
    return not pair.rigid


def _of_springs(robot: tribo.ArticulatedSystem, g: np.ndarray, mass: np.ndarray, x: np.ndarray) -> float:
    """Return the energy in springs of joints, of which only the robot's own sum is a read-out."""
    if not np.any(robot.stiffness):
        return 0.0
    return float(robot.potential_energy) + float(mass @ (x @ g))


def wrongs(world: tribo.World, before: Page, now: Page, most: float, ledger: float) -> dict[str, float]:
    """Return what the last step did that none may do: by kind, how far beyond its bound, as a ratio.

    Args:
        world: After the step.
        before: The page before it.
        now: The page after it.
        most: [J] Largest kinetic energy so far.
        ledger: [J] Energy that there may be: of the page before, or, where springs of contacts store some,
            the largest so far with all that drives gave since.
    """
    weight = sum(now.mass.values()) * float(np.linalg.norm(world.gravity))
    scale = max(most, now.kinetic) + weight * LENGTH
    rise = now.energy - ledger - given(world, before, now)
    rise -= sources.swung(world, before, now) + sources.released(world, before, now)
    found = {"energy": rise / (ENERGY * scale)}
    found |= _momenta(world, before, now)
    grown = [depth - max(before.depth.get(key, 0.0), 0.0) for key, depth in now.depth.items()]
    found["overlap"] = max(grown, default=0.0) / OVERLAP
    opened = [gap - before.gap.get(name, gap) for name, gap in now.gap.items()]
    found["gap"] = max(opened, default=0.0) / GAP
    found["cone"] = max(map(_beyond_cone, world.contacts), default=0.0) / CONE
    return {kind: ratio for kind, ratio in found.items() if not ratio <= 1.0}


def given(world: tribo.World, before: Page, now: Page) -> float:
    """Return the most that drives and commanded forces can have given in a step [J]."""
    total = 0.0
    for name, (rate, torque) in now.power.items():
        power = np.maximum(torque * rate, torque * before.power[name][0])
        total += world.time_step * float(np.maximum(power, 0.0).sum())
    return total


def _momenta(world: tribo.World, before: Page, now: Page) -> dict[str, float]:
    """Return the worst change of momentum of a group of bodies on which nothing from outside acts."""
    group = {name: name for name in now.mass}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    held = {
        thing.name for thing in movable(world)
        if isinstance(thing, tribo.ArticulatedSystem) and not thing.is_floating
    }  # fmt: skip
    links = [(contact.object_a.name, contact.object_b.name) for contact in world.contacts]
    for tie in world.constraints:
        names = [thing.name if thing is not None else "" for thing in tie.parts]
        links += [(names[0], other) for other in names[1:]]
    for one, other in links:
        if one in group and other in group:
            group[root(one)] = root(other)
        else:
            held |= {one, other} & set(group)
    groups: dict[str, list[str]] = {}
    for name in group:
        groups.setdefault(root(name), []).append(name)
    worst = {"momentum": 0.0, "spin": 0.0}
    for names in groups.values():
        if held & set(names):
            continue
        mass = sum(now.mass[n] for n in names)
        pull = mass * np.asarray(world.gravity) * world.time_step
        p = [sum(at.momentum[n] for n in names) for at in (before, now)]
        size = sum(now.size[n] + before.size[n] for n in names) + float(np.linalg.norm(pull))
        worst["momentum"] = max(worst["momentum"], _ratio(p[1] - p[0] - pull, size))
        spins = []
        for at, sum_p in zip((before, now), p, strict=True):
            centre = sum(at.moment[n] for n in names) / mass
            spins.append(sum(at.spin[n] for n in names) - np.cross(centre, sum_p))
        change = float(np.linalg.norm(spins[1] - spins[0])) - sources.turned(world, before, now, names)
        worst["spin"] = max(worst["spin"], _ratio(np.array([max(0.0, change)]), size))
    return worst


def _ratio(change: np.ndarray, size: float) -> float:
    return float(np.linalg.norm(change)) / max(MOMENTUM * size, 1e-300) if size > 0.0 else 0.0


def _beyond_cone(contact: tribo.Contact) -> float:
    """Return by how much of its size a force is outside its cone; laws that are no cone keep theirs."""
    pair = contact.pair
    if not isinstance(pair, tribo.PairProperties) or pair.is_compliant:
        return 0.0
    normal = float(contact.force @ contact.normal)
    sliding = float(np.linalg.norm(contact.force - normal * contact.normal))
    size = float(np.linalg.norm(contact.force))
    bound = max(pair.friction, pair.static_friction or 0.0)
    return max(-normal, sliding - bound * normal) / size if size > 1e-9 else 0.0
