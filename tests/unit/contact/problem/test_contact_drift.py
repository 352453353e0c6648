"""How the velocity of a contact changes at constant joint velocities, against central differences.

The places of a contact at times ±h come from the narrow phase; so its formula knows nothing of `curvature`.
"""

import itertools

import numpy as np
import pytest
from scenes import empty_world

from tribo.contact.problem import contact_drift
from tribo.model import Joint

DT = 1e-3
H = 1e-4  # [s] the error of central differences is h²/6 of a third derivative of order 10
TOLERANCE = 1e-6
SHORT = 2e-5  # [s] for corners and what turns with its ground: β of an arc, dt/3 |ω| |a| more than J̇v now
ARC = SHORT / 3 * 1.6 * 1.4  # |ω| < 1.6, |a| < 1.6² 0.54
TILT = (0.9, 0.3, 0.2, -0.25)
LEG = """<robot name="leg"><link name="hip"/>
<link name="thigh"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<link name="shank"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><origin xyz="0.1 0 -0.4"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="hip"/><child link="thigh"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="100"/></joint>
<joint name="b" type="revolute"><parent link="thigh"/><child link="shank"/><origin xyz="0 0 -0.5"/>
<axis xyz="0.6 0.8 0"/><limit lower="-3" upper="3" effort="1" velocity="100"/></joint></robot>"""


def ground(world):
    """Add a plane."""
    world.add_ground()


def ball_below(world):
    """Add a ball that is led along and turns."""
    world.add_sphere(0.4, mass=1.0, position=(0.05, -0.1, -0.4), body_type="kinematic",
                     linear_velocity=(0.3, 0.1, 0.2), angular_velocity=(1.0, -0.5, 0.7))  # fmt: skip


def table_below(world):
    """Add a table that is led along and turns."""
    world.add_box((2.0, 2.0, 0.4), mass=1.0, position=(0.05, -0.1, -0.2), body_type="kinematic",
                  linear_velocity=(0.3, 0.1, 0.2), angular_velocity=(1.0, -0.5, 0.7))  # fmt: skip


SHAPES = {
    "ball": ("add_sphere", (0.3,), {"com": (0.05, 0.02, -0.1)}),
    "ellipsoid": ("add_ellipsoid", ((0.3, 0.2, 0.1),), {}),
    "capsule": ("add_capsule", (0.1, 0.4), {}),
    "cylinder": ("add_cylinder", (0.2, 0.3), {}),
    "cone": ("add_cone", (0.2, 0.3), {}),
    "box": ("add_box", ((0.2, 0.3, 0.4),), {}),
}
CASES = [(name, ground) for name in SHAPES]
CASES += [(name, below) for name in ("ball", "ellipsoid") for below in (ball_below, table_below)]
CASES += [("capsule", ball_below)]


def turned(q, omega, time):
    """Return a quaternion turned by an angular velocity for a while."""
    angle = np.linalg.norm(omega) * time
    c, s = np.cos(angle / 2), np.sin(angle / 2) * np.asarray(omega) / np.linalg.norm(omega)
    x, v = q[0], np.asarray(q[1:])
    return (c * x - s @ v, *(c * v + x * s + np.cross(s, v)))


def look(world):
    """Find the contacts at the present state."""
    world.engine.update()


def deepest(world):
    """Return contact number, normal and velocity of A over B where the contact with the least gap is."""
    look(world)
    model, work = world.engine.model, world.engine.work
    c = int(np.argmin(work.contact_gap[: work.contact_count[0]]))
    p, apart = work.contact_pos[c], np.zeros(3)
    for body, sign in zip(work.contact_body[c], (1.0, -1.0), strict=True):
        tree = model.body_tree[body]
        if model.tree_nv[tree] == 0:
            continue
        origin = work.body_pos[model.tree_body[tree]]
        twist = work.body_vel[body]
        if model.tree_is_single[tree]:
            v = world.engine.state.v[model.joint_v[body] : model.joint_v[body] + 6]
            twist = np.concatenate([v[3:], v[:3]])
        apart += sign * (twist[3:] + np.cross(twist[:3], p - origin))
    return c, work.contact_axes[c, 6:].copy(), apart


