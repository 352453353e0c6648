"""Properties that are set for some worlds: as if all worlds were set, the others to what they had."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo
from tribo.batch.materials import NAMES, are_possible
from tribo.materials import PairProperties

MASK = np.array([False, True, False, True])


def dogs():
    """Return four robots on a ground of their own material."""
    world = ground_world(friction=0.7)
    standing_quadruped(world, kp=60.0, kd=2.0, name="dog")
    return tribo.Batch(world, 4, threads=1)


def test_some_worlds_are_all_worlds_with_the_others_as_they_were():
    """Masses, inertias, joints, gains and materials: two batches, set in both ways, go on with equal bits."""
    some, every = dogs(), dogs()
    one, other = some["dog"], every["dog"]
    trunk, knee = other.link("trunk"), other.joint("LF_KFE")
    mass, inertia = np.array(trunk.mass), np.array(trunk.inertia)
    mass[MASK], inertia[MASK] = (9.0, 11.0), 1.1 * inertia[0]
    one.set_link("trunk", MASK, mass=[9.0, 11.0], inertia=inertia[MASK], com=(0.01, 0, 0))
    trunk.mass, trunk.inertia = mass, inertia
    com = np.array(trunk.com)
    com[MASK] = (0.01, 0, 0)
    trunk.com = com
    damping, limit = np.array(knee.damping), np.array(knee.effort_limits[1])
    damping[MASK], limit[MASK] = (0.3, 0.4), 25.0
    one.set_joint("LF_KFE", MASK, damping=[0.3, 0.4], effort_limits=25.0)
    knee.damping, knee.effort_limits = damping, limit
    kp = np.array(other.kp)
    kp[MASK, 6:] = [[50.0], [70.0]]
    one.set_pd_gains(kp[MASK], 1.5, MASK)
    kd = np.array(other.kd)
    kd[MASK, 6:] = 1.5
    other.kp[:], other.kd[:] = kp, kd
    friction = np.where(MASK, [0, 0.3, 0, 0.5], 0.7)
    some.set_material_pair("default", "default", worlds=MASK, friction=[0.3, 0.5])
    every.set_material_pair("default", "default", friction=friction)
    for batch in (some, every):
        batch.step(60)
    assert some.hash() == every.hash()
    plain = dogs()
    plain.step(60)
    assert plain.hash()[::2] == some.hash()[::2]
    assert plain.hash()[1] != some.hash()[1]


def test_one_wrong_value_changes_nothing():
    """Not even what was right in the same call."""
    batch = dogs()
    dog = batch["dog"]
    before = dog.link("trunk").mass.copy()
    with pytest.raises(ValueError, match="mass"):
        dog.set_link("trunk", MASK, mass=[1.0, -1.0])
    with pytest.raises(ValueError, match="inertia"):
        dog.set_link("trunk", MASK, mass=2.0, inertia=np.zeros(3))
    with pytest.raises(KeyError, match="damping"):
        dog.set_joint("LF_KFE", MASK, dampings=1.0)
    with pytest.raises(ValueError, match="shape"):
        dog.set_link("trunk", MASK, mass=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="of world 3"):
        batch.set_material_pair("default", "default", worlds=MASK, friction=[0.5, -0.5])
    with pytest.raises(ValueError, match="shape"):
        dog.set_pd_gains(np.ones((4, 18)), 1.0, MASK)
    np.testing.assert_array_equal(dog.link("trunk").mass, before)
    plain = dogs()
    assert batch.hash() == plain.hash()
    batch.step(20)
    plain.step(20)
    assert batch.hash() == plain.hash()


def test_the_quick_check_of_pairs_is_that_of_one_pair():
    """Random rows, many of them wrong: `are_possible` says what `PairProperties` says, of rigid ones."""
    rng = np.random.default_rng(3)
    rows = np.zeros((3000, len(NAMES)))
    rows[:] = rng.choice([0.0, 0.0, 0.5, 0.7, 1.0], rows.shape)
    rows[rng.random(rows.shape) < 0.02] = -1.0
    rows[rng.random(rows.shape) < 0.02] = 2e6
    rows[rng.random(rows.shape) < 0.01] = np.nan
    rows[:, NAMES.index("stiffness")] = 0.0
    rows[:, NAMES.index("damping")] *= rng.random(len(rows)) < 0.1
    rows[:, NAMES.index("static_friction")] += rows[:, 0] * (rng.random(len(rows)) < 0.7)
    found = are_possible(rows)
    for row, possible in zip(rows.tolist(), found, strict=True):
        given = dict(zip(NAMES, row, strict=True)) | {"stiffness": None}
        try:
            PairProperties(**given)
        except ValueError:
            assert not possible, given
        else:
            assert possible, given
    assert 100 < found.sum() < 2900


@pytest.mark.parametrize("nobody", [[], np.zeros(4, bool)])
def test_properties_of_no_world(nobody):
    """A reset in which no world ended. (NumPy complained of arrays without entries.)"""
    batch = dogs()
    mass, damping = batch["dog"].link("trunk").mass, batch["dog"].joint("LF_KFE").damping
    batch["dog"].set_link("trunk", worlds=nobody, mass=3.0)
    batch["dog"].set_joint("LF_KFE", worlds=nobody, damping=1.0)
    np.testing.assert_array_equal(batch["dog"].link("trunk").mass, mass)
    np.testing.assert_array_equal(batch["dog"].joint("LF_KFE").damping, damping)
    with pytest.raises(KeyError, match="mass"):
        batch["dog"].set_link("trunk", worlds=nobody, masss=3.0)
