"""Volume, centre of mass and inertia of what a shape encloses: closed forms, hulls, closed meshes."""

from __future__ import annotations

import numpy as np

from tribo.description import inertias
from tribo.description.hulls import Hull, convex_hull, solid_inertia, volume_moments
from tribo.description.trees import DescriptionError, ShapeDescription
from tribo.formats import mesh_solids
from tribo.formats.inertia import Inertial, of_moments
from tribo.formats.mesh_reading import MeshError
from tribo.formats.pose import Pose
from tribo.model import Shape

PRIMITIVES = (Shape.SPHERE, Shape.BOX, Shape.CAPSULE, Shape.CYLINDER, Shape.CONE, Shape.ELLIPSOID)


def moments(shape: ShapeDescription) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume [m³], centre of mass (3,) [m] and inertia per mass (3, 3) [m²], in the shape's own frame.

    Raises:
        DescriptionError: It encloses no volume (plane, terrain, a mesh that is open or was not found); the
            message names the shape.

    Example:
        >>> moments(ShapeDescription(Shape.BOX, (0.5, 1.0, 1.5)))[0]
        6.0
    """
    what = f"shape {shape.name!r}" if shape.name else f"a {shape.kind.name.lower()}"
    if shape.kind in PRIMITIVES and not shape.is_point:
        return inertias.of_shape(shape.kind, shape.size)
    if isinstance(shape.geometry, Hull):
        corners, faces = shape.geometry.vertices, shape.geometry.triangles
    elif shape.kind == Shape.MESH and shape.mesh is not None:
        try:
            mesh = mesh_solids.load(shape.mesh)
        except MeshError as error:
            raise DescriptionError(f"{what} has no volume for a density: {error}") from None
        if not mesh.is_closed:
            raise DescriptionError(
                f"{what}: {mesh.what} is not a closed surface: it has no volume for a density; close its "
                "holes, or give mass, centre of mass and inertia"
            )
        corners, faces = mesh.vertices, mesh.triangles
    else:
        raise DescriptionError(f"{what} encloses no volume: it has no mass from a density")
    volume, centre, second = volume_moments(corners, faces)
    return volume, centre, solid_inertia(second / volume)


def solid(shape: ShapeDescription, *, mass: float | None = None, density: float | None = None) -> Inertial:
    """Return a homogeneous solid of a shape, in the frame in which the shape is placed.

    Args:
        shape: Primitive, hull or closed mesh; errors as in `moments`.
        mass, density: [kg] or [kg/m³], one of them.

    Example:
        >>> solid(ShapeDescription(Shape.SPHERE, (1.0,), (0.0, 0.0, 2.0)), mass=5.0).com
        (0.0, 0.0, 2.0)
    """
    if (mass is None) == (density is None):
        raise ValueError("give mass [kg] or density [kg/m³], one of them")
    volume, centre, unit = moments(shape)
    weight = density * volume if density is not None else mass
    assert weight is not None
    own = Inertial(weight, tuple(centre.tolist()), weight * unit)
    return own.moved(Pose(shape.position, shape.quaternion))


def of_hollow(shape: ShapeDescription) -> Inertial:
    """Return the solid of a shape at density 1 kg/m³, as `solid` does; of an open mesh that of its hull.

    Raises:
        DescriptionError: It is flat, or its mesh cannot be read.
    """
    if shape.kind != Shape.MESH or shape.mesh is None:
        return solid(shape, density=1.0)
    try:
        mesh = mesh_solids.load(shape.mesh)
        hulls = [] if mesh.is_closed else [convex_hull(mesh.vertices, mesh.what)]
        made = of_moments(*mesh_solids.moments(mesh, hulls))
    except (MeshError, ValueError) as error:
        raise DescriptionError(f"shape {shape.name!r}: {error}") from None
    return made.moved(Pose(shape.position, shape.quaternion))
