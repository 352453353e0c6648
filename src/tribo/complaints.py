"""What a step has to say, once per world: text for the bits of its status that are no errors."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tribo.model import Status

if TYPE_CHECKING:
    from tribo.contacts import Contact

logger = logging.getLogger("tribo")

TEXTS = {
    Status.CONTRADICTION: (
        "constraints contradict one another, each gives way (said once per world; look at the gap of each of "
        "world.constraints)"
    ),
    Status.NOT_CONVERGED: (
        "the contact solve stopped after {sweeps} sweeps with residual {residual:.1e} (said once per world; "
        "see world.residual, world.status and world.max_sweeps){overlap}"
    ),
    Status.COARSE: (
        "a time step of {step:g} s is too long for a compliant pair, which it stops at once (it carries and "
        "holds as it should, but bounces less), or for a tree of joints that turns this fast (it gains or "
        "loses energy). Take a smaller time_step or stiffness (said once per world; see world.status and "
        "tribo.ground.check_step)"
    ),
}


DEEP = 1e-3  # [m] an overlap that a solve may fail at


def overlap(contacts: Sequence[Contact]) -> str:
    """Return a sentence about the deepest overlap, within a robot if there is one; else empty."""
    deep = [contact for contact in contacts if contact.depth >= DEEP]
    inner = [contact for contact in deep if contact.object_a is contact.object_b]
    worst = max(inner or deep, key=lambda contact: contact.depth, default=None)
    if worst is None:
        return ""
    a, b = worst.object_a.name, worst.object_b.name
    text = (
        f". Deepest overlap: {worst.depth:.3g} m, {worst.body_a} of {a} and {worst.body_b} of {b}"
    )
    if worst.object_a is not worst.object_b:
        return text
    links = ", ".join(repr(name.rpartition("/")[0]) for name in (worst.body_a, worst.body_b))
    return f"{text}. If they always overlap, call ignore_collision({links}), or ignore_overlaps()"


class Complaints:
    """Remembers what has been said."""

    def __init__(self) -> None:
        """Nothing has been said."""
        self._said = 0

    def say(
        self, status: int, time: float, contacts: Callable[[], Sequence[Contact]], **numbers: float
    ) -> None:
        """Log what a status means and has not been said before; `numbers` fill in the text."""
        for bit, text in TEXTS.items():
            if status & bit and not self._said & bit:
                self._said |= bit
                where = overlap(contacts()) if "{overlap}" in text else ""
                logger.warning("t = %g s: %s", time, text.format(overlap=where, **numbers))
