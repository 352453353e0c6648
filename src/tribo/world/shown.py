"""The part of a world that people look at: viewers, and what a notebook shows."""

from __future__ import annotations

import html
import importlib
from types import TracebackType
from typing import Any, Protocol, Self, Unpack

from tribo.checks.types import ViewerOptions
from tribo.engine.settings import WorldSettings
from tribo.objects.world_view import WorldView


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
    """The part of a world that people look at: its summary, `viewer` and `show`, what a notebook prints.

    The viewer stands above worlds and is an extra, so it is looked up by its name when it is asked for.
    """

    def __init__(self, world: WorldView, settings: WorldSettings) -> None:
        self._world, self._settings = world, settings
        self._view: OpenViewer | None = None  # of `show`

    def summary(self) -> str:
        """Return what is in the world and how it goes, several lines to print.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> _ = world.add_sphere(radius=0.1, mass=1.0, name="ball", position=(0, 0, 1))
            >>> print(world.summary())
            World at t = 0 s: 1 objects, 6 dofs, time step 0.001 s
              gravity (0, 0, -9.81) m/s², midpoint, erp 0.2, at most 300 sweeps
              materials: default; 0 pairs set, default friction 0.8
              contacts: 0, status: well
              ball: SingleBody, sphere(0.1) of 'default', dynamic, 1 kg, at (0, 0, 1) m
        """
        world, s, table = self._world, self._settings, self._world.materials
        gravity = ", ".join(f"{x:g}" for x in s.gravity)
        solver = f"{s.integrator}, erp {s.erp:g}, at most {s.max_sweeps} sweeps"
        pairs = f"{len(list(table))} pairs set, default friction {table.default.friction:g}"
        lines = [
            repr(world.face)[1:-1],
            f"  gravity ({gravity}) m/s², {solver}",
            f"  materials: {', '.join(table.names)}; {pairs}",
            f"  contacts: {len(world.contacts)}, status: {world.status.name or 'well'}",
        ]
        items = [part.describe() for part in world.objects]
        items += [repr(tie)[1:-1] for tie in world.constraints]
        return "\n".join([*lines, *(f"  {item}" for item in items)])

    def as_html(self) -> str:
        """Return the summary as a notebook shows it, at most forty lines."""
        lines = self.summary().splitlines()
        lines[40:] = [f"  and {len(lines) - 40} more"] * (len(lines) > 40)
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"

    def viewer(self, /, **options: Unpack[ViewerOptions]) -> OpenViewer:
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
        made: OpenViewer = importlib.import_module("tribo.viewer").Viewer(self._world.face, **options)
        return made

    def show(self, /, **options: Unpack[ViewerOptions]) -> OpenViewer:
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
