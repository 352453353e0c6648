"""How well a step went, as a coloured bar with its text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribo.model import Status

if TYPE_CHECKING:
    from tribo.world.world import World

LOWEST, HIGHEST = -16.0, 0.0  # decimal logarithms of the residual at both ends of the bar
GRAVE = Status.INVALID | Status.CAPACITY | Status.NOT_CONVERGED | Status.CONTRADICTION
MEANING = {
    Status.INVALID: "not finite: the world stays at its last valid state",
    Status.CAPACITY: "more contacts than there is room for",
    Status.NOT_CONVERGED: "contacts off their laws by more than a thousandth",
    Status.COARSE: "time step too long for what is stiff or fast",
    Status.CONTRADICTION: "constraints contradict each other",
    Status.MIDPOINT_USED: "midpoint instead of Runge–Kutta where things touch",
    Status.SLOWED: "overlaps or gaps are taken back more slowly than asked",
}


@dataclass(frozen=True, slots=True)
class Quality:
    """Values of the bar."""

    bar: float  # 0…100: the residual between 1e-16 and 1, on a logarithmic scale
    color: Any  # green: well; yellow: a remark; red: the step cannot be trusted
    text: str


def quality_of(world: World) -> Quality:
    """Return how the last step of a world went."""
    status = world.status
    residual = float(world.residual.max(initial=0.0))
    if math.isfinite(residual):
        height = math.log10(max(residual, 1e-300))
        bar = 100.0 * min(max((height - LOWEST) / (HIGHEST - LOWEST), 0.0), 1.0)
    else:
        bar = 100.0
    color = "red" if status & GRAVE else "yellow" if status else "green"
    said = "; ".join(f"**{bit.name}**: {text}" for bit, text in MEANING.items() if status & bit)
    return Quality(bar, color, f"residual **{residual:.1e}** · {said or 'well'}")
