"""Names of columns of a trajectory, and their units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tribo.checks import check

MEASURED = {  # array: its columns
    "q": "OBJECT/x, OBJECT/qw, OBJECT/JOINT",
    "v": "OBJECT/vx, OBJECT/wx, OBJECT/JOINT",
    "body_position": "OBJECT/LINK/x",
    "net_contact_force": "OBJECT/LINK/x",
}
INPUTS = {"feedforward": "OBJECT/JOINT", "target_q": "OBJECT/JOINT", "target_v": "OBJECT/JOINT"}
_DEGREE = 0.017453292519943295
UNITS = {  # unit: the one of SI, and its factor
    "m": ("m", 1.0), "cm": ("m", 1e-2), "mm": ("m", 1e-3), "µm": ("m", 1e-6), "in": ("m", 0.0254),
    "s": ("s", 1.0), "ms": ("s", 1e-3), "µs": ("s", 1e-6),
    "m/s": ("m/s", 1.0), "cm/s": ("m/s", 1e-2), "mm/s": ("m/s", 1e-3),
    "rad": ("rad", 1.0), "mrad": ("rad", 1e-3), "deg": ("rad", _DEGREE), "°": ("rad", _DEGREE),
    "rad/s": ("rad/s", 1.0), "deg/s": ("rad/s", _DEGREE), "°/s": ("rad/s", _DEGREE),
    "rpm": ("rad/s", 0.10471975511965977),
    "N": ("N", 1.0), "mN": ("N", 1e-3), "kN": ("N", 1e3),
    "N m": ("N m", 1.0), "N·m": ("N m", 1.0), "Nm": ("N m", 1.0), "mN m": ("N m", 1e-3),
    "–": ("–", 1.0), "-": ("–", 1.0),
}  # fmt: skip
_BRACKETS = re.compile(r"^(.*?)\s*\[([^\]]*)\]\s*$")


class Heading(NamedTuple):
    """A heading without its unit."""

    name: str
    unit: str  # of SI; "": none was said
    factor: float  # to SI


def heading(text: str) -> Heading:
    """Return a heading without its unit, and by which factor its numbers become SI.

    Raises:
        ValueError: The unit is unknown.

    Example:
        >>> heading("q/ball/z [mm]"), heading("q/ball/z").factor
        (Heading(name='q/ball/z', unit='m', factor=0.001), 1.0)
    """
    found = _BRACKETS.match(text)
    if not found:
        return Heading(text.strip(), "", 1.0)
    unit = found[2].strip()
    if unit not in UNITS:
        raise ValueError(f"{text!r}: the unit must be one of {', '.join(UNITS)}, got {unit!r}")
    return Heading(found[1], *UNITS[unit])


def parted(column: str, kinds: Mapping[str, str], owner: str) -> tuple[str, str]:
    """Return array and the rest of a column's name.

    Raises:
        ValueError: It is none of the arrays.
    """
    array, _, rest = column.partition("/")
    if array not in kinds or not rest:
        forms = ", ".join(f"{name}/{form}" for name, form in kinds.items())
        raise ValueError(
            f"{column!r} of {owner} is no column that is known here{check.nearest(array, kinds)}; "
            f"columns are called {forms}"
        )
    return array, rest
