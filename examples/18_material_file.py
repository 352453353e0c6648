"""A Choreonoid material file: what holds for each pair and why, and boxes that slide as it says."""

from math import atan, cos, radians, sin

import tribo

TABLE = """
materials:
  - { name: Ground, roughness: 0.5, viscosity: 1.0 }
  - { name: steel, density: 7850, youngs_modulus: 2e11, roughness: 0.08 }
  - { name: rubber, density: 1100, youngsModulus: 5e7, roughness: 1.28 }
contactMaterials:
  - { materials: [ Ground, ice ], friction: 0.02 }
"""

library = tribo.read_materials(TABLE)
print(library)
print(*library.doubts, sep="\n")  # ice is in no list of materials

world = tribo.World(time_step=0.002)
world.load_materials(library)
ANGLE = radians(20.0)
world.gravity = (9.81 * sin(ANGLE), 0.0, -9.81 * cos(ANGLE))
world.add_ground(material="Ground")
SIZE = (0.2, 0.2, 0.05)
boxes = {
    name: world.add_box(
        SIZE, material=name, density=library.material(name).density, position=(0, 0.4 * k, 0.025)
    )
    for k, name in enumerate(("steel", "rubber", "ice"))
}
world.step(500)
for name, box in boxes.items():
    pair = library.pair("Ground", name)
    friction = pair.law.friction
    expected = max(0.0, 9.81 * (sin(ANGLE) - friction * cos(ANGLE)))  # for one second
    print(
        f"{name:>6}: {box.mass:7.3f} kg, friction {friction:.3f} ({pair.origin['friction']}), "
        f"slides from {atan(friction) * 57.29578:4.1f}°, speed {box.linear_velocity[0]:.6f} m/s, "
        f"expected {expected:.6f}"
    )
    assert abs(box.linear_velocity[0] - expected) < 1e-6
assert abs(boxes["steel"].mass - 7850 * 0.002) < 1e-12
