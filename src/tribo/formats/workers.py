"""Work in another process: an interrupt or an error of its own ends it, and nothing else."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tribo.compiler.sources import module_process

LOOK = 0.02  # [s] between two looks at a process
ASKED, MADE = "asked.pickle", "made.pickle"  # between us and our own process
Made = TypeVar("Made")


class ProcessError(RuntimeError):
    """A process died, or raised what it should not; the message says why."""


def work(function: Callable[..., Made], *given: Any) -> Made:
    """Return what a function of a module of tribo does, found by a process of its own.

    Raises:
        ProcessError: The process died, or raised something else than a `ValueError`.
        ValueError: The function raised it.
    """
    import tempfile  # with `shutil`, which few programs need

    command, environment = module_process(__name__)
    with tempfile.TemporaryDirectory(prefix="tribo-") as place:
        folder = Path(place)
        (folder / ASKED).write_bytes(pickle.dumps((function, given), pickle.HIGHEST_PROTOCOL))
        with (folder / "said").open("w+b") as said:
            process = subprocess.Popen(
                [*command, place], env=environment,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True,  # Ctrl-C is for who started it
            )  # fmt: skip
            try:
                while process.poll() is None:
                    time.sleep(LOOK)
            finally:
                process.kill()
                process.wait()
            if process.returncode:
                said.seek(0)
                words = said.read().decode(errors="replace").strip().splitlines()
                raise ProcessError(words[-1] if words else f"it ended with code {process.returncode}")
        made: Made | ValueError = pickle.loads((folder / MADE).read_bytes())
    if isinstance(made, ValueError):
        raise made
    return made


def answer(folder: Path) -> None:
    """Call the function that a folder asks for, and write there what it returns, or its `ValueError`."""
    function, given = pickle.loads((folder / ASKED).read_bytes())
    try:
        made = function(*given)
    except ValueError as error:
        made = error
    (folder / MADE).write_bytes(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    answer(Path(sys.argv[1]))
