"""Runs in PyBullet's own environment: one scene per line of input, one track per line of output.

Settings are the accurate end of what PyBullet offers: 300 solver iterations that do not stop early,
a friction cone, no damping, no sleeping; `only_closed`: no contacts that are still apart.
"""

import json
import math
import os
import sys
import tempfile

OUT = os.fdopen(os.dup(1), "w")  # PyBullet prints to standard output: keep that apart
os.dup2(2, 1)

import pybullet as p  # noqa: E402

ITERATIONS = 300
FAST = 1e6  # [rad/s, m/s] Bullet cuts velocities off at 100
HUGE = 1e9  # [N] that a constraint may pull


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
    if body["points"]:
        return p.createCollisionShape(p.GEOM_MESH, vertices=body["points"])
    if kind == "sphere":
        return p.createCollisionShape(p.GEOM_SPHERE, radius=size[0])
    if kind == "box":
        return p.createCollisionShape(p.GEOM_BOX, halfExtents=[s / 2 for s in size])
    made = p.GEOM_CAPSULE if kind == "capsule" else p.GEOM_CYLINDER
    return p.createCollisionShape(made, radius=size[0], height=size[1])


def quat(w_first):
    """Return a quaternion in PyBullet's order."""
    return [*w_first[1:], w_first[0]]


def relative(first, second):
    """Return place and orientation of a body in the frame of another one; the world is None."""
    here = second["position"], quat(second["orientation"])
    if first is None:
        return here
    there = p.invertTransform(first["position"], quat(first["orientation"]))
    return p.multiplyTransforms(*there, *here)


def within(body, point):
    """Return a point of the world in the frame of a body."""
    there = p.invertTransform(body["position"], quat(body["orientation"]))
    return p.multiplyTransforms(*there, point, [0, 0, 0, 1])[0]


def unit(axis):
    """Return a direction of length 1."""
    size = sum(a * a for a in axis) ** 0.5
    return [a / size for a in axis]


def add_link(first, body, kind, place, axis, mass):
    """Make a body the link of another one, or of the world; return the multibody."""
    spot = place if first is None else within(first, place)
    turn = relative(first, body)[1]
    back = [-x for x in within(body, place)]
    return p.createMultiBody(
        first["mass"] if first else 0.0, shape_of(first) if first else -1,
        basePosition=first["position"] if first else [0, 0, 0],
        baseOrientation=quat(first["orientation"]) if first else [0, 0, 0, 1],
        linkMasses=[mass], linkCollisionShapeIndices=[shape_of(body)], linkVisualShapeIndices=[-1],
        linkPositions=[spot], linkOrientations=[turn], linkInertialFramePositions=[back],
        linkInertialFrameOrientations=[[0, 0, 0, 1]], linkParentIndices=[0],
        linkJointTypes=[kind],
        linkJointAxis=[within({**body, "position": [0, 0, 0]}, unit(axis))],
    )  # fmt: skip


def set_joint(made, kind, first, body, axis):
    """Free the joint of a link, and give it the spin of its body."""
    before = first["spin"] if first else [0.0, 0.0, 0.0]
    spin = [a - b for a, b in zip(body["spin"], before)]
    if kind == p.JOINT_REVOLUTE:
        p.setJointMotorControl2(made, 0, p.VELOCITY_CONTROL, force=0.0)
        p.resetJointState(made, 0, 0.0, sum(a * b for a, b in zip(spin, unit(axis))))
    elif kind == p.JOINT_SPHERICAL:
        p.setJointMotorControlMultiDof(made, 0, p.POSITION_CONTROL, [0, 0, 0, 1], positionGain=0,
                                       velocityGain=0, force=[0, 0, 0])  # fmt: skip
        p.resetJointStateMultiDof(made, 0, [0, 0, 0, 1], within({**body, "position": [0, 0, 0]}, spin))


KINDS = {"pin": p.JOINT_SPHERICAL, "hinge": p.JOINT_REVOLUTE, "weld": p.JOINT_FIXED}


