"""Joints of body files that give way across what they move: springs 1/ε with dampers τ/ε."""

import math

import numpy as np
import pytest

import tribo
from tribo.formats import choreonoid

G, MASS, ARM = 9.81, 2.0, 0.3
EPS, TAU = 1e-5, 0.02


def body(joint, centre=(ARM, 0, 0)):
    return (
        "format: ChoreonoidBody\nname: Crane\nlinks:\n - { name: base }\n"
        f" - {{ name: arm, parent: base, translation: [ 0, 0, 1 ], mass: {MASS}, "
        f"inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], centerOfMass: {list(centre)}, {joint} }}\n"
    )


def loaded(joint, **options):
    world = tribo.World(time_step=0.001)
    return world, world.load_body(body(joint, **options), compliant_joints=True)[0]


@pytest.mark.parametrize(
    ("joint", "dof"),
    [
        ("jointType: revolute, jointAxis: Z", 6),
        ("jointType: prismatic, jointAxis: Y", 6),
        ("jointType: fixed", 6),
    ],
)
def test_it_gives_way_by_its_compliance_times_force_and_moment(joint, dof):
    """At rest the joint sinks by ε m g and leans by ε m g L about y. What it moves by is level, so that it
    does not; 1e-6 of it is what 2 s of decay leave, and the square of the angle, 6e-5."""
    world, robot = loaded(f"{joint}, jointCompliance: {EPS}, jointSpookDamping: {TAU}")
    assert robot.dof == dof
    world.step(2000)
    frame = robot.frame("arm")
    assert frame.position == pytest.approx([0, 0, 1 - EPS * MASS * G], abs=1e-6 * EPS * MASS * G)
    turn = frame.rotation_matrix
    lean = math.atan2(-turn[2, 0], turn[0, 0])
    assert lean == pytest.approx(EPS * MASS * G * ARM, rel=1e-6)
    assert np.abs(robot.generalized_velocity).max() < 1e-9


def test_it_swings_with_the_damping_of_its_spook_damping():
    """m z̈ + (τ/ε) ż + z/ε = −m g from rest, ω = 1/√(m ε), ζ = τ ω/2 = 0.1, over one period; implicit steps of
    ω h = 0.02 lag and damp by that order: 2 % of the rest depth."""
    eps = 1.0 / (MASS * 100.0**2)
    world, robot = loaded(
        f"jointType: revolute, jointAxis: X, jointCompliance: {eps}, jointSpookDamping: 0.002",
        centre=(0, 0, 0),
    )
    world.time_step = 2e-4
    rest, zeta, omega = eps * MASS * G, 0.1, 100.0
    damped = omega * math.sqrt(1 - zeta**2)
    for _ in range(300):
        world.step()
        t = world.time
        wave = math.cos(damped * t) + zeta * omega / damped * math.sin(damped * t)
        wanted = -rest * (1.0 - math.exp(-zeta * omega * t) * wave)
        assert robot.frame("arm").position[2] - 1.0 == pytest.approx(wanted, abs=0.02 * rest)


@pytest.mark.parametrize("eps", [1e-14, 1e-8])
def test_any_compliance_is_stable_at_any_step(eps):
    """10 ms and a spring whose own period is 1e-6 s or 1 ms: implicit, so it rests at ε m g, here less than
    the 1e-15 of what is 1 m high times the digits that a spring of 1e14 N/m leaves of it, 1e-10."""
    world, robot = loaded(f"jointType: revolute, jointAxis: Z, jointCompliance: {eps}")
    world.time_step = 0.01
    world.step(300)
    assert robot.frame("arm").position[2] - 1.0 == pytest.approx(-eps * MASS * G, abs=1e-10)
    assert int(world.status) == 0


def test_drive_stops_and_start_are_those_of_the_joint_itself():
    text = body(
        "jointType: revolute, jointAxis: Y, jointRange: [ -30, 30 ], jointAngle: 20, rotorInertia: 0.1, "
        f"jointCompliance: {EPS}, actuationMode: jointDisplacement, jointLockCompliance: 1e-4"
    )
    world = tribo.World()
    (robot,) = world.load_body(text, compliant_joints=True)
    assert robot.joint_names[-1] == "arm"
    assert robot.generalized_coordinate[-1] == pytest.approx(math.radians(20))
    assert list(robot.generalized_coordinate[:-1]) == [0.0] * 5
    world.step(1500)
    held = math.radians(20) + 1e-4 * MASS * G * ARM * math.cos(math.radians(20))
    assert robot.generalized_coordinate[-1] == pytest.approx(held, rel=1e-3)


