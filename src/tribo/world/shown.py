"""The part of a world that people look at: viewers, and what a notebook shows."""

from __future__ import annotations

import html
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tribo.viewer import Viewer


class Shown:
    """`world.viewer()`, `world.show()`, and a world as a notebook prints it.

    The viewer stands above worlds and is an extra, so it is looked up by its name when it is asked for.
    """

    _view: Viewer | None = None  # of `show`

    def summary(self) -> str:
        """Describe the world as text."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return the summary as a notebook shows it, at most forty lines."""
        lines = self.summary().splitlines()
        lines[40:] = [f"  and {len(lines) - 40} more"] * (len(lines) > 40)
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    def viewer(self, **options: Any) -> Viewer:
        """Open a viewer of this world in the browser: ``with world.viewer() as view:``.

        Args:
            options: Those of `tribo.Viewer`: host, port, hosts, token.

        Raises:
            ImportError: viser is missing; the message says how to get it.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0)
            >>> with world.viewer(port=8126) as view:
            ...     for _ in range(100):
            ...         world.step()
            ...         view.update()
        """
        made: Viewer = importlib.import_module("tribo.viewer").Viewer(self, **options)
        return made

    def show(self, **options: Any) -> Viewer:
        """Return a viewer that a notebook embeds below the cell; the same one until it is closed.

        Call its `update` after the steps of a loop, or `run(seconds)`, and it moves. The browser must reach
        the machine that computes under the viewer's address, for example through an ssh tunnel.

        Args:
            options: Of the first call, as `viewer`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> view = world.show(port=8127)    # in a notebook: world.show() as last line of a cell
            >>> world.show() is view
            True
            >>> view.close()
        """
        if self._view is None or not self._view.is_open:
            self._view = self.viewer(**options)
        self._view.update()
        return self._view
