"""docs/develop/walks.md: a contact takes at most twelve files, and its stages write what it says."""

import re

from house.repository import ROOT
from house.writers import all_writers

PAGE = (ROOT / "docs/develop/walks.md").read_text("utf-8")
LONGEST_WALK = 12


def files_of(heading):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(src/[^`]+)`", section, re.MULTILINE)


def test_the_walks_are_short_and_along_files_that_exist():
    for heading, first in (
        ("The walk of one contact", "narrowphase"),
        ("The walk of one torque", "actuated"),
        ("The walk of a joint limit", "urdf"),
    ):
        files = files_of(heading)
        assert 3 < len(files) <= LONGEST_WALK
        assert all((ROOT / name).is_file() for name in files)
        assert first in files[0]


def test_the_stages_of_the_walks_write_what_they_are_said_to():
    makers = {
        "work.contact_gap": "collision/", "work.contact_target": "problem/contact_targets.py",
        "work.contact_impulse": "solver/gauss_seidel_iteration", "work.drive_force": "dynamics/actuation.py",
        "work.free_response": "dynamics/integrate.py",
    }  # fmt: skip
    for field, maker in makers.items():
        found = {row.file for row in all_writers() if row.field == field}
        assert any(maker in name for name in found), (field, found)
