"""Worlds as RaiSim XML files: description ↔ objects of a world.

A file holds what a world starts with: time step, gravity, materials, objects and their positions and
velocities. It does not hold commands (gains, targets, forces), the clock, or how the solver is set;
`World.snapshot` does.
"""

from tribo.world_xml.reading import load_into, read_into
from tribo.world_xml.writing import describe, save

__all__ = ["describe", "load_into", "read_into", "save"]
