"""Goals against figures: met, or how far away."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from simbench.scene import Goal, Scene, Speed

Result = dict[str, Any]
OURS = "tribo default"


@dataclass(frozen=True)
class Verdict:
    """One goal of one scene."""

    scene: str
    goal: str
    value: str
    outcome: str


def number(value: float) -> str:
    """Write a figure with three digits."""
    if value == 0.0 or 0.01 <= abs(value) < 1000.0:
        return f"{value:.3g}"
    return f"{value:,.0f}".replace(",", " ") if 1000.0 <= abs(value) < 1e7 else f"{value:.1e}"


def opponent(name: str) -> str:
    """Return which of tribo's entries a peer is compared with: drives with drives."""
    return "tribo own drive" if name.endswith("own drive") else OURS


def speed_ratio(found: Result, peer: str) -> tuple[float, float, float] | None:
    """Return a peer's time over tribo's for the same stretch: in all, least and largest of the pieces."""
    engines = found["engines"]
    ours, theirs = engines.get(opponent(peer)), engines.get(peer)
    if not ours or not theirs or not ours["cpu"] or not theirs["cpu"]:
        return None
    pairs = list(zip(ours["cpu"], theirs["cpu"], strict=False))  # one may have stopped before the other
    ratios = [b / a for a, b in pairs]
    total = sum(b for _, b in pairs) / sum(a for a, _ in pairs)
    return total, min(ratios), max(ratios)


def verdicts(scene: Scene, found: Result) -> list[Verdict]:
    """Return what became of all goals of a scene."""
    made = [_accuracy(scene, found, goal) for goal in scene.goals]
    for goal in scene.speeds:
        made += _speeds(scene, found, goal)
    return made


def _accuracy(scene: Scene, found: Result, goal: Goal) -> Verdict:
    name = f"tribo {goal.mode}"
    text = f"{goal.figure} ≤ {goal.error:g} ({goal.mode})"
    entry = found["engines"].get(name)
    if entry is None:
        return Verdict(scene.name, text, "–", found["problems"].get(name, "not run"))
    value = entry["figures"][goal.figure]
    outcome = "met" if value <= goal.error else "not met"
    if outcome == "not met" and goal.error > 0.0:
        outcome = f"not met: × {number(value / goal.error)}"
    if outcome == "met" and entry["why"]:
        outcome = f"open: {entry['why']}"
    return Verdict(scene.name, text, number(value), outcome)


def _speeds(scene: Scene, found: Result, goal: Speed) -> list[Verdict]:
    made = []
    for peer, entry in found["engines"].items():
        ratio = speed_ratio(found, peer)
        if peer.split(" ")[0] != goal.engine or ratio is None:
            continue
        text = f"{opponent(peer)} ≥ {goal.factor:g} × {peer}"
        is_met = ratio[0] >= goal.factor
        remark = "" if is_met else f": × {goal.factor / ratio[0]:.2g} missing"
        if goal.figure:
            ours = found["engines"][opponent(peer)]["figures"][goal.figure]
            theirs = entry["figures"][goal.figure]
            is_met = is_met and ours <= theirs
            text += f" at no larger {goal.figure}"
            remark += f"; {goal.figure} {number(ours)} against {number(theirs)}"
        outcome = ("met" if is_met else "not met") + remark
        made.append(Verdict(scene.name, text, f"{ratio[0]:.2f}", outcome))
    return made


def per_robot(results: dict[str, Result], kind: str) -> list[tuple[str, int, dict[str, float]]]:
    """Return scene, number of robots and cost per robot and step [µs] of each engine, by number."""
    rows = []
    for name, found in results.items():
        if name.rpartition("_")[0] != kind:
            continue
        count = int(name.rpartition("_")[2])
        cost = {engine: statistics.median(e["cpu"]) / count
                for engine, e in found["engines"].items() if e["cpu"]}  # fmt: skip
        rows.append((name, count, cost))
    return sorted(rows, key=lambda row: row[1])
