"""docs/develop/walks.md: a contact takes at most twelve files, and the search it names finds writers."""

import re

from house.repository import PACKAGE, ROOT

PAGE = (ROOT / "docs/develop/walks.md").read_text("utf-8")
LONGEST_WALK = 12
WRITER = r"work\.{field}\[.*\] *[-+*|&]?=(?!=)|store\w*\(work\.{field}\b"


def files_of(heading):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(src/[^`]+)`", section, re.MULTILINE)


def test_the_walks_are_short_and_along_files_that_exist():
    for heading, first in (
        ("The walk of one contact", "narrowphase"),
        ("The walk of one torque", "articulated"),
    ):
        files = files_of(heading)
        assert 3 < len(files) <= LONGEST_WALK
        assert all((ROOT / name).is_file() for name in files)
        assert first in files[0]


def test_the_search_finds_the_writers_of_a_contact_s_numbers():
    """Each stage of the walk that makes a number of the contact is among the writers that are found."""
    makers = {
        "contact_gap": "collision/", "contact_target": "problem/contact_targets.py",
        "contact_impulse": "solver/island_solve", "drive_force": "dynamics/actuation.py",
        "free_response": "dynamics/integrate.py",
    }  # fmt: skip
    for field, maker in makers.items():
        pattern = re.compile(WRITER.format(field=field))
        found = [
            path.relative_to(PACKAGE).as_posix()
            for path in sorted(PACKAGE.rglob("*.py"))
            if pattern.search(path.read_text("utf-8"))
        ]
        assert any(maker in name for name in found), (field, found)
