"""What goes wrong while simulating."""


class SimulationError(RuntimeError):
    """A world cannot go on; the message says when, which object and what to look at."""


class EditError(RuntimeError):
    """An edit that is not possible now: between `update` and `advance`, of a removed object, or of a
    world that another thread is stepping."""
