"""Files by other authors in the corpus of the fuzz: each has a source, a licence and a reader."""

import re
from pathlib import Path

from fuzz import readers

PLACE = readers.OTHERS
ROW = re.compile(r"^\| ([\w-]+) \| .+ \| .+ \| [\w.-]+ \| ([\w.-]+\.txt) \|$", re.MULTILINE)


def test_each_file_has_a_source_and_a_licence():
    rows = dict(ROW.findall((PLACE / "README.md").read_text("utf-8")))
    folders = {path.name for path in PLACE.iterdir() if path.is_dir()} - {"licences"}
    assert set(rows) == folders
    assert {path.name for path in (PLACE / "licences").iterdir()} == set(rows.values())


def test_each_file_is_read_by_somebody():
    assert {Path(name).suffix for name in readers.others()} == set(readers.BY_ENDING)
