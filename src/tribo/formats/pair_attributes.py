"""Laws of pairs as attributes of an element of a world file.

RaiSim's format has rigid pairs. Compliant ground and contact materials are additions: their attributes are
the fields of `PairProperties` and `ContactMaterial`; ``youngs_modulus`` says that it is a contact material.
"""

from __future__ import annotations

from dataclasses import fields

from tribo.description.trees import DescriptionError
from tribo.formats.nodes import Node
from tribo.materials import ContactMaterial, PairProperties
from tribo.materials.parameters import parameters
from tribo.materials.table import Law

# Attribute in the file → field of PairProperties.
RIGID = {
    "friction": "friction",
    "restitution": "restitution",
    "restitution_threshold": "restitution_threshold",
    "static_friction": "static_friction",
    "static_friction_velocity_threshold": "static_friction_velocity",
    "rolling_friction": "rolling_friction",
    "spinning_friction": "spinning_friction",
    "stiffness": "stiffness",
    "damping": "damping",
}
NUMBERS = (*parameters(ContactMaterial), "constant_normal_force")
COMPLIANT = tuple(item.name for item in fields(ContactMaterial))
MARK = "youngs_modulus"


def read(node: Node, owner: str, *names: str) -> Law:
    """Return the law that an element's attributes describe, besides those of the given names.

    Raises:
        DescriptionError: A value is missing, or outside its range.
    """
    is_compliant = MARK in node.attributes
    node.check_leaf((*names, *(COMPLIANT if is_compliant else (*RIGID, MARK))))
    try:
        return _contact_material(node) if is_compliant else _rigid(node, owner)
    except ValueError as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(f"{node.place}: {owner}: {error}") from None


def _rigid(node: Node, owner: str) -> PairProperties:
    values = {RIGID[key]: value for key, value in node.numbers(RIGID).items()}
    if "friction" not in values:
        raise node.error(f"{owner}: attribute 'friction' is missing; add it")
    static = values.get("static_friction", values["friction"])
    if static == values["friction"] and values.get("static_friction_velocity") == 0.0:
        del values["static_friction_velocity"]  # without static friction it has no meaning
    elif static != values["friction"] and "static_friction_velocity" not in values:
        node.doubt(
            f"{owner}: static_friction without static_friction_velocity_threshold: "
            f"{PairProperties().static_friction_velocity:g} m/s is used"
        )
    return PairProperties(**values)


def _contact_material(node: Node) -> ContactMaterial:
    values: dict[str, object] = {}
    for name in COMPLIANT:
        if name not in node.attributes:
            continue
        if name in NUMBERS:
            values[name] = node.number(name)
        elif name == "primary_direction":
            values[name] = node.vector(name, 3)
        elif name == "contact_reduction_bin_resolution":
            values[name] = node.integer(name)
        elif name == "friction_model":
            values[name] = tuple(node.text(name).split())
        else:
            values[name] = node.text(name)
    return ContactMaterial(**values)  # type: ignore[arg-type]


def given(node: Node, law: Law) -> list[str]:
    """Return the properties of a law that are attributes of its element."""
    if isinstance(law, ContactMaterial):
        return [name for name in COMPLIANT if name in node.attributes]
    return [name for word, name in RIGID.items() if word in node.attributes]


def written(law: Law) -> dict[str, str]:
    """Return the attributes of a law; what has its standard value in a contact material is left out.

    Raises:
        DescriptionError: The format has no place for a property.
    """
    if isinstance(law, ContactMaterial):
        standard = ContactMaterial()
        given = {name: getattr(law, name) for name in COMPLIANT}
        return {
            name: _text(value)
            for name, value in given.items()
            if name == MARK or value != getattr(standard, name)
        }
    if law.rolling_length or law.spinning_length:
        raise DescriptionError(
            "a material pair with rolling_length or spinning_length has no place in the format; use "
            "rolling_friction and spinning_friction"
        )
    of_ground = {"stiffness", "damping"}
    wanted = {*RIGID.values()} - of_ground if law.stiffness is None else {"friction", *of_ground}
    return {key: _text(getattr(law, name)) for key, name in RIGID.items() if name in wanted}


def _text(value: object) -> str:
    """Return the shortest text that reads back as the same value."""
    if isinstance(value, tuple):
        return " ".join(_text(part) for part in value)
    if isinstance(value, (int, str)):
        return str(value)
    return repr(float(value))  # type: ignore[arg-type]
