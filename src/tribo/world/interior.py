"""The inside of a world: its records, and the parts of which it is put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError, SimulationError
from tribo.engine import warm_up
from tribo.engine.builder import mark_by_materials
from tribo.engine.engine import Engine
from tribo.engine.interrupts import deferred_signals
from tribo.engine.layout import Span
from tribo.engine.settings import WorldSettings
from tribo.materials import MaterialTable
from tribo.model import Settings, Status
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.constraint import Constraint
from tribo.objects.contact import Contact
from tribo.objects.forwards import seen
from tribo.objects.owner import Arrays, Pushes
from tribo.readout.contacts_and_energies import WorldReadout
from tribo.readout.distances import WorldProximity
from tribo.readout.rays import WorldRays
from tribo.readout.snapshot import Snapshot, touching
from tribo.readout.snapshot import restore as restore_snapshot
from tribo.readout.snapshot import take as take_snapshot
from tribo.readout.state_bytes import StateFiles
from tribo.recording.of_world import WorldRecording
from tribo.sensors.world_sensors import WorldSensors
from tribo.world.adapting import WorldAdapting
from tribo.world.add_cables import WorldCables
from tribo.world.add_constraints import WorldConstraints
from tribo.world.add_joints import WorldJoints
from tribo.world.add_objects import WorldObjects
from tribo.world.add_tracks import WorldTracks
from tribo.world.building import Built, References, build
from tribo.world.import_scenes import WorldMjcf, WorldScenes
from tribo.world.load_bodies import WorldBodyFiles, WorldProjects
from tribo.world.object_list import Objects, WorldList
from tribo.world.shown import Shown
from tribo.world.warnings import WarningLog, invalid


class Interior:
    """The inside of a `World`: its records and its parts, which know one another by `WorldView` only.

    Objects, constraints and parts hold this and not the world, so that the world shows only what users call.
    """

    def __init__(self, face: Any, settings: WorldSettings, record: Settings) -> None:
        """Start empty. face: the world; settings: its numbers; record: where they are kept."""
        self.face, self.settings, self._record = face, settings, record
        self.materials = MaterialTable(check_editable=self.check_editable)
        self.materials_built = -1
        self.built: Built | None = None  # the last build
        self.must_build = True
        self.is_stale = True  # something must be done before the next step
        self.is_midway = False  # between update and advance
        self.idle = [True]  # empty while some thread is in compiled code
        self._start: Snapshot | None = None  # before the first step since the last edit
        self._adapts = [True]  # empty while some thread steps a world whose cables adapt
        self.pushes: Pushes = {}
        self.is_measured = False
        self.records: Engine | None = None
        self._warnings = WarningLog()
        self.members = WorldList(self)
        self.adding = WorldObjects(self, self.members)
        self.ties = WorldConstraints(self)
        self.joints = WorldJoints(self.ties)
        self.cables = WorldCables(
            self, self.adding, self.ties, lambda: {id(one.parent) for one in self.sensors.sensors},
            lambda names: self.recording.take_over(names),
        )  # fmt: skip
        self.adapting = WorldAdapting(self, self.cables, self.members, self.ties)
        self.tracks = WorldTracks(self, self.adding, self.ties, self.cables)
        self.body_files = WorldBodyFiles(self, self.adding, self.ties, self.joints, self.cables, self.tracks)
        self.projects = WorldProjects(self, settings, self.body_files)
        self.mjcf = WorldMjcf(self, settings, self.adding, self.ties)
        self.scenes = WorldScenes(self.mjcf, settings)
        self.readout = WorldReadout(self)
        self.rays = WorldRays(self)
        self.proximity = WorldProximity(self, self.rays)
        self.sensors: WorldSensors = WorldSensors(self, self.rays)
        self.recording: WorldRecording = WorldRecording(self, self.sensors)
        self.shown = Shown(self, settings)
        self.states = StateFiles(self, self.sensors)
        # What objects and parts ask the world for, and a part answers: see `WorldView`.
        self.note_name, self.overlaps = self.members.note_name, self.proximity.overlaps
        self.contacts_of, self.material_number = self.readout.contacts_of, self.materials.index

    # -- records -------------------------------------------------------------------------------
    @property
    def engine(self) -> Engine:
        """Return the records, built anew if objects were added or removed."""
        if self.records is None or self.must_build:
            self._build()
        assert self.records is not None
        return self.records

    @property
    def is_built(self) -> bool:
        """Tell whether the records hold all objects as they are now."""
        return not self.must_build

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before they are next needed."""
        self.must_build = self.is_stale = True
        if self._adapts:  # a cable that adapts by itself is no edit
            self._start = None

    def _build(self) -> None:
        with deferred_signals:  # objects and world know of the new records together
            self.built = build(self.members.items, self.ties.items, self.materials, self._record, self.built)
            self.records, self.must_build = self.built.engine, False
            self.materials_built = self.materials.revision

    def write_materials(self) -> None:
        """Pass a changed pair table on to the model."""
        references = References(self.members.items, self.materials)
        self.engine.take_pairs(self.materials.array(references.find))
        self.engine.model.body_like[:] = references.instances
        mark_by_materials(self.engine.model)
        self.materials_built = self.materials.revision

    def check_editable(self, what: str, verb: str = "changed") -> None:
        """Refuse an edit between `update` and `advance`, or what else cannot be done to something there.

        Raises:
            EditError: The contacts just found would no longer belong to the state.
        """
        if not self.idle:
            raise EditError(f"{what} cannot be {verb} while another thread steps this world")
        if self.is_midway:
            raise EditError(f"{what} cannot be {verb} between update and advance; call advance() first")

    def busy(self, what: str) -> EditError:
        """Return the error of a call that found another thread in this world.

        The token in `idle` is taken and put back by one instruction each, so no lock is needed; it is taken
        by `del`, since after a call, as that of `pop`, the handler of Ctrl-C may raise before `try` begins.
        """
        return EditError(
            f"{what} was called while another thread steps this world; "
            "give each thread a world of its own, or use tribo.Batch"
        )

    def prepare(self) -> None:
        """Bring everything up to date before a step."""
        if self.is_midway:
            raise EditError("step was called between update and advance; call advance first")
        self._warnings.begin(self)
        if self._start is None:
            self._start = self._taken()
        warm_up.warm_up()
        self.is_stale = False

    def step(self, n: int) -> None:
        """Make n steps; cables that adapt by themselves do so in between."""
        if self.cables.adapting and not self.is_midway:
            self._adapting_alone("step", lambda: self._run_stretches(n))
        else:
            self.run(n)

    def adapt_due(self) -> None:
        """Let cables adapt that do it by themselves, and whose time it is."""
        if self.cables.adapting and not self.is_midway:
            self._adapting_alone("update", self.adapting.adapt_due)

    def _run_stretches(self, n: int) -> None:
        said = 0
        for count in self.adapting.stretches(n):
            self.run(count)
            said |= int(self.engine.status[0, 0])
            self.engine.status[0, 0] = said

    def _adapting_alone(self, what: str, act: Callable[[], object]) -> None:
        """Act, or refuse a call while another thread steps this world, whose cables adapt."""
        try:
            del self._adapts[0]
        except IndexError:
            raise self.busy(what) from None
        try:
            act()
        finally:
            self._adapts.append(True)

    def run(self, n: int) -> None:
        """Make n steps with the objects that are."""
        try:
            del self.idle[0]
        except IndexError:
            raise self.busy("step") from None
        try:
            if self.is_stale:
                self.prepare()
            if self.materials.revision != self.materials_built:
                self.write_materials()
            if self.is_measured:
                said = self.recording.run(n)
                if said:
                    self.engine.status[0, 0] |= said
            else:
                said = self.records.run(n)  # type: ignore[union-attr]
                if self.pushes and n:
                    self.pushes = {}
        finally:
            self.idle.append(True)
        if said:
            self.report()

    def report(self) -> None:
        """Turn the status of the last call of `step` into an error or a warning."""
        status = int(self.engine.status[0, 0])
        if status & Status.INVALID:
            self.sensors.lose_last_step()
            self._report_bad_input()
            raise SimulationError(invalid(self))
        if status:
            self._warnings.say(self, status)

    def _report_bad_input(self) -> None:
        """Raise an error that names an array into which something was written that is not finite."""
        for part in self.members.items:
            for name, array in part.arrays.items():
                bad = np.flatnonzero(~(np.abs(array) <= check.LARGEST))
                if bad.size:
                    raise SimulationError(
                        f"after t = {self.time:g} s, entry {bad[0]} of {name} of {part.name} is "
                        f"{float(array[bad[0]])!r} and the world cannot go on; assign the whole array to "
                        "have its values checked"
                    )

    # -- objects and what hangs on them --------------------------------------------------------
    def remove(self, item: Object | Constraint | str) -> None:
        """Take an object, by handle or name, with the constraints on it, or a constraint out of the world.

        Raises:
            KeyError: There is no such object or constraint here.
        """
        if isinstance(item, Constraint):
            self.check_editable("the list of constraints")
            self.ties.drop(item)
            return
        self.check_editable("the list of objects")
        part = self.members[item] if isinstance(item, str) else item
        check.instance(part, Object, "remove takes an object or its name")
        self.members.drop(part)
        self.sensors.drop_those_of(part)
        self.ties.drop_those_of(part)

    def equip(self, part: ArticulatedSystem) -> None:
        """Add the sensors and the constraints that a robot's file declares."""
        for described in part.description.sensors:
            self.sensors.add_described(part, described)
        for tie in part.description.constraints:
            made = self.ties.tie_described(tie, (part, part), f"{part.name}/")
            made.is_from_file = True

    def hand_out(self, part: Object) -> tuple[Arrays, Span]:
        """Return the arrays of the last build that hold an object's numbers, and where they are in them."""
        assert self.built is not None
        return self.built.hand_out(part)

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""
        if not self.must_build:
            self.engine.command.has_wrench[0] = 1

    def note_push(self, part: Object, link: str, wrench: np.ndarray) -> None:
        """Note how much of an external wrench (6,) on a body acts on a link that was merged into it."""
        key = part.id, link
        self.pushes[key] = self.pushes.get(key, np.zeros(6)) + wrench

    # -- snapshots -----------------------------------------------------------------------------
    def snapshot(self) -> Snapshot:
        """Return a copy of everything that the future depends on, and of the last step's contacts.

        Going on from a restored snapshot gives the same numbers, bit for bit.
        """
        self.check_editable("a snapshot", "taken")
        return self._taken()

    def reset(self) -> None:
        """Go back to the state before the first step since objects were last added or removed.

        A world not stepped since stays as it is. Errors as `restore`.
        """
        self.check_editable("the state")
        if self._start is not None:
            start = self._start
            self.restore(start)
            self._start = start

    def _taken(self) -> Snapshot:
        taken = take_snapshot(self.engine, self.members.items, self.ties.items, self.materials)
        return replace(
            taken, sensors=self.sensors.get_state(), pushes=dict(self.pushes), laid=self.adapting.laid()
        )

    def restore(self, saved: Snapshot) -> None:
        """Go back to a snapshot of this world.

        Raises:
            ValueError: Objects were added, removed or changed their body type since.
            TypeError: It is not what `snapshot` returned.
        """
        self.check_editable("the state")
        with deferred_signals:  # all of it, or nothing
            self._restore(saved)

    def _restore(self, saved: Snapshot) -> None:
        objects, ties = self.members.items, self.ties.items
        undone = None
        if isinstance(saved, Snapshot):
            self.sensors.check_state(saved.sensors)
            undone = self.adapting.put_back(saved.laid)
        before = touching(objects, ties)
        try:
            restore_snapshot(saved, self.engine, objects, ties, self.materials)
        except BaseException:  # a signal too, if records must be built
            if undone is not None:
                self.adapting.undo(undone, saved.laid)
            raise
        self.sensors.set_state(saved.sensors, saved.pushes)
        if before != touching(objects, ties):
            self.rebuild()

    # -- what parts and objects ask for --------------------------------------------------------
    objects: Objects = seen("members", WorldList.objects, "")
    constraints: tuple[Constraint, ...] = seen("ties", WorldConstraints.constraints, "")

    @property
    def time(self) -> float:
        """Return the world time [s]."""
        return float(self.records.state.time[0]) if self.records else 0.0

    time_step: float = seen("settings", WorldSettings.time_step, "")
    gravity: np.ndarray = seen("settings", WorldSettings.gravity, "")
    sleeping: bool = seen("settings", WorldSettings.sleeping, "")
    tolerance: float = seen("settings", WorldSettings.tolerance, "")
    max_push_out_speed: float = seen("settings", WorldSettings.max_push_out_speed, "")

    material_names: tuple[str, ...] = seen("materials", MaterialTable.names, "")

    contacts: list[Contact] = seen("readout", WorldReadout.contacts, "")

    status: Status = seen("readout", WorldReadout.status, "")
    residual: np.ndarray = seen("readout", WorldReadout.residual, "")
    sweeps: int = seen("readout", WorldReadout.sweeps, "")
