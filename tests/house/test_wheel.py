"""What a wheel says of itself is what its parts say."""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
import zipfile

import pytest
from house.repository import PACKAGE, ROOT
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

from tribo.compiler import prebuilt

SAID = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PINNED = {r.name: r for r in map(Requirement, SAID["tool"]["tribo"]["prebuild"]["requires"])}


def file_of(name):
    return (ROOT / "wheels" / name).read_text("utf-8")


def test_what_compiles_a_wheel_is_pinned_and_what_the_extra_allows():
    (numba,) = map(Requirement, SAID["project"]["optional-dependencies"]["jit"])
    for name in ("numba", "llvmlite"):
        (version,) = PINNED[name].specifier
        assert version.operator == "=="
    (version,) = PINNED["numba"].specifier
    assert numba.specifier.contains(version.version)


def test_no_extra_brings_a_second_mujoco_over_a_users():
    """`mujoco-core` puts its files into the folder of `mujoco`; a user has either, 3.x or 4.x."""
    asked = [Requirement(r) for extra in SAID["project"]["optional-dependencies"].values() for r in extra]
    asked += map(Requirement, SAID["project"]["dependencies"])
    assert "mujoco-core" not in {r.name for r in asked}
    (mujoco,) = map(
        Requirement, (r for r in SAID["project"]["optional-dependencies"]["bench"] if "mujoco" in r)
    )
    for version in ("3.3.7", "4.0.0"):
        assert mujoco.specifier.contains(version)


def test_numba_is_a_dependency_only_where_no_library_is_built():
    (numba,) = [r for r in map(Requirement, SAID["project"]["dependencies"]) if r.name == "numba"]
    place = {"sys_platform": "linux", "platform_machine": "x86_64"}
    assert not numba.marker.evaluate(place)
    assert numba.marker.evaluate({**place, "platform_machine": "aarch64"})
    assert numba.marker.evaluate({**place, "sys_platform": "darwin"})


def test_the_tag_is_that_of_the_stable_abi_of_the_oldest_python():
    oldest = re.fullmatch(r">=3\.(\d+)", SAID["project"]["requires-python"])[1]
    tag = re.search(r'^TAG = "([^"]+)"', file_of("hatch_build.py"), re.MULTILINE)[1]
    (read,) = parse_wheel_filename(f"tribo-0.1.0-{tag}.whl")[3]
    assert (read.interpreter, read.abi) == (f"cp3{oldest}", "abi3")
    asked = re.search(r"Py_LIMITED_API (0x[0-9a-f]+)", (PACKAGE / "compiler/shim.c").read_text())[1]
    assert int(asked, 16) == 0x03000000 + (int(oldest) << 16)


def test_only_wheels_wait_for_the_compiler(monkeypatch):
    pytest.importorskip("hatchling")
    backend = load("build_backend", monkeypatch)
    monkeypatch.chdir(ROOT)
    names = {Requirement(r).name for r in backend.get_requires_for_build_wheel()}
    assert {"numba", "llvmlite", "numpy"} <= names
    assert not {"numba", "llvmlite"} & set(backend.get_requires_for_build_editable())


def load(name, monkeypatch):
    place = ROOT / "wheels" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel of these sources, unpacked, in an environment where there is no Numba."""
    for path in (ROOT / "dist").glob("tribo-*.whl"):
        with zipfile.ZipFile(path) as wheel:
            if "tribo/_prebuilt/kernels.json" not in wheel.namelist():
                continue
            said = json.loads(wheel.read("tribo/_prebuilt/kernels.json"))
            if said["sources"] == prebuilt.sources():
                place = tmp_path_factory.mktemp("wheel")
                wheel.extractall(place)
                (place / "sitecustomize.py").write_text(
                    "import sys\nsys.modules['numba'] = sys.modules['llvmlite'] = None\n"
                )
                return place
    pytest.skip("no wheel of these sources in dist/; `make wheel` builds it")


def run(place, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(place), "TRIBO_KERNELS": "prebuilt"}
    environment["NUMBA_CACHE_DIR"] = str(place / "none")
    done = subprocess.run(
        [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wheel_plays_without_numba(unpacked, monkeypatch):
    check = load("check", monkeypatch)
    where = run(unpacked, "-c", "import tribo; print(tribo.__file__)")
    assert where.strip() == str(unpacked / "tribo" / "__init__.py")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        viewer = check.VIEWER.replace("port=8219", f"port={free.getsockname()[1]}")
    for code in (check.START, check.readme(), viewer):
        run(unpacked, "-c", code)
    for name in check.EXAMPLES:
        run(unpacked, str(ROOT / "examples" / f"{name}.py"))
    assert not (unpacked / "none").exists()  # nothing was compiled
