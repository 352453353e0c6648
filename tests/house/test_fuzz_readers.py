"""The guided fuzzer counts branches of modules that exist."""

import re
from importlib.util import find_spec

from house.repository import ROOT


def test_each_reader_is_a_module():
    """Names that lead nowhere would be left out without a word."""
    text = (ROOT / "tests/fuzz/guided_child.py").read_text("utf-8")
    listed = re.search(r"READERS = tuple\((.*?)# fmt: skip", text, re.S)
    names = [name for name in re.findall(r'"([\w.]+)"', listed[1]) if name != "tribo"]
    assert len(names) > 10
    assert [name for name in names if find_spec(f"tribo.{name}") is None] == []
