"""Narrow phase (`pairs.collide`) and broad phase: which shapes touch, and where."""
