"""Consistency of a step at fast rotation: bias force, momentum, and a bound of the energy."""
