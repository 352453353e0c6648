"""A ball with rolling friction comes to rest, and stays: v²·7/(10 μ_r g) from where it began."""

import tribo

world = tribo.World(time_step=1e-3)
world.add_ground(material="lawn")
world.set_material_pair("lawn", "ball", friction=1.0, rolling_friction=0.05, spinning_friction=0.02)
# Forward along x is a positive turn about y.
ball = world.add_sphere(
    radius=0.5, mass=1.0, material="ball", position=(0, 0, 0.5),
    linear_velocity=(2.0, 0, 0), angular_velocity=(0, 4.0, 0),
)  # fmt: skip

while abs(ball.linear_velocity[0]) > 1e-12:
    world.step(500)
    print(f"t = {world.time:4.1f} s   x = {ball.position[0]:.6f} m   v = {ball.linear_velocity[0]:.6f} m/s")

expected = 7 * 2.0**2 / (10 * 0.05 * 9.81)
print(f"stopped after {ball.position[0]:.6f} m, expected {expected:.6f} m")
assert abs(ball.position[0] / expected - 1.0) < 1e-5
assert abs(ball.position[2] - 0.5) < 1e-9
assert abs(ball.linear_velocity).max() < 1e-12
