"""What a step has to say, once per world: text for the bits of its status that are no errors."""

from __future__ import annotations

import logging

from tribo.model import Status

logger = logging.getLogger("tribo")

TEXTS = {
    Status.CONTRADICTION: (
        "constraints contradict one another, each gives way (said once per world; look at the gap of each of "
        "world.constraints)"
    ),
    Status.NOT_CONVERGED: (
        "the contact solve stopped after {sweeps} sweeps with residual {residual:.1e} (said once per world; "
        "see world.residual, world.status and world.max_sweeps)"
    ),
    Status.COARSE: (
        "a time step of {step:g} s is too long for a compliant pair, which it stops at once (it carries and "
        "holds as it should, but bounces less), or for a tree of joints that turns this fast (it gains or "
        "loses energy). Take a smaller time_step or stiffness (said once per world; see world.status and "
        "tribo.ground.check_step)"
    ),
}


class Complaints:
    """Remembers what has been said."""

    def __init__(self) -> None:
        """Nothing has been said."""
        self._said = 0

    def say(self, status: int, time: float, **numbers: float) -> None:
        """Log what a status means and has not been said before; `numbers` fill in the text."""
        for bit, text in TEXTS.items():
            if status & bit and not self._said & bit:
                self._said |= bit
                logger.warning("t = %g s: %s", time, text.format(**numbers))
