"""Work in another process: an interrupt or an error of its own ends it, and nothing else."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from tribo.compiler.sources import module_process

LOOK = 0.02  # [s] between two looks at a process


def work(module: str, folder: Path) -> str:
    """Run a module of tribo as a process that works in a folder; return why it failed, "" if it did not."""
    command, environment = module_process(module)
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [*command, str(folder)], env=environment,
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
