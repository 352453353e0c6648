"""Runs in PyBullet's own environment: one scene per line of input, one track per line of output.

Settings are the accurate end of what PyBullet offers: 300 solver iterations that do not stop early,
a friction cone, no damping, no sleeping; `only_closed`: no contacts that are still apart.
"""

import json
import os
import sys
import tempfile

OUT = os.fdopen(os.dup(1), "w")  # PyBullet prints to standard output: keep that apart
os.dup2(2, 1)

import pybullet as p  # noqa: E402

ITERATIONS = 300


class CannotPlay(Exception):
    """A scene needs what PyBullet has not."""


def root(pair):
    """Return the coefficients whose product over two bodies is the pair's."""
    return pair["friction"] ** 0.5, pair["restitution"] ** 0.5


def materials(scene):
    """Return (friction, restitution) of every material, or refuse if products cannot give the pairs."""
    found = {}
    if not scene["pairs"]:
        names = [b["material"] for b in scene["bodies"]] + [q["material"] for q in scene["planes"]]
        return dict.fromkeys([*names, "default"], root(scene["pair"]))
    for names, pair in scene["pairs"].items():
        first, second = names.split("|")
        if first not in found and second not in found:
            found[first] = root(pair)
        known, new = (first, second) if first in found else (second, first)
        if new in found and new != known:
            raise CannotPlay("products of two coefficients cannot give these pairs")
        mu, e = found[known]
        if (not mu and pair["friction"]) or (not e and pair["restitution"]):
            raise CannotPlay("products of two coefficients cannot give these pairs")
        found[new] = (pair["friction"] / mu if mu else 1.0, pair["restitution"] / e if e else 0.0)
    return found


def shape_of(body):
    """Make a collision shape."""
    size, kind = body["size"], body["shape"]
    if kind == "sphere":
        return p.createCollisionShape(p.GEOM_SPHERE, radius=size[0])
    if kind == "box":
        return p.createCollisionShape(p.GEOM_BOX, halfExtents=[s / 2 for s in size])
    made = p.GEOM_CAPSULE if kind == "capsule" else p.GEOM_CYLINDER
    return p.createCollisionShape(made, radius=size[0], height=size[1])


def quat(w_first):
    """Return a quaternion in PyBullet's order."""
    return [*w_first[1:], w_first[0]]


def add_body(body, table, pair):
    """Add a single body."""
    mass = body["mass"] if body["kind"] == "dynamic" else 0.0
    made = p.createMultiBody(mass, shape_of(body), basePosition=body["position"],
                             baseOrientation=quat(body["orientation"]))  # fmt: skip
    friction, restitution = table[body["material"]]
    upright = body["shape"] == "cylinder" and abs(body["orientation"][0]) > 0.9
    arm = body["size"][1] / 2 if upright else body["size"][0]
    options = {"lateralFriction": friction, "restitution": restitution, "linearDamping": 0.0,
               "angularDamping": 0.0, "activationState": p.ACTIVATION_STATE_DISABLE_SLEEPING,
               "rollingFriction": pair["rolling"] * arm / (friction or 1.0),
               "spinningFriction": pair["spinning"] * arm / (friction or 1.0)}  # fmt: skip
    if body["inertia"] and mass:
        options["localInertiaDiagonal"] = body["inertia"]
    p.changeDynamics(made, -1, **options)
    if mass:
        p.resetBaseVelocity(made, body["velocity"], body["spin"])
    return made


def add_robot(robot, table):
    """Add a URDF with free joints; return its id and the indices of its joints."""
    if len(robot["q"]) != len(robot["v"]):
        raise CannotPlay("floating robots are not staged in PyBullet")
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(robot["urdf"])
        file.flush()
        flags = p.URDF_USE_INERTIA_FROM_FILE | p.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT
        made = p.loadURDF(file.name, useFixedBase=True, flags=flags)
    friction, restitution = table["default"]
    joints = []
    for j in range(p.getNumJoints(made)):
        p.changeDynamics(made, j, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0,
                         lateralFriction=friction, restitution=restitution,
                         activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING)  # fmt: skip
        if p.getJointInfo(made, j)[2] in (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC):
            joints.append(j)
            p.setJointMotorControl2(made, j, p.VELOCITY_CONTROL, force=0.0)
    for j, q, v in zip(joints, robot["q"], robot["v"]):
        p.resetJointState(made, j, q, v)
    return made, joints


