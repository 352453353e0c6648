"""Links on a fixed joint, merged into a body, and the wrench that passes through that joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.checks.errors import EditError
from tribo.description.trees import TreeDescription
from tribo.formats.inertia import Inertial, merged
from tribo.objects.states import SIX, States, turned
from tribo.queries import inverse
from tribo.queries import point as queries

ROUNDING = 1e-12  # [–] masses that differ by less are the same


@dataclass(slots=True)
class Part:
    """A link that became a part of a body, with all that is fixed to it and the bodies that hang on these.

    Attributes:
        name: Of the link.
        body: Number of the body.
        links: It and the links that are fixed to it.
        children: Numbers of the bodies whose joints are on these.
        own: Mass, centre of mass [m] and inertia of these links, frame of the body.
        whole: The same of the whole body, as described.
    """

    name: str
    body: int
    links: frozenset[str]
    children: tuple[int, ...]
    own: Inertial
    whole: Inertial


def part_of(description: TreeDescription, body: int, link: str) -> Part | None:
    """Return what a link brings along that became a part of a body; None for the body's own link."""
    if not link:
        return None
    parts = [part for part in description.parts if part.body == body]
    links = {link}
    for part in parts:  # parents come first
        if part.link and part.parent in links:
            links.add(part.link)
    children = tuple(
        k for k, child in enumerate(description.bodies)
        if child.parent == body and child.parent_link in links
    )  # fmt: skip
    masses = [(part.link, Inertial(part.mass, part.com, part.inertia)) for part in parts]
    own = merged([mass for name, mass in masses if name in links])
    return Part(link, body, frozenset(links), children, own, merged([mass for _, mass in masses]))


def check_mass(part: Part, states: States) -> None:
    """Refuse a body whose mass was changed: nobody said which of its links is heavier now.

    Raises:
        EditError: Mass, centre of mass or inertia of the body are not those of its links together.
    """
    arrays, whole = states.records.model.arrays, part.whole
    pairs = (
        ("mass", arrays["body_mass"][:, part.body], whole.mass),
        ("com", arrays["body_com"][:, part.body], np.array(whole.com)),
        ("inertia", arrays["body_inertia"][:, part.body], whole.inertia[SIX]),
    )
    for what, now, described in pairs:
        size = float(np.abs(described).max())
        if np.abs(now - described).max() > ROUNDING * size:
            raise EditError(
                f"{what} of the body that has {part.name!r} as a part was changed, and it is not known how "
                f"much of that is {part.name!r}'s; change it in the robot's description, or give "
                f"{part.name!r} a joint that moves"
            )


def reactions(states: States, outside: np.ndarray) -> np.ndarray:
    """Return what each body receives from its parent, (N, bodies, 6); `outside` as in `joint_reactions`."""
    still = np.zeros_like(states.v)
    return states.answer(inverse.joint_reactions, outside.shape[1:], *states.accelerated, outside, still)


def through_fixed_joint(
    states: States, part: Part, outside: np.ndarray, outside_part: np.ndarray
) -> np.ndarray:
    """Return what a part receives through its fixed joint from the rest of its body, (N, 6).

    Newton and Euler for the part alone: what its motion needs, less what acts on it from outside, and what
    the bodies that hang on it receive from it. Source: Featherstone 2008, table 5.1.

    Args:
        states: Of the robot.
        part: Of one of its bodies.
        outside: On the bodies, (N, bodies, 6): torque and force at their centres of mass, world axes.
        outside_part: The share of it that acts on the part, (N, 6): torque and force at the *body's*
            centre of mass.

    Returns:
        Torque about the body's origin [N m] and force [N], world axes.
    """
    check_mass(part, states)
    records, count, bodies = states.records, len(states.q), outside.shape[1]
    own_com = np.tile(part.own.com, (count, 1))
    motion = states.answer(queries.motions, (24,), *states.accelerated, part.body, own_com)
    places, turns = states.zeros(bodies, 3), states.zeros(bodies, 9)
    queries.poses(*states.placed, places, turns)
    origin, turn = places[:, part.body], turns[:, part.body].reshape(count, 3, 3)
    settings = records.settings.arrays
    gravity = np.stack([settings[f"gravity_{axis}"].reshape(-1) for axis in "xyz"], axis=-1)
    omega, alpha = motion[:, 15:18], motion[:, 21:24]
    inertia = turn @ part.own.inertia @ turn.transpose(0, 2, 1)
    force = part.own.mass * (motion[:, 18:21] - gravity)
    torque = turned(inertia, alpha) + np.cross(omega, turned(inertia, omega))
    torque += np.cross(motion[:, :3] - origin, force)
    arm = turned(turn, records.model.arrays["body_com"][:, part.body])
    force = force - outside_part[:, 3:]
    torque -= outside_part[:, :3] + np.cross(arm, outside_part[:, 3:])
    if part.children:
        passed = reactions(states, outside)
        for child in part.children:
            force += passed[:, child, 3:]
            torque += passed[:, child, :3]
            torque += np.cross(places[:, child] - origin, passed[:, child, 3:])
    return np.concatenate([torque, force], axis=1)
