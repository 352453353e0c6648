"""The page of settings shows the standard values that the code has."""

import re

from house.repository import ROOT

from tribo.engine.settings import DEFAULTS

NAMES = {"time_step": "dt"}  # public name: name in the record
ROW = re.compile(r"^\| `(\w+)` \| (-?[\d.e-]+) \|", re.MULTILINE)


def test_standard_values_are_those_of_the_code():
    page = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    rows = dict(ROW.findall(page))
    assert len(rows) >= 6
    assert {NAMES.get(name, name): float(value) for name, value in rows.items()} == {
        NAMES.get(name, name): DEFAULTS[NAMES.get(name, name)] for name in rows
    }
