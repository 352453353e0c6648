"""Processes that compile side by side: what fails is said, what waits goes on, Ctrl-C ends them all."""

import inspect

import pytest

from tribo.compiler.jit import DISABLED
from tribo.engine import step_compilation, units
from tribo.engine.team import gathered

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


def test_what_fails_is_said_and_the_rest_is_done():
    said = []
    with gathered(1) as team:
        assert not team.do(
            ["kernel nowhere.nothing", "kernel dynamics.integrate.next_velocity"], said.append
        )
    assert [line for line in said if line in {"done", "failed"}] == ["failed", "done"]
    assert "kernel dynamics.integrate.next_velocity" in said


def test_two_compile_each_kernel_once():
    said = []
    with gathered(2) as team:
        assert team.do(["kernel dynamics.actuation.collect"] * 2, said.append)
    compiled = [line for line in said if line.startswith("kernel ")]
    assert len(compiled) > 5
    assert len(compiled) == len(set(compiled))


def test_an_interrupt_ends_all_processes():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), gathered(2) as team:
        team.do(["kernel nowhere.nothing"] * 2, interrupted)
    assert all(member.poll() is not None for member in team.members)


def test_a_process_that_is_killed_is_noticed():
    def kill(line):
        if line == "failed":
            team.members[0].kill()

    with gathered(1) as team:
        assert not team.do(["kernel nowhere.nothing", "kernel contact.sleep.wake"], kill)


def test_heads_of_pieces_are_kernels_with_these_arguments():
    for name, kinds in units.HEADS.items():
        parameters = inspect.signature(units.kernel(name).py_func).parameters
        if kinds:
            assert len(units.arguments(kinds)) == len(parameters), name
            for parameter, kind in zip(parameters, kinds.split(), strict=True):
                assert (kind[0].isupper()) == (parameter == kind.lower()), (name, parameter, kind)


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
