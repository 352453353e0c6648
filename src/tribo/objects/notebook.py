"""A robot as a notebook shows it: one row per joint."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from tribo.model import Joint
from tribo.objects.handles import Joint as Handle
from tribo.objects.named_parts import NamedParts

MAX_ROWS = 60
HEADINGS = ("joint", "type", "link", "mass [kg]", "position", "limits", "velocity", "effort limit")
UNITS = {Joint.REVOLUTE: ("rad", "rad/s", "N m"), Joint.PRISMATIC: ("m", "m/s", "N")}


def robot_table(robot: NamedParts, title: str) -> str:
    """Return a description of a robot as HTML: what it is, and a table of its joints.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> robot = tribo.World().add_articulated_system(ASSETS / "quadruped.urdf", name="dog")
        >>> robot_table(robot, robot.describe()).count("<tr>")    # twelve joints and a heading
        13
    """
    rows = [_row(HEADINGS, "th")]
    for joint in robot.joints[:MAX_ROWS]:
        body = robot.description.bodies[joint.link.body_index]
        place, speed, force = UNITS.get(joint.type, ("–", "rad/s", "N m"))
        low, high = body.joint.lower, body.joint.upper
        cells = (
            joint.name, joint.type.name.lower(), body.name, f"{float(joint.link.mass):.4g}",
            f"{_numbers(joint.coordinate)} {place}",
            f"{_number(low)} … {_number(high)} {place}" if np.isfinite([low, high]).any() else "none",
            f"{_numbers(joint.velocity)} {speed}",
            _effort(joint, force),
        )  # fmt: skip
        rows.append(_row(cells, "td"))
    more = len(robot.joints) - MAX_ROWS
    rows += [f"<tr><td colspan={len(HEADINGS)}>and {more} more</td></tr>"] * (more > 0)
    return f"<p><code>{html.escape(title)}</code></p><table>{''.join(rows)}</table>"


def _row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _number(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else ("−∞" if value < 0 else "∞")


def _numbers(value: Any) -> str:
    return ", ".join(_number(float(x)) for x in np.atleast_1d(value))


def _effort(joint: Handle, unit: str) -> str:
    """Return the limits of a drive: one number for both directions, or two."""
    lower, upper = joint.effort_limits
    if not (np.isfinite(lower) | np.isfinite(upper)).any():
        return "none"
    if np.array_equal(upper, np.negative(lower)):
        return f"{_numbers(upper)} {unit}"
    return f"{_numbers(lower)} … {_numbers(upper)} {unit}"
