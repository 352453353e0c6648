"""Broad phase and narrow phase (`pairs.collide`): which shapes touch, and where."""
