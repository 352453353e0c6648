"""Warnings of a step of a batch, once per batch: text for the bits of the status of its worlds."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.enums import DriveForm
from tribo.model import Status
from tribo.readout import culprits

logger = logging.getLogger("tribo")

ONCE_IN_ALL = "said once per batch"


def batch_coarse(batch: BatchOwner) -> str:
    """Return that a step is too long in some worlds of a batch, and for what."""
    pair = "for a compliant pair, or " if culprits.has_compliant_pair(batch.engine) else ""
    hit = culprits.has_free_bodies_only(batch.engine)
    return f"the time step is too long {pair}{culprits.A_HIT if hit else 'for how fast something turns'}"


def batch_invalid(batch: BatchOwner) -> str:
    """Return that a velocity is no longer finite in some worlds of a batch, and a possible reason."""
    text = "a velocity is no longer finite; they stand at their last valid states (batch.is_valid)"
    command, status = batch.engine.command.arrays, batch.engine.status[:, 0]
    acts = (command["kp"] > 0.0) | (command["kd"] > 0.0)
    is_bad = (status & Status.INVALID != 0)[:, None]
    if (is_bad & acts & (command["drive_form"] != DriveForm.IMPLICIT)).any():
        text += f". {NOT_IMPLICIT}: drive_form = 'implicit' is stable at any gain"
    return text


NOT_IMPLICIT = "Drives there are not 'implicit', which may be the reason"
BATCH_TEXTS: dict[Status, str | Callable[[BatchOwner], str]] = {
    Status.INVALID: batch_invalid,
    Status.INFEASIBLE: "constraints contradict one another, each gives way",
    Status.CORRECTION_LIMITED: "overlaps, or gaps of constraints, are closed more slowly than asked",
    Status.NOT_CONVERGED: "the contact solve misses a law by more than a thousandth (batch.residual)",
    Status.TIME_STEP_TOO_LONG: batch_coarse,
}


class BatchWarningLog:
    """Remembers what has been said of the worlds of a batch."""

    def __init__(self) -> None:
        self._said = 0

    def say(self, batch: BatchOwner, status: np.ndarray) -> None:
        """Log what the status of some world means and has not been said before; (worlds,) of bits.

        Of a world that is no longer valid nothing else is said, as of a single world, which raises an error.
        """
        status = np.where(status & Status.INVALID, Status.INVALID, status)
        new = int(np.bitwise_or.reduce(status)) & ~self._said
        if not new:
            return
        for bit, text in BATCH_TEXTS.items():
            if new & bit:
                self._said |= bit
                worlds = np.flatnonzero(status & bit)
                logger.warning(
                    "batch, world %d at t = %g s, %d of %d in all: %s (%s; see batch.status)",
                    worlds[0], batch.time[worlds[0]], len(worlds), len(status),
                    text if isinstance(text, str) else text(batch), ONCE_IN_ALL,
                )  # fmt: skip
