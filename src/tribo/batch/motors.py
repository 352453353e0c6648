"""Motors of an object in the worlds of a batch: commands that come late, torque with a lag, less at speed."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Unpack

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part, named_places
from tribo.batch.values import MotorValues
from tribo.batch_kernels.records import Motors
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.engine.engine import Engine
from tribo.model import Kind

MAX_DELAY = 1000  # steps; a longer one is a mistake, and would fill the memory
# What a user sets: its field, whether 0 is allowed, its unit.
PARAMETERS = {
    "delay": ("delay", True, "s"),
    "time_constant": ("lag", True, "s"),
    "stall_torque": ("stall", False, "N m, N"),
    "no_load_speed": ("no_load", False, "rad/s, m/s"),
}


class MotorsOfWorlds(Sealed):
    """The motors between the drives of an object and its joints, world by world."""

    name: str
    _batch: BatchOwner
    _part: Part

    def set_motors(
        self, joints: Sequence[str] | None = None, *, worlds: Any = slice(None), **values: Unpack[MotorValues]
    ) -> None:
        """Drive joints through motors, in all worlds or some; what is not given stays, at first the default.

        Before every step τ_w = τ_ff + K_p (q_d − q) + K_d (v_d − v) is computed from measured q and v, with
        targets and feed-forward as they were `delay` ago. The torque follows it as
        τ ← τ + (1 − e^(−dt/T)) (τ_w − τ), T the time constant, is limited to
        −τ_s (1 + v/v_0) … τ_s (1 − v/v_0), to 0 on the side where the joint is faster than v_0, and to the
        effort limits, and is held over the step. Gains, targets and `generalized_force` are set as without a
        motor. The PD law is explicit here, as on a sampled controller: it needs dt K_d < 2 M and
        dt² K_p < 4 M, M the inertia at the joint.

        Source: Hwangbo et al. 2019, "Learning agile and dynamic motor skills for legged robots" (delay and
        lag of drives); Siciliano et al. 2009, "Robotics", §5.2 (torque-speed line).

        Args:
            joints: Names of joints with one degree of freedom; None: all that the object has.
            worlds: Index, slice or mask of worlds.
            values: By name, each a number, one for each of the joints (k,), or (n, k) for the n worlds:
                delay [s] (0), rounded to steps of the world's `time_step` of now, at most 1000;
                time_constant [s] ≥ 0 (0: at once); stall_torque > 0 [N m, N] and no_load_speed > 0
                [rad/s, m/s] (inf: no line).

        Raises:
            KeyError: There is no such joint.
            TypeError, ValueError: A value is wrong, or there is no such world, or a joint has not one degree
                of freedom; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> world = tribo.World(time_step=0.002)
            >>> dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog")
            >>> batch = tribo.Batch(world, 4, threads=1)
            >>> batch["dog"].set_motors(delay=0.01, time_constant=0.005)
            >>> batch["dog"].set_motors(["LF_KFE"], stall_torque=40.0, no_load_speed=20.0)
            >>> batch["dog"].set_motors(worlds=[2, 3], delay=[[0.0] * 12, [0.02] * 12])
            >>> batch["dog"].motors["delay"][:, 6].tolist()
            [0.01, 0.01, 0.0, 0.02]
        """
        what = f"motors of {self.name}"
        self._batch.check_idle(what)
        dofs, coordinates = self._motor_dofs(joints)
        rows = self._batch.chosen_worlds(worlds).ravel()
        engine = self._batch.engine
        made = {}
        for name, value in values.items():
            known = check.known(name, PARAMETERS, f"parameter of the {what}")
            made[known] = self._motor_values(known, value, len(rows), len(dofs))
        if "delay" in made:
            dt = engine.settings.arrays["dt"].reshape(-1, 1)[rows]
            steps = np.rint(made["delay"] / dt)
            if (steps > MAX_DELAY).any():
                raise ValueError(
                    f"delay of {what} must be at most {MAX_DELAY} steps, got {steps.max():g} steps"
                )
            made["delay"] = steps.astype(np.int64)
        self._make_motors(int(made["delay"].max(initial=0)) if "delay" in made else 0)
        motors = engine.motors.arrays
        place = np.ix_(rows, dofs)
        motors["is_on"][rows] = 1
        motors["dof_q"][place] = coordinates
        for name, numbers in made.items():
            motors[PARAMETERS[name][0]][place] = numbers

    def clear_motors(self, joints: Sequence[str] | None = None) -> None:
        """Let drives act on joints without motors again, in all worlds.

        Args:
            joints: Names; None: all.

        Raises:
            KeyError, ValueError: There is no such joint, or it has not one degree of freedom.
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle(f"motors of {self.name}")
        dofs, _ = self._motor_dofs(joints)
        motors = self._batch.engine.motors.arrays
        if len(motors["torque"]) != len(self._batch):
            return
        fresh = _defaults(len(self._batch), motors["torque"].shape[1], 0).arrays
        for field in ("dof_q", "delay", "lag", "stall", "no_load", "torque", "sent_count"):
            motors[field][:, dofs] = fresh[field][:, dofs]
        motors["is_on"][:, 0] = (motors["dof_q"] >= 0).any(axis=1)

    @property
    def motors(self) -> dict[str, np.ndarray]:
        """Parameters by name, each (worlds, dof), as `set_motors` takes them; NaN where there is no motor.

        "delay" is what was set, in steps times the `time_step` of now; "torque" [N m, N] what the motor gave
        in the last step.
        """
        engine = self._batch.engine
        span = self._part.span.v
        worlds, width = len(self._batch), span.stop - span.start
        here = engine.motors.arrays
        names = {**{n: f for n, (f, _, _) in PARAMETERS.items()}, "torque": "torque"}
        if len(here["torque"]) != worlds:
            return {name: frozen(np.full((worlds, width), np.nan)) for name in names}
        has = here["dof_q"][:, span] >= 0
        dt = engine.settings.arrays["dt"].reshape(-1, 1)
        found = {name: here[field][:, span].astype(float) for name, field in names.items()}
        found["delay"] = np.broadcast_to(dt, has.shape) * found["delay"]
        return {name: frozen(np.where(has, value, np.nan)) for name, value in found.items()}

    def _motor_dofs(self, joints: Sequence[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return dofs and coordinates in the world of joints by name, (k,) each."""
        if self._part.kind != Kind.DYNAMIC:
            raise ValueError(f"{self.name} is not dynamic: nothing drives its joints")
        dofs, coordinates = (named_places(self._part, kind, joints) for kind in ("forces", "targets"))
        table = np.array([(v, q) for (_, v), (_, q) in zip(dofs, coordinates, strict=True)], np.int64)
        return table[:, 0], table[:, 1]

    def _motor_values(self, name: str, value: Any, worlds: int, joints: int) -> np.ndarray:
        """Return checked numbers, (worlds, joints)."""
        what = f"{name} of motors of {self.name}"
        given = check.array(value, what, "numbers")
        if given.shape not in ((), (joints,), (worlds, joints)):
            raise ValueError(
                f"{what} must be a number or have shape ({joints},) or ({worlds}, {joints}), "
                f"got {given.shape}"
            )
        _, may_be_zero, unit = PARAMETERS[name]
        least = given.min(initial=inf)
        may_be_endless = not may_be_zero
        bad = np.isnan(given).any() or least < 0.0 or (least == 0.0 and not may_be_zero)
        if bad or (not may_be_endless and not np.isfinite(given).all()):
            raise ValueError(
                f"{what} must be {'≥' if may_be_zero else '>'} 0 [{unit}]"
                f"{' or inf' if may_be_endless else ''}, got {check.shown(value)}"
            )
        return np.broadcast_to(given, (worlds, joints))

    def _make_motors(self, delay: int) -> None:
        """Make room for motors with commands that are late by some steps; what there is stays."""
        engine: Engine = self._batch.engine
        worlds, nv = engine.state.arrays["v"].shape
        here = engine.motors.arrays
        has = len(here["torque"]) == worlds and here["torque"].shape[1] == nv
        if has and here["sent"].shape[1] >= delay:
            return
        made = _defaults(worlds, nv, delay)
        if has:
            for field, array in here.items():
                made.arrays[field][tuple(slice(0, n) for n in array.shape)] = array
        engine.take_motors(made)


def _defaults(worlds: int, nv: int, delay: int) -> Motors:
    """Return room for motors, none of which is there yet."""
    made = Motors.allocate({"nv": nv, "ndelay": delay}, worlds)
    made.arrays["dof_q"][...] = -1
    made.arrays["stall"][...] = made.arrays["no_load"][...] = inf
    return made


def kept_motors(saved: dict[str, Any], engine: Engine) -> Motors:
    """Return the motors of a batch from copies of their arrays, checked: compiled code trusts their numbers.

    Args:
        saved: By field; as `engine.motors.arrays` was in a batch of the same world.
        engine: Of the batch.

    Raises:
        TypeError, ValueError: They are not of such a batch, or a number is out of its range.
    """
    worlds, nv = engine.state.arrays["v"].shape
    nq = engine.state.arrays["q"].shape[1]
    table = saved.get("sent")
    rows = table.shape[1] if isinstance(table, np.ndarray) and table.ndim == 4 else 0
    is_none = isinstance(saved.get("torque"), np.ndarray) and not saved["torque"].size
    like = Motors.allocate({"nv": 0, "ndelay": 0} if is_none else {"nv": nv, "ndelay": min(rows, MAX_DELAY)},
                           1 if is_none else worlds)  # fmt: skip
    if set(saved) != set(like.arrays):
        raise TypeError(f"motors must have the arrays {sorted(like.arrays)}, got {sorted(saved)}")
    ranges = {"is_on": (0, 1), "dof_q": (-1, nq - 1), "delay": (0, rows), "sent_count": (0, rows)}
    for field, array in like.arrays.items():
        given = saved[field]
        check.like(given, array, f"{field} of the motors")
        least, most = ranges.get(field, (-inf, inf))
        if not ((given >= least) & (given <= most)).all():
            raise ValueError(f"{field} of the motors is out of its range {least} … {most}")
    return Motors.wrap({field: saved[field].copy() for field in like.arrays})
