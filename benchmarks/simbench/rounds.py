"""Measuring one scene: all engines and settings, a piece of the scene each in turn."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simbench.process import EngineError, Process
from simbench.scene import Scene

PIECES = 20  # turns of each engine
LEAST = 4000  # steps, if the scene has as many: a robot must have left the ground by then
TIMED_ROUNDS = 5  # where timing is done on its own


@dataclass
class Entry:
    """One engine with one of its settings."""

    process: Process
    mode: str
    cpu: list[float] = field(default_factory=list)  # [s] of each piece
    wall: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    why: str = ""  # it stopped before the end


def measure(scene: Scene, engines: Sequence[str], pythons: Mapping[str, str], share: float,
            limit: float) -> dict[str, Any]:  # fmt: skip
    """Return figures and timings of a scene per "engine mode", and why some have none."""
    entries: dict[str, Entry] = {}
    problems: dict[str, str] = {}
    for engine, modes in scene.modes.items():
        if engine not in engines:
            continue
        for mode in modes:
            name = f"{engine} {mode}"
            try:
                entry = Entry(Process(engine, pythons.get(engine, "")), mode)
                entries[name] = entry
                entry.process.ask("build", scene=scene.to_dict(), mode=mode)
            except EngineError as why:
                problems[name] = str(why)
    try:
        _run_all(scene, entries, problems, share, limit)
        found = {name: _figures(scene, entry) for name, entry in entries.items() if name not in problems}
        for name in found:
            found[name] |= _timing(entries[name])
    finally:
        for entry in entries.values():
            entry.process.close()
    return {"date": time.strftime("%Y-%m-%d"), "engines": found, "problems": problems,
            "settings": {n: e.process.settings[e.mode] for n, e in entries.items()},
            "versions": {e.process.engine: e.process.version for e in entries.values()}}  # fmt: skip


def _run_all(scene: Scene, entries: Mapping[str, Entry], problems: dict[str, str], share: float,
             limit: float) -> None:  # fmt: skip
    """Run the scene in pieces, then, if its steps are too short for that, time it on its own."""
    total = min(scene.steps, max(LEAST, round(share * scene.steps)))
    size = -(-total // PIECES)
    size = -(-size // scene.watch_every) * scene.watch_every
    for begin in range(0, total, size):
        for name, entry in entries.items():
            if name in problems or entry.why:
                continue
            try:
                said = entry.process.ask("advance", steps=min(size, total - begin))
            except EngineError as why:
                problems[name] = str(why)
                continue
            entry.why = said["why"]
            if not scene.timed_steps:
                _note(entry, said, said["step"] - sum(entry.steps))
            if not entry.why and sum(entry.wall) > limit and begin + size < total:
                entry.why = f"stopped after {said['step']} steps, {limit:g} s"
    for _ in range(TIMED_ROUNDS if scene.timed_steps else 0):
        for name, entry in entries.items():
            if name in problems or sum(entry.wall) > limit:
                continue
            steps = min(scene.timed_steps, max(1000, round(share * scene.timed_steps)))
            try:
                _note(entry, entry.process.ask("time", steps=steps, settle=scene.settle), steps)
            except EngineError as why:
                problems[name] = str(why)


def _note(entry: Entry, said: dict[str, Any], steps: int) -> None:
    entry.cpu.append(said["cpu"])
    entry.wall.append(said["wall"])
    entry.steps.append(steps)


def _figures(scene: Scene, entry: Entry) -> dict[str, Any]:
    said = entry.process.ask("figures")
    if not scene.timed_steps:
        said["figures"]["s per s"] = sum(entry.cpu) / (sum(entry.steps) * scene.time_step)
    return {"figures": said["figures"], "steps run": said["step"], "why": entry.why}


def _timing(entry: Entry) -> dict[str, Any]:
    if not entry.steps:
        return {"cpu": [], "rate": 0.0}
    per_step = [1e6 * c / n for c, n in zip(entry.cpu, entry.steps, strict=True)]
    return {"cpu": per_step, "rate": sum(entry.steps) / sum(entry.cpu)}
