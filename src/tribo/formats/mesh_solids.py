"""Collision geometry of a mesh: one convex hull, convex parts, or its triangles as they are."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tribo.asides import aside
from tribo.checks import check
from tribo.description.hulls import (
    MANY,
    FlatError,
    Hull,
    Surface,
    checked_triangles,
    convex_hull,
    surface,
    volume_moments,
)
from tribo.description.trees import DescriptionError, MeshFile, ShapeDescription, TreeDescription
from tribo.formats.mesh_bounds import MeshError, NoReaderError
from tribo.formats.mesh_reading import given, read
from tribo.formats.pose import NO_POSE, Pose
from tribo.formats.report import is_news
from tribo.model import Joint, Kind, Shape

logger = logging.getLogger("tribo")
PIECES = 10  # of the longest side of an exact mesh that moves: edges are followed in pieces no longer
MAX_PIECES = 1000  # the same, as a user may ask for them
HULL_SHARE = 1.05  # volume of a hull in volumes of its mesh: above, a warning
MODES = ("hull", "decomposition", "exact")
SHOWN = 5  # meshes that a warning names
ROBOT_MODES = ("auto", "hull", "decomposition", "exact", "none")


class OpenMeshError(ValueError):
    """A mesh that is not closed is to move as it is."""


@dataclass(slots=True)
class HullFile(MeshFile):
    """The file of a mesh of which a hull is made, unless a user chooses `collision_meshes`: of MJCF."""

    pose: Pose = NO_POSE  # of the file's frame in that of the shape


@dataclass(slots=True)
class Mesh:
    """Triangles of a file, in metres."""

    what: str  # the file, for messages
    vertices: np.ndarray  # (n, 3) [m]
    triangles: np.ndarray  # (m, 3) entries of `vertices`; of a closed mesh anticlockwise seen from outside
    is_closed: bool  # whether they enclose a volume


def load(file: MeshFile) -> Mesh:
    """Read a mesh; a closed one that is inside out is turned.

    Raises:
        MeshError: It cannot be read; the message names the file and says why.
    """
    if file.path is None:
        raise MeshError(f"{file.reference}: the file was not found; give its folder")
    try:
        made = read(file.path, tuple(file.scale))
    except NoReaderError:
        raise
    except MeshError as error:
        raise MeshError(f"{file.path}: {error}") from None
    return _closed(made, str(file.path))


def from_arrays(vertices: Any, triangles: Any, scale: tuple[float, ...], what: str) -> Mesh:
    """Return a mesh from memory; a closed one that is inside out is turned.

    Raises:
        ValueError: Wrong shapes, numbers out of range or not finite, or no triangles.
    """
    points, faces = checked_triangles(vertices, triangles, what)
    try:
        return _closed(given(points, faces, scale), what)
    except NoReaderError:
        raise
    except MeshError as error:
        raise MeshError(f"{what}: {error}") from None


def _closed(made: Any, what: str) -> Mesh:
    """Return the triangles of trimesh's mesh, from outside anticlockwise if it is closed."""
    vertices, triangles = np.asarray(made.vertices), np.asarray(made.faces)
    is_closed = aside(
        lambda: bool(made.is_watertight and made.is_winding_consistent), lasts=len(triangles) > MANY
    )
    if is_closed:
        volume = volume_moments(vertices, triangles)[0]
        if volume < 0.0:
            triangles = triangles[:, ::-1]
        is_closed = volume != 0.0
    return Mesh(what, vertices, triangles, is_closed)


def solids(mesh: Mesh, mode: str, max_hulls: int = 0, tolerance: float = 0.0) -> list[Hull]:
    """Return the convex solids that stand for a mesh.

    Args:
        mesh: Of a file, or from memory.
        mode: "hull" or "decomposition".
        max_hulls: Of a decomposition; 0: 64.
        tolerance: [m] that the deepest wrong point of a decomposition may have, which the log then says; 0:
            coacd splits it, by a measure of its own.

    Raises:
        ValueError: The mesh is flat or degenerate, open though a tolerance is given, or the mode unknown.
    """
    if check.choice(mode, MODES[:2], "mode") == "decomposition":
        if tolerance > 0.0:
            return _cut(mesh, max_hulls, tolerance)
        from tribo.formats.convex_parts import MAX_PARTS, convex_parts

        return convex_parts(mesh.vertices, mesh.triangles, max_parts=max_hulls or MAX_PARTS, what=mesh.what)
    return [convex_hull(mesh.vertices, f"{mesh.what}: vertices")]


