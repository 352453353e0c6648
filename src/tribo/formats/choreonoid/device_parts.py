"""The common part of devices of the scene, wires and tracks: a name of their own, a material."""

from __future__ import annotations

from collections.abc import Sequence

from tribo.formats.choreonoid.keys import word
from tribo.formats.material_keys import camel
from tribo.formats.nodes import known_hint
from tribo.formats.report import Report
from tribo.formats.yaml_nodes import YamlNode
from tribo.materials import Material, MaterialLibrary


def refuse_twins(names: Sequence[str], nodes: Sequence[YamlNode], what: str) -> None:
    """Refuse a name that stands twice; `what` they are, in the plural.

    Raises:
        DescriptionError: It does.
    """
    seen: set[str] = set()
    for name, node in zip(names, nodes, strict=True):
        if name in seen:
            raise node.error(f"there are two {what} named {name!r}; rename one")
        seen.add(name)


def material_of(
    node: YamlNode, key: str, library: MaterialLibrary | None, report: Report
) -> Material:
    """Return the material that a key names; one that no table has gets standard values, which is said."""
    name = word(node, key) or "default"
    if library is not None and name in library.names:
        return library.material(name)
    if name.lower() != "default":
        known = () if library is None else library.names
        report.doubt(
            node,
            f"{camel(key)} {name!r} is not known: standard values are used{known_hint(name, known)}",
        )
    return Material(name)
