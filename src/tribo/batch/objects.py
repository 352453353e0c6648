"""One object in all worlds of a batch: a robot, or a single body."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Unpack

import numpy as np

from tribo.batch.motors import MotorsOfWorlds
from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part
from tribo.batch.settings import BatchSleeper
from tribo.batch.state import StateOfWorlds
from tribo.batch.values import JointValues, LinkValues
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.builder import meets_compliant
from tribo.engine.engine import Engine
from tribo.engine.subtree import TreeRecords
from tribo.model import Joint
from tribo.objects import CollisionBody
from tribo.objects.actuated import Actuated
from tribo.objects.body_types import note_push
from tribo.objects.contact_reader import ContactReader
from tribo.objects.frames import Frame
from tribo.objects.handle import Handle
from tribo.objects.record_views import ELSEWHERE, VIEWS
from tribo.objects.states import States, rows

# Attribute of an object in a world: record, array and kind of span.
LIVE = {f"_{name}": (record, name, index) for name, (record, index) in VIEWS.items()}


class ObjectBatch(BatchSleeper, MotorsOfWorlds, StateOfWorlds, ContactReader, Actuated):
    """One object in all worlds of a batch: arrays whose first axis is the world.

    State and commands are the records themselves: write into them. Assigning an array checks it; one
    row stands for all worlds. Readouts are read-only copies (docs/reference/arrays). Properties of links
    and joints may differ from world to world: ``batch["robot"].link("trunk").mass = masses``.

    Example:
        >>> import tribo
        >>> world = tribo.World(gravity=(0, 0, 0))
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball")
        >>> batch = tribo.Batch(world, 3, threads=1)
        >>> batch["ball"].generalized_velocity = [1, 0, 0, 0, 0, 0]
        >>> batch["ball"].generalized_velocity[2, 0] = 5.0
        >>> batch["ball"].generalized_velocity[:, 0].tolist()
        [1.0, 1.0, 5.0]
    """

    _is_batch = True
    _called = "robot"
    _chosen: Any = slice(None)  # worlds of which properties are read and set

    def __init__(self, batch: BatchOwner, part: Part) -> None:
        """Use ``batch[name]``."""
        self._batch, self._part = batch, part
        self.name, self.description = part.name, part.description

    def __repr__(self) -> str:
        """Return name, worlds and sizes."""
        nq, nv = self.generalized_coordinate.shape[1], self.generalized_velocity.shape[1]
        return f"<ObjectBatch {self._part.name!r} in {len(self._batch)} worlds: {nq} coordinates, {nv} dofs>"

    def _records(self) -> TreeRecords:
        return self._batch.records_of(self.name)

    def _states(self) -> States:
        q, v, vdot = (
            np.array(self._array("state", name, index))
            for name, index in (("q", "q"), ("v", "v"), ("vdot", "v"))
        )
        return States(self.name, self._records(), q, v, vdot, False)

    def _contact_records(self) -> tuple[str, Engine, slice]:
        return self.name, self._batch.engine, self._part.span.shape

    def _count(self) -> int:
        return len(self._batch)

    def _live(self, name: str) -> np.ndarray:
        record, field, index = LIVE[name]
        array: np.ndarray = getattr(self._batch.engine, record).arrays[field]
        return array[:, getattr(self._part.span, index)]

    _now = _live

    def _state_rows(self, name: str) -> np.ndarray:
        return self._array("state", name, name)

    def _command_rows(self, name: str) -> np.ndarray:
        return self._live(f"_{name}")

    def _spread(self, value: Any, what: str) -> dict[str, Any]:
        """Return values by joint as `Drives` does; refuse a shape that no world or not every world has."""
        if not (isinstance(value, Mapping) or check.is_scalar(value)):
            given = check.array(value, f"{what} of {self.name}", "numbers").shape
            worlds, dof = len(self._batch), self.dof
            alone = dof - 6 * self.is_floating
            if given not in ((dof,), (alone,), (worlds, dof), (worlds, alone)):
                joints = f", ({alone},) or ({worlds}, {alone}) for the joints alone"
                each = "; a number for each world: {joint name: numbers}" if given == (worlds,) else ""
                raise ValueError(
                    f"{what} of {self.name} must be one number or have shape ({dof},) or ({worlds}, {dof})"
                    f"{joints if self.is_floating else ''}, got {given}{each}"
                )
        return super()._spread(value, what)

    def _row_forces(self) -> np.ndarray:
        dt = self._batch.engine.settings.arrays["dt"]
        forces: np.ndarray = self._array("state", "scalar_impulse", "slot") / dt.reshape(-1, 1)
        return forces

    def _torques(self) -> np.ndarray:
        return self._array("work", "applied_torque", "v")

    def _add_wrench(self, place: Frame, torque: np.ndarray, force: np.ndarray) -> None:
        note_push(self._batch, self.name, self._part.description.kind)
        body = self._part.span.body.start + place.body_index
        row = self._batch.engine.command.arrays["wrench"][:, body]
        row[:, :3] += torque
        row[:, 3:] += force
        self._batch.engine.command.arrays["has_wrench"][...] = 1
        if place.part_name:
            wrench = np.concatenate([torque, force], axis=1)
            self._batch.note_push_on(self.name, place.part_name, wrench)

    def _check_editable(self, what: str) -> None:
        """Refuse an edit while a thread steps the batch."""
        self._batch.check_idle(f"{what} of {self.name}")

    def _collision_bodies_of(self, body: int) -> tuple[CollisionBody, ...]:
        raise TypeError(
            f"collision shapes of {self.name} are the same in all worlds of a batch, but for sizes "
            "(batch.set_shape_size); read and change them on the object of the world, before the "
            "batch is made"
        )

    def _set_parameter(self, field: str, row: int | slice, value: np.ndarray, what: str) -> None:
        self._check_editable(what)
        engine, rows = self._batch.engine, self._chosen
        engine.own(field, "tree_is_single")
        table = self._records().model.arrays[field]
        before = table[rows, row].copy()
        table[rows, row] = value
        is_other = (table[rows, row] != before).reshape(self._count(), -1).any(axis=1)
        motion = self._array("state", "tree_motion", "trees")
        motion[np.arange(len(motion))[rows][is_other], :, 0] = 0.0  # its momentum is another now
        if field == "body_com" and len(self.description.bodies) == 1:
            is_free = self.description.bodies[0].joint.type == Joint.FREE
            single = engine.model.arrays["tree_is_single"]
            tree = self._part.span.tree
            may_be = is_free and not meets_compliant(engine.model)[tree]
            single[rows, tree] = may_be & (value == 0.0).all(axis=1)

    def _drive_values(self, value: Any, what: str, now: np.ndarray, base: int, rest: Any) -> np.ndarray:
        if isinstance(value, Mapping) and base:
            return self._named(value, now, what)
        what = f"{what} of {self._part.name}"
        made = check.within_range(check.array(value, what, "numbers"), what)
        worlds, width = now.shape
        widths = (width, width - base) if base and self._part.is_floating else (width,)
        if made.ndim not in (1, 2) or made.shape[-1] not in widths or (
            made.ndim == 2 and len(made) not in (1, worlds)
        ):  # fmt: skip
            joints = f"; {widths[1]} for the joints alone" if len(widths) > 1 else ""
            raise ValueError(
                f"{what} must have shape ({worlds}, {width}) or ({width},){joints}, got {made.shape}"
            )
        full = np.empty_like(now)
        if made.shape[-1] == width:
            full[:] = made
        else:
            full[:, :base], full[:, base:] = rest, made
        return full

    @property
    def generalized_coordinate(self) -> np.ndarray:
        """Coordinates q, (worlds, nq) [m, rad, –], live; a single body: position and quaternion."""
        return self._array("state", "q", "q")

    @generalized_coordinate.setter
    def generalized_coordinate(self, value: Any) -> None:
        q = self._array("state", "q", "q")
        what = "generalized_coordinate"
        check.not_by_name(value, f"{what} of {self.name}", "joint_coordinates")
        q[:] = self._normalized(self._drive_values(value, what, q, 0, None), what)
        self._array("state", "left_q", "q")[:] = ELSEWHERE

    @property
    def generalized_velocity(self) -> np.ndarray:
        """Velocities v, (worlds, dof) [m/s, rad/s], live."""
        return self._array("state", "v", "v")

    @generalized_velocity.setter
    def generalized_velocity(self, value: Any) -> None:
        what = f"generalized_velocity of {self.name}"
        check.not_by_name(value, what, "joint_velocities")
        v = self._array("state", "v", "v")
        v[:] = self._drive_values(value, "generalized_velocity", v, 0, None)

    def set_pd_gains(self, kp: Any, kd: Any, worlds: Any = slice(None), *, hold_base: bool = False) -> None:
        """Set the gains of the implicit PD drives, as `ArticulatedSystem.set_pd_gains` does.

        Args:
            kp, kd: One number for all joints, (dof,), or (n, dof) for the n worlds; for a floating base also
                dof − 6 numbers for the joints alone: the base then gets 0. ≥ 0.
            worlds: Index, slice or mask of the worlds that are set.
            hold_base: Whether the first six of dof numbers hold a floating base.

        Raises:
            ValueError, TypeError: A shape is wrong, a number negative or not finite, there is no such world,
                or the base would be held and that was not asked for; nothing is changed.
        """
        rows = self._batch.chosen_worlds(worlds).ravel()
        self.kp[rows], self.kd[rows] = self._gains(kp, kd, rows, hold_base)

    def set_link(self, name: str, worlds: Any = slice(None), **values: Unpack[LinkValues]) -> None:
        """Set properties of a link in some worlds: all that are given, or none if one is wrong.

        The other worlds stay as they are and cost nothing.

        Args:
            name: Of the link.
            worlds: Index, slice or mask of worlds.
            values: mass [kg], com [m], inertia [kg m²], gravity_compensation [–], as `link(name)` has them:
                one for all these worlds or, with a first axis, one for each of the n.

        Raises:
            KeyError: There is no such link or property; the message proposes the nearest name.
            TypeError, ValueError: A value is wrong, or there is no such world; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> box = world.add_box((1, 1, 1), mass=1.0, name="box")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch["box"].set_link("box", worlds=[0, 2], mass=[2.0, 3.0])
            >>> batch["box"].mass.tolist()
            [2.0, 1.0, 3.0]
        """
        part = SomeWorlds(self._batch, self._part, worlds)
        part.set_on(part.link(name), LinkValues.__annotations__, values)

    def set_joint(self, name: str, worlds: Any = slice(None), **values: Unpack[JointValues]) -> None:
        """Set properties of a joint in some worlds, as `set_link` does those of a link.

        Args:
            name: Of the joint.
            worlds: Index, slice or mask of worlds.
            values: armature, damping, stiffness, dry_friction, velocity_limit, effort_limits, limits, as
                `joint(name)` has them: one for all these worlds, or (n,); position_in_parent (3,) or (n, 3).

        Raises:
            KeyError, TypeError, ValueError, EditError: As `set_link`.
        """
        part = SomeWorlds(self._batch, self._part, worlds)
        part.set_on(part.joint(name), JointValues.__annotations__, values)


class SomeWorlds(ObjectBatch):
    """An object in some worlds of a batch: properties have a row for each of these alone."""

    def __init__(self, batch: BatchOwner, part: Part, worlds: Any) -> None:
        """Choose worlds by an index, slice or mask."""
        super().__init__(batch, part)
        self._chosen = batch.chosen_worlds(worlds).ravel()

    def _count(self) -> int:
        return len(self._chosen)

    def _parameter(self, field: str, row: int | slice) -> np.ndarray:
        found = self._records().model.arrays[field][:, row]
        return np.asarray(np.broadcast_to(found, (len(self._batch), *found.shape[1:]))[self._chosen])

    def set_on(self, handle: Handle, known: Collection[str], values: Mapping[str, Any]) -> None:
        """Set properties of a link or joint: all, or none if one is wrong."""
        for wanted in values:
            check.known(wanted, known, f"property of {handle.name}")
        if len(self._chosen) > 0:
            handle.set_several(values)


class SingleBodyBatch(ObjectBatch):
    """A single body in all worlds of a batch: what `SingleBody` has, with the world as first axis.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> box = world.add_box(size=(1, 1, 1), mass=1.0, name="box")
        >>> boxes = tribo.Batch(world, 3, threads=1)["box"]
        >>> boxes.mass = 1.0, 2.0, 3.0
        >>> boxes.mass.tolist()
        [1.0, 2.0, 3.0]
    """

    _is_single_body = True

    @property
    def mass(self) -> np.ndarray:
        """Mass [kg] > 0 in each world, (worlds,); assign one for all or (worlds,). The inertia stays."""
        return np.asarray(self.links[0].mass)

    @mass.setter
    def mass(self, value: Any) -> None:
        given = rows(value, f"mass of {self.name}", (), len(self._batch))
        check.positive(given.min(), f"mass of {self.name}")
        self.links[0].mass = given

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, (worlds, 3, 3) [kg m²], body axes; assign to change it.

        (3,) is a diagonal and (3, 3) a matrix for all worlds.
        """
        return self.links[0].inertia

    @inertia.setter
    def inertia(self, value: Any) -> None:
        what, n = f"inertia of {self.name}", len(self._batch)
        given = check.shaped(check.array(value, what, "numbers [kg m²]"), what, (3,), (3, 3), (n, 3, 3))
        if given.ndim == 3:
            check.inertias(given, what)
        else:
            check.inertia(given, what)
        self.links[0].inertia = given

    @property
    def linear_damping(self) -> np.ndarray:
        """Drag [N s/m] ≥ 0, (worlds,), see `SingleBody`; assign one for all or (worlds,)."""
        return frozen(self.damping[:, 0].copy())

    @linear_damping.setter
    def linear_damping(self, value: Any) -> None:
        self._set_drag("linear_damping", value, slice(0, 3))

    @property
    def angular_damping(self) -> np.ndarray:
        """Drag [N m s/rad] ≥ 0, (worlds,), see `SingleBody`; assign one for all or (worlds,)."""
        return frozen(self.damping[:, 3].copy())

    @angular_damping.setter
    def angular_damping(self, value: Any) -> None:
        self._set_drag("angular_damping", value, slice(3, 6))

    def _set_drag(self, what: str, value: Any, dofs: slice) -> None:
        given = rows(value, f"{what} of {self.name}", (), len(self._batch))
        check.not_negative(given, f"{what} of {self.name}")
        self._set_parameter("dof_damping", dofs, given[:, None], what)

    # -- forces from outside -------------------------------------------------------------------
    def apply_force(  # type: ignore[override]  # a body has no frames to choose from
        self, force: Any, point: Any = None, *, axes: str = "world"
    ) -> None:
        """Add an external force for the next step only, as `SingleBody.apply_force`.

        Args:
            force: (3,) or (worlds, 3) [N].
            point: Where it acts, (3,) or (worlds, 3) [m], world; None: at the centre of mass.
            axes: Of the force: "world", or "body" for those at the call; `hold_forces` does not turn them.

        Raises:
            ValueError, TypeError: A vector has a wrong shape or is not finite, or axes is another word.
        """
        link = self.links[0]
        given = self._in_world(force, f"force on {self.name}", axes)
        torque = np.zeros_like(given)
        if point is not None:
            at = rows(point, f"point on {self.name}", (3,), len(self._batch))
            torque = np.cross(at - link.com_position, given)
        self._add_wrench(link, torque, given)

    def apply_torque(  # type: ignore[override]
        self, torque: Any, *, axes: str = "world"
    ) -> None:
        """Add an external torque for the next step only; errors as `apply_force`.

        Args:
            torque: (3,) or (worlds, 3) [N m].
            axes: Of the torque: "world" or "body", as in `apply_force`.
        """
        given = self._in_world(torque, f"torque on {self.name}", axes)
        self._add_wrench(self.links[0], given, np.zeros_like(given))

    def _in_world(self, value: Any, what: str, axes: str) -> np.ndarray:
        """Return checked vectors in world axes, (worlds, 3)."""
        choice = check.choice(axes, ("world", "body"), f"axes of the {what}")
        return self._turned(self.links[0], value, what, "frame" if choice == "body" else "world")

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, (worlds, 3) [m], in the frame in which the shapes were given; assign to move it.

        Worlds share their shapes, so the body's origin stays where it is, which in a world it does not:
        `position`, `linear_velocity` and `generalized_coordinate` go on being those of the centre of mass
        that the body had when the batch was made. ``links[0].com_position`` is where the new one is.
        """
        return self.links[0].com - self.description.origin

    @com.setter
    def com(self, value: Any) -> None:
        what = f"com of {self.name}"
        given = check.array(value, what, "(3,) or (worlds, 3) numbers")
        check.shaped(given, what, (3,), (len(self._batch), 3))
        self.links[0].com = given + self.description.origin
