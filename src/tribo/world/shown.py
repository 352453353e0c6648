"""The part of a world that people look at: viewers, and what a notebook shows."""

from __future__ import annotations

import html
import importlib
from types import TracebackType
from typing import Any, Protocol, Self


class OpenViewer(Protocol):
    """An open `tribo.Viewer`. It stands above worlds, so that here is only what worlds promise of it."""

    @property
    def is_open(self) -> bool:
        """Return whether it still answers."""

    def update(self) -> None:
        """Show the world as it is now."""

    def run(self, duration: float | None = None) -> None:
        """Step the world in real time and show it."""

    def close(self) -> None:
        """Close it."""

    def __getattr__(self, name: str) -> Any:
        """Return what else `tribo.Viewer` has."""

    def __enter__(self) -> Self:
        """Return the viewer, for `with`."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        """Close it."""


class Shown:
    """`world.viewer()`, `world.show()`, and a world as a notebook prints it.

    The viewer stands above worlds and is an extra, so it is looked up by its name when it is asked for.
    """

    _view: OpenViewer | None = None  # of `show`

    def summary(self) -> str:
        """Describe the world as text."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return the summary as a notebook shows it, at most forty lines."""
        lines = self.summary().splitlines()
        lines[40:] = [f"  and {len(lines) - 40} more"] * (len(lines) > 40)
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    def viewer(self, **options: Any) -> OpenViewer:
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
        made: OpenViewer = importlib.import_module("tribo.viewer").Viewer(self, **options)
        return made

    def show(self, **options: Any) -> OpenViewer:
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
