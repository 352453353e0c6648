"""The JSON schema of material files: what the reader takes without a doubt.

It is published as `src/tribo/assets/material-file.schema.json` for editors; a test keeps the two alike.
"""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.formats.material_files import MAX_NAMES
from tribo.formats.material_keys import CONTACT_KEYS, LISTS, MATERIAL_KEYS, OTHER_ENGINES
from tribo.materials import ContactMaterial, Material
from tribo.materials.contact_material import FRICTION_MODELS, MAX_BINS, OLDER_WORDS, REDUCTIONS, SOLVERS
from tribo.materials.parameters import Parameter, parameters

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NUMBER_AS_TEXT = r"^[+-]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][+-]?[0-9]+)?$"
Schema = dict[str, Any]
NAME: Schema = {"type": ["string", "number", "boolean"]}  # what YAML takes for a number is a name, too


def schema() -> Schema:
    """Return the JSON schema (draft 2020-12) of a material file."""
    lists = {"materials": _material(), "contact_materials": _contact()}
    properties = {
        key: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}
        for name, keys in LISTS.items()
        for key in keys
    }
    return {
        "$schema": DRAFT,
        "title": "Material file (Choreonoid, AGX Dynamics plugin) as tribo reads it",
        "description": "Other keys of the outermost mapping may hold anchors. Numbers may be texts (1e10).",
        "type": "object",
        "properties": properties,
        "$defs": lists,
    }


def _material() -> Schema:
    properties: Schema = {"name": {**NAME, "description": "Default and default are one"}}
    for name, kind in parameters(Material).items():
        made = _number(kind, getattr(Material(), name))
        if name == "poisson_ratio":
            made["deprecated"] = True
        properties |= dict.fromkeys(MATERIAL_KEYS[name], made)
    properties |= _ignored(OTHER_ENGINES["material"])
    return _closed(properties, "name")


def _contact() -> Schema:
    names = {"type": "array", "items": NAME, "minItems": 2, "maxItems": MAX_NAMES}
    properties: Schema = {"materials": names}
    standard = ContactMaterial()
    known = parameters(ContactMaterial)
    kinds = {name: _number(kind, getattr(standard, name)) for name, kind in known.items()}
    friction = _number(known["friction"])
    kinds |= {"static_friction": friction, "dynamic_friction": {**friction, "deprecated": True}}
    kinds["constant_normal_force"] = _number(Parameter("N"))
    kinds["friction_model"] = {
        "type": "array",
        "prefixItems": [{"enum": _words(FRICTION_MODELS)}, {"enum": _words(SOLVERS)}],
        "items": False,
        "minItems": 2,
        "default": list(standard.friction_model),
    }
    kinds["contact_reduction_mode"] = {"enum": _words(REDUCTIONS), "default": "default"}
    kinds["contact_reduction_bin_resolution"] = {
        "type": "integer", "minimum": 0, "maximum": MAX_BINS, "default": 0,
    }  # fmt: skip
    kinds["primary_direction"] = {
        "type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3,
    }  # fmt: skip
    kinds["reference_body"] = kinds["reference_link"] = NAME
    for name, keys in CONTACT_KEYS.items():
        properties |= dict.fromkeys(keys, kinds[name])
    properties |= _ignored(OTHER_ENGINES["contact"])
    return _closed(properties, "materials")


def _ignored(keys: tuple[str, ...]) -> Schema:
    return {key: {"description": "for other engines"} for key in keys}


def _closed(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _number(kind: Parameter, standard: float | None = None) -> Schema:
    """Return the schema of a number in a range, which may be written as text."""
    number: Schema = {"type": "number"}
    number["exclusiveMinimum" if kind.is_open else "minimum"] = kind.least
    if kind.most < check.LARGEST:
        number["maximum"] = kind.most
    made: Schema = {"anyOf": [number, {"type": "string", "pattern": NUMBER_AS_TEXT}]}
    made["description"] = "[–]" if kind.unit == "–" else f"[{kind.unit}]"
    if standard is not None:
        made["default"] = float(standard)
    return made


def _words(known: tuple[str, ...]) -> list[str]:
    """Return today's words and the older ones for them."""
    return [*known, *(old for old, new in OLDER_WORDS.items() if new in known)]