def hull_share(mesh: Mesh, hulls: list[Hull], mode: str) -> float:
    """Return the volume of the hull of a closed mesh in volumes of the mesh [–]; without a hull of it 1."""
    if mode != "hull" or not mesh.is_closed:
        return 1.0
    return float(hulls[0].volume / volume_moments(mesh.vertices, mesh.triangles)[0])


def warn_of_hulls(owner: str, source: Path | None, shares: dict[str, float], remedy: str) -> None:
    """Log the meshes whose hulls are much larger than they are, the worst first, and once for a file.

    Args:
        owner: Of the meshes, for the message.
        source: The file that names them; None: it is said each time.
        shares: Volumes of the hulls in volumes of their meshes [–].
        remedy: The argument that keeps hollows.
    """
    wide = sorted((name for name in shares if shares[name] > HULL_SHARE), key=lambda name: -shares[name])
    listed = ", ".join(f"{name} {shares[name]:.2f} times as large" for name in wide[:SHOWN])
    rest = f", and {len(wide) - SHOWN} more" if len(wide) > SHOWN else ""
    said = f"convex hulls collide that are larger than their meshes: {listed}{rest}; {remedy} keeps hollows"
    if wide and is_news(source, said):
        logger.warning("%s: %s", owner, said)


def _cut(mesh: Mesh, max_hulls: int, tolerance: float) -> list[Hull]:
    """Cut a closed mesh until its parts are good enough, and log how good they are."""
    from tribo.formats import convex_cuts

    if not mesh.is_closed:
        raise ValueError(
            f"{mesh.what} is not a closed surface: what is outside of it cannot be measured; close its "
            "holes, or leave tolerance out"
        )
    most = max_hulls or convex_cuts.MAX_HULLS
    hulls, deepest = convex_cuts.cut(mesh.vertices, mesh.triangles, tolerance, most)
    said = f"{mesh.what}: {len(hulls)} convex parts, their deepest wrong point is {deepest:.3g} m"
    if deepest > tolerance:
        logger.warning("%s, more than tolerance=%g m; allow more max_hulls", said, tolerance)
    else:
        logger.info("%s outside of the mesh", said)
    return hulls


