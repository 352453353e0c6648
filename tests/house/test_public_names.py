"""`tribo.NAME` is imported when it is asked for: every public name has its place, as type checkers see it."""

import ast
import subprocess
import sys

import pytest
from house.repository import PACKAGE

import tribo


def promised():
    """Return where type checkers are told that the public names are."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in imports for alias in node.names}


def test_type_checkers_and_programs_find_the_same():
    packages = dict.fromkeys(tribo._BESIDE | tribo._WITHIN, "tribo")
    assert promised() == tribo._HOME | packages


def test_every_public_name_is_there():
    assert {*tribo._HOME, *tribo._KINDS} == set(tribo.__all__)
    for name in tribo.__all__:
        assert getattr(tribo, name) is not None
    assert tribo.STATIC is tribo.Kind.STATIC


def test_the_package_alone_brings_neither_numpy_nor_a_world():
    """What `import tribo` costs is what it loads."""
    code = (
        "import sys, tribo; print(*({'numpy', 'tribo.world', 'numba'} & {*sys.modules})); "
        "print(tribo.description.trees.__name__, tribo.nowhere if hasattr(tribo, 'nowhere') else '')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["", "tribo.description.trees "]


@pytest.mark.parametrize("package", ["ground", "spatial"])
def test_packages_beside_are_there_after_importing_tribo(package):
    """The pages write ``tribo.spatial``: it is imported when it is first asked for."""
    script = f"import tribo; assert tribo.{package}.__name__ == 'tribo.{package}'"
    subprocess.run([sys.executable, "-c", script], check=True)
