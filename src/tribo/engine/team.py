"""Several processes that compile the step side by side, and their progress reports."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tribo.compiler.sources import module_process
from tribo.compiler.switches import CLAIMS


class Team:
    """Compiling processes; see `gathered`."""

    def __init__(self, size: int, folder: str) -> None:
        self._said: queue.Queue[tuple[int, str]] = queue.Queue()
        command, environment = module_process("tribo.engine.compile_worker")
        environment |= {"TRIBO_KERNELS": "compiled", CLAIMS: folder}
        self.members = [
            subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C reaches the parent only
            )
            for _ in range(size)
        ]
        for number in range(size):
            threading.Thread(target=self._listen, args=(number,), daemon=True).start()

    def _listen(self, number: int) -> None:
        for line in self.members[number].stdout or ():
            self._said.put((number, line.strip()))
        self._said.put((number, "gone"))

    def do(self, jobs: list[str], notice: Callable[[str], Any]) -> bool:
        """Run jobs on the processes; return whether all succeeded.

        The caller does the rest: a kernel that does not compile, a process that was killed.

        Args:
            jobs: Lines for `compile_worker`.
            notice: Called with each line that a process reports.
        """
        todo, busy, is_done = jobs[::-1], set[int](), True
        for number in range(len(self.members)):
            self._give(number, todo, busy)
        while busy:
            number, line = self._said.get()
            if line in {"done", "failed"}:
                busy.discard(number)
                is_done &= line == "done"
                self._give(number, todo, busy)
            if line == "gone" and number in busy:
                return False
            notice(line)
        return is_done and not todo

    def _give(self, number: int, todo: list[str], busy: set[int]) -> None:
        pipe = self.members[number].stdin
        if todo and pipe is not None:
            with contextlib.suppress(OSError):  # it has ended, and reports that
                pipe.write(todo.pop() + "\n")
                pipe.flush()
            busy.add(number)

    def dismiss(self) -> None:
        """End all processes."""
        for member in self.members:
            member.kill()
        for member in self.members:
            member.wait()
            for pipe in (member.stdin, member.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


@contextlib.contextmanager
def gathered(size: int) -> Iterator[Team]:
    """Start processes for a block; they end with it."""
    with tempfile.TemporaryDirectory(prefix="tribo-") as folder:
        team = Team(size, folder)
        try:
            yield team
        finally:
            team.dismiss()
