"""Queries about the shapes of a world: rays, distances, overlaps.

A layer beside the step, as `tribo.queries` is: compiled at the first use and cached on disk. It computes
poses at the present state in scratch of its own, so a query never changes the next step.
"""
