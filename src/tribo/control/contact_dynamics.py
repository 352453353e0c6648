"""`contact_inverse_dynamics`: forces of contacts and drives that explain an acceleration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.readonly import frozen
from tribo.control.cone_programme import Cones, nearest_forces
from tribo.control.contact_points import SLIP_SPEED, ContactPoints
from tribo.control.inputs import TANGENT
from tribo.identification.state_layout import StateLayout
from tribo.model import Kind
from tribo.world.checked import checked_world
from tribo.world.world import World

FORCE_ARM = 0.01  # [m] weight of forces over torques: what is left free is spread over the contacts
POSSIBLE = 1e-6  # [–] of the largest force that is asked for: a residual below that is rounding
NEEDS = 'inverse dynamics with contact needs SciPy: pip install "tribo[identification]"'


@dataclass(frozen=True, repr=False, eq=False)
class ContactForces:
    """Forces of contacts and drives with which a world moves as was asked; n points, vectors in world axes.

    Attributes:
        position: (n, 3) [m] of the points.
        normal: (n, 3) unit, from B into A.
        force: (n, 3) [N] on A.
        objects: Names of A and B of each point.
        friction: (n,) [–] coefficient of each point.
        slips: (n,) of bool: the motion that was asked for lets it slip.
        torque: By name of an object what its drives give, (dof,) [N m, N]; 0 where there is none.
        residual: By name what no drive and no contact gives, (dof,) [N m, N].
        is_possible: Whether nothing is lacking: the motion can be had.
    """

    position: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    objects: tuple[tuple[str, str], ...]
    friction: np.ndarray
    slips: np.ndarray
    torque: dict[str, np.ndarray]
    residual: dict[str, np.ndarray]
    is_possible: bool

    def __repr__(self) -> str:
        """Return how many points there are and whether the motion can be had."""
        said = "possible" if self.is_possible else "not possible"
        return f"<ContactForces at {len(self.force)} points, {said}>"

    @property
    def friction_use(self) -> np.ndarray:
        """Share of its friction that each point uses, (n,) [–]; 1: it is about to slip."""
        normal = np.einsum("ij,ij->i", self.force, self.normal)
        across = np.linalg.norm(self.force - normal[:, None] * self.normal, axis=1)
        most = self.friction * normal
        return frozen(np.divide(across, most, out=np.zeros_like(across), where=most > 0.0))

    def force_on(self, name: str) -> np.ndarray:
        """Return the forces on an object that moves, (n, 3) [N]; 0 where it has no part.

        Raises:
            KeyError: There is no such object; the message proposes the nearest name.
        """
        check.known(name, self.torque, "object that moves")
        sign = np.array([(a == name) - (b == name) for a, b in self.objects], float)
        return frozen(sign[:, None] * self.force)


@answered_call
def contact_inverse_dynamics(
    world: World, acceleration: Mapping[str, Any] | None = None, *,
    undriven: Sequence[str] = (), reach: float = 1e-5, slip_speed: float = SLIP_SPEED,
) -> ContactForces:  # fmt: skip
    """Return forces of contacts and drives with which a world has an acceleration: M v̇ + h = τ + Σ Jᵀ f.

    Where the motion opens a contact its force is zero, where it slips the force is on the edge of the cone
    against the slip, else it is anywhere in the cone. Among all such forces those are taken that leave the
    floating and undriven dofs in balance, and of these the ones with the least ‖τ‖² + (0.01 m)² ‖f‖². Pairs
    that give way count as rigid, rolling and spinning friction and dry friction of joints as none. The world
    stays as it is; it is taken at its present coordinates and velocities.

    Args:
        world: Without constraints between bodies.
        acceleration: By name of an object v̇ (dof,) [m/s², rad/s²]; None, and objects that are left out: 0.
        undriven: Joints without a drive, "robot/joint"; bases that float never have one.
        reach: [m] gap up to which a point can push, and by which a motion must open it to free it.
        slip_speed: [m/s] from which on a point slips.

    Raises:
        ImportError: SciPy is missing; the message names the extra.
        KeyError: There is no such object or joint; the message proposes the nearest.
        TypeError, ValueError: An acceleration has a wrong shape or is not finite, or there are constraints.

    Source: Righetti et al. 2013, "Optimal distribution of contact forces with inverse-dynamics control";
    Mistry, Buchli, Schaal 2010, "Inverse dynamics control of floating base systems".

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> box = world.add_box((0.4, 0.4, 0.2), 2.0, name="box", position=(0, 0, 0.1))
        >>> found = tribo.contact_inverse_dynamics(world)
        >>> found.is_possible, found.force_on("box")[:, 2].round(6).tolist()
        (True, [4.905, 4.905, 4.905, 4.905])
        >>> bool(found.friction_use.max() < 1e-6)
        True
        >>> tribo.contact_inverse_dynamics(world, {"box": [9, 0, 0, 0, 0, 0]}).is_possible
        False
    """
    with check.needed(NEEDS):
        import scipy.optimize  # noqa: F401
    checked_world(world)
    layout = StateLayout(world)
    motion = Motion(world, layout, acceleration or {}, list(undriven))
    points = ContactPoints(world, layout, motion.velocity_after)
    chosen = points.near(check.number(reach, "reach", minimum=0.0, maximum=check.LARGEST))
    return motion.solve(points, chosen, check.positive(slip_speed, "slip_speed"))


class Motion:
    """Generalized force that the motion needs, M v̇ + h less other forces, and which dofs have drives."""

    def __init__(
        self, world: World, layout: StateLayout, given: Mapping[str, Any], undriven: list[str]
    ) -> None:
        if world.constraints:
            raise ValueError(
                f"the world has {len(world.constraints)} constraints, whose forces "
                "are not known here; remove them first"
            )
        self._layout = layout
        moved = {name: v for name, _, v in layout.objects}
        for name in given:
            check.known(name, moved, "object that moves")
        _, velocity = layout.state_of(world)
        self.velocity_after = velocity.copy()
        self.force, self.is_dynamic = np.zeros(layout.nv), np.zeros(layout.nv, bool)
        for name, at in moved.items():
            part: Any = world[name]
            vdot = np.zeros(at.stop - at.start)
            if name in given:
                vdot = check.vector(given[name], f"acceleration of {name}", at.stop - at.start)
            self.velocity_after[at] += layout.time_step * vdot
            if part.body_type == Kind.DYNAMIC:
                self.is_dynamic[at] = True
                self.force[at] = _force(world, part, vdot)
        self.has_drive = self.is_dynamic.copy()
        for k, dof in enumerate(layout.dofs):
            if dof.rpartition("/")[2] in TANGENT:
                self.has_drive[k] = False
        for dof in undriven:
            self.has_drive[layout.dofs[check.known(dof, layout.dofs, "joint")]] = False

    def solve(self, points: ContactPoints, chosen: np.ndarray, slip_speed: float) -> ContactForces:
        """Return the forces."""
        j, axes = points.jacobian[chosen], points.axes[chosen]
        across = points.velocity[chosen, :2]
        speed = np.linalg.norm(across, axis=1)
        slips = speed > slip_speed
        direction = np.where(slips[:, None], across / np.maximum(speed, 1e-300)[:, None], 0.0)
        alone, driven = self.is_dynamic & ~self.has_drive, self.has_drive
        spread = j.reshape(-1, self._layout.nv).T
        force = nearest_forces(
            spread[alone], self.force[alone], spread[driven], self.force[driven], FORCE_ARM,
            Cones(points.friction[chosen], direction),
        )  # fmt: skip
        left = np.where(self.is_dynamic, self.force - spread @ force.ravel(), 0.0)
        torque, residual = np.where(driven, left, 0.0), np.where(alone, left, 0.0)
        size = max(float(np.abs(self.force).max(initial=0.0)), 1e-300)
        parts = {name: v for name, _, v in self._layout.objects}
        return ContactForces(
            position=frozen(points.position[chosen]),
            normal=frozen(axes[:, 2]),
            force=frozen(np.einsum("nij,ni->nj", axes, force)),
            objects=tuple(pair for pair, is_one in zip(points.objects, chosen, strict=True) if is_one),
            friction=frozen(points.friction[chosen]),
            slips=frozen(slips),
            torque={name: frozen(torque[at]) for name, at in parts.items()},
            residual={name: frozen(residual[at]) for name, at in parts.items()},
            is_possible=bool(np.abs(residual).max(initial=0.0) <= POSSIBLE * size),
        )


def _force(world: World, part: Any, vdot: np.ndarray) -> np.ndarray:
    """Return M v̇ + h of an object without its passive forces, (dof,) [N, N m]."""
    if hasattr(part, "inverse_dynamics"):
        now = part.at(part.generalized_coordinate, part.generalized_velocity)
        return np.asarray(now.inverse_dynamics(vdot) - now.passive_force)
    turn = np.asarray(part.rotation_matrix)
    inertia, spin = turn @ part.inertia @ turn.T, np.asarray(part.angular_velocity)
    linear = part.mass * (vdot[:3] - world.gravity) + part.linear_damping * part.linear_velocity
    angular = inertia @ vdot[3:] + np.cross(spin, inertia @ spin) + part.angular_damping * spin
    return np.concatenate([linear, angular])
