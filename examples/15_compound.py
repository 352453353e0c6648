"""A chair of seven parts, tilted about its hind legs: its centre of mass decides where it falls."""

import numpy as np

import tribo

LEG, SEAT, BACK = 0.04, 0.44, 0.5  # [m]
HEIGHT = 0.45  # [m] of the seat's underside
LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
PARTS = [
    tribo.CompoundPart("box", (SEAT, SEAT, 0.03), position=(0, 0, HEIGHT + 0.015)),
    tribo.CompoundPart("box", (0.03, SEAT, BACK), position=(-0.205, 0, HEIGHT + 0.03 + BACK / 2)),
    *(
        tribo.CompoundPart("box", (LEG, LEG, HEIGHT), position=(x, y, HEIGHT / 2))
        for x in (-0.2, 0.2)
        for y in (-0.2, 0.2)
    ),
    tribo.CompoundPart("cylinder", (0.015, 0.4), position=(0.2, 0, 0.2), orientation=LYING),
]  # fmt: skip
EDGE = np.array([-0.2 - LEG / 2, 0.0, 0.0])  # about which it tips backwards


def tilted(angle: float) -> tuple[tribo.World, tribo.SingleBody]:
    """Return a chair of wood that stands on the back edges of its hind legs."""
    world = tribo.World()
    world.default_pair = tribo.PairProperties(friction=0.8)
    world.add_ground()
    turn = np.array([np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0])
    chair = world.add_compound(PARTS, density=600.0, material="wood", orientation=turn)
    arm = chair.rotation_matrix @ (chair.com - EDGE)
    chair.position = (*arm[:2], arm[2])  # the edge is at the origin
    return world, chair


world, chair = tilted(0.0)
back, up = chair.com[0] - EDGE[0], chair.com[2]
critical = float(np.arctan2(back, up))
print(f"{chair.mass:.2f} kg, centre of mass {chair.com.round(3)} m, tips at {np.degrees(critical):.2f}°")
world.step(1000)
assert np.abs(chair.position - [back, 0, up]).max() < 1e-8  # it stands, on sixteen corners
assert len(world.contacts) == 16

for margin, falls_back in ((-0.01, False), (0.01, True)):
    world, chair = tilted(critical + margin)
    world.step(2500)
    lies = chair.rotation_matrix[2, 2] < 0.5
    print(f"tilted by {np.degrees(critical + margin):.2f}°: {'falls over' if lies else 'comes back'}")
    assert lies == falls_back
