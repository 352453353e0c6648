"""For control: derivatives of steps, equilibria, forces of contacts for a motion."""

from tribo.checks.errors import NotDifferentiableError
from tribo.control.contact_dynamics import ContactForces, contact_inverse_dynamics
from tribo.control.differentiable_rollout import DifferentiableRollout, Gradient
from tribo.control.equilibrium import Equilibrium, equilibrium
from tribo.control.ilqr import Plan, ilqr
from tribo.control.largest_load import Load, largest_load
from tribo.control.linearization import Change, Linearization
from tribo.control.linearize import Linearizer, linearize
from tribo.control.readings import Reading
from tribo.control.rollout import RolloutFunction, rollout

__all__ = [
    "Change",
    "ContactForces",
    "DifferentiableRollout",
    "Equilibrium",
    "Gradient",
    "Linearization",
    "Linearizer",
    "Load",
    "NotDifferentiableError",
    "Plan",
    "Reading",
    "RolloutFunction",
    "contact_inverse_dynamics",
    "equilibrium",
    "ilqr",
    "largest_load",
    "linearize",
    "rollout",
]