def check(world, tolerance=TOLERANCE, first=0):
    """Compare β, from component `first` on, with the difference of the contact's velocities at ±h."""
    model, state = world.engine.model, world.engine.state
    q, v = state.q.copy(), state.v

    def at(time):
        state.q[:] = q
        for root in model.tree_body:
            a, b = model.joint_q[root], model.joint_v[root]
            if model.joint_type[root] == Joint.FREE:
                state.q[a : a + 3] += time * v[b : b + 3]
                state.q[a + 3 : a + 7] = turned(q[a + 3 : a + 7], v[b + 3 : b + 6], time)
        for i in np.flatnonzero(model.joint_type == Joint.REVOLUTE):
            state.q[model.joint_q[i]] += time * v[model.joint_v[i]]
        return deepest(world)

    _, n_after, after = at(H)
    _, n_before, before = at(-H)
    c, _, _ = at(0.0)
    engine = world.engine
    beta, _, _ = contact_drift.point_drift(model, engine.settings, engine.work, c, contact_drift.UNSEEN)
    axes = engine.work.contact_axes[c].reshape(3, 3)
    known = axes @ (after - before) / (2 * H)
    known[2] = (n_after @ after - n_before @ before) / (2 * H)
    size = np.abs(known).max()
    assert size > 1e-2
    found = np.array(beta) / (0.5 * world.time_step)
    assert np.abs(found - known)[first:].max() <= tolerance * max(1.0, size)


@pytest.mark.parametrize(("name", "below"), CASES)
def test_of_a_loose_body(name, below):
    """A body rolls, spins and slips on what may move itself."""
    is_arc = name == "box" or below is not ground
    world = empty_world(SHORT if is_arc else DT)
    world.integrator = "semi_implicit"  # `update` at the state itself
    below(world)
    add, size, options = SHAPES[name]
    tilt = np.array(TILT) / np.linalg.norm(TILT)
    v, omega = np.array((0.2, -0.3, 0.1)), np.array((1.1, 0.7, -0.9))
    getattr(world, add)(
        *size, mass=1.0, position=(0, 0, 0.5), orientation=tilt, linear_velocity=v,
        angular_velocity=omega, **options
    )  # fmt: skip
    world.step(0)
    touch(world)
    check(world, ARC if is_arc else TOLERANCE)


@pytest.mark.parametrize("add", ["add_box", "add_convex"])
def test_of_a_corner_on_a_face_that_turns(add):
    """Along the normal, which turns with the face while the corner slips over it.

    (In the tangent plane β is that of two points that stick, which these do not: see test_held.)
    """
    world = empty_world(SHORT)
    world.integrator = "semi_implicit"
    table_below(world)
    tilt = np.array(TILT) / np.linalg.norm(TILT)
    half = np.array(SHAPES["box"][1][0]) / 2
    corners = np.array([half * signs for signs in itertools.product((-1.0, 1.0), repeat=3)])
    getattr(world, add)(
        2 * half if add == "add_box" else corners, mass=1.0, position=(0, 0, 0.5), orientation=tilt,
        linear_velocity=(0.2, -0.3, 0.1), angular_velocity=(1.1, 0.7, -0.9)
    )  # fmt: skip
    world.step(0)
    touch(world)
    check(world, ARC, first=2)


def touch(world):
    """Put the last body down to where it touches, and let it stay in touch."""
    look(world)
    body = world.engine.model.tree_body[-1]
    q, first = world.engine.state.q, world.engine.model.joint_q[body]
    while world.engine.work.contact_count[0] == 0:  # down to where it touches
        q[first + 2] -= 1e-3
        look(world)
    for _ in range(20):
        c, n, _ = deepest(world)
        into = n if world.engine.work.contact_body[c, 0] == body else -n
        q[first : first + 3] -= world.engine.work.contact_gap[c] * into
    _, n, apart = deepest(world)
    state, dof = world.engine.state, world.engine.model.joint_v[body]
    state.v[dof : dof + 3] -= np.sign(into @ n) * (n @ apart) * n  # it stays in touch


def test_of_a_link():
    """The foot of a leg of two joints: its own acceleration at constant joint velocities counts."""
    world = empty_world(DT)
    world.integrator = "semi_implicit"
    leg = world.add_articulated_system(LEG, fixed_base=True)
    leg.set_state((0.3, 0.5), (0.0, 0.0))
    foot = leg.frame("shank").position + leg.frame("shank").rotation_matrix @ (0.1, 0.0, -0.4)
    world.add_ground(foot[2] - 0.1)
    world.step(0)
    speeds = []
    for rates in ((1.0, 0.0), (0.0, 1.0)):
        world.engine.state.v[:] = rates
        _, n, apart = deepest(world)
        speeds.append(n @ apart)
    world.engine.state.v[:] = 1.0, -speeds[0] / speeds[1]  # it stays in touch
    check(world)
