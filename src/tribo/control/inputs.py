"""The numbers by which a step is differentiated: states, commands, parameters, and how far each is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown
from tribo.model import Kind
from tribo.world.world import World

COMMANDS = {"force": "tau", "target": "target_q", "velocity_target": "target_v", "wrench": "wrench"}
TANGENT = {"vx": "x", "vy": "y", "vz": "z", "wx": "rx", "wy": "ry", "wz": "rz"}  # of a dof's name
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")  # torque, force at the centre of mass
PAIRS = 8  # of states on both sides, for each input of a bundle
LARGEST_STEP = 0.1  # [m, rad, m/s, rad/s] by which inputs are moved
SHARE_OF_SPAN = 1e-5  # of its bounds, by which a parameter is moved


@dataclass(frozen=True)
class Input:
    """One number by which a step is differentiated."""

    name: str
    unit: str
    kind: str  # "state", one of `COMMANDS`, or "parameter"
    place: int  # among the states, in the command's array, or among the parameters
    size: float  # by which it is moved


class Inputs:
    """All numbers by which a step is differentiated, and worlds in which they are moved.

    Args:
        world: Whose step it is.
        layout: Of its states.
        dofs: Numbers of the dofs whose coordinates and velocities are moved, (n,).
        directions: Along which they are moved, (n, m).
        commands: Kinds of commands that are moved, among `COMMANDS`.
        parameters: Of the world, that are moved.
        step: [m, rad, m/s, rad/s] by which states are moved; a force is moved by what changes the velocity of
            its dof by so much.
    """

    def __init__(
        self, world: World, layout: StateLayout, dofs: np.ndarray, directions: np.ndarray,
        commands: Sequence[str], parameters: Sequence[Unknown], step: float,
    ) -> None:  # fmt: skip
        self._layout, self._parameters, self._step = layout, list(parameters), step
        count = directions.shape[1]
        self._ways = np.zeros((2 * count, 2 * layout.nv))  # of the state, by number of an input
        self._ways[:count, dofs] = self._ways[count:, layout.nv + dofs] = directions.T
        names = [list(layout.dofs)[k] for k in dofs]
        units = [layout.dof_units[k] for k in dofs]
        labels = [tangent_name(name) for name in names]
        if count < len(dofs) or not np.array_equal(directions, np.eye(count)):
            names = labels = [f"direction {k}" for k in range(count)]
            units = ["1/s"] * count
        numbers = enumerate([f"q/{one}" for one in labels] + [f"v/{one}" for one in names])
        kinds = [unit.removesuffix("/s") for unit in units] + units
        of_state = [Input(name, kinds[k], "state", k, step) for k, name in numbers]
        made = {"state": of_state, "command": [], "parameter": []}
        for kind in commands:
            made["command"] += self._of_command(world, kind, dofs)
        self.values = parameter_values(world, self._parameters)
        made["parameter"] = parameter_inputs(self._parameters, self.values)
        self.all = [one for group in made.values() for one in group]
        self.state = slice(0, len(of_state))
        self.command = slice(self.state.stop, self.state.stop + len(made["command"]))
        self.parameter = slice(self.command.stop, len(self.all))
        self.state_names = tuple(one.name for one in self.all[self.state])
        self.command_names = tuple(one.name for one in self.all[self.command])
        self.parameter_names = tuple(one.name for one in self.all[self.parameter])
        self.units = tuple(one.unit for one in self.all)
        self.sizes = np.array([one.size for one in self.all])
        self.names = self.state_names + self.command_names + self.parameter_names
        self.sizes_without_parameters = self.sizes[: self.command.stop]  # of states and commands

    def _of_command(self, world: World, kind: str, dofs: np.ndarray) -> list[Input]:
        """Return the commands of a kind: of joints of one dof; of wrenches, those on each body."""
        layout, made = self._layout, []
        names, units = list(layout.dofs), layout.dof_units
        if kind == "wrench":
            rows = _bodies_of(layout, dofs)
            mass = world.engine.model.arrays["body_mass"][0]
            for name, row in rows.items():
                size = self._step * max(float(mass[row]), 1e-9) / layout.time_step
                made += [
                    Input(f"wrench/{name}/{axis}", "N m" if k < 3 else "N", kind, 6 * row + k, size)
                    for k, axis in enumerate(WRENCH)
                ]
            return made
        rotations = {first + k for _, first in layout.rotations for k in range(3)}
        coordinate = {dof: at for at, dof in layout.linear}
        inertia = diagonal_of_mass(world, layout)
        for dof in dofs.tolist():
            if names[dof].rpartition("/")[2] in TANGENT or dof in rotations:
                continue  # of a floating base: nothing drives it; of a ball joint: no one number
            unit = {"force": "N" if units[dof] == "m/s" else "N m",
                    "target": units[dof].removesuffix("/s")}.get(kind, units[dof])  # fmt: skip
            size = self._step * (inertia[dof] / layout.time_step if kind == "force" else 1.0)
            place = coordinate[dof] if kind == "target" else dof
            made.append(Input(f"{kind}/{names[dof]}", unit, kind, place, size))
        return made

    def write(self, batch: Batch, moved: Sequence[Input], amounts: np.ndarray) -> None:
        """Move inputs in worlds: amounts (worlds, inputs), in units of each input's size."""
        layout, worlds = self._layout, len(batch)
        change = np.zeros((worlds, 2 * layout.nv))
        state = batch.engine.state.arrays
        values = np.tile(self.values, (worlds, 1))
        for k, one in enumerate(moved):
            by = amounts[:, k] * one.size
            if one.kind == "state":
                change += by[:, None] * self._ways[one.place]
            elif one.kind == "parameter":
                values[:, one.place] += by
            elif one.kind != "wrench":
                batch.engine.command.arrays[COMMANDS[one.kind]][:, one.place] += by
        for array, width in (("q", layout.nq), ("v", layout.nv)):
            if state[array].shape[1] != width:
                raise RuntimeError(f"the world's {array} has another length than its layout")
        still = ~change[:, : layout.nv].any(axis=1)  # there no quaternion is normalized anew
        state["q"][~still] = layout.plus(state["q"][0], change[~still, : layout.nv])
        state["v"][...] += change[:, layout.nv :]
        write_parameters(batch, self._parameters, values)

    @staticmethod
    def hold_wrenches(batch: Batch, moved: Sequence[Input], amounts: np.ndarray, base: Any) -> None:
        """Set the external wrenches of the next step: those of the world, `base`, and what moves them."""
        command = batch.engine.command.arrays
        wrench = command["wrench"].reshape(len(batch), -1)
        wrench[...] = base
        for k, one in enumerate(moved):
            if one.kind == "wrench":
                wrench[:, one.place] += amounts[:, k] * one.size
        command["has_wrench"][...] = 1 if wrench.any() else 0