@pytest.mark.parametrize("forces", [(-1e9, 1e9), (-40.0, 25.0)])
def test_jointForceRange_is_the_map_of_spook_with_bounds(forces):
    """Each step of m z̈ = F − m g: w + R λ = γ w₀ − (4 γ/h) g, R = 4 ε γ/h², λ within h F. Thrown upwards,
    so that it passes its place both ways and reaches both bounds; rounding of 400 steps: 1e-12."""
    eps, tau, h = 1.0 / (MASS * 60.0**2), 0.001, 0.001
    world, robot = loaded(
        f"jointType: revolute, jointAxis: Z, jointCompliance: {eps}, jointSpookDamping: {tau}, "
        f"jointForceRange: [ {forces[0]}, {forces[1]} ]", centre=(0, 0, 0),
    )  # fmt: skip
    k = robot.joint_names.index("arm/give_along_z")
    speeds = np.zeros(robot.dof)
    speeds[k] = v = 2.0
    robot.generalized_velocity = speeds
    gamma = 1.0 / (1.0 + 4.0 * tau / h)
    r, z, reached = 4.0 * eps * gamma / h**2, 0.0, set()
    for _ in range(400):
        middle = z + 0.5 * h * v
        free = v - h * G
        impulse = (gamma * v - 4.0 * gamma / h * middle - free) / (1.0 / MASS + r)
        kept = min(max(impulse, h * forces[0]), h * forces[1])
        reached |= {"low"} if kept > impulse else {"high"} if kept < impulse else {"within"}
        v = free + kept / MASS
        z = middle + 0.5 * h * v
        world.step()
        assert robot.frame("arm").position[2] - 1.0 == pytest.approx(z, abs=1e-12)
        assert robot.joint("arm/give_along_z").limit_force == pytest.approx(kept / h, abs=1e-7)
    assert reached == ({"within"} if forces[1] > 1e6 else {"low", "high", "within"})


@pytest.mark.parametrize("compliance", ["", "jointCompliance: 0, "])
@pytest.mark.parametrize("kind", ["revolute, jointAxis: Z", "prismatic, jointAxis: X", "fixed"])
def test_a_joint_that_bears_less_than_its_load_lets_it_fall(kind, compliance):
    """z = −½ (g − F/m) t², exactly; with more than the load it holds, to what 1e-8 m/N gives way by."""
    for force, wanted in ((15.0, -0.5 * (G - 15.0 / MASS) * 0.2**2), (25.0, 0.0)):
        world, robot = loaded(
            f"jointType: {kind}, {compliance}jointForceRange: [ -{force}, {force} ]", centre=(0, 0, 0)
        )
        world.step(200)
        assert robot.frame("arm").position[2] - 1.0 == pytest.approx(wanted, abs=3e-7)
        assert int(world.status) == 0


def test_a_joint_whose_moment_is_bounded_is_turned_down_by_its_load():
    """3 N at 3 m are 9 N m: with bounds of 5 the point is held and the moment is not, I θ̈ = 9 − 5 about it.
    θ = ½ θ̈ t² in 0.1 s, but for cos θ, 1e-6, and the 1e-8 m/N that the point sinks by."""
    world, robot = loaded("jointType: fixed, jointForceRange: 5", centre=(3, 0, 0))
    world.gravity = (0, 0, -3.0 / MASS)
    world.step(100)
    frame = robot.frame("arm")
    wanted = 0.5 * (9.0 - 5.0) / (0.01 + MASS * 3.0**2) * 0.1**2
    assert -frame.rotation_matrix[2, 0] == pytest.approx(wanted, rel=1e-4)
    assert frame.position == pytest.approx([0, 0, 1], abs=1e-7)


def test_what_says_nothing_is_exact_and_without_the_word_all_are():
    soft = body(f"jointType: revolute, jointCompliance: {EPS}")
    exact = body("jointType: revolute")
    assert tribo.World().load_body(exact, compliant_joints=True)[0].dof == 1
    assert (
        tribo.World().load_body(body("jointType: revolute, jointCompliance: 0"), compliant_joints=True)[0].dof
        == 1
    )
    (robot,) = tribo.World().load_body(soft)
    assert robot.dof == 1
    assert any("joint_compliance is left out" in text for text in robot.description.doubts)
    assert choreonoid.read(soft, compliant_joints=True).doubts == []
    with pytest.raises((TypeError, ValueError), match="compliant_joints"):
        tribo.World().load_body(soft, compliant_joints="yes")


def test_jointForceRange_without_the_word_is_left_out_and_said():
    (robot,) = tribo.World().load_body(body("jointType: revolute, jointForceRange: [ -5, 5 ]"))
    assert robot.dof == 1
    assert any("joint_force_range is left out" in text for text in robot.description.doubts)
    endless = body("jointType: revolute, jointForceRange: unlimited")
    assert tribo.World().load_body(endless, compliant_joints=True)[0].dof == 1


@pytest.mark.parametrize("wrong", ["[ 1, 2 ]", "[ 2, 1 ]", "[ -1 ]", "[ .nan, 1 ]", "x", "{ a: 1 }"])
def test_wrong_ranges_of_force_are_refused(wrong):
    with pytest.raises(tribo.DescriptionError, match=r"^<body file>:5"):
        choreonoid.read(body(f"jointType: revolute, jointForceRange: {wrong}"), compliant_joints=True)


@pytest.mark.parametrize("wrong", ["-1", "1e-300", ".nan", "1e400", "x"])
def test_wrong_values_are_refused(wrong):
    with pytest.raises(tribo.DescriptionError, match=r"^<body file>:5"):
        choreonoid.read(body(f"jointType: revolute, jointCompliance: {wrong}"), compliant_joints=True)
