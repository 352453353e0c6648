"""Spatial tendons between two objects that move, as wires: limits, spring and damping of a way over sites."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.description.couplings import CouplingDescription
from tribo.enums import WayKind
from tribo.formats.mjcf.trees import Places
from tribo.formats.mjcf.ways import Way


def laid_between(way: Way, places: Places) -> float:
    """Return the length of a way from site to site as the file draws it [m]."""
    points = [
        np.array(
            places.poses[tree][element.body].point(element.point) if tree >= 0 else element.point
        )
        for element, tree in zip(way.elements, way.trees, strict=True)
    ]
    return sum(float(np.linalg.norm(b - a, axis=0)) for a, b in pairwise(points))


def wires(coupling: CouplingDescription, way: Way) -> tuple[list[ConstraintDescription], str]:
    """Return what acts as a tendon between objects does, and why that cannot be, "" if it can."""
    moving = {
        (tree, one.body) for one, tree in zip(way.elements, way.trees, strict=True) if tree >= 0
    }
    if len(moving) > 2:
        return [], "over more than two bodies"
    if any(one.kind != WayKind.POINT for one in way.elements) or any(
        one.weight != 1.0 for one in way.elements[:-1]
    ):
        return [], "around geoms or pulleys"
    if coupling.friction > 0.0:
        return [], "with friction"
    made: list[ConstraintDescription] = []
    if coupling.upper < inf:
        made.append(_wire(coupling, way, "", "stretch", length=coupling.upper))
    if coupling.lower > 0.0:
        made.append(_wire(coupling, way, "/least", "compression", length=coupling.lower))
    low, high = coupling.rest
    spring: dict[str, Any] = {"stiffness": coupling.stiffness, "damping": 0.0}
    damper: dict[str, Any] = {"stiffness": 0.0, "damping": coupling.damping}
    if coupling.stiffness > 0.0 and low < high:
        made.append(_wire(coupling, way, "/spring", "stretch", length=high, **spring))
        if low > 0.0:
            made.append(_wire(coupling, way, "/strut", "compression", length=low, **spring))
    elif coupling.stiffness > 0.0:
        damper["stiffness"] = coupling.stiffness
    if damper["stiffness"] > 0.0 or damper["damping"] > 0.0:
        made.append(_wire(coupling, way, "/spring" if damper["stiffness"] else "/damper", "both",
                          length=low if damper["stiffness"] else 1.0, **damper))  # fmt: skip
    if any(not one.numbers["length"] > 0.0 for one in made):
        return [], "with a length of 0"
    return made, ""


def _wire(
    coupling: CouplingDescription, way: Way, what: str, resists: str, **numbers: Any
) -> ConstraintDescription:
    """Return a wire over all sites of a way."""
    ends = way.elements[0], way.elements[-1]
    bodies = [way.trees[k] if way.trees[k] >= 0 else None for k in range(len(way.trees))]
    made = ConstraintDescription("wire", (ends[0].body, ends[1].body))
    made.name, made.resists, made.numbers = f"{coupling.name}{what}", resists, numbers
    made.points = np.array([end.point for end in ends])
    made.objects = max(way.trees[0], 0), max(way.trees[-1], 0)
    made.over = [
        (bodies[k], max(way.elements[k].body, 0), np.array(way.elements[k].point))
        for k in range(1, len(way.elements) - 1)
    ]
    return made
