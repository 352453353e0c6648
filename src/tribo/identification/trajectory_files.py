"""Tables, arrays and recordings as columns of numbers, and what columns are called.

All files are untrusted input.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.array_files import read_arrays, read_limited
from tribo.checks.files import to_read
from tribo.recording import Recording

LARGEST = 1 << 28  # bytes of a file, and of its numbers
MAX_COLUMNS = 4096
FORMATS = (".csv", ".parquet", ".npz", ".zarr")


def read(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of a file by heading, (n,) each.

    Raises:
        FileNotFoundError: There is no such file.
        ImportError: Parquet needs pyarrow.
        ValueError: It is no table of numbers, or too large.
    """
    ending = path.suffix.lower()
    if path.is_dir():
        recording = Recording(path)
        recording.check_in_order()
        table = {"time [s]": recording.time}
        for array in ("q", "v", "body_position", *INPUTS):
            table |= columns_of(recording, array)
        return table
    if ending == ".csv":
        return _read_csv(to_read(path, "table"))
    if ending == ".npz":
        return _read_npz(path)
    if ending == ".parquet":
        return _read_parquet(to_read(path, "table"))
    raise ValueError(
        f"{path}: the ending must be one of {', '.join(FORMATS)}, got {ending!r}; convert the file"
    )


def columns_of(recording: Recording, array: str) -> dict[str, np.ndarray]:
    """Return the columns of an array of a recording as its export calls them, without units."""
    numbers = recording[array].reshape(recording.frames, -1)
    return {f"{array}/{column}": numbers[:, k] for k, (column, _) in enumerate(recording.columns(array))}


def chosen(
    table: Mapping[str, np.ndarray], columns: Mapping[str, str] | Sequence[str] | None, file: str
) -> dict[str, np.ndarray]:
    """Return the columns that are asked for, by their names here with the unit of their heading.

    Raises:
        KeyError: There is no such heading.
        ValueError: None is asked for and none has a name of coordinates or commands.
    """
    if columns is None:
        arrays = ("q", *INPUTS)
        found = {h: v for h, v in table.items() if h.partition("/")[0] in arrays}
        if not found:
            raise ValueError(
                f"{file}: no heading is the name of a coordinate; say which column is which, "
                f'columns={{"{next(iter(table))}": "q/OBJECT/z"}}; it has {", ".join(list(table)[:12])}'
            )
        return {h: v for h, v in found.items() if h.partition("/")[0] not in INPUTS or "/q" not in h[8:]}
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list or a mapping, got {check.shown(columns)}")
    names = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    made = {}
    for own, name in names.items():
        values = table[check.known(own, table, f"heading of {file}")]
        unit = own[own.rindex("[") :] if heading(own).unit else ""
        made[name if "[" in name else f"{name} {unit}".strip()] = values
    return made


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    """Return the columns of a CSV file with one line of headings; an empty cell is NaN."""
    try:
        text = read_limited(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: it is no text in UTF-8") from None
    rows = csv.reader(io.StringIO(text))
    headings = [heading.strip() for heading in next(rows, [])]
    if not headings or len(headings) > MAX_COLUMNS or len(set(headings)) < len(headings):
        raise ValueError(f"{path}: the first line must name 1 … {MAX_COLUMNS} columns, each another name")
    numbers: list[list[float]] = []
    try:
        for row in rows:
            if not row:
                continue
            if len(row) != len(headings):
                raise ValueError(
                    f"{path}, line {rows.line_num}: {len(row)} cells, the headings are {len(headings)}"
                )
            numbers.append([_number(cell, path, rows.line_num) for cell in row])
    except csv.Error as error:
        raise ValueError(f"{path}, line {rows.line_num}: {error}") from None
    if not numbers:
        raise ValueError(f"{path}: it has no rows below its headings")
    return dict(zip(headings, np.array(numbers).T, strict=True))


def _number(cell: str, path: Path, line: int) -> float:
    try:
        return float(cell) if cell.strip() else float("nan")
    except ValueError:
        raise ValueError(f"{path}, line {line}: {check.shown(cell)} is no number") from None


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    """Return one-dimensional arrays by name, and those that `Recording.export` writes by column."""
    try:
        arrays = read_arrays(path, LARGEST)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    table = {"time [s]": arrays["time"]} if "time" in arrays else {}
    names = {"q": "coordinate_names", "v": "dof_names", "feedforward": "dof_names",
             "target_q": "coordinate_names", "target_v": "dof_names"}  # fmt: skip
    for name, values in arrays.items():
        if values.dtype.kind not in "fiu":
            continue
        of_columns = arrays.get(names.get(name, ""))
        if values.ndim == 1:
            table[name] = values.astype(float)
        elif values.ndim == 2 and of_columns is not None and of_columns.shape == values.shape[1:]:
            table |= {f"{name}/{c}": values[:, k] for k, c in enumerate(of_columns.tolist())}
    if "time" in arrays:  # a recording's export has tables of contacts, too
        table = {name: values for name, values in table.items() if len(values) == len(arrays["time"])}
    if len({len(values) for values in table.values()}) > 1:
        raise ValueError(f"{path}: its arrays must have one length")
    return table


def _read_parquet(path: Path) -> dict[str, np.ndarray]:
    with check.needed('Parquet files need pyarrow: pip install "tribo[parquet]"'):
        import pyarrow as pa
        from pyarrow import parquet
    try:
        file = parquet.ParquetFile(path)
        rows, width = file.metadata.num_rows, file.metadata.num_columns
        if width > MAX_COLUMNS or 8 * rows * width > LARGEST:
            raise ValueError(f"{path}: {rows} rows of {width} columns are more than is read")
        numeric = [one.name for one in file.schema_arrow if _is_numeric(pa, one.type)]
        table = file.read(columns=numeric)
        return {name: table[name].to_numpy().astype(float) for name in numeric}
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: it cannot be read as Parquet: {error}") from None


def _is_numeric(pa: object, kind: object) -> bool:
    types = pa.types  # type: ignore[attr-defined]
    return bool(types.is_floating(kind) or types.is_integer(kind))


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
