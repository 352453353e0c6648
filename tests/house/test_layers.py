"""Arrows point down: `[tool.importlinter]` in pyproject.toml holds, and the engine needs little."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest
from house.repository import PACKAGE, ROOT, kept_modules

from tribo.compiler.jit import BESIDE, LAYERS

# What compiled layers may import besides the package itself.
ALLOWED = {"math", "enum", "numpy"}
# These make the compiled layers possible and may use more of the standard library.
MACHINERY = {
    "compiler/backend.py": {
        "collections", "contextlib", "functools", "hashlib", "logging", "pathlib", "platform", "sys",
        "typing",
    },
    "compiler/export.py": {"functools", "llvmlite", "typing"},
    "compiler/field_array.py": {"llvmlite", "operator", "typing"},
    "compiler/garbage.py": {"collections", "contextlib", "gc", "llvmlite"},
    "compiler/identity.py": {"collections", "hashlib", "sys", "types", "typing"},
    "compiler/kept_kernels.py": {
        "io", "itertools", "os", "pathlib", "pickle", "secrets", "sys", "time", "typing", "weakref",
    },
    "compiler/kernel_passes.py": {"functools", "typing"},
    "compiler/kernel_store.py": {
        "contextlib", "functools", "hashlib", "logging", "os", "pathlib", "time",
    },
    "compiler/linking.py": {
        "atexit", "collections", "contextlib", "functools", "hashlib", "llvmlite", "threading", "typing",
    },
    "compiler/jit.py": {"collections", "functools", "importlib", "types", "typing"},
    "compiler/prebuilt.py": {
        "collections", "functools", "hashlib", "importlib", "json", "logging", "pathlib", "platform",
        "sys", "typing",
    },
    "compiler/lane_types.py": {"collections", "inspect", "llvmlite", "operator", "typing"},
    "compiler/lanes.py": {"collections", "typing"},
    "compiler/progress.py": {"collections", "contextlib", "rich", "sys", "threading", "time", "typing"},
    "compiler/record.py": {"hashlib", "typing"},
    "compiler/record_types.py": {"collections", "hashlib", "importlib", "llvmlite", "typing"},
    "compiler/signature.py": {"dataclasses"},
    "compiler/sources.py": {"collections", "hashlib", "os", "pathlib", "sys"},
    "compiler/switches.py": {"os"},
}  # fmt: skip
# Only these load Numba: an engine with prebuilt kernels runs without it.
NUMBA = {
    "compiler/backend.py", "compiler/export.py", "compiler/field_array.py", "compiler/kept_kernels.py",
    "compiler/kernel_passes.py", "compiler/lane_types.py", "compiler/linking.py", "compiler/record_types.py",
}  # fmt: skip
COMPILED = [
    path
    for path in kept_modules()
    for inner in [path.relative_to(PACKAGE).with_suffix("").parts]
    if inner[0] in (*LAYERS, *BESIDE) or ".".join(inner) in LAYERS
]


def test_contracts_hold():
    lint = pathlib.Path(sys.executable).parent / "lint-imports"
    result = subprocess.run(
        [lint, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_compiled_layer_exists():
    for layer in (*LAYERS, *BESIDE):
        place = PACKAGE / layer.replace(".", "/")
        assert place.with_suffix(".py").exists() or place.is_dir(), layer


@pytest.mark.parametrize("path", COMPILED, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_compiled_layers_import_numpy_and_numba_only(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    name = str(path.relative_to(PACKAGE))
    allowed = ALLOWED | MACHINERY.get(name, set()) | ({"numba"} if name in NUMBA else set())
    assert imported - allowed <= {"tribo", "__future__"}
