"""Compiled: the compliant point ground and the motion of a tree of joints that stands on it."""
