"""One step can be read on one page, and the docs explain it stage by stage in the same order."""

import ast
import re

from house.repository import PACKAGE, ROOT

STEP = PACKAGE / "step.py"
STAGE_FOLDERS = ("tribo.dynamics", "tribo.collision", "tribo.contact")
GROUPS = {
    "midpoint": "dynamics/midpoint.py",
    "detection": "contact/detection.py",
    "rows": "contact/rows.py",
    "ending": "contact/ending.py",
}
MAX_LINES, MAX_STAGES = 100, 30


def stages(page):
    """Return the calls of `file.function` of the stage folders in a file, in the order read."""
    tree = ast.parse(page.read_text("utf-8"))
    files = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith(STAGE_FOLDERS):
            files |= {alias.asname or alias.name for alias in node.names}
    calls = [
        (node.lineno, f"{node.func.value.id}.{node.func.attr}")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in files
    ]
    return list(dict.fromkeys(name for _, name in sorted(calls)))


def explained(level):
    """Return what the headings of a level name, in the order read."""
    page = (ROOT / "docs/physics/step.md").read_text("utf-8")
    headings = re.findall(rf"^{'#' * level} .*$", page, re.M)
    return [name for line in headings for name in re.findall(r"`(\w+\.\w+)`", line)]


def test_the_page_is_short():
    assert len(STEP.read_text("utf-8").splitlines()) <= MAX_LINES
    assert 20 <= len(stages(STEP)) <= MAX_STAGES


def test_each_stage_has_a_heading():
    assert explained(3) == stages(STEP)


def test_each_line_of_a_group_has_a_heading():
    groups = [name for name in stages(STEP) if name.split(".")[0] in GROUPS]
    lines = []
    for group in dict.fromkeys(name.split(".")[0] for name in groups):
        lines += stages(PACKAGE / GROUPS[group])
    assert len(lines) > 20
    assert explained(4) == lines
