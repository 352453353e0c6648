"""Recordings as CSV, Parquet, NumPy and USD files."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.replacing import replaced
from tribo.recording import fields, usd_export
from tribo.recording.recorded_frames import RecordedFrames

BLOCK = 4096  # frames that are in memory at once
ENDINGS = (".csv", ".parquet", ".npz", *usd_export.ENDINGS)

Table = dict[str, np.ndarray]


def export(recording: RecordedFrames, path: Path, arrays: Sequence[str] | None, contacts: bool) -> None:
    """Write a recording as the ending of `path` says; arguments and errors as in `Recording.export`."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{path}: the ending must be one of {', '.join(ENDINGS)}, got {ending!r}")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path}: its folder does not exist; make it first")
    if ending in usd_export.ENDINGS:
        if arrays is not None or contacts:
            raise ValueError(f"{path}: USD holds the poses of all bodies; leave arrays and contacts out")
        usd_export.write_usd(recording, path)
        return
    chosen = _chosen(recording, arrays, contacts, is_table=ending != ".npz")
    if ending == ".npz":
        _write_npz(recording, path, chosen)
    elif ending == ".csv":
        _write_csv(_blocks(recording, chosen, contacts), path)
    else:
        _write_parquet(_blocks(recording, chosen, contacts), path)


def _chosen(
    recording: RecordedFrames, arrays: Sequence[str] | None, contacts: bool, *, is_table: bool
) -> list[str]:
    """Return the names of the arrays to write, the time apart."""
    if isinstance(arrays, str):
        raise TypeError(f"arrays must be a list of names, got {check.shown(arrays)}")
    kind = "contact" if contacts else "frame"
    fitting = [f.name for f in fields.FIELDS if f.name != "time" and (not is_table or f.per == kind)]
    if arrays is None:
        return [name for name in fitting if not (is_table and name == "contact_end")]
    known = [check.known(name, recording.names, "array of the recording") for name in arrays]
    wrong = [name for name in known if name not in fitting and name != "time"]
    if wrong:
        other = "leave contacts=True out" if contacts else "pass contacts=True"
        raise ValueError(f"{wrong[0]} has no place in a table with a row per {kind}; {other}, or write .npz")
    return [name for name in known if name != "time"]


# -- tables ----------------------------------------------------------------------------------------
def _blocks(recording: RecordedFrames, chosen: Sequence[str], contacts: bool) -> Iterator[Table]:
    """Yield the table in parts, by the headings of its columns; at least one part, be it empty."""
    rows = _contact_rows if contacts else _frame_rows
    for first in range(0, max(recording.frames, 1), BLOCK):
        yield rows(recording.part(first, first + BLOCK), chosen, first)


def _frame_rows(part: RecordedFrames, chosen: Sequence[str], first: int) -> Table:
    table: Table = {"time [s]": part.time}
    for name in chosen:
        table |= _columns(part, name)
    return table


def _contact_rows(part: RecordedFrames, chosen: Sequence[str], first: int) -> Table:
    frame = part.contact_frame
    table: Table = {"frame": first + frame, "time [s]": part.time[frame]}
    for name in chosen:
        if name == "contact_body":
            names = np.array([*part.bodies, ""], dtype=object)
            for k, side in enumerate("AB"):
                table[f"body {side}"] = names[part[name][:, k]]
        else:
            table |= _columns(part, name)
    return table


def _columns(part: RecordedFrames, name: str) -> Table:
    """Return an array as columns with headings."""
    rows = len(part[name])
    numbers = part[name].reshape(rows, len(part.columns(name)))
    return {
        f"{name if column == name else f'{name}/{column}'} [{unit}]": numbers[:, k]
        for k, (column, unit) in enumerate(part.columns(name))
    }


def _write_csv(blocks: Iterator[Table], path: Path) -> None:
    """Write numbers so that they read back bit for bit."""
    with replaced(path) as raw, io.TextIOWrapper(raw, "utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        for k, table in enumerate(blocks):
            if k == 0:
                writer.writerow(table)
            columns = [[_cell(value) for value in column.tolist()] for column in table.values()]
            writer.writerows(zip(*columns, strict=True))


def _cell(value: Any) -> Any:
    """Return a cell; text that a spreadsheet would take for a formula is quoted for it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _write_parquet(blocks: Iterator[Table], path: Path) -> None:
    with check.needed('Parquet files need pyarrow: pip install "tribo[parquet]"'):
        import pyarrow as pa
        from pyarrow import parquet
    with replaced(path) as stream:
        writer = None
        for table in blocks:
            batch = pa.table({
                name: pa.array(column, pa.string() if column.dtype == object else None)
                for name, column in table.items()
            })  # fmt: skip
            writer = writer or parquet.ParquetWriter(stream, batch.schema)
            writer.write_table(batch)
        if writer is not None:
            writer.close()


# -- arrays ----------------------------------------------------------------------------------------
def _write_npz(recording: RecordedFrames, path: Path, chosen: Sequence[str]) -> None:
    """Write arrays one by one, so that one at a time is in memory."""
    texts: dict[str, Sequence[str]] = {
        "coordinate_names": recording.coordinate_names,
        "dof_names": recording.dof_names,
        "bodies": recording.bodies,
        "objects": recording.objects,
        "units": [f"{name}: {recording.unit(name)}" for name in ("time", *chosen)],
    }
    with replaced(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("time", *chosen):
            _add(archive, name, recording.part(0, recording.frames)[name])
        for name, said in texts.items():
            _add(archive, name, np.array(said, np.str_))


def _add(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
        np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
