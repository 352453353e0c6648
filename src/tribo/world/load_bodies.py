"""The part of a world that loads body files and projects of Choreonoid, and what is tied and laid in them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.by_name import primed
from tribo.description.trees import DescriptionError
from tribo.engine.builder import ALL_GROUPS
from tribo.engine.settings import WorldSettings
from tribo.formats.report import warning
from tribo.materials import MaterialLibrary
from tribo.objects import ArticulatedSystem
from tribo.objects.cable import Cable, CableNode
from tribo.objects.joint_ties import Winch
from tribo.objects.track import Belt, Track, TrackWheel
from tribo.objects.world_view import WorldView
from tribo.world.add_cables import WorldCables
from tribo.world.add_constraints import WorldConstraints
from tribo.world.add_joints import WorldJoints
from tribo.world.add_objects import WorldObjects
from tribo.world.add_tracks import WorldTracks
from tribo.world.contact_laws import take_laws

if TYPE_CHECKING:
    from tribo.formats.choreonoid import BodyFile, BodyItem, ProjectFile
    from tribo.formats.choreonoid.track_devices import TrackDescription
    from tribo.formats.choreonoid.wire_devices import WinchDescription, WireDescription, WirePlace

logger = logging.getLogger("tribo")

# Collision groups of what moves and of what stands, unless a file says otherwise.
USUAL = (1, 1 << 63)


class BodyParts(list[ArticulatedSystem]):
    """Objects that a body file added to a world in order, its wires and tracks, its belts by link.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> parts = world.load_body('''
        ... format: ChoreonoidBody
        ... name: Hook
        ... links:
        ...   - { name: crate, jointType: free, mass: 1.0, inertia: [ 1, 0, 0, 1, 0, 1 ], elements: [
        ...       { type: AGXWireDevice, radius: 0.01, Nodes: [ { type: fixed, position: [ 0, 0, 1 ] },
        ...         { type: fixed, linkName: crate, position: [ 0, 0, 0 ] } ] } ] }
        ... ''')
        >>> len(parts), parts.cables[0].length
        (1, 1.0)
    """

    def __init__(self) -> None:
        """Begin without parts; `World.load_body` fills it."""
        super().__init__()
        self.cables: list[Cable] = []
        self.winches: list[Winch] = []
        self.tracks: list[Track] = []
        self.belts: dict[str, Belt] = {}

    def take_out(self, world: WorldView) -> None:
        """Take all of it out of its world again."""
        laid: list[Cable | Track] = [*self.cables, *self.tracks]
        for one in laid:
            one.remove()
        for part in self:
            world.remove(part)


class WorldBodyFiles:
    """Loading body files."""

    def __init__(self, world: WorldView, adding: WorldObjects, ties: WorldConstraints,
                 joints: WorldJoints, cables: WorldCables, tracks: WorldTracks) -> None:  # fmt: skip
        self._world, self._adding, self._ties = world, adding, ties
        self._joints, self._cables, self._tracks = joints, cables, tracks

    def load_body(
        self, source: str | Path, *, materials: MaterialLibrary | None = None, strict: bool = False,
        package_dirs: Sequence[Path | str] | Path | str = (), collision_meshes: str = "auto",
        compliant_joints: bool = False,
    ) -> BodyParts:  # fmt: skip
        """Add everything in a body file of Choreonoid: each link with a free joint begins a thing of its own.

        Each is called after its first link; the list that is returned has them in order, and its wires and
        tracks as `cables`, `winches` and `tracks`, and by link the belts of pseudo continuous tracks as
        `belts` (docs/howto/body-files).

        Args:
            source: Path of a body file, or its text.
            materials, strict, package_dirs, collision_meshes: As in `add_articulated_system`; of the
                materials wires take density and wire parameters.
            compliant_joints: Let joints of links with `jointCompliance` or `jointForceRange` give way across
                what they move, too. Each then has five coordinates more, a fixed one six, called
                LINK/give_along_x and so on; their forces have the bounds of `jointForceRange`.

        Raises:
            DescriptionError: The file cannot be built; the world stays as it was.
        """
        self._world.check_editable("the list of objects")
        folders = check.folders(package_dirs, "package_dirs")
        from tribo.formats import choreonoid

        body = choreonoid.read(
            source, package_dirs=folders, materials=materials, strict=strict,
            compliant_joints=check.boolean(compliant_joints, "compliant_joints"),
        )  # fmt: skip
        return self.take_body(body, collision_meshes)

    def take_body(self, body: BodyFile, collision_meshes: str, title: str = "") -> BodyParts:
        """Add what `tribo.formats.choreonoid.read` has read; see `load_body`, which does both.

        Args:
            body: The description that was read.
            collision_meshes: As in `add_articulated_system`.
            title: Name of its first thing; empty: that of its first link.

        Raises:
            DescriptionError: It cannot be built; the world stays as it was.
        """
        added = BodyParts()
        before = self._world.materials.copy()
        try:
            if body.is_apart and len(body.trees) > 1:
                keep_apart(body, self._cables.free_group())
            for k, tree in enumerate(body.trees):
                name = title if title and k == 0 else tree.bodies[0].name
                name = primed(name, self._adding.members.by_name)
                made = self._adding.add_articulated_system(tree, name=name, collision_meshes=collision_meshes)
                added.append(made)
            names = {tie.name for tie in self._world.constraints}
            for tie in body.ties:
                tie.name = primed(tie.name, names)
                names.add(tie.name)
                self._ties.join(tie, (added[tie.objects[0]], added[tie.objects[1]]))
            for wire in body.wires:
                self._lay(wire, added)
            self._part_from_wires(body.without_wires, added)
            for track in body.tracks:
                self._lay_track(track, added)
            for belt in body.belts:
                added.belts[belt.link] = Belt(added[belt.tree], belt.link, belt.axis)
        except (ValueError, TypeError, ImportError) as error:
            added.take_out(self._world)
            self._world.materials.become(before)
            raise DescriptionError(f"{body.name}: {error}") from None
        take_laws(self._world.materials, body.laws)
        return added

    def _free_name(self, name: str) -> str:
        """Return a name under which nothing with parts of its own stands in the world."""
        taken = {part.name.split("/")[0] for part in self._world.objects}
        taken |= {part.name.split("/")[0] for part in self._world.constraints}
        return primed(name, taken)

    def _lay(self, wire: WireDescription, parts: BodyParts) -> None:
        """Lay a wire of a body file; up to its first node a winch winds a wire without mass."""
        name = self._free_name(wire.name)
        route = [_node(place, parts) for place in wire.nodes]
        first = route[0]
        try:
            if len(route) > 1:
                cable = self._cables.add_cable(
                    route, radius=wire.radius, segment_length=wire.segment_length, material=wire.material,
                    self_collide=wire.self_collide, collide=wire.collide, name=name,
                )  # fmt: skip
                parts.cables.append(cable)
                if first.kind == "free":
                    segment = cable.segments[0]
                    start = segment.rotation_matrix.T @ (cable.points[0] - segment.position)
                    first = CableNode(start, segment)
            if wire.winch is not None:
                parts.winches.append(self._wind(wire, wire.winch, first, f"{name}/winch", parts))
        except (ValueError, TypeError) as error:
            raise DescriptionError(f"{wire.place}: wire {wire.name!r}: {error}") from None

    def _part_from_wires(self, links: Sequence[str], parts: BodyParts) -> None:
        """Let the wires of a body file pass through some of its links, by a collision group for each side."""
        named = [
            shape for part in parts for shape in part.collision_bodies
            if shape.name.rpartition("/")[0] in links and shape.collision_group
        ]  # fmt: skip
        segments = [
            segment.collision_bodies[0] for cable in parts.cables for segment in cable.segments
            if segment.collision_bodies[0].collision_group
        ]  # fmt: skip
        if not named or not segments:
            return
        of_links = self._cables.free_group()
        for shape in named:
            # Those that are apart from other links have a group of their own already.
            if shape.collision_group in USUAL:
                shape.collision_group = of_links
        groups = of_links
        for shape in named:
            groups |= shape.collision_group
        of_wires = self._cables.free_group()
        for shape in named:
            shape.collision_mask &= ~of_wires
        for shape in segments:
            touches_itself = shape.collision_mask & shape.collision_group
            shape.collision_group = of_wires
            shape.collision_mask &= ~(groups if touches_itself else groups | of_wires)

    def _lay_track(self, track: TrackDescription, parts: BodyParts) -> None:
        """Lay a track of a body file; its pads weigh what their material says."""
        wheels = [
            TrackWheel(parts[wheel.tree].frame(wheel.body), wheel.radius, wheel.point)
            for wheel in track.wheels
        ]
        first = track.wheels[0]
        axis = parts[first.tree].frame(first.body).rotation_matrix @ np.array(first.axis)
        try:
            parts.tracks.append(self._tracks.add_track(
                wheels, axis=axis, pads=track.pads, width=track.width, thickness=track.thickness,
                density=float(track.material.density), material=track.material.name,
                compliance=track.compliance, angular_compliance=track.compliance,
                spook_damping=track.spook_damping, name=self._free_name(track.name),
            ))  # fmt: skip
        except (ValueError, TypeError) as error:
            raise DescriptionError(f"{track.place}: track {track.name!r}: {error}") from None

    def _wind(
        self, wire: WireDescription, winch: WinchDescription, end: CableNode, name: str, parts: BodyParts
    ) -> Winch:  # fmt: skip
        """Lead the wire of a winch to a node."""
        drum = _node(winch.place, parts)
        out = float(np.linalg.norm(self._cables.node_place(drum, 0)[0] - self._cables.node_place(end, 1)[0]))
        if out < wire.radius:
            raise ValueError("its first node is where its Winch is; put it where the wire leads")
        return self._joints.add_winch(
            drum.body, end.body, drum.point, end.point, max_force=winch.haul, brake_force=winch.brake,
            most_length=out + winch.pulled_in, least_length=min(0.01, 0.5 * out), name=name,
        )  # fmt: skip


def keep_apart(body: BodyFile, bit: int) -> None:
    """Give all shapes of a body one collision group that their masks leave out; pads of tracks meet them."""
    for tree in body.trees:
        if tree.bodies[0].name in body.chains:
            continue
        for part in tree.bodies:
            for shape in part.shapes:
                if shape.group != 0:
                    shape.group = bit
                    shape.mask = (ALL_GROUPS if shape.mask is None else shape.mask) & ~bit


def _node(place: WirePlace, parts: Sequence[ArticulatedSystem]) -> CableNode:
    """Return a node of a route with its link found."""
    body: Any = None if place.tree is None else parts[place.tree].frame(place.link)
    return CableNode(place.point, body, place.kind, place.bend_stiffness, place.twist_stiffness)


class ProjectParts(dict[str, BodyParts]):
    """Objects that a project added to a world, by the names of its bodies, and remarks on its omissions."""

    def __init__(self, notes: Sequence[str]) -> None:
        """Begin without parts; `World.load_project` fills it."""
        super().__init__()
        self.notes = tuple(notes)


class WorldProjects:
    """Loading projects."""

    def __init__(self, world: WorldView, settings: WorldSettings, bodies: WorldBodyFiles) -> None:
        self._world, self._settings, self._bodies = world, settings, bodies

    def load_project(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        strict: bool = False, collision_meshes: str = "auto",
    ) -> ProjectParts:  # fmt: skip
        r"""Fill an empty world from a project of Choreonoid: bodies where they start, materials, gravity.

        The page docs/howto/body-files lists the elements that are read; omissions are one warning in the
        log. The bodies
        are found by their names in the project; the thing that holds a body's root link has that name, the
        others those of their first links.

        Args:
            source: Path of the project (.cnoid), or its text.
            package_dirs: Folders in which the files of ``${SHARE}`` and meshes are looked up, besides the
                project's own and the two above it.
            strict: Unknown elements and omissions are errors.
            collision_meshes: As in `add_articulated_system`.

        Raises:
            DescriptionError: It cannot be built, or names files that are not there; the world
                stays as it was.
            ValueError: The world has objects.
            ImportError: PyYAML is missing (``pip install "tribo[yaml]"``).

        Example:
            >>> import pathlib, tempfile, tribo
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> ball = "format: ChoreonoidBody\nname: Ball\nlinks: [ { name: ball, jointType: free,\n"
            >>> ball += "  mass: 1, inertia: [ 1, 0, 0, 1, 0, 1 ] } ]\n"
            >>> _ = (folder / "ball.body").write_text(ball)
            >>> _ = (folder / "fall.cnoid").write_text('''
            ... items: { class: RootItem, children: [ { class: WorldItem, name: W, children: [
            ...   { class: AGXSimulatorItem, data: { timestep: 0.002 } },
            ...   { class: BodyItem, name: drop, data: { modelFile: "${PROJECT_DIR}/ball.body",
            ...                                          rootPosition: [ 0, 0, 3 ] } } ] } ] }
            ... ''')
            >>> world = tribo.World()
            >>> parts = world.load_project(folder / "fall.cnoid")
            >>> world.time_step, parts["drop"][0].name, float(world["drop"].position[2])
            (0.002, 'drop', 3.0)
        """
        from tribo.formats import choreonoid
        from tribo.formats.material_files import fill_table, read_materials

        self._world.check_editable("the list of objects")
        if self._world.objects:
            raise ValueError("a project is read into a world without objects; make a new one")
        folders = check.folders(package_dirs, "package_dirs")
        project = choreonoid.read_project(source, package_dirs=folders, strict=strict)
        library = read_materials(*project.tables, strict=strict) if project.tables else None
        read = []
        for item in project.bodies:
            try:
                if item.path.suffix.lower() == ".urdf":
                    body = choreonoid.read_urdf(
                        item.path, item.placement, package_dirs=folders, strict=strict
                    )
                else:
                    body = choreonoid.read(
                        item.path, package_dirs=folders, materials=library, strict=strict,
                        placement=item.placement,
                    )  # fmt: skip
            except DescriptionError as error:
                raise _of(item, error) from None
            read.append((item, body))
        before, old = (self._world.materials.copy(), (self._settings.time_step, self._settings.gravity))
        made = ProjectParts(project.notes)
        try:
            if library is not None:
                fill_table(self._world.materials, library, rigid=False)
            for item, body in read:
                made[primed(item.name or item.path.stem, made)] = self._put(item, body, collision_meshes)
            self._settings.time_step, self._settings.gravity = project.time_step, project.gravity
        except (ValueError, TypeError, ImportError) as error:
            for parts in made.values():
                parts.take_out(self._world)
            self._world.materials.become(before)
            self._settings.time_step, self._settings.gravity = old
            raise DescriptionError(str(error)) from None
        _tell(project, () if library is None else library.doubts)
        return made

    def _put(self, item: BodyItem, body: BodyFile, collision_meshes: str) -> BodyParts:
        """Add one body; its first thing is called as its item."""
        if not item.collides:
            for shape in (s for tree in body.trees for part in tree.bodies for s in part.shapes):
                shape.group = shape.mask = 0
        try:
            return self._bodies.take_body(body, collision_meshes, item.name)
        except DescriptionError as error:
            raise _of(item, error) from None


def _tell(project: ProjectFile, of_materials: Sequence[str]) -> None:
    """Log what was left out."""
    doubts = [*project.doubts, *of_materials]
    for note in project.notes:
        if note not in project.doubts:
            logger.info("%s", note)
    if doubts:
        logger.warning("%s", warning(project.name, doubts))


def _of(item: BodyItem, error: DescriptionError) -> DescriptionError:
    """Return an error about a body with the place of the item that names it."""
    return DescriptionError(f"{item.place}: BodyItem {item.name!r}: {error}")
