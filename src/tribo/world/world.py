"""The world: objects, materials, gravity and time."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.types import Vector
from tribo.engine.engine import Engine
from tribo.engine.settings import WorldSettings
from tribo.materials import ContactMaterial, MaterialLibrary, MaterialTable, PairProperties
from tribo.materials.pair_properties import PairValues
from tribo.materials.table import PairExplanation
from tribo.model import Status
from tribo.objects.cable import Cable
from tribo.objects.constraint import Constraint
from tribo.objects.contact import Contact
from tribo.objects.forwards import alias, forward, seen
from tribo.readout.contacts_and_energies import WorldReadout
from tribo.readout.distances import WorldProximity
from tribo.readout.rays import WorldRays
from tribo.readout.state_bytes import StateFiles
from tribo.recording.of_world import WorldRecording
from tribo.sensors.base import Sensor
from tribo.sensors.world_sensors import WorldSensors
from tribo.world.add_cables import WorldCables
from tribo.world.add_constraints import WorldConstraints
from tribo.world.add_joints import WorldJoints
from tribo.world.add_objects import WorldObjects
from tribo.world.add_tracks import WorldTracks
from tribo.world.gone_names import INNER, OnClass, gone, refuse_unknown
from tribo.world.import_scenes import WorldMjcf, WorldScenes
from tribo.world.interior import Interior
from tribo.world.load_bodies import WorldBodyFiles, WorldProjects
from tribo.world.object_list import Objects, WorldList
from tribo.world.shown import Shown

logger = logging.getLogger("tribo")


class World(WorldSettings):
    """Objects that move and meet. Different threads may step different worlds, not the same one.

    Args:
        time_step: [s], 1e-9 … 10.
        gravity: (3,) [m/s²], world axes.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground(material="steel")
        >>> ball = world.add_sphere(radius=0.5, mass=1.0, material="rubber", position=(0, 0, 2))
        >>> world.set_material_pair("steel", "rubber", friction=0.8, restitution=0.5)
        >>> world.step(1000)
        >>> bool(ball.position[2] > 0.5)
        True
    """

    _inner, _called = INNER, "world"
    _plain = frozenset(("step", "update", "advance"))

    def __init__(self, time_step: float = 1e-3, gravity: Vector = (0.0, 0.0, -9.81)) -> None:
        """Start an empty world."""
        super().__init__()
        self._inside = Interior(self, self, self._settings)
        self.time_step, self.gravity = time_step, gravity

    def __repr__(self) -> str:
        """Return time, number of objects and dofs, and time step."""
        objects = self.objects
        dofs = sum(part.dof for part in objects)
        return (
            f"<World at t = {self.time:g} s: {len(objects)} objects, {dofs} dofs, "
            f"time step {self.time_step:g} s>"
        )

    def __reduce__(self) -> Any:
        """Refuse copies and pickling: two worlds would share one state."""
        raise TypeError(
            "a world cannot be copied or pickled; use world.snapshot() to go back, world.save(file) to "
            "keep it, tribo.Batch(world, n) for copies that run side by side"
        )

    if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything

        def __getattr__(self, name: str) -> Any:
            """Return what was a name of worlds until it moved inside, with what to use instead."""
            refuse_unknown(self, name)
            return gone(self._inside, name)

    # -- time ----------------------------------------------------------------------------------
    def step(self, n: int = 1) -> None:
        """Advance by n time steps.

        Raises:
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        if type(n) is not int or not 0 <= n <= check.MAX_INTEGER:
            check.integer(n, "number of steps", 0)
            n = int(n)
        self._inside.step(n)

    def update(self) -> None:
        """Do the first half of a step: poses, mass matrix, bias force and contacts can then be read.

        They hold at the configuration where the step is evaluated: half a step ahead of the state
        with the midpoint integrator, at the state itself with the semi-implicit one. Until
        `advance` the world may be commanded (forces, targets) but not edited.
        """
        inside = self._inside
        inside.adapt_due()
        try:
            del inside.idle[0]
        except IndexError:
            raise inside.busy("update") from None
        try:
            if inside.is_midway:
                raise EditError("update was called twice; call advance in between")
            inside.prepare()
            if inside.materials.revision != inside.materials_built:
                inside.write_materials()
            engine = inside.engine
            engine.update()
            engine.work.contact_impulse[:] = engine.work.contact_impact[:] = 0.0
            engine.work.contact_state[:] = -1
            inside.is_midway = inside.is_stale = True
        finally:
            inside.idle.append(True)

    def advance(self) -> None:
        """Do the second half of a step: forces, contact solve, integration.

        Raises:
            EditError: `update` was not called before.
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        inside = self._inside
        try:
            del inside.idle[0]
        except IndexError:
            raise inside.busy("advance") from None
        try:
            if not inside.is_midway:
                raise EditError("call update before advance, or step for both")
            inside.is_midway = inside.is_stale = False
            inside.sensors.step(inside.engine.advance)
        finally:
            inside.idle.append(True)
        if inside.engine.status[0, 0]:
            inside.report()
        inside.recording.measure_due()

    @property
    def time(self) -> float:
        """World time [s]; assign to set the clock."""
        return self._inside.time

    @time.setter
    def time(self, value: float) -> None:
        self.check_editable("the time")
        self._inside.engine.state.time[:] = check.number(value, "time"), 0.0
        for sensor in self.sensors:
            sensor.restart(self.time)

    @property
    def is_midway(self) -> bool:
        """Whether `update` was called and `advance` was not yet."""
        return self._inside.is_midway

    def check_editable(self, what: str, verb: str = "changed") -> None:
        """Refuse an edit between `update` and `advance`, or while another thread steps this world.

        Raises:
            EditError: The contacts just found would no longer belong to the state.
        """
        self._inside.check_editable(what, verb)

    @property
    def engine(self) -> Engine:
        """Records of this world: built anew if objects were added or removed, with the present materials."""
        inside = self._inside
        engine = inside.engine
        if inside.materials.revision != inside.materials_built:
            inside.write_materials()
        return engine

    # -- objects and constraints ---------------------------------------------------------------
    add_ground = forward("adding", WorldObjects.add_ground)
    add_sphere = forward("adding", WorldObjects.add_sphere)
    add_box = forward("adding", WorldObjects.add_box)
    add_capsule = forward("adding", WorldObjects.add_capsule)
    add_cylinder = forward("adding", WorldObjects.add_cylinder)
    add_cone = forward("adding", WorldObjects.add_cone)
    add_ellipsoid = forward("adding", WorldObjects.add_ellipsoid)
    add_convex = forward("adding", WorldObjects.add_convex)
    add_mesh = forward("adding", WorldObjects.add_mesh)
    add_compound = forward("adding", WorldObjects.add_compound)
    add_surface = forward("adding", WorldObjects.add_surface)
    add_height_map = forward("adding", WorldObjects.add_height_map)
    add_articulated_system = forward("adding", WorldObjects.add_articulated_system)
    add_plane = alias(add_ground, "add_plane")
    load_urdf = alias(add_articulated_system, "load_urdf")
    load_body = forward("body_files", WorldBodyFiles.load_body)
    load_project = forward("projects", WorldProjects.load_project)
    load_mjcf = forward("mjcf", WorldMjcf.load_mjcf)
    load_sdf = forward("scenes", WorldScenes.load_sdf)
    load_usd = forward("scenes", WorldScenes.load_usd)
    load_mujoco = forward("mjcf", WorldMjcf.load_mujoco)
    take_scene = forward("mjcf", WorldMjcf.take_scene)
    add_pin = forward("ties", WorldConstraints.add_pin)
    add_weld = forward("ties", WorldConstraints.add_weld)
    add_hinge = forward("ties", WorldConstraints.add_hinge)
    add_motor = forward("ties", WorldConstraints.add_motor)
    add_rod = forward("ties", WorldConstraints.add_rod)
    add_wire = forward("ties", WorldConstraints.add_wire)
    constraint = forward("ties", WorldConstraints.constraint)
    tie_described = forward("ties", WorldConstraints.tie_described)
    add_winch = forward("joints", WorldJoints.add_winch)
    add_lock = forward("joints", WorldJoints.add_lock)
    add_magnet = forward("joints", WorldJoints.add_magnet)
    add_cable = forward("cables", WorldCables.add_cable)
    add_track = forward("tracks", WorldTracks.add_track)
    object = forward("members", WorldList.object)
    __getitem__ = forward("members", WorldList.__getitem__)
    __contains__ = forward("members", WorldList.__contains__)
    __iter__ = forward("members", WorldList.__iter__)

    remove = forward("", Interior.remove)
    objects: Objects = seen("members", WorldList.objects)
    constraints: tuple[Constraint, ...] = seen("ties", WorldConstraints.constraints)

    cables: tuple[Cable, ...] = seen("cables", WorldCables.cables)

    # -- sensors, rays, distances --------------------------------------------------------------
    add_imu = forward("sensors", WorldSensors.add_imu)
    add_lidar = forward("sensors", WorldSensors.add_lidar)
    add_depth_camera = forward("sensors", WorldSensors.add_depth_camera)
    add_force_torque_sensor = forward("sensors", WorldSensors.add_force_torque_sensor)
    add_contact_sensor = forward("sensors", WorldSensors.add_contact_sensor)
    add_joint_encoder = forward("sensors", WorldSensors.add_joint_encoder)
    sensor = forward("sensors", WorldSensors.sensor)
    remove_sensor = forward("sensors", WorldSensors.remove_sensor)
    ray_test = forward("rays", WorldRays.ray_test)
    ray_test_all = forward("rays", WorldRays.ray_test_all)
    ray_test_batch = forward("rays", WorldRays.ray_test_batch)
    distance = forward("proximity", WorldProximity.distance)
    overlaps = forward("proximity", WorldProximity.overlaps)
    collision_bodies_in = forward("proximity", WorldProximity.collision_bodies_in)
    collision_bodies_at = forward("proximity", WorldProximity.collision_bodies_at)
    diagnose_contact = forward("readout", WorldReadout.diagnose_contact)
    record = forward("recording", WorldRecording.record)
    hash = forward("states", StateFiles.hash)
    dump_state = forward("states", StateFiles.dump_state)
    save_state = forward("states", StateFiles.save_state)
    load_state = forward("states", StateFiles.load_state)

    sensors: tuple[Sensor, ...] = seen("sensors", WorldSensors.sensors)

    # -- how the last step went ----------------------------------------------------------------
    contacts: list[Contact] = seen("readout", WorldReadout.contacts)
    contact_data: np.ndarray = seen("readout", WorldReadout.contact_data)
    contacts_of = forward("readout", WorldReadout.contacts_of)

    kinetic_energy: float = seen("readout", WorldReadout.kinetic_energy)
    potential_energy: float = seen("readout", WorldReadout.potential_energy)
    energy: float = seen("readout", WorldReadout.energy)
    linear_momentum: np.ndarray = seen("readout", WorldReadout.linear_momentum)
    angular_momentum: np.ndarray = seen("readout", WorldReadout.angular_momentum)
    status: Status = seen("readout", WorldReadout.status)
    residual: np.ndarray = seen("readout", WorldReadout.residual)
    sweeps: int = seen("readout", WorldReadout.sweeps)

    # -- materials -----------------------------------------------------------------------------
    @property
    def materials(self) -> MaterialTable:
        """Table of the material pairs of this world."""
        return self._inside.materials

    def set_material_pair(
        self,
        first: str,
        second: str,
        properties: PairProperties | ContactMaterial | None = None,
        **values: Unpack[PairValues],
    ) -> None:
        """Set how two materials interact, all of it; the order of the names does not matter.

        Properties that are not given take their standard values; `Batch.set_material_pair` keeps them.

        Args:
            first, second: Names given to shapes; unknown names are created.
            properties: A law as a whole, such as `materials.pair` returns; values then replace some of its.
            values: friction, restitution, restitution_threshold, static_friction, static_friction_velocity,
                rolling_friction, spinning_friction (law="rigid"); friction, stiffness, damping
                (law="ground"); youngs_modulus, spook_damping … (law="compliant", `ContactMaterial`).

        Raises:
            ValueError: A value is outside its range; the message names it.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> world.set_material_pair("rubber", "steel", friction=0.9)
            >>> world.materials.pair("steel", "rubber").friction
            0.9
        """
        self.check_editable("a material pair")
        self._inside.materials.set_pair(first, second, properties, **values)

    @property
    def default_pair(self) -> PairProperties | ContactMaterial:
        """Properties of every pair that was not set."""
        return self._inside.materials.default

    @default_pair.setter
    def default_pair(self, properties: PairProperties | ContactMaterial) -> None:
        self.check_editable("the default pair")
        self._inside.materials.default = properties

    def explain_pair(self, first: str, second: str) -> PairExplanation:
        """Return the values in use for two materials and where each comes from; KeyError: none such."""
        return self._inside.materials.explain(first, second)

    material_names: tuple[str, ...] = seen("materials", MaterialTable.names)

    # -- files ---------------------------------------------------------------------------------
    @classmethod
    def load(cls, path: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
             root: Path | str | None = None, parameters: Mapping[str, Any] | None = None,
             strict: bool = False) -> Self:  # fmt: skip
        """Return the world of a file: RaiSim XML, MJCF, SDF, USD, or a project of Choreonoid (.cnoid).

        Args:
            package_dirs: Folders with what the file names, besides its own and the two above it.
            root: The outermost folder that may hold such files: what a file names by ``../`` is inside of it.
            parameters: Values for @@name in a RaiSim file that is a template; its own <params> win.
            strict: Treat what the reader does not know as an error.

        Raises:
            DescriptionError: The file cannot be built; the message names element, value and remedy.
        """
        from tribo.world_xml import load_into

        world, package_dirs = cls(), check.folders(package_dirs, "package_dirs", root)
        load_into(world, path, package_dirs=package_dirs, parameters=parameters, strict=strict)
        return world

    if not TYPE_CHECKING:
        load = OnClass(load)  # called on a world, it would leave that as it is

    def save(self, path: str | Path) -> None:
        """Write the world as RaiSim XML: its start, gains and targets too, not its clock.

        A world loaded from it steps bitwise like this one with a fresh start of its solver. Robots of URDF
        text or Python are written beside it, ``world.NAME.urdf``, without the parts that sensors on fixed
        joints feel. A path with the ending of another format, as ``.urdf``, is a ValueError.
        """
        from tribo.world_xml import save

        save(self, check.path(path, "path"))

    def load_materials(self, source: str | Path | MaterialLibrary, *, rigid: bool = False) -> None:
        """Set the default pair and all pairs of material tables (docs/howto/material-files).

        Args:
            source: XML file with ``default`` and ``pair_prop`` elements, as in the ``material`` block of a
                world, or YAML as Choreonoid has it; or what `tribo.read_materials` returned.
            rigid: Of YAML: take friction and restitution only, for pairs that do not give way.

        Raises:
            DescriptionError: It cannot be read, or no rigid pair is like it; the table stays as it was.
        """
        from tribo.formats import material_files

        self.check_editable("a material pair")
        for doubt in material_files.fill_table(self._inside.materials, source, rigid=rigid):
            logger.warning("%s", doubt)

    # -- snapshots -----------------------------------------------------------------------------
    snapshot = forward("", Interior.snapshot)
    restore = forward("", Interior.restore)
    reset = forward("", Interior.reset)

    # -- to look at ----------------------------------------------------------------------------
    summary = forward("shown", Shown.summary)
    viewer = forward("shown", Shown.viewer)
    show = forward("shown", Shown.show)

    def _repr_html_(self) -> str:
        """Return the summary as a notebook shows it."""
        return self._inside.shown.as_html()
