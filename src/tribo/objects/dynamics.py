"""Dynamics of a robot at its present state or at any other: M, h, both dynamics, energies, momenta."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import renamed
from tribo.checks.readonly import frozen
from tribo.description.trees import TreeDescription
from tribo.engine.subtree import TreeRecords
from tribo.objects.frames import FrameOwner
from tribo.objects.parts import reactions
from tribo.objects.states import SYMMETRIC, StateHost, States, coordinates, rows
from tribo.queries import coriolis, forward, inverse, mass, momentum, passive

_TOTALS: dict[str, Any] = {
    "kinetic_energy": 0, "potential_energy": 1, "linear_momentum": slice(2, 5),
    "angular_momentum": slice(5, 8), "mass": 8, "centre": slice(9, 12), "inertia": slice(12, 18),
}  # fmt: skip


class Dynamics(StateHost):
    """Read-outs of a robot at a state, or of N states at once with a first axis of length N.

    Equation of motion: M v̇ + h = τ + Jᵀλ/Δt, h = C v + g. All vectors are in world axes. The inertia of
    rotors (`armature`) is in M and in inverse and forward dynamics, not in momenta about points.
    """

    # -- mass and forces -----------------------------------------------------------------------
    @property
    def mass_matrix(self) -> np.ndarray:
        """Mass matrix M, shape (dof, dof) [kg, kg m, kg m²], symmetric positive definite.

        Composite rigid bodies; source: Featherstone 2008, table 6.2.
        """
        at = self._states()
        nv = at.v.shape[1]
        return at.result(at.answer(mass.mass_matrices, (nv, nv), *at.placed))

    @property
    def inverse_mass_matrix(self) -> np.ndarray:
        """Inverse M⁻¹ of the mass matrix, shape (dof, dof) [1/kg, 1/(kg m), 1/(kg m²)].

        From the sparse factor M = Lᵀ D L; source: Featherstone 2008, section 6.5.
        """
        return self._solved(np.eye(self._states().v.shape[1]))

    def solve_mass_matrix(self, force: Any) -> np.ndarray:
        """Return M⁻¹ f for a generalized `force` f, both (dof,) or (N, dof) [m/s², rad/s²; N, N m].

        Raises:
            ValueError, TypeError: The force has a wrong shape or is not finite.
        """
        at = self._states()
        return self._solved(at.given(force, "force", at.v.shape[1])[:, None])[..., 0, :]

    def _solved(self, right: np.ndarray) -> np.ndarray:
        at = self._states()
        nv = at.v.shape[1]
        right = np.array(np.broadcast_to(right, (len(at.q), right.shape[-2], nv)), order="C")
        return at.result(at.answer(mass.solves, right.shape[1:], *at.placed, right))

    @property
    def bias_force(self) -> np.ndarray:
        """Bias force h = C v + g, shape (dof,) [N, N m] (RaiSim: nonlinearities)."""
        return self._forces(self._states(), weight=1.0)

    @property
    def gravity_force(self) -> np.ndarray:
        """Weight term g of h, shape (dof,) [N, N m]: the τ that holds the robot still."""
        at = self._states()
        at.v = np.zeros_like(at.v)
        return self._forces(at, weight=1.0)

    @property
    def coriolis_force(self) -> np.ndarray:
        """Coriolis and centrifugal force C v, shape (dof,) [N, N m]."""
        return self._forces(self._states(), weight=0.0)

    @property
    def coriolis_matrix(self) -> np.ndarray:
        """Matrix C of h = C v + g for which Ṁ − 2 C is skew-symmetric, shape (dof, dof) [N s/m, N m s/rad].

        Source: Echeandia, Wensing 2021, algorithm 1.
        """
        at = self._states()
        nv = at.v.shape[1]
        return at.result(at.answer(coriolis.coriolis_matrices, (nv, nv), *at.moving_at_length))

    @property
    def passive_force(self) -> np.ndarray:
        """Force of springs, damping and borne weight, shape (dof,) [N, N m] (MuJoCo: qfrc_passive).

        −k (q − q₀) − d v, and Jᵀ f of `Link.gravity_compensation`. Dry friction is not in it: that depends
        on all else. The drives' force for an acceleration v̇ is ``inverse_dynamics(v̇) − passive_force``.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> knee = robot.joint("LF_KFE")
            >>> knee.damping, knee.velocity = 0.5, 2.0
            >>> float(robot.passive_force[knee.velocity_slice][0])
            -1.0
        """
        at = self._states()
        return at.result(at.answer(passive.passive_forces, at.v.shape[1:], *at.moving))

    def inverse_dynamics(self, acceleration: Any) -> np.ndarray:
        """Return the generalized force τ = M v̇ + h that causes an acceleration.

        Springs, damping and borne weight have no part in it: see `passive_force`.

        Args:
            acceleration: v̇, (dof,) or (N, dof) [m/s², rad/s²].

        Returns:
            (dof,) or (N, dof) [N, N m]. Recursive Newton–Euler; source: Featherstone 2008, table 5.1.

        Raises:
            ValueError, TypeError: The acceleration has a wrong shape or is not finite.

        Example:
            >>> import numpy as np, tribo
            >>> from tribo.tools.demo import ASSETS
            >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
            >>> v_dot = np.linspace(-1, 1, robot.dof)
            >>> tau = robot.inverse_dynamics(v_dot)
            >>> np.allclose(robot.forward_dynamics(tau), v_dot)
            True
        """
        at = self._states()
        return self._forces(at, at.given(acceleration, "acceleration", at.v.shape[1]), weight=1.0)

    def _forces(self, at: States, vdot: np.ndarray | None = None, *, weight: float) -> np.ndarray:
        """Return τ of inverse dynamics, with or without gravity."""
        at.vdot = np.zeros_like(at.v) if vdot is None else vdot
        return at.result(at.answer(inverse.inverse_dynamics, at.v.shape[1:], *at.accelerated, weight))

    def joint_reactions(self, acceleration: Any = None, wrench: Any = None) -> np.ndarray:
        """Return torque and force that each body receives from its parent through its joint.

        Args:
            acceleration: v̇, (dof,) or (N, dof) [m/s², rad/s²]; None: that of the state (the last
                step's for a robot in a world, 0 unless given to `at`).
            wrench: External wrenches on the bodies besides gravity, (bodies, 6) or (N, bodies, 6):
                torque [N m] and force [N] at the centre of mass, world axes; None: nothing.

        Returns:
            (bodies, 6) or (N, bodies, 6): torque about the body's origin [N m] and force [N], world
            axes; in the order of `body_names`, the root first (what the ground or a hand would have to hold).
            For one joint, also a fixed one: `Frame.reaction`.

        Raises:
            ValueError, TypeError: An array has a wrong shape or is not finite.
        """
        at = self._states()
        outside = at.loads(len(self.description.bodies), acceleration, wrench)
        return at.result(reactions(at, outside))

    def forward_dynamics(self, force: Any) -> np.ndarray:
        """Return the acceleration v̇ = M⁻¹ (τ − h) that a generalized force causes.

        Drives, damping, limits and contacts have no part in it.

        Args:
            force: τ, (dof,) or (N, dof) [N, N m].

        Returns:
            (dof,) or (N, dof) [m/s², rad/s²]. Articulated bodies; source: Featherstone 2008, table 7.1.

        Raises:
            ValueError, TypeError: The force has a wrong shape or is not finite.
        """
        at = self._states()
        tau = at.given(force, "force", at.v.shape[1])
        return at.result(at.answer(forward.forward_dynamics, tau.shape[1:], *at.moving_at_length, tau))

    # -- the robot as a whole ------------------------------------------------------------------
    @property
    def generalized_momentum(self) -> np.ndarray:
        """Generalized momentum M v, shape (dof,) [kg m/s, kg m²/s]."""
        at = self._states()
        given, at.v = at.v, np.zeros_like(at.v)
        return self._forces(at, given, weight=0.0)

    def _total(self, what: str) -> Any:
        at = self._states()
        totals = at.answer(momentum.totals, (momentum.TOTALS,), *at.moving)
        found = at.result(totals)[..., _TOTALS[what]]
        return float(found) if found.ndim == 0 else found

    @property
    def kinetic_energy(self) -> float | np.ndarray:
        """Kinetic energy ½ vᵀ M v [J]."""
        return self._total("kinetic_energy")  # type: ignore[no-any-return]

    @property
    def potential_energy(self) -> float | np.ndarray:
        """Potential energy [J]: −m g · c in gravity, 0 at the world's origin, ½ k e² of springs."""
        return self._total("potential_energy")  # type: ignore[no-any-return]

    @property
    def energy(self) -> float | np.ndarray:
        """Kinetic and potential energy [J]."""
        return self.kinetic_energy + self.potential_energy

    @property
    def linear_momentum(self) -> np.ndarray:
        """Linear momentum, shape (3,) [kg m/s], world axes."""
        return np.asarray(self._total("linear_momentum"))

    @property
    def angular_momentum(self) -> np.ndarray:
        """Angular momentum about the world's origin, shape (3,) [kg m²/s], world axes."""
        return np.asarray(self._total("angular_momentum"))

    def angular_momentum_about(self, point: Any) -> np.ndarray:
        """Return the angular momentum about a `point` (3,) [m], world; shape (3,) [kg m²/s], world axes.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
        """
        at = self._states()
        arm = at.result(at.given(point, "point", 3))
        return frozen(self.angular_momentum - np.cross(arm, self.linear_momentum))

    @property
    def com_position(self) -> np.ndarray:
        """Centre of mass of all bodies together, shape (3,) [m], world."""
        return np.asarray(self._total("centre"))

    @property
    def composite_inertia(self) -> np.ndarray:
        """Inertia of all bodies, locked, about their common centre of mass, (3, 3) [kg m²], world axes."""
        return frozen(self._total("inertia")[..., SYMMETRIC])

    @property
    def mass(self) -> float | np.ndarray:
        """Mass of all bodies [kg]."""
        return self._total("mass")  # type: ignore[no-any-return]

    center_of_mass = renamed("center_of_mass", "com_position", is_set=False)
    total_mass = renamed("total_mass", "mass", is_set=False)

    @property
    def centroidal_momentum_matrix(self) -> np.ndarray:
        """Matrix A of (p, L) = A v, L about the centre of mass, shape (6, dof) [kg, kg m; kg m, kg m²].

        Rows: linear momentum, then angular momentum, world axes.
        Source: Orin, Goswami, Lee 2013, equation 27.
        """
        at = self._states()
        return at.result(at.answer(momentum.centroidal_matrices, (6, at.v.shape[1]), *at.placed))


class Evaluation(Dynamics, FrameOwner):
    """A robot at given coordinates, velocities and accelerations: ``robot.at(q, v)``.

    It answers as the robot would in that state, with its masses and the gravity of its world at the
    time of the question. With N states all answers have a first axis of length N and come from one
    compiled call.

    Example:
        >>> import numpy as np, tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf")
        >>> q = np.tile(robot.generalized_coordinate, (1000, 1))
        >>> q[:, 7:] = np.random.default_rng(0).uniform(-1, 1, (1000, 12))
        >>> robot.at(q).mass_matrix.shape
        (1000, 18, 18)
        >>> robot.at(q).frame("LF_FOOT").position.shape
        (1000, 3)
    """

    def __init__(self, owner: Evaluable, q: Any, v: Any, vdot: Any) -> None:
        """Use ``robot.at(q, v, vdot)``."""
        now = owner._states()
        self.name, self.description = owner.name, owner.description
        self._owner = owner
        given = [check.values(x, "q, v, vdot").ndim for x in (q, v, vdot) if x is not None]
        self._is_single = now.is_single and max(given, default=1) < 2
        if q is None:
            self._q = now.q.copy()
        else:
            self._q = coordinates(q, self.description, f"coordinates of {self.name}", now.q.shape[1])
        count = max([len(self._q), *(len(x) for x in (v, vdot) if np.ndim(x) == 2)])
        if not now.is_single and count != len(now.q):
            count = len(now.q)  # each world of a batch has its own masses: one state for each
        nv = now.v.shape[1]
        self._q = rows(self._q[0] if len(self._q) == 1 else self._q, f"coordinates of {self.name}",
                       self._q.shape[1:], count)  # fmt: skip
        still = np.zeros(nv)
        self._v = rows(still if v is None else v, f"velocities of {self.name}", (nv,), count)
        self._vdot = rows(still if vdot is None else vdot, f"accelerations of {self.name}", (nv,), count)

    def __repr__(self) -> str:
        """Return the robot's name and how many states it is asked about."""
        return f"<Evaluation of {self.name!r} at {len(self)} states>"

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._q)

    def _states(self) -> States:
        return States(self.name, self._owner._records(), self._q, self._v, self._vdot, self._is_single)


class Evaluable(Dynamics, FrameOwner):
    """A robot with a present state that can be asked about other states."""

    name: str
    description: TreeDescription

    @abstractmethod
    def _records(self) -> TreeRecords:
        """Return the records with which queries about this robot compute."""

    def at(self, q: Any = None, v: Any = None, vdot: Any = None) -> Evaluation:
        """Return the robot as it would be at other states; the world is not touched.

        Args:
            q: Coordinates, (nq,) or (N, nq) [m, rad, –]; None: the present ones.
            v: Velocities, (dof,) or (N, dof) [m/s, rad/s]; None: zero.
            vdot: Accelerations, (dof,) or (N, dof) [m/s², rad/s²], for accelerations of frames and
                for joint reactions; None: zero.

        Raises:
            ValueError: A shape is wrong, a number is not finite, a quaternion is not of unit length.
        """
        return Evaluation(self, q, v, vdot)
