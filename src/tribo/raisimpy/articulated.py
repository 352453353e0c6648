"""Robots: state, control, dynamics, kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.raisimpy import enums
from tribo.raisimpy.arguments import assign, assign_each, kept, member, per_dof, turned
from tribo.raisimpy.articulated_parts import RobotParts
from tribo.raisimpy.enums import ControlMode, MeshCollisionMode
from tribo.raisimpy.spelling import Dialects, data, means, nothing, reads, vector, writes

_SCHEMES = {
    enums.IntegrationScheme.TRAPEZOID: "midpoint",
    enums.IntegrationScheme.SEMI_IMPLICIT: "semi_implicit",
    enums.IntegrationScheme.EULER: "semi_implicit",
    enums.IntegrationScheme.RUNGE_KUTTA_4: "rk4",
}


def _joined(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return mass, centre of mass, and inertia about it, of two bodies together."""
    mass, arm = one[0] + other[0], other[1] - one[1]
    share = other[0] / mass if mass else 0.0
    spread = one[0] * share * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, one[1] + share * arm, one[2] + other[2] + spread


def _composite(column: int, text: str) -> Any:
    """Return a method that lists a property of each body together with all bodies that it carries."""

    def read(self: Any) -> list[Any]:
        made = [
            (link.mass, link.com_position, link.rotation_matrix @ link.inertia @ link.rotation_matrix.T)
            for link in self._links
        ]
        for k, parent in reversed([*enumerate(self.getParentVector())][1:]):
            made[parent] = _joined(made[parent], made[k])
        return [one[column] for one in made]

    return means(text, read)


@dataclass
class ArticulatedSystemOption(Dialects):
    """How a robot is read."""

    doNotCollideWithParent: bool = True
    convexifyCollisionMeshes: bool = False
    collisionMeshMode: MeshCollisionMode = MeshCollisionMode.CONVEX_HULL

    def setCollisionMeshMode(self, mode: MeshCollisionMode, _: Any = None) -> None:
        """``add_articulated_system(collision_meshes=…)``"""
        self.collisionMeshMode = member(MeshCollisionMode, mode)


data(ArticulatedSystemOption)


