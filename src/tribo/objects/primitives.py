"""Descriptions of single bodies, and the options that they share."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.answers import argument, listed
from tribo.checks.orientation import FORMS, chosen
from tribo.description import colors, inertias
from tribo.description.heights import HeightField
from tribo.description.hulls import Surface, convex_hull, solid_inertia, volume_moments
from tribo.description.trees import (
    IDENTITY,
    ORIGIN,
    BodyDescription,
    JointDescription,
    MeshFile,
    ShapeDescription,
    TreeDescription,
    VisualDescription,
)
from tribo.engine.builder import ALL_GROUPS
from tribo.formats import mesh_solids
from tribo.model import Joint, Kind, Shape
from tribo.objects import edits
from tribo.objects.body_types import as_kind
from tribo.objects.compounds import of_hulls

logger = logging.getLogger("tribo")


@dataclass(slots=True)
class Placed:
    """Checked options of a single body."""

    name: str
    pose: np.ndarray  # (7,)
    velocity: np.ndarray  # (6,)
    collision_group: int | None
    collision_mask: int


_OPTIONS = (
    "name", "position", "orientation", "linear_velocity", "angular_velocity",
    "com", "inertia", "body_type", "collision_group", "collision_mask", "ground_points",
    "color", *FORMS,
)  # fmt: skip


def placed(description: TreeDescription, options: Mapping[str, Any]) -> Placed:
    """Check the options of a single body; write body type and inertia into its description."""
    for key in options:
        if key not in _OPTIONS:
            hint = argument(key, _OPTIONS) or listed(_OPTIONS)
            raise TypeError(f"unknown option {key!r}{hint}")
    options = {key: value for key, value in options.items() if value is not None}
    body = description.bodies[0]
    if "body_type" in options:
        description.kind = as_kind(options["body_type"])
    if "com" in options:
        edits.move_origin(description, check.vector(options["com"], "com", 3))
    if "inertia" in options:
        body.inertia = check.inertia(options["inertia"], "inertia")
    if "color" in options:
        description.color = colors.given(options["color"], "color")
    if "ground_points" in options:
        add_ground_points(body, options["ground_points"])
    turn = chosen(options.get("orientation"), {form: options.get(form) for form in FORMS})
    pose = np.concatenate(
        [check.vector(options.get("position", ORIGIN), "position", 3), IDENTITY if turn is None else turn]
    )
    velocity = np.concatenate(
        [check.vector(options.get(what, ORIGIN), what, 3) for what in ("linear_velocity", "angular_velocity")]
    )
    if description.kind == Kind.STATIC and velocity.any():
        raise ValueError('a static body has no velocity; use body_type="kinematic"')
    return Placed(
        options.get("name", ""), pose, velocity, options.get("collision_group"),
        options.get("collision_mask", ALL_GROUPS),
    )  # fmt: skip


def add_ground_points(body: BodyDescription, points: Any) -> None:
    """Let a body touch compliant grounds with points chosen by hand, not with its shapes.

    Args:
        body: Its description; the points take the material of its first shape.
        points: (n, 3) [m], in the body's frame, at least one.

    Raises:
        ValueError, TypeError: They are not n × 3 finite numbers.
    """
    what = f"ground_points of {body.name}"
    made = check.within_range(check.array(points, what, "positions"), what)
    if made.ndim != 2 or made.shape[1] != 3 or not len(made):
        raise ValueError(
            f"{what} must have shape (n, 3) with at least one point, got {made.shape}; leave them out "
            "for points of the shapes' own"
        )
    material = body.shapes[0].material if body.shapes else "default"
    for k, point in enumerate(made):
        position = tuple(float(x) for x in point)
        body.shapes.append(
            ShapeDescription(
                Shape.SPHERE,
                (0.0,),
                position,
                material=material,
                name=f"{body.name}/point {k}",
                is_point=True,
            )
        )


def _single(
    kind: Shape, size: tuple[float, ...], mass: float, inertia: np.ndarray, material: str
) -> TreeDescription:
    check.name(material, "material")
    shape = ShapeDescription(kind, size, material=material, name=f"{kind.name.lower()}/0")
    joint = JointDescription("root", Joint.FREE)
    body = BodyDescription(kind.name.lower(), -1, joint, mass, inertia=inertia, shapes=[shape])
    return TreeDescription([body])


def _mass(mass: Any, density: Any, volume: float) -> float:
    """Return the mass of a volume: given, or from a density."""
    if (mass is None) == (density is None):
        raise ValueError("give mass [kg] or density [kg/m³], one of them")
    if mass is not None:
        return check.positive(mass, "mass")
    return check.positive(check.positive(density, "density") * volume, "mass, density times volume,")


def _volume(kind: Shape, *size: float) -> float:
    return inertias.of_shape(kind, size)[0]


def sphere(radius: float, mass: float | None, material: str, density: float | None = None) -> TreeDescription:
    """Describe a solid ball."""
    r = check.positive(radius, "radius")
    m = _mass(mass, density, _volume(Shape.SPHERE, r))
    return _single(Shape.SPHERE, (r,), m, inertias.sphere(m, r), material)


def round_solid(
    kind: Shape, radius: float, height: float, mass: float | None, material: str,
    density: float | None = None,
) -> TreeDescription:  # fmt: skip
    """Describe a solid about z: a capsule (height between its cap centres), a cylinder, or a cone.

    The centre of mass of a cone is in the body's origin, its apex towards +z.
    """
    r, h = check.positive(radius, "radius"), check.positive(height, "height")
    m = _mass(mass, density, _volume(kind, r, h / 2))
    inertia = getattr(inertias, kind.name.lower())(m, r, h)
    description = _single(kind, (r, h / 2), m, inertia, material)
    if kind == Shape.CONE:
        description.bodies[0].shapes[0].position = (0.0, 0.0, h / 4)
    return description


_ROUND = (Shape.CAPSULE, Shape.CYLINDER, Shape.CONE)
capsule, cylinder, cone = (partial(round_solid, kind) for kind in _ROUND)


def box(size: Any, mass: float | None, material: str, density: float | None = None) -> TreeDescription:
    """Describe a solid box of full edge lengths."""
    x, y, z = (check.positive(edge, "size") for edge in check.vector(size, "size", 3))
    m = _mass(mass, density, _volume(Shape.BOX, x / 2, y / 2, z / 2))
    return _single(Shape.BOX, (x / 2, y / 2, z / 2), m, inertias.box(m, (x, y, z)), material)


def ellipsoid(
    semi_axes: Any, mass: float | None, material: str, density: float | None = None
) -> TreeDescription:
    """Describe a solid ellipsoid; semi-axes along x, y, z."""
    a, b, c = (check.positive(x, "semi_axes") for x in check.vector(semi_axes, "semi_axes", 3))
    m = _mass(mass, density, _volume(Shape.ELLIPSOID, a, b, c))
    return _single(Shape.ELLIPSOID, (a, b, c), m, inertias.ellipsoid(m, (a, b, c)), material)


def convex(
    points: Any, mass: float | None, material: str, com: Any = None, density: float | None = None
) -> TreeDescription:
    """Describe the homogeneous convex hull of points (n, 3), centre of mass (or `com`) in the origin."""
    hull = convex_hull(points, "vertices")
    volume, centre, second = volume_moments(hull.vertices, hull.triangles)
    m = _mass(mass, density, volume)
    centre = centre if com is None else check.vector(com, "com", 3)
    return of_hulls([hull], centre, m, solid_inertia(m / volume * second), material, "hull")


def mesh(item: Any, mode: str, scale: Any, mass: Any, density: Any, material: str, com: Any = None,
         max_hulls: int | None = None, tolerance: float | None = None,
         resolution: float | None = None) -> TreeDescription:  # fmt: skip
    """Describe a body from a mesh; see `World.add_mesh`."""
    factors = check.vector([scale] * 3 if check.is_scalar(scale) else scale, "scale", 3)
    if not factors.all():
        raise ValueError(f"scale must not be 0, got {factors.tolist()}")
    check.choice(mode, mesh_solids.MODES, "mode")
    if mode != "decomposition" and (max_hulls is not None or tolerance is not None):
        raise ValueError(f'max_hulls and tolerance are of mode="decomposition", got mode={mode!r}')
    if resolution is not None and mode != "exact":
        raise ValueError(f'resolution is of mode="exact" with a mass or density, got mode={mode!r}')
    if resolution is not None and mass is None and density is None:
        raise ValueError("resolution is of triangles that move: give mass or density too")
    most = 0 if max_hulls is None else check.integer(max_hulls, "max_hulls", 1)
    fineness = 0.0 if tolerance is None else check.positive(tolerance, "tolerance")
    source, made = _mesh_of(item, tuple(factors.tolist()))
    if source is not None:
        source.max_hulls, source.tolerance = most, fineness
        source.resolution = 0.0 if resolution is None else check.positive(resolution, "resolution")
    if mode == "exact" and mass is None and density is None:
        description = surface(mesh_solids.exact(made), material)
        description.bodies[0].shapes[0].mesh = source
        if source is not None:  # what is in memory is drawn as it collides: the same triangles
            description.bodies[0].visuals = [VisualDescription(Shape.MESH, (), mesh=source)]
        return description
    if (mass is None) == (density is None):
        raise ValueError('give mass [kg] or density [kg/m³], one of them; or mode="exact" alone for terrain')
    if density is not None and not made.is_closed:
        raise ValueError(
            f"{made.what} is not a closed surface: it has no volume for a density; close its holes, or give "
            "mass"
        )
    is_exact = mode == "exact"
    exact = mesh_solids.moving(made, resolution or 0.0) if is_exact else None
    hulls = [] if is_exact else mesh_solids.solids(made, mode, most, fineness)
    share = {made.what: mesh_solids.hull_share(made, hulls, mode)}
    mesh_solids.warn_of_hulls("add_mesh", source.path if source else None, share, 'mode="decomposition"')
    if not made.is_closed:
        logger.warning(
            "%s is not a closed surface: mass and inertia are those of what collides; close its holes "
            "for true ones", made.what,
        )  # fmt: skip
    volume, centre, second = mesh_solids.moments(made, hulls)
    m = check.positive(density, "density") * volume if mass is None else check.positive(mass, "mass")
    centre = centre if com is None else check.vector(com, "com", 3)
    description = of_hulls(hulls, centre, m, solid_inertia(m / volume * second), material, "mesh", source)
    if exact is not None:
        exact.position, exact.material, exact.name, exact.mesh = (
            description.origin, material, "mesh/0", source,
        )  # fmt: skip
        description.bodies[0].shapes = [exact]
    look = VisualDescription(Shape.MESH, (), description.bodies[0].shapes[0].position, mesh=source)
    if source is None:
        look.triangles = made.vertices, made.triangles
    description.bodies[0].visuals = [look]
    return description


def _mesh_of(item: Any, scale: tuple[float, ...]) -> tuple[MeshFile | None, mesh_solids.Mesh]:
    """Return the triangles of a file, of a mesh object or of a pair of arrays; and the file, if it is one."""
    if isinstance(item, (str, os.PathLike)):
        path = Path(item)
        source = MeshFile(path, str(path), scale)
        return source, mesh_solids.load(source)
    what = "mesh"
    if isinstance(item, (tuple, list)) and len(item) == 2:
        vertices, triangles = item
    else:
        what = type(item).__name__
        vertices = getattr(item, "vertices", None)
        triangles = getattr(item, "faces", getattr(item, "triangles", None))
    if vertices is None or triangles is None:
        raise TypeError(
            "add_mesh takes the path of a file, an object with vertices and faces (trimesh.Trimesh), or a "
            f"pair (vertices, triangles), got {check.shown(item)}"
        )
    return None, mesh_solids.from_arrays(vertices, triangles, scale, what)


def surface(geometry: Surface, material: str) -> TreeDescription:
    """Describe static triangles in the frame of their vertices."""
    length = mesh_solids.edge_length(geometry)
    description = _single(Shape.SURFACE, (length,), 1.0, np.eye(3), material)
    description.kind = Kind.STATIC
    description.bodies[0].shapes[0].geometry = geometry
    return description


def height_map(field: HeightField, material: str) -> TreeDescription:
    """Describe a static height map."""
    geometry = field.geometry
    description = _single(Shape.HEIGHT_MAP, (geometry.dx, geometry.dy), 1.0, np.eye(3), material)
    description.kind = Kind.STATIC
    description.bodies[0].shapes[0].geometry = geometry
    return description


def ground(height: float, material: str, normal: Any) -> tuple[TreeDescription, np.ndarray]:
    """Describe a half space and the pose (7,) that puts it there."""
    n = check.vector(normal, "normal", 3)
    length = float(np.linalg.norm(n))
    if length < check.SMALLEST:
        raise ValueError(f"normal must not be zero, got {n.tolist()}; up is (0, 0, 1)")
    n /= length
    description = _single(Shape.PLANE, (), 1.0, np.eye(3), material)
    description.kind = Kind.STATIC
    half = np.array([1.0 + n[2], -n[1], n[0], 0.0])  # turns z into n: 1 + n·z, z × n
    if n[2] < -1.0 + 1e-12:
        half = np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = half / np.linalg.norm(half)
    return description, np.concatenate([check.number(height, "height") * n, quaternion])
