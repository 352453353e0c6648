"""Work in another process: an interrupt or an error of its own ends it, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tribo.compiler.sources import PACKAGE

LOOK = 0.02  # [s] between two looks at a process


def work(module: str, folder: Path) -> str:
    """Run a module of tribo as a process that works in a folder; return why it failed, "" if it did not.

    The folder in which the program runs is no place for modules: it may hold files of others.
    """
    path = os.pathsep.join([str(PACKAGE.parent), *(os.path.abspath(p) for p in sys.path if p)])
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(folder)], env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            start_new_session=True,  # Ctrl-C is for who started it
        )  # fmt: skip
        try:
            while process.poll() is None:
                time.sleep(LOOK)
        finally:
            process.kill()
            process.wait()
        if not process.returncode:
            return ""
        said.seek(0)
        words = said.read().decode(errors="replace").strip().splitlines()
        return words[-1] if words else f"it ended with code {process.returncode}"