class ArticulatedSystem(RobotParts):
    """A robot. Its PD acts as RaiSim's: averaged, and without effect on the six dofs of a floating base."""

    Frame, IntegrationScheme = enums.Frame, enums.IntegrationScheme
    ControlMode, JointType, ShapeType = enums.ControlMode, enums.JointType, enums.ShapeType

    _old: ClassVar[dict[str, str]] = {
        "get_generalized_coordinates": "getGeneralizedCoordinate",
        "get_generalized_velocities": "getGeneralizedVelocity",
        "set_generalized_coordinates": "setGeneralizedCoordinate",
        "set_generalized_velocities": "setGeneralizedVelocity",
        "set_generalized_forces": "setGeneralizedForce",
        "get_generalized_forces": "getGeneralizedForce",
        "get_feedforward_generalized_forces": "getFeedForwardGeneralizedForce",
        "get_states": "getState",
        "set_states": "setState",
        "get_non_linearities": "getNonlinearities",
        "get_num_dof": "getDOF",
        "set_base_position": "setBasePos",
        "set_pd_targets": "setPdTarget",
        "set_joint_dampings": "setJointDamping",
        "compute_sparse_inverse_mass_matrix": "computeSparseInverse",
        "mass_matrix_vector_multiplication": "massMatrixVecMul",
    }

    def __init__(self, world: Any, it: Any, kind: Any) -> None:
        """Wrap a robot of tribo."""
        super().__init__(world, it, kind)
        self._mode, self._gains = ControlMode.PD_PLUS_FEEDFORWARD_TORQUE, (it.kp, it.kd)
        self._base = 6 if it.is_floating else 0
        self._options = ArticulatedSystemOption()
        if it.dof:
            it.drive_form = "averaged"

    # -- state ---------------------------------------------------------------------------------
    getGeneralizedCoordinate = reads("generalized_coordinate")
    getGeneralizedVelocity = reads("generalized_velocity")
    getGeneralizedAcceleration = reads("generalized_acceleration")
    getUdot = reads("generalized_acceleration")
    setGeneralizedCoordinate = writes("generalized_coordinate")
    setGeneralizedVelocity = writes("generalized_velocity")

    def setState(self, genco: Any, genvel: Any) -> None:
        """``set_state(q, v)``"""
        self._it.set_state(genco, genvel)

    def getState(self) -> tuple[Any, Any]:
        """``generalized_coordinate``, ``generalized_velocity``"""
        return self._it.generalized_coordinate, self._it.generalized_velocity

    setBasePos = writes("position")
    setBasePos_e = setBasePos

    def setBaseOrientation(self, *orientation: Any) -> None:
        """``orientation = …``: a quaternion, a matrix (3, 3), or roll, pitch and yaw [rad]"""
        self._it.orientation = turned(orientation, f"orientation of {self._it.name}")

    setBaseOrientation_e = setBaseOrientation
    setBaseVelocity = writes("linear_velocity")
    setBaseAngularVelocity = writes("angular_velocity")
    getBasePosition = reads("position")
    getBaseOrientation = reads("orientation")
    getBaseQuaternion = reads("orientation")
    get_base_rotation_matrix = reads("rotation_matrix")

    def getGeneralizedCoordinateDim(self) -> int:
        """``len(generalized_coordinate)``"""
        return len(self._it.generalized_coordinate)

    getGeneralizedVelocityDim = reads("dof")
    getDOF = reads("dof")

    # -- control -------------------------------------------------------------------------------
    setGeneralizedForce = writes("generalized_force")
    getFeedForwardGeneralizedForce = reads("generalized_force")
    getGeneralizedForce = reads("applied_torque")

    def setControlMode(self, mode: Any) -> None:
        """``set_pd_gains(0, 0)`` for force and torque; there is no mode"""
        self._apply_gains(member(ControlMode, mode), self._gains)

    getControlMode = means("``kp``, ``kd``", lambda self: self._mode)

    def setPdGains(self, pgain: Any, dgain: Any) -> None:
        """``set_pd_gains(kp, kd)``; those of a floating base's six dofs have no effect"""
        it = self._it
        p, d = per_dof(pgain, "pgain", it).copy(), per_dof(dgain, "dgain", it).copy()
        p[: self._base] = d[: self._base] = 0.0
        self._apply_gains(self._mode, (p, d))

    def _apply_gains(self, mode: enums.ControlMode, gains: tuple[Any, Any]) -> None:
        """Act as a mode says, with gains; keep both."""
        p, d = gains
        if mode is ControlMode.FORCE_AND_TORQUE:
            check.not_negative(p, "pgain")
            check.not_negative(d, "dgain")
            self._it.set_pd_gains(0.0, 0.0)
        else:
            is_velocity = mode is ControlMode.VELOCITY_PLUS_FEEDFORWARD_TORQUE
            self._it.set_pd_gains(0.0 * p if is_velocity else p, d)
        self._mode, self._gains = mode, gains

    setPGains = means("``kp = …``", lambda self, pgain: self.setPdGains(pgain, self._gains[1]))
    setDGains = means("``kd = …``", lambda self, dgain: self.setPdGains(self._gains[0], dgain))
    getPdGains = means("``kp``, ``kd``", lambda self: (self._gains[0], self._gains[1]))

    def setPdTarget(self, posTarget: Any, velTarget: Any) -> None:
        """``pd_target = …``, ``pd_velocity_target = …``"""
        it = self._it
        assign((it, "pd_target", posTarget), (it, "pd_velocity_target", velTarget))

    setPTarget = writes("pd_target")
    setDTarget = writes("pd_velocity_target")

    def getPdTarget(self) -> tuple[Any, Any]:
        """``pd_target``, ``pd_velocity_target``"""
        return self._it.pd_target, self._it.pd_velocity_target

    def setActuationLimits(self, upper: Any, lower: Any) -> None:
        """``effort_limits = lower, upper``; the base's six have no effect"""
        it, base = self._it, self._base
        highest = per_dof(upper, "upper", it)[base:]
        it.effort_limits = per_dof(lower, "lower", it)[base:], highest

    getActuationUpperLimits = means("``effort_limits[1]``", lambda self: self._it.effort_limits[1])
    getActuationLowerLimits = means("``effort_limits[0]``", lambda self: self._it.effort_limits[0])

    def _write_dofs(self, attribute: str, values: Any) -> None:
        setattr(self._it, attribute, per_dof(values, attribute, self._it)[self._base :])

    def setJointDamping(self, damping: Any) -> None:
        """``damping = …``"""
        self._write_dofs("damping", damping)

    getRotorInertia = reads("armature")

    def setRotorInertia(self, inertia: Any) -> None:
        """``armature = …``"""
        self._write_dofs("armature", inertia)

    getJointVelocityLimits = reads("velocity_limit")

    def setJointVelocityLimits(self, limits: Any) -> None:
        """``velocity_limit = …``"""
        self._write_dofs("velocity_limit", limits)

    getJointLimits = means("``joint(name).limits``", lambda self: [joint.limits for joint in self._it.joints])

    def setJointLimits(self, limits: Any) -> None:
        """``joint(name).limits = lower, upper``"""
        assign_each(self._it.joints, "limits", limits, "limits")

    getJointLimitViolations = means("``active_limits``", lambda self, *_: self._it.active_limits)

    def setIntegrationScheme(self, scheme: Any) -> None:
        """``world.integrator = …``, of the whole world"""
        self._it.world.integrator = _SCHEMES[member(enums.IntegrationScheme, scheme)]

    # -- dynamics ------------------------------------------------------------------------------
    getMassMatrix = reads("mass_matrix")
    getInverseMassMatrix = reads("inverse_mass_matrix")
    computeSparseInverse = reads("inverse_mass_matrix")

    def getNonlinearities(self, gravity: Any = None) -> Any:
        """``bias_force``"""
        it = self._it
        return it.bias_force - (0.0 if gravity is None else self._excess_force(gravity))

    getNonlinearites = getNonlinearities  # its manual of 0.6 spells it so

    def _excess_force(self, gravity: Any) -> Any:
        """Return the generalized weight in a given gravity less that in the world's: Σ m Jᵀ (g − g₀)."""
        more = check.vector(gravity, "gravity", 3) - self._world.tribo.gravity
        if not more.any():
            return 0.0
        return self._it.centroidal_momentum_matrix[:3].T @ more

    def massMatrixVecMul(self, values: Any, out: Any = None) -> Any:
        """``mass_matrix @ v``"""
        it = self._it
        return kept(it.mass_matrix @ check.vector(values, "values", it.dof), out, "out")

    def getMinvJT(self, jacobian: Any) -> Any:
        """``solve_mass_matrix(J.T)``"""
        it, rows = self._it, check.array(jacobian, "jacobian", "(rows, dof) numbers")
        if rows.ndim != 2:
            raise ValueError(f"jacobian must have shape (rows, {it.dof}), got {rows.shape}")
        return np.array([it.solve_mass_matrix(row) for row in rows]).T

    getKineticEnergy = reads("kinetic_energy")
    getLinearMomentum = reads("linear_momentum")
    getGeneralizedMomentum = reads("generalized_momentum")

    _centre = "com_position"

    def getAngularMomentum(self, refPoint: Any = (0.0, 0.0, 0.0)) -> Any:
        """``angular_momentum_about(point)``"""
        return self._it.angular_momentum_about(refPoint)

    getCOM = reads("com_position")
    getCompositeMass = _composite(0, "masses of each body with all that it carries; first: ``mass``")
    getCompositeCOM = _composite(1, "their centres of mass, world; first: ``com_position``")
    getCompositeInertia = _composite(2, "their inertias, world axes; first: ``composite_inertia``")
    get_composite_com = reads("com_position")  # of the whole robot in that dialect
    get_composite_inertia = reads("composite_inertia")
    getTotalMass = reads("mass")
    setComputeInverseDynamics = nothing("joint_reactions is there whenever it is asked for")
    getComputeInverseDynamics = means("``joint_reactions()``", lambda self: True)

    def getForceAtJointInWorldFrame(self, joint: Any) -> Any:
        """``joint(name).reaction()[3:]``"""
        return self._joint(joint).reaction()[3:]

    def getTorqueAtJointInWorldFrame(self, joint: Any) -> Any:
        """``joint(name).reaction()[:3]``"""
        return self._joint(joint).reaction()[:3]

    def isSecondOrderOrHigher(self) -> bool:
        """``world.integrator``: all but the semi-implicit one are of second order"""
        return bool(self._it.world.integrator != "semi_implicit")

    def articulatedBodyAlgorithm(self, *force: Any) -> Any:
        """``forward_dynamics(force)``"""
        return self._it.forward_dynamics(vector(force))

    # -- loops, options ------------------------------------------------------------------------
    addConstraints = nothing("loops of the file are closed when it is read: world.constraints")
    initializeConstraints = nothing("the file's nominal_config is where the robot starts")
    updateKinematics = nothing("answers belong to the present state")
    updateMassInfo = nothing("masses, centres of mass and inertias count from the next call on")
    getOptions = means("arguments of ``world.add_articulated_system``", lambda self: self._options)
