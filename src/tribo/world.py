"""The world: objects, materials, gravity and time."""

from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo import check, kernels, primitives
from tribo.builder import ALL_GROUPS, MOVABLE_GROUP, STATIC_GROUP, Capacity, build_model
from tribo.contacts import Contact
from tribo.description import TreeDescription
from tribo.engine import Engine
from tribo.errors import EditError, SimulationError
from tribo.formats import urdf
from tribo.materials import MaterialTable, PairProperties
from tribo.materials.table import DEFAULT_MATERIAL, PairExplanation
from tribo.model import Kind, Status
from tribo.objects import ArticulatedSystem, Object, SingleBody
from tribo.objects.base import as_kind
from tribo.readout import read_contacts, tree_energies
from tribo.settings import WorldSettings
from tribo.snapshot import Snapshot
from tribo.snapshot import restore as restore_snapshot
from tribo.snapshot import take as take_snapshot

logger = logging.getLogger("tribo")


class World(WorldSettings):
    """Objects that move and meet.

    Args:
        time_step: [s] > 0.
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
        super().__init__()
        self._objects: list[Object] = []
        self._by_name: dict[str, Object] = {}
        self._next_id = self._next_shape = 0
        self._materials = MaterialTable()
        self._materials_built = -1
        self._engine: Engine | None = None
        self._must_build = True
        self._is_stale = True  # something must be done before the next step
        self._is_midway = False  # between update and advance
        self._has_warned = False
        self.time_step = time_step
        self.gravity = gravity

    # -- time ----------------------------------------------------------------------------------
    def step(self, n: int = 1) -> None:
        """Advance by n time steps.

        Raises:
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        if type(n) is not int or n < 0:
            check.integer(n, "number of steps", 0)
            n = int(n)
        if self._is_stale:
            self._prepare()
        if self._materials.revision != self._materials_built:
            self.write_materials()
        engine = self._engine
        if engine.run(n) != n or engine.status[0, 0]:  # type: ignore[union-attr]
            self._report()

    def update(self) -> None:
        """Do the first half of a step: poses, mass matrix, bias force and contacts can then be read.

        They hold at the configuration where the step is evaluated: half a step ahead of the state
        with the midpoint integrator, at the state itself with the semi-implicit one. Until
        `advance` the world may be commanded (forces, targets) but not edited.
        """
        if self._is_midway:
            raise EditError("update was called twice; call advance in between")
        self._prepare()
        if self._materials.revision != self._materials_built:
            self.write_materials()
        self.engine.update()
        self.engine.work.contact_impulse[:] = 0.0
        self._is_midway = self._is_stale = True

    def advance(self) -> None:
        """Do the second half of a step: forces, contact solve, integration.

        Raises:
            EditError: `update` was not called before.
            SimulationError: A velocity stopped being finite; the world stays at its last valid state.
        """
        if not self._is_midway:
            raise EditError("call update before advance, or step for both")
        self._is_midway = self._is_stale = False
        self.engine.advance()
        if self.engine.status[0, 0]:
            self._report()

    @property
    def time(self) -> float:
        """World time [s]; assign to set the clock."""
        return float(self.engine.state.time[0])

    @time.setter
    def time(self, value: float) -> None:
        self.check_editable("the time")
        self.engine.state.time[0] = check.number(value, "time")

    def _prepare(self) -> None:
        """Bring everything up to date before a step."""
        if self._is_midway:
            raise EditError("step was called between update and advance; call advance first")
        _ = self.engine
        kernels.warm_up()
        self._is_stale = False

    def _report(self) -> None:
        """Turn the status of the last step into an error or a warning."""
        status = int(self.engine.status[0, 0])
        if status & Status.INVALID:
            bad = ~np.isfinite(self.engine.work.next_v)
            names = [p.name for p in self._objects if p.span is not None and bad[p.span.v].any()]
            raise SimulationError(
                f"after t = {self.time:g} s the velocity of {', '.join(names) or 'an object'} is no longer "
                "finite; the world stands at its last valid state. Look at forces, gains and masses there, "
                "or take a smaller time step"
            )
        if status & Status.NOT_CONVERGED and not self._has_warned:
            self._has_warned = True
            logger.warning(
                "t = %g s: the contact solve stopped at %d sweeps with residual %.1e "
                "(said once per world; see world.residual, world.status and world.max_sweeps)",
                self.time, self.max_sweeps, max(self.residual),
            )  # fmt: skip

    # -- records -------------------------------------------------------------------------------
    @property
    def engine(self) -> Engine:
        """Records of this world; built anew if objects were added or removed."""
        if self._engine is None or self._must_build:
            self._build()
        assert self._engine is not None
        return self._engine

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before they are next needed."""
        self._must_build = self._is_stale = True

    def _build(self) -> None:
        """Build the arrays of all objects and move state, commands and warm start over."""
        old = self._engine
        for part in self._objects:
            part.detach()
        capacity = old.capacity if old else Capacity()
        model, spans, sizes = build_model(
            [p.part() for p in self._objects], self._materials, capacity
        )
        engine = Engine(model, sizes, capacity, settings=self._settings)
        if old is not None:
            for name in ("time", "warm_count", "warm_key", "warm_impulse"):
                getattr(engine.state, name)[...] = getattr(old.state, name)
        for part, span in zip(self._objects, spans, strict=True):
            part.attach(engine, span)
        engine.command.has_wrench[0] = engine.command.wrench.any()
        engine.on_grow = self._reattach
        self._engine, self._must_build = engine, False
        self._materials_built = self._materials.revision

    def _reattach(self) -> None:
        """Point objects at new records of the same layout."""
        assert self._engine is not None
        for part in self._objects:
            assert part.span is not None
            part.attach(self._engine, part.span)

    def write_materials(self) -> None:
        """Pass a changed pair table on to the model."""
        table = self._materials.array()
        if table.shape != self.engine.model.pair_table.shape:
            self._build()
        self.engine.model.pair_table[...] = table
        self._materials_built = self._materials.revision

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`.

        Raises:
            EditError: The contacts just found would no longer belong to the state.
        """
        if self._is_midway:
            raise EditError(
                f"{what} cannot be changed between update and advance; call advance first"
            )

    def note_wrench(self) -> None:
        """Note that an external force acts in the next step."""
        if not self._must_build:
            self.engine.command.has_wrench[0] = 1

    # -- objects -------------------------------------------------------------------------------
    def _add(self, kind: type[Any], description: TreeDescription, name: str, prefix: str,
             collision_group: int | None, collision_mask: int) -> Any:  # fmt: skip
        """Take a described object in, or leave the world as it was."""
        self.check_editable("the list of objects")
        if name in self._by_name:
            raise ValueError(f"there is already an object named {name!r}; choose another name")
        if not isinstance(name, str):
            raise TypeError(f"name must be a string, got {name!r}")
        if not name:
            name = f"{prefix}_{self._next_id}"
        default = STATIC_GROUP if description.kind == Kind.STATIC else MOVABLE_GROUP
        group = (
            default if collision_group is None else check.bits(collision_group, "collision_group")
        )
        mask = check.bits(collision_mask, "collision_mask")
        count = sum(len(body.shapes) for body in description.bodies)
        ids = range(self._next_shape, self._next_shape + count)
        part = kind(self, self._next_id, name, description, ids, group, mask)
        self._next_id += 1
        self._next_shape += count
        self._objects.append(part)
        self._by_name[name] = part
        self.rebuild()
        return part

    def _add_single(
        self, description: TreeDescription, prefix: str, options: dict[str, Any]
    ) -> SingleBody:
        """Take a single body in with the options that all of them share."""
        settings = primitives.placed(description, options)
        part: SingleBody = self._add(
            SingleBody,
            description,
            settings.name,
            prefix,
            settings.collision_group,
            settings.collision_mask,
        )
        part.fixed_pose[:] = settings.pose
        if description.kind != Kind.STATIC:
            part.set_state(settings.pose, settings.velocity)
        return part

    def add_ground(self, height: float = 0.0, material: str = DEFAULT_MATERIAL, *, normal: Any = (0, 0, 1),
                   name: str = "", collision_mask: int = ALL_GROUPS) -> SingleBody:  # fmt: skip
        """Add an infinite ground plane that fills the half space below it.

        Args:
            height: [m] of the plane above the origin, along its normal.
            material: Name, see `set_material_pair`.
            normal: (3,) up direction, any length.
            name: Empty: "ground_0" and so on.
            collision_mask: Bits of the groups that it meets.
        """
        description, pose = primitives.ground(height, material, normal)
        options = {"name": name, "collision_mask": collision_mask, "position": pose[:3],
                   "orientation": pose[3:]}  # fmt: skip
        return self._add_single(description, "ground", options)

    def add_sphere(
        self, radius: float, mass: float, material: str = DEFAULT_MATERIAL, **options: Any
    ) -> SingleBody:
        """Add a solid ball.

        Args:
            radius: [m] > 0.
            mass: [kg] > 0.
            material: Name, see `set_material_pair`.
            options: name, position (3,) [m], orientation (4,) quaternion (w, x, y, z),
                linear_velocity (3,) [m/s], angular_velocity (3,) [rad/s], inertia (3, 3) [kg m²],
                body_type ("dynamic", "kinematic", "static"), collision_group, collision_mask (bits).

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.
        """
        return self._add_single(primitives.sphere(radius, mass, material), "sphere", options)

    def add_box(
        self, size: Any, mass: float, material: str = DEFAULT_MATERIAL, **options: Any
    ) -> SingleBody:
        """Add a solid box of full edge lengths `size` (3,) [m]; the rest as in `add_sphere`."""
        return self._add_single(primitives.box(size, mass, material), "box", options)

    def add_capsule(self, radius: float, height: float, mass: float, material: str = DEFAULT_MATERIAL,
                    **options: Any) -> SingleBody:  # fmt: skip
        """Add a solid capsule along local z, `height` [m] between cap centres; rest as `add_sphere`."""
        return self._add_single(
            primitives.capsule(radius, height, mass, material), "capsule", options
        )

    def add_cylinder(self, radius: float, height: float, mass: float, material: str = DEFAULT_MATERIAL,
                     **options: Any) -> SingleBody:  # fmt: skip
        """Add a solid cylinder along local z, full `height` [m]; the rest as in `add_sphere`."""
        return self._add_single(
            primitives.cylinder(radius, height, mass, material), "cylinder", options
        )

    def add_articulated_system(
        self, source: str | Path | TreeDescription, *, name: str = "", position: Any = None,
        orientation: Any = None, package_dirs: Sequence[Path | str] = (), body_type: Kind | str = "dynamic",
        collision_group: int | None = None, collision_mask: int = ALL_GROUPS, strict: bool = False,
    ) -> ArticulatedSystem:  # fmt: skip
        """Add a robot.

        Args:
            source: URDF file, URDF text, or a description.
            name: Empty: "articulated_system_0" and so on.
            position, orientation: Where the base starts (or stands), [m] and quaternion (w, x, y, z).
            package_dirs: Folders in which ``package://`` references are looked up.
            body_type: "dynamic" or "kinematic".
            collision_group, collision_mask: Bits for all its shapes.
            strict: Treat what the reader does not know as an error.

        Raises:
            DescriptionError: The file cannot be built; the message names element, value and remedy.
        """
        if isinstance(source, TreeDescription):
            description = copy.deepcopy(source)
        else:
            dirs = [Path(folder) for folder in package_dirs]
            description = urdf.read(source, package_dirs=dirs, strict=strict)
        description.kind = as_kind(body_type)
        if description.kind == Kind.STATIC:
            raise ValueError(
                "an articulated system cannot be static; make it kinematic with zero velocity"
            )
        where = None if position is None else check.vector(position, "position", 3)
        how = None if orientation is None else check.quaternion(orientation, "orientation")
        for note in description.notes:
            logger.info("%s: %s", description.source or "URDF text", note)
        primitives.warn_about_pairs(description)
        part: ArticulatedSystem = self._add(
            ArticulatedSystem,
            description,
            name,
            "articulated_system",
            collision_group,
            collision_mask,
        )
        if where is not None:
            part.position = where
        if how is not None:
            part.orientation = how
        return part

    def remove(self, item: Object | str) -> None:
        """Take an object out of the world, by handle or name.

        Raises:
            KeyError: There is no such object here.
        """
        self.check_editable("the list of objects")
        part = self[item] if isinstance(item, str) else item
        if part.is_removed or part not in self._objects:
            raise KeyError(f"{part!r} is not in this world")
        part.detach()
        part.is_removed = True
        self._objects.remove(part)
        del self._by_name[part.name]
        self.rebuild()

    @property
    def objects(self) -> tuple[Object, ...]:
        """All objects in the order in which they were added."""
        return tuple(self._objects)

    def __getitem__(self, name: str) -> Object:
        """Return an object by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self._by_name[check.known(name, self._by_name, "object")]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an object of this name."""
        return name in self._by_name

    # -- materials -----------------------------------------------------------------------------
    @property
    def materials(self) -> MaterialTable:
        """Table of the material pairs of this world."""
        return self._materials

    def set_material_pair(
        self,
        first: str,
        second: str,
        properties: PairProperties | None = None,
        **values: float | None,
    ) -> None:
        """Set how two materials interact; the order of the names does not matter.

        Args:
            first, second: Names given to shapes; unknown names are created.
            properties: All seven at once, or
            values: friction, restitution, restitution_threshold, static_friction,
                static_friction_velocity, rolling_friction, spinning_friction (`PairProperties`).

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
    def default_pair(self) -> PairProperties:
        """Properties of every pair that was not set."""
        return self._materials.default

    @default_pair.setter
    def default_pair(self, properties: PairProperties) -> None:
        self.check_editable("the default pair")
        self._materials.default = properties

    def explain_pair(self, first: str, second: str) -> PairExplanation:
        """Return the values in use for two materials and where each comes from; print it."""
        return self._materials.explain(first, second)

    @property
    def material_names(self) -> tuple[str, ...]:
        """Names of all materials in order of their numbers."""
        return self._materials.names

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""
        return self._materials.index(name)

    # -- reading -------------------------------------------------------------------------------
    @property
    def contacts(self) -> list[Contact]:
        """Points that touched in the last step (after `update`: points that overlap)."""
        return read_contacts(self.engine, self._objects, self._materials)

    def contacts_of(self, part: Object) -> list[Contact]:
        """Return the contacts of an object, seen from it: forces act on it."""
        return read_contacts(self.engine, self._objects, self._materials, part)

    @property
    def kinetic_energy(self) -> float:
        """Of all dynamic objects [J]."""
        return float(tree_energies(self.engine)[:, 0].sum())

    @property
    def potential_energy(self) -> float:
        """Of all dynamic objects in gravity, zero at the world origin [J]."""
        return float(tree_energies(self.engine)[:, 1].sum())

    @property
    def energy(self) -> float:
        """Kinetic and potential [J]."""
        return float(tree_energies(self.engine)[:, :2].sum())

    @property
    def linear_momentum(self) -> np.ndarray:
        """Of all dynamic objects, shape (3,) [kg m/s], world."""
        return np.asarray(tree_energies(self.engine)[:, 2:5].sum(axis=0))

    @property
    def angular_momentum(self) -> np.ndarray:
        """Of all dynamic objects about the world origin, shape (3,) [kg m²/s]."""
        return np.asarray(tree_energies(self.engine)[:, 5:8].sum(axis=0))

    @property
    def status(self) -> Status:
        """How the last step went; 0: well."""
        return Status(int(self.engine.status[0, 0]))

    @property
    def residual(self) -> np.ndarray:
        """Primal, dual and complementarity violation of the last contact solve, shape (3,) [–]."""
        return np.array(self.engine.work.residual)

    @property
    def sweeps(self) -> int:
        """Sweeps of the last contact solve."""
        return int(self.engine.work.sweeps[0])

    # -- snapshots -----------------------------------------------------------------------------
    def snapshot(self) -> Snapshot:
        """Return a copy of everything that the future depends on.

        Going on from a restored snapshot gives the same numbers, bit for bit.
        """
        self.check_editable("a snapshot")
        return take_snapshot(self.engine, self._objects, self._materials)

    def restore(self, saved: Snapshot) -> None:
        """Go back to a snapshot of this world.

        Raises:
            ValueError: Objects were added, removed or changed their body type since.
        """
        self.check_editable("the state")
        self._materials = restore_snapshot(saved, self.engine, self._objects)
        self._materials_built = self._materials.revision
