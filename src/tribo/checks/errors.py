"""Errors of descriptions and simulations."""


class DescriptionError(ValueError):
    """Something described cannot be built; the message says what, where, its value and the remedy."""


class SimulationError(RuntimeError):
    """A world cannot go on; the message says when, which object and what to look at."""


class EditError(RuntimeError):
    """An edit that is not possible now.

    Between `update` and `advance`, of an object that was removed, or while another thread steps.
    """


class NotDifferentiableError(ValueError):
    """Something in a world has no exact derivative; the message names it and the remedy."""
