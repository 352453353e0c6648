"""The part of a world that loads MJCF, SDF and USD."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.by_name import primed
from tribo.description.trees import (
    BodyDescription,
    DescriptionError,
    JointDescription,
    ObjectDescription,
    ShapeDescription,
    TreeDescription,
    WorldDescription,
)
from tribo.engine.settings import WorldSettings
from tribo.formats.mesh_solids import ROBOT_MODES, solidify
from tribo.formats.self_collision import MODES
from tribo.model import Joint, Kind
from tribo.objects import Object
from tribo.objects.world_view import WorldView
from tribo.world.add_constraints import WorldConstraints
from tribo.world.add_objects import WorldObjects
from tribo.world.contact_laws import take_laws

logger = logging.getLogger("tribo")


@dataclass(frozen=True, slots=True)
class _Meshes:
    """How the meshes of a scene collide, and whether one that is not found is an error."""

    mode: str
    strict: bool


def report_scene(scene: WorldDescription, made: Sequence[Object], title: str) -> None:
    """Keep what the reader of a scene has to say with its first object; log its doubts as one warning.

    Args:
        scene: As read.
        made: Its objects.
        title: Owner of the remarks if the scene is of no file.
    """
    from tribo.formats.report import is_news, warning

    kept = "the log, level INFO"
    if made:
        tree = made[0].description
        tree.notes, tree.doubts = scene.notes + tree.notes, scene.doubts + tree.doubts
        kept = f"description.notes of {made[0].name!r}"
    for note in scene.notes:
        if note not in scene.doubts and is_news(scene.source, note):
            logger.info("%s", note)
    if scene.doubts and is_news(scene.source, "\n".join(scene.doubts)):
        owner = title if scene.source is None else scene.source.name
        logger.warning("%s", warning(owner, scene.doubts, kept))


class WorldMjcf:
    """Scenes from MJCF."""

    def __init__(
        self, world: WorldView, settings: WorldSettings, adding: WorldObjects, ties: WorldConstraints
    ) -> None:
        self._world, self._settings = world, settings
        self._adding, self._ties = adding, ties

    def load_mjcf(
        self, source: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
        root: Path | str | None = None, keyframe: str | int | None = None, take_options: bool = True,
        strict: bool = False, self_collision: str | None = None, collision_meshes: str = "auto",
    ) -> list[Object]:  # fmt: skip
        """Add everything in an MJCF file: robots, free bodies, and what stands in the world.

        Each body of the file's world that moves becomes an articulated system, with all that hangs
        on it; each geom that stands becomes a static object. Omissions are one warning in the log;
        all that the reader has to say is in ``description.notes`` of the first object (docs/howto/mjcf).

        Args:
            source: Path of an MJCF file, or its text.
            package_dirs: Folders, besides that of the file, that may hold included files and meshes.
            root: The outermost folder out of which the file may take others by ``../``; None: its own.
            keyframe: Name or number of the keyframe to start in; None: as the file draws the bodies.
            take_options: Take the time step and the gravity of the file, too.
            strict: Treat what has no effect here as an error.
            self_collision, collision_meshes: As in `add_articulated_system`; "auto" are convex hulls, as in
                MuJoCo, also of what stands.

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

        self._world.check_editable("the list of objects")
        scene = mjcf.read(
            source,
            package_dirs=check.folders(package_dirs, "package_dirs", root),
            keyframe=keyframe,
            strict=strict,
        )
        return self.take_and_report(
            scene, take_options, self_collision, "MJCF text", collision_meshes, strict
        )

    def load_mujoco(
        self, model: Any, *, keyframe: str | int | None = None, take_options: bool = True,
        strict: bool = False,
    ) -> list[Object]:  # fmt: skip
        """Add everything in a model of MuJoCo that a program compiled or built (docs/howto/mjcf).

        MuJoCo, 3 or 4, is imported within this call only. Parts that it has compiled away (files, default
        classes) are not read again; all else is as with `load_mjcf`.

        Args:
            model: ``mujoco.MjModel``, ``mujoco.MjSpec``, or what wraps one (``physics.model`` of dm_control,
                ``env.sim.model`` of robosuite).
            keyframe, take_options, strict: As in `load_mjcf`.

        Returns:
            The objects, first those that move; elements without a name are called after their number.

        Raises:
            DescriptionError: It cannot be built; the world stays as it was.
            TypeError: It is no model of MuJoCo.

        Example:
            >>> import mujoco, tribo  # doctest: +SKIP
            >>> world = tribo.World()  # doctest: +SKIP
            >>> world.load_mujoco(mujoco.MjModel.from_xml_path("scene.xml"))  # doctest: +SKIP
        """
        from tribo.formats import mjcf

        self._world.check_editable("the list of objects")
        scene = mjcf.read_model(model, keyframe=keyframe, strict=strict)
        return self.take_and_report(scene, take_options, None, "model of MuJoCo")

    def take_and_report(
        self, scene: WorldDescription, take_options: bool, self_collision: str | None, title: str,
        collision_meshes: str = "auto", strict: bool = False,
    ) -> list[Object]:  # fmt: skip
        """Add a scene, and log what its reader has to say."""
        for item in scene.objects:
            if item.tree is not None and self_collision is not None:
                item.tree.self_collision = check.choice(self_collision, MODES, "self_collision")
        made = self.take_scene(
            scene, take_options=take_options, collision_meshes=collision_meshes, strict=strict
        )
        report_scene(scene, made, title)
        return made

    def take_scene(
        self, scene: WorldDescription, *, take_options: bool = True, collision_meshes: str = "auto",
        strict: bool = False,
    ) -> list[Object]:  # fmt: skip
        """Add what `tribo.formats.mjcf.read` has read; see `load_mjcf`, which does both.

        Raises:
            DescriptionError: The scene cannot be built; the world stays as it was.
        """
        self._world.check_editable("the list of objects")
        check.choice(collision_meshes, ROBOT_MODES, "collision_meshes")
        meshes = _Meshes(collision_meshes, strict)
        added: list[Object] = []
        before = self._world.materials.copy()
        try:
            self._take(scene, added, take_options, meshes)
        except (ValueError, TypeError, ImportError) as error:
            for part in added:
                self._world.remove(part)
            self._world.materials.become(before)
            raise DescriptionError(f"{scene.source or 'the text'}: {error}") from None
        return added

    def _take(
        self, scene: WorldDescription, added: list[Object], take_options: bool, meshes: _Meshes
    ) -> None:
        """Add all objects of a scene."""
        for item in scene.objects:
            name = primed(item.name, self._adding.members.by_name)
            if item.tree is not None:
                part = self._adding.add_articulated_system(
                    item.tree, name=name, body_type=item.kind, collision_meshes=meshes.mode,
                    strict=meshes.strict,
                )  # fmt: skip
                item.tree.notes = []
                if item.generalized_velocity is not None:
                    part.generalized_velocity = item.generalized_velocity
                added.append(part)
            else:
                added.append(self._stand(item, name, meshes, scene.source))
        for tie in scene.constraints:
            over = [(None if k is None else added[k], body, at) for k, body, at in tie.over]
            parts = (added[tie.objects[0]], added[tie.objects[1]])
            self._ties.join(replace(tie, over=over), parts)
        take_laws(self._world.materials, scene.pairs)
        if take_options:
            self._settings.time_step, self._settings.gravity = scene.time_step, scene.gravity

    def _stand(self, item: ObjectDescription, name: str, meshes: _Meshes, source: Path | None) -> Object:
        """Add a geom of the world as a static object; one that is only drawn meets nothing."""
        shape = item.shape
        if shape is None:
            assert item.visual is not None
            look = item.visual
            shape = ShapeDescription(
                look.kind, look.size, look.position, look.quaternion, group=0, mask=0, mesh=look.mesh
            )
        shape.name = shape.name or f"{item.name}/0"
        body = BodyDescription(
            item.name, -1, JointDescription("root", Joint.FREE), 1.0, shapes=[shape],
            visuals=[item.visual] if item.visual is not None else [],
        )  # fmt: skip
        body.inertia[...] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        options = {"name": name, "position": item.position, "orientation": item.quaternion}
        tree = TreeDescription([body], kind=Kind.STATIC, source=source)
        if item.shape is not None:
            solidify(tree, meshes.mode, strict=meshes.strict)
        return self._adding.add_single(tree, "geom", options)


class WorldScenes:
    """Loading models and worlds of Gazebo, and stages of USD."""

    def __init__(self, scenes: WorldMjcf, settings: WorldSettings) -> None:
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
        return self._scenes.take_and_report(
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
        return self._scenes.take_and_report(scene, take_options and has_gravity, self_collision, "USD text")
