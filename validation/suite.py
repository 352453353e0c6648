"""What a validation case is: a scene in a sentence, an answer known without this engine, a tolerance.

A case is a function of an engine. It stages scenes (`stage.Scene`), lets the engine play them and
returns checks: measured errors next to what they may be. The same function measures the peers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stage import Scene, Track

MUJOCO, BULLET = "MuJoCo", "PyBullet"
BOTH = (MUJOCO, BULLET)
TRIBO = "tribo"


class CannotPlay(Exception):
    """An engine has no way to express a scene; the text says what is missing."""


@dataclass(frozen=True)
class Check:
    """One measured error and the largest that is accepted, in the unit that `what` names."""

    what: str
    error: float
    tolerance: float
    why: str = ""  # why a peer has no error

    @property
    def is_met(self) -> bool:
        """Whether the error is within the tolerance (a NaN is not)."""
        return self.error <= self.tolerance


def holds(what: str, is_true: bool) -> Check:
    """Return a check of something that is true or not."""
    return Check(what, 0.0 if is_true else 1.0, 0.0)


def absent(what: str, tolerance: float = 0.0, why: str = "–") -> Check:
    """Return the line of a check that a peer cannot make."""
    return Check(what, float("nan"), tolerance, why)


@dataclass
class Player:
    """An engine as the cases see it."""

    name: str
    play: Callable[[Scene], Track]
    setting: str = ""

    @property
    def is_tribo(self) -> bool:
        """Whether it is the engine under test."""
        return self.name == TRIBO


@dataclass
class Case:
    """One entry of the suite."""

    id: str
    scene: str
    oracle: str
    run: Callable[[Player], list[Check]]
    fast: bool = True
    peers: tuple[str, ...] = ()
    note: str = ""  # what differs from the stated scene, or why a tolerance is looser
    known: str = ""  # why it fails at present; empty: it has to pass
    waits_for: str = ""  # a feature that does not exist yet: the case (or the rest of it) is pending

    @property
    def is_pending(self) -> bool:
        """Whether there is nothing to run yet."""
        return self.run is not_yet


def not_yet(player: Player) -> list[Check]:
    """Stand in for a case whose feature does not exist."""
    raise CannotPlay("pending")


CASES: dict[str, Case] = {}


def case(id: str, scene: str, oracle: str, **options: Any) -> Callable[..., Any]:  # noqa: A002
    """Enter a function as a case."""

    def enter(run: Callable[[Player], list[Check]]) -> Callable[[Player], list[Check]]:
        if id in CASES:
            raise ValueError(f"two cases are called {id}")
        CASES[id] = Case(id, scene, oracle, run, **options)
        return run

    return enter


def pending(id: str, scene: str, oracle: str, waits_for: str) -> None:  # noqa: A002
    """Enter a case that waits for a feature."""
    case(id, scene, oracle, waits_for=waits_for)(not_yet)


def in_order() -> list[Case]:
    """Return all cases by family and number."""
    return sorted(CASES.values(), key=lambda c: (c.id[0] == "R", c.id[0], int(c.id[1:])))
