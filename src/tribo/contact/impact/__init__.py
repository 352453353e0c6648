"""Impacts: their order within a step, and a bound on their energy."""
