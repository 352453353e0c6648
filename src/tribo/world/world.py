"""The world: objects, materials, gravity and time."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError, SimulationError
from tribo.description.constraints import ConstraintDescription
from tribo.engine import warm_up
from tribo.engine.builder import mark_singles
from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.engine.settings import WorldSettings
from tribo.materials import ContactMaterial, MaterialLibrary, MaterialTable, PairProperties
from tribo.materials.table import PairExplanation
from tribo.model import Status
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.owner import Arrays
from tribo.readout.contacts_and_energies import WorldReadout
from tribo.readout.distances import WorldProximity
from tribo.readout.snapshot import Snapshot, touching
from tribo.readout.snapshot import restore as restore_snapshot
from tribo.readout.snapshot import take as take_snapshot
from tribo.readout.state_bytes import StateFiles
from tribo.recording.of_world import WorldRecording
from tribo.world.building import Built, build
from tribo.world.import_mjcf import WorldMjcf
from tribo.world.load_bodies import WorldBodyFiles
from tribo.world.reference_bodies import References
from tribo.world.shown import Shown
from tribo.world.warnings import Complaints, invalid

logger = logging.getLogger("tribo")


class World(
    WorldSettings,
    WorldBodyFiles,
    WorldMjcf,
    WorldReadout,
    WorldRecording,
    WorldProximity,
    StateFiles,
    Shown,
):
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

    def __init__(self, time_step: float = 1e-3, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        """Start an empty world."""
        WorldSettings.__init__(self)
        WorldBodyFiles.__init__(self)
        WorldRecording.__init__(self)
        self._materials = MaterialTable(check_editable=self.check_editable)
        self._materials_built = -1
        self._engine: Engine | None = None
        self._must_build = True
        self._is_stale = True  # something must be done before the next step
        self._is_midway = False  # between update and advance
        self._idle = [True]  # empty while some thread is in compiled code
        self._built: Built | None = None  # the last build
        self._complaints = Complaints()
        self.time_step = time_step
        self.gravity = gravity

    def __repr__(self) -> str:
        """Return time, number of objects and dofs, and time step."""
        dofs = sum(part.dof for part in self._objects)
        return (
            f"<World at t = {float(self._time):g} s: {len(self._objects)} objects, {dofs} dofs, "
            f"time step {self.time_step:g} s>"
        )

    def summary(self) -> str:
        """Return what is in the world and how it goes, several lines to print.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> _ = world.add_sphere(radius=0.1, mass=1.0, name="ball", position=(0, 0, 1))
            >>> print(world.summary())
            World at t = 0 s: 1 objects, 6 dofs, time step 0.001 s
              gravity (0, 0, -9.81) m/s², midpoint, erp 0.2, at most 300 sweeps
              materials: default; 0 pairs set, default friction 0.8
              contacts: 0, status: well
              ball: SingleBody, sphere(0.1) of 'default', dynamic, 1 kg, at (0, 0, 1) m
        """
        table = self._materials
        gravity = ", ".join(f"{x:g}" for x in self.gravity)
        solver = f"{self.integrator}, erp {self.erp:g}, at most {self.max_sweeps} sweeps"
        pairs = f"{len(list(table))} pairs set, default friction {table.default.friction:g}"
        lines = [
            repr(self)[1:-1],
            f"  gravity ({gravity}) m/s², {solver}",
            f"  materials: {', '.join(table.names)}; {pairs}",
            f"  contacts: {len(self.contacts)}, status: {self.status.name or 'well'}",
        ]
        items = [part.describe() for part in self._objects]
        items += [repr(tie)[1:-1] for tie in self._constraints]
        return "\n".join([*lines, *(f"  {item}" for item in items)])

    def __reduce__(self) -> Any:
        """Refuse copies and pickling: two worlds would share one state."""
        raise TypeError(
            "a world cannot be copied or pickled; use world.snapshot() to go back, world.save(file) to "
            "keep it, tribo.Batch(world, n) for copies that run side by side"
        )

    # -- time ----------------------------------------------------------------------------------
    def step(self, n: int = 1) -> None:
        """Advance by n time steps.

        Raises:
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        if type(n) is not int or not 0 <= n <= check.MAX_INTEGER:
            check.integer(n, "number of steps", 0)
            n = int(n)
        try:
            self._idle.pop()
        except IndexError:
            raise self._busy("step") from None
        try:
            if self._is_stale:
                self._prepare()
            if self._materials.revision != self._materials_built:
                self.write_materials()
            if self._sensors or self._recorder:
                said = self._run_measured(n)
            else:
                said = self._engine.run(n)  # type: ignore[union-attr]
                if self._pushes and n:
                    self._pushes = {}
        finally:
            self._idle.append(True)
        if said:
            self._report()

    def update(self) -> None:
        """Do the first half of a step: poses, mass matrix, bias force and contacts can then be read.

        They hold at the configuration where the step is evaluated: half a step ahead of the state
        with the midpoint integrator, at the state itself with the semi-implicit one. Until
        `advance` the world may be commanded (forces, targets) but not edited.
        """
        try:
            self._idle.pop()
        except IndexError:
            raise self._busy("update") from None
        try:
            if self._is_midway:
                raise EditError("update was called twice; call advance in between")
            self._prepare()
            if self._materials.revision != self._materials_built:
                self.write_materials()
            self.engine.update()
            self.engine.work.contact_impulse[:] = self.engine.work.contact_blow[:] = 0.0
            self.engine.work.contact_state[:] = -1
            self._is_midway = self._is_stale = True
        finally:
            self._idle.append(True)

    def advance(self) -> None:
        """Do the second half of a step: forces, contact solve, integration.

        Raises:
            EditError: `update` was not called before.
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        try:
            self._idle.pop()
        except IndexError:
            raise self._busy("advance") from None
        try:
            if not self._is_midway:
                raise EditError("call update before advance, or step for both")
            self._is_midway = self._is_stale = False
            self._note_before()
            self.engine.advance()
        finally:
            self._idle.append(True)
        if self.engine.status[0, 0]:
            self._report()
        self._measure_due()

    def _equip(self, part: ArticulatedSystem) -> None:
        for described in part.description.sensors:
            self._add_described(part, described)
        for tie in part.description.constraints:
            self.tie_described(tie, (part, part), f"{part.name}/").is_from_file = True

    def _join(self, tie: ConstraintDescription, parts: tuple[Object, Object]) -> None:
        self.tie_described(tie, parts, "" if tie.name else f"{parts[0].name}/")

    def _strip(self, part: Object) -> None:
        self._drop_sensors_of(part)

    @staticmethod
    def _busy(what: str) -> EditError:
        """Return the error of a call that found another thread in this world.

        The token in `_idle` is taken and put back by one instruction each, so no lock is needed.
        """
        return EditError(
            f"{what} was called while another thread steps this world; "
            "give each thread a world of its own, or use tribo.Batch"
        )

    @property
    def _time(self) -> float:
        return float(self._engine.state.time[0]) if self._engine else 0.0

    @property
    def time(self) -> float:
        """World time [s]; assign to set the clock."""
        return self._time

    @time.setter
    def time(self, value: float) -> None:
        self.check_editable("the time")
        self.engine.state.time[0] = check.number(value, "time")
        for sensor in self.sensors:
            sensor.restart(self._time)

    def _prepare(self) -> None:
        """Bring everything up to date before a step."""
        if self._is_midway:
            raise EditError("step was called between update and advance; call advance first")
        self._complaints.begin(self)
        warm_up.warm_up()
        self._is_stale = False

    def _report(self) -> None:
        """Turn the status of the last step into an error or a warning."""
        status = int(self.engine.status[0, 0])
        if status & Status.INVALID:
            self._report_bad_input()
            raise SimulationError(invalid(self))
        if status:
            self._complaints.say(self, status)

    def _report_bad_input(self) -> None:
        """Raise an error that names an array into which something was written that is not finite."""
        for part in self._objects:
            for name, array in part.arrays.items():
                bad = np.flatnonzero(~(np.abs(array) <= check.LARGEST))
                if bad.size:
                    raise SimulationError(
                        f"after t = {self.time:g} s, entry {bad[0]} of {name} of {part.name} is "
                        f"{float(array[bad[0]])!r} and the world cannot go on; assign the whole array to "
                        "have its values checked"
                    )

    # -- records -------------------------------------------------------------------------------
    @property
    def engine(self) -> Engine:
        """Records of this world; built anew if objects were added or removed."""
        if self._engine is None or self._must_build:
            self._build()
        assert self._engine is not None
        return self._engine

    @property
    def is_midway(self) -> bool:
        """Whether `update` was called and `advance` was not yet."""
        return self._is_midway

    @property
    def is_built(self) -> bool:
        """Whether the records hold all objects as they are now."""
        return not self._must_build

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before they are next needed."""
        self._must_build = self._is_stale = True

    def _build(self) -> None:
        """Build the records anew."""
        self._built = build(
            self._objects, self._constraints, self._materials, self._settings, self._built
        )
        self._engine, self._must_build = self._built.engine, False
        self._materials_built = self._materials.revision

    def write_materials(self) -> None:
        """Pass a changed pair table on to the model."""
        references = References(self._objects, self._materials)
        self.engine.take_pairs(self._materials.array(references.find))
        self.engine.model.body_like[:] = references.instances
        mark_singles(self.engine.model)
        self._materials_built = self._materials.revision

    def check_editable(self, what: str, verb: str = "changed") -> None:
        """Refuse an edit between `update` and `advance`, or what else cannot be done to something there.

        Raises:
            EditError: The contacts just found would no longer belong to the state.
        """
        if not self._idle:
            raise EditError(f"{what} cannot be {verb} while another thread steps this world")
        if self._is_midway:
            raise EditError(
                f"{what} cannot be {verb} between update and advance; call advance() first"
            )

    def hand_out(self, part: Object) -> tuple[Arrays, Span]:
        """Return the arrays of the last build that hold an object's numbers, and where they are in them."""
        assert self._built is not None
        return self._built.hand_out(part)

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""
        if not self._must_build:
            self.engine.command.has_wrench[0] = 1

    @property
    def materials(self) -> MaterialTable:
        """Table of the material pairs of this world."""
        return self._materials

    def set_material_pair(
        self,
        first: str,
        second: str,
        properties: PairProperties | ContactMaterial | None = None,
        **values: object,
    ) -> None:
        """Set how two materials interact; the order of the names does not matter.

        Args:
            first, second: Names given to shapes; unknown names are created.
            properties: A law as a whole, or
            values: friction, restitution, restitution_threshold, static_friction,
                static_friction_velocity, rolling_friction, spinning_friction (`PairProperties`); friction,
                stiffness, damping (compliant ground); youngs_modulus, spook_damping … (`ContactMaterial`).

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
        self._materials.set_pair(first, second, properties, **values)

    @property
    def default_pair(self) -> PairProperties | ContactMaterial:
        """Properties of every pair that was not set."""
        return self._materials.default

    @default_pair.setter
    def default_pair(self, properties: PairProperties | ContactMaterial) -> None:
        self.check_editable("the default pair")
        self._materials.default = properties

    def explain_pair(self, first: str, second: str) -> PairExplanation:
        """Return the values in use for two materials and where each comes from; print it.

        Raises:
            KeyError: A material does not exist; the message proposes the nearest name.
        """
        return self._materials.explain(first, second)

    @property
    def material_names(self) -> tuple[str, ...]:
        """Names of all materials in order of their numbers."""
        return self._materials.names

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""
        return self._materials.index(name)

    # -- files ---------------------------------------------------------------------------------
    @classmethod
    def load(cls, path: str | Path, *, package_dirs: Sequence[Path | str] | Path | str = (),
             parameters: Mapping[str, object] | None = None, strict: bool = False) -> Self:  # fmt: skip
        """Return the world of a RaiSim XML file or an MJCF file (see `load_mjcf`).

        Args:
            path: The file.
            package_dirs: Folders in which what the file names (robots, meshes, heights) is looked up, besides
                its own and the two above it.
            parameters: Values for @@name in a RaiSim file that is a template; its own <params> win.
            strict: Treat what the reader does not know as an error.

        Raises:
            DescriptionError: The file cannot be built; the message names element, value and remedy.
        """
        from tribo.world_xml import load_into

        world = cls()
        load_into(world, path, package_dirs=package_dirs, parameters=parameters, strict=strict)
        return world

    def save(self, path: str | Path) -> None:
        """Write the world as a RaiSim XML file: what it starts with, gains and targets too, not its clock.

        A world loaded from it steps bitwise like this one would with a fresh start of its solver. Robots
        added as URDF text are written beside it: ``world.xml``, ``world.NAME.urdf``; so are those built in
        Python, turns of joints to round-off, without the parts that sensors on fixed joints feel.
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
        for doubt in material_files.fill_table(self._materials, source, rigid=rigid):
            logger.warning("%s", doubt)

    # -- snapshots -----------------------------------------------------------------------------
    def snapshot(self) -> Snapshot:
        """Return a copy of everything that the future depends on, and of the last step's contacts.

        Going on from a restored snapshot gives the same numbers, bit for bit.
        """
        self.check_editable("a snapshot", "taken")
        taken = take_snapshot(self.engine, self._objects, self._constraints, self._materials)
        return replace(taken, sensors=self._sensor_state(), pushes=self._get_pushes())

    def restore(self, saved: Snapshot) -> None:
        """Go back to a snapshot of this world.

        Raises:
            ValueError: Objects were added, removed or changed their body type since.
            TypeError: It is not what `snapshot` returned.
        """
        self.check_editable("the state")
        before = touching(self._objects, self._constraints)
        if isinstance(saved, Snapshot):
            self._check_sensor_state(saved.sensors)
        restore_snapshot(saved, self.engine, self._objects, self._constraints, self._materials)
        self._set_sensor_state(saved.sensors, saved.pushes)
        if before != touching(self._objects, self._constraints):
            self.rebuild()
