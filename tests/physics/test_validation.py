"""The fast cases of validation/. Those that are known to fail must fail: see docs/validation.md."""

from types import SimpleNamespace

import everything
import page
import play_tribo
import pytest
from suite import CASES as ALL
from suite import MUJOCO, Check, absent, in_order

CASES = [c for c in in_order() if c.fast and not c.is_pending]


def marks(case):
    """Return the marks of a case that is known to fail."""
    return [pytest.mark.xfail(reason=case.known, strict=True)] if case.known else []


@pytest.mark.parametrize("case", [pytest.param(c, id=c.id, marks=marks(c)) for c in CASES])
def test_case(case):
    checks = case.run(play_tribo.player())
    assert checks
    missed = [f"{c.what}: {c.error:.3g} > {c.tolerance:.3g}" for c in checks if not c.is_met]
    assert not missed


def test_the_suite_is_complete():
    """113 cases of seven families and the founding text's six, each with a scene and an answer."""
    counts = dict.fromkeys(everything.FAMILIES, 0)
    for case in in_order():
        counts[case.id[0]] += 1
        assert case.scene
        assert case.oracle
        assert case.waits_for or not case.is_pending
    assert counts == {"A": 14, "B": 12, "C": 13, "D": 20, "E": 14, "F": 35, "G": 8, "R": 6}


def outcome(name, errors, peer):
    """Return what a run of a case would give."""
    checks = [Check("off [m]", error, 0.5) for error in errors]
    return SimpleNamespace(case=ALL[name], verdict="pass", checks=checks, peers={MUJOCO: peer})


def test_a_peer_that_is_closer_stands_in_bold():
    """Not where tribo misses by rounding alone, nor where the peer is farther off or has no figure."""
    peer = [Check("off [m]", 1e-8, 1.0), Check("off [m]", 0.0, 1.0), Check("off [m]", 0.2, 1.0), absent("")]
    made = page.row(outcome("D17", [1e-7, 1e-14, 0.1, 0.1], peer))
    assert "| **1.0e-08**<br>0<br>0.2<br>– |" in made


def test_figures_of_a_peer_stand_beside_what_they_measure():
    """Whatever it leaves out: a drift stands on the line of the drift, compared with tribo's."""
    own = [Check("force", 1e-9, 0.5), Check("drift", 1e-10, 0.5), Check("residual", 1e-9, 0.5)]
    assert page.beside([Check("drift", 1e-11, 0.5)], own) == "–<br>**1.0e-11**<br>–"


@pytest.mark.parametrize(("tolerance", "error"), [(3.0, 1.0), (0.5, 1.101)])
def test_neither_a_smaller_ratio_nor_the_same_two_digits_are_bold(tolerance, error):
    """A ratio to an error of its own says nothing of how close a peer comes."""
    own = [Check("others over plane", 1.102, tolerance)]
    assert "**" not in page.beside([Check("others over plane", error, tolerance)], own)


def test_rows_of_some_cases_are_renewed_where_they_stand():
    """A row and its note are replaced, those of a new case follow, all others stay; the head counts."""
    old = page.whole([outcome("D1", [0.5], "–"), outcome("D18", [0.5], "–"), outcome("F1", [0.5], "–")],
                     {"D": "Smooth", "F": "Solver"})  # fmt: skip
    new = page.renewed(old, [outcome("D18", [0.25], "–"), outcome("D20", [0.125], "–")])
    again = page.renewed(new, [outcome("D18", [0.25], "–")])
    for text in (new, again):
        rows = [line for line in text.split("\n") if line.startswith(("| D", "| F"))]
        assert [row.split(" | ")[0] for row in rows] == ["| D1", "| D18", "| D20", "| F1"]
        assert [row.split(" | ")[4] for row in rows] == ["0.5", "0.25", "0.12", "0.5"]
        assert text.count("\n* D18: ") == text.count("\n* D20: ") == 1
        assert "\n**4 pass, 0 fail, none is pending.**" in text
        assert text.count("; since then D18, D20 by ") == 1
