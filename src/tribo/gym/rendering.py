"""Pictures of the worlds of a task, drawn on the processor: no window, no GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tribo.viewer import draw, scene
from tribo.viewer.raster import Camera

if TYPE_CHECKING:
    from tribo.gym.simulation import Simulation

STYLE = draw.Style(width=480, height=320, samples=1)


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode that there is.

    Raises:
        ValueError: There is no such mode; the message says what to do.
    """
    if mode not in (None, "rgb_array"):
        raise ValueError(
            f"render_mode must be None or 'rgb_array', got {mode!r}; to watch a policy in the browser, "
            "use 'tribo play RUN --view'"
        )
    return mode


class Painter:
    """Draws worlds of a simulation as its task's camera sees them.

    Example:
        >>> import numpy as np
        >>> from tribo.gym.simulation import Simulation
        >>> from tribo.gym.tasks import cart_pole
        >>> Painter(Simulation(cart_pole.task(), 1)).picture(0).shape
        (320, 480, 3)
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._scene = scene.describe(simulation.world)

    def picture(self, row: int) -> np.ndarray:
        """Return a picture of a world, (height, width, 3) of uint8.

        Args:
            row: Number of the world.
        """
        sim, task = self._simulation, self._simulation.task
        sim.show(row)
        eye, target = (np.asarray(point, float) for point in task.camera)
        if task.follows:
            middle = sim.object(task.follows).body_poses()[0][row].mean(axis=0)
            along = np.array([middle[0], middle[1], 0.0])
            eye, target = eye + along, target + along
        camera = Camera(tuple(eye.tolist()), tuple(target.tolist()))
        return draw.picture(self._scene, scene.read_poses(sim.world), camera, STYLE)
