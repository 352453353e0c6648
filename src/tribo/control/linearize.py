"""`linearize`: derivatives of steps by state, command and parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.errors import NotDifferentiableError, SimulationError
from tribo.control.active_set import ActiveSet, in_words
from tribo.control.contact_points import directions_on_contacts
from tribo.control.exact_chain import ExactChain
from tribo.control.exact_parameters import Changes, changed_fields
from tribo.control.exact_table import Exact, ExactTable
from tribo.control.inputs import COMMANDS, LARGEST_STEP, Input, Inputs, bundle_ways, dofs_of, unknowns_of
from tribo.control.linearization import Change, Linearization
from tribo.control.readings import Reading, Readings
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown
from tribo.world.checked import checked_world
from tribo.world.world import World

AMOUNTS = (-2.0, -1.0, 1.0, 2.0)  # steps by which an input is moved, besides 0
MAX_INPUTS = 128  # of a batch: more bring no speed, only memory
MAX_PAIRS = len(AMOUNTS) * MAX_INPUTS // 2  # as many worlds
METHODS = ("auto", "exact", "differences", "bundled")

EXACT = ("exact", "exact, parameters by differences")

Function = Callable[[Batch], np.ndarray]
Outputs = Function | Reading | Sequence[Reading]


@answered_call
def linearize(
    world: World, *, steps: int = 1, controls: str | Sequence[str] = "force",
    parameters: Unknown | Sequence[Unknown] = (), outputs: Outputs | None = None,
    objects: Sequence[str] | None = None, on_contacts: bool = False, step: float = 1e-6,
    threads: int | None = None, method: str = "auto",
) -> Linearization:  # fmt: skip
    """Return derivatives of the next steps of a world: δx⁺ = A δx + B δu + E δp, δy = C δx + D δu + F δp.

    x = (q, v): a change δq has a number for each dof, of a quaternion the rotation vector δ in the axes in
    which angular velocity is given, q ← exp(δ/2) q. Derivatives of one step are exact where its equations are
    known (`Linearization.obstacle` says why not elsewhere). Others are central differences; each moved state
    is a world of one `Batch`. Both begin with the impulses and accelerations of the last step that the world
    has. The world stays as it is.

    Args:
        world: In the state about which it is linearized, with its commands.
        steps: n ≥ 1 steps that are taken as one; commands are held.
        controls: The commands u, one or several of "force" (feed-forward [N, N m]), "target" [rad, m] and
            "velocity_target" [rad/s, m/s] of all joints with one dof, "wrench" (torque and force at the
            centre of mass of each body, world axes [N m, N]).
        parameters: p: `identification.pair`, `body`, `inertial`, `joint`, `motors`, `tilt` or an `Unknown`,
            with bounds around the present value.
        outputs: y after the steps: one or several `tribo.control.Reading`, such as the place of a frame, or
            a function that returns numbers (worlds, …) of a batch, such as forces of contacts.
        objects: Names of those whose states are x; None: of all that forces move.
        on_contacts: Move x only along the directions N (n, m) in which no contact opens and none that sticks
            slips: δx = (N z_q, N z_v), A, B and E are those of z, `Linearization.directions` is N. In other
            directions a contact at rest is a border, and derivatives are one-sided.
        step: By which coordinates and velocities are moved [m, rad, m/s, rad/s], and as a second look by
            twice as much; a force by what changes its dof's velocity by so much, a parameter by 1e-5 of its
            span. For "bundled" it is the standard deviation of all of them, 1e-3 for instance.
        threads: As `Batch` has them.
        method: "auto": exact where that is possible, and else differences; "exact"; "differences". Outputs
            that are functions and some parameters are by differences. "bundled": derivatives of the mean of
            the step over normally distributed inputs, for optimization: contacts begin before they touch,
            friction has a slope. The motion stays what it is.

    Raises:
        KeyError: There is no such object, joint, material or kind of control; the message proposes another.
        NotDifferentiableError: The method is "exact", and something in the world has no exact derivative.
        TypeError, ValueError: An argument is wrong, or a parameter is at its bound.
        SimulationError: A step from one of the states is not finite.

    Source: Nocedal, Wright 2006, "Numerical optimization", section 8.1; Suh, Pang, Tedrake 2022, "Bundled
    gradients through contact via randomized smoothing".

    Example:
        >>> import tribo
        >>> world = tribo.World(time_step=0.01)
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball", position=(0, 0, 1))
        >>> found = tribo.linearize(world, controls="wrench")
        >>> found.A.shape, found.B.shape, found.is_smooth
        ((12, 12), (12, 6), True)
        >>> round(float(found.of("q/ball/z", "v/ball/vz")), 9), found.command_names[5]
        (0.01, 'wrench/ball/sphere/fz')
    """
    return Linearizer(
        world, steps=steps, controls=controls, parameters=parameters, outputs=outputs, objects=objects,
        on_contacts=on_contacts, step=step, threads=threads, method=method,
    ).at(world)  # fmt: skip


class Linearizer:
    """The same at many states of a world: it keeps the worlds in which inputs are moved.

    Masses, materials and shapes are those that the world had when it was made.

    Args:
        world: The world; all arguments are those of `linearize`.

    Example:
        >>> import tribo
        >>> world = tribo.World(time_step=0.01)
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball", position=(0, 0, 1))
        >>> linearizer = tribo.control.Linearizer(world)
        >>> found = []
        >>> for _ in range(3):
        ...     found.append(linearizer.at(world).A)
        ...     world.step()
        >>> found[2].shape
        (12, 12)
    """

    def __init__(
        self, world: World, *, steps: int = 1, controls: str | Sequence[str] = "force",
        parameters: Unknown | Sequence[Unknown] = (), outputs: Outputs | None = None,
        objects: Sequence[str] | None = None, on_contacts: bool = False, step: float = 1e-6,
        threads: int | None = None, method: str = "auto",
    ) -> None:  # fmt: skip
        checked_world(world)
        self._steps = check.integer(steps, "steps", 1)
        self._size = check.number(step, "step", minimum=1e-12, maximum=LARGEST_STEP)
        self._on_contacts = check.boolean(on_contacts, "on_contacts")
        self._kinds = [controls] if isinstance(controls, str) else list(controls)
        for kind in self._kinds:
            check.known(kind, COMMANDS, "kind of control")
        self._threads = threads
        self._unknowns = unknowns_of(parameters, world)
        self._layout = StateLayout(world)
        self._dofs = dofs_of(world, self._layout, None if objects is None else list(objects))
        self._readings, self._outputs = self._of_outputs(outputs, world)
        self._all_directions = np.eye(len(self._dofs))
        self._all_directions.flags.writeable = False
        self._method = check.choice(method, METHODS, "method")
        self._batches: dict[int, Batch] = {}
        self._exact: ExactTable | None = None
        self._chain: ExactChain | None = None
        self._inputs: Inputs | None = None

    def _of_outputs(self, outputs: Outputs | None, world: World) -> tuple[Readings | None, Function | None]:
        """Return what is read, if its derivatives are known, and what is read of a batch.

        Raises:
            TypeError: They are neither a function nor readings.
        """
        if outputs is None:
            return None, None
        made = [outputs] if isinstance(outputs, Reading) else outputs
        if isinstance(made, Sequence) and made and all(isinstance(one, Reading) for one in made):
            readings = Readings(made, world, self._layout, self._dofs)
            return readings, readings.values
        if not callable(outputs):
            raise TypeError(
                f"outputs must be a tribo.control.Reading, several, or a function of a batch that returns "
                f"numbers (worlds, …), got {check.shown(outputs)}"
            )
        return None, outputs

    def at(self, world: World) -> Linearization:
        """Return the derivatives at the present state and commands of the world.

        Raises:
            ValueError: The world is built otherwise than the one this was made of.
            SimulationError: A step from one of the states is not finite.
        """
        layout = self._layout
        for name in (one.name for one in layout.objects):
            if name not in world:
                raise ValueError(f"the world is not built like the one of this Linearizer: {name} is gone")
        directions = self._all_directions
        if self._on_contacts:
            directions = directions_on_contacts(world, layout, self._dofs)
        inputs = self._inputs
        if inputs is None or self._on_contacts or self._unknowns:
            inputs = self._inputs = Inputs(
                world, layout, self._dofs, directions, self._kinds, self._unknowns, self._size
            )
        exact = self._tried(world, inputs, directions)
        parts: list[_Run | Exact] = [] if exact.obstacle else [exact]
        moved = inputs.all if exact.obstacle else inputs.all[inputs.parameter]
        why = exact.obstacle
        if moved and not exact.obstacle:
            by_parameters = self._tried_parameters(world, inputs, directions)
            why = by_parameters.obstacle
            if not why:
                parts.append(by_parameters)
                moved = []
        is_asked = self._method in ("differences", "bundled")
        if self._method == "bundled":
            bundle = _Bundle(layout, self._dofs, directions, inputs, moved)
            runs: list[_Run] = [
                bundle.take_all(lambda count: self._batch(world, count), self._steps, self._outputs)
            ]
        else:
            runs = [
                _Run(layout, self._dofs, directions, inputs, some).take(
                    self._batch(world, 1 + len(AMOUNTS) * len(some)), self._steps, self._outputs
                )
                for some in (moved[k : k + MAX_INPUTS] for k in range(0, len(moved), MAX_INPUTS))
            ]
        parts += runs
        return Linearization(
            state_names=inputs.state_names,
            command_names=inputs.command_names,
            parameter_names=inputs.parameter_names,
            units=inputs.units,
            directions=directions,
            sizes=inputs.sizes,
            world_steps=self._steps * sum(part.worlds for part in parts),
            time_step=self._steps * layout.time_step,
            method=self._method if is_asked else "differences" if exact.obstacle else EXACT[bool(runs)],
            obstacle="" if is_asked else why,
            parts=tuple(parts),
            output_names=self._readings.names if self._readings is not None else (),
        )

    def matrices(self, world: World) -> tuple[np.ndarray, np.ndarray]:
        """Return A (2n, 2n) and B (2n, commands) alone, for loops of controllers: `at` without its report.

        Raises:
            ValueError: The world is built otherwise than the one this was made of.
            SimulationError: A step from one of the states is not finite.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> world = tribo.World()
            >>> arm = world.add_articulated_system(ASSETS / "quadruped.urdf", fixed_base=True)
            >>> linearizer = tribo.control.Linearizer(world)
            >>> A, B = linearizer.matrices(world)
            >>> A.shape, B.shape
            ((24, 24), (24, 12))
        """
        known = self._inputs is not None and not (self._on_contacts or self._unknowns)
        if known and self._exact is not None and self._exact.fits(world.engine):
            pair = self._exact.matrices()
            if pair is not None:
                return pair
        found = self.at(world)
        return found.A, found.B

    def _tried(self, world: World, inputs: Inputs, directions: np.ndarray) -> Exact:
        """Return exact derivatives by states and commands, or why there are none.

        Raises:
            NotDifferentiableError: There are none, and no others are wanted.
        """
        why = ""
        if self._method in ("differences", "bundled"):
            why = f"{self._method} was asked for"
        elif self._outputs is not None and self._readings is None:
            why = "outputs are functions of a batch"
        if why:
            made = Exact(why)
        elif self._steps > 1:
            made = self._tried_chain(world, inputs, directions)
        else:
            if self._exact is None or not self._exact.fits(world.engine):
                self._exact = ExactTable(world.engine, self._layout, self._dofs, self._readings)
            made = self._exact.at(inputs, directions)
        if made.obstacle and self._method == "exact":
            raise NotDifferentiableError(
                f"linearize has no exact derivatives here: {made.obstacle}; take method='auto', or "
                "method='differences'"
            )
        return made

    def _tried_chain(self, world: World, inputs: Inputs, directions: np.ndarray) -> Exact:
        """Return exact derivatives of several steps by states and commands, or why there are none."""
        moved = self._moved_parameters(world, inputs)
        batch = self._batch(world, 1)
        if self._chain is None or not self._chain.fits(batch.engine):
            self._chain = ExactChain(batch, self._layout, self._dofs, self._readings)
        return self._chain.of_steps(inputs, directions, self._steps, moved)

    def _tried_parameters(self, world: World, inputs: Inputs, directions: np.ndarray) -> Exact:
        """Return exact derivatives by parameters at the steps that were differentiated, or why not."""
        if self._steps > 1:
            assert self._chain is not None
            return self._chain.by_own
        assert self._exact is not None
        return self._exact.by_parameters(self._moved_parameters(world, inputs), directions)

    def _moved_parameters(self, world: World, inputs: Inputs) -> list[Changes]:
        """Return what each parameter sets, by field."""
        moved = inputs.all[inputs.parameter]
        if not moved:
            return []
        amounts = np.kron(np.eye(len(moved)), [[-1.0], [1.0]])
        batch = self._batch(world, len(amounts))
        inputs.write(batch, moved, amounts)
        return [changed_fields(batch.engine, 2 * k, 2 * k + 1, 2.0 * one.size) for k, one in enumerate(moved)]

    def _batch(self, world: World, count: int) -> Batch:
        """Return so many worlds in the state of the world."""
        if count not in self._batches:
            self._batches[count] = Batch(world, count, threads=self._threads)
        batch = self._batches[count]
        batch.set_from_world(world)
        batch.set_settings(sleeping=False)
        batch.engine.state.arrays["tree_is_asleep"][...] = 0
        return batch


class _Run:
    """Some inputs, moved by four amounts each in worlds of one batch, and what the steps make of them."""

    def __init__(
        self, layout: StateLayout, dofs: np.ndarray, directions: np.ndarray, inputs: Inputs,
        moved: Sequence[Input],
    ) -> None:  # fmt: skip
        self._layout, self._dofs, self._directions = layout, dofs, directions
        self._inputs, self._moved = inputs, moved
        self.worlds = 1 + len(AMOUNTS) * len(moved)
        self._amounts = np.zeros((self.worlds, len(moved)))
        for k in range(len(moved)):
            first = 1 + len(AMOUNTS) * k
            self._amounts[first : first + len(AMOUNTS), k] = AMOUNTS
        self.changes: list[Change] = []

    def take(self, batch: Batch, steps: int, outputs: Function | None) -> _Run:
        """Take the steps, and differentiate what they lead to."""
        self._differentiate(self._stepped(batch, steps, outputs))
        return self

    def _stepped(self, batch: Batch, steps: int, outputs: Function | None) -> np.ndarray:
        """Take the steps, and return what they lead to, (worlds, rows)."""
        command = batch.engine.command.arrays
        base = command["wrench"][0].ravel() * (command["has_wrench"][0, 0] != 0)
        self._inputs.write(batch, self._moved, self._amounts)
        for k in range(steps):
            last_one_step = base if k == 0 else 0.0
            self._inputs.hold_wrenches(batch, self._moved, self._amounts, last_one_step)
            made = batch.step()
            if not made.all():
                world = int(np.flatnonzero(~made)[0])
                where = "the world's own state" if world == 0 else self._name(world)
                raise SimulationError(f"linearize: a step from {where} leads to what is no number")
            self._compare(ActiveSet(batch, list(self._layout.dofs)))
        return self._results(batch, outputs)

    def changes_of(self) -> tuple[Change, ...]:
        """Return what acts otherwise."""
        return tuple(self.changes)

    def _name(self, world: int) -> str:
        """Return which input is moved in a world."""
        return f"{self._moved[(world - 1) // len(AMOUNTS)].name} moved"

    def _compare(self, active: ActiveSet) -> None:
        """Note what acts otherwise where an input is moved by one step than where none is."""
        for what, numbers in active.numbers.items():
            sides = numbers[1:].reshape(len(self._moved), len(AMOUNTS))[:, 1:3]
            for k in np.flatnonzero((sides != numbers[0]).any(axis=1)).tolist():
                said = (in_words(what, n) for n in (sides[k, 0], numbers[0], sides[k, 1]))
                change = Change(self._moved[k].name, what, *said)
                if change not in self.changes:
                    self.changes.append(change)

    def _results(self, batch: Batch, outputs: Function | None) -> np.ndarray:
        """Return δq, v and y of each world, (worlds, rows); δq is counted from where world 0 is."""
        state = batch.engine.state.arrays
        start = np.broadcast_to(state["q"][0], state["q"].shape)
        parts = [
            self._layout.minus(state["q"], start)[:, self._dofs] @ self._directions,
            state["v"][:, self._dofs] @ self._directions,
        ]
        if outputs is not None:
            made: Any = np.asarray(outputs(batch), float)
            if made.ndim < 1 or made.shape[0] != self.worlds:
                raise ValueError(
                    f"outputs must return numbers with the worlds as first axis, ({self.worlds}, …), got "
                    f"shape {made.shape}"
                )
            if not np.isfinite(made).all():
                raise ValueError("outputs returned what is no number")
            parts.append(made.reshape(self.worlds, -1))
        return np.concatenate(parts, axis=1)

    def _differentiate(self, results: np.ndarray) -> None:
        """Set derivatives (rows, inputs) from results (worlds, rows)."""
        moved = results[1:].reshape(len(self._moved), len(AMOUNTS), -1)
        far_below, below, above, far_above = moved.transpose(1, 2, 0)
        base, size = results[0][:, None], np.array([one.size for one in self._moved])
        self.central = (above - below) / (2.0 * size)
        self.error = np.abs(self.central - (far_above - far_below) / (4.0 * size))
        self.forward = (4.0 * above - far_above - 3.0 * base) / (2.0 * size)
        self.backward = (3.0 * base + far_below - 4.0 * below) / (2.0 * size)


class _Bundle(_Run):
    """All inputs, moved at once by normally distributed amounts, and the linear map nearest to the results.

    Amounts come in pairs of opposite signs, by the same seed each time. The map is that of least squares, and
    `error` its standard error where the rest is no noise of one size (White 1980).
    """

    def take_all(self, batch_of: Callable[[int], Batch], steps: int, outputs: Function | None) -> _Bundle:
        """Take the steps in batches of so many worlds as memory allows, and fit the map to all of them."""
        halves, worlds, self._ways = [], 0, bundle_ways(len(self._moved))
        for first in range(0, max(1, len(self._ways)), MAX_PAIRS):
            ways = self._ways[first : first + MAX_PAIRS]
            self._amounts = np.concatenate([np.zeros((1, ways.shape[1])), ways, -ways])
            self.worlds = len(self._amounts)
            results = self._stepped(batch_of(self.worlds), steps, outputs)
            halves.append(0.5 * (results[1 : 1 + len(ways)] - results[1 + len(ways) :]))
            worlds += self.worlds
        self.worlds = worlds
        self._differentiate(np.concatenate(halves))
        return self

    def _name(self, world: int) -> str:
        """Return what is moved in a world: all inputs at once."""
        return "a state of the bundle"

    def _compare(self, active: ActiveSet) -> None:
        """Leave it: much acts otherwise in a bundle."""

    def _differentiate(self, halves: np.ndarray) -> None:
        """Set derivatives (rows, inputs) from half the differences between both sides of a pair."""
        size = np.array([one.size for one in self._moved])
        found = np.linalg.lstsq(self._ways, halves, rcond=None)[0]
        left = halves - self._ways @ found
        own = np.linalg.inv(self._ways.T @ self._ways) @ self._ways.T
        self.central = self.forward = self.backward = found.T / size
        self.error = np.sqrt((left**2).T @ (own**2).T) / size
