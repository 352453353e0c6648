"""Scripts as RaiSim's users write them, in both dialects: tests/data/raisim_scripts."""

import re
import sys
from unittest.mock import create_autospec

import pytest
from house.repository import ROOT
from scenes import QUADRUPED

import tribo
from tribo import raisimpy
from tribo.raisimpy.server import RaisimServer

SCRIPTS = sorted((ROOT / "tests/data/raisim_scripts").glob("*.py"))


SPELLED = {name for kind in vars(raisimpy).values() for name in getattr(kind, "spellings", {})}


def in_snake_case(text):
    """Return a script in the other dialect."""
    # A name that is a method of several classes keeps the plain spelling where an older one is of one class.
    plain = raisimpy.spelling.snake

    def other(match):
        name = match[1]
        return "." + (plain(name) if name in SPELLED else name)

    return re.sub(r"\.([a-z]+[A-Z0-9]\w*)\b", other, text)


@pytest.fixture
def viewers(monkeypatch):
    """Open no port: what a script asks of its viewer is checked against the viewer's own signatures."""
    made = []

    def make(world, port=8080):
        made.append(create_autospec(tribo.Viewer, instance=True))
        made[-1].address = f"http://127.0.0.1:{port}"
        return made[-1]

    monkeypatch.setattr(RaisimServer, "make_viewer", staticmethod(make))
    return made


@pytest.fixture
def installed(monkeypatch):
    for name in ("raisimpy", "raisimpy.contact", "raisimpy.constraints"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    raisimpy.install()
    yield
    for name in ("raisimpy", "raisimpy.contact", "raisimpy.constraints"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("dialect", ["camelCase", "snake_case"])
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs(path, dialect, viewers, installed, tmp_path):
    text = path.read_text("utf-8")
    if dialect == "snake_case":
        text = in_snake_case(text)
        assert not re.search(r"\.(get|set|add)[A-Z]", text)
    names = {"URDF": str(QUADRUPED), "FOLDER": str(tmp_path), "__name__": "__main__"}
    exec(compile(text, str(path), "exec"), names)


def test_there_are_scripts():
    assert len(SCRIPTS) == 18
