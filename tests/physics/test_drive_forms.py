"""The four PD forms, effort limits in a chain, gravity compensation: maps and identities."""

import copy

import numpy as np
import pytest
import reference
from scenes import (
    GRAVITY,
    QUADRUPED,
    base,
    empty_world,
    joint_body,
    quadruped_description,
    random_state,
    random_tree,
    slider,
)

import tribo
from tribo.description.trees import TreeDescription
from tribo.model import Joint

NONE = (0.0, 0.0, 0.0)
FORMS = ("implicit", "stable", "averaged", "trapezoid")


def shares(form, integrator):
    """a, b, c of τ = −kp (e + dt (a v + b v⁺)) − kd ((1 − c) v + c v⁺), as docs/physics/drives has them."""
    return {
        "implicit": (0.0, 1.0, 1.0),
        "stable": (1.0, 0.0, 1.0),
        "averaged": (0.0, 0.5, 0.5),
        "trapezoid": (-0.25, 0.25, 0.5) if integrator == "midpoint" else (0.0, 0.5, 0.5),
    }[form]


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("stiffness", "damping"), [(0.1, 0.1), (1.0, 0.0), (50.0, 1.0)])
def test_each_form_is_its_2_by_2_map(form, integrator, stiffness, damping):
    """One slider: (m + dt c kd + dt² b kp)(v⁺ − v) = −dt (kp (e + dt (a + b) v) + kd v); 100 steps to
    1e-12 of the largest number so far (the unstable case grows by the factor of its map)."""
    dt, m, target = 1e-3, 2.0, 0.3
    omega = stiffness / dt
    kp, kd = m * omega**2, 2 * damping * omega * m
    world = empty_world(dt, NONE)
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(kp, kd)
    robot.drive_form = form
    robot.pd_target = [target]
    x, v = -0.2, 0.5
    robot.generalized_coordinate, robot.generalized_velocity = [x], [v]
    a, b, c = shares(form, integrator)
    first = dt / 2 if integrator == "midpoint" else 0.0
    size = 1.0
    for _ in range(100):
        middle = x + first * v
        error = middle - target
        new = v - dt * (kp * (error + dt * (a + b) * v) + kd * v) / (m + dt * c * kd + dt * dt * b * kp)
        torque = -kp * (error + dt * (a * v + b * new)) - kd * (v + c * (new - v))
        v = new
        x = middle + (dt - first) * v
        world.step()
        size = max(size, abs(x), abs(v) * dt)
        assert abs(robot.generalized_coordinate[0] - x) <= 1e-11 * size
        assert robot.applied_torque[0] == pytest.approx(torque, rel=1e-9, abs=1e-9 * kp * size)
        if size > 1e4:
            break
    assert (size > 1e4) == (form == "stable" and stiffness == 50.0)


def test_stable_pd_leaves_its_region_where_the_theory_says():
    """Stable iff dt² kp < (4 + 2 dt kd)/3 for unit mass (Tan, Liu, Turk 2011, discrete-time analysis)."""
    dt, kd = 1e-2, 30.0
    border = (4 + 2 * dt * kd) / 3 / dt**2
    for share, is_stable in ((0.99, True), (1.01, False)):
        world = empty_world(dt, NONE)
        robot = world.add_articulated_system(slider(1.0))
        robot.set_pd_gains(share * border, kd)
        robot.drive_form = "stable"
        robot.generalized_coordinate = [0.1]
        for _ in range(3000):
            world.step()
            if abs(robot.generalized_coordinate[0]) > 1e3:  # soon faster than any step may be
                break
        assert (abs(robot.generalized_coordinate[0]) < 0.1) == is_stable


