"""One step can be read on one page, and the docs explain it stage by stage in the same order."""

import ast
import re

from house.repository import PACKAGE, ROOT

STEP = PACKAGE / "step.py"
STAGE_FOLDERS = ("tribo.dynamics", "tribo.collision", "tribo.contact")
HEAD = re.compile(r'"""(Stage|Group)s? (`[^:]*`)(?::|\.\n)')
GROUPS = {
    "midpoint": "dynamics/midpoint.py",
    "detection": "contact/detection.py",
    "rows": "contact/rows.py",
    "integration": "contact/integration.py",
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


def explained(levels):
    """Return what the headings of some levels ("3", "3,4") name, in the order read."""
    page = (ROOT / "docs/physics/step.md").read_text("utf-8")
    headings = re.findall(rf"^#{{{levels}}} .*$", page, re.M)
    return [name for line in headings for name in re.findall(r"`(\w+\.\w+)`", line)]


def test_the_page_is_short():
    assert len(STEP.read_text("utf-8").splitlines()) <= MAX_LINES
    assert 20 <= len(stages(STEP)) <= MAX_STAGES


def test_each_stage_has_a_heading():
    assert explained("3") == stages(STEP)


def test_each_line_of_a_group_has_a_heading():
    groups = [name for name in stages(STEP) if name.split(".")[0] in GROUPS]
    lines = []
    for group in dict.fromkeys(name.split(".")[0] for name in groups):
        lines += stages(PACKAGE / GROUPS[group])
    assert len(lines) > 20
    assert explained("4") == lines


def said_in(text):
    """Return the stages that the first line of a file names: `file.function`, `.function` …, in order."""
    head = HEAD.match(text)
    names = re.findall(r"`(\w*)\.(\w+)`", head[2]) if head else []
    return [f"{file or names[0][0]}.{function}" for file, function in names]


def files_of_stages():
    """Return the text of each file of the stage folders, by its name."""
    folders = [PACKAGE / name.split(".")[1] for name in STAGE_FOLDERS]
    return {path.stem: path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")}


def test_a_file_says_which_stages_it_has():
    """The first line of a file names the headings that are in it, all of them and no others."""
    headings = explained("3,4")
    for file, text in files_of_stages().items():
        stages_here = [name for name in headings if name.split(".")[0] == file]
        assert said_in(text) == stages_here, file
        assert not HEAD.match(text) or (HEAD.match(text)[1] == "Group") == (file in GROUPS)


def test_part_of_a_stage_names_a_heading():
    parts = {file: re.match(r'"""Part of stage (.*?):', text) for file, text in files_of_stages().items()}
    named = {file: part[1].strip("`") for file, part in parts.items() if part}
    assert len(named) > 1
    assert set(named.values()) <= set(explained("3,4")), named


def test_a_file_with_another_name_for_its_stage_is_found():
    assert said_in('"""Stage *laws*: the numbers') == []
    assert said_in('"""Stages `sleep.wake_trees` and `.fall_asleep`: what') == [
        "sleep.wake_trees",
        "sleep.fall_asleep",
    ]
