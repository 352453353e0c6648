"""Model structures as files: JSON, and MATLAB's .mat that Spatial_v2 itself loads.

In JSON bodies count from 0 and the base is −1, as in Python; in .mat they count from 1 and the base is
0, as in MATLAB. Reading executes nothing, follows no reference and refuses what is too large.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks.files import NotPlainError, plain, to_read, to_write
from tribo.checks.replacing import replaced, write_whole
from tribo.spatial import mat_reader
from tribo.spatial.joints import JointType, jcode
from tribo.spatial.model import Appearance, Camera, GroundContact, Model

FORMAT = "tribo.spatial model"
VERSION = 1
LARGEST = 1 << 26  # [bytes] 64 MiB
MAX_BODIES = 10_000
DEEPEST = 20  # nested lists of drawing instructions
INSTRUCTIONS = (
    "box", "cyl", "sphere", "line", "triangles", "vertices", "colour", "facets", "tiles",
)  # fmt: skip


def save(model: Model, path: str | Path) -> None:
    """Write a model; the ending, .json or .mat, decides the form.

    Warns:
        UserWarning: The model has a `gamma_q`; a function cannot be saved.

    Raises:
        ValueError: The ending is another one.
        OSError: The file cannot be written.
    """
    path = Path(path)
    if path.suffix not in (".json", ".mat"):
        raise ValueError(f"{path}: a model is saved as .json or .mat")
    to_write(path)
    if model.gamma_q is not None:
        warnings.warn(f"{path}: gamma_q is a function and is not saved", stacklevel=2)
    if path.suffix == ".json":
        write_whole(path, json.dumps(_plain(model), indent=1).encode())
        return
    from scipy.io import savemat

    with replaced(path) as stream:
        savemat(stream, {"model": _matlab(model)}, oned_as="row", long_field_names=True)


def load(path: str | Path) -> Model:
    """Read a model that `save`, or Spatial_v2's ``save('file', 'model', '-v7')``, has written.

    Raises:
        ValueError: The file is not a model, or too large; the message says where.
        OSError: The file cannot be read.
    """
    path = to_read(path, "a model")
    if path.suffix not in (".json", ".mat"):
        raise ValueError(f"{path}: a model is loaded from .json or .mat")
    try:
        size = plain(path).st_size
    except NotPlainError as error:
        raise ValueError(f"{path}: {error}") from None
    if size > LARGEST:
        raise ValueError(f"{path}: {size} bytes; a model has at most {LARGEST}")
    content = path.read_bytes()
    try:
        if path.suffix == ".json":
            return _model_of_json(json.loads(content.decode("utf-8")))
        return _model_of_mat(content)
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError, AttributeError) as error:
        raise ValueError(f"{path}: not a model of Spatial_v2 ({error})") from None


# -- JSON ---------------------------------------------------------------------------------------------
def _plain(model: Model) -> dict[str, Any]:
    """Return a model as plain lists and numbers."""
    data: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "name": model.name, "NB": model.NB,
        "parent": list(model.parent), "jtype": [_joint(j) for j in model.jtype],
        "Xtree": [np.asarray(x).tolist() for x in model.Xtree],
        "I": [np.asarray(i).tolist() for i in model.I],
    }  # fmt: skip
    if model.gravity is not None:
        data["gravity"] = np.asarray(model.gravity).tolist()
    if model.gc is not None:
        data["gc"] = {"body": list(model.gc.body), "point": model.gc.point.tolist()}
    if model.appearance is not None:
        data["appearance"] = {"base": model.appearance.base, "body": model.appearance.body}
    if model.camera is not None:
        data["camera"] = {k: v for k, v in asdict(model.camera).items() if v is not None}
    return data


def _joint(jtype: Any) -> Any:
    code, pitch = jcode(jtype)
    return {"code": code, "pars": {"pitch": pitch}} if code == "H" else code


def _model_of_json(data: Any) -> Model:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it does not say format {FORMAT!r}")
    if data.get("version") != VERSION:
        raise ValueError(f"version {data.get('version')!r} is not {VERSION}")
    return _model(data, 0)


def _model(data: dict[str, Any], first: int) -> Model:
    """Return a model of plain data whose bodies count from `first`."""
    parent = [int(p) - first for p in data["parent"]]
    if len(parent) > MAX_BODIES:
        raise ValueError(f"{len(parent)} bodies; at most {MAX_BODIES} are read")
    gc, looks, camera = data.get("gc"), data.get("appearance"), data.get("camera")
    made = Model(
        parent, [_read_joint(j) for j in data["jtype"]], data["Xtree"], data["I"], data.get("gravity"),
        name=str(data.get("name", "")),
    )  # fmt: skip
    if gc is not None:
        made.gc = GroundContact([int(b) - first for b in gc["body"]], gc["point"])
        made.__post_init__()
    if looks is not None:
        bodies = [_checked_looks(b, DEEPEST) for b in looks.get("body", [])]
        made.appearance = Appearance(_checked_looks(looks.get("base", []), DEEPEST), bodies)
    if camera is not None:
        known: dict[str, Any] = {k: camera[k] for k in Camera.__slots__ if k in camera}
        known = {k: tuple(v) if isinstance(v, list) else v for k, v in known.items()}
        known["body"] = int(known.get("body", first - 1)) - first
        made.camera = Camera(**known)
    return made


def _read_joint(item: Any) -> Any:
    if isinstance(item, str):
        return item
    (pitch,) = np.ravel(item["pars"]["pitch"]).tolist()
    return JointType(str(item["code"]), {"pitch": float(pitch)})


def _checked_looks(items: Any, depth: int) -> list[Any]:
    """Return drawing instructions made of known words and numbers only."""
    if depth == 0:
        raise ValueError(f"drawing instructions are nested deeper than {DEEPEST}")
    if not isinstance(items, list):
        raise TypeError(f"drawing instructions must be a list, got {type(items).__name__}")
    made = []
    for item in items:
        if isinstance(item, list) and item and isinstance(item[0], str):
            if item[0] not in INSTRUCTIONS:
                raise ValueError(f"unknown drawing instruction {item[0]!r}")
            numbers = [np.asarray(a, float) for a in item[1:]]
            if not all(np.isfinite(a).all() for a in numbers):
                raise ValueError(f"drawing instruction {item[0]!r} needs finite numbers")
            made.append([item[0], *(a.tolist() for a in numbers)])
        else:
            made.append(_checked_looks(item, depth - 1))
    return made


# -- MATLAB ------------------------------------------------------------------------------------------
def _matlab(model: Model) -> dict[str, Any]:
    """Return a model as SciPy writes structures and cells; bodies count from 1."""
    data = _plain(model)
    for name in ("format", "version"):
        del data[name]
    data["parent"] = np.array(data["parent"], float) + 1.0
    data["NB"] = float(model.NB)
    for name in ("jtype", "Xtree", "I"):
        data[name] = _cell([x if isinstance(x, (str, dict)) else np.array(x, float) for x in data[name]])
    if "gc" in data:
        data["gc"] = {"body": np.array(data["gc"]["body"], float) + 1.0, "point": data["gc"]["point"]}
    if "camera" in data:
        data["camera"]["body"] = float(data["camera"]["body"] + 1)
    if "appearance" in data:
        data["appearance"] = {
            "base": _looks_cell(data["appearance"]["base"]),
            "body": _cell([_looks_cell(b) for b in data["appearance"]["body"]]),
        }
    return data


def _cell(items: list[Any]) -> np.ndarray:
    cell = np.empty((1, len(items)), object)
    for k, item in enumerate(items):
        cell[0, k] = item
    return cell


# Arguments of drawing instructions that number vertices: MATLAB counts them from 1.
_NUMBERED = ("triangles",)


def _looks_cell(items: list[Any]) -> np.ndarray:
    """Return drawing instructions as MATLAB has them: one flat cell, scopes as inner cells."""
    flat: list[Any] = []
    for item in items:
        if not isinstance(item[0], str):
            flat.append(_looks_cell(item))
            continue
        shift = 1.0 if item[0] in _NUMBERED else 0.0
        flat += [item[0], *(np.array(a, float) + shift for a in item[1:])]
    return _cell(flat)


# How many arguments follow a word in MATLAB's flat cells.
_ARGUMENTS = {
    "box": 1, "cyl": 2, "sphere": 2, "line": 1, "triangles": 1, "vertices": 1, "colour": 1, "facets": 1,
    "tiles": 2,
}  # fmt: skip


def _model_of_mat(content: bytes) -> Model:
    """Return the model in a .mat file of version 5 to 7."""
    variables = mat_reader.read(content, LARGEST)
    found = [v for v in variables.values() if isinstance(v, dict) and "parent" in v]
    if len(found) != 1:
        raise ValueError(f"it must hold one structure with a field parent, got {sorted(variables)}")
    data = found[0]
    data["parent"] = np.ravel(data["parent"]).tolist()
    for name in ("jtype", "Xtree", "I"):
        if not isinstance(data[name], list):
            raise TypeError(f"{name} must be a cell array")
    if "gravity" in data:
        data["gravity"] = np.ravel(data["gravity"])
    if "gc" in data:
        data["gc"]["body"] = np.ravel(data["gc"]["body"]).tolist()
    if "appearance" in data:
        looks = data["appearance"]
        bodies = [_instructions(b) for b in looks.get("body", [])]
        data["appearance"] = {"base": _instructions(looks.get("base", [])), "body": bodies}
    if "camera" in data:
        flat = {k: np.ravel(v).tolist() for k, v in data["camera"].items()}
        data["camera"] = {k: v[0] if k in ("body", "zoom") else v for k, v in flat.items()}
    return _model(data, 1)


def _instructions(flat: Any) -> list[Any]:
    """Return MATLAB's flat cell of drawing instructions as one list per instruction."""
    made: list[Any] = []
    k = 0
    flat = flat if isinstance(flat, list) else []
    while k < len(flat):
        if isinstance(flat[k], list):
            made.append(_instructions(flat[k]))
            k += 1
            continue
        word = str(flat[k])
        count = _ARGUMENTS.get(word)
        if count is None or count > len(flat) - k - 1:
            raise ValueError(f"drawing instruction {word!r} is unknown or lacks its arguments")
        shift = 1.0 if word in _NUMBERED else 0.0
        arguments = [np.asarray(a, float) - shift for a in flat[k + 1 : k + 1 + count]]
        made.append([word, *(_argument(word, a) for a in arguments)])
        k += 1 + count
    return made


def _argument(word: str, value: np.ndarray) -> Any:
    """Return an argument with the shape that the instruction wants."""
    if value.size == 1:
        return value.item()
    return value.ravel().tolist() if word == "sphere" else value.tolist()
