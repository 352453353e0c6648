"""Files that cannot be written are said before any work, and leave what was there."""

import pytest

import tribo
from tribo import spatial
from tribo.checks.files import NotPlainError
from tribo.tools.demo import ASSETS


@pytest.fixture(scope="module")
def world():
    made = tribo.World()
    made.add_sphere(0.1, mass=1.0)
    made.add_articulated_system(ASSETS / "quadruped.urdf", name="dog")
    return made


WRITERS = {
    "world.xml": lambda world, path: world.save(path),
    "then.state": lambda world, path: world.save_state(path),
    "dog.urdf": lambda world, path: world["dog"].export_urdf(path),
    "tree.json": lambda world, path: spatial.save(spatial.autoTree(2), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_folder_is_named(world, tmp_path, name):
    with pytest.raises(FileNotFoundError, match=rf"runs.{name}: its folder does not exist; make it"):
        WRITERS[name](world, tmp_path / "runs" / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_or_what_lies_in_a_file_is_refused(world, tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match=r"must be the path of a file, got|it is a folder, not a plain"):
        WRITERS[name](world, tmp_path / name)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotPlainError, match="file is no folder"):
        WRITERS[name](world, tmp_path / "file" / name)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_path_that_is_none_is_said(world):
    for write in (world.save, world.save_state):
        with pytest.raises(TypeError, match="path must be"):
            write(None)
