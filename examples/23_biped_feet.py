"""A planar biped drops onto its two feet, and PD torques in hips, knees and ankles hold it up."""

import sys

import numpy as np

from tribo.ground import Ground, simulate
from tribo.spatial import Appearance, GroundContact, Model, mcI, plnr
from tribo.viewer.ground_plot import plot
from tribo.viewer.take import Take

LEG, SOLE, ANKLE = 0.4, 0.2, 0.06  # [m] thigh and shin; length of a foot; height of its ankle
POSTURE = np.array([0.3, -0.6, 0.3])  # [rad] hip, knee, ankle: the sole stays level
KP, KD = np.array([400.0, 400.0, 300.0]), np.array([12.0, 12.0, 8.0])


def rod(mass, length, down=True):
    """Return the inertia of a rod that hangs down from its joint."""
    return mcI(mass, [0, -length / 2 if down else length / 2], mass * length**2 / 12)


empty, turn = np.zeros((3, 3)), plnr(0.0, [0.0, -LEG])
foot = mcI(1.0, [0.03, -ANKLE / 2], 0.004)
look_leg = [["cyl", [[0, 0, 0], [0, -LEG, 0]], 0.03]]
look_foot = [["box", [[-SOLE / 2 + 0.03, -ANKLE, -0.05], [SOLE / 2 + 0.03, -ANKLE / 2, 0.05]]]]
look_trunk = [["box", [[-0.08, 0, -0.12], [0.08, 0.45, 0.12]]]]
biped = Model(
    parent=[-1, 0, 1, 2, 3, 4, 2, 6, 7],  # px, py and the trunk, then two legs
    jtype=["px", "py", "r"] + ["r"] * 6,
    Xtree=[np.eye(3)] * 3 + [np.eye(3), turn, turn] * 2,
    I=[empty, empty, rod(12.0, 0.45, down=False)] + [rod(3.0, LEG), rod(2.0, LEG), foot] * 2,
    gravity=[0, -9.81],
    gc=GroundContact([5, 5, 8, 8], [[-SOLE / 2 + 0.03, SOLE / 2 + 0.03] * 2, [-ANKLE] * 4]),
    appearance=Appearance([], [[], [], look_trunk] + [look_leg, look_leg, look_foot] * 2),
)
ground = Ground(K=3e5, D=4000.0, mu=0.6)


def hold(time, state):
    """Return the torques of all nine joints; the first three are not driven."""
    error = np.concatenate([POSTURE, POSTURE]) - state.q[3:]
    torque = np.tile(KP, 2) * error - np.tile(KD, 2) * state.qd[3:]
    return np.concatenate([np.zeros(3), torque])


height = 2 * LEG * np.cos(0.3) + ANKLE
start = np.array([0, height + 0.05, 0, *POSTURE, *POSTURE])
motion = simulate(biped, ground, 2.0, q=start, tau=hold, rtol=1e-7, atol=1e-9)
for event in motion.events[:8]:
    part = ("left heel", "left toe", "right heel", "right toe")[event.point]
    print(f"t = {event.time:.10f} s  {part:10}  {event.kind}")
weight = 9.81 * (12.0 + 2 * (3.0 + 2.0 + 1.0))
print(f"feet carry {motion.force[-1, 1].sum():.3f} N of {weight:.3f} N, trunk at {motion.q[-1, 1]:.4f} m")

plot(motion, "biped_feet.png", "Two feet of a planar biped")
take = Take.of(motion, rate=50)
if "--film" in sys.argv:
    take.save("biped_feet.mp4", rate=25)
if "--view" in sys.argv:
    from tribo.viewer.player import Player

    with Player(take) as player:
        print(player.address)
        player.run()

assert abs(motion.events[0].time - np.sqrt(2 * 0.05 / 9.81)) < 2e-2  # heels touch after 5 cm of fall
assert (motion.contact[-1] == 1).all()  # heels and toes stick
assert abs(motion.force[-1, 1].sum() / weight - 1.0) < 1e-2
