"""Plays a scene and judges each of its steps by the books."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import tribo
from honesty import books, scenes

FLAGS = (
    tribo.Status.NOT_CONVERGED | tribo.Status.CORRECTION_LIMITED | tribo.Status.TIME_STEP_TOO_LONG
    | tribo.Status.INFEASIBLE | tribo.Status.INVALID
)  # fmt: skip


def judge(number: int, steps: int, *, says: bool = False) -> dict[str, Any]:
    """Play a scene; return what its steps did."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    kind, world = scenes.make(number)
    lies: Counter[str] = Counter()
    worst: dict[str, float] = {}
    made: dict[str, Any] = {"number": number, "kind": kind, "steps": 0, "lying": 0, "flagged": 0, "right": 0}
    world.update()  # what overlaps from the beginning on is none of a step's doing
    before = books.page(world)
    most, ledger = before.kinetic, before.energy
    for step in range(steps):
        scenes.drive(number, step, world)
        try:
            world.step() if step else world.advance()
        except tribo.SimulationError:
            made["steps"] += 1
            made["flagged"] += 1
            made["right"] += 1
            break
        now = books.page(world)
        found = books.wrongs(world, before, now, most, ledger)
        made["steps"] += 1
        if world.status & FLAGS:
            made["flagged"] += 1
            made["right"] += bool(found)
        elif found:
            made["lying"] += 1
            lies.update(found.keys())
            worst |= {k: max(r, worst.get(k, 0.0)) for k, r in found.items()}
        if says and found:
            print(
                f"step {step}, status {world.status!r}: "
                + ", ".join(f"{k} {r:.3g}" for k, r in found.items())
            )
        most = max(most, now.kinetic)
        stores = kind == "compliant"  # springs of contacts give back what they took
        ledger = max(ledger + books.given(world, before, now), now.energy) if stores else now.energy
        before = now
    return made | {"lies": dict(lies), "worst": worst}
