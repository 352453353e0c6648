"""Every reader of files, fed with changed files of the corpus: worlds, robots, materials, meshes, states.

An input is refused in words or taken; a world that refuses is the same as before, to the bit.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import tribo
from fuzz.mutate import damaged, mutated, repacked, resealed
from tribo import spatial
from tribo.learn import checkpoint
from tribo.learn.policy import Policy

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
ASSETS = ROOT / "src" / "tribo" / "assets"
OTHERS = DATA / "fuzz" / "others"  # files by other authors; its README names their licences
READ = ("time", "q", "contact_force")  # arrays of a recording that are read, and whose files are changed
LARGEST = 200_000  # characters of a corpus file
IN_PROCESSES = 0.05  # share of USD files that are read: each starts a process of a second

Take = Callable[[tribo.World, Path], object]


def _robot(world: tribo.World, path: Path) -> object:
    return world.add_articulated_system(path)


def _scene(world: tribo.World, path: Path) -> object:
    return world.load_mjcf(path)


def _attached(world: tribo.World, path: Path) -> object:
    top = path.with_name("attaches.xml")
    top.write_text(
        f"""<mujoco><asset><model name="m" file="{path.name}"/></asset><worldbody>
        <attach model="m" prefix="a_"/><body><geom size="0.1"/>
        <attach model="m" body="upper" prefix="b_"/></body></worldbody></mujoco>"""
    )
    return world.load_mjcf(top)


def _world(world: tribo.World, path: Path) -> object:
    return tribo.World.load(path)


def _materials(world: tribo.World, path: Path) -> object:
    return world.load_materials(path)


def _bodies(world: tribo.World, path: Path) -> object:
    return world.load_body(path)


def _gazebo(world: tribo.World, path: Path) -> object:
    return world.load_sdf(path)


def _usd(world: tribo.World, path: Path) -> object:
    return world.load_usd(path)


def _rigid_materials(world: tribo.World, path: Path) -> object:
    return world.load_materials(tribo.read_materials(path).subset(), rigid=True)


def _mesh(world: tribo.World, path: Path) -> object:
    return world.add_mesh(path, mass=1.0)


def _ruled(world: tribo.World, path: Path) -> object:
    return world.add_articulated_system(path.with_suffix(".urdf"))  # the SRDF lies beside it


def _macros(world: tribo.World, path: Path) -> object:
    return world.add_articulated_system(path.read_text("utf-8", "replace"))  # xacro is not run


def _state(world: tribo.World, path: Path) -> object:
    return world.load_state(path)


def _heights(world: tribo.World, path: Path) -> object:
    return tribo.HeightField.from_text(path)


def _picture(world: tribo.World, path: Path) -> object:
    return tribo.HeightField.from_image(path, (1.0, 1.0), scale=0.5)


def _elevation(world: tribo.World, path: Path) -> object:
    return tribo.HeightField.from_image(path, scale=0.5)


def _model(world: tribo.World, path: Path) -> object:
    return spatial.load(path)


BY_ENDING: dict[str, tuple[Take, ...]] = {  # who reads files of others
    ".urdf": (_robot,), ".sdf": (_gazebo, _robot), ".xml": (_scene, _robot),
    ".usd": (_usd,), ".usda": (_usd,), ".png": (_picture,),
    ".xacro": (_macros,), ".srdf": (_ruled,),
    **dict.fromkeys((".obj", ".stl", ".msh", ".ply", ".dae", ".glb", ".wrl"), (_mesh,)),
}  # fmt: skip


VRML = b"""#VRML V2.0 utf8
PROTO P [ field SFVec3f c 0 0 0 ] { Transform { translation IS c } }
PROTO G [ field SFVec3f s 1 1 1 exposedField MFNode k [ ] eventIn MFNode add ]
{ Group { children [ Shape { geometry Box { size IS s } } P { c 1 0 0 } Group { children IS k } ] } }
DEF S Shape { geometry DEF B Box { size 1 2 3 } }
DEF U G { s 1 2 0 k [ USE S G { } ] }
Transform { translation 0 0 1 rotation 0 1 0 0.5 scale 1 2 1 children [ USE S
 Shape { geometry IndexedFaceSet { convex FALSE
  coord Coordinate { point [ 0 0 0, 2 0 0 2 2 0 1 0.5 0 0 2 0 ] }
  coordIndex [ 0 1 2 3 4 -1 0 2 1 ] } }
 Shape { geometry Extrusion { crossSection [ 1 1 1 -1 -1 -1 1 1 ]
  spine [ 0 0 0 0 1 0 1 1 0 ] scale [ 1 1 0.5 2 ] } }
 Switch { whichChoice 0 choice Shape { geometry Cone { } } } ] }
