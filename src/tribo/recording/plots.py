"""Pictures of a recording over time; every axis says its quantity and unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.recording import fields
from tribo.recording.figure import GRID, INK, new_figure, save_figure
from tribo.recording.recorded_frames import RecordedFrames

MAX_LINES = 12  # with a name of their own; others are grey
MAX_POINTS = 20_000  # of single contacts
MIN_FORCE = 1e-3  # of the largest normal force: smaller ones say nothing about friction
MIN_RESIDUAL = 1e-18  # where the axis begins: less is round-off of round-off
MEDIAN_OF = 21  # steps whose times make one
PEAK = 4.0  # times what lasts: higher forces are impacts
LASTING = 0.985  # part of all forces that lie below the axis' end
COLORS = (
    "#276eab", "#d9822b", "#2f8f6f", "#b8433f", "#7a5fa8", "#a8842c",
    "#2aa0a4", "#c76b98", "#6b7280", "#86b6e0", "#8aa84f", "#5b3a29",
)  # fmt: skip
STANDARD = ("heights", "energy", "normal_forces", "residual")

Draw = Callable[[Any, "RecordedFrames", str | None], None]


class Kind(NamedTuple):
    """A kind of plot."""

    label: str  # of its axis; joints add their units
    draw: Draw
    is_of_world: bool = False  # there is none of a single object


def draw(recording: RecordedFrames, kinds: Sequence[str], part: str | None, path: str | Path | None) -> Any:
    """Draw kinds of plots one below the other; arguments and errors as in `Recording.plot`."""
    for kind in kinds:
        if Path(str(kind)).suffix:
            raise TypeError(
                f"plot takes kinds of plots, got {check.shown(kind)}; a file to write is named: "
                'recording.plot(path="…")'
            )
    chosen = [check.known(kind, KINDS, "kind of plot") for kind in kinds or STANDARD]
    if part is not None:
        check.known(part, recording.objects, "object of the recording")
    if not recording.frames:
        raise ValueError(f"{recording.path}: there are no frames to draw")
    figure, axes = new_figure(len(chosen), height=2.6 if len(chosen) > 1 else 3.6)
    for axis, name in zip(axes, chosen, strict=True):
        made = KINDS[name]
        if made.is_of_world and part is not None:
            raise ValueError(f"{name} is recorded for the whole world; leave part={part!r} out")
        axis.set_ylabel(made.label, color=INK)
        made.draw(axis, recording, part)
    figure.align_ylabels(axes)
    axes[-1].set_xlabel("time [s]", color=INK)
    axes[-1].set_xlim(recording.time.min(), max(recording.time.max(), recording.time.min() + 1e-9))
    if path is not None:
        save_figure(figure, fields.folder(path))
    return figure


def _lines(axis: Any, recording: RecordedFrames, lines: dict[str, np.ndarray]) -> None:
    """Draw named lines, of many the largest in colour, with the legend beside them."""
    names = sorted(lines, key=lambda name: -float(np.ptp(lines[name])))[:MAX_LINES]
    for name, values in lines.items():
        if name not in names:
            axis.plot(recording.time, values, color=GRID, lw=0.8, zorder=1)
    for color, name in zip(COLORS, (name for name in lines if name in names), strict=False):
        axis.plot(recording.time, lines[name], color=color, lw=1.3, label=_plain(name))
    more = len(lines) - len(names)
    if more:
        axis.plot([], [], color=GRID, lw=2.0, label=f"{more} more")
    if lines:
        _legend(axis)
    else:
        _say(axis, "nothing to show")


def _plain(name: str) -> str:
    """Return a name as a label that Matplotlib neither hides nor reads as a formula."""
    text = name if len(name) <= 32 else f"{name[:31]}…"
    text = "".join(c if c.isprintable() else "?" for c in text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _legend(axis: Any) -> None:
    axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), labelcolor=INK)


def _say(axis: Any, text: str) -> None:
    axis.text(0.5, 0.5, text, transform=axis.transAxes, ha="center", va="center", color="#8a919c")


# -- bodies ----------------------------------------------------------------------------------------
def _moving(recording: RecordedFrames, part: str | None) -> list[str]:
    """Return the object that was asked for, or all that are not static."""
    if part is not None:
        return [part]
    return [item["name"] for item in recording.model["objects"] if item.get("kind") != "static"]


def _heights(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    lines = {
        name: recording.of(name, "body_position")[:, 0, 2]
        for name in _moving(recording, part)
        if recording.of(name, "body_position").shape[1]
    }
    _lines(axis, recording, lines)


def _energy(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    kinetic, potential = recording["kinetic_energy"], recording["potential_energy"]
    axis.plot(recording.time, kinetic, color=COLORS[0], lw=1.4, label="kinetic")
    axis.plot(recording.time, potential, color=COLORS[1], lw=1.4, label="potential")
    axis.plot(recording.time, kinetic + potential, color=INK, lw=1.4, ls="--", label="sum")
    _legend(axis)


def _momentum(name: str) -> Draw:
    def drawn(axis: Any, recording: RecordedFrames, part: str | None) -> None:
        _lines(axis, recording, {axis_name: recording[name][:, k] for k, axis_name in enumerate("xyz")})

    return drawn


# -- contacts --------------------------------------------------------------------------------------
def _contact_parts(recording: RecordedFrames) -> tuple[np.ndarray, np.ndarray]:
    """Return normal force and friction of every contact, (contacts,) [N]."""
    force, normal = recording["contact_force"], recording["contact_normal"]
    pressing = np.einsum("ij,ij->i", force, normal)
    return pressing, np.linalg.norm(force - pressing[:, None] * normal, axis=1)


def _of_object(recording: RecordedFrames, name: str) -> np.ndarray:
    """Return which contacts an object has with others, (contacts,) of bool."""
    first, stop = recording.model["objects"][recording.objects.index(name)]["bodies"]
    body = recording["contact_body"]
    is_own = (body >= first) & (body < stop)
    return np.asarray(is_own[:, 0] != is_own[:, 1])


def _contact_force(which: int) -> Draw:
    def drawn(axis: Any, recording: RecordedFrames, part: str | None) -> None:
        size, lines = _contact_parts(recording)[which], {}
        for name in _moving(recording, part):
            mine = _of_object(recording, name)
            if mine.any() or part is not None:
                lines[name] = np.bincount(recording.contact_frame[mine], size[mine], recording.frames)
        _lines(axis, recording, lines)
        _cut_peaks(axis, lines, "impacts", "N")

    return drawn


def _cut_peaks(axis: Any, lines: dict[str, np.ndarray], what: str, unit: str) -> None:
    """Let the axis end above what lasts, and say how high the peaks go that it cuts."""
    values = np.concatenate([*lines.values(), np.zeros(1)])
    highest, lasting = float(values.max()), float(np.quantile(values, LASTING))
    if highest > PEAK * lasting > 0.0:
        axis.set_ylim(-0.05 * lasting, 1.5 * lasting)
        number = f"{highest:.0f}" if highest >= 100.0 else f"{highest:.3g}"
        axis.set_title(f"{what} up to {number} {unit} are cut off", fontsize=8, color=INK, loc="right")


def _friction_use(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    """Draw friction over the most that it can be, a dot per contact; at one it slips."""
    pressing, friction = _contact_parts(recording)
    shown = pressing * recording["contact_friction"] > 0.0
    shown &= pressing > MIN_FORCE * pressing.max(initial=0.0)
    if part is not None:
        shown &= _of_object(recording, part)
    rows = np.flatnonzero(shown)
    if not len(rows):
        _say(axis, "no contacts with friction")
        return
    rows = rows[:: -(-len(rows) // MAX_POINTS)]
    use = friction[rows] / (pressing * recording["contact_friction"])[rows]
    times = recording.time[recording.contact_frame[rows]]
    axis.plot(times, use, ".", color=COLORS[0], ms=2.0, alpha=0.5, label="a contact", rasterized=True)
    axis.axhline(1.0, color=COLORS[3], lw=1.0, ls="--", label="slips")
    axis.set_ylim(-0.05, max(1.15, 1.05 * float(use.max())))
    _legend(axis)


# -- joints ----------------------------------------------------------------------------------------
def _joints_of(recording: RecordedFrames, part: str | None, axes: str) -> tuple[str, slice]:
    """Return a robot and its joints' entries among its coordinates ("q") or dofs ("v"), without its base."""
    best, found = None, slice(0, 0)
    for item in recording.model["objects"]:
        first, stop = item[axes]
        body = item["bodies"][0]
        floats = stop > first and recording.model["bodies"][body].get("joint_type") == "free"
        own = slice((7 if axes == "q" else 6) if floats else 0, stop - first)
        count, most = own.stop - own.start, found.stop - found.start
        if part == item["name"] or (part is None and count > most):
            best, found = item["name"], own
    if best is None or found.stop <= found.start:
        raise ValueError(f"{recording.path}: {part or 'no object'} has joints to draw")
    return best, found


