"""A process that reads a USD file, for `stage`: OpenUSD may crash on a broken one, and opens what files name.

It knows no other file of tribo: `python worker.py` is told on standard input what to read, and writes plain
numbers and words. Every layer is looked at before the stage is composed; what it names outside of the
allowed folders, or what is no USD, is taken out of it and noted.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_LAYERS = 1000
MAX_LAYER_BYTES = 256 << 20  # of all layers together
MAX_PRIMS = 200_000
MAX_NUMBERS = 40_000_000  # of all meshes together
MEMORY = 6 << 30  # [byte]
SECONDS = 60  # of a processor
ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
HEAD = 16  # [byte] that say how long the description is
SHAPES = (
    "Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh", "Capsule_1", "Cylinder_1",
)  # fmt: skip
JOINTS = "Joint"
PREFIXES = (
    "physics:", "drive:", "limit:", "state:", "physx", "newton:", "mjc:", "collection:colliders:",
)  # fmt: skip
PROGRAMS = ("Physics", "Physx", "Newton", "Mjc")  # begin types of prims that speak of physics
GEOMETRY = ("size", "radius", "height", "axis", "radiusTop", "radiusBottom", "extent")
MESH = ("points", "faceVertexCounts", "faceVertexIndices")


class Refused(Exception):
    """A file cannot be read; the message says why."""


def main() -> None:
    """Read what is asked for, and write what was found."""
    wanted = json.loads(sys.stdin.read())
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)  # of who started it: nobody may raise that
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, hard))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no result
    arrays: list[bytes] = []
    try:
        found = Reading(wanted, arrays).run()
    except Refused as error:
        found = {"refused": str(error)}
    head = json.dumps(found).encode()
    out.write(str(len(head)).encode().rjust(HEAD))
    out.write(head)
    for data in arrays:
        out.write(data)
    out.flush()


class Reading:
    """The reading of one file."""

    def __init__(self, wanted: dict[str, Any], arrays: list[bytes]) -> None:
        self._path: str = wanted["path"]
        sys.path.append(wanted["packages"])
        self._roots = [Path(folder) for folder in wanted["roots"]]
        self._arrays, self._at, self._numbers = arrays, 0, 0
        self._notes: list[str] = []

    def run(self) -> dict[str, Any]:
        """Return what the stage holds."""
        from pxr import Tf, Usd, UsdGeom, UsdPhysics

        try:
            kept = self._layers()
            stage = Usd.Stage.Open(kept[0])
        except Tf.ErrorException as error:
            raise Refused(_said(error)) from None
        found: dict[str, Any] = {
            "metres": UsdGeom.GetStageMetersPerUnit(stage),
            "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "up": str(UsdGeom.GetStageUpAxis(stage)),
        }
        self._cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        self._time = Usd.TimeCode.EarliestTime()
        prims = []
        walk = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
        for count, prim in enumerate(walk):
            if count > MAX_PRIMS:
                raise Refused(f"holds more than {MAX_PRIMS} prims")
            if prim.IsPseudoRoot():
                continue
            if prim.GetTypeName() == "PointInstancer":
                self._notes.append(f"{prim.GetPath()}: a PointInstancer is not read: its copies are left out")
                walk.PruneChildren()
                continue
            if (made := self._prim(prim)) is not None:
                prims.append(made)
        return found | {"prims": prims, "notes": list(dict.fromkeys(self._notes))[:200]}

    # -- layers ----------------------------------------------------------------------------------
    def _layers(self) -> list[Any]:
        """Open all layers of a file, the first itself, each without what it may not name."""
        from pxr import Sdf

        todo, seen, size = [self._path], set(), 0
        kept: list[Any] = []
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if len(seen) > MAX_LAYERS:
                raise Refused(f"names more than {MAX_LAYERS} layers")
            outer = name.partition("[")[0]
            size += Path(outer).stat().st_size
            if size > MAX_LAYER_BYTES:
                raise Refused(f"its layers have more than {MAX_LAYER_BYTES >> 20} MiB together")
            layer = Sdf.Layer.FindOrOpen(name)
            if layer is None:
                if not kept:
                    raise Refused("is no USD file that can be read")
                self._notes.append(f"{Path(name).name}: cannot be read: it is left out")
                continue
            layer.SetPermissionToSave(False)
            kept.append(layer)
            _without_clips(layer)
            for asset in sorted(layer.GetCompositionAssetDependencies()):
                if not asset:
                    continue  # a reference within the layer
                target, why = self._target(layer, asset)
                if why:
                    layer.UpdateCompositionAssetDependency(asset, "")
                    if asset in layer.GetCompositionAssetDependencies():
                        raise Refused(f"{Path(name).name}: {asset[:200]!r} {why}")
                    self._notes.append(f"{Path(name).name}: {asset[:200]!r} {why}: it is left out")
                else:
                    todo.append(target)
        return kept

    def _target(self, layer: Any, asset: str) -> tuple[str, str]:
        """Return the file that a layer names, or why it may not."""
        from pxr import Ar, Sdf

        if "`" in asset:
            return "", "is an expression, which is not read"
        if ":SDF_FORMAT_ARGS:" in asset or "\0" in asset or "://" in asset:
            return "", "is no file beside it"
        named = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
        found = str(Ar.GetResolver().Resolve(named))
        if not found:
            return "", "is not found"
        outer, bracket, inner = found.partition("[")
        real = Path(outer).resolve()
        if not any(real.is_relative_to(root) for root in self._roots):
            return "", "is outside of the file's folder; give its folder in package_dirs"
        if not real.is_file():
            return "", "is no plain file"
        last = inner.rstrip("]") if bracket else outer
        if not last.lower().endswith(ENDINGS):
            return "", "is no USD"
        return found, ""

    # -- prims -----------------------------------------------------------------------------------
    def _prim(self, prim: Any) -> dict[str, Any] | None:
        """Return what is of use of a prim, None: nothing."""
        from pxr import UsdGeom

        kind, path = str(prim.GetTypeName()), str(prim.GetPath())
        named = (*prim.GetAppliedSchemas(), *prim.GetPrimTypeInfo().GetAppliedAPISchemas())
        applied = list(dict.fromkeys(str(name) for name in named))  # also those that are not installed
        has_place = prim.IsA(UsdGeom.Xformable)
        is_physical = kind.startswith(PROGRAMS) or any("hysics" in name or "hysx" in name for name in applied)
        if not (has_place or is_physical):
            return None
        made: dict[str, Any] = {"path": path, "type": kind, "applied": applied}
        if has_place:
            matrix = self._cache.GetLocalToWorldTransform(prim)
            made["world"] = [float(matrix[i][k]) for i in range(4) for k in range(4)]
        made["values"] = dict(self._values(prim))
        made["targets"] = {
            name: [str(target) for target in relation.GetForwardedTargets()][:10_000]
            for relation in prim.GetRelationships()
            if (name := str(relation.GetName())).startswith(PREFIXES)
        }
        if kind in SHAPES:
            made |= self._shape(prim, kind)
        return made

    def _values(self, prim: Any) -> Iterator[tuple[str, Any]]:
        """Iterate over the attributes that speak of physics."""
        for attribute in prim.GetAttributes():
            name = str(attribute.GetName())
            if name.startswith(PREFIXES) and attribute.HasAuthoredValue():
                value = _plain(attribute.Get(self._time))
                if value is not None:
                    yield name, value

    def _shape(self, prim: Any, kind: str) -> dict[str, Any]:
        """Return the numbers of a geometry, how it is drawn and what it is made of."""
        from pxr import UsdGeom, UsdShade

        made: dict[str, Any] = {
            name: _plain(attribute.Get(self._time))
            for name in GEOMETRY
            if (attribute := prim.GetAttribute(name))
        }
        imageable = UsdGeom.Imageable(prim)
        made["purpose"] = str(imageable.ComputePurpose())
        made["drawn"] = str(imageable.ComputeVisibility(self._time)) != "invisible"
        colors = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get(self._time)
        if colors is not None and len(colors):
            made["color"] = [float(x) for x in colors[0]]
        binding = UsdShade.MaterialBindingAPI(prim)
        for purpose, name in (("physics", "material"), ("", "look")):
            material = binding.ComputeBoundMaterial(purpose)[0]
            if material:
                made[name] = str(material.GetPath())
                if name == "look" and (color := _diffuse(material)) is not None:
                    made["color"] = color
        if kind == "Mesh":
            made |= self._mesh(prim)
        return made

    def _mesh(self, prim: Any) -> dict[str, Any]:
        """Return where the arrays of a mesh are in what is written after the description."""
        import numpy as np

        made: dict[str, Any] = {}
        for name in MESH:
            value = prim.GetAttribute(name).Get(self._time)
            array = np.ascontiguousarray(
                np.zeros(0) if value is None else np.asarray(value),
                np.float64 if name == "points" else np.int32,
            )
            self._numbers += array.size
            if self._numbers > MAX_NUMBERS:
                raise Refused(f"its meshes have more than {MAX_NUMBERS} numbers together")
            data = array.tobytes()
            made[name] = [self._at, len(data)]
            self._at += len(data)
            self._arrays.append(data)
        made["orientation"] = str(prim.GetAttribute("orientation").Get() or "rightHanded")
        return made


def _without_clips(layer: Any) -> None:
    """Take value clips out of a layer: they name further files."""
    from pxr import Sdf

    found: list[Any] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, found.append)
    for path in found:
        spec = layer.GetPrimAtPath(path) if path.IsPrimPath() else None
        if spec is not None and spec.HasInfo("clips"):
            spec.ClearInfo("clips")


def _plain(value: Any) -> Any:
    """Return a number, text or list of numbers; None: something else."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if hasattr(value, "GetReal"):
        return [float(value.GetReal()), *(float(x) for x in value.GetImaginary())]
    try:
        if len(value) > 64:
            return None
        return [x if isinstance(x, str) else float(x) for x in value]
    except (TypeError, ValueError):
        return str(value) if type(value).__name__ == "Token" else None


def _diffuse(material: Any) -> list[float] | None:
    """Return the colour of a UsdPreviewSurface, None: it has a picture, or is something else."""
    source = material.ComputeSurfaceSource()
    shader = source[0] if isinstance(source, tuple) else source
    given = shader.GetInput("diffuseColor") if shader else None
    value = given.Get() if given else None
    return [float(x) for x in value] if value is not None else None


def _said(error: Exception) -> str:
    """Return what OpenUSD says is wrong, without where in its own source it says so."""
    found = re.search(r"in file \S+ : '(.*)'", str(error), re.DOTALL)
    text = " ".join((found[1] if found else str(error)).split())
    text = re.sub(r"(\S*/)?(?=[^/\s]+:\d+:\d+: )", "", text)
    text = re.sub(r"parse error matching .* at '", "does not understand '", text)
    return f"OpenUSD says: {text[:500]}"


if __name__ == "__main__":
    main()
