"""The biped's drives step in place: one leg bends while the other stands."""

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.tasks import biped
from tribo.gym.tasks.biped import LIFT, ROBOT, WALKER


def test_a_leg_bends_most_in_the_middle_of_its_swing_and_not_while_it_stands():
    sim = Simulation(biped.task(), 3, threads=1)
    sim.draws.seed(np.arange(3), range(3))
    sim.begin(np.arange(3))
    middle = 0.5 * (1.0 + WALKER.standing)  # of the swing, part of a stride
    sim.remember("phase", 1)[:, 0] = (middle, middle - 0.5, 0.05)  # left swings, right swings, both stand
    WALKER.drive(sim, np.zeros((3, 10)))
    bent = sim.object(ROBOT).pd_target[:, 7:] - WALKER.stance
    swing = LIFT * np.array([0.0, 0.0, -1.0, 2.0, -1.0])
    still = np.zeros(5)
    # Sine of π/2 and sums of numbers below 1: 1e-15.
    expected = [[*swing, *still], [*still, *swing], [*still, *still]]
    np.testing.assert_allclose(bent, expected, atol=1e-15)
    WALKER.drive(sim, np.ones((3, 10)))
    np.testing.assert_allclose(
        sim.object(ROBOT).pd_target[:, 7:] - WALKER.stance - bent, WALKER.scale, atol=1e-15
    )
