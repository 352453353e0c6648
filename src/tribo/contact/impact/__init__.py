"""Impacts: their order within a step, and a bound of their energy."""
