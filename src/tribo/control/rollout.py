"""`rollout` and `RolloutFunction`: where plans lead, and products of derivatives along the way.

States before each step are kept, and derivatives of a step are found when a product asks for them: the step
is made again. Source: Griewank, Walther 2008, "Evaluating derivatives", ch. 3 (forward and reverse mode).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np

from tribo.batch.batch import Batch
from tribo.batch.part import KINDS, Part, place_of, places_of
from tribo.batch.rollout import Controls, PlanReader, Rollout, machine_memory
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.errors import NotDifferentiableError
from tribo.checks.readonly import frozen
from tribo.control.differentiable_rollout import DifferentiableRollout
from tribo.control.inputs import (
    COMMANDS,
    LARGEST_STEP,
    diagonal_of_mass,
    parameter_inputs,
    parameter_values,
    tangent_name,
    unknowns_of,
    write_parameters,
)
from tribo.control.kept_states import Held, Kept, Moved, hold, keep, refuse_other_memory, size_of
from tribo.control.step_jacobians import StepJacobians
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown
from tribo.world.checked import checked_world
from tribo.world.world import World

KIND_OF = {KINDS[plural]: plural.removesuffix("s") for plural in KINDS}  # 0: "force"
METHODS = ("auto", "exact", "differences", "bundled")

ALL_JOINTS = "joints"  # without the numbers of a floating base
Policy = Callable[[int, Kept], np.ndarray]
Names = Mapping[str, Sequence[str] | None]  # by object: joints, or `ALL_JOINTS`; None: all numbers


class RolloutFunction:
    """The states on the way as a function of start and commands.

    All else, gains, settings, masses, is as the world has it in the call of `run`. Nothing sleeps.

    Args:
        world: The world; it stays as it is.
        forces: Which feed-forward forces are commands: {object: names of joints}, {object: "joints"} for all
            joints, {object: None} for all numbers, those of a floating base as well.
        targets, velocity_targets: The same for targets of drives [rad, m] and their velocities.
        parameters: By which products have derivatives, too: `identification.pair`, `body`, `inertial`,
            `joint`, `tilt` or an `Unknown`, with bounds around the present value, as `tribo.linearize` takes
            them. These derivatives of a step are central differences, whatever the method.
        steps_per_control: Steps for which each control is held, ≥ 1.
        threads: As `Batch` has them.
        method: Of products: "auto": exact where the equations of a step are known, and else differences;
            "exact"; "differences"; "bundled": of the mean of each step over normally distributed states,
            accelerations and commands, for optimization, as `tribo.linearize` has it: contacts begin before
            they touch, friction has a slope. The motion stays what it is.
        step: By which coordinates and velocities are moved for differences [m, rad, m/s, rad/s], or, of a
            bundle, their standard deviation, 1e-3 for instance; forces as those that change velocities so.

    Raises:
        KeyError: There is no such object or joint; the message proposes another.
        NotDifferentiableError: Something remembers more than accelerations: actuators with an activation,
            or, in a run, motors.
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
        velocity_targets: Names | None = None, parameters: Unknown | Sequence[Unknown] = (),
        steps_per_control: int = 1, threads: int | None = None, method: str = "auto", step: float = 1e-6,
    ) -> None:  # fmt: skip
        checked_world(world)
        given = {"forces": forces, "targets": targets, "velocity_targets": velocity_targets}
        self._every = check.integer(steps_per_control, "steps_per_control", 1)
        self._world, self._threads = world, threads
        self._method = check.choice(method, METHODS, "method")
        refuse_other_memory(world.engine)
        self._commands = _chosen(world, given)
        self._unknowns = unknowns_of(parameters, world)
        inputs = parameter_inputs(self._unknowns, parameter_values(world, self._unknowns))
        self.parameter_names = tuple(one.name for one in inputs)
        self.layout = StateLayout(world)
        dofs, coordinates = list(self.layout.dofs), list(self.layout.coordinates)
        self.command_names = tuple(
            f"{kind}/{(coordinates if kind == 'target' else dofs)[place]}" for kind, place in self._commands
        )
        self.state_names = tuple(tangent_name(name) for name in dofs)
        self._jacobians = StepJacobians(
            self.layout, self._commands, self._method,
            check.number(step, "step", minimum=1e-12, maximum=LARGEST_STEP),
        )  # fmt: skip
        self._held: Held | None = None  # of the last run

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the present coordinates (nq,) and velocities (nv,) of the world, copies."""
        state = self._world.engine.state.arrays
        return state["q"][0].copy(), state["v"][0].copy()

    def parameters(self) -> np.ndarray:
        """Return the present parameters (parameters,) of the world, a copy."""
        return parameter_values(self._world, self._unknowns)

    def run(
        self,
        commands: Any,
        q: Any = None,
        v: Any = None,
        *,
        parameters: Any = None,
        policy: Policy | None = None,
    ) -> DifferentiableRollout:
        """Let worlds follow commands, and keep what products of derivatives need.

        Args:
            commands: (worlds, T, commands) in the order of `command_names` [N, N m, rad, m, rad/s, m/s], or
                (T, commands) of one world.
            q: First coordinates of all objects (worlds, nq) or (nq,), quaternions of any length > 0; None:
                the present ones of the world, as are all commands that are not given.
            v: First velocities (worlds, nv) or (nv,).
            parameters: Values (parameters,) in the order of `parameter_names`, of all worlds; None: those
                that the world has.
            policy: Returns the commands (worlds, commands) of a control in place of those given, from its
                number and the states of all worlds before it, by field of `State`.

        Raises:
            NotDifferentiableError: A parameter is one of motors.
            TypeError, ValueError: An array has a wrong shape or is not finite; a parameter is at its bound.
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
        values = self.parameters() if parameters is None else check.array(parameters, "parameters", "numbers")
        check.shaped(values, "parameters", (len(self.parameter_names),))
        moved = self._moved(values)
        if parameters is not None:
            write_parameters(batch, self._unknowns, np.tile(values, (worlds, 1)))
        command = engine.command.arrays
        inertia = diagonal_of_mass(self._world, self.layout)
        held = self._held = hold(engine, inertia, batch.threads, self._held, moved)
        kept: list[Kept] = []
        most = 0
        made_it = np.ones(worlds, bool)
        nq, nv = self.layout.nq, self.layout.nv
        time = np.empty((worlds, horizon))
        places, faster = (np.full((worlds, horizon, nq), np.nan), np.full((worlds, horizon, nv), np.nan))
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
            self.command_names, self.state_names, self.parameter_names, self._jacobians, held, kept, told,
        )  # fmt: skip

    def _moved(self, values: np.ndarray) -> Moved | None:
        """Return worlds in which parameters (parameters,) are moved, each both ways.

        Raises:
            NotDifferentiableError: A parameter is one of motors.
            ValueError: A parameter is too near to its bounds.
        """
        if not self._unknowns:
            return None
        inputs = parameter_inputs(self._unknowns, values)
        batch = Batch(self._world, 1 + 2 * len(inputs), threads=self._threads)
        batch.set_from_world(self._world)
        batch.set_settings(sleeping=False)
        sizes = np.array([one.size for one in inputs])
        rows = np.tile(values, (len(batch), 1))
        for k, size in enumerate(sizes):
            rows[1 + 2 * k : 3 + 2 * k, k] += (-size, size)
        write_parameters(batch, self._unknowns, rows)
        if batch.engine.motors.arrays["is_on"].any():
            raise NotDifferentiableError(
                "motors have a memory that products along a rollout leave out; take "
                "tribo.linearize of all steps at once"
            )
        return Moved(batch.engine, sizes)

    def _start(self, batch: Batch, q: Any, v: Any) -> None:
        """Put the worlds where they begin."""
        state = batch.engine.state.arrays
        for name, value in (("q", q), ("v", v)):
            if value is None:
                continue
            shape = state[name].shape
            made = check.shaped(check.array(value, name, "numbers"), name, shape, shape[1:])
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
    derivatives: Literal[True], parameters: Unknown | Sequence[Unknown] = ..., method: str = ...,
    step: float = ..., threads: int | None = ...,
) -> DifferentiableRollout: ...  # fmt: skip


