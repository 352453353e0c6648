"""The fast cases of validation/. Those that are known to fail must fail: see docs/validation.md."""

import everything
import play_tribo
import pytest
from suite import in_order

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
    """Ninety cases of six families and the founding text's six, each with a scene and an answer."""
    counts = dict.fromkeys(everything.FAMILIES, 0)
    for case in in_order():
        counts[case.id[0]] += 1
        assert case.scene
        assert case.oracle
        assert case.waits_for or not case.is_pending
    assert counts == {"A": 14, "B": 12, "C": 13, "D": 19, "E": 14, "F": 30, "R": 6}
