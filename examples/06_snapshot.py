"""Go back in time: from a snapshot a world does the same again, bit for bit, or something else."""

import numpy as np

import tribo

world = tribo.World()
world.add_ground()
world.default_pair = tribo.PairProperties(friction=0.6, restitution=0.4)
rng = np.random.default_rng(3)
boxes = [
    world.add_box((0.2, 0.3, 0.1), 1.0, position=(*rng.uniform(-0.2, 0.2, 2), 0.3 + 0.2 * k))
    for k in range(6)
]
world.step(200)

saved = world.snapshot()
world.step(800)
first = [box.position for box in boxes]

world.restore(saved)
print(f"back at t = {world.time:.3f} s")
world.step(800)
second = [box.position for box in boxes]
assert np.array_equal(first, second), "the same numbers, not only similar ones"

world.restore(saved)
boxes[0].apply_force((0, 0, 1e-9))  # a breath of wind
world.step(800)
third = [box.position for box in boxes]
print(f"a nanonewton for a millisecond has moved a box by {np.abs(np.subtract(first, third)).max():.1e} m")
assert not np.array_equal(first, third)