def add_bodies(scene, table):
    """Add all single bodies; return (multibody, link) of each. Ties are joints, if they are to be."""
    made = {}
    bodies = {b["name"]: b for b in scene["bodies"]}
    for tie in scene["ties"] if scene["ties_are_joints"] else ():
        first, body = bodies[tie["first"]], bodies[tie["second"] or tie["first"]]
        first = first if tie["second"] else None
        place = tie["position"] if tie["kind"] != "weld" else body["position"]
        robot = add_link(first, body, KINDS[tie["kind"]], place, tie["axis"], body["mass"])
        made[body["name"]] = (robot, 0)
        if first:
            made[first["name"]] = (robot, -1)
            set_up(first, robot, -1, table, scene["pair"])
            p.resetBaseVelocity(robot, first["velocity"], first["spin"])
        set_up(body, robot, 0, table, scene["pair"])
        set_joint(robot, KINDS[tie["kind"]], first, body, tie["axis"])
    for body in scene["bodies"]:
        if body["name"] not in made:
            made[body["name"]] = (add_body(body, table, scene["pair"]), -1)
    return [made[b["name"]] for b in scene["bodies"]]


def drive(body, made, time):
    """Put a body without mass where its spin has brought it, and tell contacts how it moves."""
    size = sum(a * a for a in body["spin"]) ** 0.5
    half = 0.5 * size * time
    turn = [*(math.sin(half) * a / (size or 1.0) for a in body["spin"]), math.cos(half)]
    zero = [0, 0, 0]
    _, pose = p.multiplyTransforms(zero, turn, zero, quat(body["orientation"]))
    p.resetBasePositionAndOrientation(made, body["position"], pose)
    p.resetBaseVelocity(made, zero, body["spin"])


def add_ties(scene, names):
    """Add the constraints of free bodies; a hinge is two points of its axis."""
    bodies = {b["name"]: b for b in scene["bodies"]}
    for tie in scene["ties"]:
        one, other = bodies[tie["first"]], bodies.get(tie["second"])
        ids = names[tie["first"]][0], names[tie["second"]][0] if other else -1
        if other:
            p.setCollisionFilterPair(*ids, -1, -1, 0)
        if scene["ties_are_joints"]:
            continue
        if tie["kind"] == "weld":
            place, turn = relative(one, other)
            made = [
                p.createConstraint(ids[0], -1, ids[1], -1, p.JOINT_FIXED, [0, 0, 0], place, [0, 0, 0], turn)
            ]
        else:
            shifts = (0.0, 0.1) if tie["kind"] == "hinge" else (0.0,)
            points = [[a + s * b for a, b in zip(tie["position"], tie["axis"])] for s in shifts]
            made = [
                p.createConstraint(ids[0], -1, ids[1], -1, p.JOINT_POINT2POINT, [0, 0, 0],
                                   within(one, x), within(other, x) if other else x)
                for x in points
            ]  # fmt: skip
        for constraint in made:
            p.changeConstraint(constraint, maxForce=HUGE)


def add_floor(scene, table):
    """Add two triangles, or a height map of cells of 0.1 m."""
    if scene["floor"] == "mesh":
        points, triangles = scene["mesh"]
        indices = [k for triangle in triangles for k in triangle]
        shape = p.createCollisionShape(p.GEOM_MESH, vertices=points, indices=indices)
    else:
        n = scene["cells"] + 1
        shape = p.createCollisionShape(
            p.GEOM_HEIGHTFIELD, meshScale=[0.1, 0.1, 1.0], heightfieldData=[0.0] * n * n,
            numHeightfieldRows=n, numHeightfieldColumns=n,
        )  # fmt: skip
    made = p.createMultiBody(0.0, shape)
    friction, restitution = table["default"]
    p.changeDynamics(made, -1, lateralFriction=friction, restitution=restitution)
    return made


def add_body(body, table, pair):
    """Add a single body."""
    mass = body["mass"] if body["kind"] == "dynamic" else 0.0
    made = p.createMultiBody(mass, shape_of(body), basePosition=body["position"],
                             baseOrientation=quat(body["orientation"]))  # fmt: skip
    set_up(body, made, -1, table, pair)
    if mass:
        p.resetBaseVelocity(made, body["velocity"], body["spin"])
    return made


