"""Free bodies on constraints drift together: what is turned keeps its momentum, and ties get on alike."""

import numpy as np
import pytest
import reference

import tribo
from tribo.dynamics import constrained_drift

SIZE = np.array([0.4, 0.2, 0.1])  # [m] of each box, of 1 kg
INERTIA = np.diag((SIZE @ SIZE - SIZE**2) / 12.0)


def chain(count):
    """Return a world of boxes in a row, each on a pin to the one before it, the first to the world."""
    world = tribo.World(2e-3, gravity=(0, 0, 0))
    before = None  # the box before
    for k in range(count):
        box = world.add_box(
            tuple(SIZE), 1.0, position=(0.25 + 0.5 * k, 0, 0),
            angular_velocity=(5.0, 20.0 - 8.0 * k, 60.0 + 10.0 * k),
        )  # fmt: skip
        options = {} if before is None else {"collide": False}
        world.add_pin(box, before, position=(0.5 * k, 0, 0), **options)
        before = box
    world.step()
    return world


def apart(engine, is_moved):
    """Return by how much the two ends of each tie are to get on unlike, before or after δ and ρ [m]."""
    model, work = engine.model, engine.work
    ends = work.end_position_error.copy()
    for end, body in enumerate(model.constraint_body.ravel()):
        if body >= 0 and is_moved:
            x = work.constrained_shift[model.body_tree[body]]
            ends[end] -= work.end_lever[end] * np.cross(x[:3], work.end_arm[end]) + x[3:]
    return np.linalg.norm(ends[::2] - ends[1::2], axis=1).max()


@pytest.mark.parametrize(("count", "most"), [(1, 1e-12), (2, 1e-2), (4, 1e-2)])
def test_all_ties_get_on_alike(count, most):
    """A single tie at once, those of a chain to a hundredth of what was missing, by going to and fro."""
    engine = chain(count).engine
    before = apart(engine, False)
    assert before > 1e-6
    assert apart(engine, True) <= most * before


def test_what_is_turned_keeps_its_angular_momentum():
    """L = R I Rᵀ ω stays while R is turned by ρ, and the centre moves by δ."""
    engine = chain(1).engine
    rho, delta = np.array([0.1, -0.2, 0.05]), np.array([1e-3, 2e-3, -3e-3])
    q, v = engine.state.q.copy(), engine.state.v.copy()
    engine.work.constrained_shift[0] = [*rho, *delta]
    constrained_drift.move_constrained_body(engine.model, engine.work, 0, q, v)
    old, new = (reference.rotation_of(x[3:7]) for x in (engine.state.q, q))
    np.testing.assert_allclose(q[:3] - engine.state.q[:3], delta, atol=1e-15)
    size = np.linalg.norm(rho)
    turn = reference.axis_rotation(rho / size, size)
    np.testing.assert_allclose(new @ old.T, turn, atol=1e-14)
    before = old @ INERTIA @ old.T @ engine.state.v[3:]
    np.testing.assert_allclose(new @ INERTIA @ new.T @ v[3:], before, atol=1e-14)
    np.testing.assert_array_equal(v[:3], engine.state.v[:3])
