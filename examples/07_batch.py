"""Many worlds of one model, stepped in parallel: 64 balls thrown at 64 speeds."""

import numpy as np

import tribo

world = tribo.World()
world.add_ground()
world.default_pair = tribo.PairProperties(friction=0.5)
world.add_sphere(radius=0.1, mass=0.5, name="ball", position=(0, 0, 0.1))

batch = tribo.Batch(world, 64)
ball = batch["ball"]
speeds = np.linspace(0.5, 5.0, 64)
ball.generalized_velocity[:, 0] = speeds
alive = batch.step(2000)
assert alive.all()

# A ball thrown without spin ends up rolling at 5/7 of its speed.
final = ball.generalized_velocity[:, 0]
print(f"{len(batch)} worlds on {batch.threads} threads, t = {batch.time[0]:.3f} s")
ratio = final / speeds
print(f"final speed / first speed: {ratio.min():.9f} … {ratio.max():.9f}, expected {5 / 7:.9f}")
assert np.abs(ratio - 5 / 7).max() < 1e-8

# Each world is bitwise what it would be alone.
alone = tribo.World()
alone.add_ground()
alone.default_pair = tribo.PairProperties(friction=0.5)
one = alone.add_sphere(radius=0.1, mass=0.5, position=(0, 0, 0.1), linear_velocity=(speeds[7], 0, 0))
alone.step(2000)
assert np.array_equal(one.linear_velocity, ball.generalized_velocity[7, :3])
