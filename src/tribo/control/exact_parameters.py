"""`ForcesOfParameters`: the change of the equations of a step by parameters, as joint forces and targets.

In M̂ (v⁺ − v) + dt (h − τ) − Jᵀ λ = 0 a parameter acts as a joint force of −1/dt times what it changes on the
left at the v⁺ and λ of the step: so its column of the implicit function theorem is that of this force.
A friction that slips is one, too, −Jᵀ ŵ λ_n/dt; a restitution changes what a contact asks for instead.
The fields of a model that a parameter sets are compared in worlds with more and with less of it. Links that
are longer carry what is behind them as a slide would.
Source: Atkeson, An, Hollerbach 1986, inverse dynamics is linear in masses, moments and inertias.
"""

from __future__ import annotations

import numpy as np

from tribo.control.exact_step import ExactStep
from tribo.engine.engine import Engine
from tribo.enums import Momentum
from tribo.model import Integrator, Joint, Pair, Slot
from tribo.objects.states import SYMMETRIC
from tribo.queries.step_tangents import motion_of_step
from tribo.queries.tangents import Count

Changes = dict[str, np.ndarray]  # by field: its derivative by a parameter
Made = tuple[np.ndarray, np.ndarray]  # joint forces (nv,), targets of contacts (contacts,)

GRAVITY = ("gravity_x", "gravity_y", "gravity_z")
INERTIAL = {"body_mass", "body_com", "body_inertia"}
ON_JOINTS = {"dof_armature", "dof_damping", "dof_stiffness"}
SAME = 1e-9  # [–] of an inertia, by which a multiple of another may miss it


def changed_fields(engine: Engine, less: int, more: int, span: float) -> Changes:
    """Return by what fields of the model and the settings differ in two worlds of a batch, over a span."""
    made = {}
    for record in (engine.model, engine.settings, engine.command):
        for name, array in record.arrays.items():
            if len(array) > 1 and not np.array_equal(array[more], array[less]):
                made[name] = (array[more] - array[less]) / span
    return made


