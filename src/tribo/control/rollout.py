"""`rollout` and `RolloutFunction`: where plans lead, and products of derivatives along the way.

States before each step are kept, and derivatives of a step are found when a product asks for them: the step
is made again. Source: Griewank, Walther 2008, "Evaluating derivatives", ch. 3 (forward and reverse mode).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np

from tribo.batch.batch import Batch
from tribo.batch.part import Part
from tribo.batch.places import KINDS, place_of, places_of
from tribo.batch.rollout import Controls, PlanReader, Rollout, machine_memory
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.readonly import frozen
from tribo.control.inputs import COMMANDS, diagonal_of_mass, tangent_name
from tribo.control.kept_states import Held, Kept, hold, keep, refuse_other_memory, size_of
from tribo.control.step_jacobians import StepJacobians
from tribo.identification.state_layout import StateLayout
from tribo.world.checked import checked_world
from tribo.world.world import World

KIND_OF = {KINDS[plural]: plural.removesuffix("s") for plural in KINDS}  # 0: "force"
METHODS = ("auto", "exact", "differences")

ALL_JOINTS = "joints"  # without the numbers of a floating base
Policy = Callable[[int, Kept], np.ndarray]
Names = Mapping[str, Sequence[str] | None]  # by object: joints, or `ALL_JOINTS`; None: all numbers


@dataclass(frozen=True, eq=False, repr=False)
class Gradient:
    """Derivatives of one number by start and commands, as `DifferentiableRollout.vjp` returns them."""

    coordinate: np.ndarray  # (worlds, nv) by changes of the first coordinates
    velocity: np.ndarray  # (worlds, nv) by the first velocities
    commands: np.ndarray  # (worlds, T, commands)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DifferentiableRollout(Rollout):
    """Where plans lead, with products of the derivatives of these states, forward and backward.

    A change δq of coordinates has a number for each dof, of a quaternion the rotation vector δ with
    q ← exp(δ/2) q, as in `tribo.linearize`. The memory of the first step, impulses and accelerations of the
    one before it, is a constant. In worlds that did not make it all products are NaN. Masses, gains and
    settings are those that the world had in the run, whatever becomes of it.
    """

    command_names: tuple[str, ...]  # of the last axis of commands: "force/robot/cart"
    state_names: tuple[str, ...]  # of the last axis of δq: "robot/cart", "box/rx"
    _jacobians: StepJacobians = field(repr=False)  # of the function: all its runs share them
    _held: Held = field(repr=False)
    _kept: list[Kept] = field(repr=False)  # before each step
    _commands: np.ndarray = field(repr=False)  # (worlds, T, commands)
    _obstacles: dict[str, int] = field(repr=False, default_factory=dict)

    def __repr__(self) -> str:
        """Return how many worlds, controls and commands there are."""
        size = f"{len(self.q)} worlds over {self.q.shape[1]} controls"
        return f"<DifferentiableRollout of {size}, {len(self.command_names)} commands>"

    @property
    def obstacles(self) -> Mapping[str, int]:
        """Why steps of products were differenced, and how many; empty while all were exact [–]."""
        return dict(self._obstacles)

    def jvp(
        self, coordinate: Any = None, velocity: Any = None, commands: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return changes δq, δv (worlds, T, nv) of all states on the way, to first order: forward mode.

        Args:
            coordinate: Changes of the first coordinates, (worlds, nv) or (nv,); None: none.
            velocity: Changes of the first velocities, the same.
            commands: Changes of the commands, (worlds, T, commands), or without the first axis.

        Raises:
            TypeError, ValueError: An array has a wrong shape or is not finite.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((100, 6))}, derivatives=True, threads=1)
            >>> push = np.zeros((100, 6))
            >>> push[:, 0] = 1.0
            >>> moved, faster = ways.jvp(commands=push)
            >>> float(faster[0, -1, 0].round(6))
            0.5
        """
        n, (worlds, horizon) = self.v.shape[2], self.v.shape[:2]
        z = np.zeros((worlds, self._jacobians.take(self._held)))
        z[:, :n] = self._given(coordinate, "coordinate", (worlds, n))
        z[:, n : 2 * n] = self._given(velocity, "velocity", (worlds, n))
        by_commands = self._given(commands, "commands", self._commands.shape)
        moved, faster = np.full((2, worlds, horizon, n), np.nan)
        every = len(self._kept) // horizon
        for k in range(len(self._kept)):
            control = k // every
            for world in np.flatnonzero(self.made_it).tolist():
                f, g = self._matrices(k, control, world)
                z[world] = f @ z[world] + g @ by_commands[world, control]
            moved[self.made_it, control] = z[self.made_it, :n]
            faster[self.made_it, control] = z[self.made_it, n : 2 * n]
        return moved, faster

    def vjp(self, coordinate: Any = None, velocity: Any = None) -> Gradient:
        """Return derivatives of Σ (coordinate · q + velocity · v) by start and commands: reverse mode.

        Args:
            coordinate: Derivatives of a number by δq of each state on the way, (worlds, T, nv) or without the
                first axis; None: it does not depend on them.
            velocity: The same by its velocities.

        Raises:
            TypeError, ValueError: An array has a wrong shape or is not finite.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((100, 6))}, derivatives=True, threads=1)
            >>> of_last = np.zeros((100, 6))
            >>> of_last[-1, 0] = 1.0
            >>> gradient = ways.vjp(velocity=of_last)
            >>> gradient.commands[0, :3, 0].round(6).tolist(), float(gradient.velocity[0, 0].round(6))
            ([0.005, 0.005, 0.005], 1.0)
        """
        n, (worlds, horizon) = self.v.shape[2], self.v.shape[:2]
        by_q = self._given(coordinate, "coordinate", self.v.shape)
        by_v = self._given(velocity, "velocity", self.v.shape)
        y = np.zeros((worlds, self._jacobians.take(self._held)))
        by_commands = np.zeros(self._commands.shape)
        every = len(self._kept) // horizon
        for k in reversed(range(len(self._kept))):
            control = k // every
            if k % every == every - 1:
                y[:, :n] += by_q[:, control]
                y[:, n : 2 * n] += by_v[:, control]
            for world in np.flatnonzero(self.made_it).tolist():
                f, g = self._matrices(k, control, world)
                by_commands[world, control] += y[world] @ g
                y[world] = y[world] @ f
        y[~self.made_it] = by_commands[~self.made_it] = np.nan
        return Gradient(frozen(y[:, :n]), frozen(y[:, n : 2 * n]), frozen(by_commands))

    def matrices(self, control: int, world: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return F and G of one control of one world: z⁺ = F z + G δu.

        z has δq and δv, (nv,) each, and under the midpoint rule changes of the accelerations of the last two
        steps besides; z⁺ is that of the state at the end of the control.

        Args:
            control: Its number, 0 … T − 1.
            world: Its number.

        Raises:
            TypeError, ValueError: There is no such control or world, or the world did not make it.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((4, 6))}, derivatives=True, threads=1)
            >>> by_state, by_force = ways.matrices(3)
            >>> by_state.shape, by_force.shape, float(by_force[6, 0].round(9))
            ((24, 24), (24, 6), 0.005)
        """
        worlds, horizon = self.v.shape[:2]
        for value, what, count in ((control, "control", horizon), (world, "world", worlds)):
            if check.integer(value, what, 0) >= count:
                raise ValueError(f"{what} must be < {count}, got {value}")
        if not self.made_it[world]:
            raise ValueError(f"world {world} did not make it: it has no derivatives")
        width, every = self._jacobians.take(self._held), len(self._kept) // horizon
        f, g = np.eye(width), np.zeros((width, len(self.command_names)))
        for k in range(every * control, every * (control + 1)):
            one, own = self._matrices(k, control, world)
            f, g = one @ f, one @ g + own
        return f, g

    def states(self, control: int) -> Kept:
        """Return what is kept of the states of all worlds before a control, by field of `State`."""
        return self._kept[control * (len(self._kept) // self.v.shape[1])]

    @property
    def commands(self) -> np.ndarray:
        """Commands of all worlds, (worlds, T, commands)."""
        return frozen(self._commands)

    def _matrices(self, k: int, control: int, world: int) -> tuple[np.ndarray, np.ndarray]:
        told = self._commands[world, control]
        return self._jacobians.at(self._kept[k], told, k == 0, world, self._obstacles)

    @staticmethod
    def _given(value: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return checked numbers of a shape, or of that without its first axis."""
        if value is None:
            return np.zeros(shape)
        made = check.array(value, what, "numbers")
        if made.shape not in (shape, shape[1:]):
            raise ValueError(
                f"{what} must have shape {shape} or {shape[1:]}, got {np.shape(value)}"
            )
        return np.array(np.broadcast_to(made, shape))