def unknowns_of(parameters: Unknown | Sequence[Unknown], world: World) -> list[Unknown]:
    """Return parameters as a list, those about the properties of a world about its present ones.

    Raises:
        TypeError: One is no `Unknown`.
    """
    made = [parameters] if isinstance(parameters, Unknown) else list(parameters)
    for one in made:
        check.instance(one, Unknown, "parameters must be as tribo.identification.pair returns them")
    return [one if one.of_world is None else one.of_world(world) for one in made]


def parameter_values(world: World, unknowns: Sequence[Unknown]) -> np.ndarray:
    """Return the parameters that a world has, (parameters,)."""
    return np.array([x for one in unknowns for x in one.read(world)], float)


def parameter_inputs(unknowns: Sequence[Unknown], values: np.ndarray) -> list[Input]:
    """Return the numbers of parameters, by their place, and how far each is moved from its value.

    Raises:
        ValueError: A value is too near to its bounds, or beyond.
    """
    made: list[Input] = []
    bounds = [one for unknown in unknowns for one in unknown.bounds]
    for one, value in zip(bounds, values, strict=True):
        size = SHARE_OF_SPAN * (one.high - one.low)
        if not one.low + 2.0 * size <= value <= one.high - 2.0 * size:
            raise ValueError(
                f"{one.name} is {value:g}, which leaves no room to move it within its bounds "
                f"{one.low:g} … {one.high:g}; give bounds around it"
            )
        made.append(Input(one.name, one.unit, "parameter", len(made), size))
    return made


def write_parameters(batch: Batch, unknowns: Sequence[Unknown], rows: np.ndarray) -> None:
    """Set parameters (worlds, parameters) in all worlds of a batch."""
    first = 0
    for unknown in unknowns:
        stop = first + len(unknown.bounds)
        unknown.set_in_batch(batch, rows[:, first:stop], np.arange(len(batch)))
        first = stop


def bundle_ways(count: int) -> np.ndarray:
    """Return normally distributed amounts (ways, count) by which the inputs of a bundle are moved.

    Each has an opposite one besides; the same seed each time.
    """
    return np.random.default_rng(0).normal(size=(PAIRS * count, count))


def tangent_name(dof: str) -> str:
    """Return the name of a coordinate's change from that of its dof: "box/wx" → "box/rx"."""
    stem, _, last = dof.rpartition("/")
    return f"{stem}/{TANGENT[last]}" if last in TANGENT else dof


def dofs_of(world: World, layout: StateLayout, objects: Sequence[str] | None) -> np.ndarray:
    """Return the dofs of objects, (n,); None: of all that forces move.

    Raises:
        KeyError: There is no such object; the message proposes the nearest name.
        ValueError: One has no dof that forces move.
    """
    moved = {name: at for name, _, at in layout.objects if world[name].body_type == Kind.DYNAMIC}
    if objects is None:
        chosen = list(moved)
    else:
        chosen = [check.text(name, "object") for name in objects]
        for name in chosen:
            check.known(name, [one.name for one in world.objects], "object")
            if name not in moved:
                raise ValueError(f"{name} has no dof that forces move: it has no derivatives")
    if not chosen:
        raise ValueError("nothing in this world is moved by forces: there is no derivative to take")
    return np.concatenate([np.arange(at.start, at.stop) for k, at in moved.items() if k in chosen])


def _bodies_of(layout: StateLayout, dofs: np.ndarray) -> dict[str, int]:
    """Return the bodies of the objects to which dofs belong, by name, and their rows."""
    owners = [name for name, _, at in layout.objects if at.start in dofs]
    made = {}
    for name in owners:
        first, stop = layout.body_range[name]
        links = {row: label for label, row in layout.bodies.items() if first <= row < stop}
        made.update({links[row]: row for row in range(first, stop)})
    return made


def diagonal_of_mass(world: World, layout: StateLayout) -> np.ndarray:
    """Return the diagonal of M of robots, (nv,) [kg, kg m²]; 1 of other bodies."""
    made = np.ones(layout.nv)
    for name, _, at in layout.objects:
        part: Any = world[name]
        if hasattr(part, "mass_matrix"):
            made[at] = np.diag(part.mass_matrix)
    return made
