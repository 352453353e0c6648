"""Static friction: μ_eff = μ_s + (μ − μ_s) s/v_s below the transition speed v_s, μ above.

s is the slip speed at the start of the step, so the whole motion is a recursion in one number.
"""

import numpy as np
import pytest
from scenes import GRAVITY, ground_world

DT, MU, MU_S, V_S = 1e-3, 0.4, 0.6, 0.05


def effective(speed):
    """Return the coefficient at a slip speed."""
    return MU if speed >= V_S else MU_S + (MU - MU_S) * speed / V_S


def law_world(velocity=0.0):
    """Return world and box under the law."""
    world = ground_world(DT, friction=MU, static_friction=MU_S, static_friction_velocity=V_S)
    box = world.add_box((0.4, 0.4, 0.1), 2.0, position=(0, 0, 0.05), linear_velocity=(velocity, 0, 0))
    return world, box


def test_deceleration_follows_the_law():
    """v⁺ = max(0, v − μ_eff(v) g dt), step by step to solver tolerance."""
    world, box = law_world(0.2)
    v = 0.2
    for _ in range(80):
        v = max(0.0, v - effective(v) * GRAVITY * DT)
        world.step()
        assert box.linear_velocity[0] == pytest.approx(v, abs=1e-11)
    assert v == 0.0


def test_breakaway_under_a_growing_force():
    """F = k t holds while F ≤ μ_s m g, with no creep; from the first step beyond, v follows
    v⁺ = v + (F/m − μ_eff(v) g) dt. The step of breakaway is exact."""
    world, box = law_world()
    v, moved_at, expected_at = 0.0, None, None
    for k in range(1000):
        force = 20.0 * k * DT
        box.apply_force((force, 0, 0))
        world.step()
        if v > 0.0 or force > MU_S * 2.0 * GRAVITY:
            v = max(0.0, v + (force / 2.0 - effective(v) * GRAVITY) * DT)
            expected_at = expected_at or k
        if box.linear_velocity[0] > 1e-9:
            moved_at = moved_at or k
        if moved_at is None:
            assert abs(box.linear_velocity[0]) <= 1e-11
            assert abs(box.position[0]) <= 1e-10
        else:
            assert box.linear_velocity[0] == pytest.approx(v, abs=1e-9)
    assert moved_at == expected_at
    assert v > 2 * V_S


def test_holds_at_the_static_limit_and_not_at_the_sliding_one():
    """0.999 μ_s m g from rest: held for 2 s with no creep. The same force while sliding: accelerates."""
    world, box = law_world()
    force = (0.999 * MU_S * 2.0 * GRAVITY, 0, 0)
    for _ in range(2000):
        box.apply_force(force)
        world.step()
    assert np.abs(box.position - [0, 0, 0.05]).max() <= 1e-9
    world, box = law_world(0.1)
    for _ in range(100):
        box.apply_force(force)
        world.step()
    a = (0.999 * MU_S - MU) * GRAVITY
    assert box.linear_velocity[0] == pytest.approx(0.1 + 0.1 * a, rel=1e-9)
