"""Contacts of the last step as they are drawn: where, how hard, and whether they stick or slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tribo.model import ContactState
from tribo.readout.contacts_and_energies import contact_impulses
from tribo.readout.explain_contact import AT_BOUND

if TYPE_CHECKING:
    from tribo.world.world import World

OPEN, STICK, SLIP = 0, 1, 2
STATES = ("open", "stick", "slip")


@dataclass(frozen=True, slots=True, eq=False)
class ContactMarks:
    """Contact points of the last step, each once: those that touch, and those near enough to be watched."""

    point: np.ndarray  # (n, 3) [m]
    axes: np.ndarray  # (n, 3, 3) rows t₁, t₂, n, world
    normal_force: np.ndarray  # (n,) [N]
    friction_force: np.ndarray  # (n,) [N]
    friction: np.ndarray  # (n,) coefficient in effect
    state: np.ndarray  # (n,) OPEN, STICK or SLIP
    gap: np.ndarray  # (n,) [m]
    body: np.ndarray  # (n, 2) rows of bodies, A and B


def read_contact_marks(world: World) -> ContactMarks:
    """Copy the contacts of the last step; a point is open if it carries no force."""
    engine = world.engine
    work = engine.work
    n = int(work.contact_count[0])
    force = contact_impulses(engine) / world.time_step
    normal = force[:, 2]
    sideways = np.hypot(force[:, 0], force[:, 1])
    friction = work.contact_friction[:n].copy()
    state = np.where(sideways >= (1.0 - AT_BOUND) * friction * normal, SLIP, STICK)
    compliant = work.contact_state[:n]  # −1: the point is rigid
    state[compliant == ContactState.STICKING] = STICK
    state[compliant == ContactState.SLIPPING] = SLIP
    state[normal <= 0.0] = OPEN
    return ContactMarks(
        work.contact_pos[:n].copy(), work.contact_axes[:n].reshape(-1, 3, 3).copy(), normal, sideways,
        friction, state, work.contact_gap[:n].copy(), work.contact_body[:n].copy(),
    )  # fmt: skip
