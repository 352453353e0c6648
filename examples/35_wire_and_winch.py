"""A rope round a fixed drum holds a load that a winch could not: T₂ = T₁ exp(μβ); then the winch pulls."""

import math

import numpy as np

import tribo

FRICTION, RADIUS, THICK = 0.3, 0.1, 0.008
GRAVITY, LOAD = 9.81, 10.0
COUNT = 16  # segments round half the drum

world = tribo.World()
world.set_material_pair("rope", "drum", friction=FRICTION)
quarter = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
world.add_cylinder(RADIUS, 0.2, 1.0, "drum", body_type="static", position=(0, 0, 1), orientation=quarter)

# The rope comes up from the load, lies round the upper half of the drum, and goes down to the winch.
out = (RADIUS + THICK) / math.cos(0.5 * math.pi / COUNT)
turn = [(-out * math.cos(a), 0, 1 + out * math.sin(a)) for a in np.linspace(0, math.pi, COUNT + 1)]
rope = tribo.Material("rope", density=7800.0, wire_youngs_modulus_stretch=1e9, wire_youngs_modulus_bend=1e6)
cable = world.add_cable(
    [(-out, 0, 0.5), *turn, (out, 0, 0.7)], radius=THICK, segment_length=0.0215, material=rope
)
load = world.add_box((0.1, 0.1, 0.1), mass=LOAD, position=(-out, 0, 0.45))
world.add_pin(cable.segments[0], load, position=(-out, 0, 0.5), collide=False)

held = LOAD * GRAVITY * math.exp(-FRICTION * math.pi)  # what is enough to hold
end = (0, 0, 0.01)  # of its last segment
winch = world.add_winch(
    None, cable.segments[-1], (out, 0, 0), end, max_force=5 * LOAD * GRAVITY, brake_force=1.1 * held
)
world.step(1000)
height = float(load.position[2])
world.step(500)
print(
    f"the load weighs {LOAD * GRAVITY:.1f} N, the brake holds {winch.tension:.1f} N, enough are {held:.1f} N"
)
print(f"in 0.5 s it sank by {1e3 * (height - load.position[2]):.3f} mm")
assert abs(load.position[2] - height) < 1e-3
assert winch.tension < 1.11 * held

winch.speed = 0.1  # now friction works against the winch: it needs T₁ exp(μβ)
world.step(800)
height = float(load.position[2])
world.step(500)
speed = (load.position[2] - height) / 0.5
pull = LOAD * GRAVITY * math.exp(FRICTION * math.pi)
print(f"the winch pulls with {winch.tension:.0f} N, {pull:.0f} N by the formula")
print(f"the load rises at {speed:.3f} m/s")
assert abs(speed - 0.1) < 1e-3
assert abs(winch.tension / pull - 1) < 0.05
