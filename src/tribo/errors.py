"""What goes wrong while simulating."""


class SimulationError(RuntimeError):
    """A world cannot go on; the message says when, which object and what to look at."""


class EditError(RuntimeError):
    """A world was edited between `update` and `advance`."""
