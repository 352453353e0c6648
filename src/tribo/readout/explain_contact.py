"""Why does this contact behave as it does: numbers of the last step between two objects, as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.engine.engine import Engine
from tribo.model import Pair, Status
from tribo.objects import Object
from tribo.readout.culprits import kept

AT_BOUND = 1e-6  # [–] of the friction bound by which a tangential force may miss it and still slip


@dataclass(frozen=True, slots=True)
class PointDiagnosis:
    """One contact point of the last step."""

    state: str  # "open": no force, "stick", "slip"
    gap: float  # [m] where the step was evaluated; negative: overlap
    normal_force: float  # [N]
    friction_force: float  # [N]
    friction: float  # [–] coefficient in use, between static and dynamic friction
    load: float  # [–] friction_force / (friction · normal_force): 1 at the bound
    slip_speed: float  # [m/s] after the step's impulses, tangential
    approach_speed: float  # [m/s] before the step's forces, > 0: towards one another
    restitution: float  # [–] in use: 0 if the approach is no faster than the threshold
    residual: float  # [m/s] by how much its law is missed
    position: tuple[float, float, float]  # [m] world


@dataclass(frozen=True, slots=True, repr=False)
class ContactDiagnosis:
    """Result of the last step between two objects; printed it is a table."""

    names: tuple[str, str]
    points: tuple[PointDiagnosis, ...]
    residual: float  # [–] of the whole solve, the largest of three
    is_converged: bool

    @property
    def normal_force(self) -> float:
        """Sum over the points [N]."""
        return sum(p.normal_force for p in self.points)

    def count(self, state: str) -> int:
        """Return how many points are "open", "stick" or "slip"."""
        return sum(p.state == state for p in self.points)

    def __repr__(self) -> str:
        """Return the table."""
        a, b = self.names
        if not self.points:
            return f"<ContactDiagnosis {a!r} and {b!r}: no point within reach of the last step>"
        states = ", ".join(f"{self.count(s)} {s}" for s in ("open", "stick", "slip") if self.count(s))
        solved = "solved" if self.is_converged else "NOT converged"
        head = (
            "state        gap m        N N    |F_t| N        μ  F_t/μN   slip m/s  approach m/s      e"
            "  residual m/s"
        )
        lines = [f"{a!r} on {b!r}: {len(self.points)} points ({states}), N = {self.normal_force:.6g} N", head]
        lines += [
            f"{p.state:<6} {p.gap:>11.3e} {p.normal_force:>10.4g} {p.friction_force:>10.4g} "
            f"{p.friction:>8.4g} {p.load:>7.4f} {p.slip_speed:>10.3e} "
            f"{p.approach_speed:>13.3e} {p.restitution:>6.3g} {p.residual:>13.1e}"
            for p in self.points
        ]
        return "\n".join([*lines, f"residual of the solve {self.residual:.1e}, {solved}"])


def diagnose(engine: Engine, a: Object, b: Object) -> ContactDiagnosis:
    """Return what the last step found between two objects (or of an object with itself).

    Raises:
        ValueError: The numbers of the last step are gone: objects were added or removed, or a state restored.
    """
    work = engine.work
    count = int(work.contact_count[0])
    if count and not work.row_count[0] and not work.resting_count[0]:
        raise ValueError(
            "the numbers of the last step are gone (objects were added or removed, or a state was restored); "
            "step first"
        )
    spans = [part.span.shape if part.span is not None else slice(0, 0) for part in (a, b)]
    points = []
    for c in range(count):
        s, t = work.contact_shape[c]
        is_of = [span.start <= x < span.stop for span, x in zip((*spans, *spans), (s, t, t, s), strict=True)]
        if all(is_of[:2]) or all(is_of[2:]):
            points.append(_point(engine, c))
    converged = not int(work.status[0]) & Status.NOT_CONVERGED
    return ContactDiagnosis((a.name, b.name), tuple(points), float(np.max(work.residual)), converged)


def _point(engine: Engine, c: int) -> PointDiagnosis:
    work, model, dt = engine.work, engine.model, float(engine.settings.dt)
    x, y, normal = (float(k) / dt for k in work.contact_impulse[c])
    friction, load, missed = kept(engine, c)
    frame = work.contact_axes[c].reshape(3, 3)
    bodies = work.contact_body[c]
    velocity = [_velocity(engine, int(body), work.contact_pos[c]) for body in bodies]
    slip = frame @ (velocity[0] - velocity[1])
    pair = model.pair_table[tuple(model.shape_material[s] for s in work.contact_shape[c])]
    approach = float(work.contact_drift[c, 2] - work.contact_vel[c, 2])
    bounce = min(1.0, float(pair[Pair.RESTITUTION]) + float(engine.settings.erp2))
    state = "open"
    if normal + float(work.adhesion_impulse[c]) / dt > 0.0:
        state = "slip" if load >= 1.0 - AT_BOUND else "stick"
    return PointDiagnosis(
        state=state,
        gap=float(work.contact_gap[c]),
        normal_force=normal,
        friction_force=float(np.hypot(x, y)),
        friction=friction,
        load=load,
        slip_speed=float(np.hypot(slip[0], slip[1])),
        approach_speed=approach,
        restitution=bounce if approach > pair[Pair.RESTITUTION_THRESHOLD] else 0.0,
        residual=missed,
        position=tuple(work.contact_pos[c].tolist()),
    )


def _velocity(engine: Engine, body: int, point: np.ndarray) -> np.ndarray:
    """Return the velocity of a point of a body after the step's impulses, where the step was evaluated."""
    work, model = engine.work, engine.model
    tree = int(model.body_tree[body])
    arm = point - work.body_pos[model.tree_body[tree]]
    first = int(model.body_chain_start[body])
    dofs = model.chain_dof[first : first + int(model.body_chain_len[body])]
    if not len(dofs):
        return np.zeros(3)
    rates = work.next_v[dofs]
    if model.tree_is_single[tree]:
        return np.asarray(rates[:3] + np.cross(rates[3:], arm))
    twist = rates @ work.dof_axis[dofs]
    return np.asarray(twist[3:] + np.cross(twist[:3], arm))
