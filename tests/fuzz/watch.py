"""Run inputs in a process of their own and note what must not happen: crash, hang, memory, a foreign file."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tribo.compiler.jit import cache_root
from tribo.formats.usd import worker

# What a user may be told. Anything else is a defect of the reader or of the call.
POLITE = (
    "TypeError",
    "ValueError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "RuntimeError",
    "OSError",
    "SyntaxWarning",
)
TRIBO = ("DescriptionError", "EditError", "SimulationError")
SIGNATURE = re.compile(r"\w+\(\) (takes|missing|got)")  # Python itself counts arguments
MEMORY = 4 << 30  # [byte] of address space beyond what the process has when it starts
PATIENCE = 20.0  # [s] of a processor for one input
WAITING = 10.0  # times that by the clock: others may be at work on the machine
TICK = os.sysconf("SC_CLK_TCK")
USD_WORKER = worker.__file__
FORBIDDEN = ("subprocess.Popen", "os.system", "os.exec", "socket.connect", "pty.spawn")


class Misdeed(Exception):
    """Something that no input may bring about."""


@dataclass
class Findings:
    """What a run found."""

    inputs: int = 0
    accepted: int = 0
    defects: list[tuple[str, int, str]] = field(default_factory=list)  # kind, input, text


def is_polite(error: BaseException) -> bool:
    """Tell whether an error speaks to the user: a known kind, with words, raised on purpose."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & set(TRIBO) or isinstance(error, FileNotFoundError):
        return True
    if isinstance(error, TypeError) and SIGNATURE.search(str(error)):
        return True
    return bool(names & set(POLITE) and str(error)) and _is_raised_by_tribo(error)


def _is_raised_by_tribo(error: BaseException) -> bool:
    """Tell whether the line that raised an error is a `raise` of the package itself."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_ours = f"{os.sep}tribo{os.sep}" in last.filename
    return is_ours and (last.line or "").lstrip().startswith("raise")


def forbid(folders: list[str]) -> None:
    """Make it a misdeed to open a file outside of some folders, to start a program or a connection."""
    allowed = tuple(os.path.realpath(folder) + os.sep for folder in folders)
    writable = tuple(
        os.path.realpath(folder) + os.sep for folder in (tempfile.gettempdir(), str(cache_root()), os.devnull)
    )
    state = {"on": True}

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if not state["on"]:
            return
        if event == "subprocess.Popen" and arguments[1][1:] == ["-I", USD_WORKER]:
            return  # OpenUSD reads in a process that has bounds of its own
        if event in FORBIDDEN:
            raise Misdeed(f"{event} {arguments!r:.200}")
        if event == "open" and isinstance(arguments[0], (str, bytes)):
            path = os.path.realpath(os.fsdecode(arguments[0])) + os.sep
            is_source = path.rstrip(os.sep).endswith((".py", ".pyc", ".so"))
            if not path.startswith(allowed) and not is_source:
                raise Misdeed(f"opens {path!r}")
            is_written = isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            if is_written and not path.startswith(writable):
                raise Misdeed(f"writes {path!r}")

    sys.addaudithook(look)


def outcome(play: Callable[[], bool]) -> tuple[str, str]:
    """Play an input; return "accepted", "refused" or the kind of its defect, and what is said of that."""
    try:
        return ("accepted" if play() else "refused"), ""
    except Misdeed as misdeed:
        return "misdeed", str(misdeed)
    except BaseException as error:
        if is_polite(error):
            return "refused", ""
        return type(error).__name__, "".join(traceback.format_exception(error)[-4:])


def folders(own: str) -> list[str]:
    """Return the folders from which an input may open files; the first is its own."""
    return [
        own, tempfile.gettempdir(), sys.prefix, sys.base_prefix, "/proc/self", "/sys", "/dev/null",
        str(cache_root()), "/dev/urandom", str(Path(__file__).parents[2]), *filter(None, sys.path),
    ]  # fmt: skip


def _work(play: Callable[[int], bool], numbers: Any, at: Any, pipe: Any,
          places: list[str]) -> None:  # fmt: skip
    """Play inputs one after the other; send what each did wrong."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    forbid(places)
    os.chdir(places[0])  # names without a folder end here
    tempfile.tempdir = places[0]
    for number in numbers:
        at[0], at[1], at[2] = number, time.monotonic(), _worked(os.getpid())
        kind, text = outcome(lambda k=number: play(k))
        pipe.send((kind, number, text))
    pipe.send(None)


def _worked(process: int | None) -> float:
    """Return the processor time of a process [s]; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def run(play: Callable[[int], bool], prepare: Callable[[], Any], numbers: list[int], *,
        seconds: float = float("inf"), patience: float = PATIENCE) -> Findings:  # fmt: skip
    """Play inputs by number; each may succeed (True), be refused in words, or be a defect.

    A process that dies or hangs is replaced by a new one, which goes on with the next input.
    """
    found = Findings()
    context = multiprocessing.get_context("fork")
    stop = time.monotonic() + seconds
    made = tempfile.TemporaryDirectory()
    todo = list(numbers)
    prepare()  # here: its errors are ours, and every process inherits what it loads
    while todo and time.monotonic() < stop:
        at = context.Array("d", [todo[0], time.monotonic(), 0.0])
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(play, todo, at, theirs, folders(made.name)))
        child.start()
        theirs.close()
        done, why = 0, ""
        while time.monotonic() < stop:
            if ours.poll(0.2):
                try:
                    said = ours.recv()
                except EOFError:
                    why = "died"
                    break
                if said is None:
                    break
                kind, number, text = said
                done += 1
                found.inputs += 1
                found.accepted += kind == "accepted"
                if kind not in ("accepted", "refused"):
                    found.defects.append((kind, number, text))
            elif not child.is_alive():
                why = f"died with exit status {child.exitcode}"
                break
            elif _worked(child.pid) - at[2] > patience or time.monotonic() - at[1] > WAITING * patience:
                why = f"hangs for more than {patience:g} s"
                break
        child.kill()
        child.join()
        if why:
            found.defects.append((why, int(at[0]), ""))
            found.inputs += 1
            done = todo.index(int(at[0])) + 1
        todo = todo[done:] if why else []
    made.cleanup()
    return found
