"""Scenes in PyBullet, which has a Python environment of its own: a subprocess that speaks JSON lines.

`PYBULLET_PYTHON` names its interpreter; without it the one that runs the suite is tried.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from stage import CELLS, SQUARE, TRIANGLES, Scene, Track, hull_of, inertia_of
from suite import BULLET, CannotPlay, Player

WORKER = Path(__file__).parent / "bullet_worker.py"


class Bullet:
    """The subprocess, started with the first scene."""

    def __init__(self) -> None:
        """Ask whether there is a PyBullet."""
        self.python = os.environ.get("PYBULLET_PYTHON", sys.executable)
        probe = [self.python, "-c", "import pybullet"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            raise ImportError(f"{self.python} has no pybullet")
        self.process: subprocess.Popen[str] | None = None

    def play(self, scene: Scene, only_closed: bool = False) -> Track:
        """Send a scene, read a track.

        only_closed: leave contacts out that are still apart; they take the speed away that should be
        returned. For scenes in which something rebounds.
        """
        pairs = [scene.pair, *scene.pairs.values()]
        if only_closed and not any(p.restitution or p.spring for p in pairs):
            raise CannotPlay("nothing rebounds")
        if any(p.static_friction is not None for p in pairs):
            raise CannotPlay("no static friction")
        if any(b.kind == "kinematic" and any(b.velocity) for b in scene.bodies):
            raise CannotPlay("no kinematic bodies with velocity")
        if any(p.stiffness is not None and not p.spring for p in pairs):
            raise CannotPlay("no compliance of this law")
        if any(p.spinning and not p.friction for p in pairs):
            raise CannotPlay("no spinning without sliding friction")
        if any(p.threshold > 0.0 for p in pairs):
            raise CannotPlay("no threshold per pair")
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.python, str(WORKER)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        told = {**asdict(scene), "only_closed": only_closed}
        told["mesh"], told["cells"] = (SQUARE, TRIANGLES), CELLS
        for body, made in zip(scene.bodies, told["bodies"], strict=True):
            if body.shape in {"cone", "ellipsoid", "hull"}:
                made["points"] = hull_of(body).tolist()
                made["inertia"] = np.diag(inertia_of(body)).tolist()
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "cannot" in answer:
            raise CannotPlay(answer["cannot"])
        return Track.of(answer["rows"])

    def close(self) -> None:
        """End the subprocess."""
        if self.process is not None:
            self.process.communicate()


def players() -> list[Player]:
    """Return PyBullet as a player, with its own and with fewer contacts.

    Raises:
        ImportError: There is no PyBullet.
    """
    made = Bullet()
    return [
        Player(BULLET, made.play, "default"),
        Player(BULLET, partial(made.play, only_closed=True), "only closed contacts"),
    ]
