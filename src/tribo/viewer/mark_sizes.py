"""How large pins, hinges, welds and wires are drawn: in proportion to the bodies that they join."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tribo.description.extents import shape_extent
from tribo.description.trees import BodyDescription

if TYPE_CHECKING:
    from tribo.objects.constraint import Constraint

USUAL = 0.12  # [m] size of a body whose marks have their standard size
SMALLEST, LARGEST = 0.02, 20.0  # [–] factors


def size_of(body: BodyDescription) -> float:
    """Return the size of a body [m], the largest geometric mean of a shape's half edges.

    Without a shape, or with endless ones alone, it is 0.
    """
    means = [0.0]
    for shape in body.shapes:
        if not shape.is_terrain:
            half = np.asarray(shape_extent(shape)[1])
            if np.isfinite(half).all() and (half > 0.0).all():
                means.append(float(np.cbrt(half.prod())))
    return max(means)


def factor_of(tie: Constraint) -> float:
    """Return how many times its standard size a constraint is drawn: by the smaller body that it joins."""
    sizes = [
        size_of(part.description.bodies[end.body])
        for part, end in zip(tie.objects, tie.ends, strict=True)
        if part is not None
    ]
    known = [size for size in sizes if size > 0.0]
    return float(np.clip(min(known) / USUAL, SMALLEST, LARGEST)) if known else 1.0
