"""Remarks of tribo.raisimpy come once in a process: each test begins without one."""

import pytest

from tribo.raisimpy import spelling


@pytest.fixture(autouse=True)
def no_remarks_so_far(monkeypatch):
    monkeypatch.setattr(spelling, "_remarked", set())
