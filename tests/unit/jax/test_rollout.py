"""`tribo.jax.Rollout`: both modes against central differences of 1e-6."""

import numpy as np
import pytest

import tribo
from tribo.identification import body

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'tribo[jax]'")

CLOSE = 1e-6  # numbers within 3: rounding of a difference, 1e-9, and of steps that were differenced


@pytest.fixture(autouse=True)
def in_64_bits():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def thrown_robot():
    """A box on a hinge of a floating base: quaternions, velocities in body and world axes, one motor."""
    world = tribo.World(time_step=0.002)
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.1, 0.1), mass=1.0, collides=False)
    tail = root.add_child("tail", "revolute", axis=(0, 1, 0), joint_name="tail")
    tail.add_shape("box", (0.3, 0.05, 0.05), mass=0.4, position=(0.2, 0, 0), collides=False)
    cat = world.add_articulated_system(root, name="cat", position=(2, 0, 1))
    cat.generalized_velocity = [0.1, 0, 0.2, 0.5, 0.4, -0.3, 1.0]
    return world


def inputs(function, worlds=2, horizon=2):
    generator = np.random.default_rng(1)
    q, v = function.start()
    return (
        generator.normal(size=(worlds, horizon, len(function.command_names))),
        np.tile(q, (worlds, 1)) + 0.1 * generator.normal(size=(worlds, len(q))),
        np.tile(v, (worlds, 1)) + 0.1 * generator.normal(size=(worlds, len(v))),
        function.parameters(),
    )


def test_both_modes_are_differences():
    import tribo.jax

    rollout = tribo.jax.Rollout(
        thrown_robot(), forces={"cat": ["tail"]}, parameters=body("cat", "tail", mass=(0.1, 1.0)),
        steps_per_control=2, threads=1,
    )  # fmt: skip
    given = inputs(rollout.function)
    generator = np.random.default_rng(2)
    changes = tuple(generator.normal(size=one.shape) for one in given)
    ends, moved = jax.jvp(rollout, given, changes)
    above, below = (rollout(*(a + s * b for a, b in zip(given, changes, strict=True))) for s in (1e-6, -1e-6))
    for found, up, down in zip(moved, above, below, strict=True):
        assert np.abs(found - (up - down) / 2e-6).max() < CLOSE
    weights = tuple(generator.normal(size=one.shape) for one in ends)
    _, pull = jax.vjp(rollout, *given)
    gradient = pull(weights)
    assert [one.shape for one in gradient] == [one.shape for one in given]
    forward = sum(float((a * b).sum()) for a, b in zip(weights, moved, strict=True))
    backward = sum(float((a * b).sum()) for a, b in zip(gradient, changes, strict=True))
    # The changed quaternions of the start have other lengths, so their part of it says something, too.
    assert np.isclose(forward, backward, rtol=1e-9, atol=1e-9)


def test_gradients_within_compiled_functions():
    """A ball of mass m that is pushed for a time t moves by t²/2m for each newton."""
    import tribo.jax

    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    rollout = tribo.jax.Rollout(world, forces={"ball": None}, steps_per_control=10, threads=1)

    def miss(push):
        return 0.5 * (rollout(push)[0][0, -1, 0] - 0.3) ** 2

    found = jax.jit(jax.grad(miss))(np.zeros((1, 6)))
    assert np.isclose(float(found[0, 0]), -0.3 * 0.1**2 / (2 * 2.0), rtol=1e-7)


def test_shapes_are_refused_in_words():
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    rollout = tribo.jax.Rollout(world, forces={"ball": None}, threads=1)
    assert rollout(np.ones((5, 6), int))[0].shape == (1, 5, 7)
    for wrong in (1.0, np.zeros(6), np.zeros((5, 3))):
        with pytest.raises(ValueError, match=r"\(worlds, T, 6\)"):
            rollout(wrong)
        with pytest.raises(ValueError, match=r"\(worlds, T, 6\)"):
            jax.jit(rollout)(wrong)
    with pytest.raises(ValueError, match="v must have shape"):
        rollout(np.zeros((5, 6)), v=1.0)
    with pytest.raises(TypeError, match="real"):
        rollout(np.zeros((5, 6), complex))
    assert tribo.jax.Rollout is type(rollout)  # reached without an import of its own


def test_a_mass_is_found_by_its_gradient():
    """A ball that is pushed by 1 N for t moves by t²/2m: −t²/2m² for each kilogramme more."""
    import tribo.jax

    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    rollout = tribo.jax.Rollout(
        world, forces={"ball": None}, parameters=body("ball", mass=(1.0, 5.0)), threads=1
    )
    push = np.zeros((2, 10, 6))
    push[:, :, 0] = 1.0
    by_mass = jax.jit(jax.grad(lambda mass: rollout(push, parameters=mass)[0][:, -1, 0].sum()))
    assert np.isclose(float(by_mass(np.array([4.0]))[0]), -2 * 0.1**2 / (2 * 4.0**2), rtol=1e-6)
    with pytest.raises(ValueError, match="parameters must have shape"):
        rollout(push, parameters=np.ones(2))