class RolloutFunction:
    """The states on the way as a function of start and commands.

    All else, gains, settings, masses, is as the world has it in the call of `run`. Nothing sleeps.

    Args:
        world: The world; it stays as it is.
        forces: Which feed-forward forces are commands: {object: names of joints}, {object: "joints"} for all
            joints, {object: None} for all numbers, those of a floating base as well.
        targets, velocity_targets: The same for targets of drives [rad, m] and their velocities.
        steps_per_control: Steps for which each control is held, ≥ 1.
        threads: As `Batch` has them.
        method: Of products: "auto": exact where the equations of a step are known, and else differences;
            "exact"; "differences".

    Raises:
        KeyError: There is no such object or joint; the message proposes another.
        NotDifferentiableError: Something remembers more than accelerations: actuators with an activation.
        TypeError, ValueError: An argument is wrong, or nothing is commanded.

    Example:
        >>> import numpy as np, tribo
        >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
        >>> function = tribo.control.RolloutFunction(world, forces={"ball": None}, threads=1)
        >>> ways = function.run(np.zeros((3, 50, 6)))
        >>> ways.v.shape, function.command_names[0]
        ((3, 50, 6), 'force/ball/vx')
    """

    def __init__(
        self, world: World, *, forces: Names | None = None, targets: Names | None = None,
        velocity_targets: Names | None = None, steps_per_control: int = 1,
        threads: int | None = None, method: str = "auto",
    ) -> None:  # fmt: skip
        checked_world(world)
        given = {"forces": forces, "targets": targets, "velocity_targets": velocity_targets}
        self._every = check.integer(steps_per_control, "steps_per_control", 1)
        self._world, self._threads = world, threads
        self._method = check.choice(method, METHODS, "method")
        refuse_other_memory(world.engine)
        self._commands = _chosen(world, given)
        self.layout = StateLayout(world)
        dofs, coordinates = list(self.layout.dofs), list(self.layout.coordinates)
        self.command_names = tuple(
            f"{kind}/{(coordinates if kind == 'target' else dofs)[place]}"
            for kind, place in self._commands
        )
        self.state_names = tuple(tangent_name(name) for name in dofs)
        self._jacobians = StepJacobians(self.layout, self._commands, self._method)
        self._held: Held | None = None  # of the last run

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the present coordinates (nq,) and velocities (nv,) of the world, copies."""
        state = self._world.engine.state.arrays
        return state["q"][0].copy(), state["v"][0].copy()

    def run(
        self, commands: Any, q: Any = None, v: Any = None, *, policy: Policy | None = None
    ) -> DifferentiableRollout:
        """Let worlds follow commands, and keep what products of derivatives need.

        Args:
            commands: (worlds, T, commands) in the order of `command_names` [N, N m, rad, m, rad/s, m/s], or
                (T, commands) of one world.
            q: First coordinates of all objects (worlds, nq) or (nq,), quaternions of any length > 0; None:
                the present ones of the world, as are all commands that are not given.
            v: First velocities (worlds, nv) or (nv,).
            policy: Returns the commands (worlds, commands) of a control in place of those given, from its
                number and the states of all worlds before it, by field of `State`.

        Raises:
            TypeError, ValueError: An array has a wrong shape or is not finite.
            MemoryError: The states that are kept need more than this machine has.
        """
        told = check.array(commands, "commands", "numbers (worlds, T, commands)")
        told = (told[None] if told.ndim == 2 else told).copy()
        width = len(self._commands)
        if told.ndim != 3 or told.shape[2] != width or not told.shape[0] or not told.shape[1]:
            raise ValueError(
                f"commands must have shape (worlds, T, {width}), T ≥ 1, got {np.shape(commands)}"
            )
        worlds, horizon = told.shape[:2]
        # Anew: the world may have other gains, settings and masses than in the last run.
        batch = Batch(self._world, worlds, threads=self._threads)
        batch.set_from_world(self._world)
        batch.set_settings(sleeping=False)
        engine = batch.engine
        engine.state.arrays["tree_is_asleep"][...] = 0
        self._start(batch, q, v)
        command = engine.command.arrays
        inertia = diagonal_of_mass(self._world, self.layout)
        held = self._held = hold(engine, inertia, batch.threads, self._held)
        kept: list[Kept] = []
        most = 0
        made_it = np.ones(worlds, bool)
        nq, nv = self.layout.nq, self.layout.nv
        time = np.empty((worlds, horizon))
        places, faster = (
            np.full((worlds, horizon, nq), np.nan),
            np.full((worlds, horizon, nv), np.nan),
        )
        for control in range(horizon):
            if policy is not None:
                told[:, control] = policy(control, engine.state.arrays)
            for k, (kind, place) in enumerate(self._commands):
                command[COMMANDS[kind]][:, place] = told[:, control, k]
            for _ in range(self._every):
                kept.append(keep(engine))
                if (size := size_of(kept[-1])) > most:  # more contacts need more room
                    most = size
                    _check_room(size * horizon * self._every)
                made_it &= batch.step()
                refuse_other_memory(engine)
            state = engine.state.arrays
            time[:, control] = state["time"][:, 0]
            places[made_it, control] = state["q"][made_it]
            faster[made_it, control] = state["v"][made_it]
        parts = {part.name: Part.of(part) for part in self._world.objects}
        return DifferentiableRollout(
            frozen(made_it), frozen(time), frozen(places), frozen(faster), parts,
            self.command_names, self.state_names, self._jacobians, held, kept, told,
        )  # fmt: skip

    def _start(self, batch: Batch, q: Any, v: Any) -> None:
        """Put the worlds where they begin."""
        state = batch.engine.state.arrays
        for name, value in (("q", q), ("v", v)):
            if value is None:
                continue
            made = check.array(value, name, "numbers")
            shape = state[name].shape
            if made.shape not in (shape, shape[1:]):
                raise ValueError(f"{name} must have shape {shape} or {shape[1:]}, got {made.shape}")
            state[name][...] = self.layout.normalized(made) if name == "q" else made


def _chosen(world: World, given: Mapping[str, Names | None]) -> list[tuple[str, int]]:
    """Return kind and place in the command of each number that is controlled."""
    parts = {part.name: Part.of(part) for part in world.objects}
    chosen: list[tuple[str, int]] = []
    for kind, names in given.items():
        wanted = {} if names is None else check.mapping(names, kind, "objects' names to joints")
        for name, joints in wanted.items():
            places = places_of(parts[check.known(name, parts, "object")], kind)
            if joints is None:
                found = [place for _, place in places]
            elif joints == ALL_JOINTS:
                found = [place for joint, place in places if joint is not None]
            elif isinstance(joints, str):
                raise TypeError(
                    f'{kind} of {name} must be a list of joints, "joints" or None, got {joints!r}'
                )
            else:
                found = [place_of(places, check.text(one, "joint"), name) for one in joints]
            chosen += [(KIND_OF[KINDS[kind]], place) for place in found]
    if len(set(chosen)) < len(chosen):
        raise ValueError("a rollout commands a joint twice; name each joint once")
    if not chosen:
        raise ValueError("a rollout needs commands: forces, targets or velocity_targets")
    return chosen


def _check_room(need: int) -> None:
    """Refuse to keep more states than memory holds.

    Raises:
        MemoryError: They are so many.
    """
    if need > machine_memory():
        raise MemoryError(
            f"the states of all steps need {need / 2**30:.3g} GiB, more than this machine has; take fewer "
            "worlds at a time, or fewer steps"
        )


@overload
def rollout(
    world: World, *, forces: Controls | None = ..., targets: Controls | None = ...,
    velocity_targets: Controls | None = ..., steps_per_control: int = ...,
    derivatives: Literal[False] = ..., method: str = ..., threads: int | None = ...,
) -> Rollout: ...  # fmt: skip


@overload
def rollout(
    world: World, *, forces: Controls | None = ..., targets: Controls | None = ...,
    velocity_targets: Controls | None = ..., steps_per_control: int = ...,
    derivatives: Literal[True], method: str = ..., threads: int | None = ...,
) -> DifferentiableRollout: ...  # fmt: skip


@answered_call
def rollout(
    world: World, *, forces: Controls | None = None, targets: Controls | None = None,
    velocity_targets: Controls | None = None, steps_per_control: int = 1, derivatives: bool = False,
    method: str = "auto", threads: int | None = None,
) -> Rollout:  # fmt: skip
    """Return where plans lead that all begin in the present state of a world, which stays as it is.

    It makes a batch for the time of the call. To plan repeatedly, make one `Batch` and call its
    `rollout` with ``start=world``, or for derivatives one `tribo.control.RolloutFunction`.

    Args:
        world: Where the plans begin.
        forces, targets, velocity_targets, steps_per_control: As `Batch.rollout` has them; arrays have the
            candidate as first axis.
        derivatives: Return a `DifferentiableRollout`: states before all steps are kept, and its `jvp` and
            `vjp` multiply derivatives along the way with vectors. Nothing sleeps then.
        method: Of derivatives, as `tribo.control.RolloutFunction` has it.
        threads: As `Batch` has them.

    Raises:
        KeyError, TypeError, ValueError: As `Batch.rollout`.
        NotDifferentiableError: Something remembers more than accelerations from step to step.

    Example:
        >>> import numpy as np, tribo
        >>> world = tribo.World(gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
        >>> ways = tribo.rollout(world, forces={"ball": np.ones((5, 20, 6))}, threads=1)
        >>> ways.coordinate("ball").shape
        (5, 20, 7)
    """
    checked_world(world)
    check.boolean(derivatives, "derivatives")
    check.choice(method, METHODS, "method")
    counts = {1}
    for kind, given in (
        ("forces", forces), ("targets", targets), ("velocity_targets", velocity_targets)
    ):  # fmt: skip
        plans_of = {} if given is None else check.mapping(given, kind, "objects' names to plans")
        for plan in plans_of.values():
            axes, plans = (2, plan.values()) if isinstance(plan, Mapping) else (3, [plan])
            counts |= {len(one) for one in plans if np.ndim(one) == axes}
    worlds = max(1, *counts)
    if derivatives:
        return _with_derivatives(
            world, worlds, steps_per_control, method, threads,
            {"forces": forces, "targets": targets, "velocity_targets": velocity_targets},
        )  # fmt: skip
    batch = Batch(world, worlds, threads=threads)
    return batch.rollout(
        forces=forces, targets=targets, velocity_targets=velocity_targets,
        steps_per_control=steps_per_control,
    )  # fmt: skip


def _with_derivatives(
    world: World, worlds: int, steps_per_control: int, method: str, threads: int | None,
    given: Mapping[str, Controls | None],
) -> DifferentiableRollout:  # fmt: skip
    """Return a rollout of plans with derivatives; its commands stand in the order of the plans."""
    state = world.engine.state.arrays  # a world that is built: its objects know their places
    parts = {part.name: Part.of(part) for part in world.objects}
    reader = PlanReader(parts, worlds, state["q"].shape[1] + state["v"].shape[1])
    columns = reader.columns(*given.values())
    names: dict[str, Names] = {}
    for kind, plans in given.items():
        names[kind] = {
            name: list(plan)
            if isinstance(plan, Mapping)
            else (None if np.shape(plan)[-1] == len(places_of(parts[name], kind)) else ALL_JOINTS)
            for name, plan in (plans or {}).items()
        }
    function = RolloutFunction(
        world, forces=names["forces"], targets=names["targets"],
        velocity_targets=names["velocity_targets"], steps_per_control=steps_per_control,
        threads=threads, method=method,
    )  # fmt: skip
    told = [np.broadcast_to(plan, (worlds, plan.shape[1])) for _, _, plan in columns]
    return function.run(np.stack(told, axis=-1))
