"""One engine in a process of its own: questions come in as lines of JSON, answers go out as such.

    python -m simbench.worker tribo

A peer lives in whatever environment it installs in; here only NumPy and that peer are needed.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import traceback
from importlib import import_module
from typing import Any

from simbench import families
from simbench.scene import Scene, Simulation, from_dict


class Worker:
    """What an engine has in hand."""

    def __init__(self, engine: str) -> None:
        """Import the engine."""
        self.module = import_module(f"simbench.engines.{engine}")
        self.scene: Scene
        self.mode = ""
        self.sim: Simulation
        self.step = 0

    def hello(self) -> dict[str, Any]:
        """Say who is there."""
        return {"version": self.module.version(), "settings": self.module.SETTINGS}

    def build(self, scene: dict[str, Any], mode: str) -> dict[str, Any]:
        """Build a scene and watch its start."""
        self.scene, self.mode = from_dict(scene), mode
        self.sim = self.module.Engine(self.scene, mode)
        self.watch, self.step = families.watch(self.scene), 0
        return {}

    def advance(self, steps: int) -> dict[str, Any]:
        """Go on, look every now and then; only the steps are timed."""
        cpu = wall = 0.0
        why = ""
        every = self.scene.watch_every
        end = self.step + steps
        while self.step < end and not why:
            n = min(every, end - self.step)
            begin, used = time.perf_counter(), time.process_time()
            self.sim.run(n)
            cpu, wall = cpu + time.process_time() - used, wall + time.perf_counter() - begin
            self.step += n
            why = self.watch.see(self.sim, self.step)
            self.sim.note()
        return {"cpu": cpu, "wall": wall, "step": self.step, "why": why}

    def figures(self) -> dict[str, Any]:
        """Return the error and what else was seen."""
        return {"figures": self.watch.figures() | self.sim.notes(), "step": self.step}

    def time(self, steps: int, settle: int) -> dict[str, Any]:
        """Time steps from the start, or after some have passed, without looking."""
        sim = self.module.Engine(self.scene, self.mode)
        sim.run(max(settle, 1))  # one at least: the first step prepares tables
        gc.collect()
        gc.disable()
        begin, used = time.perf_counter(), time.process_time()
        sim.run(steps)
        cpu, wall = time.process_time() - used, time.perf_counter() - begin
        gc.enable()
        return {"cpu": cpu, "wall": wall, "step": steps}


def main() -> None:
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an engine prints is no answer
    try:
        worker = Worker(sys.argv[1])
    except ImportError as why:
        print(json.dumps({"missing": str(why)}), file=answers, flush=True)
        return
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = getattr(worker, question.pop("do"))(**question)
        except Exception:
            answer = {"failed": traceback.format_exc(limit=-3)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
