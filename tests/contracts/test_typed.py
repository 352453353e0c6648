"""A user's script is checked by `mypy --strict`: each typo is an error, and nothing else is."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

import tribo
from tribo.checks.types import BodyOptions
from tribo.materials.pair_values import PairValues
from tribo.objects.primitives import _OPTIONS

SCRIPT = Path(__file__).parents[1] / "data" / "typos" / "user_script.py"


def test_mypy_finds_each_typo_and_nothing_else(tmp_path):
    pytest.importorskip("mypy")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        tmp_path,
        "--config-file",
        "",
        SCRIPT,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    found = {int(n) for n in re.findall(r"user_script\.py:(\d+): error", done.stdout)}
    lines = SCRIPT.read_text("utf-8").splitlines()
    assert found == {n for n, line in enumerate(lines, 1) if line.endswith("# typo")}, done.stdout
    assert len(found) >= 5


def test_the_types_list_what_is_taken():
    assert set(BodyOptions.__annotations__) == set(_OPTIONS)
    laws = {f.name for kind in (tribo.PairProperties, tribo.ContactMaterial) for f in fields(kind)}
    assert set(get_type_hints(PairValues)) == laws | {"law"}