def _joints(name: str) -> Draw:
    def drawn(axis: Any, recording: RecordedFrames, part: str | None) -> None:
        over = "q" if fields.BY_NAME[name].axes == ("nq",) else "v"
        robot, own = _joints_of(recording, part, over)
        item = recording.model["objects"][recording.objects.index(robot)]
        values = recording.of(robot, name)[:, own]
        columns = recording.columns(name)[item[over][0] :][own]
        units = ", ".join(dict.fromkeys(unit for _, unit in columns))
        lines = {column.removeprefix(f"{robot}/"): values[:, k] for k, (column, _) in enumerate(columns)}
        axis.set_ylabel(f"{axis.get_ylabel()} [{units}]", color=INK)
        _lines(axis, recording, lines)
        axis.set_title(_plain(robot), fontsize=9, color=INK, loc="left")

    return drawn


# -- the solve -------------------------------------------------------------------------------------
def _residual(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    axis.set_yscale("log")
    for k, name in enumerate(("primal", "dual", "complementarity")):
        values = recording["residual"][:, k]
        shown = np.where(values > 0.0, values, np.nan)  # zero has no logarithm
        axis.plot(recording.time, shown, color=COLORS[k], lw=0.8, label=name)
    low, high = axis.get_ylim()
    if low < MIN_RESIDUAL < high:
        axis.set_ylim(bottom=MIN_RESIDUAL)
    if not recording["residual"].any():
        _say(axis, "zero throughout")
    bad = np.flatnonzero(recording["status"])
    if len(bad):
        axis.plot(
            recording.time[bad], np.full(len(bad), 0.03), "^", transform=axis.get_xaxis_transform(),
            color=COLORS[3], ms=5, label="status not well",
        )  # fmt: skip
    _legend(axis)


def _sweeps(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    axis.plot(recording.time, recording["sweeps"], color=COLORS[0], lw=1.1, drawstyle="steps-post")
    axis.set_ylim(0.0, max(1.0, 1.1 * float(recording["sweeps"].max())))
    axis.yaxis.get_major_locator().set_params(integer=True)


def _stage_times(axis: Any, recording: RecordedFrames, part: str | None) -> None:
    """Draw how long the halves of single steps took: a dot each, and the median of those about it."""
    times = 1e3 * recording["stage_time"]
    rows = np.flatnonzero(np.isfinite(times).all(axis=1))
    if not len(rows):
        _say(axis, "not measured")
        return
    names = ("update: poses,\ncollisions, inertia", "advance: contact\nsolve, motion")
    for k, name in enumerate(names):
        values = times[rows, k]
        axis.plot(recording.time[rows], values, ".", color=COLORS[k], ms=2.0, alpha=0.35)
        axis.plot(recording.time[rows], _running_median(values), color=COLORS[k], lw=1.4, label=name)
    axis.set_ylim(bottom=0.0)
    _cut_peaks(axis, {str(k): times[rows, k] for k in range(2)}, "single steps", "ms")
    _legend(axis)


def _running_median(values: np.ndarray) -> np.ndarray:
    """Return the median of each value and those about it, as many as there are at the ends."""
    half = min(MEDIAN_OF // 2, (len(values) - 1) // 2)
    padded = np.pad(values, half, constant_values=np.nan)
    return np.asarray(np.nanmedian(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=1))


KINDS = {
    "heights": Kind("height of the\nroot body [m]", _heights),
    "energy": Kind("energy [J]", _energy, is_of_world=True),
    "linear_momentum": Kind("linear\nmomentum [kg m/s]", _momentum("linear_momentum"), is_of_world=True),
    "angular_momentum": Kind("angular\nmomentum [kg m²/s]", _momentum("angular_momentum"), is_of_world=True),
    "normal_forces": Kind("sum of normal\nforces [N]", _contact_force(0)),
    "friction_forces": Kind("sum of friction\nforces [N]", _contact_force(1)),
    "friction_use": Kind("friction in use\n|f$_t$| / (μ f$_n$) [–]", _friction_use),
    "joint_positions": Kind("position", _joints("q")),
    "joint_velocities": Kind("velocity", _joints("v")),
    "joint_forces": Kind("applied force", _joints("applied_force")),
    "residual": Kind("contact residual [–]", _residual, is_of_world=True),
    "sweeps": Kind("sweeps of the\ncontact solve [–]", _sweeps, is_of_world=True),
    "stage_times": Kind("time of the\nlast step [ms]", _stage_times, is_of_world=True),
}
