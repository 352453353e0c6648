"""New processes that begin where Numba is loaded, and what else a test names; nothing else of tribo is.

To load Numba and to have it compile its first function takes longer than most of what a test asks of another
process. So a process that has done both stands ready and forks: a script finds memory as after
`import numba`; arguments, environment, folder and streams are its own, and it ends as Python processes do.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

STAND_READY = """
import contextlib, gc, importlib, json, os, runpy, signal, sys, types
try:
    import numba
    numba.njit("f8(f8)")(lambda x: x)
except ImportError:
    pass
assert "tribo" not in sys.modules
for name in json.loads(sys.argv[1]):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
gc.freeze()  # at their end processes look through what is their own, not through Numba
for line in sys.stdin:
    arguments, environment, folder, streams, limit = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
signal.alarm(limit)
os.chdir(folder)
os.environ.update(environment)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
for number, path in enumerate(streams, 1):
    os.dup2(os.open(path, os.O_WRONLY), number)
sys.argv = arguments
if arguments[0] == "-c":
    sys.argv = ["-c", *arguments[2:]]
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    exec(compile(arguments[1], "<string>", "exec"), main.__dict__)
else:
    sys.path[0] = os.path.dirname(arguments[0])
    runpy.run_path(arguments[0], run_name="__main__")
"""


class Ended(NamedTuple):
    """How a process ended."""

    status: int
    said: str
    wrong: str


class Forks:
    """Starts processes; see above.

    Args:
        options: Of the interpreter.
        loaded: Modules that are imported once, before the processes begin, where they are installed.
        environment: What these processes have in their environment besides that of this one.
    """

    def __init__(self, *options: str, loaded: Sequence[str] = (), **environment: str) -> None:
        self._ready = subprocess.Popen(
            [sys.executable, *options, "-c", STAND_READY, json.dumps([*loaded])],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: object, folder: object = ".", limit: int = 600, **environment: str) -> Ended:
        """Run Python in a new process.

        Args:
            arguments: A file and its arguments, or "-c", code and its arguments.
            folder: Where.
            limit: [s] After which it is ended.
            environment: What it has in its environment.
        """
        with tempfile.TemporaryDirectory() as place:
            streams = [Path(place, "said"), Path(place, "wrong")]
            for path in streams:
                path.touch()
            asked = [[*map(str, arguments)], environment, str(folder), [*map(str, streams)], limit]
            print(json.dumps(asked), file=self._ready.stdin, flush=True)
            status = int(self._ready.stdout.readline())
            return Ended(status, *(path.read_text("utf-8") for path in streams))

    def close(self) -> None:
        """End what stands ready."""
        self._ready.stdin.close()
        self._ready.wait()
        self._ready.stdout.close()
