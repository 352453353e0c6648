"""Properties of some worlds of a batch set again and again, as randomisation does: checked, and only once."""

import numpy as np
import pytest

import tribo
from tribo.checks import check
from tribo.tools.demo import ASSETS


@pytest.fixture
def batch():
    world = tribo.World()
    world.add_ground(material="floor")
    world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 1))
    world.set_material_pair("floor", "rubber", friction=0.8)
    return tribo.Batch(world, 4, threads=1)


def test_inertias_are_refused_as_one_by_one():
    rng = np.random.default_rng(0)
    made = rng.normal(size=(300, 3, 3))
    made = made @ made.transpose(0, 2, 1) + rng.uniform(0.0, 3.0, (300, 1, 1)) * np.eye(3)
    made[3, 0, 1] += 0.1
    made[5], made[6, 2, 2] = -np.eye(3), np.nan
    made[7, 0, 0] = 1e20
    refused = []
    for matrix in made:
        try:
            check.inertia(matrix, "inertia")
            refused.append(False)
        except ValueError:
            refused.append(True)
    good = made[~np.array(refused)]
    assert 10 < len(good) < 290
    assert check.inertias(good, "inertia") is good
    for bad in made[np.array(refused)]:
        with pytest.raises(ValueError, match="inertia") as one:
            check.inertia(bad, "inertia")
        with pytest.raises(ValueError, match="inertia") as many:
            check.inertias(np.concatenate([good, bad[None]]), "inertia")
        assert str(one.value) == str(many.value)


def test_a_bad_number_in_one_world_changes_none(batch):
    trunk = batch["dog"].link("trunk")
    inertia = np.array(trunk.inertia)
    inertia[2, 0, 0] = -1.0
    with pytest.raises(ValueError, match="positive definite"):
        trunk.inertia = inertia
    assert (np.array(trunk.inertia)[:, 0, 0] > 0.0).all()
    with pytest.raises(ValueError, match="of world 2"):
        batch.set_material_pair("floor", "rubber", friction=[0.8, 0.8, -1.0, 0.8])
    assert (batch.material_pair("floor", "rubber")["friction"] == 0.8).all()


def test_records_are_made_anew_only_when_worlds_part(batch):
    """The first mass of a batch gives each world its own; the next ones write into what is there."""
    trunk = batch["dog"].link("trunk")
    trunk.mass = [6.0, 7.0, 8.0, 9.0]
    records = batch.engine.model
    trunk.mass = [6.0, 7.0, 8.0, 5.0]
    assert batch.engine.model is records
    assert np.array_equal(trunk.mass, [6.0, 7.0, 8.0, 5.0])
    batch.set_material_pair("floor", "rubber", friction=[0.1, 0.2, 0.3, 0.4])
    assert batch.engine.model is not records
    assert np.array_equal(trunk.mass, [6.0, 7.0, 8.0, 5.0])
    assert batch.step(5).all()


def test_masses_set_twice_are_felt(batch):
    """After the second assignment the weight on the feet is the second mass's."""
    dog = batch["dog"]
    q = dog.generalized_coordinate.copy()
    q[:, 2] = 2 * 0.24 + 0.025
    dog.set_state(q, np.zeros(dog.dof))
    dog.pd_target = q
    dog.set_pd_gains(300.0, 10.0)
    dog.link("trunk").mass = [6.8, 6.8, 6.8, 20.0]
    batch.step(5)
    dog.link("trunk").mass = [6.8, 6.8, 6.8, 10.0]
    batch.step(1500)
    weight = dog.net_contact_force[:, :, 2].sum(axis=1)
    assert weight[3] - weight[0] == pytest.approx(3.2 * 9.81, rel=1e-3)


def test_a_status_is_said_of_worlds_with_masses_of_their_own(caplog):
    """A text that fails would raise after the steps are made, and a caller would make them twice."""
    world = tribo.World(time_step=0.005)
    world.default_pair = tribo.PairProperties(friction=0.5, stiffness=1e8, damping=1e3)
    world.add_ground()
    world.add_sphere(0.1, 0.1, name="ball", position=(0, 0, 0.2))
    batch = tribo.Batch(world, 3, threads=1)
    batch["ball"].mass = np.array([0.1, 0.2, 0.3])
    with caplog.at_level("WARNING"):
        batch.step(200)
    assert batch.time == pytest.approx(1.0)
    assert (batch.status & tribo.Status.TIME_STEP_TOO_LONG).all()
    assert "too long for a compliant pair" in caplog.text