def set_up(body, made, link, table, pair):
    """Set material, inertia and damping of a body."""
    friction, restitution = table[body["material"]]
    upright = body["shape"] == "cylinder" and abs(body["orientation"][0]) > 0.9
    arm = body["size"][1] / 2 if upright else (body["size"] or [0.0])[0]
    options = {"lateralFriction": friction, "restitution": restitution, "linearDamping": 0.0,
               "angularDamping": 0.0, "jointDamping": 0.0, "maxJointVelocity": FAST,
               "activationState": p.ACTIVATION_STATE_DISABLE_SLEEPING,
               "rollingFriction": pair["rolling"] * arm / (friction or 1.0),
               "spinningFriction": pair["spinning"] * arm / (friction or 1.0)}  # fmt: skip
    if body["inertia"] and body["kind"] == "dynamic":
        options["localInertiaDiagonal"] = body["inertia"]
    p.changeDynamics(made, link, **options)
    soften(made, link, pair)


def soften(made, link, pair):
    """Give half of a pair's spring to one of the two: springs in series, dampers side by side."""
    if pair["spring"]:
        k, d, _ = pair["spring"]
        p.changeDynamics(made, link, contactStiffness=2.0 * k, contactDamping=0.5 * d)


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
        soften(made, -1, scene["pair"])
        fixed.add(made)
    if scene["floor"]:
        fixed.add(add_floor(scene, table))
    bodies = add_bodies(scene, table)
    names = {b["name"]: made for b, made in zip(scene["bodies"], bodies)}
    add_ties(scene, names)
    fixed |= {m for b, (m, _) in zip(scene["bodies"], bodies) if b["kind"] != "dynamic"}
    robots = [add_robot(r, table) for r in scene["robots"]]
    if scene["only_closed"]:
        for made in [
            *fixed,
            *(made for made, _ in bodies),
        ]:  # or contacts that are about to close take the speed away first
            p.changeDynamics(made, -1, contactProcessingThreshold=0.0)
    rows = [row(scene, 0, bodies, robots, fixed)]
    driven = [(b, made) for b, (made, _) in zip(scene["bodies"], bodies) if b["kind"] == "kinematic"]
    for k in range(scene["steps"]):
        for body, made in driven:
            drive(body, made, k * scene["dt"])
        for f in scene["forces"]:
            made, link = names[f["body"]]
            at = state_of(made, link)[0]
            force = [a + k * scene["dt"] * b for a, b in zip(f["force"], f["rate"])]
            p.applyExternalForce(made, link, force, [a + b for a, b in zip(at, f["offset"])], p.WORLD_FRAME)
            p.applyExternalTorque(made, link, f["torque"], p.WORLD_FRAME)
        for (made, joints), robot in zip(robots, scene["robots"]):
            for j, force in zip(joints, robot["force"]):
                p.setJointMotorControl2(made, j, p.TORQUE_CONTROL, force=force)
        p.stepSimulation()
        if (k + 1) % scene["every"] == 0:
            rows.append(row(scene, k + 1, bodies, robots, fixed))
    return rows


def state_of(made, link):
    """Return place, orientation, velocity and spin of a body."""
    if link < 0:
        return [*p.getBasePositionAndOrientation(made), *p.getBaseVelocity(made)]
    found = p.getLinkState(made, link, computeLinkVelocity=1, computeForwardKinematics=1)
    return [found[0], found[1], found[6], found[7]]


def row(scene, k, bodies, robots, fixed):
    """Write the present state down."""
    states = [state_of(*b) for b in bodies]
    poses, speeds = [s[:2] for s in states], [s[2:] for s in states]
    q, v = [], []
    for made, joints in robots:
        states = p.getJointStates(made, joints)
        q += [s[0] for s in states]
        v += [s[1] for s in states]
    return [k * scene["dt"], [list(x) for x, _ in poses], [[o[3], *o[:3]] for _, o in poses],
            [list(x) for x, _ in speeds], [list(w) for _, w in speeds], q, v,
            support(fixed) if scene["wants_support"] else [],
            lawless(scene["pair"]["friction"]) if scene["wants_lawless"] else []]  # fmt: skip


def lawless(mu):
    """Return the largest pull [N], and the largest |f_t| − μ f_n over μ f_n (1 N at least)."""
    pull = beyond = 0.0
    for c in p.getContactPoints() or ():
        size, most = (c[10] ** 2 + c[12] ** 2) ** 0.5, mu * c[9]
        pull, beyond = max(pull, -c[9]), max(beyond, (size - most) / max(1.0, most))
    return [pull, beyond]


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
