"""Every example in a docstring gives what it says."""

import doctest
import importlib

import pytest
from house.repository import PACKAGE, kept_modules, needs, needs_learn

MARKS = {
    "stable_baselines.py": [needs("stable_baselines3")],
    "rsl_rl.py": [needs("rsl_rl", "tensordict", "torch")],
    "players.py": [needs_learn],
}
OF_FOLDERS = {"learn": [needs_learn], "torch": [needs("torch")], "jax": [needs("jax")]}
EXAMPLES = [
    pytest.param(path, marks=OF_FOLDERS.get(path.parent.name, MARKS.get(path.name, [])))
    for path in kept_modules()
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_docstring_examples(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0
