"""A policy within the call: what it sees and commands, as the compiled code needs it, world by world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.batch.network import ACTIVATIONS, OF_POLICY, Commanded, Network, Seen, spread
from tribo.batch.owner import BatchOwner
from tribo.batch.part import KINDS, Part, named_places
from tribo.batch_kernels.records import Pilot
from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.engine.engine import no_pilot
from tribo.enums import Observed
from tribo.model import Joint, Kind

Numbers = list[tuple[int, int, int, int]]  # kind, place, turn, axis of each number


class BatchPolicy(Sealed):
    """The policy of a batch, world by world: what is wanted of it, and what it did. `Batch.policy` is one."""

    _batch: BatchOwner
    _arrays: dict[str, np.ndarray]
    _network: Network

    def __init__(self, batch: BatchOwner, network: Network) -> None:
        """Use `Batch.set_policy`."""
        self._batch, self._arrays, self._network = batch, batch.engine.pilot.arrays, network

    def __repr__(self) -> str:
        """Return the network and how often it acts."""
        return f"<BatchPolicy of {self.network!r}, an action in {self.steps_per_action} steps>"

    @property
    def network(self) -> Network:
        """The network that acts; `set_network` takes another one."""
        return self._network

    @property
    def steps_per_action(self) -> int:
        """Steps for which an action holds [–]."""
        return int(self._arrays["every"][0, 0])

    @property
    def command(self) -> np.ndarray:
        """Commands to the policy, (worlds, widths of all `Seen("command")`), live; one row for all."""
        return self._arrays["command"]

    @command.setter
    def command(self, value: Any) -> None:
        self._assign("command", value)

    @property
    def phase(self) -> np.ndarray:
        """By how much of a turn the clock is ahead, (worlds, 1) [–], live."""
        return self._arrays["phase"]

    @phase.setter
    def phase(self, value: Any) -> None:
        self._assign("phase", value)

    @property
    def action(self) -> np.ndarray:
        """The last action, (worlds, k) [–], a read-only copy."""
        return frozen(self._arrays["action"].copy())

    @property
    def seen(self) -> np.ndarray:
        """Observations of the last action, (worlds, n), a read-only copy: shifted and scaled."""
        return frozen(self._arrays["seen"].copy())

    def restart(self, worlds: Any = slice(None)) -> None:
        """Let the policy act in the next step, in all worlds or some, with no action before it.

        `Batch.reset` does so with an entry from the start of an episode; after `set_state` it is needed.

        Args:
            worlds: Index, slice or mask of worlds.

        Raises:
            ValueError: There is no such world.
            EditError: Another thread steps the batch, or the batch has another policy by now.
        """
        self._check_in_use("restart")
        chosen = self._batch.chosen_worlds(worlds)
        for field in ("left", "action", "seen"):
            self._arrays[field][chosen] = 0

    def set_network(self, network: Network) -> None:
        """Take other weights, of layers as wide as these: what a learner does after an update.

        Args:
            network: As `Batch.set_policy` has it.

        Raises:
            TypeError, ValueError: It is no network, or its layers have other widths; nothing is changed.
            EditError: Another thread steps the batch, or the batch has another policy by now.
        """
        self._check_in_use("network")
        _check_network(network)
        made = layers_of(network)
        if not np.array_equal(made["width"], self._arrays["width"]):
            raise ValueError(f"layers must be as wide as before, {self.network}, got {network}")
        for field, array in made.items():
            self._arrays[field][0] = array[0]
        self._network = network

    def _check_in_use(self, what: str) -> None:
        """Refuse edits of a policy that was taken out, and those while another thread steps the batch.

        Raises:
            EditError: It is so.
        """
        self._batch.check_idle(f"{what} of the policy")
        if self._batch.engine.pilot.arrays is not self._arrays:
            raise EditError(
                f"{what} of a policy that the batch has no more: batch.policy is the one that it has"
            )

    def _assign(self, field: str, value: Any) -> None:
        """Write checked numbers into a field, one row for all worlds or one for each."""
        self._check_in_use(field)
        what, here = f"{field} of the policy", self._arrays[field]
        given = check.within_range(check.array(value, what, "numbers"), what)
        if given.shape not in ((), here.shape[1:], here.shape):
            raise ValueError(f"{what} must have shape {here.shape} or {here.shape[1:]}, got {given.shape}")
        here[...] = given


class BatchPolicies:
    """The part of a batch that takes a policy."""

    def __init__(self, batch: BatchOwner) -> None:
        self._batch = batch
        self.policy: BatchPolicy | None = None

    def set_policy(
        self, network: Network, seen: Sequence[Seen], commanded: Commanded | Sequence[Commanded], *,
        steps_per_action: int = 1,
    ) -> BatchPolicy:  # fmt: skip
        """Let a network command the worlds, in compiled code within `step` and `rollout`.

        Before the first step and then every `steps_per_action` steps, whatever the calls, it computes what
        it sees from the state of the world, an action from that, and commands from the action; they hold
        until the next one. Between them no Python runs, and all worker threads take part. The bits do not
        depend on the number of threads. The last action, the steps left to the next one, commands and phase
        are part of snapshots, pools and digests.

        Args:
            network: As many inputs as there are numbers in `seen`, as many outputs as in `commanded`.
            seen: Observations, in the order of its inputs.
            commanded: Commands, in the order of its outputs.
            steps_per_action: Steps for which an action holds, ≥ 1.

        Returns:
            The new `Batch.policy`.

        Raises:
            KeyError: There is no such object or joint; the message proposes the nearest name.
            TypeError, ValueError: Numbers do not fit the network, an object has no such thing, or two
                commands are for the same joint; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> rail = tribo.LinkDescription("rail")
            >>> cart = rail.add_child("cart", "prismatic", axis=(1, 0, 0))
            >>> cart.add_shape("box", (0.4, 0.2, 0.2), mass=1.0, collides=False)
            >>> robot = world.add_articulated_system(rail, name="robot", fixed_base=True)
            >>> batch = tribo.Batch(world, 2, threads=1)
            >>> law = tribo.Network([(np.array([[4.0, -4.0, -4.0]]), np.zeros(1))])  # f = 4 (x_d − x − v)
            >>> seen = [tribo.Seen("command"), tribo.Seen("coordinates"), tribo.Seen("velocities")]
            >>> policy = batch.set_policy(law, seen, tribo.Commanded("robot", "forces"))
            >>> policy.command = [[1.0], [-2.0]]
            >>> _ = batch.step(1000)
            >>> batch["robot"].generalized_coordinate[:, 0].round(6).tolist()
            [1.0, -2.0]
        """
        self._batch.check_idle("set_policy")
        _check_network(network)
        every = check.integer(steps_per_action, "steps_per_action", 1)
        one_or_more = [commanded] if isinstance(commanded, Commanded) else commanded
        given = check.listed(one_or_more, "commanded", "tribo.Commanded")
        drives = self._drives(given)
        _fit(drives["drive_kind"].shape[1], network.outputs, "commanded", "the network gives")
        numbers, command = self._numbers(check.listed(seen, "seen", "tribo.Seen"), given[0].of, network)
        _fit(numbers["kind"].shape[1], network.inputs, "seen", "the network takes")
        worlds = len(self._batch)
        widest = max(network.inputs, *(len(bias) for _, bias in network.layers))
        shared = {"every": np.array([[every]]), **numbers, **drives, **layers_of(network)}
        own = {
            "command": np.zeros((worlds, command)), "phase": np.zeros((worlds, 1)),
            "action": np.zeros((worlds, network.outputs)), "left": np.zeros((worlds, 1), np.int64),
            "seen": np.zeros((worlds, network.inputs)), "hidden": np.zeros((1, 2, widest)),
        }  # fmt: skip
        self._batch.engine.take_pilot(Pilot.wrap(shared | own))
        self.policy = BatchPolicy(self._batch, network)
        return self.policy

    def clear_policy(self) -> None:
        """Take the policy out; its last commands stay set.

        Raises:
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle("clear_policy")
        self._batch.engine.take_pilot(no_pilot())
        self.policy = None

    # -- what it commands ----------------------------------------------------------------------
    def _drives(self, commanded: list[Any]) -> dict[str, np.ndarray]:
        """Return kind, place, shift and factor of each command, (1, k)."""
        if not commanded:
            raise ValueError("a policy must command something: commanded is empty")
        found: dict[tuple[int, int], str] = {}
        shifts, factors = [], []
        for entry in commanded:
            check.instance(entry, Commanded, "commanded must be tribo.Commanded")
            part = self._part(entry.of)
            named = named_places(part, entry.what, entry.joints)
            for joint, place in named:
                key = KINDS[entry.what], place
                if key in found:
                    raise ValueError(f"{entry.what} of {found[key]} of {part.name} are given twice")
                found[key] = joint
            shifts.append(spread(entry.shift, len(named), f"shift of {entry.what} of {part.name}"))
            factors.append(spread(entry.scale, len(named), f"scale of {entry.what} of {part.name}"))
        table = np.array(list(found), np.int64)
        return {
            "drive_kind": _row(table[:, 0]), "drive_place": _row(table[:, 1]),
            "drive_shift": _row(np.concatenate(shifts)), "drive_factor": _row(np.concatenate(factors)),
        }  # fmt: skip

    # -- what it sees --------------------------------------------------------------------------
    def _numbers(self, seen: list[Any], first: str, network: Network) -> tuple[dict[str, np.ndarray], int]:
        """Return what the record has of what is seen, (1, n), and how wide the commands are."""
        rows: Numbers = []
        shifts, factors, rates = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
        commands = 0
        for entry in seen:
            check.instance(entry, Seen, "seen must be tribo.Seen")
            if entry.width > network.inputs:  # before so many numbers are listed
                raise ValueError(
                    f"width of {entry.what} is {entry.width}, the network takes {network.inputs} numbers"
                )
            if entry.what in OF_POLICY:
                some = _of_policy(entry, commands, network.outputs)
                commands += entry.width if entry.what == "command" else 0
            else:
                some = _of_object(entry, self._part(first if entry.of is None else entry.of))
            rows += some
            shifts.append(spread(entry.shift, len(some), f"shift of {entry.what}"))
            factors.append(spread(entry.scale, len(some), f"scale of {entry.what}"))
            rates.append(np.full(len(some), float(entry.frequency)))
        table = np.array(rows, np.int64).reshape(-1, 4)
        names = ("kind", "place", "turn", "axis")
        made = {name: _row(table[:, k]) for k, name in enumerate(names)}
        made |= {"shift": _row(np.concatenate(shifts)), "factor": _row(np.concatenate(factors)),
                 "rate": _row(np.concatenate(rates))}  # fmt: skip
        return made, commands

    def _part(self, name: Any) -> Part:
        """Return what is kept of an object that moves."""
        part = self._batch.parts[check.known(name, self._batch.parts, "object")]
        if part.kind == Kind.STATIC:
            raise ValueError(f"{name} is static: a policy can neither see nor command it")
        return part


