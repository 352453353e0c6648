"""Robots by name, from whichever packages of robots are installed."""

from tribo.robots.packages import find, load, names

__all__ = ["find", "load", "names"]
