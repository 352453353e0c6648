"""A conveyor is a kinematic box with a velocity: it carries what lies on it and is not slowed down."""

import tribo

SPEED, FRICTION, GRAVITY = 1.0, 0.5, 9.81

world = tribo.World()
world.add_ground(height=-1.0)
world.set_material_pair("belt", "crate", friction=FRICTION)
belt = world.add_box(
    size=(20, 1, 0.2), mass=1.0, material="belt", position=(0, 0, -0.1),
    body_type="kinematic", linear_velocity=(SPEED, 0, 0),
)  # fmt: skip
crate = world.add_box(size=(0.3, 0.3, 0.2), mass=5.0, material="crate", position=(0, 0, 0.1))

while crate.linear_velocity[0] < SPEED * (1.0 - 1e-9):
    world.step()
slip = belt.position[0] - crate.position[0]
print(f"at belt speed after {world.time:.3f} s, expected {SPEED / (FRICTION * GRAVITY):.3f} s")
print(f"the belt is {slip:.6f} m ahead, expected {SPEED**2 / (2 * FRICTION * GRAVITY):.6f} m")
assert abs(slip - SPEED**2 / (2 * FRICTION * GRAVITY)) < FRICTION * GRAVITY * world.time_step**2

world.step(1000)
force = sum(c.force[2] for c in crate.contacts)
print(f"the belt carries {force:.6f} N")
assert abs(force - 5.0 * GRAVITY) < 1e-6
