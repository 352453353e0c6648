"""The contact laws that files bring into a world, and those between their materials and others."""

from __future__ import annotations

from tribo.materials import MaterialTable, PairProperties
from tribo.materials.mixing import FORMULAS
from tribo.materials.table import Law, origins_of


def take_laws(table: MaterialTable, laws: dict[tuple[str, str], Law]) -> None:
    """Set the contact laws that a file brings, and those between its materials and such of other files.

    Pairs that were set before stay as they are.
    """
    if not laws:
        return
    from tribo.formats.mjcf.friction import laws_between

    own = dict.fromkeys(name for pair in laws for name in pair)
    others = [name for name in table.names if name not in own]
    known = {(first, second) for first, second, _ in table}
    for (first, second), law in {**laws, **laws_between(own, others)}.items():
        if (first, second) not in known and (second, first) not in known:
            table.take_pair(first, second, law, _origin(law))


def _origin(law: Law) -> dict[str, str]:
    """Return where the values of a pair come from that MJCF or a body file of Choreonoid describes."""
    if isinstance(law, PairProperties):
        given = ("friction", "spinning_length", "rolling_length")
        said = "MJCF: friction and condim of both geoms, or their <pair>"
        return origins_of(given, PairProperties, said, "standard value (MJCF has none)")
    return dict.fromkeys(
        FORMULAS, "mixed from the link's own values and those of the other material"
    )
