"""Readers under Atheris: files that reach new branches of ours are kept, and changed further.

The files that are kept lie in `tests/data/fuzz/kept.zip`. Each run begins with them and ends with what it
kept: libFuzzer replaces a file by a smaller one that reaches the same branches. Of each kind at most `MOST`
bytes are kept.
"""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from fuzz import readers
from fuzz.watch import Findings
from tribo.checks.replacing import write_whole

KEPT = readers.DATA / "fuzz" / "kept.zip"
MOST = 48_000  # bytes that are kept of a kind
LONGEST = 8_000  # bytes of a file that is kept
LARGEST = 65_536  # bytes of an input
PATIENCE = 30  # [s] by the clock for one input
DEATHS = 20  # of a kind, then the rest of its inputs are left out
WORDS = {70: "hangs", 71: "takes too much memory"}  # exit statuses of libFuzzer


@cache
def kinds() -> dict[str, tuple[str, list[bytes], readers.Take]]:
    """Return name of the file, first contents and reader of each kind of file."""
    made: dict[str, tuple[str, list[bytes], readers.Take]] = {}
    for name, data, take in readers.corpus():
        suffix = name if take.__name__ == "_recording" else Path(name).suffix
        _, seeds, _ = made.setdefault(take.__name__[1:] + "-" + suffix.lstrip("."), (name, [], take))
        if data not in seeds:
            seeds.append(data)
    return made


def unpack(kind: str, folder: Path) -> None:
    """Write the files from which a kind begins: those of the corpus and those that were kept."""
    folder.mkdir()
    for k, data in enumerate(kinds()[kind][1]):
        (folder / f"seed{k}").write_bytes(data)
    if KEPT.exists():
        with zipfile.ZipFile(KEPT) as archive:
            for item in archive.namelist():
                if item.startswith(f"{kind}/"):
                    (folder / Path(item).name).write_bytes(archive.read(item))


def pack(chosen: dict[str, dict[str, bytes]]) -> None:
    """Write what is kept of some kinds; the others stay as they are. The same files make the same bytes."""
    content: dict[str, bytes] = {}
    if KEPT.exists():
        with zipfile.ZipFile(KEPT) as archive:
            content = {name: archive.read(name) for name in archive.namelist()}
    content = {n: d for n, d in content.items() if n.split("/")[0] in {*kinds()} - {*chosen}}
    content |= {f"{kind}/{name}": d for kind, files in chosen.items() for name, d in files.items()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(content.items()):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    write_whole(KEPT, made.getvalue())


def _start(kind: str, notes: Path, *options: str) -> int:
    """Run libFuzzer in a process of its own; return its exit status."""
    (notes / "work").mkdir(exist_ok=True)
    if not (notes / "counts").exists():
        (notes / "counts").write_bytes(bytes(16))
    tests = str(readers.ROOT / "tests")
    with (notes / "log").open("ab") as log:
        return subprocess.run(
            [sys.executable, "-m", "fuzz.guided_child", kind, str(notes), *options],
            cwd=tests, env={**os.environ, "PYTHONPATH": tests}, stdout=log, stderr=log, check=False,
        ).returncode  # fmt: skip


def _smallest(folder: Path) -> dict[str, bytes]:
    """Return files of a folder, short ones first, as many as are kept."""
    files = sorted((path.stat().st_size, path.name) for path in folder.iterdir())
    kept, size = {}, 0
    for length, name in files:
        size += length
        if size <= MOST and length <= LONGEST:
            kept[name] = (folder / name).read_bytes()
    return kept


def play_kind(kind: str, inputs: int, seconds: float) -> tuple[Findings, dict[str, bytes]]:
    """Change files of a kind; return what was found and which files are kept."""
    found, stop = Findings(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        notes, corpus = Path(folder) / "notes", Path(folder) / "corpus"
        notes.mkdir()
        unpack(kind, corpus)
        for _ in range(DEATHS):
            left = inputs - found.inputs
            spare = int(stop - time.monotonic())
            if left <= 0 or spare <= 0:
                break
            status = _start(
                kind, notes, str(corpus), f"-runs={left}", f"-max_total_time={spare}", f"-max_len={LARGEST}",
                f"-timeout={PATIENCE}", "-rss_limit_mb=6144", f"-artifact_prefix={notes}/ended-",
                "-print_final_stats=0", "-verbosity=0",
            )  # fmt: skip
            before = found.inputs
            found.inputs, found.accepted = struct.unpack("<QQ", (notes / "counts").read_bytes())
            if status:
                said = WORDS.get(status, f"ends the process: {status}")
                found.defects.append((f"{kind} {said}", before, _tail(notes / "log")))
        if (notes / "defects").exists():
            lines = map(json.loads, (notes / "defects").read_text().splitlines())
            found.defects += [(f"{kind}: {what}", 0, text) for what, name, text in lines]
        _keep_inputs(kind, notes)
        return found, _smallest(corpus)


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-2000:]


def _keep_inputs(kind: str, notes: Path) -> None:
    """Leave inputs with defects where they can be looked at."""
    place = readers.ROOT / "out" / "fuzz"
    for path in notes.iterdir():
        if path.is_file() and path.name not in {"counts", "defects", "log"}:
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{kind}-{path.name}").write_bytes(path.read_bytes())


def run(inputs: int, seconds: float, say: Callable[[str], None], jobs: int = 2) -> Findings:
    """Share inputs and seconds among all kinds, and say how far each came."""
    # A recording has twelve files that are changed.
    weights = {kind: 0.2 if kind.startswith("recording") else 1.0 for kind in kinds()}
    whole, found = sum(weights.values()), Findings()

    def played(kind: str) -> tuple[Findings, dict[str, bytes]]:
        share = weights[kind] / whole
        return play_kind(kind, max(1, round(inputs * share)), seconds * share * jobs)

    with ThreadPoolExecutor(jobs) as pool:
        for kind, (one, kept) in zip(weights, pool.map(played, weights), strict=True):
            pack({kind: kept})
            found.inputs += one.inputs
            found.accepted += one.accepted
            found.defects += one.defects
            say(f"  {kind}: {one.inputs} inputs, {one.accepted} accepted, {len(kept)} kept")
    return found
