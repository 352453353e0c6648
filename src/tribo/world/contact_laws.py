"""The contact laws that files bring into a world, and those between their materials and others."""

from __future__ import annotations

from tribo.materials import MaterialTable, PairProperties
from tribo.materials.mixing import FORMULAS
from tribo.materials.pair_properties import LENGTHS
from tribo.materials.table import Law, origins_of


def take_laws(table: MaterialTable, laws: dict[tuple[str, str], Law]) -> None:
    """Set the contact laws that a file brings, and those between its materials and such of other files.

    Pairs that were set before stay as they are.
    """
    if not laws:
        return
    from tribo.formats import surface_friction
    from tribo.formats.mjcf import friction

    own = dict.fromkeys(name for pair in laws for name in pair)
    others = [name for name in table.names if name not in own]
    known = {(first, second) for first, second, _ in table}
    for (first, second), law in {
        **laws,
        **friction.laws_between(own, others),
        **surface_friction.laws_between(own, others),
    }.items():
        if (first, second) not in known and (second, first) not in known:
            table.take_pair(
                first, second, law, _origin(law, is_surface=surface_friction.of_material(first) is not None)
            )


def _origin(law: Law, *, is_surface: bool) -> dict[str, str]:
    """Return where the values of a pair come from that a file describes."""
    given: tuple[str, ...]
    if isinstance(law, PairProperties):
        if is_surface:
            given = ("friction", "static_friction", "restitution", "restitution_threshold", *LENGTHS)
            said, none = ("friction of the surfaces in their files (URDF, SDF)", "such files have none")
        else:
            given = ("friction", *LENGTHS)
            said, none = "MJCF: friction and condim of both geoms, or their <pair>", "MJCF has none"
        return origins_of(given, PairProperties, said, f"standard value ({none})")
    return dict.fromkeys(FORMULAS, "mixed from the link's own values and those of the other material")
