"""The part of a world that adds objects to it: terrain, single bodies, robots."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from tribo.checks import check
from tribo.checks.orientation import chosen
from tribo.checks.types import AxisAngle, BodyOptions, BodyType, Color, Euler, Orientation, Rows, Vector
from tribo.description import colors, hulls
from tribo.description.heights import HeightField
from tribo.description.trees import CompoundPart, LinkDescription, TreeDescription
from tribo.engine.builder import ALL_GROUPS
from tribo.formats import mesh_solids
from tribo.materials import MaterialLibrary
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Kind
from tribo.objects import ArticulatedSystem, HeightMap, SingleBody, primitives
from tribo.objects.body_types import as_kind
from tribo.objects.compounds import compound
from tribo.objects.world_view import WorldView
from tribo.readout.drawn_overlaps import leave_out
from tribo.world.contact_laws import take_laws
from tribo.world.object_list import WorldList

logger = logging.getLogger("tribo")


class WorldObjects:
    """Adding objects to a world."""

    def __init__(self, world: WorldView, members: WorldList) -> None:
        self._world, self.members = world, members

    def add_single(
        self,
        description: TreeDescription,
        prefix: str,
        options: Mapping[str, Any],
        made: type[SingleBody] = SingleBody,
    ) -> SingleBody:
        """Take a single body in with the options that all of them share."""
        settings = primitives.placed(description, options)
        part: SingleBody = self.members.add(
            made, description, settings.name, prefix, settings.collision_group, settings.collision_mask
        )
        part.fixed_pose[:] = settings.pose
        if description.kind != Kind.STATIC:
            part.take_state(settings.pose, settings.velocity)
        return part

    def add_ground(self, height: float = 0.0, material: str = DEFAULT_MATERIAL, *, normal: Vector = (0, 0, 1),
                   name: str = "", collision_mask: int = ALL_GROUPS,
                   color: Color | None = None) -> SingleBody:  # fmt: skip
        """Add an infinite ground plane that fills the half space below it.

        Args:
            height: [m] of the plane above the origin, along its normal.
            material: Name, see `set_material_pair`.
            normal: (3,) up direction, any length.
            name: Empty: "ground_0" and so on.
            collision_mask: Bits of the groups that it meets.
            color: As in `add_sphere`; None: as its material is drawn.
        """
        description, pose = primitives.ground(height, material, normal)
        options = {"name": name, "collision_mask": collision_mask, "position": pose[:3],
                   "orientation": pose[3:], "color": color}  # fmt: skip
        return self.add_single(description, "ground", options)

    def add_sphere(self, /, radius: float, mass: float | None = None, material: str = DEFAULT_MATERIAL, *,
                   density: float | None = None, **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid ball.

        Args:
            radius: [m] > 0.
            mass, density: [kg] or [kg/m³] > 0, one of them.
            material: Name, see `set_material_pair`.
            options: name, position (3,) [m], orientation: quaternion (w, x, y, z),
                matrix (3, 3) or SciPy's ``Rotation``;
                linear_velocity (3,) [m/s], angular_velocity (3,) [rad/s], inertia (3, 3) [kg m²] about
                the centre of mass, com (3,) [m] the centre of mass in the frame of the shape (the
                body's origin is there: `position` is that of the centre of mass),
                body_type ("dynamic", "kinematic", "static"), collision_group, collision_mask (bits),
                rpy, euler, axis_angle, rotation_matrix: the orientation in other forms
                (`tribo.quaternion`),
                color: a name, "red", or 3 or 4 numbers of 0 … 1; else it is drawn as its material is,
                ground_points (n, 3) [m], body frame: where it touches compliant grounds, instead of
                with points of its shape (docs/physics/compliant-ground).

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.
        """
        return self.add_single(primitives.sphere(radius, mass, material, density), "sphere", options)

    def add_box(self, /, size: Vector, mass: float | None = None, material: str = DEFAULT_MATERIAL, *,
                density: float | None = None, **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid box of full edge lengths `size` (3,) [m]; the rest as in `add_sphere`."""
        return self.add_single(primitives.box(size, mass, material, density), "box", options)

    def add_capsule(self, /, radius: float, height: float, mass: float | None = None,
                    material: str = DEFAULT_MATERIAL, *, density: float | None = None,
                    **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid capsule along local z, `height` [m] between cap centres; rest as `add_sphere`."""
        made = primitives.capsule(radius, height, mass, material, density)
        return self.add_single(made, "capsule", options)

    def add_cylinder(self, /, radius: float, height: float, mass: float | None = None,
                     material: str = DEFAULT_MATERIAL, *, density: float | None = None,
                     **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid cylinder along local z, full `height` [m]; the rest as in `add_sphere`."""
        made = primitives.cylinder(radius, height, mass, material, density)
        return self.add_single(made, "cylinder", options)

    def add_cone(self, /, radius: float, height: float, mass: float | None = None,
                 material: str = DEFAULT_MATERIAL, *, density: float | None = None,
                 **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid cone along local z, apex at +z; the rest as in `add_sphere`.

        Its origin is its centre of mass, a quarter of the `height` [m] above the base.
        """
        made = primitives.cone(radius, height, mass, material, density)
        return self.add_single(made, "cone", options)

    def add_ellipsoid(self, /, semi_axes: Vector, mass: float | None = None,
                      material: str = DEFAULT_MATERIAL, *, density: float | None = None,
                      **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a solid ellipsoid, (x/a)² + (y/b)² + (z/c)² ≤ 1 in its own axes; the rest as in `add_sphere`.

        Args:
            semi_axes: (3,) [m] > 0: a, b, c along local x, y, z.
            mass, density, material, options: As in `add_sphere`; inertia m/5 (b² + c²) about x and so on.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> pebble = world.add_ellipsoid((0.05, 0.04, 0.02), mass=0.4, position=(0, 0, 0.02))
            >>> world.step(100)
            >>> print(f"{pebble.position[2]:.6f}")  # it lies on its flat side
            0.020000
        """
        made = primitives.ellipsoid(semi_axes, mass, material, density)
        return self.add_single(made, "ellipsoid", options)

    def add_convex(self, /, vertices: Rows, mass: float | None = None, material: str = DEFAULT_MATERIAL, *,
                   density: float | None = None, **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add the homogeneous convex hull of points; the rest as in `add_sphere`.

        Args:
            vertices: (n, 3) [m], in any frame: the body's origin is the centre of mass.
            mass, density: [kg] or [kg/m³] > 0, one of them.
            material: Name, see `set_material_pair`.
            options: As in `add_sphere`.

        Raises:
            ValueError: Fewer than four points, all in one plane, or not finite.
            ImportError: SciPy is missing (``pip install "tribo[mesh]"``).

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> wedge = world.add_convex(
            ...     [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (0, 1, 1)], mass=3.0
            ... )
            >>> wedge.mass
            3.0
        """
        return self.add_single(
            primitives.convex(vertices, mass, material, options.pop("com", None), density), "convex", options
        )

    def add_mesh(self, /, file: Any, *, mass: float | None = None, density: float | None = None,
                 scale: float | Vector = 1.0, mode: str = "hull", max_hulls: int | None = None,
                 tolerance: float | None = None, resolution: float | None = None,
                 material: str = DEFAULT_MATERIAL, **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add a body from a mesh: a file (OBJ, STL, DAE, PLY, OFF, GLB or glTF) or triangles in memory.

        Args:
            file: Path; only the file itself and textures in its folder are read. Or a mesh with vertices and
                faces (``trimesh.Trimesh``), or a pair of arrays, vertices (n, 3) and triangles (m, 3): they
                are copied, and `World.save` cannot write them. Either is drawn as it is, whatever collides.
            mass, density: [kg] or [kg/m³], one of them; the inertia is that of the closed surface.
            scale: One factor, or (3,), applied to the vertices; negative ones mirror.
            mode: "hull": the convex hull collides. "decomposition": convex parts collide (coacd; found
                once and kept on disk). The body's origin is the centre of mass of the mesh.
                "exact": its triangles collide. Without mass and density they are static, in the frame of
                the file, see `add_surface`; with one of them a closed mesh moves, holes and hollows included.
            max_hulls: Of a decomposition: most convex parts; None: 64.
            tolerance: [m] Of a decomposition of a closed mesh: it is cut until no point of a part is further
                outside of the mesh. The log says how far the deepest one is; it warns if `max_hulls` are not
                enough. None: coacd's own measure.
            resolution: [m] Of exact triangles that move: most that points along their edges are apart whose
                distance from other meshes is found. None: a tenth of the mesh's longest side; a thousandth is
                the least.
            material: Name, see `set_material_pair`.
            options: As in `add_sphere`.

        Raises:
            ValueError: Too large, broken, empty, flat, not finite, scale 0, a density for an open mesh, a
                resolution that is too fine; the message names the file.
            ImportError: SciPy or trimesh is missing (``pip install "tribo[mesh]"``), or coacd
                (``pip install "tribo[decomposition]"``).
            TypeError: `file` is none of these.

        Example:
            >>> import tribo
            >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
            >>> body = tribo.World().add_mesh((corners, faces), density=600.0)
            >>> round(body.mass, 9)  # a sixth of a cubic metre
            100.0
        """
        is_exact = check.choice(mode, mesh_solids.MODES, "mode") == "exact"
        if is_exact and mass is None and density is None:
            _check_static(options)
        made = primitives.mesh(
            file,
            mode,
            scale,
            mass,
            density,
            material,
            options.pop("com", None),
            max_hulls,
            tolerance,
            resolution,
        )
        return self.add_single(made, "mesh", options)

    def add_compound(self, /, parts: Sequence[CompoundPart], mass: float | None = None, *,
                     density: float | None = None, material: str = DEFAULT_MATERIAL,
                     **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add one rigid body of several convex shapes; its origin is its centre of mass.

        Mass, centre of mass and inertia are the sums over the parts; where parts overlap, matter counts
        twice. The options `com` (3,) [m], in the frame of the parts, and `inertia` replace them.

        Args:
            parts: Shapes in one frame, see `CompoundPart`.
            mass, density: [kg] or [kg/m³] for all, shared by volume; leave both out if each part has its own.
            material: Of the parts that name none.
            options: As in `add_sphere`; `position` is that of the centre of mass.

        Raises:
            ValueError, TypeError: No parts, a wrong kind or size, masses given twice or not at all.

        Example:
            >>> import tribo
            >>> bar = tribo.CompoundPart("cylinder", (0.02, 1.0))
            >>> discs = [
            ...     tribo.CompoundPart("cylinder", (0.2, 0.05), position=(0, 0, z)) for z in (-0.4, 0.4)
            ... ]
            >>> barbell = tribo.World().add_compound([bar, *discs], mass=60.0)
            >>> round(barbell.mass, 9)
            60.0
        """
        made = compound(parts, mass, density, material, options.pop("com", None))
        return self.add_single(made, "compound", options)

    def add_surface(self, /, vertices: Rows, triangles: Rows, material: str = DEFAULT_MATERIAL,
                    **options: Unpack[BodyOptions]) -> SingleBody:  # fmt: skip
        """Add static triangles as they are, solid on the side from which they look anticlockwise.

        Where triangles join flat or in a valley nothing is felt; open borders are allowed.

        Args:
            vertices: (n, 3) [m], in the body's frame.
            triangles: (m, 3) entries of `vertices`.
            material: Name, see `set_material_pair`.
            options: name, position, orientation, collision_group, collision_mask, color; see `add_sphere`.

        Raises:
            ValueError: Not finite, entries that name no vertex, or no triangle with an area.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> corners = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
            >>> floor = world.add_surface(corners, [(0, 1, 2), (0, 2, 3)])
        """
        _check_static(options)
        made = primitives.surface(hulls.surface(vertices, triangles, "surface"), material)
        return self.add_single(made, "surface", options)

    def add_height_map(self, /, heights: HeightField | Rows, size: Vector | None = None,
                       material: str = DEFAULT_MATERIAL,
                       **options: Unpack[BodyOptions]) -> HeightMap:  # fmt: skip
        """Add a static height map, solid below, with a hard border.

        Args:
            heights: A `HeightField`, or (ny, nx) heights [m] with x along a row.
            size: Lengths along x and y [m], with an array only; the map is centred on its position.
            material: Name, see `set_material_pair`.
            options: name, position, orientation (any), collision_group, collision_mask, color; see
                `add_sphere`.

        Raises:
            ValueError: Ragged, too small or not finite.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> hills = world.add_height_map(tribo.HeightField.fractal(z_scale=0.5, seed=3))
            >>> hills.height(0.0, 0.0) == float(hills.height(0, 0))
            True
        """
        _check_static(options)
        if not isinstance(heights, HeightField):
            heights = HeightField(heights, size)
        elif size is not None:
            raise TypeError("size is that of the HeightField; leave it out")
        made = primitives.height_map(heights, material)
        part = self.add_single(made, "height_map", options, HeightMap)
        assert isinstance(part, HeightMap)
        return part

    def add_articulated_system(
        self, source: str | Path | TreeDescription | LinkDescription, *, name: str = "",
        position: Vector | None = None, orientation: Orientation | None = None,
        package_dirs: Sequence[Path | str] | Path | str = (), body_type: BodyType = "dynamic",
        collision_meshes: str = "auto",
        collision_group: int | None = None, collision_mask: int = ALL_GROUPS, strict: bool = False,
        ground_points: Mapping[str, Rows] | None = None, modules: Sequence[str | Path] = (),
        parameters: Mapping[str, object] | None = None, srdf: str | Path | None = None,
        collide_with_parent: bool = False, joint_order: Sequence[str] = (),
        fixed_base: bool | None = None, materials: MaterialLibrary | None = None, color: Color | None = None,
        rpy: Vector | None = None, euler: Euler | None = None, axis_angle: AxisAngle | None = None,
        rotation_matrix: Rows | None = None, self_collision: str | None = None,
        xacro: Mapping[str, object] | None = None,
    ) -> ArticulatedSystem:  # fmt: skip
        """Add a robot.

        Doubts about the file (unknown elements, impossible inertias, parts that are left out)
        is one warning in the log; all that its reader has to say is in ``robot.description.notes``.

        Args:
            source: URDF, MJCF or body file of Choreonoid (file, or its text), or a description: a tree, or
                its root link.
            name: Empty: "articulated_system_0" and so on.
            position, orientation: Where the base starts (or stands), [m] and quaternion (w, x, y, z).
            rpy, euler, axis_angle, rotation_matrix: Its orientation in other forms, as `tribo.quaternion`
                takes them.
            package_dirs: Folder or folders in which ``package://`` references are looked up.
            body_type: "dynamic" or "kinematic".
            collision_meshes: Collision geometry of its meshes. "hull": one convex hull each. "decomposition":
                convex parts (coacd). "auto": hulls, but exact triangles where a link is fixed to the
                world. "exact": triangles, also of links that move; their meshes must be closed.
                "none": they are drawn only.
            collision_group, collision_mask: Bits for all its shapes.
            strict: Treat what the reader does not know as an error.
            ground_points: Links and the points, (n, 3) [m] in the link's frame, with which they touch
                compliant grounds, instead of with points of their shapes.
            modules: Elements that come before </robot> of a URDF: files, texts, or names of files beside it.
            parameters: Values for @@name in a URDF that is a template; {expressions} are then computed.
            srdf: SRDF file, or its text, that says which links may touch (docs/howto/urdf).
            self_collision: Which links may touch one another. "not overlapping", the default: those that
                the file lets touch, but none that stand in one another, or are within 1 mm, in the pose in
                which it draws the robot (q = 0); the log names them. "as in file": what the file says alone,
                the default of body files. "all" and "none": whatever the file says. Neighbours: see
                `collide_with_parent`.
            collide_with_parent: Links may touch the link on which they hang; by default they may not.
            joint_order: Names of all joints that move, parents before children, in the order in which their
                coordinates shall stand; empty: that of the file. The base's always come first.
            fixed_base: True: the root is fixed to the world at `position` and `orientation` (None: where the
                file starts it). None: as the file says: a URDF floats unless its root link is called "world".
                False: it must float.
            materials: Of a body file (`tribo.read_materials`): densities of what it names.
            xacro: Arguments of a xacro file, {} for none: xacro is run on it (package xacrodoc or xacro). It
                evaluates Python and reads what the file includes: only for files that you trust.
            color: Of the whole robot, as in `add_sphere`; None: as its file says.

        Raises:
            DescriptionError: The file cannot be built, or fixes a base that shall float; the message names
                element, value and remedy.
            ImportError: Its meshes need trimesh and SciPy (``pip install "tribo[mesh]"``).
            TypeError: `fixed_base` is neither a truth value nor None.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> world = tribo.World()
            >>> world.add_articulated_system(ASSETS / "quadruped.urdf").dof
            18
            >>> on_a_stand = world.add_articulated_system(
            ...     ASSETS / "quadruped.urdf", fixed_base=True, position=(1, 0, 0.8)
            ... )
            >>> on_a_stand.dof, on_a_stand.position.tolist()
            (12, [1.0, 0.0, 0.8])
        """
        from tribo.formats import robot_files
        from tribo.formats import self_collision as self_collision_rules
        from tribo.formats.mesh_solids import solidify

        description, laws = robot_files.read(
            source, package_dirs=package_dirs, modules=modules, parameters=parameters, srdf=srdf,
            strict=strict, order=joint_order, fixed_base=fixed_base, materials=materials,
            xacro=xacro,
        )  # fmt: skip
        self_collision_rules.choose(description, self_collision)
        if collide_with_parent:
            for body in description.bodies[1:]:
                body.joint.collision_enabled = True
        if color is not None:
            description.color = colors.given(color, "color")
        description.kind = as_kind(body_type)
        if description.kind == Kind.STATIC:
            raise ValueError("an articulated system cannot be static; make it kinematic with zero velocity")
        solidify(description, collision_meshes, strict=strict)
        where = None if position is None else check.vector(position, "position", 3)
        how = chosen(
            orientation,
            {"rpy": rpy, "euler": euler, "axis_angle": axis_angle, "rotation_matrix": rotation_matrix},
        )
        bodies = {body.name: body for body in description.bodies}
        given = {} if ground_points is None else ground_points
        for link, points in check.mapping(given, "ground_points", "links' names to points").items():
            primitives.add_ground_points(bodies[check.known(link, bodies, "link")], points)
        part: ArticulatedSystem = self.members.add(
            ArticulatedSystem, description, name, "articulated_system", collision_group, collision_mask
        )
        take_laws(self._world.materials, laws)
        drawn = part.take_start()
        if description.self_collision == self_collision_rules.DEFAULT:
            leave_out(part, drawn)
        if where is not None:
            part.position = where
        if how is not None:
            part.orientation = how
        try:
            self._world.equip(part)
        except Exception:
            self._world.remove(part)
            raise
        _report(part)
        return part


def _check_static(options: Mapping[str, Any]) -> None:
    """Refuse options that only make sense for what moves."""
    for name in ("body_type", "com", "inertia", "linear_velocity", "angular_velocity"):
        if name in options:
            raise TypeError(f"terrain is static: it has no {name}; leave it out")


def _report(part: ArticulatedSystem) -> None:
    """Log what the reader of a robot's file has to say, once: one warning, and what is good to know."""
    from tribo.formats.report import is_news, warning

    made = part.description
    for note in made.notes:
        if note not in made.doubts and is_news(made.source, note):
            logger.info("%s: %s", part.name, note)
    if made.doubts and is_news(made.source, "\n".join(made.doubts)):
        logger.warning("%s", warning(part.name, made.doubts))
