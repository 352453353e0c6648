"""Report on a material file: values of every pair, and doubts: the text of `tribo check`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from tribo.description.extents import shape_extent
from tribo.description.trees import IDENTITY, TreeDescription
from tribo.formats.material_files import MAX_PAIRS, read_materials
from tribo.materials import EffectivePair, MaterialLibrary, complaints
from tribo.model import Joint


@dataclass(slots=True)
class MaterialReport:
    """A table of pairs, or one pair in full, and remarks."""

    text: str
    warnings: list[str]
    notes: list[str]


def examine(
    path: Path, *, below: Sequence[Path] = (), pair: tuple[str, str] | None = None, strict: bool = False,
    time_step: float | None = None, mass: float | None = None, thickness: float | None = None,
) -> MaterialReport:  # fmt: skip
    """Read a material file and say what is in effect.

    Args:
        path: YAML file.
        below: Tables over which it is put, the lowest first.
        pair: Two names of which all values are listed; None: the table of all pairs.
        strict: Make doubts of the reader errors.
        time_step, mass, thickness: [s, kg, m] for which values are judged (`tribo.materials.complaints`).

    Raises:
        DescriptionError: It cannot be read; the message says where, what and the remedy.
        KeyError: There is no material of a name of `pair`.
    """
    library = read_materials(*below, path, strict=strict)
    judged: Iterable[EffectivePair] = itertools.islice(library, MAX_PAIRS)
    text = f"{path.name}: {repr(library)[1:-1]}\n{library}"
    if pair is not None:
        one = library.pair(*pair)
        text, judged = str(one), [one]
    warnings = list(library.doubts)
    for each in judged:
        warnings += complaints(each, time_step=time_step, mass=mass, thickness=thickness)
    return MaterialReport(text, warnings, [n for n in library.notes if n not in library.doubts])


def of_trees(
    trees: Sequence[TreeDescription], library: MaterialLibrary, time_step: float | None = None
) -> list[str]:
    """Return what looks wrong with the pairs of materials that shapes have, sizes and masses being known.

    Args:
        trees: Contents of a file.
        library: Its materials; names that it does not have are left out.
        time_step: [s] for which values are judged; None: not judged.
    """
    thickness: dict[str, float] = {}
    mass: dict[str, float] = {}
    for tree in trees:
        for body in tree.bodies:
            for shape in body.shapes:
                name = shape.material
                if name not in library:
                    continue
                size = 2.0 * float(shape_extent(replace(shape, quaternion=IDENTITY))[1].min())
                thickness[name] = min(thickness.get(name, inf), size if size > 0.0 else inf)
                if body.joint.type != Joint.FIXED:
                    mass[name] = min(mass.get(name, inf), body.mass)
    found: list[str] = []
    names = sorted(thickness)
    for i, first in enumerate(names):
        for second in names[i:]:
            thin = min(thickness[first], thickness[second])
            light = min(mass.get(first, inf), mass.get(second, inf))
            found += complaints(
                library.pair(first, second),
                time_step=time_step,
                mass=light if 0.0 < light < inf else None,
                thickness=thin if thin < inf else None,
            )
    return found
