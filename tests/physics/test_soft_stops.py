"""Stops of joints that give way: static deflection, the map of SPOOK step by step, bounds, files, batches."""

import math

import numpy as np
import pytest
from scenes import empty_world

import tribo

DT = 1e-3
MASS = 2.0


def robot(kind="prismatic", dt=DT, gravity=(0.0, 0.0, -9.81), integrator="midpoint", **stop):
    """Return a world with one joint about or along y, and the robot; its link is 2 kg, 0.2 kg m²."""
    world = empty_world(dt, gravity)
    world.integrator = integrator
    base = tribo.LinkDescription("base")
    arm = tribo.LinkDescription("arm", MASS, (0, 0, 0), 0.2 * np.eye(3))
    axis = (0, 0, 1) if kind == "prismatic" else (0, 1, 0)
    base.attach(arm, tribo.JointDescription("j", kind, axis=axis, lower=-0.1, upper=0.1, **stop))
    return world, world.add_articulated_system(base, fixed_base=True)


@pytest.mark.parametrize("force", [-7.0, 7.0])
@pytest.mark.parametrize("kind", ["prismatic", "revolute"])
@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
def test_it_gives_way_by_its_compliance_times_the_load(force, kind, integrator):
    """At rest q = stop + ε F: to 1e-9 of that after 60 damping times."""
    world, arm = robot(
        kind, gravity=(0, 0, 0), integrator=integrator, stop_compliance=1e-3, stop_spook_damping=0.05
    )
    arm.generalized_coordinate = [math.copysign(0.099, force)]
    for _ in range(3000):
        arm.generalized_force = [force]
        world.step()
    beyond = arm.generalized_coordinate[0] - math.copysign(0.1, force)
    assert beyond == pytest.approx(1e-3 * force, rel=1e-9)
    assert arm.joint("j").limit_force == pytest.approx(-force, rel=1e-9)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("damping", [0.0, 5e-4, 0.01, 0.2])
def test_it_is_the_map_of_spook_step_by_step(integrator, damping):
    """(1/m + R) λ = γ (w − 4 g/h) − w_free, R = 4 ε γ/h², λ ≥ 0, where g = q + 0.1 ≤ 0; falling at first.

    Each step to 1e-12, over three bounces and the rest.
    """
    compliance = 2e-3
    world, arm = robot(integrator=integrator, stop_compliance=compliance, stop_spook_damping=damping)
    gamma = 1.0 / (1.0 + 4.0 * damping / DT)
    r = 4.0 * compliance * gamma / DT**2
    q, w = 0.0, 0.0
    half = 0.5 * DT if integrator == "midpoint" else 0.0
    pressed = 0
    for _ in range(1500):
        q += half * w
        gap = q + 0.1
        free = w - 9.81 * DT
        impulse = 0.0
        if gap <= 0.0:
            impulse = max(0.0, (gamma * (w - 4.0 * gap / DT) - free) / (1.0 / MASS + r))
        pressed += impulse > 0.0
        w = free + impulse / MASS
        q += (DT - half) * w
        world.step()
        assert arm.generalized_coordinate[0] == pytest.approx(q, abs=1e-12)
        assert arm.generalized_velocity[0] == pytest.approx(w, abs=1e-11)
    assert pressed > 100


@pytest.mark.parametrize(("least", "most", "force"), [(-30.0, 5.0, -8.0), (-5.0, 30.0, 8.0)])
def test_it_yields_beyond_its_force(least, most, force):
    """A stop of 5 N against 8 N lets the joint through with 3 N; the other one holds them."""
    world, arm = robot(
        gravity=(0, 0, 0), stop_compliance=1e-6, stop_spook_damping=0.01, stop_force=most,
        stop_force_lower=least,
    )  # fmt: skip
    for way, rest in ((1.0, math.copysign(3.0, force)), (-1.0, 0.0)):
        arm.generalized_coordinate = [way * math.copysign(0.101, force)]
        arm.generalized_velocity = [0.0]
        for _ in range(100):
            arm.generalized_force = [way * force]
            world.step()
        assert arm.generalized_velocity[0] == pytest.approx(rest * 0.1 / MASS, abs=1e-3)


def test_a_hard_stop_yields_beyond_its_force_too():
    world, arm = robot(gravity=(0, 0, 0), stop_force=5.0)
    arm.generalized_coordinate = [-0.1]
    for _ in range(100):
        arm.generalized_force = [-8.0]
        world.step()
    assert arm.generalized_velocity[0] == pytest.approx(-3.0 * 0.1 / MASS, rel=1e-9)


def test_what_a_stop_gives_back_is_not_held_for_energy_from_nowhere():
    """A rotor at 30 rad/s, 0.03 rad a step, that hard stops would slow: it follows the map, and comes back.

    (1/I + R) λ = w − 4 g/h − w, without damping.
    """
    world, arm = robot("revolute", gravity=(0, 0, 0), stop_compliance=1e-3, stop_spook_damping=0.0)
    arm.generalized_velocity = [30.0]
    q, w = 0.0, 30.0
    for _ in range(52):
        q += 0.5 * DT * w
        if q >= 0.1:
            w += min(0.0, -4.0 * (q - 0.1) / DT / (1.0 / 0.2 + 4e-3 / DT**2)) / 0.2
        q += 0.5 * DT * w
        world.step()
        assert arm.generalized_velocity[0] == pytest.approx(w, abs=1e-9)
    assert w == pytest.approx(-30.0, rel=1e-3)


def test_file_snapshot_and_batch_hold_it(tmp_path):
    stop = {"stop_compliance": 1e-3, "stop_spook_damping": 0.02, "stop_force": 60.0, "stop_force_lower": -9.0}
    world, arm = robot("revolute", **stop)
    arm.generalized_velocity = [5.0]
    world.save(tmp_path / "world.xml")
    saved = world.snapshot()
    world.step(200)
    there = arm.generalized_coordinate.copy()
    world.restore(saved)
    world.step(200)
    np.testing.assert_array_equal(arm.generalized_coordinate, there)
    loaded = tribo.World.load(tmp_path / "world.xml")
    joint = loaded.objects[0].description.bodies[1].joint
    assert {key: getattr(joint, key) for key in stop} == stop
    loaded.step(200)
    np.testing.assert_array_equal(loaded.objects[0].generalized_coordinate, there)
    world.restore(saved)
    batch = tribo.Batch(world, 2)
    batch.step(200)
    np.testing.assert_array_equal(batch[arm.name].generalized_coordinate, [there, there])


@pytest.mark.parametrize(
    ("kind", "stop", "message"),
    [
        ("revolute", {"stop_compliance": -1.0}, "stop_compliance of joint 'j' must be ≥ 0"),
        ("revolute", {"stop_compliance": math.nan}, "stop_compliance of joint 'j' must be ≥ 0"),
        ("revolute", {"stop_compliance": 1e300}, "stop_compliance of joint 'j' must be at most"),
        ("revolute", {"stop_spook_damping": -1.0}, "stop_spook_damping of joint 'j' must be ≥ 0"),
        ("revolute", {"stop_force": -1.0}, "stop_force of joint 'j' must be ≥ 0"),
        ("revolute", {"stop_force_lower": 1.0}, "stop_force_lower of joint 'j' must be ≤ 0"),
        ("spherical", {"stop_compliance": 1e-3}, "cone of a spherical joint does not give way"),
    ],
)
def test_wrong_numbers_are_refused_and_the_world_stays(kind, stop, message):
    with pytest.raises(tribo.DescriptionError, match=message):
        robot(kind, **stop)
