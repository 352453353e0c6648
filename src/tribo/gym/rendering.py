"""Pictures of the worlds of a task, drawn on the processor without window or GPU; a world in the browser."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from tribo.viewer import draw, scene
from tribo.viewer.raster import Camera

if TYPE_CHECKING:
    from tribo.gym.simulation import Simulation
    from tribo.viewer import Viewer

MODES = ("human", "rgb_array")
PORT = 8080  # of the page, or the next one that is free
STYLE = draw.Style(width=480, height=320, samples=1)


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode that there is.

    Raises:
        ValueError: There is no such mode.
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode must be None, 'human' or 'rgb_array', got {mode!r}")
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


class Window:
    """Shows the first world of a simulation in the browser, in real time (extra "viewer").

    Args:
        simulation: Whose world.
        port: To listen on; if it is taken, the next one that is free.
    """

    def __init__(self, simulation: Simulation, port: int = PORT) -> None:
        self._simulation, self._port = simulation, port
        self._viewer: Viewer | None = None
        self._due = 0.0

    def show(self) -> None:
        """Show the present state; wait until it is due, a control step after the last one."""
        sim = self._simulation
        sim.show(0)
        if self._viewer is None:
            from tribo.viewer import Viewer

            self._viewer = Viewer(sim.world, port=self._port)
            self._viewer.panel.follow(sim.task.follows)
            sys.stdout.write(f"open {self._viewer.address} in a browser\n")
            self._due = time.perf_counter()
        self._viewer.update()
        now = time.perf_counter()
        self._due = max(self._due + sim.control_step, now)  # what comes late is not made up for
        time.sleep(self._due - now)

    def close(self) -> None:
        """Close the page; a second time does nothing."""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
