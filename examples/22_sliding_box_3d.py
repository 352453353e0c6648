"""A box is thrown: it bounces on its eight corners, slides, turns and comes to rest on four."""

import sys

import numpy as np

from tribo.ground import Ground, rest_depth, simulate, stiffness_for
from tribo.spatial import Appearance, GroundContact, Model, floatbase, mcI, rq, rv
from tribo.viewer.ground_plot import plot
from tribo.viewer.take import Take

mass, size = 3.0, np.array([0.4, 0.3, 0.2])
inertia = mcI(mass, np.zeros(3), mass / 12 * np.diag((size**2).sum() - size**2))
signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
box = floatbase(
    Model(
        [-1], ["R"], [np.eye(6)], [inertia],
        gc=GroundContact([0] * 8, (0.5 * signs * size).T),
        appearance=Appearance([], [[["box", [(-size / 2).tolist(), (size / 2).tolist()]]]]),
    )
)  # fmt: skip
# Four corners shall carry the weight at 0.5 mm.
weight = mass * 9.81
ground = Ground(K=stiffness_for(weight, 5e-4, points=4), D=4000.0, mu=0.4)

r, v, w = np.array([0, 0, 0.3]), np.array([2.0, 0.5, 0.0]), np.array([1.0, 2.0, 3.0])
start = np.concatenate([rq(rv([0.3, 0.2, 0.1])), r, w, v - np.cross(w, r)])
motion = simulate(box, ground, 2.5, xfb=start, rtol=1e-8, atol=1e-10)
print(f"{len(motion.events)} changes of state, the first:")
for event in motion.events[:10]:
    print(f"t = {event.time:.10f} s  corner {event.point}  {event.kind}")
expected = rest_depth(weight, ground.K, points=4)
print(f"rests {1e3 * motion.depth[-1].max():.4f} mm deep, expected {1e3 * expected:.4f} mm")

plot(motion, "sliding_box_3d.png", "Sliding box, three dimensions")
take = Take.of(motion, rate=50)
if "--film" in sys.argv:
    take.save("sliding_box_3d.mp4", rate=25)
if "--view" in sys.argv:
    from tribo.viewer.player import Player

    with Player(take) as player:
        print(player.address)
        player.run()

assert (motion.contact[-1] == 1).sum() == 4  # four corners stick
assert abs(motion.force[-1, 2].sum() / weight - 1.0) < 1e-3
assert abs(motion.depth[-1].max() / expected - 1.0) < 1e-2
sliding = np.linalg.norm(motion.force[:, :2], axis=1) - 0.4 * motion.force[:, 2]
assert sliding.max() < 1e-9 * weight  # nowhere more friction than the cone allows
total = motion.energy.sum(axis=1) + motion.work
assert np.ptp(total) < 1e-6 * total[0]
