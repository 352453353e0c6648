"""Restitution of a ball on a table from a film: 96 points with errors of 2 mm, and how sure it is."""

import tribo
from tribo.identification import Trajectory, offset, pair
from tribo.tools.demo import ASSETS

TRUE = 0.78  # of which the film was made (benchmarks/bounce_film.py)

world = tribo.World(time_step=0.002)
world.impact = "propagate"  # rebounds at their own times, not at those of the steps
world.add_ground(material="table")
world.add_sphere(0.02, mass=0.0027, material="ball", position=(0, 0, 0.4), name="ball")

film = Trajectory.read(ASSETS / "bounce.csv", {"height [mm]": "q/ball/z"}, noise=2.0)
found = tribo.identify(
    world,
    film,
    [
        pair("table", "ball", restitution=(0.3, 0.95)),
        offset("q/ball/z", (-0.05, 0.05)),  # the ruler does not begin on the table
    ],
)
print(found)

estimate = found["table/ball/restitution"]
assert estimate.low <= TRUE <= estimate.high
assert not found.remarks
