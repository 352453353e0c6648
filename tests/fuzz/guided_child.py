"""One kind of file, changed by libFuzzer: inputs that reach new branches of our readers are changed further.

It is started by `fuzz.guided`; `kind`, folder of notes, then libFuzzer's own arguments. Defects are written
as lines of JSON, beside the inputs; counts of inputs and of those that were taken stand in `counts`.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import random
import resource
import struct
import sys
import tempfile
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

import atheris

# Readers in Python. Code that builds and steps worlds would add counters and no branches of readers.
READERS = tuple(
    f"tribo.{part}"
    for part in (
        "checks", "description", "formats", "learn.checkpoint", "learn.policy", "materials",
        "objects.primitives", "readout.state_bytes", "recording", "spatial.files", "spatial.mat_reader",
        "world_xml", "world.import_scenes", "world.load_bodies",
    )
)  # fmt: skip


class _Loader(SourceFileLoader):
    """Loads a module with a counter in each of its branches."""

    def get_code(self, fullname: str) -> Any:
        return atheris.patch_code(super().get_code(fullname), True)


class _Finder:
    """Finds the modules of readers; Atheris' own takes whole packages only."""

    @staticmethod
    def find_spec(name: str, path: Any, target: Any = None) -> Any:
        if not any(name == part or name.startswith(f"{part}.") for part in READERS):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Finder)
from fuzz import guided, readers, watch  # noqa: E402  # where the finder finds what they import

OWN_CHANGES = 0.5  # share of inputs that are changed as files of their kind, not byte by byte


class Notes:
    """How many inputs were read, and defects, one of each kind and place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: set[str] = set()
        with (folder / "counts").open("r+b") as file:
            self._counts = mmap.mmap(file.fileno(), 16)

    def count(self, *, taken: bool) -> None:
        """Count an input."""
        inputs, accepted = struct.unpack("<QQ", self._counts[:16])
        self._counts[:16] = struct.pack("<QQ", inputs + 1, accepted + taken)

    def defect(self, kind: str, data: bytes, text: str) -> None:
        """Keep an input that did what no input may do."""
        place = kind + "".join(text.splitlines()[-4:-1])
        if place in self._seen:
            return
        self._seen.add(place)
        name = hashlib.blake2b(data, digest_size=8).hexdigest()
        (self._folder / name).write_bytes(data)
        with (self._folder / "defects").open("a") as file:
            file.write(json.dumps([kind, name, text]) + "\n")


def main() -> None:
    """Fuzz until libFuzzer ends the process."""
    kind, folder, *options = sys.argv[1:]
    notes, work = Notes(Path(folder)), Path(folder) / "work"
    name, seeds, take = guided.kinds()[kind]
    tempfile.tempdir = str(work)
    readers.quieten()
    for seed in seeds:
        watch.outcome(lambda data=seed: readers.read(name, data, take))  # loads what is loaded late
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + watch.MEMORY, used + watch.MEMORY))
    watch.forbid(watch.folders(folder))
    os.chdir(work)

    def play(data: bytes) -> None:
        said, text = watch.outcome(lambda: readers.read(name, data, take))
        notes.count(taken=said == "accepted")
        if said not in ("accepted", "refused"):
            notes.defect(said, data, text)

    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < OWN_CHANGES:
            return readers.changed(rng, name, data)[:most]
        return atheris.Mutate(data, most)

    atheris.Setup([sys.argv[0], *options], play, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
