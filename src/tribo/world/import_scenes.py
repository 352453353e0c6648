"""The part of a world that loads SDF and USD."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from tribo.checks import check
from tribo.description.trees import WorldDescription
from tribo.engine.settings import WorldSettings
from tribo.formats.self_collision import MODES
from tribo.objects import Object
from tribo.world.import_mjcf import WorldMjcf

logger = logging.getLogger("tribo")


class WorldScenes:
    """Loading models and worlds of Gazebo, and stages of USD."""

    def __init__(self, scenes: WorldMjcf, settings: WorldSettings) -> None:
        """Add to a world by means of what adds scenes."""
        self._scenes, self._settings = scenes, settings

    def load_sdf(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        take_options: bool = True, strict: bool = False, self_collision: str | None = None,
        collision_meshes: str = "auto",
    ) -> list[Object]:  # fmt: skip
        """Add everything in an SDF file: the models of its world, or those that it holds without one.

        Each model that moves becomes an articulated system; each shape of a static one a static object.
        Omissions are one warning in the log (docs/howto/sdf).

        Args:
            source: Path of an SDF file (.sdf, .world), or its text.
            package_dirs: Folders, besides that of the file, that may hold included models and meshes.
            take_options: Take the time step and the gravity of the file's world, too.
            strict: Treat what is not read as an error.
            self_collision: Of its robots, as in `add_articulated_system`; None: links of a model with
                <self_collide> that are not drawn in one another touch, others do not.
            collision_meshes: As in `add_articulated_system`; "auto": what moves are convex hulls, what stands
                exact triangles.

        Returns:
            The objects, in the order of the file.

        Raises:
            DescriptionError: The file cannot be built; the world stays as it was.

        Example:
            >>> import tribo
            >>> model = "<model name='ball'><pose>0 0 1 0 0 0</pose><link name='l'/></model>"
            >>> world = tribo.World()
            >>> [item.name for item in world.load_sdf(f"<sdf version='1.9'>{model}</sdf>")]
            ['ball']
        """
        from tribo.formats import sdf

        scene, has_world = sdf.read(
            source, package_dirs=check.folders(package_dirs, "package_dirs"), strict=strict
        )
        return self._take(
            scene, take_options and has_world, self_collision, "SDF text", collision_meshes, strict
        )

    def load_usd(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        take_options: bool = True, strict: bool = False, self_collision: str | None = None,
    ) -> list[Object]:  # fmt: skip
        r"""Add everything in a USD file: what UsdPhysics says moves, and what stands.

        Bodies that joints hold together become one articulated system, each shape that stands a static
        object. Omissions are one warning in the log (docs/howto/usd). OpenUSD runs in a process of its
        own, which opens no file outside of the folders.

        Args:
            source: Path of a USD file (.usd, .usda, .usdc, .usdz), or text that begins with "#usda".
            package_dirs: Folders, besides that of the file, that may hold layers that it names.
            take_options: Take the gravity of the file's PhysicsScene, too.
            strict: Treat what is not read as an error.
            self_collision: Of its robots, as in `add_articulated_system`.

        Returns:
            The objects, first those that move.

        Raises:
            DescriptionError: The file cannot be built; the world stays as it was.
            ImportError: OpenUSD is missing (``pip install "tribo[usd]"``).

        Example:
            >>> import tribo
            >>> ball = 'def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}'
            >>> world = tribo.World()  # doctest: +SKIP
            >>> world.load_usd(f"#usda 1.0\n{ball}")[0].name  # doctest: +SKIP
            'ball'
        """
        from tribo.formats import usd

        scene, has_gravity = usd.read(
            source, package_dirs=check.folders(package_dirs, "package_dirs"), strict=strict
        )
        scene.time_step = self._settings.time_step  # a stage has none
        return self._take(scene, take_options and has_gravity, self_collision, "USD text")

    def _take(
        self, scene: WorldDescription, take_options: bool, self_collision: str | None, title: str,
        collision_meshes: str = "auto", strict: bool = False,
    ) -> list[Object]:  # fmt: skip
        """Add a scene, and log what its reader has to say."""
        from tribo.formats.report import is_news, warning

        for item in scene.objects:
            if item.tree is not None and self_collision is not None:
                item.tree.self_collision = check.choice(self_collision, MODES, "self_collision")
        made = self._scenes.take_scene(
            scene, take_options=take_options, collision_meshes=collision_meshes, strict=strict
        )
        for note in scene.notes:
            if note not in scene.doubts and is_news(scene.source, note):
                logger.info("%s", note)
        if scene.doubts and is_news(scene.source, "\n".join(scene.doubts)):
            logger.warning("%s", warning(str(scene.source or title), scene.doubts))
        return made