def test_the_trapezoid_form_keeps_energy():
    """kd = 0: ½ m v² + ½ kp e² is constant at any dt ω (implicit midpoint of a linear system)."""
    for stiffness in (0.1, 1.0, 30.0):
        dt, m = 1e-3, 2.0
        kp = m * (stiffness / dt) ** 2
        world = empty_world(dt, NONE)
        robot = world.add_articulated_system(slider(m))
        robot.set_pd_gains(kp, 0.0)
        robot.drive_form = "trapezoid"
        robot.generalized_coordinate, robot.generalized_velocity = [0.1], [0.3]
        start = 0.5 * m * 0.3**2 + 0.5 * kp * 0.1**2
        for _ in range(300):
            world.step()
            (x,), (v,) = robot.generalized_coordinate, robot.generalized_velocity
            assert 0.5 * m * v * v + 0.5 * kp * x * x == pytest.approx(start, rel=1e-12)


def test_a_joint_spring_swings_at_its_frequency_and_keeps_energy():
    """Trapezoid: tan(ω' dt/2) = ω dt/2 exactly; world.energy counts ½ k e²."""
    dt, m, k, rest = 1e-3, 2.0, 800.0, 0.2
    world = empty_world(dt, NONE)
    robot = world.add_articulated_system(slider(m, stiffness=k, spring_reference=(rest,)))
    robot.generalized_coordinate = [rest + 0.1]
    omega = 2.0 / dt * np.arctan(np.sqrt(k / m) * dt / 2)
    start = world.energy
    assert start == pytest.approx(0.5 * k * 0.1**2)
    assert robot.potential_energy == pytest.approx(start)
    for n in range(1, 1001):
        world.step()
        x = rest + 0.1 * np.cos(omega * n * dt)
        assert robot.generalized_coordinate[0] == pytest.approx(x, abs=1e-11)
        assert world.energy == pytest.approx(start, rel=1e-11)


def test_a_spherical_spring_returns_to_its_quaternion():
    """A ball of inertia I turned about a skew axis: θ'' = −k θ/I along it, as a slider's spring."""
    dt, inertia, k = 1e-3, 0.02, 5.0
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    rest = np.array([0.6, 0.0, 0.8, 0.0])
    body = joint_body("ball", 0, Joint.SPHERICAL, inertia=inertia * np.eye(3), stiffness=k,
                      spring_reference=tuple(rest))  # fmt: skip
    world = empty_world(dt, NONE)
    robot = world.add_articulated_system(TreeDescription([base(), body]))
    angle = 0.5
    turn = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    robot.generalized_coordinate = product(turn, rest)
    assert world.energy == pytest.approx(0.5 * k * angle**2)
    omega = 2.0 / dt * np.arctan(np.sqrt(k / inertia) * dt / 2)
    for n in range(1, 301):
        world.step()
        now = angle * np.cos(omega * n * dt)
        turn = np.concatenate([[np.cos(now / 2)], np.sin(now / 2) * axis])
        np.testing.assert_allclose(robot.generalized_coordinate, product(turn, rest), atol=1e-10)


def product(p, q):
    """Hamilton's product."""
    w, x, y, z = p
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return left @ q


def test_effort_limits_are_those_of_the_clamped_law():
    """Random chains, limits of both signs: each torque is clamp(τ_wanted(v⁺), lower, upper) at the v⁺
    that was found, also where another drive's limit brings a drive back inside its own."""
    rng = np.random.default_rng(4)
    hits = 0
    for trial in range(20):
        description = random_tree(rng, 6, floating=False)
        world = empty_world(2e-3)
        robot = world.add_articulated_system(description)
        random_state(rng, robot)
        kp, kd = rng.uniform(10, 400, robot.dof), rng.uniform(0.1, 20, robot.dof)
        robot.set_pd_gains(kp, kd)
        for joint in robot.joints:
            joint.effort_limits = -rng.uniform(0, 20), rng.uniform(0, 20)
        lower, upper = robot.effort_limits
        for _ in range(20):
            world.update()
            v = robot.generalized_velocity.copy()
            world.advance()
            error = world.engine.work.drive_error
            new = robot.generalized_velocity
            wanted = -kp * (error + 2e-3 * new) - kd * new
            torque = robot.applied_torque
            assert np.all((torque >= lower) & (torque <= upper))
            np.testing.assert_allclose(
                torque, np.clip(wanted, lower, upper), atol=1e-7 * np.abs(wanted).max()
            )
            hits += int(((torque == lower) | (torque == upper)).sum())
            assert np.isfinite(v).all()
        assert trial >= 0
    assert hits > 100


