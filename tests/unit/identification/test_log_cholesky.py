"""Inertias for any ten numbers."""

import numpy as np
import pytest

import tribo
from tribo.identification.log_cholesky import inertial, of_parameters, parameters_of


def test_any_numbers_are_a_body():
    rows = np.random.default_rng(0).uniform(-2.0, 2.0, (200, 10))
    mass, _, inertia = of_parameters(rows)
    moments = np.linalg.eigvalsh(inertia)
    assert (mass > 0.0).all()
    assert (moments > 0.0).all()
    assert (moments[:, 0] + moments[:, 1] > moments[:, 2]).all()


def test_a_body_has_its_numbers():
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    inertia, com = turn @ np.diag([0.2, 0.3, 0.4]) @ turn.T, np.array([0.1, -0.2, 0.3])
    mass, place, found = of_parameters(parameters_of(2.5, com, inertia)[None])
    assert mass[0] == pytest.approx(2.5, rel=1e-13)
    assert np.abs(place[0] - com).max() < 1e-14
    assert np.abs(found[0] - inertia).max() < 1e-14


def test_a_flat_body_is_refused():
    with pytest.raises(ValueError, match="flat, a line or a point"):
        parameters_of(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0]))


def test_the_numbers_of_a_link_are_set_in_batches_and_worlds():
    world = tribo.World()
    world.add_box((0.1, 0.2, 0.3), 1.0, name="box")
    unknown = inertial("box").of_world(world)
    assert unknown.read(world) == [0.0] * 10
    batch = tribo.Batch(world, 3, threads=1)
    rows = np.zeros((2, 10))
    rows[1, :4] = 0.1, 0.2, -0.1, 0.05
    unknown.set_in_batch(batch, rows, np.array([0, 2]))
    assert batch["box"].mass == pytest.approx([1.0, 1.0, np.exp(0.2)])
    derived = unknown.derived(rows)
    assert derived["box/mass"][1] == pytest.approx([1.0, np.exp(0.2)])
    assert batch["box"].inertia[2, 0, 0] == pytest.approx(derived["box/inertia_xx"][1][1])
    unknown.set_in_world(world, rows[1])
    assert world["box"].mass == pytest.approx(np.exp(0.2))