def play(scene):
    """Step a scene; return rows as `stage.Track` wants them."""
    p.resetSimulation()
    p.setGravity(*scene["gravity"])
    p.setPhysicsEngineParameter(
        fixedTimeStep=scene["dt"], numSolverIterations=ITERATIONS, numSubSteps=0,
        solverResidualThreshold=0.0, enableConeFriction=1, restitutionVelocityThreshold=1e-3,
        deterministicOverlappingPairs=1,
    )  # fmt: skip
    table = materials(scene)
    fixed = set()
    for plane in scene["planes"]:
        n = plane["normal"]
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=n)
        made = p.createMultiBody(0.0, shape, basePosition=[plane["height"] * x for x in n])
        friction, restitution = table[plane["material"]]
        p.changeDynamics(made, -1, lateralFriction=friction, restitution=restitution)
        fixed.add(made)
    bodies = [add_body(b, table, scene["pair"]) for b in scene["bodies"]]
    names = {b["name"]: made for b, made in zip(scene["bodies"], bodies)}
    fixed |= {m for b, m in zip(scene["bodies"], bodies) if b["kind"] != "dynamic"}
    robots = [add_robot(r, table) for r in scene["robots"]]
    if scene["only_closed"]:
        for made in [
            *fixed,
            *bodies,
        ]:  # or contacts that are about to close take the speed away first
            p.changeDynamics(made, -1, contactProcessingThreshold=0.0)
    rows = [row(scene, 0, bodies, robots, fixed)]
    for k in range(scene["steps"]):
        for f in scene["forces"]:
            at, _ = p.getBasePositionAndOrientation(names[f["body"]])
            force = [a + k * scene["dt"] * b for a, b in zip(f["force"], f["rate"])]
            p.applyExternalForce(names[f["body"]], -1, force,
                                 [a + b for a, b in zip(at, f["offset"])], p.WORLD_FRAME)  # fmt: skip
        for (made, joints), robot in zip(robots, scene["robots"]):
            for j, force in zip(joints, robot["force"]):
                p.setJointMotorControl2(made, j, p.TORQUE_CONTROL, force=force)
        p.stepSimulation()
        if (k + 1) % scene["every"] == 0:
            rows.append(row(scene, k + 1, bodies, robots, fixed))
    return rows


def row(scene, k, bodies, robots, fixed):
    """Write the present state down."""
    poses = [p.getBasePositionAndOrientation(b) for b in bodies]
    speeds = [p.getBaseVelocity(b) for b in bodies]
    q, v = [], []
    for made, joints in robots:
        states = p.getJointStates(made, joints)
        q += [s[0] for s in states]
        v += [s[1] for s in states]
    return [k * scene["dt"], [list(x) for x, _ in poses], [[o[3], *o[:3]] for _, o in poses],
            [list(x) for x, _ in speeds], [list(w) for _, w in speeds], q, v,
            support(fixed) if scene["wants_support"] else []]  # fmt: skip


def support(fixed):
    """Return the force of what is fixed on what moves."""
    total = [0.0, 0.0, 0.0]
    for c in p.getContactPoints() or ():
        a, b = c[1] in fixed, c[2] in fixed
        if a == b:
            continue
        sign = -1.0 if a else 1.0  # forces act on A
        for size, axis in ((c[9], c[7]), (c[10], c[11]), (c[12], c[13])):
            total = [t + sign * size * x for t, x in zip(total, axis)]
    return total


def main():
    """Answer line by line."""
    p.connect(p.DIRECT)
    for line in sys.stdin:
        try:
            answer = {"rows": play(json.loads(line))}
        except CannotPlay as reason:
            answer = {"cannot": str(reason)}
        OUT.write(json.dumps(answer) + "\n")
        OUT.flush()


main()
