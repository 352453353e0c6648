"""One slope, one box for each parameter of a contact material: what holds, what slides, and how fast.

The slope is a plane with gravity turned by 25°. Each box has a material of its own, and so a pair of its own
with the slope. What each of them does is known in advance; the example checks all.
"""

from math import cos, radians, sin

import tribo
from tribo import ContactMaterial

ANGLE, TIME, STEP = radians(25.0), 2.0, 1e-3
DOWN, PRESS = (9.81 * sin(ANGLE), 9.81 * cos(ANGLE))  # [N] on a box of 1 kg, along the slope and into it
FIRM = {"youngs_modulus": 1e7, "spook_damping": 0.01}
ORIENTED = {**FIRM, "friction": 1.0, "secondary_friction": 0.0, "reference_body": "oriented, along",
            "primary_direction": (1, 0, 0), "friction_model": ("oriented_box", "direct")}  # fmt: skip
# A box of friction whose diagonal points down the slope bears √2 times as much as a cone.
DIAGONAL = {"primary_direction": (1, 1, 0), "friction_model": ("scaled_box", "direct")}
SIDEWAYS = (0.5**0.5, 0.0, 0.0, 0.5**0.5)

slides = {  # lane: its contact material, and the speed along the slope after 2 s [m/s]
    "friction 0.5": (ContactMaterial(**FIRM, friction=0.5), 0.0),
    "friction 0.2": (ContactMaterial(**FIRM, friction=0.2), (DOWN - 0.2 * PRESS) * TIME),
    "viscous": (ContactMaterial(**FIRM, friction=0.5, surface_viscosity=1e-2), 1e-2 * DOWN / 4),
    "adhesive": (ContactMaterial(**FIRM, friction=0.3, adhesion_force=6.0), 0.0),
    "not quite": (ContactMaterial(**FIRM, friction=0.3, adhesion_force=4.0),
                  (DOWN - 0.3 * (PRESS + 4.0)) * TIME),
    "cone 0.4": (ContactMaterial(**FIRM, friction=0.4), (DOWN - 0.4 * PRESS) * TIME),
    "box 0.4": (ContactMaterial(**FIRM, friction=0.4, **DIAGONAL), 0.0),
    "oriented, along": (ContactMaterial(**ORIENTED), 0.0),
    "oriented, along'": (ContactMaterial(**ORIENTED), DOWN * TIME),  # the same, turned by 90°
    "constant force": (ContactMaterial(**FIRM, friction=0.3, constant_normal_force=2.0,
                       friction_model=("constant_normal_force_oriented_box", "direct")),
                       (DOWN - 4 * 0.3 * 2.0) * TIME),  # four points of 2 N each, whatever the load
    "rigid 0.2": (tribo.PairProperties(friction=0.2), (DOWN - 0.2 * PRESS) * TIME),
}  # fmt: skip

world = tribo.World(time_step=STEP)
world.gravity = (DOWN, 0.0, -PRESS)
world.add_ground(material="slope")
boxes = {}
for k, (name, (law, _)) in enumerate(slides.items()):
    world.set_material_pair("slope", name, law)
    boxes[name] = world.add_box(
        (0.3, 0.3, 0.02), 1.0, name, position=(0, 0.5 * k, 0.01), name=name,
        orientation=SIDEWAYS if name.endswith("'") else (1, 0, 0, 0),
    )  # fmt: skip
world.set_material_pair("slope", "soft", youngs_modulus=1e3, spook_damping=0.01, friction=0.9)
soft = world.add_box((0.3, 0.3, 0.02), 1.0, "soft", position=(0, -0.5, 0.01))
world.step(round(TIME / STEP))

for name, (_, expected) in slides.items():
    speed = boxes[name].linear_velocity[0]
    print(f"{name:>16}: {speed:9.6f} m/s, expected {expected:9.6f}")
    assert abs(speed - expected) < 1e-3 * expected + 1e-6
depth = 0.01 - soft.position[2]  # four points are four springs
print(f"{'soft':>16}: {1e3 * depth:9.6f} mm deep, expected {1e3 * PRESS / 4e3:9.6f}")
assert abs(depth - PRESS / 4e3) < 1e-3 * depth
