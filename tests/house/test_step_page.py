"""One step can be read on one page, and the docs explain it stage by stage in the same order."""

import ast
import re

from house.repository import PACKAGE, ROOT

STEP = PACKAGE / "step.py"
STAGE_FOLDERS = ("tribo.dynamics", "tribo.collision", "tribo.contact")


def stages():
    """Return the calls of `file.function` of the stage folders in step.py, in the order read."""
    tree = ast.parse(STEP.read_text("utf-8"))
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


def test_the_page_is_short():
    assert len(STEP.read_text("utf-8").splitlines()) <= 120


def test_each_stage_has_a_heading():
    headings = re.findall(r"^#{2,4} .*$", (ROOT / "docs/physics/step.md").read_text("utf-8"), re.M)
    explained = [name for line in headings for name in re.findall(r"`([\w.]+)`", line)]
    assert stages()
    assert [name for name in explained if name in stages()] == stages()
