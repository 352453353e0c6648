"""Charts in the viewer's panel, fed from a loop."""

from __future__ import annotations

import html
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.viewer.session import check_open
from tribo.viewer.visuals import Removable

if TYPE_CHECKING:
    from tribo.viewer.panel import Panel

MAX_SERIES = 20
MAX_ROWS = 2000  # that a time series shows: the latest
PAUSE = 0.2  # [s] between two messages to the browser
COLORS = ("#2b6cb0", "#dd6b20", "#2f855a", "#c53030", "#6b46c1", "#b7791f", "#2c7a7b")


class Chart(Removable, ABC):
    """A chart in the panel of a viewer."""

    _called = "chart"

    def __init__(self, title: str, names: Sequence[str], node: Any, forget: Callable[[str], None]) -> None:
        """Take the node that the browser shows, and who is to be told of the removal."""
        super().__init__(title, node, forget)
        self._names = tuple(names)
        self._sent, self._is_due = 0.0, False

    @property
    def title(self) -> str:
        """Title by which it is removed."""
        return self._name

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what it shows."""
        return self._names

    def flush(self) -> None:
        """Send what is new; it is called now and then by itself."""
        if self._is_due and not self._is_removed:
            self._is_due, self._sent = False, time.perf_counter()
            self._send()

    def _note(self) -> None:
        """Send now, or later if the last message was a moment ago."""
        self._is_due = True
        if time.perf_counter() - self._sent >= PAUSE:
            self.flush()

    def _given(self, values: Any) -> np.ndarray:
        self._check()
        return check.vector(values, f"values of chart {self._name!r}", len(self._names))

    @abstractmethod
    def _send(self) -> None:
        """Send what is to be shown to the browser."""


class TimeSeriesGraph(Chart):
    """Lines over time; the latest two thousand points are shown."""

    def __init__(self, title: str, names: Sequence[str], node: Any, forget: Callable[[str], None]) -> None:
        """Begin without points."""
        super().__init__(title, names, node, forget)
        self._rows = np.zeros((2 * MAX_ROWS, len(self._names) + 1))
        self._count = 0

    def add_data_points(self, time: float, values: Any) -> None:
        """Add a point to every line.

        Args:
            time: [s], not before the last one; an earlier one begins the chart anew.
            values: One for each name, in order.

        Raises:
            ValueError, TypeError: Another number of them, or not finite; the chart stays as it was.
        """
        row, moment = self._given(values), check.number(time, "time")
        if self._count and moment < self._rows[self._count - 1, 0]:
            self._count = 0
        if self._count == len(self._rows):
            self._rows[:MAX_ROWS] = self._rows[MAX_ROWS:]
            self._count = MAX_ROWS
        self._rows[self._count] = moment, *row
        self._count += 1
        self._note()

    @property
    def data(self) -> np.ndarray:
        """Shown points, (points, 1 + names): time and values."""
        return self._rows[max(0, self._count - MAX_ROWS) : self._count].copy()

    def _send(self) -> None:
        self._node.data = tuple(np.ascontiguousarray(column) for column in self.data.T)


class BarChart(Chart):
    """A bar for each name; its length is in proportion to the largest value."""

    def __init__(self, title: str, names: Sequence[str], node: Any, forget: Callable[[str], None]) -> None:
        """Begin with zeros."""
        super().__init__(title, names, node, forget)
        self._values = np.zeros(len(self._names))
        self._is_due = True
        self.flush()

    def set_data(self, values: Any) -> None:
        """Show other values, one for each name, in order.

        Raises:
            ValueError, TypeError: Another number of them, or not finite; the chart stays as it was.
        """
        self._values = self._given(values)
        self._note()

    def _send(self) -> None:
        self._node.content = bars(self._name, self._names, self._values)


def bars(title: str, names: Sequence[str], values: np.ndarray) -> str:
    """Return bars as HTML; texts are escaped. Values below zero have bars of another colour."""
    largest = max(float(np.abs(values).max(initial=0.0)), 1e-300)
    rows = []
    for name, value in zip(names, values.tolist(), strict=True):
        color = COLORS[0] if value >= 0.0 else COLORS[3]
        rows.append(
            f'<div style="display:flex;justify-content:space-between"><span>{html.escape(name)}</span>'
            f'<b>{value:.4g}</b></div><div style="height:0.6em;margin-bottom:0.4em;background:{color};'
            f'width:{100.0 * abs(value) / largest:.1f}%"></div>'
        )
    head = f'<div style="font-weight:600;margin-bottom:0.4em">{html.escape(title)}</div>'
    return f'<div style="font-size:0.85em;padding:0 0.9em 0.5em">{head}{"".join(rows)}</div>'


class Charts:
    """The part of a viewer that shows charts."""

    _server: Any
    _panel: Panel
    _is_open: bool

    def __init__(self) -> None:
        """Begin without any."""
        self._charts: dict[str, Chart] = {}

    def add_time_series_graph(
        self, title: str, names: Sequence[str], x_axis: str = "time [s]", y_axis: str = ""
    ) -> TimeSeriesGraph:
        """Show lines over time in the panel.

        Args:
            title: Above the chart; the name by which it is removed.
            names: Of the lines, 1 to 20.
            x_axis, y_axis: Texts at the axes.

        Raises:
            ValueError, TypeError: The title is there already, names are no texts or too many, or the
                viewer is closed.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1), name="ball")
            >>> with tribo.Viewer(world, port=8160) as view:
            ...     graph = view.add_time_series_graph("height", ["ball"], y_axis="z [m]")
            ...     for _ in range(50):
            ...         world.step()
            ...         graph.add_data_points(world.time, [ball.position[2]])
            ...     graph.data.shape
            (50, 2)
        """
        lines = self._checked(title, names)
        x_axis, y_axis = check.text(x_axis, "x_axis"), check.text(y_axis, "y_axis")
        series: list[dict[str, Any]] = [{"label": x_axis}]
        series += [
            {"label": name, "stroke": COLORS[k % len(COLORS)], "width": 2} for k, name in enumerate(lines)
        ]
        with self._panel.charts:
            node = self._server.gui.add_uplot(
                (np.zeros(1),) * (len(lines) + 1), tuple(series), title=title, height=220,
                axes=({"label": x_axis}, {"label": y_axis}), legend={"show": True},
                scales={"x": {"time": False}},
            )  # fmt: skip
        made = TimeSeriesGraph(title, lines, node, self._forget_chart)
        self._keep_chart(made)
        return made

    def add_bar_chart(self, title: str, names: Sequence[str]) -> BarChart:
        """Show a bar for each name in the panel; arguments and errors as `add_time_series_graph`."""
        lines = self._checked(title, names)
        with self._panel.charts:
            node = self._server.gui.add_html("")
        made = BarChart(title, lines, node, self._forget_chart)
        self._keep_chart(made)
        return made

    def remove_chart(self, title: str) -> None:
        """Take a chart away.

        Raises:
            KeyError: There is none of that title; the message proposes the nearest.
        """
        self._charts[check.known(title, self._charts, "chart")].remove()

    def _flush_charts(self) -> None:
        for chart in self._charts.values():
            chart.flush()

    def _checked(self, title: str, names: Sequence[str]) -> tuple[str, ...]:
        check_open(is_open=self._is_open)
        if check.name(title, "title of a chart") in self._charts:
            raise ValueError(f"a chart {title!r} is there already; remove it, or take another title")
        if not check.is_iterable(names):
            raise TypeError(f"names of chart {title!r} must be texts, got {check.shown(names)}")
        lines = tuple(names) if not isinstance(names, str) else (names,)
        if not 1 <= len(lines) <= MAX_SERIES:
            raise ValueError(f"chart {title!r} must have 1 to {MAX_SERIES} names, got {len(lines)}")
        return tuple(check.name(name, f"name in chart {title!r}") for name in lines)

    def _keep_chart(self, chart: Chart) -> None:
        self._charts[chart.title] = chart
        self._panel.charts.visible = True

    def _forget_chart(self, title: str) -> None:
        self._charts.pop(title, None)
        self._panel.charts.visible = bool(self._charts)