@answered_call
def rollout(
    world: World, *, forces: Controls | None = None, targets: Controls | None = None,
    velocity_targets: Controls | None = None, steps_per_control: int = 1, derivatives: bool = False,
    parameters: Unknown | Sequence[Unknown] = (), method: str = "auto", step: float = 1e-6,
    threads: int | None = None,
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
        parameters: By which derivatives are taken, too, as `tribo.control.RolloutFunction` has them.
        method, step: Of derivatives, as `tribo.control.RolloutFunction` has them.
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
    unknowns = unknowns_of(parameters, world)
    if unknowns and not derivatives:
        raise ValueError("parameters are those of derivatives; take derivatives=True")
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
            world, worlds, steps_per_control, method, step, threads, unknowns,
            {"forces": forces, "targets": targets, "velocity_targets": velocity_targets},
        )  # fmt: skip
    batch = Batch(world, worlds, threads=threads)
    return batch.rollout(
        forces=forces, targets=targets, velocity_targets=velocity_targets,
        steps_per_control=steps_per_control,
    )  # fmt: skip


def _with_derivatives(
    world: World, worlds: int, steps_per_control: int, method: str, step: float, threads: int | None,
    unknowns: list[Unknown], given: Mapping[str, Controls | None],
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
        velocity_targets=names["velocity_targets"], parameters=unknowns,
        steps_per_control=steps_per_control, threads=threads, method=method, step=step,
    )  # fmt: skip
    told = [np.broadcast_to(plan, (worlds, plan.shape[1])) for _, _, plan in columns]
    return function.run(np.stack(told, axis=-1))
