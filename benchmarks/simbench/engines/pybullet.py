"""A scene in PyBullet."""

from __future__ import annotations

import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pybullet as p

from simbench.overlap import rotations
from simbench.scene import Body, Figures, Scene

_BOTH = (
    "cone friction, no sleeping, no damping, its own ERP unless bodies rebound; control through "
    "setJointMotorControlArray for each robot"
)
SETTINGS = {
    "standard": f"50 solver iterations, residual threshold 1e-7 (its defaults), {_BOTH}",
    "accurate": f"200 solver iterations, residual threshold 1e-12, {_BOTH}",
}
SOLVER = {"standard": (50, 1e-7), "accurate": (200, 1e-12)}


def version() -> str:
    return metadata.version("pybullet")


class Engine:
    """A scene in PyBullet."""

    def __init__(self, scene: Scene, mode: str) -> None:
        """Build it."""
        iterations, threshold = SOLVER[mode]
        self.scene = scene
        if p.isConnected():
            p.disconnect()
        p.connect(p.DIRECT)
        p.setGravity(*scene.gravity)
        options: dict[str, Any] = {
            "fixedTimeStep": scene.time_step, "numSolverIterations": iterations, "numSubSteps": 0,
            "solverResidualThreshold": threshold, "enableConeFriction": 1, "deterministicOverlappingPairs": 1,
            "restitutionVelocityThreshold": scene.restitution_threshold,
        }  # fmt: skip
        if scene.erp is not None and scene.restitution:  # plates sink without it
            options |= {"erp": scene.erp, "contactERP": scene.erp, "frictionERP": scene.erp}
        p.setPhysicsEngineParameter(**options)
        self._friction = _frictions(scene)
        if scene.ground:
            plane = p.createCollisionShape(p.GEOM_PLANE)
            self._surface(p.createMultiBody(0.0, plane), -1, scene.ground)
        self.bodies = [self._add(body) for body in scene.bodies]
        self.robots = self._robots() if scene.robots else []
        self.steps = 0

    def _surface(self, body: int, link: int, material: str) -> None:
        p.changeDynamics(
            body, link, restitution=self.scene.restitution, rollingFriction=0.0, spinningFriction=0.0,
            linearDamping=0.0, angularDamping=0.0, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING,
        )  # fmt: skip
        friction = self._friction.get(material, self._friction["default"])
        p.changeDynamics(body, link, lateralFriction=friction)  # ignored for links in the call above

    def _add(self, body: Body) -> int:
        if body.kind == "sphere":
            shape = p.createCollisionShape(p.GEOM_SPHERE, radius=body.size[0])
        else:
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[x / 2 for x in body.size])
        w, x, y, z = body.orientation
        number = p.createMultiBody(body.mass, shape, -1, body.position, (x, y, z, w))
        p.resetBaseVelocity(number, body.velocity)
        self._surface(number, -1, body.material)
        return int(number)

    def _robots(self) -> list[int]:
        robots = self.scene.robots
        assert robots is not None
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(robots.urdf)
            flags = p.URDF_USE_INERTIA_FROM_FILE
            found = [p.loadURDF(str(path), place, flags=flags) for place in robots.positions]
        numbers = {p.getJointInfo(found[0], k)[1].decode(): k for k in range(p.getNumJoints(found[0]))}
        self._joints = [numbers[name] for name in robots.joints]
        self._target = np.array(list(robots.joints.values()))
        self._kp, self._kd = np.array(robots.kp), np.array(robots.kd)
        free = [0.0] * len(numbers)
        for robot in found:
            p.setJointMotorControlArray(robot, range(len(numbers)), p.VELOCITY_CONTROL, forces=free)
            for link in range(-1, len(numbers)):
                self._surface(robot, link, "default")
                p.changeDynamics(robot, link, jointDamping=0.0, maxJointVelocity=1e6)
            for joint, angle in zip(self._joints, self._target, strict=True):
                p.resetJointState(robot, joint, angle)
        return found

    def run(self, steps: int) -> None:
        """Advance; forces last one step."""
        robots = self.scene.robots
        pushed = [(b, d.force) for b, d in zip(self.bodies, self.scene.bodies, strict=True) if d.force]
        for k in range(self.steps, self.steps + steps):
            for number, force in pushed:
                at = p.getBasePositionAndOrientation(number)[0]
                p.applyExternalForce(number, -1, force, at, p.WORLD_FRAME)
            if robots and robots.kp:
                self._control()
            elif robots and k < robots.lift_steps:
                for robot in self.robots:
                    at = p.getBasePositionAndOrientation(robot)[0]
                    p.applyExternalForce(robot, -1, (0.0, 0.0, robots.lift), at, p.WORLD_FRAME)
            p.stepSimulation()
        self.steps += steps

    def _control(self) -> None:
        for robot in self.robots:
            states = p.getJointStates(robot, self._joints)
            q = np.array([s[0] for s in states])
            v = np.array([s[1] for s in states])
            force = self._kp * (self._target - q) - self._kd * v
            p.setJointMotorControlArray(robot, self._joints, p.TORQUE_CONTROL, forces=force)

    def positions(self) -> np.ndarray:
        """Return centres of mass of the loose bodies."""
        found = [p.getBasePositionAndOrientation(b)[0] for b in self.bodies]
        return np.array(found).reshape(-1, 3)

    def orientations(self) -> np.ndarray:
        """Return quaternions of the loose bodies."""
        found = [p.getBasePositionAndOrientation(b)[1] for b in self.bodies]
        return np.array(found).reshape(-1, 4)[:, [3, 0, 1, 2]]

    def velocities(self) -> np.ndarray:
        """Return velocities of the loose bodies."""
        return np.array([p.getBaseVelocity(b)[0] for b in self.bodies]).reshape(-1, 3)

    def bases(self) -> np.ndarray:
        """Return poses of the bases."""
        found = []
        for robot in self.robots:
            centre, turn = p.getDynamicsInfo(robot, -1)[3:5]  # PyBullet's pose is that of the inertia
            inverse = p.invertTransform(centre, turn)
            at, (x, y, z, w) = p.multiplyTransforms(*p.getBasePositionAndOrientation(robot), *inverse)
            found.append((*at, w, x, y, z))
        return np.array(found)

    def _links(self) -> list[tuple[np.ndarray, ...]]:
        """Return mass, inertia, position, rotation, velocity, spin of everything that moves."""
        found = []
        for number in (*self.bodies, *self.robots):
            at, turn = p.getBasePositionAndOrientation(number)
            found.append((number, -1, at, turn, *p.getBaseVelocity(number)))
            for k in range(p.getNumJoints(number)):
                link = p.getLinkState(number, k, computeLinkVelocity=1, computeForwardKinematics=1)
                found.append((number, k, link[0], link[1], link[6], link[7]))
        made = []
        for number, link, at, (x, y, z, w), v, spin in found:
            mass, _, inertia = p.getDynamicsInfo(number, link)[:3]
            made.append((mass, inertia, at, (w, x, y, z), v, spin))
        return [np.array(column) for column in zip(*made, strict=True)]  # type: ignore[return-value]

    def energy(self) -> float:
        """Return the energy."""
        mass, inertia, at, turn, v, spin = self._links()
        local = np.einsum("nji,nj->ni", rotations(turn), spin)
        kinetic = 0.5 * mass @ (v**2).sum(axis=1) + 0.5 * float((inertia * local**2).sum())
        return float(kinetic - mass @ (at @ np.array(self.scene.gravity)))

    def momentum(self) -> np.ndarray:
        """Return the momentum."""
        mass, _, _, _, v, _ = self._links()
        return np.asarray(mass @ v)

    def note(self) -> None:
        """PyBullet keeps no count that compares."""

    def notes(self) -> Figures:
        """Return nothing."""
        return {}


def _frictions(scene: Scene) -> dict[str, float]:
    """Return a coefficient per material such that the products are those of the pairs."""
    pairs = {tuple(names.split()): value for names, value in scene.pairs.items()}
    found = {"default": float(np.sqrt(scene.friction))}
    if pairs:
        names = sorted({name for pair in pairs for name in pair})
        rows = np.array([[float(name in pair) for name in names] for pair in pairs])
        logs = np.linalg.solve(rows, np.log(list(pairs.values())))
        found |= dict(zip(names, np.exp(logs).tolist(), strict=True))
    return found
