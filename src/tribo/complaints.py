"""What a step has to say, once per world: text for the bits of its status that are no errors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tribo import blame
from tribo.model import Status

if TYPE_CHECKING:
    from tribo.world import World

logger = logging.getLogger("tribo")

ONCE = "said once per world"
GROWN = 1e3  # [–] a residual that is so many times larger is said again
CUT = 10.0  # [–] of the tolerance: below, all that was asked for was solved, and less was asked for


def contradiction(world: World) -> str:
    """Return that constraints contradict one another, and which."""
    names = blame.contradiction(world.engine, world.constraints)
    return f"constraints contradict one another, each gives way: {names} ({ONCE}; look at the gap of each)"


def not_converged(world: World) -> str:
    """Return how far the solve is off, and where."""
    overlap = blame.overlap(world.contacts)
    residual = max(world.residual)
    if residual <= CUT * world.tolerance:
        return (
            "overlaps, or gaps of constraints, are closed more slowly than asked: all at once would take "
            f"absurd energy ({ONCE}; see world.status){overlap}"
        )
    where = blame.largest_miss(world.engine, world.objects, world.constraints)
    return (
        f"the contact solve stopped after {world.sweeps} sweeps with residual {residual:.1e}{where} ({ONCE}, "
        f"and if it grows a thousandfold; see world.residual, world.status and world.max_sweeps){overlap}"
    )


def coarse(world: World) -> str:
    """Return that a step is too long, and for what."""
    return (
        f"a time step of {world.time_step:g} s is too long for a compliant pair, which it stops at once (it "
        "carries and holds as it should, but bounces less), or for a tree of joints that turns this fast (it "
        f"gains or loses energy). Take a smaller time_step or stiffness ({ONCE}; see world.status and "
        "tribo.ground.check_step)"
    )


TEXTS = {
    Status.CONTRADICTION: contradiction,
    Status.NOT_CONVERGED: not_converged,
    Status.COARSE: coarse,
}


class Complaints:
    """Remembers what has been said."""

    def __init__(self) -> None:
        """Nothing has been said."""
        self._said = 0
        self._residual = 0.0  # [–] with which an unsolved step was said last

    def say(self, world: World, status: int) -> None:
        """Log what a status of a world means and has not been said before."""
        for bit, text in TEXTS.items():
            if not status & bit:
                continue
            if bit == Status.NOT_CONVERGED:
                residual = max(*world.residual, CUT * world.tolerance)
                if self._said & bit and residual < GROWN * self._residual:
                    continue
                self._residual = residual
            elif self._said & bit:
                continue
            self._said |= bit
            logger.warning("t = %g s: %s", world.time, text(world))
