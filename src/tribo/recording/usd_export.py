"""Recordings as USD: the poses of all bodies over time, and the shapes that a few numbers describe."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.replacing import replaced
from tribo.recording.recorded_frames import RecordedFrames

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
ROOT = "/World"
BLOCK = 4096  # frames that are in memory at once


def write_usd(recording: RecordedFrames, path: Path) -> None:
    """Write a stage in metres, z up, whose time codes are frames at the mean rate of the recording.

    Each object is a prim with one for each of its bodies, which holds its pose in the world as
    ``xformOp:translate`` and ``xformOp:orient`` in double precision, a sample for each frame; what stands
    has none. Names that USD does not allow are altered; ``customData`` has them as they are.

    Raises:
        ImportError: OpenUSD is missing; the message names the extra.
        ValueError: Bodies came or went, or a name in it is no text.
    """
    with check.needed('USD files need OpenUSD: pip install "tribo[usd]"'):
        from pxr import UsdUtils
    with tempfile.TemporaryDirectory(prefix="tribo-") as place:
        ending = path.suffix.lower()
        made = Path(place) / f"run{'.usdc' if ending == '.usdz' else ending}"
        stage = _stage(recording)  # it owns its layer
        stage.GetRootLayer().Export(str(made))
        if ending == ".usdz":
            UsdUtils.CreateNewUsdzPackage(str(made), str(made.with_suffix(".usdz")))
            made = made.with_suffix(".usdz")
        with replaced(path) as stream, made.open("rb") as file:
            shutil.copyfileobj(file, stream)


def _stage(recording: RecordedFrames) -> Any:
    from pxr import Usd, UsdGeom

    model = recording.model
    times = recording.time
    span = float(times[-1] - times[0]) if len(times) > 1 else 0.0
    rate = round((len(times) - 1) / span, 6) if span > 0.0 else 1.0
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    if len(times):
        stage.SetStartTimeCode(float(times[0]) * rate)
        stage.SetEndTimeCode(float(times[-1]) * rate)
    root = UsdGeom.Xform.Define(stage, ROOT)
    stage.SetDefaultPrim(root.GetPrim())
    ops, stands = [], []
    taken: set[str] = set()
    for item in model["objects"]:
        top = _define(stage, ROOT, item["name"], taken)
        for k in range(*item["bodies"]):
            name = model["bodies"][k]["name"].removeprefix(f"{item['name']}/")
            body = UsdGeom.Xformable(_define(stage, str(top.GetPath()), name, taken))
            double = UsdGeom.XformOp.PrecisionDouble
            ops.append((body.AddTranslateOp(double), body.AddOrientOp(double)))
            stands.append(item.get("kind") == "static")
            for shape in model["shapes"]:
                if shape["body"] == k:
                    _add_shape(stage, str(body.GetPath()), shape, taken)
    _add_poses(recording, ops, stands, times * rate)
    return stage


def _define(stage: Any, parent: str, name: str, taken: set[str], kind: str = "Xform") -> Any:
    """Return a new prim with a name that USD allows, its own name in its custom data."""
    from pxr import Tf

    path = f"{parent}/{Tf.MakeValidIdentifier(str(name))}"
    while path in taken:
        path += "_"
    taken.add(path)
    made = stage.DefinePrim(path, kind)
    made.SetCustomDataByKey("tribo:name", str(name))
    return made


def _add_shape(stage: Any, parent: str, item: dict[str, Any], taken: set[str]) -> None:
    """Add a collision shape; meshes, hulls and terrain are not in a recording."""
    from pxr import Gf

    size = [float(x) for x in item["size"]]
    values: dict[str, Any] = {}
    scale = None
    match item["kind"]:
        case "sphere":
            kind, values = "Sphere", {"radius": size[0]}
        case "box":
            kind, values, scale = "Cube", {"size": 2.0}, size
        case "ellipsoid":
            kind, values, scale = "Sphere", {"radius": 1.0}, size
        case "capsule" | "cylinder" | "cone" as word:
            kind = word.capitalize()
            values = {"radius": size[0], "height": 2.0 * size[1], "axis": "Z"}
        case "plane":
            kind, values = "Plane", {"width": 10.0, "length": 10.0, "axis": "Z"}
        case _:
            return
    prim = _define(stage, parent, item["name"].rpartition("/")[2], taken, kind)
    for name, value in values.items():
        prim.GetAttribute(name).Set(value)
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(item["rotation"], float).reshape(3, 3)
    matrix[:3, 3] = item["position"]
    if scale is not None:
        matrix[:3, :3] = matrix[:3, :3] * np.array(scale)
    from pxr import UsdGeom

    rows = [[float(x) for x in row] for row in matrix.T]  # USD multiplies rows from the left
    UsdGeom.Xformable(prim).AddTransformOp().Set(Gf.Matrix4d(*[x for row in rows for x in row]))


def _add_poses(
    recording: RecordedFrames, ops: list[tuple[Any, Any]], stands: list[bool], codes: np.ndarray
) -> None:
    """Write the poses of all bodies, those that stand once."""
    from pxr import Gf, Sdf

    with Sdf.ChangeBlock():
        for first in range(0, recording.frames, BLOCK):
            part = recording.part(first, min(first + BLOCK, recording.frames))
            places, turns = part["body_position"].tolist(), part["body_orientation"].tolist()
            for k, (translate, orient) in enumerate(ops):
                if stands[k]:
                    if first == 0:
                        translate.Set(Gf.Vec3d(*places[0][k]))
                        orient.Set(Gf.Quatd(*turns[0][k]))
                    continue
                for frame, code in enumerate(codes[first : first + BLOCK].tolist()):
                    translate.Set(Gf.Vec3d(*places[frame][k]), code)
                    orient.Set(Gf.Quatd(*turns[frame][k]), code)
