"""The same scenes in MuJoCo, with its default and with stiff settings.

``stiff`` is what MuJoCo offers towards hard contact: solref = 2 dt, solimp 0.99…0.999, elliptic
cone, impratio 100, three no-slip sweeps. Default contacts give way (a standing robot sinks and
creeps), so a comparison with one of the two alone would be unfair to somebody.
"""

from __future__ import annotations

from functools import cached_property

import mujoco
import numpy as np
from mujoco import rollout
from mujoco_robots import add_servos, from_urdf
from scenes import Scene, Truth, digest
from tribo_scenes import motion_truth, overlaps

STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def _spec(scene: Scene) -> mujoco.MjSpec:
    """Describe a scene."""
    if scene.robot:
        spec = from_urdf(scene.robot)
        root = spec.worldbody.first_body()
        if scene.base_velocity != (0.0,) * 6 or scene.has_ground:  # it floats
            root.add_freejoint()
            root.pos = scene.position
        for geom in spec.geoms:
            geom.contype, geom.conaffinity = int(scene.has_ground), 0
        if any(scene.gains):
            add_servos(spec, scene.joints, *scene.gains)
    else:
        spec = mujoco.MjSpec()
    for centre in () if scene.spheres is None else scene.spheres:
        body = spec.worldbody.add_body(pos=centre)
        body.add_freejoint()
        size = [scene.radius, 0.0, 0.0]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, mass=scene.mass)
    if scene.has_ground:
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        spec.worldbody.add_geom(type=plane, size=[0.0, 0.0, 1.0], contype=int(not scene.robot), conaffinity=1)
    return spec


def build(scene: Scene, stiff: bool) -> mujoco.MjModel:
    """Return the compiled model of a scene."""
    spec = _spec(scene)
    spec.option.timestep = scene.time_step
    spec.option.gravity = scene.gravity
    for geom in spec.geoms:
        geom.friction[0] = scene.friction
        if scene.friction == 0.0:
            geom.condim = 1
    if stiff:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 100.0
        spec.option.noslip_iterations = 3
        for geom in spec.geoms:
            geom.solref = [2.0 * scene.time_step, 1.0]
            geom.solimp = [0.99, 0.999, 0.001, 0.5, 2.0]
    return spec.compile()


def start(scene: Scene, model: mujoco.MjModel) -> mujoco.MjData:
    """Return data in the initial state of a scene."""
    data = mujoco.MjData(model)
    if any(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE) and scene.robot:
        data.qvel[:6] = scene.base_velocity
    for name, angle in scene.joints.items():
        joint = model.joint(name)
        data.qpos[joint.qposadr[0]] = angle
        data.qvel[joint.dofadr[0]] = scene.velocities.get(name, 0.0)
    if any(scene.gains):
        data.ctrl[:] = list(scene.joints.values())
    return data


class MujocoSimulation:
    """A scene in MuJoCo."""

    def __init__(self, scene: Scene, stiff: bool) -> None:
        """Build it and let it settle."""
        self.scene = scene
        self.model = build(scene, stiff)
        self.data = start(scene, self.model)
        if scene.settle:
            mujoco.mj_step(self.model, self.data, nstep=scene.settle)
        self.start = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, self.data, self.start, STATE)

    @cached_property
    def targets(self) -> np.ndarray:
        """Joint targets, one row per step."""
        return self.scene.targets()

    def reset(self) -> None:
        """Go back to the state in which timing starts."""
        mujoco.mj_setState(self.model, self.data, self.start, STATE)

    def run(self, steps: int) -> None:
        """Advance with one call per step, commands written into `ctrl` before each."""
        model, data, advance = self.model, self.data, mujoco.mj_step
        if not self.scene.is_driven:
            for _ in range(steps):
                advance(model, data)
            return
        control = data.ctrl
        for row in self.targets[:steps]:
            control[:] = row
            advance(model, data)

    def run_native(self, steps: int) -> None:
        """Advance in one call: `nstep`, or a rollout if every step has its own command."""
        if not self.scene.is_driven:
            mujoco.mj_step(self.model, self.data, nstep=steps)
            return
        full = np.empty(mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(self.model, self.data, full, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        rollout.rollout(
            self.model, self.data, full[None], self.targets[None, :steps],
            initial_warmstart=self.data.qacc_warmstart[None].copy(),
        )  # fmt: skip

    def truth(self) -> Truth:
        """Measure how right the result is."""
        self.reset()
        scene = self.scene
        kind = _stand if scene.is_driven else _spheres if scene.spheres is not None else _motion
        return kind(self)


def _stand(sim: MujocoSimulation) -> Truth:
    model, data, scene = sim.model, sim.data, sim.scene
    feet = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE)
    radius = model.geom_size[feet, 0]
    deepest = 0.0
    for row in sim.targets[: scene.truth_steps]:
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        deepest = max(deepest, float((radius - data.geom_xpos[feet, 2]).max()))
    noisy = digest(data.qpos)
    data.ctrl[:] = list(scene.joints.values())
    mujoco.mj_step(model, data, nstep=6000)
    mujoco.mj_kinematics(model, data)
    before = data.geom_xpos[feet].copy()
    mujoco.mj_step(model, data, nstep=500)
    force = float(data.qfrc_constraint[2])
    mujoco.mj_kinematics(model, data)
    moved = np.linalg.norm((data.geom_xpos[feet] - before)[:, :2], axis=1).mean()
    weight = -float(model.body_mass.sum()) * scene.gravity[2]
    return {
        "base_z": float(data.qpos[2]), "upright": float(data.xmat[1, 8]), "deepest": deepest,
        "slip": float(moved) / (500 * scene.time_step), "force/weight - 1": float(force / weight - 1),
        "hash": noisy,
    }  # fmt: skip


def _spheres(sim: MujocoSimulation) -> Truth:
    total = deepest = 0.0
    for _ in range(sim.scene.truth_steps):
        mujoco.mj_step(sim.model, sim.data)
        found = overlaps(sim.data.qpos.reshape(-1, 7)[:, :3], sim.scene)
        total += float((found**2).sum())
        deepest = max(deepest, float(found.max(initial=0.0)))
    return {"overlap²": total / sim.scene.truth_steps, "deepest": deepest, "hash": digest(sim.data.qpos)}


def _motion(sim: MujocoSimulation) -> Truth:
    model, data = sim.model, sim.data
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    probe = mujoco.MjData(model)
    mass = model.body_subtreemass[0]

    def read() -> np.ndarray:
        probe.qpos[:], probe.qvel[:] = data.qpos, data.qvel
        mujoco.mj_forward(model, probe)
        mujoco.mj_subtreeVel(model, probe)
        p = mass * probe.subtree_linvel[0]
        spin = probe.subtree_angmom[0] + np.cross(probe.subtree_com[0], p)
        return np.array([probe.energy.sum(), probe.energy[1], *p, *spin])

    rows = [read()]
    for _ in range(sim.scene.truth_steps):
        mujoco.mj_step(model, data)
        rows.append(read())
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    return motion_truth(np.array(rows), sim.scene) | {"hash": digest(data.qpos)}
