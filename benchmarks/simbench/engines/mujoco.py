"""A scene in MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mujoco
import numpy as np

from simbench.scene import Figures, Scene

SETTINGS = {
    "default": "MuJoCo's defaults (Euler, soft contact, pyramidal cone, Newton)",
    "elliptic": "as default with the elliptic cone",
    "rk4": "as default with RK4",
    "stiff": "solref 2 dt, solimp 0.99…0.999, elliptic cone, impratio 100, 3 no-slip sweeps",
    "spring": "solref −k, −0: an undamped contact spring that gives a ball a contact of 10 steps (e = 1)",
    "own drive": "as stiff; PD by position actuators, all steps in one call",
}
_BODY, _ROBOT = 2, 1  # contact types: robots meet bodies and the ground, not one another


def version() -> str:
    return mujoco.__version__


class Engine:
    """A scene in MuJoCo."""

    def __init__(self, scene: Scene, mode: str) -> None:
        """Build it."""
        self.scene = scene
        self.is_own_drive = mode == "own drive"
        spec = self._spec()
        spec.option.timestep, spec.option.gravity = scene.time_step, scene.gravity
        if mode == "rk4":
            spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        if mode == "elliptic":
            spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        if mode in {"stiff", "own drive"}:
            _make_stiff(spec, scene.time_step)
        if mode == "spring":
            _make_springs(spec, scene.time_step)
        self.model = model = spec.compile()
        self.data = data = mujoco.MjData(model)
        self.probe = mujoco.MjData(model)
        names = [f"body{k}" for k in range(len(scene.bodies))]
        free = [model.joint(name) for name in names]
        self._bodies = np.array([model.body(name).id for name in names], int)
        self._place = np.array([j.qposadr[0] for j in free], int)
        self._dof = np.array([j.dofadr[0] for j in free], int)
        for body, number, dof in zip(scene.bodies, self._bodies, self._dof, strict=True):
            data.qvel[dof : dof + 3] = body.velocity
            if body.force:
                data.xfrc_applied[number, :3] = body.force
        if scene.robots:
            self._start_robots()
        self.steps = 0

    def _spec(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        scene = self.scene
        geoms: dict[str, list[str]] = {}
        if scene.ground:
            geom = spec.worldbody.add_geom(
                name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0]
            )
            _collide(geom, scene.friction)
            geoms.setdefault(scene.ground, []).append("ground")
        for k, body in enumerate(scene.bodies):
            made = spec.worldbody.add_body(name=f"body{k}", pos=body.position, quat=body.orientation)
            made.add_freejoint(name=f"body{k}")
            box = body.kind == "box"
            kind = mujoco.mjtGeom.mjGEOM_BOX if box else mujoco.mjtGeom.mjGEOM_SPHERE
            size = [x / 2 for x in body.size] if box else [body.size[0], 0.0, 0.0]
            geom = made.add_geom(name=f"body{k}", type=kind, size=size, mass=body.mass)
            _collide(geom, scene.friction)
            geoms.setdefault(body.material, []).append(geom.name)
        for names, friction in scene.pairs.items():
            one, other = (geoms.get(material, []) for material in names.split())
            for a in one:
                for b in other:
                    spec.add_pair(geomname1=a, geomname2=b, friction=[friction] * 2 + [0.0] * 3)
        if scene.robots:
            self._add_robots(spec)
        return spec

    def _add_robots(self, spec: mujoco.MjSpec) -> None:
        robots = self.scene.robots
        assert robots is not None
        text = robots.urdf
        at = text.index(">") + 1
        for k, place in enumerate(robots.positions):
            options = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'
            robot = mujoco.MjSpec.from_string(text[:at] + options + text[at:])
            root = robot.worldbody.first_body()
            root.add_freejoint(name="free")
            for geom in robot.geoms:
                geom.contype, geom.conaffinity = _ROBOT, 0
                geom.friction[0] = self.scene.friction
            if self.is_own_drive:
                for name, kp, kd in zip(robots.joints, robots.kp, robots.kd, strict=True):
                    robot.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
                    robot.actuators[-1].set_to_position(kp=kp, kv=kd)
            frame = spec.worldbody.add_frame(pos=place)
            spec.attach(robot, prefix=f"r{k}_", frame=frame)

    def _start_robots(self) -> None:
        robots, model, data = self.scene.robots, self.model, self.data
        assert robots is not None
        count = len(robots.positions)
        joints = [model.joint(f"r{k}_{name}") for k in range(count) for name in robots.joints]
        self._q = np.array([j.qposadr[0] for j in joints])
        self._v = np.array([j.dofadr[0] for j in joints])
        free = [model.joint(f"r{k}_free") for k in range(count)]
        self._base = np.array([j.qposadr[0] for j in free])
        self._root = np.array([model.jnt_bodyid[j.id] for j in free])
        self._target = np.tile(list(robots.joints.values()), count)
        self._kp, self._kd = (np.tile(g, count) for g in (robots.kp, robots.kd))
        data.qpos[self._q] = self._target
        if self.is_own_drive:
            data.ctrl[:] = self._target

    def run(self, steps: int) -> None:
        """Advance."""
        robots, model, data, advance = self.scene.robots, self.model, self.data, mujoco.mj_step
        if robots and robots.kp and not self.is_own_drive:
            q, v, tau = data.qpos, data.qvel, data.qfrc_applied
            for _ in range(steps):
                tau[self._v] = self._kp * (self._target - q[self._q]) - self._kd * v[self._v]
                advance(model, data)
        elif robots and self.steps < robots.lift_steps:
            for k in range(self.steps, self.steps + steps):
                data.xfrc_applied[self._root, 2] = robots.lift if k < robots.lift_steps else 0.0
                advance(model, data)
            data.xfrc_applied[self._root, 2] = 0.0
        else:
            advance(model, data, nstep=steps)
        self.steps += steps

    def _rows(self, first: np.ndarray, width: int, source: np.ndarray) -> np.ndarray:
        return source[first[:, None] + np.arange(width)] if len(first) else np.zeros((0, width))

    def positions(self) -> np.ndarray:
        """Return centres of mass of the loose bodies."""
        return self._rows(self._place, 3, self.data.qpos)

    def orientations(self) -> np.ndarray:
        """Return quaternions of the loose bodies."""
        return self._rows(self._place + 3, 4, self.data.qpos)

    def velocities(self) -> np.ndarray:
        """Return velocities of the loose bodies."""
        return self._rows(self._dof, 3, self.data.qvel)

    def bases(self) -> np.ndarray:
        """Return poses of the bases."""
        return self._rows(self._base, 7, self.data.qpos)

    def _observe(self) -> mujoco.MjData:
        self.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        self.probe.qpos[:], self.probe.qvel[:] = self.data.qpos, self.data.qvel
        mujoco.mj_fwdPosition(self.model, self.probe)
        mujoco.mj_energyPos(self.model, self.probe)
        mujoco.mj_fwdVelocity(self.model, self.probe)
        mujoco.mj_energyVel(self.model, self.probe)
        mujoco.mj_subtreeVel(self.model, self.probe)
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        return self.probe

    def energy(self) -> float:
        """Return the energy."""
        return float(self._observe().energy.sum())

    def momentum(self) -> np.ndarray:
        """Return the momentum."""
        return np.array(self._observe().subtree_linvel[0] * self.model.body_subtreemass[0])

    def note(self) -> None:
        """MuJoCo keeps no count that compares."""

    def notes(self) -> Figures:
        """Return nothing."""
        return {}


def _collide(geom: mujoco.MjsGeom, friction: float) -> None:
    geom.contype, geom.conaffinity = _BODY, _BODY | _ROBOT
    geom.friction[0] = friction
    if friction == 0.0:
        geom.condim = 1


def _touching(spec: mujoco.MjSpec) -> Iterator[mujoco.MjsGeom | mujoco.MjsPair]:
    yield from spec.geoms
    yield from spec.pairs


def _make_stiff(spec: mujoco.MjSpec, dt: float) -> None:
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 100.0
    spec.option.noslip_iterations = 3
    for item in _touching(spec):
        item.solref = [2.0 * dt, 1.0]
        item.solimp = [0.99, 0.999, 0.001, 0.5, 2.0]


def _make_springs(spec: mujoco.MjSpec, dt: float) -> None:
    stiffness = (math.pi / (10.0 * dt)) ** 2  # half a period of the contact lasts ten steps
    for item in _touching(spec):
        item.solref = [-stiffness, 0.0]
