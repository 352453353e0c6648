"""Scenes in MuJoCo: with its default settings, or stiff as in benchmarks/peers_mujoco.py.

Where there is no ground, RK4 plays, too. Ties are equality constraints, or joints of a tree.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import mujoco
import numpy as np
from stage import CELLS, UPRIGHT, Body, Pair, Scene, Tie, Track, hull_of, inertia_of, matrices, product
from suite import MUJOCO, CannotPlay, Player

GEOM = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
DRIVEN = 1e4  # [kg m²] of what is to keep its spin; at 1e9 the solver no longer holds what lies on it
URDF_OPTIONS = '<mujoco><compiler discardvisual="true" fusestatic="true" balanceinertia="false"/></mujoco>'


def half_size(shape: str, size: tuple[float, ...]) -> list[float]:
    """Return a size as MuJoCo counts it."""
    if shape == "sphere":
        return [size[0], 0.0, 0.0]
    if shape == "box":
        return [edge / 2 for edge in size]
    if shape == "ellipsoid":
        return list(size)
    return [size[0], size[1] / 2, 0.0]


def refuse(scene: Scene) -> None:
    """Say what a scene needs that MuJoCo has not."""
    pairs = [scene.pair, *scene.pairs.values()]
    if any(p.restitution > 0.0 for p in pairs):
        raise CannotPlay("no restitution")
    if any(p.static_friction is not None for p in pairs):
        raise CannotPlay("no static friction")
    if any(b.kind == "kinematic" and any(b.velocity) for b in scene.bodies):
        raise CannotPlay("no kinematic bodies with velocity")
    if any(p.stiffness is not None and not p.spring for p in pairs):
        raise CannotPlay("no compliance of this law")
    if scene.floor == "mesh":
        raise CannotPlay("meshes collide as hulls")


def radius(body: Any) -> float:
    """Return the lever arm that turns tribo's coefficient into MuJoCo's length."""
    upright = abs(matrices(np.array(body.orientation))[2, 2]) > 0.7
    if body.shape == "hull":
        return 0.0
    return float(body.size[1] / 2 if body.shape == "cylinder" and upright else body.size[0])


def _friction(pair: Pair, arm: float) -> list[float]:
    return [pair.friction, pair.spinning * arm, pair.rolling * arm]


def _condim(pair: Pair) -> int:
    if pair.rolling or pair.spinning:
        return 6
    return 3 if pair.friction else 1


def build(scene: Scene, stiff: bool = True, rk4: bool = False) -> mujoco.MjModel:
    """Return the compiled model of a scene."""
    refuse(scene)
    if rk4 and (scene.planes or scene.floor):
        raise CannotPlay("RK4 plays what flies")
    spec = mujoco.MjSpec()
    if scene.robots:
        if len(scene.robots) > 1:
            raise CannotPlay("one URDF per model")
        urdf = scene.robots[0].urdf
        at = urdf.index(">", urdf.index("<robot")) + 1
        spec = mujoco.MjSpec.from_string(urdf[:at] + URDF_OPTIONS + urdf[at:])
        if len(scene.robots[0].q) > len(scene.robots[0].v):
            spec.worldbody.first_body().add_freejoint()
    spec.option.timestep, spec.option.gravity = scene.dt, scene.gravity
    geoms = [(geom, "default", 0.0) for geom in spec.geoms]
    for plane in scene.planes:
        n = np.array(plane.normal, float) / np.linalg.norm(plane.normal)
        geom = spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=plane.height * n,
            quat=_turning_z_into(n),
        )  # fmt: skip
        geoms.append((geom, plane.material, 0.0))  # the larger arm counts
    if scene.floor:
        spec.add_hfield(name="map", nrow=CELLS + 1, ncol=CELLS + 1, userdata=[0.0] * (CELLS + 1) ** 2,
                        size=[0.05 * CELLS, 0.05 * CELLS, 0.1, 0.1])  # fmt: skip
        geom = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="map")
        geoms.append((geom, "default", 0.0))
    tied = {t.second or t.first: t for t in scene.ties if scene.ties_are_joints}
    for body in scene.bodies:
        geom = _body(spec, scene, body, tied.get(body.name))
        geoms.append((geom, body.material, radius(body)))
    for tie in scene.ties:
        if not scene.ties_are_joints:
            _tie(spec, scene, tie, stiff)
        if tie.second:
            spec.add_exclude(bodyname1=tie.first, bodyname2=tie.second)
    _contacts(spec, scene, geoms, stiff)
    if rk4:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return spec.compile()


def _body(spec: Any, scene: Scene, body: Body, tie: Tie | None) -> Any:
    """Add a body; a tie makes it the child of another one, or of the world. Return its geom."""
    inertia = inertia_of(body)
    parent, pose, place = spec.worldbody, UPRIGHT, np.zeros(3)
    if tie is not None and tie.second:
        first = scene.bodies[scene.index(tie.first)]
        parent, pose, place = spec.body(tie.first), first.orientation, np.array(first.position)
    made = parent.add_body(
        name=body.name, mass=body.mass, ipos=[0, 0, 0], iquat=[1, 0, 0, 0], explicitinertial=True,
        pos=matrices(np.array(pose)).T @ (body.position - place),
        quat=product((pose[0], *(-x for x in pose[1:])), body.orientation),
    )  # fmt: skip
    if np.array_equal(inertia, np.diag(np.diag(inertia))):
        made.inertia = np.diag(inertia)
    else:
        made.fullinertia = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    turned = matrices(np.array(body.orientation)).T
    if body.kind == "kinematic":
        made.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=turned @ body.spin, armature=DRIVEN)
    elif tie is not None and tie.kind != "weld":
        kind = mujoco.mjtJoint.mjJNT_HINGE if tie.kind == "hinge" else mujoco.mjtJoint.mjJNT_BALL
        made.add_joint(
            type=kind, pos=turned @ (np.array(tie.position) - body.position), axis=turned @ tie.axis
        )
    elif tie is None and body.kind == "dynamic":
        made.add_freejoint()
    if body.shape in GEOM:
        return made.add_geom(type=GEOM[body.shape], size=half_size(body.shape, body.size))
    spec.add_mesh(name=body.name, uservert=hull_of(body).ravel())
    return made.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=body.name)


def _tie(spec: Any, scene: Scene, tie: Tie, is_stiff: bool) -> None:
    """Add a pin as `connect`, a hinge as two of them along its axis, a weld as `weld`."""
    body = scene.bodies[scene.index(tie.first)]
    stiff = {"solref": [2.0 * scene.dt, 1.0], "solimp": [0.99, 0.999, 0.001, 0.5, 2.0]}
    options = {
        "objtype": mujoco.mjtObj.mjOBJ_BODY, "name1": tie.first, "name2": tie.second or "world",
        **(stiff if is_stiff else {}),
    }  # fmt: skip
    if tie.kind == "weld":
        spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, data=[0.0] * 10 + [1.0, 0.0], **options)
        return
    place = np.array(tie.position)
    for point in (place, place + 0.1 * np.array(tie.axis))[: 2 if tie.kind == "hinge" else 1]:
        anchor = matrices(np.array(body.orientation)).T @ (point - body.position)
        data = [*anchor, *[0.0] * 9]
        spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, data=data, **options)


def _turning_z_into(n: np.ndarray) -> np.ndarray:
    half = np.array([1.0 + n[2], -n[1], n[0], 0.0])
    if n[2] < -1.0 + 1e-12:
        half = np.array([0.0, 1.0, 0.0, 0.0])
    return half / np.linalg.norm(half)


def _contacts(spec: Any, scene: Scene, geoms: list[Any], is_stiff: bool) -> None:
    """Set friction and stiffness; pairs of materials become pairs of geoms."""
    stiff = {}
    if is_stiff:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 100.0
        spec.option.noslip_iterations = 3
        stiff = {"solref": [2.0 * scene.dt, 1.0], "solimp": [0.99, 0.999, 0.001, 0.5, 2.0]}
    if scene.pair.spring:
        k, d, mass = scene.pair.spring
        stiff = {"solref": [-k / mass, -d / mass], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2.0]}
    for k, (geom, material, arm) in enumerate(geoms):
        geom.name = geom.name or f"geom{k}"
        pair = scene.pairs.get(f"{material}|{material}", scene.pair)
        geom.friction, geom.condim = _friction(pair, arm), _condim(pair)
        for name, value in stiff.items():
            setattr(geom, name, value)
    for j, (first, a, arm_a) in enumerate(geoms):
        for second, b, arm_b in geoms[j + 1 :]:
            pair = scene.pairs.get(f"{a}|{b}") or scene.pairs.get(f"{b}|{a}")
            if pair is None:
                continue
            arm = arm_b if first.type == mujoco.mjtGeom.mjGEOM_PLANE else arm_a
            slide, spin, roll = _friction(pair, arm)
            spec.add_pair(geomname1=first.name, geomname2=second.name, condim=_condim(pair),
                          friction=[slide, slide, spin, roll, roll], **stiff)  # fmt: skip


def play(scene: Scene, stiff: bool = True, rk4: bool = False) -> Track:
    """Step the scene and write it down."""
    model = build(scene, stiff, rk4)
    data = mujoco.MjData(model)
    ids = [model.body(body.name).id for body in scene.bodies]
    for body, i in zip(scene.bodies, ids, strict=True):
        if model.body_dofnum[i] == 6:
            first = model.body_dofadr[i]
            local = matrices(np.array(body.orientation)).T @ body.spin
            data.qvel[first : first + 6] = [*body.velocity, *local]
    if any(0 < n < 6 for n in model.body_dofnum[ids]):
        mujoco.mj_forward(model, data)
        rows = np.vstack([jacobian(model, data, i) for i in ids])
        wanted = np.concatenate([[*b.velocity, *b.spin] for b in scene.bodies])
        data.qvel[:] = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    for robot in scene.robots:
        data.qpos[: len(robot.q)], data.qvel[: len(robot.v)] = robot.q, robot.v
        if robot.force:
            data.qfrc_applied[: len(robot.v)] = robot.force
    mujoco.mj_forward(model, data)
    rows = [_row(scene, model, data, ids)]
    steps = 0
    while steps < scene.steps:
        for _ in range(scene.every):
            if scene.forces:
                _push(scene, model, data)
            mujoco.mj_step(model, data)
        steps += scene.every
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rows.append(_row(scene, model, data, ids))
    return Track.of(rows)


def _push(scene: Scene, model: Any, data: Any) -> None:
    data.xfrc_applied[:] = 0.0
    for f in scene.forces:
        i = model.body(f.body).id
        force = np.array(f.force) + data.time * np.array(f.rate)
        data.xfrc_applied[i, :3] += force
        data.xfrc_applied[i, 3:] += np.cross(f.offset, force) + f.torque


def jacobian(model: Any, data: Any, i: int) -> np.ndarray:
    """Return what makes velocity and spin of a body of qvel (6, nv)."""
    rows = np.zeros((6, model.nv))
    mujoco.mj_jacBody(model, data, rows[:3], rows[3:], i)
    return rows


def _row(scene: Scene, model: Any, data: Any, ids: list[int]) -> tuple[Any, ...]:
    velocity, spin = np.zeros((len(ids), 3)), np.zeros((len(ids), 3))
    for k, i in enumerate(ids):
        if model.body_dofnum[i] == 6:
            first = model.body_dofadr[i]
            velocity[k] = data.qvel[first : first + 3]
            spin[k] = data.xmat[i].reshape(3, 3) @ data.qvel[first + 3 : first + 6]
        elif model.body_weldid[i]:
            velocity[k], spin[k] = np.split(jacobian(model, data, i) @ data.qvel, 2)
    nq = sum(len(r.q) for r in scene.robots)
    nv = sum(len(r.v) for r in scene.robots)
    return (data.time, data.xpos[ids].copy(), data.xquat[ids].copy(), velocity, spin,
            data.qpos[:nq].copy(), data.qvel[:nv].copy(),
            _support(model, data) if scene.wants_support else [],
            _lawless(scene, model, data) if scene.wants_lawless else [])  # fmt: skip


def _lawless(scene: Scene, model: Any, data: Any) -> tuple[float, float]:
    pull, beyond, wrench = 0.0, 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, wrench)
        most = scene.pair.friction * wrench[0]
        pull = max(pull, -wrench[0])
        beyond = max(beyond, (np.hypot(*wrench[1:3]) - most) / max(1.0, most))
    return float(pull), float(beyond)


def _support(model: Any, data: Any) -> np.ndarray:
    total, wrench = np.zeros(3), np.zeros(6)
    for k in range(data.ncon):
        contact = data.contact[k]
        fixed = [model.body_weldid[model.geom_bodyid[g]] == 0 for g in contact.geom]
        if fixed[0] == fixed[1]:
            continue
        mujoco.mj_contactForce(model, data, k, wrench)
        force = contact.frame.reshape(3, 3).T @ wrench[:3]
        total += force if fixed[0] else -force
    return total


def players() -> list[Player]:
    """Return MuJoCo as players: stiff, as it comes, and where there is no ground with RK4, too."""
    return [
        Player(MUJOCO, play, "stiff"),
        Player(MUJOCO, partial(play, stiff=False), "default"),
        Player(MUJOCO, partial(play, stiff=False, rk4=True), "RK4"),
    ]
