"""Stabilisation of positions and bounds on the energy of a step."""
