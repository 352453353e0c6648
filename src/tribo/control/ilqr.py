"""`ilqr`: commands that make a cost along a trajectory least, and gains that hold it.

A step of the search has derivatives of all controls, z⁺ = F z + G δu, and a cost with slope and bend of each
state. Backward from the end the value of a state is s·z + ½ z·S z; the command that makes it least is
δu = k + K z. The world then follows shares of k with the feedback K, all shares at a time, and the best is
kept. Where none is better the bend of the effort is made larger. A command at its limit that would go beyond
stays there.

Source: Li, Todorov 2004, "Iterative linear quadratic regulator design for nonlinear biological movement
systems"; Tassa, Mansard, Todorov 2014, "Control-limited differential dynamic programming".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.errors import SimulationError
from tribo.checks.readonly import frozen
from tribo.control.differentiable_rollout import DifferentiableRollout
from tribo.control.kept_states import Kept
from tribo.control.rollout import Names, RolloutFunction
from tribo.identification.state_layout import StateLayout
from tribo.world.world import World

SHARES = 0.6 ** np.arange(10.0)  # [–] of a change of the commands that are tried at a time
MIN_DAMPING, MAX_DAMPING = 1e-4, 1e6  # [–] of the effort; below the least there is none
SYMMETRIC = 1e-9  # [–] of its largest number, by which a bend may miss symmetry
MEMORY = ("vdot", "vdot_before")

Terms = tuple[float, np.ndarray, np.ndarray]
Cost = Callable[[int, np.ndarray, np.ndarray], Terms]
Gains = tuple[np.ndarray, np.ndarray]  # k (T, commands) and K (T, commands, z)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """Commands, the states to which they lead, and the feedback that holds them, as `ilqr` returns them."""

    commands: np.ndarray  # (T, commands) [N, N m, rad, m, rad/s, m/s]
    q: np.ndarray  # (T + 1, nq) from the present state on
    v: np.ndarray  # (T + 1, nv)
    gains: np.ndarray  # (T, commands, 2 nv): δu by δq and δv of the state before a control
    cost: float
    rounds: int
    is_converged: bool  # no change of the commands makes the cost less by more than the tolerance
    command_names: tuple[str, ...]
    state_names: tuple[str, ...]  # of the dofs, of which δq and δv are
    obstacles: Mapping[str, int]  # why steps were differenced in the last round, and how many

    def __repr__(self) -> str:
        """Return how long it is, what it costs, and whether it has converged."""
        end = "converged" if self.is_converged else "not converged"
        return f"<Plan of {len(self.commands)} controls, cost {self.cost:.6g}, {self.rounds} rounds, {end}>"


@answered_call
def ilqr(
    world: World, cost: Cost, commands: Any, *, effort: Any, rest: Any = 0.0,
    forces: Names | None = None, targets: Names | None = None, velocity_targets: Names | None = None,
    lower: Any = -np.inf, upper: Any = np.inf, steps_per_control: int = 1, rounds: int = 100,
    tolerance: float = 1e-4, method: str = "auto", step: float = 1e-6, threads: int | None = None,
) -> Plan:  # fmt: skip
    """Return the plan near given commands that makes a cost least, by iterative linear quadratic regulation.

    The cost is Σ cost(k, q, v) over the T + 1 states before and after the controls, and
    ½ Σ (u − rest)·effort (u − rest) over the commands. The world stays as it is.

    Args:
        world: In the state with which plans begin.
        cost: Returns for state k, 0 … T, with coordinates q (nq,) and velocities v (nv,): its cost, the slope
            (2 nv,) by changes δq and δv, and the bend (2 nv, 2 nv), symmetric, not negative. A change δq has
            a number for each dof, as in `tribo.linearize`.
        commands: With which the search begins, (T, commands).
        effort: [cost per unit of command squared], (commands,) > 0, or (commands, commands), symmetric and
            positive definite; one number for all.
        rest: Commands that cost nothing, (commands,) or one number.
        forces, targets, velocity_targets: Which commands there are, as `RolloutFunction` has them.
        lower, upper: Limits of the commands, (commands,) or one number.
        steps_per_control: Steps for which each command is held, ≥ 1.
        rounds: At most so many improvements.
        tolerance: Of the cost, by which the last improvement was less, > 0 [–].
        method, step: Of derivatives, as `RolloutFunction` has them; "bundled" smooths contacts.
        threads: As `Batch` has them.

    Raises:
        KeyError: There is no such object or joint; the message proposes another.
        NotDifferentiableError: Something has no derivatives along a trajectory.
        SimulationError: The first commands lead to what is no number.
        TypeError, ValueError: An argument is wrong, or the cost returns what it should not.

    Example:
        >>> import numpy as np, tribo
        >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
        >>> goal = np.array([1.0, 0, 0, 1, 0, 0, 0])  # 1 m along x
        >>> bend = np.diag([1e4, 1e4, 1e4, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        >>> def cost(k, q, v):
        ...     miss = np.concatenate([q[:3] - goal[:3], np.zeros(3), v]) * (k == 50)
        ...     return 0.5 * miss @ bend @ miss, bend @ miss, bend * (k == 50)
        >>> plan = tribo.control.ilqr(
        ...     world, cost, np.zeros((50, 6)), effort=1e-4, forces={"ball": None}, threads=1
        ... )
        >>> plan.is_converged, float(plan.q[-1, 0].round(2))
        (True, 1.0)
    """
    function = RolloutFunction(
        world, forces=forces, targets=targets, velocity_targets=velocity_targets,
        steps_per_control=steps_per_control, threads=threads, method=method, step=step,
    )  # fmt: skip
    return _Search(function, cost, effort, rest, lower, upper).found(
        commands, check.integer(rounds, "rounds", 1), check.positive(tolerance, "tolerance")
    )


class _Search:
    """Cost, effort and limits of a plan, and the search for it."""

    def __init__(
        self, function: RolloutFunction, cost: Cost, effort: Any, rest: Any, lower: Any, upper: Any
    ) -> None:
        if not callable(cost):
            raise TypeError(
                "cost must be a function of the number, coordinates and velocities of a state, got "
                f"{check.shown(cost)}"
            )
        self._function, self._cost = function, cost
        self._layout: StateLayout = function.layout
        count = len(function.command_names)
        self._effort = _positive_definite(effort, count)
        self._rest = np.array(check.for_each(rest, "rest", count))
        self._lower, self._upper = _bounds(lower, upper, count)
        self._width = 0  # of z

    def found(self, commands: Any, rounds: int, tolerance: float) -> Plan:
        """Return the best plan that the search comes to."""
        first = check.array(commands, "commands", "numbers (T, commands)")
        if first.ndim != 2 or first.shape[1] != len(self._rest) or not len(first):
            raise ValueError(f"commands must have shape (T, {len(self._rest)}), T ≥ 1, got {first.shape}")
        self._start = self._function.start()
        way = self._function.run(np.clip(first, self._lower, self._upper))
        if not way.made_it[0]:
            raise SimulationError("ilqr: the first commands lead to what is no number")
        best, damping, done = 0, 0.0, 0
        value, terms = self._costs(way, best)
        while True:
            matrices = [way.matrices(k, best) for k in range(len(first))]
            gains, fall = self._gains(way.commands[best], terms, matrices, 0.0)
            is_converged = gains is not None and fall <= tolerance * abs(value)
            if is_converged or done == rounds:
                break
            made = None
            while made is None and damping <= MAX_DAMPING:
                tried = gains
                if damping > 0.0 or gains is None:
                    tried, _ = self._gains(way.commands[best], terms, matrices, damping)
                made = None if tried is None else self._better(way, best, tried, value)
                if made is None:
                    damping = max(10.0 * MIN_DAMPING, 5.0 * damping)
            if made is None:
                break
            way, best, value, terms = made
            damping = damping / 3.0 if damping > 3.0 * MIN_DAMPING else 0.0
            done += 1
        n, (q, v) = self._layout.nv, self._states(way, best)
        feedback = np.zeros((len(first), len(self._rest), 2 * n))
        if gains is not None:
            feedback = gains[1][:, :, : 2 * n].copy()
        return Plan(
            frozen(way.commands[best].copy()), frozen(q), frozen(v), frozen(feedback), value, done,
            is_converged, way.command_names, way.state_names, way.obstacles,
        )  # fmt: skip

    def _states(self, way: DifferentiableRollout, world: int) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates (T + 1, nq) and velocities (T + 1, nv) of a world, its start first."""
        q, v = self._start
        return np.vstack([q[None], way.q[world]]), np.vstack([v[None], way.v[world]])

    def _costs(self, way: DifferentiableRollout, world: int) -> tuple[float, list[Terms]]:
        """Return the cost of the way of a world, and of each state of it."""
        q, v = self._states(way, world)
        terms = [self._terms(k, q[k], v[k]) for k in range(len(q))]
        off = way.commands[world] - self._rest
        return sum(one[0] for one in terms) + 0.5 * float(np.sum(off @ self._effort * off)), terms

    def _terms(self, k: int, q: np.ndarray, v: np.ndarray) -> Terms:
        """Return what the cost says about a state, checked."""
        made: Any = self._cost(k, q.copy(), v.copy())
        if not isinstance(made, tuple) or len(made) != 3:
            raise TypeError(f"cost must return three things, cost, slope and bend, got {check.shown(made)}")
        size = 2 * self._layout.nv
        slope = check.array(made[1], f"slope of cost at state {k}", f"numbers ({size},)")
        bend = check.array(made[2], f"bend of cost at state {k}", f"numbers ({size}, {size})")
        for one, shape, what in ((slope, (size,), "slope"), (bend, (size, size), "bend")):
            check.shaped(one, f"{what} of cost", shape)
        if np.abs(bend - bend.T).max(initial=0.0) > SYMMETRIC * np.abs(bend).max(initial=0.0):
            raise ValueError(f"bend of cost at state {k} must be symmetric; take ½ (H + Hᵀ)")
        return check.number(made[0], f"cost of state {k}"), slope, bend

    def _gains(
        self, commands: np.ndarray, terms: list[Terms], matrices: list[Gains], damping: float
    ) -> tuple[Gains | None, float]:
        """Return k and K of all controls, and by how much the cost falls; no gains if a bend is negative."""
        controls, count, width = len(commands), commands.shape[1], len(matrices[0][0])
        along, turn = np.zeros((controls, count)), np.zeros((controls, count, width))
        size = 2 * self._layout.nv
        slope, bend, fall = np.zeros(width), np.zeros((width, width)), 0.0
        slope[:size], bend[:size, :size] = terms[-1][1:]
        for k in reversed(range(controls)):
            f, g = matrices[k]
            steep = self._effort @ (commands[k] - self._rest) + g.T @ slope
            own = self._effort + g.T @ bend @ g
            cross = g.T @ bend @ f
            is_held = (commands[k] >= self._upper) & (steep < 0.0)
            is_held |= (commands[k] <= self._lower) & (steep > 0.0)
            free = np.flatnonzero(~is_held)
            stiff = (own + damping * self._effort)[np.ix_(free, free)]
            if free.size and not np.linalg.eigvalsh(stiff)[0] > 0.0:
                return None, 0.0
            answer = np.linalg.solve(stiff, -np.column_stack([steep, cross])[free])
            along[k, free], turn[k, free] = answer[:, 0], answer[:, 1:]
            fall -= along[k] @ steep + 0.5 * along[k] @ own @ along[k]
            slope = f.T @ slope + turn[k].T @ (own @ along[k] + steep) + cross.T @ along[k]
            bend = f.T @ bend @ f + turn[k].T @ own @ turn[k] + turn[k].T @ cross + cross.T @ turn[k]
            slope[:size] += terms[k][1]
            bend[:size, :size] += terms[k][2]
        return (along, turn), float(fall)

    def _better(
        self, way: DifferentiableRollout, world: int, gains: Gains, value: float
    ) -> tuple[DifferentiableRollout, int, float, list[Terms]] | None:
        """Follow the gains by all shares at a time, and return the best way that costs less; None: none."""
        along, turn = gains

        def policy(control: int, state: Kept) -> np.ndarray:
            changed = self._change(way.states(control), world, state, turn.shape[2])
            told = way.commands[world, control] + SHARES[:, None] * along[control]
            told = np.where(np.isfinite(changed).all(axis=1)[:, None], told + changed @ turn[control].T, told)
            return np.asarray(np.clip(told, self._lower, self._upper))

        start = np.broadcast_to(way.commands[world], (len(SHARES), *along.shape))
        made = self._function.run(start, policy=policy)
        tried = [(*self._costs(made, k), k) for k in np.flatnonzero(made.made_it).tolist()]
        if not tried:
            return None
        new, terms, best = min(tried, key=lambda one: one[0])
        return (made, best, new, terms) if new < value else None

    def _change(self, kept: Kept, world: int, state: Kept, width: int) -> np.ndarray:
        """Return by what the states of all worlds differ from a kept one, (worlds, z)."""
        start = np.broadcast_to(kept["q"][world], state["q"].shape)
        parts = [self._layout.minus(state["q"], start), state["v"] - kept["v"][world]]
        if width > 2 * self._layout.nv:
            parts += [state[name] - kept[name][world] for name in MEMORY]
        return np.concatenate(parts, axis=1)


def _bounds(lower: Any, upper: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return limits of the commands, which may be infinite."""
    made = []
    for value, what in ((lower, "lower"), (upper, "upper")):
        one = np.asarray(value, float)
        if one.shape not in ((), (count,)) or np.isnan(one).any():
            raise ValueError(
                f"{what} must be one number or have shape ({count},), and no NaN, got {check.shown(value)}"
            )
        made.append(np.array(np.broadcast_to(one, (count,))))
    if not (made[0] <= made[1]).all():
        raise ValueError(f"lower must be ≤ upper, got {check.shown(lower)} and {check.shown(upper)}")
    return made[0], made[1]


def _positive_definite(effort: Any, count: int) -> np.ndarray:
    """Return the effort as a matrix (count, count)."""
    made = check.array(effort, "effort", f"one number, ({count},) or ({count}, {count})")
    if made.shape in ((), (count,)):
        made = np.diag(check.for_each(made, "effort", count))
    if made.shape != (count, count):
        raise ValueError(
            f"effort must be one number or have shape ({count},) or ({count}, {count}), got {made.shape}"
        )
    if np.abs(made - made.T).max() > SYMMETRIC * np.abs(made).max():
        raise ValueError("effort must be symmetric; take ½ (R + Rᵀ)")
    if not np.linalg.eigvalsh(made)[0] > 0.0:
        raise ValueError(f"effort must be positive definite, > 0, got {check.shown(effort)}")
    return np.array(made)
