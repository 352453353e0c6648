"""MJCF models in random states: M, h, inverse and forward dynamics, energies and frames as MuJoCo's.

Both read the same file. Two programs that sum the same products in another order differ by
round-off, relative to the largest entry 1e-9 at most, except where M⁻¹ enlarges it.
"""

from pathlib import Path

import pytest

from tribo.jit import DISABLED

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
pytest.importorskip("scipy", reason="hulls of meshes need SciPy")
pytest.importorskip("trimesh", reason="mesh files need trimesh")
from mjcf_trees import random_tree
from mujoco_peer import Scene

FILES = sorted((Path(__file__).parent.parent / "data/mjcf").glob("*.xml"))
STATES = 2 if DISABLED else 100


def _compare(source):
    count = 0
    for difference in Scene(source).differences(STATES):
        assert difference.relative <= difference.allowed, difference
        count += 1
    assert count >= 9 * STATES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_models_agree_with_mujoco(file):
    _compare(file)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_agree_with_mujoco(seed):
    _compare(random_tree(seed))
