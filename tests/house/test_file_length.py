"""A file is at most 300 lines by intention, 500 by rule: nobody reads a longer one."""

from house.repository import ROOT, kept_modules

LONGEST = 500


def test_no_file_is_too_long():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in kept_modules()
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}