"""


def _policy(world: tribo.World, path: Path) -> object:
    return Policy.load(path)


def _checkpoint(world: tribo.World, path: Path) -> object:
    return checkpoint.load(path)


def _recording(world: tribo.World, path: Path) -> object:
    """Read all of a recording of which one file is another; its number is in the name."""
    whole, files = path.parent / "run.zarr", recording()
    for name, data in files if not whole.exists() else ():
        (whole / name).parent.mkdir(parents=True, exist_ok=True)
        (whole / name).write_bytes(data)
    name, data = files[int(path.stem.removeprefix("recording"))]
    try:
        (whole / name).write_bytes(path.read_bytes())
        made = tribo.Recording(whole)
        return [made[name] for name in READ]
    finally:
        (whole / name).write_bytes(data)


@cache
def recording() -> tuple[tuple[str, bytes], ...]:
    """Return name and content of all files of a small recording."""
    with tempfile.TemporaryDirectory() as folder:
        root, world = Path(folder) / "run.zarr", small_world()
        with world.record(root, chunk=4):
            world.step(10)
        return tuple(
            (str(path.relative_to(root)), path.read_bytes())
            for path in sorted(root.rglob("*")) if path.is_file()
        )  # fmt: skip


@cache
def corpus() -> tuple[tuple[str, bytes, Take], ...]:
    """Return (name, content, who reads it) of all files that are changed."""
    found: list[tuple[Path, Take]] = []
    found += [(path, _robot) for path in (*DATA.glob("*.urdf"), *ASSETS.glob("*.urdf"))]
    found += [(path, _scene) for path in (DATA / "mjcf").glob("*.xml")]
    found += [(path, _robot) for path in (DATA / "mjcf").glob("*.xml")]
    found += [(path, _gazebo) for path in (DATA / "sdf").glob("*.sdf")]
    found += [(path, _robot) for path in (DATA / "sdf").glob("*.sdf")]
    found += [(path, _attached) for path in (DATA / "mjcf").glob("attach/arm/*.xml")]
    found += [(path, _world) for path in (*DATA.glob("raisim_*.xml"), *ASSETS.glob("*.xml"))]
    found += [(path, _materials) for path in (*DATA.glob("raisim_mat*.xml"), *ASSETS.glob("*.xml"))]
    found += [(path, _bodies) for path in DATA.glob("*.body")]
    found += [(path, _world) for path in DATA.glob("*.cnoid")]
    found += [(path, _rigid_materials) for path in DATA.glob("*.yaml")]
    found += [(path, _robot) for path in (DATA / "fuzz").glob("*.urdf")]
    found += [(path, _world) for path in (DATA / "fuzz").glob("*.world.xml")]
    found += [(path, _scene) for path in (DATA / "fuzz").glob("*.mjcf.xml")]
    if find_spec("pxr") is not None:
        found += [(path, _usd) for path in (DATA / "usd").glob("*.usd[ac]")]
    files = [
        (path.name, path.read_bytes(), take)
        for path, take in sorted(found, key=lambda f: (f[0].name, f[1].__name__))
    ]
    files += [
        (name, data, take)
        for name, data in others().items()
        for take in BY_ENDING.get(Path(name).suffix, ())
        if "/common/" not in name  # what others include
        if take is not _usd or find_spec("pxr") is not None
    ]
    return tuple((name, data, take) for name, data, take in (*files, *_made()) if len(data) <= LARGEST)


@cache
def others() -> dict[str, bytes]:
    """Return files by other authors, by their paths in `OTHERS`."""
    return {
        path.relative_to(OTHERS).as_posix(): path.read_bytes()
        for path in sorted(OTHERS.glob("*/**/*")) if path.is_file() and path.suffix != ".txt"
    }  # fmt: skip


def _made() -> list[tuple[str, bytes, Take]]:
    """Return files that are written here: meshes in every format, a state, heights, a picture, a model."""
    import trimesh

    box = trimesh.creation.box((0.2, 0.3, 0.4))
    ball = trimesh.creation.icosphere(1, 0.1)
    made: list[tuple[str, bytes, Take]] = []
    for kind in ("obj", "stl", "ply", "glb", "dae", "off"):
        for name, mesh in (("box", box), ("ball", ball)):
            data = mesh.export(file_type=kind)
            made.append((f"{name}.{kind}", data.encode() if isinstance(data, str) else data, _mesh))
    made.append(("scene.wrl", VRML, _mesh))
    made.append(("box_text.stl", box.export(file_type="stl_ascii").encode(), _mesh))
    made.append(("state.bin", small_world().dump_state(), _state))
    made.append(("heights.txt", b"3 3\n1.0 1.0\n0 0 0 0 1 0 0 0 0\n", _heights))
    made += [
        (f"recording{k}.zarr", data, _recording)
        for k, (name, data) in enumerate(recording())
        if name.split("/")[0] in {*READ, "zarr.json", "model"}
    ]
    with tempfile.TemporaryDirectory() as folder:
        from PIL import Image, TiffImagePlugin

        learnt = Path(folder) / "policy.npz"
        layers = [(np.ones((2, 3), np.float32), np.zeros(2, np.float32))]
        Policy("any", np.zeros(3), np.ones(3), layers, -np.ones(2), np.ones(2)).save(learnt)
        made += [("policy.npz", learnt.read_bytes(), _policy)] * 4
        if find_spec("torch") is not None:
            checkpoint.save(learnt, {"a": np.arange(4.0), "b": [1, "two"]})
            made += [("checkpoint.pt", learnt.read_bytes(), _checkpoint)] * 4

        image = Path(folder) / "heights.png"
        Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8)).save(image)
        made.append(("heights.png", image.read_bytes(), _picture))
        for kind in ("jpg", "tif"):
            Image.open(image).save(image.with_suffix(f".{kind}"))
            made.append((f"heights.{kind}", image.with_suffix(f".{kind}").read_bytes(), _picture))
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        for tag, kind, value in ((33550, 12, (30.0, 20.0, 0.0)), (34735, 3, (1, 1, 0, 1, 1024, 0, 1, 1))):
            tags.tagtype[tag], tags[tag] = kind, value
        tags.tagtype[42113], tags[42113] = 2, "-9999"
        elevation = Path(folder) / "elevation.tif"
        Image.fromarray(np.eye(5, dtype=np.float32)).save(elevation, tiffinfo=tags)
        made.append(("elevation.tif", elevation.read_bytes(), _elevation))
        model = Path(folder) / "model.json"
        spatial.save(spatial.autoTree(3), model)
        made.append(("model.json", model.read_bytes(), _model))
    return made


def small_world() -> tribo.World:
    """Return the world that reads; what it refuses must leave it as it is."""
    world = tribo.World()
    world.add_ground()
    world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    return world


@cache
def companions() -> dict[str, bytes]:
    """Return files that lie beside those that are read: meshes, what a project names, those of others."""
    named = [path for kind in ("*.body", "*.yaml") for path in DATA.glob(kind)]
    boxes = {n: data for n, data, take in _made() if take is _mesh and n.startswith("box")}
    return boxes | {path.name: path.read_bytes() for path in named} | others()


@cache
def _folder(process: int) -> Path:
    """Return the folder of a process, with the companions of what is read."""
    made = Path(tempfile.mkdtemp(prefix=f"tribo-fuzz-{process}-"))
    for name, data in companions().items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(data)
    return made


_kept: list[tuple[tribo.World, tuple[object, ...]]] = []  # the world that reads, and how it stands
TEXTS = (
    ".urdf", ".xml", ".sdf", ".usda", ".txt", ".json", ".dae", ".obj", ".off", ".body", ".yaml", ".cnoid",
    ".wrl", ".xacro", ".srdf",
)  # fmt: skip


def quieten() -> None:
    """Have readers log nothing."""
    for name in ("tribo", "trimesh"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    np.seterr(all="ignore")


def prepare() -> None:
    """Load what readers load lazily, before files are watched."""
    quieten()
    for name, data, take in corpus():
        with contextlib.suppress(tribo.DescriptionError, ValueError):
            read(name, data, take)


def changed(rng: random.Random, name: str, data: bytes) -> bytes:
    """Return a file with a few changes of its kind."""
    if name.endswith(TEXTS) and rng.random() < 0.9:
        return mutated(rng, data.decode("utf-8", "replace")).encode("utf-8", "replace")
    if name.endswith((".npz", ".pt")) and rng.random() < 0.7:
        return repacked(rng, data)
    if name == "state.bin" and rng.random() < 0.7:
        return resealed(rng, data)
    return damaged(rng, data)


def _standing(world: tribo.World) -> tuple[object, ...]:
    """Return what must not change when a file is refused."""
    return len(world.objects), world.material_names, world.hash()


def read(name: str, data: bytes, take: Take) -> bool:
    """Read a file with that content; return whether it was taken."""
    if not _kept:
        world = small_world()
        _kept.append((world, _standing(world)))
    world, before = _kept[0]
    path = _folder(os.getpid()) / name
    path.write_bytes(data)
    try:
        take(world, path)
    except Exception:
        if _standing(world) != before:
            _kept.clear()
            raise AssertionError(f"{name}: refused, and the world is not as it was") from None
        raise
    finally:
        beside = companions().get(name)
        if beside is None:
            path.unlink()
        else:
            path.write_bytes(beside)
    if len(world.objects) != before[0] or _standing(world) != before:
        _kept.clear()  # it has something new
    return True


def play(number: int) -> bool:
    """Read one changed file; return whether it was taken."""
    rng = random.Random(number)
    name, data, take = corpus()[number % len(corpus())]
    if take is _usd and rng.random() > IN_PROCESSES:
        name, data, take = rng.choice([one for one in corpus() if one[2] is not _usd])
    return read(name, changed(rng, name, data), take)