class ForcesOfParameters:
    """Joint forces and targets of parameters at the step that was differentiated last.

    Args:
        step: It.
    """

    def __init__(self, step: ExactStep) -> None:
        self._model = step.engine.model.arrays
        self._work, self._tangents = step.engine.work.arrays, step.tangents.arrays
        self._settings = {name: array.flat[0] for name, array in step.engine.settings.arrays.items()}
        self._dt = float(self._settings["dt"])
        self._nv = step.nv
        self._count = int(self._tangents["counts"][0, 0])
        self._is_any_kept = (self._work["tree_is_kept"][0] != Momentum.LEFT_ALONE).any()
        engine = step.engine
        motion_of_step(engine.model, engine.settings, engine.work, step.tangents)

    def of(self, changes: Changes) -> Made | str:
        """Return joint forces and targets of a unit of a parameter, or why it has none that are exact."""
        why = self._refused(changes)
        if why:
            return why
        force, target = np.zeros(self._nv), np.zeros(self._count)
        if changes.keys() & INERTIAL:
            why = self._add_inertial(changes, force)
        if "joint_pos" in changes:
            why = why or self._add_lengths(changes["joint_pos"], force)
        if "pair_table" in changes:
            why = why or self._add_pair(changes["pair_table"], force, target)
        if why:
            return why
        self._add_joints(changes, force)
        pull = np.array([float(np.ravel(changes.get(one, 0.0))[0]) for one in GRAVITY])
        if pull.any():
            mass, rows = self._model["body_mass"][0], self._tangents["com_rows"][0]
            force += np.einsum("i,ikj,k->j", mass, rows[:, 3:], pull)
        return force, target

    def _refused(self, changes: Changes) -> str:
        """Return why the equations do not tell what is asked for; "" if they do."""
        tangents, names = self._tangents, changes.keys()
        known = INERTIAL | ON_JOINTS | {"dof_friction", "joint_pos", "pair_table", *GRAVITY}
        if names - known:
            return f"a parameter changes {sorted(names - known)[0]}"
        if tangents["stage"][0, 0] > 0:
            return "the bias force was taken anew"
        weighs = bool(names & (INERTIAL | ON_JOINTS | {"joint_pos"}))
        if tangents["stage"][0, 4] and (weighs or "dof_friction" in names):
            return "a contact or a ball joint asks what forces alone do"
        if weighs and self._work["shift_v"].any():
            return "positions are shifted"
        if self._is_any_kept and names - {"pair_table", "dof_friction"}:
            return "bodies keep their momentum"
        return ""

    def _behind(self, body: int) -> np.ndarray:
        """Return the dofs that move a body."""
        first = self._model["body_chain_start"][0][body]
        chain = self._model["chain_dof"][0]
        return np.asarray(chain[first : first + self._model["body_chain_len"][0][body]])

    def _origin(self, body: int) -> np.ndarray:
        """Return the point about which spatial vectors of a body are taken."""
        root = self._model["tree_body"][0][self._model["body_tree"][0][body]]
        return np.asarray(self._work["body_pos"][0][root])

    def _add_inertial(self, changes: Changes, force: np.ndarray) -> str:
        """Add −∂ID of masses, centres of mass and inertias."""
        model = self._model
        zero = {name: np.zeros_like(model[name][0]) for name in INERTIAL}
        mass, com, inertia = (
            changes.get(name, zero[name]) for name in ("body_mass", "body_com", "body_inertia")
        )
        touched = (mass != 0.0) | com.any(axis=1) | inertia.any(axis=1)
        for body in np.flatnonzero(touched).tolist():
            if com[body].any() and self._tangents["wrench"][0][body].any():
                return "a force at a centre of mass goes with it"
            if com[body].any() and self._tangents["counts"][0, Count.SPINS] > 0:
                return "rolling friction has the centre of mass in its lever"
            single = model["tree_is_single"][0][model["body_tree"][0][body]] == 1
            needed = self._needed_alone if single else self._needed
            made = needed(body, float(mass[body]), com[body], inertia[body])
            if isinstance(made, str):
                return made
            dofs = self._behind(body)
            force[dofs] -= made if single else self._work["dof_axis"][0][dofs] @ made
        return ""

    def _needed(self, body: int, mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
        """Return by what the spatial force changes that a body of a tree needs, about the tree's origin."""
        rot = self._work["body_rot"][0][body].reshape(3, 3)
        centre = rot @ self._model["body_com"][0][body]
        arm = self._work["body_pos"][0][body] + centre - self._origin(body)
        moved = rot @ com
        twist, full = self._tangents["twist"][0][body], self._tangents["full"][0][body]
        omega, alpha = twist[:3], full[:3]
        speed = twist[3:] + np.cross(omega, arm)
        rate = full[3:] + np.cross(alpha, arm) + np.cross(omega, speed)
        carried = np.cross(alpha, moved) + np.cross(omega, np.cross(omega, moved))
        whole = float(self._model["body_mass"][0][body])
        push = mass * rate + whole * carried
        own = rot @ inertia[SYMMETRIC] @ rot.T
        turn = own @ alpha + np.cross(omega, own @ omega)
        turn += np.cross(arm, push) + np.cross(moved, whole * rate)
        return np.concatenate([turn, push])

    def _needed_alone(self, body: int, mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray | str:
        """Return by what the force on the six dofs of a free body changes; it tumbles as before."""
        dofs, own = self._behind(body), self._model["body_inertia"][0][body]
        omega = self._tangents["start_v"][0][dofs[3:]]
        share = float(inertia @ own) / float(own @ own)
        if com.any():
            return "the centre of mass of a free body moves"
        if omega.any() and not np.abs(inertia - share * own).max() <= SAME * abs(share) * own.max():
            return "a free body tumbles otherwise"
        tree = self._model["body_tree"][0][body]
        after = self._work["next_v"][0][dofs[3:]] - self._work["single_free_spin"][0][tree]
        rot = self._work["body_rot"][0][body].reshape(3, 3)
        weight = np.array([self._settings[name] for name in GRAVITY])
        rate = self._tangents["vdot"][0][dofs[:3]] - weight
        turn = rot @ inertia[SYMMETRIC] @ rot.T @ after / self._dt
        return np.concatenate([mass * rate, turn])

    def _add_joints(self, changes: Changes, force: np.ndarray) -> None:
        """Add what armatures, dampers, springs and dry friction that slips do."""
        v, end = self._tangents["start_v"][0], self._work["next_v"][0]
        if "dof_armature" in changes:
            force -= changes["dof_armature"] * self._tangents["vdot"][0]
        if "dof_damping" in changes:
            force -= changes["dof_damping"] * end
        if "dof_stiffness" in changes:
            before, after = -0.25, 0.25
            if self._settings["integrator"] == Integrator.SEMI_IMPLICIT:
                before, after = 0.0, 0.5
            error = self._work["spring_error"][0] + self._dt * (before * v + after * end)
            force -= changes["dof_stiffness"] * error
        if "dof_friction" not in changes:
            return
        work = self._work
        for row in range(int(work["scalar_count"][0, 0])):
            body = work["scalar_body"][0, row, 0]
            place = work["scalar_slot"][0, row] - self._model["joint_slot"][0][body] - Slot.FRICTION
            impulse = work["scalar_impulse"][0, row]
            held = row in self._tangents["scalar"][0, : self._tangents["counts"][0, 1]]
            if 0 <= place < len(self._dofs_of(body)) and not held:
                dof = self._dofs_of(body)[place]
                force[dof] += np.sign(impulse) * changes["dof_friction"][dof]

    def _dofs_of(self, body: int) -> np.ndarray:
        """Return the dofs of the joint of a body."""
        return np.flatnonzero(self._model["dof_body"][0] == body)

    def _add_lengths(self, moved: np.ndarray, force: np.ndarray) -> str:
        """Add what origins of joints do that go along their parents: −∂ID by a slide there."""
        model, tangents = self._model, self._tangents
        axes = self._work["dof_axis"][0]
        for body in np.flatnonzero(moved.any(axis=1)).tolist():
            parent, tree = int(model["body_parent"][0][body]), model["body_tree"][0][body]
            if parent < 0 or model["joint_type"][0][body] == Joint.FREE:
                return "the origin of a root moves"
            last = model["tree_body"][0][tree] + model["tree_body_count"][0][tree]
            carried = [k for k in range(body, last) if k == body or self._hangs_on(k, body)]
            ends = self._work["contact_body"][0, : self._work["contact_count"][0, 0]]
            if np.isin(ends, carried).any() or tangents["wrench"][0][carried].any():
                return "what a longer link carries is pushed"
            slide = self._work["body_rot"][0][parent].reshape(3, 3) @ moved[body]
            v, a = tangents["twist"][0][parent], tangents["full"][0][parent]
            # v × s and a × s + v × (v × s) of a motion s without rotation are without one, too.
            rate = np.cross(v[:3], slide)
            rate2 = np.cross(a[:3], slide) + np.cross(v[:3], rate)
            turning = np.concatenate([np.zeros(3), rate])
            turning2 = np.concatenate([np.zeros(3), rate2])
            for dof in range(self._nv):
                at = int(model["dof_body"][0][dof])
                if at == body or self._hangs_on(at, body):
                    force[dof] -= tangents["inertia_axis"][0][dof] @ turning2
                    force[dof] -= tangents["swept_axis"][0][dof] @ turning
            needed = tangents["force"][0][body]
            change = _times(tangents["composite"][0][body], rate2)
            change += tangents["swept"][0][body].reshape(6, 6) @ turning
            change[:3] += np.cross(slide, needed[3:])
            above = self._behind(parent)
            force[above] -= axes[above] @ change
        return ""

    def _hangs_on(self, body: int, other: int) -> bool:
        """Tell whether a body hangs on another one."""
        parents = self._model["body_parent"][0]
        while body > other:
            body = int(parents[body])
        return body == other

    def _add_pair(self, table: np.ndarray, force: np.ndarray, target: np.ndarray) -> str:
        """Add what friction does where it slips, and note what rebounds ask for."""
        work, tangents, model = self._work, self._tangents, self._model
        names = {Pair.FRICTION, Pair.STATIC_FRICTION, Pair.RESTITUTION, Pair.RESTITUTION_THRESHOLD}
        others = np.delete(np.arange(table.shape[-1]), [int(one) for one in names])
        if table[..., others].any():
            return "a parameter of a pair is neither friction nor restitution"
        own = model["pair_table"][0]
        for m in range(self._count):
            c = tangents["contact"][0, m]
            pair = tuple(model["shape_material"][0][work["contact_shape"][0, c]])
            friction = table[pair][Pair.FRICTION]
            if tangents["slips"][0, m] == 1 and friction != 0.0:
                if work["contact_friction"][0, c] != own[pair][Pair.FRICTION]:
                    return "friction is not that of the pair"
                if tangents["stage"][0, 4] or tangents["is_hit"].any():
                    return "a contact or a ball joint asks what forces alone do"
                self._add_friction(c, friction, force)
            by = table[pair][[Pair.RESTITUTION, Pair.RESTITUTION_THRESHOLD]]
            if not by.any() or work["contact_bounce"][0, c] == 0.0:
                continue
            if own[pair][Pair.RESTITUTION] + self._settings["erp2"] >= 1.0:
                return "restitution is at its bound"
            if self._is_any_kept:
                return "bodies keep their momentum"
            if work["shift_v"].any() or tangents["shift_slope"].any():
                return "positions are shifted"
            target[m] = by @ tangents["bounce_slope"][0, m]
        return ""

    def _add_friction(self, c: int, friction: float, force: np.ndarray) -> None:
        """Add what more friction of contact c, which slips, does to the dofs of both sides."""
        work = self._work
        x, y, normal = work["contact_impulse"][0, c]
        axes = work["contact_axes"][0, c].reshape(3, 3)
        push = np.array([x, y, 0.0]) @ axes * (friction * normal / (np.hypot(x, y) * self._dt))
        both = work["contact_len"][0, c].all()
        for side, sign in enumerate((1.0, -1.0)):
            body = int(work["contact_body"][0, c, side])
            if work["contact_len"][0, c, side] == 0:
                continue
            off = 0.0 if both else 0.5 * sign * work["contact_gap"][0, c]
            arm = work["contact_pos"][0, c] + off * axes[2] - self._origin(body)
            wrench = sign * np.concatenate([np.cross(arm, push), push])
            dofs = self._behind(body)
            force[dofs] += work["dof_axis"][0][dofs] @ wrench


def _times(inertia: np.ndarray, linear: np.ndarray) -> np.ndarray:
    """Return a spatial inertia (mass, moment, I) times an acceleration without rotation."""
    return np.concatenate([np.cross(inertia[1:4], linear), inertia[0] * linear])
