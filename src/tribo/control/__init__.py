"""For control: derivatives of steps, equilibria, forces of contacts for a motion."""

from tribo.checks.errors import NotDifferentiableError
from tribo.control.contact_dynamics import ContactForces, contact_inverse_dynamics
from tribo.control.equilibrium import Equilibrium, equilibrium
from tribo.control.largest_load import Load, largest_load
from tribo.control.linearization import Change, Linearization
from tribo.control.linearize import Linearizer, linearize

__all__ = [
    "Change",
    "ContactForces",
    "Equilibrium",
    "Linearization",
    "Linearizer",
    "Load",
    "NotDifferentiableError",
    "contact_inverse_dynamics",
    "equilibrium",
    "largest_load",
    "linearize",
]
