"""All that is called is linked in, once and in whatever order; what lacks something is refused."""

import os
import signal
import threading

import pytest

from tribo.compiler import jit
from tribo.compiler.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")

if not DISABLED:
    from tribo.compiler import backend, linking
    from tribo.compiler.linking import Unit, Units

# LLVM removes the only call of `unused`, which is the first to ask for `least` and for Numba's `min`.
KERNELS = """
from tribo.compiler.jit import kernel
NEVER = 0
@kernel
def least(x):
    return min(x, 3.0)
@kernel
def unused(x):
    return least(x) + min(x, 1.0) + min(2, 1)
@kernel
def used(x):
    return 5.0 + least(x) + min(x, 1.0) + min(4, 5)
@kernel
def head(x):
    for _ in range(NEVER):
        x += unused(x)
    return used(x)
@kernel
def whole(x):
    return head(x)
"""
VALUE = 5.0 + 3.0 + 1.0 + 4.0  # of 7


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


def kernels(module):
    """Return kernels as a new process has them: known by module and name, with nothing compiled."""
    known = {"__name__": module}
    exec(KERNELS, known)
    return known


def asked(module, heads):
    """Return what `whole` of new kernels makes of 7."""
    whole = kernels(module)["whole"]

    def ask(x):
        return whole(x)

    with linking.parted(Units([f"{module}.{name}" for name in heads])):
        return jit.script(ask)(7.0)


@pytest.mark.parametrize("heads", [[], ["head"], ["head", "least"]])
def test_what_a_removed_call_calls_is_there_for_others(heads):
    module = f"removed_{len(heads)}"
    assert asked(module, heads) == VALUE
    assert asked(module, heads) == VALUE  # found in the folder


def without(libraries, name):
    return [library for library in libraries if not getattr(library, "kernel", "").endswith(name)]


@pytest.mark.parametrize("heads", [[], ["head"]])
def test_code_that_lacks_something_is_refused(heads, monkeypatch, tmp_path):
    linked = linking.linked
    monkeypatch.setattr(linking, "linked", lambda parts, *into: linked(without(parts, "least"), *into))
    with pytest.raises(LookupError, match=r"calls what is nowhere: \S*least"):
        asked(f"lacking_{len(heads)}", heads)
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert asked(f"lacking_{len(heads)}", heads) == VALUE  # nothing wrong was kept


def test_a_piece_is_not_loaded_without_what_it_calls():
    piece = Unit("piece_of_a_test", "its key", ("nowhere_else",))
    with pytest.raises(LookupError, match="piece_of_a_test calls what is nowhere: nowhere_else"):
        linking.load_units([piece], {piece.key: b"cos nowhere_else\nan object file"})
    assert piece.symbol not in linking._loaded


def test_what_was_kept_is_not_loaded_without_what_it_calls(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(backend, "cache_folder", lambda layer: tmp_path / "kept")

    def half(x):
        return x / 2.0

    half.__module__ = "tribo.math"
    with monkeypatch.context() as wrong:
        wrong.setattr(linking, "_outside", lambda module: ["nowhere_else"])
        wrong.setattr(linking, "refuse_unknown", lambda *_: None)
        assert jit.entry(half)(3.0) == 1.5
    assert caplog.text == ""
    assert jit.entry(half)(3.0) == 1.5
    assert "calls what is nowhere: nowhere_else): compiled again" in caplog.text
    caplog.clear()
    assert jit.entry(half)(3.0) == 1.5
    assert caplog.text == ""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_the_wait_for_llvm_and_the_next_job_waits_for_the_last():
    go, order = threading.Event(), []

    def first():
        os.kill(os.getpid(), signal.SIGINT)
        go.wait(60.0)
        order.append("first")

    with pytest.raises(KeyboardInterrupt):
        linking._run_llvm(first)
    assert order == []
    threading.Timer(0.05, go.set).start()
    linking._run_llvm(lambda: order.append("second"))
    assert order == ["first", "second"]
