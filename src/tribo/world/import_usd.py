"""The part of a world that loads USD."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from tribo.checks import check
from tribo.engine.settings import WorldSettings
from tribo.formats.self_collision import MODES
from tribo.objects import Object
from tribo.world.import_mjcf import WorldMjcf

logger = logging.getLogger("tribo")


class WorldUsd:
    """Loading stages of USD."""

    def __init__(self, scenes: WorldMjcf, settings: WorldSettings) -> None:
        """Add to a world by means of what adds scenes."""
        self._scenes, self._settings = scenes, settings

    def load_usd(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        take_options: bool = True, strict: bool = False, self_collision: str | None = None,
    ) -> list[Object]:  # fmt: skip
        r"""Add everything in a USD file: what UsdPhysics says moves, and what stands.

        Bodies that joints hold together become one articulated system, each shape that stands a static
        object. What is not read is one warning in the log (docs/howto/usd). OpenUSD runs in a process of its
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
        from tribo.formats.report import is_news, warning

        scene, has_gravity = usd.read(
            source, package_dirs=check.folders(package_dirs, "package_dirs"), strict=strict
        )
        scene.time_step = self._settings.time_step  # a stage has none
        for item in scene.objects:
            if item.tree is not None and self_collision is not None:
                item.tree.self_collision = check.choice(self_collision, MODES, "self_collision")
        made = self._scenes.take_scene(scene, take_options=take_options and has_gravity)
        for note in scene.notes:
            if note not in scene.doubts and is_news(scene.source, note):
                logger.info("%s", note)
        if scene.doubts and is_news(scene.source, "\n".join(scene.doubts)):
            logger.warning("%s", warning(str(scene.source or "USD text"), scene.doubts))
        return made
