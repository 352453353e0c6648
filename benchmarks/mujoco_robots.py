"""Robots from URDF in MuJoCo, as all benchmarks have them there."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco

_OPTIONS = '<mujoco><compiler discardvisual="true" fusestatic="true" balanceinertia="false"/></mujoco>'


def from_urdf(text: str) -> mujoco.MjSpec:
    """Return the description of a robot, its base fixed to the world."""
    at = text.index(">", text.index("<robot")) + 1
    spec = mujoco.MjSpec.from_string(text[:at] + _OPTIONS + text[at:])
    root = spec.worldbody.first_body()
    if 0.0 < root.mass < 1e-5:  # a placeholder whose inertia is singular: keep its size
        root.fullinertia = [1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0]
    return spec


def add_servos(spec: mujoco.MjSpec, joints: Iterable[str], kp: float, kd: float) -> None:
    """Give joints position servos for drives."""
    for name in joints:
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        spec.actuators[-1].set_to_position(kp=kp, kv=kd)


def on_ground(
    text: str, time_step: float, friction: float, *, gains: tuple[float, float] | None = None,
    meets_itself: bool = False,
) -> mujoco.MjModel:  # fmt: skip
    """Return a robot that floats above a ground, with servos at all its joints if there are gains."""
    spec = from_urdf(text)
    spec.worldbody.first_body().add_freejoint()
    for geom in spec.geoms:
        geom.contype, geom.conaffinity, geom.friction[0] = 1, int(meets_itself), friction
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=1,
        friction=[friction, 0.005, 0.0001],
    )  # fmt: skip
    if gains is not None:
        free = mujoco.mjtJoint.mjJNT_FREE
        add_servos(spec, [joint.name for joint in spec.joints if joint.type != free], *gains)
    spec.option.timestep = time_step
    return spec.compile()
