"""Contents of a recording: the one table that the writer, the reader and the docs follow.

A recording is a Zarr group, format 3, with one array per row of `FIELDS`. Its first axis is the frame, or
the row of the table of contacts. The attributes of the group say how many rows are whole: a writer that
is killed leaves at most rows behind that are not counted. Where cables have got or lost segments, the frames
that follow are a group of the same form in the folder stretch_1, stretch_2 …; `stretches` of the first
group says how many there are.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.description.extents import rotation_matrix
from tribo.description.trees import ShapeDescription
from tribo.engine.layout import COORDINATES, DOFS, joint_types
from tribo.model import Joint

FORMAT = "tribo recording"
VERSION = 3  # older ones are read, too
SINCE = {"stage_time": 2}  # arrays that older versions do not have; they read as NaN
CODECS: list[dict[str, Any]] = [  # of every array, as Zarr writes them
    {"name": "bytes", "configuration": {"endian": "little"}},
    {
        "name": "blosc",
        "configuration": {
            "typesize": 8, "cname": "zstd", "clevel": 1, "shuffle": "shuffle", "blocksize": 0,
        },
    },
    {"name": "crc32c"},
]  # fmt: skip
CONTACT_ROWS = 4096  # of a chunk of the table of contacts
CHUNK_BYTES = 1 << 25  # most of a chunk
MODEL_BYTES = 1 << 26  # most that the description of a model takes
FRAMES_AT_MOST = 256  # of a chunk
STRETCHES = 1 << 20  # most of them
NEEDS = 'recordings need Zarr: pip install "tribo[record]"'


class Field(NamedTuple):
    """One array of a recording."""

    name: str
    axes: tuple[str | int, ...]  # after the first; names of sizes, or numbers
    unit: str
    text: str
    dtype: str = "float64"
    per: str = "frame"  # or "contact"


FIELDS = (
    Field("time", (), "s", "world time"),
    Field("q", ("nq",), "m, rad, –", "generalized coordinates of all objects, one after another"),
    Field("v", ("nv",), "m/s, rad/s", "generalized velocities"),
    Field("body_position", ("nbody", 3), "m", "origins of all bodies, world axes"),
    Field("body_orientation", ("nbody", 4), "–", "quaternions (w, x, y, z), body axes to world axes"),
    Field("feedforward", ("nv",), "N, N m", "feed-forward forces that the user commands"),
    Field("target_q", ("nq",), "m, rad, –", "targets of the drives"),
    Field("target_v", ("nv",), "m/s, rad/s", "velocity targets of the drives"),
    Field("kp", ("nv",), "N/m, N m/rad", "gains of the drives"),
    Field("kd", ("nv",), "N s/m, N m s/rad", "damping gains of the drives"),
    Field("applied_force", ("nv",), "N, N m", "what drives and feed-forward applied in the last step"),
    Field("kinetic_energy", (), "J", "of all dynamic objects"),
    Field("potential_energy", (), "J", "of all dynamic objects in gravity and of joint springs"),
    Field("linear_momentum", (3,), "kg m/s", "of all dynamic objects, world axes"),
    Field("angular_momentum", (3,), "kg m²/s", "of all dynamic objects about the world origin, world axes"),
    Field("status", (), "bits of tribo.Status", "how the last step went; 0: well", "int64"),
    Field("residual", (3,), "–", "primal, dual, complementarity violation of the last contact solve"),
    Field("sweeps", (), "–", "sweeps of the last contact solve", "int64"),
    Field("stage_time", (2,), "s", "wall time of `update` and `advance`, the halves of the last step; NaN: "
          "not measured"),
    Field("contact_end", (), "–", "past-the-last row of the frame's contacts; they begin where the frame "
          "before ends", "int64"),
    Field("contact_body", (2,), "–", "bodies A and B, rows of `bodies` of the model", "int64", "contact"),
    Field("contact_position", (3,), "m", "between the two surfaces, world axes", per="contact"),
    Field("contact_normal", (3,), "–", "unit, from B into A, world axes", per="contact"),
    Field("contact_depth", (), "m", "> 0: overlap where the step was evaluated", per="contact"),
    Field("contact_force", (3,), "N", "mean force on A in the last step, world axes", per="contact"),
    Field("contact_friction", (), "–", "friction coefficient of the pair of materials", per="contact"),
)  # fmt: skip
BY_NAME = {field.name: field for field in FIELDS}


def folder(path: Any) -> Path:
    """Return the path of a recording, a folder that is there or will be.

    Raises:
        TypeError: It is neither a string nor a path.
        ValueError: It is empty or has a null character.
    """
    check.instance(path, str | PathLike, "path must be a string or a path")
    text = str(path)
    if not text or "\0" in text:
        raise ValueError(f"path must name a recording, got {check.shown(text)}")
    return Path(text)


def folder_of_stretch(path: Path, number: int) -> Path:
    """Return where the frames of a stretch with the same bodies are: the first in the recording itself."""
    return path / f"stretch_{number}" if number else path


def shape_of(field: Field, sizes: dict[str, int]) -> tuple[int, ...]:
    """Return the lengths of all axes of a field but the first."""
    return tuple(sizes[axis] if isinstance(axis, str) else axis for axis in field.axes)


def chunk_of(field: Field, sizes: dict[str, int], frames: int) -> tuple[int, ...]:
    """Return the shape of a chunk; axes of no entry count as one."""
    rows = frames if field.per == "frame" else CONTACT_ROWS
    return (rows, *(max(1, n) for n in shape_of(field, sizes)))


def frames_of_chunk(sizes: dict[str, int], asked: int | None) -> int:
    """Return how many frames are written at a time, so that no chunk is larger than `CHUNK_BYTES`."""
    widest = max(
        int(np.prod(chunk_of(field, sizes, 1), dtype=float)) for field in FIELDS if field.per == "frame"
    )
    return max(1, min(asked or FRAMES_AT_MOST, CHUNK_BYTES // (8 * widest)))


def describe(world: Any) -> dict[str, Any]:
    """Return what the numbers of a recording belong to, as plain data for JSON.

    It names objects, bodies, joints, coordinates with units, and the collision shapes of bodies (those that
    five numbers describe; of meshes, hulls and height maps only kind and place). It does not hold masses of
    inertia or pair tables: a world is rebuilt from its own file or program.
    """
    engine = world.engine
    objects: list[dict[str, Any]] = []
    bodies: list[dict[str, Any]] = []
    coordinates: list[dict[str, str]] = []
    dofs: list[dict[str, str]] = []
    shapes: list[dict[str, Any]] = []
    for part in world.objects:
        span, description = part.span, part.description
        assert span is not None
        objects.append({
            "name": part.name, "type": type(part).__name__, "kind": part.body_type.name.lower(),
            "bodies": [span.body.start, span.body.stop], "q": [span.q.start, span.q.stop],
            "v": [span.v.start, span.v.stop], "mass": part.mass,
        })  # fmt: skip
        kinds = joint_types(description)
        for k, (body, kind) in enumerate(zip(description.bodies, kinds, strict=True)):
            of_joint = part.name if kind == Joint.FREE else f"{part.name}/{body.joint.name}"
            bodies.append({"name": f"{part.name}/{body.name}", "joint": body.joint.name,
                           "joint_type": kind.name.lower()})  # fmt: skip
            coordinates += _columns(of_joint, _COORDINATES[kind])
            dofs += _columns(of_joint, _DOFS[kind])
            shapes += [_shape(part.name, span.body.start + k, shape) for shape in body.shapes]
    return {
        "time_step": float(world.time_step), "gravity": [float(x) for x in world.gravity],
        "sizes": {"nq": engine.state.q.size, "nv": engine.state.v.size, "nbody": len(bodies)},
        "objects": objects, "bodies": bodies, "coordinates": coordinates, "dofs": dofs, "shapes": shapes,
    }  # fmt: skip


def _shape(owner: str, body: int, shape: ShapeDescription) -> dict[str, Any]:
    return {
        "name": f"{owner}/{shape.name}", "body": body, "kind": shape.kind.name.lower(),
        "size": [float(x) for x in shape.size], "position": [float(x) for x in shape.position],
        "rotation": rotation_matrix(shape.quaternion).ravel().tolist(), "material": shape.material,
    }  # fmt: skip


_AXES = ("x", "y", "z")
_TURN = [(f"q{axis}", "–") for axis in ("w", *_AXES)]
_SPIN = [(f"w{axis}", "rad/s") for axis in _AXES]
_COORDINATES: dict[Joint, list[tuple[str, str]]] = {
    Joint.FIXED: [],
    Joint.REVOLUTE: [("", "rad")],
    Joint.PRISMATIC: [("", "m")],
    Joint.SPHERICAL: _TURN,
    Joint.FREE: [(axis, "m") for axis in _AXES] + _TURN,
}
_DOFS: dict[Joint, list[tuple[str, str]]] = {
    Joint.FIXED: [],
    Joint.REVOLUTE: [("", "rad/s")],
    Joint.PRISMATIC: [("", "m/s")],
    Joint.SPHERICAL: _SPIN,
    Joint.FREE: [(f"v{axis}", "m/s") for axis in _AXES] + _SPIN,
}
assert all(len(names) == COORDINATES[kind] for kind, names in _COORDINATES.items())
assert all(len(names) == DOFS[kind] for kind, names in _DOFS.items())


def _columns(owner: str, names: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": f"{owner}/{name}" if name else owner, "unit": unit} for name, unit in names]
