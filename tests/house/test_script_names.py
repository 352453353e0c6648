"""Benchmarks and validation run by hand: what they name of tribo must exist."""

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(p for folder in ("benchmarks", "validation") for p in (ROOT / folder).rglob("*.py"))


def module(name: str) -> ModuleType | None:
    """Return a module of tribo, None if there is none of that name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def missing(tree: ast.AST) -> list[str]:
    """Return the names of tribo in a script that do not exist."""
    found, modules = [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tribo":
            home = importlib.import_module(str(node.module))
            for name in node.names:
                part = module(f"{node.module}.{name.name}")
                if part is not None:
                    modules[name.asname or name.name] = part
                elif not hasattr(home, name.name):
                    found.append(f"line {node.lineno}: {node.module}.{name.name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            home = modules.get(node.value.id)
            if home is not None and not hasattr(home, node.attr):
                found.append(f"line {node.lineno}: {node.value.id}.{node.attr}")
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_names_of_tribo_exist(path: Path) -> None:
    assert missing(ast.parse(path.read_text())) == []


def test_a_missing_name_is_found() -> None:
    text = "from tribo.collision import narrowphase, nothing\nnarrowphase.primitives()\n"
    assert len(missing(ast.parse(text))) == 2
