"""Compiling without a terminal says every few seconds that it goes on, and how far it is."""

import io
import sys
import threading

from tribo.compiler import progress
from tribo.engine import step_compilation, warm_up


def test_a_line_says_that_compiling_goes_on(monkeypatch):
    said = threading.Event()

    class Log(io.StringIO):
        def write(self, text):
            if "25 %" in text:
                said.set()
            return super().write(text)

    def compile_step(notice):
        notice("kernel math.dot", 30, 120)
        assert said.wait(60.0)

    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    monkeypatch.setattr(step_compilation, "compile_step", compile_step)
    warm_up._compile(warm_up._STEP, quiet=False)
    first, *_, last = log.getvalue().splitlines()
    assert first == "tribo: compiling its kernels (once per machine and version) …"
    assert last.startswith("tribo: still compiling, ")
    assert last.endswith(" s, 25 %")


def test_nothing_is_said_if_it_shall_be_quiet(monkeypatch, capsys):
    monkeypatch.setattr(step_compilation, "compile_step", lambda notice: notice("x", 1, 2))
    warm_up._compile(warm_up._STEP, quiet=True)
    assert capsys.readouterr().err == ""
