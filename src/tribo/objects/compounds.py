"""Single bodies of several convex shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation as as_quaternion
from tribo.description import colors, inertias
from tribo.description.hulls import Hull, convex_hull, solid_inertia, volume_moments
from tribo.description.trees import (
    BodyDescription,
    CompoundPart,
    JointDescription,
    MeshFile,
    ShapeDescription,
    TreeDescription,
    Vector,
    VisualDescription,
    internal_size,
)
from tribo.formats.inertia import Inertial, merged
from tribo.formats.pose import Pose
from tribo.model import Joint, Shape

KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "convex")
MAX_PARTS = 10_000


def compound(
    parts: Sequence[CompoundPart], mass: float | None, density: float | None, material: str, com: Any = None
) -> TreeDescription:
    """Describe a body of several parts; its origin is their centre of mass, or `com`.

    Raises:
        ValueError, TypeError: No parts, a wrong kind or size, masses given twice or not at all.
    """
    check.name(material, "material")
    if isinstance(parts, (str, CompoundPart)) or not isinstance(parts, Sequence):
        raise TypeError(f"parts must be a list of CompoundPart, got {check.shown(parts)}")
    if not 0 < len(parts) <= MAX_PARTS:
        raise ValueError(f"a compound has 1 … {MAX_PARTS} parts, got {len(parts)}")
    made = [_part(part, k, material) for k, part in enumerate(parts)]
    masses = _masses(parts, [volume for _, volume, _, _ in made], mass, density)
    weights = []
    for (shape, _, centre, unit), m in zip(made, masses, strict=True):
        pose = Pose(shape.position, shape.quaternion)
        weights.append(Inertial(m, tuple(centre.tolist()), m * unit).moved(pose))
    whole = merged(weights)
    origin = np.array(whole.com) if com is None else check.vector(com, "com", 3)
    shapes = [shape for shape, *_ in made]
    for shape in shapes:
        shape.position = tuple(np.subtract(shape.position, origin).tolist())
    body = BodyDescription(
        "compound", -1, JointDescription("root", Joint.FREE), whole.mass, inertia=whole.inertia,
        shapes=shapes, visuals=_visuals(parts, shapes),
    )  # fmt: skip
    return TreeDescription([body], origin=tuple((-origin).tolist()))


def _visuals(parts: Sequence[CompoundPart], shapes: Sequence[ShapeDescription]) -> list[VisualDescription]:
    """Return the coloured parts as drawn shapes, if all primitives have colours."""
    drawn = {Shape.SPHERE, Shape.BOX, Shape.CAPSULE, Shape.CYLINDER, Shape.ELLIPSOID}
    if not all(p.color is not None and s.kind in drawn for p, s in zip(parts, shapes, strict=True)):
        return []
    return [
        VisualDescription(s.kind, s.size, s.position, s.quaternion, colors.given(p.color, "color"))
        for p, s in zip(parts, shapes, strict=True)
    ]


def _part(
    part: CompoundPart, k: int, material: str
) -> tuple[ShapeDescription, float, np.ndarray, np.ndarray]:
    """Return the shape, its volume, its centre of mass in its own frame, its inertia per mass."""
    what = f"part {k}"
    check.instance(part, CompoundPart, f"{what} must be a CompoundPart")
    kind = check.choice(part.kind, KINDS, f"kind of {what}")
    centre, geometry = np.zeros(3), None
    if kind == "convex":
        geometry = convex_hull(part.size, f"points of {what}")
        volume, centre, second = volume_moments(geometry.vertices, geometry.triangles)
        shape, unit = Shape.HULL, solid_inertia(second / volume)
        numbers: Vector = (geometry.half_width,)
    else:
        try:
            shape, numbers = internal_size(kind, part.size)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        volume, centre, unit = inertias.of_shape(shape, numbers)
    place = check.vector(part.position, f"position of {what}", 3)
    turn = as_quaternion(part.orientation, f"orientation of {what}")
    if part.material:
        check.name(part.material, f"material of {what}")
    if part.color is not None:
        colors.given(part.color, f"color of {what}")
    made = ShapeDescription(
        shape, numbers, tuple(place.tolist()), tuple(turn.tolist()), part.material or material,
        f"{kind}/{k}", geometry=geometry,
    )  # fmt: skip
    return made, volume, centre, unit


def _masses(
    parts: Sequence[CompoundPart], volumes: list[float], mass: float | None, density: float | None
) -> list[float]:
    """Return the mass of each part."""
    both = [k for k, part in enumerate(parts) if part.mass is not None and part.density is not None]
    if both:
        raise ValueError(f"part {both[0]} has a mass and a density; give one of them")
    own = [k for k, part in enumerate(parts) if part.mass is not None or part.density is not None]
    if own and (len(own) < len(parts) or mass is not None or density is not None):
        raise ValueError(
            "give the mass or density of each part, or one mass or density for all: "
            f"{len(own)} of {len(parts)} parts have a mass or density, mass={mass}, density={density}"
        )
    if own:
        return [_part_mass(part, k, volumes[k]) for k, part in enumerate(parts)]
    if (mass is None) == (density is None):
        raise ValueError(
            "a compound needs the mass [kg] of each part, or one mass or density [kg/m³] for all"
        )
    if density is not None:
        return [check.positive(density, "density") * volume for volume in volumes]
    m, total = check.positive(mass, "mass"), sum(volumes)
    return [m * volume / total for volume in volumes]


def _part_mass(part: CompoundPart, k: int, volume: float) -> float:
    if part.density is not None:
        return check.positive(part.density, f"density of part {k}") * volume
    return check.positive(part.mass, f"mass of part {k}")


def of_hulls(
    hulls: Sequence[Hull], centre: np.ndarray, mass: float, inertia: np.ndarray, material: str, name: str,
    mesh: MeshFile | None = None,
) -> TreeDescription:  # fmt: skip
    """Describe a body of hulls that share a frame; its origin is the centre of mass in that frame."""
    check.name(material, "material")
    place = tuple((-centre).tolist())
    shapes = [
        ShapeDescription(
            Shape.HULL,
            (hull.half_width,),
            place,
            material=material,
            name=f"{name}/{k}",
            mesh=mesh,
            geometry=hull,
        )
        for k, hull in enumerate(hulls)
    ]
    joint = JointDescription("root", Joint.FREE)
    body = BodyDescription(name, -1, joint, mass, inertia=inertia, shapes=shapes)
    return TreeDescription([body], origin=place)