def test_a_limit_of_zero_makes_a_passive_joint():
    world = empty_world(1e-3)
    robot = world.add_articulated_system(slider(1.0, axis=(0.0, 0.0, 1.0)))
    robot.set_pd_gains(1e4, 1e2)
    robot.effort_limits = 0.0
    world.step(100)
    assert robot.applied_torque[0] == 0.0
    assert robot.generalized_velocity[0] == pytest.approx(-GRAVITY * 0.1, rel=1e-12)


def test_gravity_compensation_holds_any_pose():
    """Torque = g(q); a fixed-base tree at rest stays where it is to round-off, spherical joints too."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        world = empty_world()
        description = random_tree(rng, 7, floating=False)
        bodies = copy.deepcopy(description.bodies)
        robot = world.add_articulated_system(description)
        random_state(rng, robot)
        robot.generalized_velocity = 0.0 * robot.generalized_velocity
        robot.gravity_compensation = True
        q = robot.generalized_coordinate.copy()
        weight = reference.bias_force(bodies, q, np.zeros(robot.dof), (0, 0, -GRAVITY))
        world.step()
        np.testing.assert_allclose(robot.applied_torque, weight, atol=1e-11 * np.abs(weight).max())
        world.step(99)
        np.testing.assert_allclose(robot.generalized_coordinate, q, atol=1e-11)


def test_gravity_compensation_of_some_joints_within_their_limits():
    world = empty_world()
    world.add_articulated_system(QUADRUPED, name="dog", position=(0, 0, 5))
    robot = world["dog"]
    robot.gravity_compensation = {"LF_KFE": True}
    robot.effort_limits = {"RF_KFE": 0.01}
    robot.joint("RF_KFE").gravity_compensation = True
    world.update()
    load = robot.at(world.engine.work.mid_q.copy()).gravity_force
    world.advance()
    slices = [robot.velocity_slice(n).start for n in ("LF_KFE", "RF_KFE", "LH_KFE")]
    torque = robot.applied_torque[slices]
    assert torque[0] == pytest.approx(load[slices[0]], rel=1e-9)
    assert abs(torque[1]) == pytest.approx(min(0.01, abs(load[slices[1]])), rel=1e-9)
    assert torque[2] == 0.0
    assert not robot.gravity_compensation


def test_a_link_borne_from_outside_has_no_weight():
    """Share s on every link: the robot falls with (1 − s) g; drives that carry see only the rest."""
    world = empty_world()
    robot = world.add_articulated_system(quadruped_description(), name="dog", position=(0, 0, 5))
    for link in robot.links:
        link.gravity_compensation = 0.25
    world.step(100)
    assert robot.generalized_velocity[2] == pytest.approx(-0.75 * GRAVITY * 0.1, rel=1e-9)
    arm = world.add_articulated_system(random_tree(np.random.default_rng(3), 5, floating=False))
    for link in arm.links:
        link.gravity_compensation = 1.0
    q = arm.generalized_coordinate.copy()
    arm.gravity_compensation = True
    world.step(50)
    np.testing.assert_allclose(arm.generalized_coordinate, q, atol=1e-12)
    np.testing.assert_allclose(arm.applied_torque, 0.0, atol=1e-12)


def test_forms_and_gains_by_name_in_a_batch_and_a_snapshot():
    world = empty_world()
    robot = world.add_articulated_system(quadruped_description(), name="dog", position=(0, 0, 5))
    robot.set_pd_gains(30.0, 1.0)
    robot.set_pd_gains({"LF_KFE": 50.0}, {"LF_KFE": 2.0})
    robot.drive_form = {"LF_KFE": "averaged"}
    robot.pd_target = {"LF_KFE": -0.4}
    saved = world.snapshot()
    knee = robot.joint("LF_KFE")
    assert (knee.kp, knee.kd, knee.pd_target, knee.drive_form) == (50.0, 2.0, -0.4, "averaged")
    assert robot.joint("RF_KFE").kp == 30.0
    assert robot.drive_form == "mixed"
    batch = tribo.Batch(world, 3, threads=1)
    dogs = batch["dog"]
    dogs.set_pd_gains({"LF_KFE": [50.0, 60.0, 70.0]}, {"LF_KFE": 2.0})
    dogs.joint("RF_KFE").effort_limits = [1.0, 2.0, np.inf]
    assert dogs.joint("LF_KFE").kp.tolist() == [50.0, 60.0, 70.0]
    assert dogs.effort_limits[1][:, robot.velocity_slice("RF_KFE")].ravel().tolist() == [1.0, 2.0, np.inf]
    batch.step(20)
    assert abs(dogs.joint("RF_KFE").applied_torque[0]) <= 1.0
    robot.drive_form, robot.stiffness, robot.effort_limits = "trapezoid", 3.0, 1.0
    robot.spring_reference = {"LF_KFE": 0.3}
    world.restore(saved)
    assert knee.drive_form == "averaged"
    assert (knee.stiffness, knee.spring_reference) == (0.0, 0.0)
    assert not (robot.effort_limits[1] == 1.0).any()
    world.step(20)
    first = robot.generalized_coordinate.copy()
    assert np.array_equal(first, dogs.generalized_coordinate[0]) or np.isfinite(first).all()


MISTAKES = {
    "form": (lambda r: setattr(r, "drive_form", "implizit"), ValueError, "did you mean 'implicit'"),
    "joint": (lambda r: r.set_pd_gains({"LF_KF": 1.0}, 1.0), KeyError, "LF_KFE"),
    "gain": (lambda r: r.set_pd_gains({"LF_KFE": -1.0}, 1.0), ValueError, "≥ 0"),
    "infinite gain": (lambda r: r.set_pd_gains({"LF_KFE": np.inf}, 1.0), ValueError, "finite"),
    "width": (lambda r: r.set_pd_gains({"LF_KFE": [1.0, 2.0]}, 1.0), ValueError, "1 numbers"),
    "target": (lambda r: setattr(r, "pd_target", {"LF_KFE": np.nan}), ValueError, "finite"),
    "limit": (lambda r: setattr(r, "effort_limits", -1.0), ValueError, "≥ 0"),
    "limit nan": (lambda r: setattr(r, "effort_limits", np.nan), ValueError, "≥ 0"),
    "pair": (lambda r: setattr(r, "effort_limits", (1.0, 2.0)), ValueError, "≥ 0"),
    "order of a pair": (
        lambda r: setattr(r, "effort_limits", (50.0, -30.0)),
        ValueError,
        r"are \(lower, upper\) with lower ≤ 0 and upper ≥ 0, got \(50.0, -30.0\)",
    ),
    "spring": (lambda r: setattr(r, "stiffness", -2.0), ValueError, "≥ 0"),
    "carry": (lambda r: setattr(r, "gravity_compensation", 1.0), TypeError, "True or False"),
    "shape": (lambda r: setattr(r, "damping", [1.0, 2.0]), ValueError, "12"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_and_change_nothing(mistake):
    world = empty_world()
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 5))
    act, error, hint = MISTAKES[mistake]

    def read():
        return [robot.kp.tolist(), robot.kd.tolist(), robot.pd_target.tolist(), robot.drive_form,
                robot.effort_limits[1].tolist(), robot.stiffness.tolist(),
                robot.damping.tolist()]  # fmt: skip

    before = read()
    with pytest.raises(error, match=hint):
        act(robot)
    assert read() == before
