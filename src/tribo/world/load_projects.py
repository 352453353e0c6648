"""The part of a world that loads projects of Choreonoid: bodies, materials, gravity and time step."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tribo.checks import check
from tribo.description.trees import DescriptionError
from tribo.engine.settings import WorldSettings
from tribo.formats.report import warning
from tribo.objects.world_view import WorldView
from tribo.world.load_bodies import BodyParts, WorldBodyFiles

if TYPE_CHECKING:
    from tribo.formats.choreonoid import BodyFile, BodyItem, ProjectFile

logger = logging.getLogger("tribo")


class ProjectParts(dict[str, BodyParts]):
    """Objects that a project added to a world, by the names of its bodies, and remarks on its omissions."""

    def __init__(self, notes: Sequence[str]) -> None:
        """Begin without parts; `World.load_project` fills it."""
        super().__init__()
        self.notes = tuple(notes)


class WorldProjects:
    """Loading projects."""

    def __init__(self, world: WorldView, settings: WorldSettings, bodies: WorldBodyFiles) -> None:
        """Load them by means of other parts of a world."""
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
        before, old = (
            self._world.materials.copy(),
            (self._settings.time_step, self._settings.gravity),
        )
        made = ProjectParts(project.notes)
        try:
            if library is not None:
                fill_table(self._world.materials, library, rigid=False)
            for item, body in read:
                made[_name(item, made)] = self._put(item, body, collision_meshes)
            self._settings.time_step, self._settings.gravity = project.time_step, project.gravity
        except (ValueError, TypeError, ImportError) as error:
            for parts in made.values():
                for cable in parts.cables:
                    cable.remove()
                for track in parts.tracks:
                    track.remove()
                for part in parts:
                    self._world.remove(part)
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


def _name(item: BodyItem, taken: dict[str, BodyParts]) -> str:
    """Return the name under which a body is returned."""
    name = item.name or item.path.stem
    while name in taken:
        name += "'"
    return name


def _of(item: BodyItem, error: DescriptionError) -> DescriptionError:
    """Return an error about a body with the place of the item that names it."""
    return DescriptionError(f"{item.place}: BodyItem {item.name!r}: {error}")
