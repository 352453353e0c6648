"""A polyhedral disc falls, bounces, wobbles, rolls and nearly stops: Spatial_v2's tutorial example 7."""

import sys

import numpy as np

from tribo.ground import Ground, simulate
from tribo.spatial import rollingdisc
from tribo.viewer.ground_plot import plot
from tribo.viewer.take import Take

twist = 0.18  # [rad] with 0.22 it falls over
start = [np.cos(twist / 2), 0, 0, np.sin(twist / 2), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0]
disc, ground = rollingdisc(16), Ground(K=1e6, D=2000.0, mu=0.1)

motion = simulate(disc, ground, 3.0, xfb=start, rtol=1e-8, atol=1e-10)
kinds = [event.kind for event in motion.events]
print(f"{len(motion.time)} steps, {len(kinds)} changes of state:")
for kind in sorted(set(kinds)):
    print(f"  {kind:10} {kinds.count(kind)}")
x = motion.at(1.5).xfb[0]
print(f"after 1.5 s at x = {x[4]:.4f} m with {x[8]:.2f} rad/s, after 3 s at x = {motion.xfb[-1, 4]:.3f} m")

plot(motion, "rolling_disc.png", "Rolling disc")
take = Take.of(motion, rate=25)
if "--film" in sys.argv:
    take.save("rolling_disc.mp4", rate=25)
if "--view" in sys.argv:
    from tribo.viewer.player import Player

    with Player(take) as player:
        print(player.address)
        player.run()

# What the original computes, and what no motion may break.
assert abs(x[4] - 0.4326) < 1e-4
assert abs(x[8] - 2.96) < 1e-2
assert abs(motion.xfb[-1, 4] - 0.576) < 1e-3
total = motion.energy.sum(axis=1) + motion.work
assert np.ptp(total) < 1e-6 * total[0]
