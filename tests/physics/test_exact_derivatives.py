"""Exact derivatives of a step against Richardson's extrapolation of differences, robots on a floor included.

Two steps s and 2 s of central differences leave 4 s⁴ f⁽⁵⁾/120 of truncation and 2 ε |x⁺|/s of rounding. With
s = 1e-5, |x⁺| = 10 and derivatives up to 1/dt = 1e3, that is below 1e-9 of the largest number; 1e-7 is asked.
"""

import numpy as np
import pytest

import tribo

CLOSE = 1e-7
KINDS = ("revolute", "prismatic", "spherical")


def robot(generator, fixed):
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.3, 0.2, 0.1), mass=generator.uniform(1, 5))
    if fixed:
        root.fix_to_world()
    links = [root]
    for k in range(generator.integers(1, 6)):
        parent = links[generator.integers(len(links))]
        link = parent.add_child(
            f"link{k}", KINDS[generator.integers(3)], position=generator.uniform(-0.3, 0.3, 3),
            axis=generator.normal(size=3),
        )  # fmt: skip
        shape, size = (("sphere", (0.12,)), ("capsule", (0.05, 0.2)), ("box", (0.1, 0.2, 0.3)))[
            generator.integers(3)
        ]
        link.add_shape(
            shape, size, mass=generator.uniform(0.5, 2), position=generator.uniform(-0.2, 0.2, 3)
        )
        links.append(link)
    return root


def falling(seed, integrator):
    """A random robot, thrown at random, driven by springs and dampers, above a floor."""
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.001)
    world.integrator = integrator
    world.add_ground()
    part = world.add_articulated_system(robot(generator, False), position=(0, 0, 0.6))
    q = np.array(part.generalized_coordinate)
    q[3:7] = tribo.quaternion(rpy=generator.uniform(-1, 1, 3))
    part.generalized_coordinate = q
    part.generalized_velocity = generator.normal(size=part.dof) * generator.choice([0.02, 0.2, 0.4])
    driven = np.arange(part.dof) >= 6
    part.set_pd_gains(5.0 * driven, 0.5 * driven)
    return world, generator


def touches(world):
    return any(np.linalg.norm(one.impulse) > 0.0 for one in world.contacts)


def before_landing(world):
    for _ in range(800):
        state = world.snapshot()
        world.step()
        if touches(world):
            world.restore(state)
            return


def richardson(world, step):
    near, far = (tribo.linearize(world, step=s, method="differences") for s in (step, 2.0 * step))
    is_smooth = near.is_smooth and far.is_smooth
    return (4.0 * near.central - far.central) / 3.0, is_smooth


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_landing_robots_are_as_richardsons_extrapolation(integrator):
    compared = 0
    for seed in range(16):
        world, _ = falling(seed, integrator)
        before_landing(world)
        found = tribo.linearize(world)
        if found.method != "exact":
            assert found.obstacle
            continue
        expected, is_smooth = richardson(world, 1e-5)
        if is_smooth:  # a border between the two has no derivative to compare
            compared += 1
            size = np.abs(expected).max(axis=0)
            lasting = np.maximum(size, 1.0)  # a column of 1, or one of 1/dt
            assert (np.abs(found.central - expected) <= CLOSE * lasting).all()
    assert compared >= 3


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_robots_on_the_floor_are_as_differences(integrator):
    """Where a contact lasts its gap is 0, a corner of its target unless overlaps open as gaps close.

    So `erp` is 1 here. Within 1e-7 of the speed that weight gains in a step, 1e-9 m/s, a target is 0: where
    an input moves a gap a difference of 1e-7 m feels that as 1e-9/(1e-7/dt) = 1e-5 of 1/dt.
    """
    compared = 0
    for seed in range(16):
        world, generator = falling(seed, integrator)
        world.erp = 1.0
        lasted = 0
        until = generator.integers(20, 300)
        for _ in range(1200):
            world.step()
            lasted += touches(world)
            if lasted > until:
                break
        found = tribo.linearize(world)
        if found.method != "exact":
            continue
        moved = tribo.linearize(world, step=2e-7, method="differences")
        if moved.is_smooth and found.is_smooth:
            compared += 1
            error = np.abs(found.central - moved.central)
            n = len(found.state_names) // 2
            first = (
                n if integrator == "semi_implicit" else 2 * n
            )  # from here on no input moves a gap
            size = np.abs(moved.central[:, first:]).max(axis=0)
            # The difference itself errs by 1e-16 |x⁺|/2e-7, |x⁺| up to 10.
            assert (error[:, first:] <= CLOSE * np.maximum(size, 1.0)).all()
            assert error.max() <= 1e-4 / world.time_step
    assert compared >= 6


def test_a_robot_that_stands_is_exact_along_its_contacts():
    from tribo.tools.demo import ASSETS

    world = tribo.World()
    world.add_ground()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.5))
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = 0.5 * sign
        dog.joint(f"{leg}_KFE").coordinate = -1.0 * sign
    tribo.equilibrium(world).apply(world)
    found = tribo.linearize(world, on_contacts=True, controls=("force", "wrench"))
    moved = tribo.linearize(
        world, on_contacts=True, controls=("force", "wrench"), method="differences"
    )
    assert found.method == "exact"
    assert np.abs(found.A - moved.A).max() < 1e-8
    assert np.allclose(found.B, moved.B, rtol=0, atol=1e-8 * np.abs(moved.B).max())
    # One side of a gap opens at once, the other closes by a part: both slopes are said.
    whole = tribo.linearize(world, method="exact")
    assert "q/dog/z" in whole.kinks
    sides = tribo.linearize(world, method="differences")
    for side in ("forward", "backward"):
        near = np.abs(getattr(whole, side)[:, :36] - getattr(sides, side)[:, :36]).max()
        assert near < 1e-4 / world.time_step  # the corner of the target is rounded by 1e-9 m/s


def test_what_is_not_known_is_named():
    world = tribo.World()
    world.add_ground()
    world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 1))
    found = tribo.linearize(world)
    assert found.method == "differences"
    assert "ball" in found.obstacle
    with pytest.raises(tribo.control.NotDifferentiableError, match="ball"):
        tribo.linearize(world, method="exact")
    with pytest.raises(ValueError, match="method"):
        tribo.linearize(world, method="autodiff")
    assert tribo.linearize(world, method="differences").obstacle == ""
    assert "steps" in tribo.linearize(world, steps=2).obstacle


def test_an_actuator_that_turns_with_its_body_is_left_to_differences():
    """Its torque about the first joint depends on the second one; exact derivatives left that out."""
    text = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="out" pos="0.3 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <site name="s" pos="0.3 0 0"/></body></body></worldbody>
      <actuator><motor site="s" gear="1 0 0 0 0 0"/></actuator></mujoco>"""
    world = tribo.World()
    (robot,) = world.load_mjcf(text)
    robot.set_controls([5.0])
    world.step(10)
    found = tribo.linearize(world)
    assert found.method == "differences"
    assert "actuator" in found.obstacle
