"""The world: objects, materials, gravity and time."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Self

import numpy as np

from tribo import check, kernels
from tribo.builder import Capacity, build_model
from tribo.engine import Engine
from tribo.errors import EditError, SimulationError
from tribo.formats import raisim_xml
from tribo.materials import MaterialTable, PairProperties
from tribo.materials.table import PairExplanation
from tribo.model import Status
from tribo.readout import WorldReadout
from tribo.settings import WorldSettings
from tribo.snapshot import Snapshot
from tribo.snapshot import restore as restore_snapshot
from tribo.snapshot import take as take_snapshot
from tribo.world_file import read_into, save
from tribo.world_objects import WorldObjects

logger = logging.getLogger("tribo")


class World(WorldSettings, WorldObjects, WorldReadout):
    """Objects that move and meet. Different threads may step different worlds, not the same one.

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
        WorldSettings.__init__(self)
        WorldObjects.__init__(self)
        self._materials = MaterialTable()
        self._materials_built = -1
        self._engine: Engine | None = None
        self._must_build = True
        self._is_stale = True  # something must be done before the next step
        self._is_midway = False  # between update and advance
        self._has_warned = False
        self.time_step = time_step
        self.gravity = gravity

    def __copy__(self) -> World:
        """Refuse a shallow copy: two worlds would share one state."""
        raise TypeError("a world cannot be copied; use world.snapshot() or tribo.Batch(world, n)")

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
        if self._engine.run(n):  # type: ignore[union-attr]
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

    @property
    def is_built(self) -> bool:
        """Whether the records hold all objects as they are now."""
        return not self._must_build

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
        self._engine, self._must_build = engine, False
        self._materials_built = self._materials.revision

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

    # -- files ---------------------------------------------------------------------------------
    @classmethod
    def load(cls, path: str | Path, *, strict: bool = False) -> Self:
        """Return the world of a RaiSim XML file.

        Args:
            path: The file.
            strict: Treat what the reader does not know as an error.

        Raises:
            DescriptionError: The file cannot be built; the message names element, value and remedy.
        """
        world = cls()
        read_into(world, path, strict=strict)
        return world

    def save(self, path: str | Path) -> None:
        """Write the world as a RaiSim XML file: what it starts with, not its commands or clock.

        A world loaded from it steps bitwise like this one would with a fresh start of its solver.
        """
        save(self, path)

    def load_materials(self, path: str | Path) -> None:
        """Set the default pair and all pairs of a material table in a file of its own.

        Args:
            path: XML with ``default`` and ``pair_prop`` elements, as in the ``material`` block of a world.

        Raises:
            DescriptionError: The file cannot be read; the table stays as it was.
        """
        self.check_editable("a material pair")
        default, pairs = raisim_xml.read_materials(path)
        self._materials.default = default
        for (first, second), properties in pairs.items():
            self._materials.set_pair(first, second, properties)

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
        before = [set(part.description.ignored) for part in self._objects]
        self._materials = restore_snapshot(saved, self.engine, self._objects)
        self._materials_built = -1
        if before != [part.description.ignored for part in self._objects]:
            self.rebuild()
