"""The dense problem of an island: its whitened rows are those of its G, and it knows when dofs are fewer."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo
from tribo.contact.solver import dense_island, dense_matrix

GRIPPER = """<mujoco><worldbody><body name="arm"><joint name="swing" axis="0 0 1"/>
<inertial mass="2" pos="0.4 0 0" diaginertia="0.1 0.1 0.1"/>
<body name="left" pos="0.8 -0.04 0"><joint name="left" type="slide" axis="0 1 0" range="0 0.1"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body>
<body name="right" pos="0.8 0.04 0"><joint name="right" type="slide" axis="0 1 0"/>
<geom type="box" size="0.03 0.01 0.03" mass="0.2"/></body></body>
<body name="box" pos="0.8 0 0"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.3"/></body>
</worldbody></mujoco>"""


def box_on_ground():
    world = ground_world(friction=0.6)
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1))
    return world


def grip():
    """One finger pushes, the other is at its stop: contacts of a tree and a loose body, and a scalar row."""
    world = tribo.World()
    arm, _ = world.load_mjcf(GRIPPER)
    world.step()
    arm.generalized_force = [0.0, -40.0, -40.0]
    return world


def dog():
    world = ground_world(friction=0.8)
    standing_quadruped(world, kp=60.0, kd=2.0)
    world.step(500)
    return world


def dense(world):
    """Return (G, Y, dofs if there are fewer than rows, whether a row gives way) of each island of a step."""
    world.step()
    engine = world.engine
    model, work = engine.model, engine.work
    for t in range(len(work.tree_island)):
        size = dense_island.island_rows(work, t)
        contacts = int(work.island_contact_start[t + 1] - work.island_contact_start[t])
        if size == 0:
            continue
        g, c, x = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        mu, lower, upper = np.zeros(contacts), np.zeros(size), np.zeros(size)
        dense_island.assemble(model, work, t, contacts, size, g, c, x, mu, lower, upper)
        dofs = dense_island.number_dofs(model, work, t, 1000)
        y = np.full((size, dense_matrix.wide(dofs)), np.nan)
        dense_island.write_whitened(model, work, t, contacts, size, dofs, y)
        assert not y[:, dofs:].any()  # products with it take four columns at a time
        y = y[:, :dofs]
        fewer = dense_island.number_dofs(model, work, t, size)
        yield g, y, fewer, dense_island.has_compliance(work, t)


@pytest.mark.parametrize(
    ("make", "shape", "fewer"),
    [(box_on_ground, (12, 6), 6), (grip, (25, 9), 9), (dog, (12, 18), 0)],
)
def test_whitened_rows_make_g(make, shape, fewer):
    """G = Y Yᵀ to rounding: both are sums of at most 18 products, of the same numbers."""
    ((g, y, found, gives_way),) = dense(make())
    assert y.shape == shape
    assert (found, gives_way) == (fewer, False)
    np.testing.assert_allclose(y @ y.T, g, rtol=0, atol=1e-14 * np.abs(g).max())


def test_rows_that_give_way_are_not_those_of_y():
    """Their compliance is on the diagonal of G, not in Y: such an island is solved by its rows."""
    world = box_on_ground()
    world.default_pair = tribo.ContactMaterial(youngs_modulus=1e5, friction=0.6)
    ((g, y, _, gives_way),) = dense(world)
    assert gives_way
    assert np.diag(g - y @ y.T)[2] > 0.0


def test_contacts_that_stick_are_solved_without_g():
    """A box in a grip, 25 rows and 9 dofs, is solved to 1e-9, and the table of G stays as it was."""
    world = grip()
    world.step(20)
    work = world.engine.work
    work.dense[:] = np.nan
    world.step(5)
    assert np.isnan(work.dense).all()
    assert world.status == 0
    assert world.residual.max() < 1e-9
