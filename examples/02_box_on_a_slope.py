"""A box on a slope: below tan θ = μ it holds, for good; above it slides as the formula says."""

import math

import tribo

FRICTION, GRAVITY = 0.5, 9.81


def slope(factor: float) -> tuple[tribo.World, tribo.SingleBody, float]:
    """Return a world in which a box lies on a slope with tan θ = factor · μ, the box, and θ."""
    angle = math.atan(factor * FRICTION)
    world = tribo.World()
    world.add_ground(normal=(math.sin(angle), 0.0, math.cos(angle)), material="oak")
    world.set_material_pair("oak", "oak", friction=FRICTION)
    box = world.add_box(
        size=(0.4, 0.4, 0.1), mass=1.0, material="oak",
        position=(0.05 * math.sin(angle), 0.0, 0.05 * math.cos(angle)),
        orientation=(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
    )  # fmt: skip
    return world, box, angle


world, box, angle = slope(0.999)
start = box.position
world.step(10_000)
drift = abs(box.position - start).max()
print(f"tan θ = 0.999 μ: after 10 s the box has moved by {drift:.1e} m")
assert drift < 1e-9

world, box, angle = slope(1.001)
world.step(1000)
speed = float((box.linear_velocity**2).sum() ** 0.5)
expected = GRAVITY * (math.sin(angle) - FRICTION * math.cos(angle))
print(f"tan θ = 1.001 μ: after 1 s it slides at {speed:.8f} m/s, expected {expected:.8f} m/s")
assert abs(speed / expected - 1.0) < 1e-6
