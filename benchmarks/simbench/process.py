"""The other end of a worker: an engine with one of its settings, as the runner sees it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parent.parent
LIMIT = 600.0  # [s] without an answer


class EngineError(Exception):
    """An engine is missing, failed, or took too long; the message says which."""


class Process:
    """One engine in a process of its own."""

    def __init__(self, engine: str, python: str = "") -> None:
        """Start it; `python` is the interpreter of its environment."""
        self.engine = engine
        environment = dict(os.environ, PYTHONUNBUFFERED="1")
        own = str(BENCHMARKS)
        if python and not Path(python).exists():
            raise EngineError(f"not installed: there is no {python}")
        if not python:  # this environment: the worker may need what this process can import
            own = os.pathsep.join([own, *(p for p in sys.path if p)])
        environment["PYTHONPATH"] = own
        self._process = subprocess.Popen(
            [python or sys.executable, "-m", "simbench.worker", engine], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._rest = b""
        try:
            said = self.ask("hello")
        except EngineError:
            self.close()
            raise
        self.version: str = said["version"]
        self.settings: dict[str, str] = said["settings"]

    def ask(self, what: str, limit: float = LIMIT, **parts: Any) -> dict[str, Any]:
        """Ask and wait for the answer.

        Raises:
            EngineError: The engine is not installed, failed or took longer than `limit` seconds.
        """
        if self._process.poll() is None:
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps({"do": what, **parts}).encode() + b"\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                pass  # it may have said why
        answer: dict[str, Any] = json.loads(self._line(limit))
        if "missing" in answer:
            raise EngineError(f"not installed: {answer['missing']}")
        if "failed" in answer:
            raise EngineError(answer["failed"].strip().splitlines()[-1])
        return answer

    def _line(self, limit: float) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._process.stdout], [], [], limit)
            if not ready:
                self.close()
                raise EngineError(f"no answer within {limit:.0f} s")
            read = os.read(self._process.stdout.fileno(), 1 << 16)
            if not read:
                raise EngineError(f"its process ended with code {self._process.wait()}")
            self._rest += read
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
