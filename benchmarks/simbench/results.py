"""Results on disk: one file per scene, so that one scene can be measured again on its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import run

FOLDER = "simbench"


def _folder() -> Path:
    machine = re.sub(r"\W+", "-", f"{run.cpu_name()} {os.cpu_count()} cores").lower()
    return run.RESULTS / machine / FOLDER


def save(name: str, found: dict[str, Any]) -> Path:
    """Keep what a scene gave."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    origin = {"commit": run.commit(), "machine": run.cpu_name(), "cores": os.cpu_count(),
              "load": run.load()[0], "python": run.versions()["python"],
              "command": shlex.join(["python", "-m", "simbench", *sys.argv[1:]])}  # fmt: skip
    path.write_text(json.dumps(origin | found, indent=1) + "\n")
    return path


def load_all() -> dict[str, dict[str, Any]]:
    """Return what is kept, by scene."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(_folder().glob("*.json"))}
