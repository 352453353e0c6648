"""For control: derivatives of steps, equilibria, forces of contacts for a motion."""

from tribo.control.linearization import Change, Linearization
from tribo.control.linearize import linearize

__all__ = ["Change", "Linearization", "linearize"]
