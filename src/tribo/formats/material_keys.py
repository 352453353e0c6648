"""The keys of material files: for each parameter all its spellings, today's first."""

from __future__ import annotations

from dataclasses import fields

from tribo.materials import ContactMaterial, Material


def camel(name: str) -> str:
    """Return a name in the older spelling.

    Example:
        >>> camel("spook_damping")
        'spookDamping'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_OTHERS = {  # spellings that do not follow from the name
    "adhesive_overlap": ("adhesiv_overlap", "adhesivOverlap", "adhesive_overlap", "adhesiveOverlap"),
    "reference_body": (
        "reference_body", "referenceBody", "reference_body_name", "referenceBodyName",
    ),
    "reference_link": (
        "reference_link", "referenceLink", "reference_link_name", "referenceLinkName",
    ),
}  # fmt: skip


def spellings(name: str) -> tuple[str, ...]:
    """Return all keys of a parameter; where several stand in one entry, the first of them counts.

    Example:
        >>> spellings("friction"), spellings("youngs_modulus")
        (('friction',), ('youngs_modulus', 'youngsModulus'))
    """
    return _OTHERS.get(name) or tuple(dict.fromkeys((name, camel(name))))


def _keys(kind: type, *left_out: str) -> dict[str, tuple[str, ...]]:
    return {item.name: spellings(item.name) for item in fields(kind) if item.name not in left_out}


MATERIAL_KEYS = _keys(Material, "name")
CONTACT_KEYS = _keys(ContactMaterial) | {
    "static_friction": spellings("static_friction"),
    "dynamic_friction": spellings("dynamic_friction"),
}
LISTS = {"materials": ("materials",), "contact_materials": ("contact_materials", "contactMaterials")}
# What other engines that Choreonoid drives read: known, and without effect here.
OTHER_ENGINES = {
    "material": ("stiffness", "damping"),
    "contact": (
        "culling_distance", "cullingDistance", "culling_depth", "cullingDepth", "max_num_contact_points",
        "maxNumContactPoints", "collision_handler", "collisionHandler", "stiffness", "damping",
    ),
}  # fmt: skip