def _check_network(network: Any) -> None:
    """Refuse what is no network.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(network, Network):
        remedy = "; its network() is one" if callable(getattr(network, "network", None)) else ""
        raise TypeError(f"network must be a tribo.Network, got {check.shown(network)}{remedy}")


def layers_of(network: Network) -> dict[str, np.ndarray]:
    """Return what the record has of a network, by field, the first axis 1."""
    weights = [part for weight, bias in network.layers for part in (weight.T.ravel(), bias)]
    widths = [network.inputs, *(len(bias) for _, bias in network.layers)]
    ways = [ACTIVATIONS[network.activation], ACTIVATIONS[network.output_activation]]
    made = {name: getattr(network, name) for name in
            ("mean", "deviation", "middle", "span", "low", "high")}  # fmt: skip
    return {
        "weight": _row(np.concatenate(weights)), "width": _row(np.array(widths, np.int64)),
        "activation": _row(np.array(ways, np.int64)), "farthest": np.array([[network.farthest]], float),
        **{name: _row(value) for name, value in made.items()},
    }  # fmt: skip


def _of_policy(entry: Seen, commands: int, actions: int) -> Numbers:
    """Return the numbers of a command, the last action or the clock."""
    if entry.what == "clock":
        return [(Observed.SINE, 0, 0, 0), (Observed.COSINE, 0, 0, 0)]
    if entry.what == "action":
        return [(Observed.ACTION, k, 0, 0) for k in range(actions)]
    return [(Observed.COMMAND, commands + k, 0, 0) for k in range(entry.width)]


def _of_object(entry: Seen, part: Part) -> Numbers:
    """Return the numbers of an object."""
    q, v = part.span.q, part.span.v
    if entry.what == "coordinates":
        return [(Observed.COORDINATE, place, 0, 0) for place in range(q.start, q.stop)]
    if entry.what == "velocities":
        return [(Observed.VELOCITY, place, 0, 0) for place in range(v.start, v.stop)]
    if entry.what == "joint_coordinates":
        return [(Observed.COORDINATE, k, 0, 0) for _, k in named_places(part, "targets", entry.joints)]
    if entry.what == "joint_velocities":
        return [(Observed.VELOCITY, k, 0, 0) for _, k in named_places(part, "forces", entry.joints)]
    if part.description.bodies[0].joint.type != Joint.FREE:
        raise ValueError(f"{part.name} has a fixed base: {entry.what} is of what floats")
    if entry.what == "position":
        return [(Observed.COORDINATE, q.start + k, 0, 0) for k in range(3)]
    if entry.what == "down":
        return [(Observed.DOWN, 0, q.start + 3, k) for k in range(3)]
    begin = v.start + (3 if entry.what == "angular_velocity" else 0)
    if entry.axes == "world":
        return [(Observed.VELOCITY, begin + k, 0, 0) for k in range(3)]
    return [(Observed.TURNED_VELOCITY, begin, q.start + 3, k) for k in range(3)]


def _row(values: Any) -> np.ndarray:
    """Return a copy that all worlds share, (1, n)."""
    return np.array(values, order="C")[None]


def _fit(found: int, wanted: int, what: str, says: str) -> None:
    """Refuse a number of numbers that is not the network's."""
    if found != wanted:
        raise ValueError(f"{what} has {found} numbers, {says} {wanted}")