def moments(mesh: Mesh, hulls: list[Hull]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume, centroid and second moment of a closed mesh; of an open one, of its hulls."""
    if mesh.is_closed:
        return volume_moments(mesh.vertices, mesh.triangles)
    parts = [volume_moments(hull.vertices, hull.triangles) for hull in hulls]
    volume = sum(v for v, _, _ in parts)
    centre = sum((v * c for v, c, _ in parts), np.zeros(3)) / volume
    second = sum((s + v * np.outer(c - centre, c - centre) for v, c, s in parts), np.zeros((3, 3)))
    return volume, np.asarray(centre), np.asarray(second)


def exact(mesh: Mesh) -> Surface:
    """Return the triangles of a mesh as they are."""
    return surface(mesh.vertices, mesh.triangles, mesh.what)


def moving(mesh: Mesh, resolution: float = 0.0) -> ShapeDescription:
    """Return the triangles of a closed mesh as a shape that moves.

    Args:
        mesh: Of a file, or from memory.
        resolution: [m] Most that points along its edges are apart; 0: a tenth of its longest side.

    Raises:
        OpenMeshError: The mesh is open.
        ValueError: The resolution is less than a thousandth of the longest side.
    """
    if not mesh.is_closed:
        raise OpenMeshError(
            f"{mesh.what} is not a closed surface: triangles that move need an inside; close its holes, or "
            "let its hull collide"
        )
    made = exact(mesh)
    size = float(np.ptp(made.vertices, axis=0).max())
    least = size / MAX_PIECES
    if 0.0 < resolution < least:
        raise ValueError(
            f"{mesh.what}: resolution={resolution:g} m is less than a thousandth of its longest side, "
            f"{size:g} m; give {least:g} m or more"
        )
    return ShapeDescription(Shape.SURFACE, (edge_length(made), resolution or size / PIECES), geometry=made)


def edge_length(geometry: Surface) -> float:
    """Return a length of the order of its triangles [m]."""

    def length() -> float:
        corners = geometry.vertices[geometry.triangles]
        return float(np.median(np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2)))

    return aside(length, lasts=len(geometry.triangles) > MANY)


def solidify(robot: TreeDescription, mode: str, *, strict: bool = False) -> None:
    """Let the collision meshes of a robot collide.

    Args:
        robot: Its shapes that are meshes become hulls or surfaces, in place.
        mode: "hull": one convex hull each. "decomposition": convex parts. "auto": hulls, but exact
            triangles for what is fixed to the world. "exact": triangles, also of links that move.
            "none": they are drawn only. A mesh with a word of its
            own collides as that says.
        strict: A mesh that was not found is an error; else it does not collide, which is warned of.

    Raises:
        DescriptionError: A mesh cannot be read, has no volume or, with `strict`, was not found; the message
            names the shape.
        ImportError: SciPy, trimesh or coacd is missing.
    """
    robot.collision_meshes = check.choice(mode, ROBOT_MODES, "collision_meshes")
    missing: list[ShapeDescription] = []
    shares: dict[str, float] = {}
    for number, body in enumerate(robot.bodies):
        stands = number == 0 and (body.joint.type == Joint.FIXED or robot.kind == Kind.STATIC)
        made: list[ShapeDescription] = []
        for written in body.shapes:
            shape = _chosen(written, mode)
            if shape.kind != Shape.MESH or shape.mesh is None:
                made.append(shape)
                continue
            if mode == "none" and not shape.mesh.collision:
                made.append(shape)
            elif shape.mesh.path is None:
                if strict:
                    said = _missing(robot, [shape])
                    raise DescriptionError(f"{said} (an error because of strict=True)")
                missing.append(shape)
                made.append(shape)
            else:
                try:
                    made += _solid_shapes(shape, mode, shares, stands=stands)
                except NoReaderError as error:
                    raise NoReaderError(
                        f'{shape.name}: collision {error}; or collision_meshes="none"'
                    ) from None
                except ValueError as error:
                    if isinstance(error, FlatError) and not strict:
                        logger.warning(
                            "%s: the collision mesh of %s is flat: it does not collide; use a thin box",
                            robot.source or "robot", shape.name,
                        )  # fmt: skip
                        continue
                    raise DescriptionError(
                        f'collision mesh of {shape.name}: {error}; mend it, or use collision_meshes="none"'
                    ) from None
        body.shapes = made
    if missing:
        logger.warning("%s", _missing(robot, missing))
    warn_of_hulls(str(robot.source or "robot"), robot.source, shares, 'collision_meshes="decomposition"')


def _missing(robot: TreeDescription, shapes: list[ShapeDescription]) -> str:
    """Return what is said of collision meshes that were not found."""
    named = [f"{shape.mesh.reference!r} of {shape.name}" for shape in shapes if shape.mesh is not None]
    if len(named) == 1:
        text = f"the mesh {named[0]} was not found: it does not collide; give its folder in package_dirs"
    else:
        some = ", ".join(named[:SHOWN]) + (", …" if len(named) > SHOWN else "")
        text = (
            f"{len(named)} meshes were not found: they do not collide; give their folder in package_dirs: "
            f"{some}"
        )
    return f"{robot.source or 'robot'}: {text}"


def _chosen(shape: ShapeDescription, mode: str) -> ShapeDescription:
    """Return a hull that an MJCF file asks for, or its mesh if the user wants that to collide otherwise."""
    file = shape.mesh
    if not isinstance(file, HullFile):
        return shape
    if mode in {"auto", "hull"}:
        return replace(shape, mesh=None)
    if file.path is None and mode != "none":
        raise DescriptionError(
            f"{shape.name}: collision_meshes={mode!r} needs a file, but {file.reference} is written in the "
            "MJCF file: write it to an .obj file"
        )
    pose = Pose(shape.position, shape.quaternion) @ file.pose
    return replace(
        shape, kind=Shape.MESH, size=(), geometry=None, position=pose.position,
        quaternion=pose.quaternion, mesh=MeshFile(file.path, file.reference, file.scale),
    )  # fmt: skip


def _solid_shapes(
    shape: ShapeDescription, mode: str, shares: dict[str, float], *, stands: bool
) -> list[ShapeDescription]:
    """Return the shapes that stand for one mesh, named NAME.1, NAME.2 …; note the share of its hull."""
    assert shape.mesh is not None
    mesh = load(shape.mesh)
    if mode == "auto":
        mode = "exact" if stands else "hull"
    mode = shape.mesh.collision or mode
    if mode == "exact" and stands:
        geometry = exact(mesh)
        return [replace(shape, kind=Shape.SURFACE, size=(edge_length(geometry),), geometry=geometry)]
    if mode == "exact":
        made = moving(mesh)
        return [replace(shape, kind=made.kind, size=made.size, geometry=made.geometry)]
    hulls = solids(mesh, mode, shape.mesh.max_hulls, shape.mesh.tolerance)
    shares[shape.mesh.reference] = hull_share(mesh, hulls, mode)
    return [
        replace(
            shape, kind=Shape.HULL, size=(hull.half_width,), geometry=hull,
            name=shape.name if k == 0 else f"{shape.name}.{k}", mesh=shape.mesh,
        )
        for k, hull in enumerate(hulls)
    ]  # fmt: skip
