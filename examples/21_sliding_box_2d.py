"""A planar box bounces on its corners, slides and comes to rest on two of them."""

import sys

import numpy as np

from tribo.ground import Ground, rest_depth, simulate
from tribo.spatial import Appearance, GroundContact, Model, mcI
from tribo.viewer.ground_plot import plot
from tribo.viewer.take import Take

mass, width, height = 2.0, 0.4, 0.2
inertia = mcI(mass, [0, 0], mass * (width**2 + height**2) / 12)
empty = np.zeros((3, 3))
corners = 0.5 * np.array([[-width, width, width, -width], [-height, -height, height, height]])
look = [["box", [[-width / 2, -height / 2, -0.1], [width / 2, height / 2, 0.1]]]]
box = Model(
    [-1, 0, 1], ["px", "py", "r"], [np.eye(3)] * 3, [empty, empty, inertia],
    gravity=[0, -9.81],  # planar models have none unless they say so
    gc=GroundContact([2] * 4, corners),
    appearance=Appearance([], [[], [], look]),
)  # fmt: skip
ground = Ground(K=1e5, D=800.0, mu=0.5)

motion = simulate(box, ground, 2.0, q=[0, 0.12, 0.05], qd=[2.5, 0, 0], rtol=1e-9, atol=1e-11)
for event in motion.events[:12]:
    print(f"t = {event.time:.10f} s  corner {event.point}  {event.kind}")
rest = motion.depth[-1]
expected = rest_depth(mass * 9.81, ground.K, points=2)
print(f"at rest at x = {motion.q[-1, 0]:.4f} m")
print(f"depth {1e3 * rest.max():.4f} mm, expected {1e3 * expected:.4f} mm")

plot(motion, "sliding_box_2d.png", "Sliding box, two dimensions")
take = Take.of(motion, rate=50)
if "--film" in sys.argv:
    take.save("sliding_box_2d.mp4", rate=25)
if "--view" in sys.argv:
    from tribo.viewer.player import Player

    with Player(take) as player:
        print(player.address)
        player.run()

assert (motion.contact[-1] == [1, 1, 0, 0]).all()  # two corners stick, two are in the air
assert abs(rest.max() / expected - 1.0) < 1e-2
assert abs(motion.force[-1, 1].sum() / (mass * 9.81) - 1.0) < 1e-2
# While both corners slide it loses μ g per second.
fast, slow = motion.at([0.3, 0.45]).qd[:, 0]
assert abs((fast - slow) / 0.15 / (ground.mu * 9.81) - 1.0) < 1e-2
