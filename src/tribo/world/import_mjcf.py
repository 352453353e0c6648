"""The part of a world that takes in scenes of MuJoCo."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.description.trees import (
    BodyDescription,
    DescriptionError,
    JointDescription,
    ObjectDescription,
    ShapeDescription,
    TreeDescription,
    WorldDescription,
)
from tribo.materials import MaterialTable, PairProperties
from tribo.materials.mixing import FORMULAS
from tribo.materials.table import Law, origins_of
from tribo.model import Joint, Kind
from tribo.objects import Object
from tribo.world.add_objects import WorldObjects

logger = logging.getLogger("tribo")


class WorldMjcf(WorldObjects):
    """Scenes from MJCF."""

    time_step: float
    gravity: Any
    _materials: MaterialTable

    def load_mjcf(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        keyframe: str | int | None = None, take_options: bool = True, strict: bool = False,
    ) -> list[Object]:  # fmt: skip
        """Add everything in an MJCF file: robots, free bodies, and what stands in the world.

        Each body of the file's world that moves becomes an articulated system, with all that hangs
        on it; each geom that stands becomes a static object. What is not read is in the log as a
        warning and, for robots, in ``robot.description.notes`` (docs/howto/mjcf).

        Args:
            source: Path of an MJCF file, or its text.
            package_dirs: Folders, besides that of the file, that may hold included files and meshes.
            keyframe: Name or number of the keyframe to start in; None: as the file draws the bodies.
            take_options: Take the time step and the gravity of the file, too.
            strict: Treat what has no effect here as an error.

        Returns:
            The objects, first those that move.

        Raises:
            DescriptionError: The file cannot be built; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> floor = '<geom name="floor" type="plane" size="0 0 1"/>'
            >>> ball = '<body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body>'
            >>> objects = world.load_mjcf(f"<mujoco><worldbody>{floor}{ball}</worldbody></mujoco>")
            >>> [item.name for item in objects], world.time_step
            (['ball', 'floor'], 0.002)
        """
        from tribo.formats import mjcf

        self.check_editable("the list of objects")
        scene = mjcf.read(
            source,
            package_dirs=check.folders(package_dirs, "package_dirs"),
            keyframe=keyframe,
            strict=strict,
        )
        for note in scene.notes:
            logger.warning("%s", note)
        return self.take_scene(scene, take_options=take_options)

    def take_scene(self, scene: WorldDescription, *, take_options: bool = True) -> list[Object]:
        """Add what `tribo.formats.mjcf.read` has read; see `load_mjcf`, which does both.

        Raises:
            DescriptionError: The scene cannot be built; the world stays as it was.
        """
        self.check_editable("the list of objects")
        added: list[Object] = []
        before = self._materials.copy()
        try:
            self._take(scene, added, take_options)
        except (ValueError, TypeError, ImportError) as error:
            for part in added:
                self.remove(part)
            self._materials.become(before)
            raise DescriptionError(f"{scene.source or 'MJCF text'}: {error}") from None
        return added

    def _take(self, scene: WorldDescription, added: list[Object], take_options: bool) -> None:
        """Add all objects of a scene."""
        for item in scene.objects:
            name = item.name
            while name in self._by_name:
                name += "'"
            if item.tree is not None:
                part = self.add_articulated_system(item.tree, name=name, body_type=item.kind)
                item.tree.notes = []
                added.append(part)
            else:
                added.append(self._stand(item, name))
        for tie in scene.constraints:
            self._join(tie, (added[tie.objects[0]], added[tie.objects[1]]))
        self.take_laws(scene.pairs)
        if take_options:
            self.time_step, self.gravity = scene.time_step, scene.gravity

    def _stand(self, item: ObjectDescription, name: str) -> Object:
        """Add a geom of the world as a static object; one that is only drawn meets nothing."""
        shape = item.shape
        if shape is None:
            assert item.visual is not None
            look = item.visual
            shape = ShapeDescription(
                look.kind,
                look.size,
                look.position,
                look.quaternion,
                group=0,
                mask=0,
                mesh=look.mesh,
            )
        shape.name = shape.name or f"{item.name}/0"
        body = BodyDescription(
            item.name, -1, JointDescription("root", Joint.FREE), 1.0, shapes=[shape],
            visuals=[item.visual] if item.visual is not None else [],
        )  # fmt: skip
        body.inertia[...] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        options = {"name": name, "position": item.position, "orientation": item.quaternion}
        return self._add_single(TreeDescription([body], kind=Kind.STATIC), "geom", options)

    def take_laws(self, laws: dict[tuple[str, str], Law]) -> None:
        """Set the contact laws that a file brings, and those between its materials and such of other files.

        Pairs that were set before stay as they are.
        """
        if not laws:
            return
        from tribo.formats.mjcf.friction import laws_between

        own = dict.fromkeys(name for pair in laws for name in pair)
        others = [name for name in self._materials.names if name not in own]
        known = {(first, second) for first, second, _ in self._materials}
        for (first, second), law in {**laws, **laws_between(own, others)}.items():
            if (first, second) not in known and (second, first) not in known:
                self._materials.take_pair(first, second, law, _origin(law))


def _origin(law: Law) -> dict[str, str]:
    """Return where the values of a pair come from that MJCF or a body file of Choreonoid describes."""
    if isinstance(law, PairProperties):
        given = ("friction", "spinning_length", "rolling_length")
        said = "MJCF: friction and condim of both geoms, or their <pair>"
        return origins_of(given, PairProperties, said, "standard value (MJCF has none)")
    return dict.fromkeys(
        FORMULAS, "mixed from the link's own values and those of the other material"
    )
