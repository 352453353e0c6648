"""Sample models: their names, trees and masses, as docs/reference/spatial.md promises them."""

import numpy as np

from tribo import spatial


def test_models_whose_numbers_are_unknown_have_names_of_their_own():
    for name in ("vee", "singlebody", "scissor"):
        assert not hasattr(spatial, name)


def test_hinged_rods_are_a_tree_of_two_rods_without_weight():
    model = spatial.hinged_rods(0.5)
    assert model.parent == [-1, 0, 1, 2, 3, 4, 5]
    assert model.jtype[:3] == ["Px", "Py", "Pz"]
    assert spatial.get_gravity(model).tolist() == [0.0] * 6
    (first, c1, _), (second, c2, _) = (spatial.mcI(model.I[i]) for i in (5, 6))
    assert (first, second) == (1.0, 0.5)
    assert (c1.tolist(), c2.tolist()) == ([0.5, 0.0, 0.0], [0.25, 0.0, 0.0])
    assert spatial.plux(model.Xtree[6])[1].tolist() == [1.0, 0.0, 0.0]
    assert not np.any(model.I[:5])


def test_equal_rods_return_when_their_hinge_does():
    """Tutorial example 3: the hinge, driven there and back in free space, leaves no turn behind."""
    model = spatial.hinged_rods(1.0)
    q, qd, dt = np.zeros(7), np.zeros(7), 2e-3
    fd = [1, 1, 1, 1, 1, 1, 0]
    for k in range(1000):  # 2 s: the hinge goes to 1 rad and back, at rest at both ends
        rate = 0.5 * np.pi * np.sin(np.pi * k * dt)  # [rad/s]
        qdd, _ = spatial.HD(model, fd, q, qd, [0, 0, 0, 0, 0, 0, (rate - qd[6]) / dt], np.zeros(7))
        qd = qd + dt * qdd
        q = q + dt * qd
    assert abs(q[6]) < 0.01
    # Without angular momentum the base turns by a function of the hinge alone: back where it was, up to
    # the first order of Euler's steps, dt · q̈ · T ≈ 2e-3 · 5 · 2.
    assert np.abs(q[3:6]).max() < 0.02


def test_tumbling_box_has_three_moments_about_its_centre():
    model = spatial.tumbling_box()
    mass, centre, inertia = spatial.mcI(model.I[5])
    assert model.NB == 6
    assert (mass, centre.tolist()) == (6.0, [0.0, 0.0, 0.0])
    assert inertia.diagonal().tolist() == [2.5, 5.0, 6.5]


def test_crossed_rods_turn_about_their_middles():
    model = spatial.crossed_rods()
    assert (model.NB, model.parent[6], model.jtype[6]) == (7, 5, "R")
    assert np.array_equal(model.Xtree[6], np.eye(6))
    assert np.array_equal(model.I[5], model.I[6])
    assert spatial.mcI(model.I[5])[1].tolist() == [0.0, 0.0, 0.0]
