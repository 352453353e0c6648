"""Processes that compile side by side: what fails is said, what waits goes on, Ctrl-C ends them all."""

import subprocess

import pytest

from tribo.compiler import sources
from tribo.compiler.jit import DISABLED
from tribo.engine import step_compilation, units
from tribo.engine.team import gathered

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("empty_cache")
def test_what_fails_is_said_and_the_rest_is_done():
    said = []
    with gathered(1) as team:
        assert not team.do(["kernel nowhere.nothing", "kernel dynamics.integrate.next_velocity"], said.append)
    assert [line for line in said if line in {"done", "failed"}] == ["failed", "done"]
    assert "kernel dynamics.integrate.next_velocity" in said


@pytest.mark.usefixtures("empty_cache")
def test_two_compile_each_kernel_once():
    said = []
    with gathered(2) as team:
        assert team.do(["kernel dynamics.actuation.collect_forces"] * 2, said.append)
    compiled = [line for line in said if line.startswith("kernel ")]
    assert len(compiled) > 5
    assert len(compiled) == len(set(compiled))


@pytest.mark.usefixtures("empty_cache")
def test_an_interrupt_ends_all_processes():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), gathered(2) as team:
        team.do(["kernel nowhere.nothing"] * 2, interrupted)
    assert all(member.poll() is not None for member in team.members)


@pytest.mark.usefixtures("empty_cache")
def test_a_process_that_is_killed_is_noticed():
    def kill(line):
        if line == "failed":
            team.members[0].kill()

    with gathered(1) as team:
        assert not team.do(["kernel nowhere.nothing", "kernel contact.sleep.wake_trees"], kill)


@pytest.mark.parametrize("module", ["tribo.engine.compile_worker", "tribo.formats.workers"])
def test_modules_beside_the_program_are_not_run(module, tmp_path, monkeypatch):
    """A folder with files of others may hold one that is called as a library is."""
    for name in ("numba", "numpy", "trimesh", "queue"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(77)")
    monkeypatch.chdir(tmp_path)
    command, environment = sources.module_process(module)
    done = subprocess.run(command, env=environment, input=b"", capture_output=True, check=False)
    assert done.returncode != 77


def test_arguments_of_heads_are_those_that_the_step_gives_them():
    known = [name for name in units.HEADS if units.arguments(name) is not None]
    assert len(known) > 0.8 * len(units.HEADS)
    roots = units.roots()
    called = {head.called[:2] for head in units.parts().heads_below(roots).values()}
    told = {(f"tribo.{name}", units._types(name)) for name in known}
    # What is guessed wrong is compiled in vain, once in a cold start: a few may be.
    assert len(told - called) <= 0.1 * len(known), sorted(name for name, _ in told - called)


def test_every_kernel_of_a_step_can_be_kept_and_every_piece_is_in_it():
    found, todo = {}, [units.kernel(name).dispatcher for name in units.WHOLE]
    while todo:
        made_of = todo.pop().made_of
        assert made_of is not None
        if made_of.name not in found:
            found[made_of.name] = made_of
            todo += [callee.dispatcher for callee in made_of.callees.values()]
    assert len(found) > 400
    assert {f"tribo.{name}" for name in units.HEADS} <= {*found}
    assert step_compilation._contents() >= {made_of.content[:16] for made_of in found.values()}
