"""The frames of a recording: arrays by name, object and time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np

from tribo.checks import check
from tribo.checks.calls import said_by_class
from tribo.checks.readonly import frozen
from tribo.recording import fields
from tribo.recording.checked_store import CheckedStore


class RecordedFrames:
    """Frames of a recording, without the plots and exports of `Recording`."""

    @said_by_class
    def __init__(self, path: str | Path) -> None:
        """Open a recording and check what describes it."""
        first = CheckedStore(fields.folder(path))
        stores = [first, *(first.stretch(k) for k in range(1, first.stretches))]
        self._path, self._is_complete = first.path, stores[-1].is_complete
        self._take([(store, 0, store.frames) for store in stores])

    def _take(self, pieces: list[tuple[CheckedStore, int, int]]) -> None:
        """Begin with frames of stretches, each from one up to another."""
        self._pieces = [piece for piece in pieces if piece[1] < piece[2]] or pieces[:1]
        self._kept: dict[str, np.ndarray] = {}

    def __repr__(self) -> str:
        """Return frames, times, and what moves."""
        times = self.time
        span = f", t = {times[0]:.6g} … {times[-1]:.6g} s" if len(times) else ""
        end = "complete" if self.is_complete else "not closed"
        return f"<Recording of {self.frames} frames{span}: {self._what_moves}, {end}>"

    @property
    def _what_moves(self) -> str:
        if len(self._pieces) > 1:
            return f"{len(self._pieces)} stretches between which cables changed"
        return f"{len(self.objects)} objects, {self._store.sizes['nv']} dofs"

    def __len__(self) -> int:
        return self.frames

    # -- what there is -------------------------------------------------------------------------
    @property
    def path(self) -> Path:
        """Folder of the recording."""
        return self._path

    @property
    def frames(self) -> int:
        """Number of frames."""
        return sum(stop - first for _, first, stop in self._pieces)

    @property
    def is_complete(self) -> bool:
        """Whether the recording was closed; otherwise it is being written, or its writer was killed."""
        return self._is_complete

    @property
    def stretches(self) -> tuple[Self, ...]:
        """The stretches of time in which the bodies are the same, in order, each as a recording.

        One, unless a cable got or lost segments (`Cable.keep_adapting`). Then what depends on the bodies
        (`model`, `bodies`, `coordinate_names`, arrays such as "q") is asked of a stretch; times, energies,
        momenta, contacts without their bodies, and what `of` says of an object that was there all the time,
        of the recording as well.
        """
        return tuple(self._made([piece]) for piece in self._pieces)

    def _made(self, pieces: list[tuple[CheckedStore, int, int]]) -> Self:
        made = object.__new__(type(self))
        made._path, made._is_complete = self._path, self._is_complete
        made._take(pieces)
        return made

    @property
    def _store(self) -> CheckedStore:
        """The files of the one stretch that this is.

        Raises:
            ValueError: There are several.
        """
        if len(self._pieces) > 1:
            raise ValueError(
                f"{self.path}: cables got or lost segments {len(self._pieces) - 1} times, so the bodies and "
                "coordinates are not the same throughout: take one of recording.stretches"
            )
        return self._pieces[0][0]

    @property
    def model(self) -> dict[str, Any]:
        """Owners of the numbers, as plain data: objects, bodies, coordinates, shapes, time step."""
        return self._store.model

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all arrays."""
        return tuple(fields.BY_NAME)

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of all objects, of several stretches those that are in all of them."""
        stretches = [[item["name"] for item in store.model["objects"]] for store, _, _ in self._pieces]
        common = set(stretches[0]).intersection(*stretches[1:])
        return tuple(name for name in stretches[0] if name in common)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies, "OBJECT/LINK", in the order of `body_position`."""
        return tuple(item["name"] for item in self.model["bodies"])

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the columns of `q`: "OBJECT/JOINT", of a floating base "OBJECT/x" … "OBJECT/qz"."""
        return tuple(item["name"] for item in self.model["coordinates"])

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the columns of `v`: "OBJECT/JOINT", of a floating base "OBJECT/vx" … "OBJECT/wz"."""
        return tuple(item["name"] for item in self.model["dofs"])

    def unit(self, name: str) -> str:
        """Return the unit of an array; `column_units` has those of its columns.

        Raises:
            KeyError: There is no such array; the message proposes the nearest name.
        """
        return self._field(name).unit

    def text(self, name: str) -> str:
        """Return what an array holds, one phrase.

        Raises:
            KeyError: There is no such array.
        """
        return self._field(name).text

    def columns(self, name: str) -> list[tuple[str, str]]:
        """Return name and unit of each number in a row of an array, in order.

        Raises:
            KeyError: There is no such array.
        """
        field = self._field(name)
        if field.axes == ("nq",):
            return [(item["name"], item["unit"]) for item in self.model["coordinates"]]
        if field.axes == ("nv",):
            per = {"rad/s": _ANGULAR, "m/s": _LINEAR}
            return [
                (item["name"], per.get(item["unit"], {}).get(name, item["unit"]))
                for item in self.model["dofs"]
            ]
        if name in {"body_position", "body_orientation"}:
            parts = ("x", "y", "z") if name == "body_position" else ("w", "x", "y", "z")
            return [(f"{body}/{part}", field.unit) for body in self.bodies for part in parts]
        if name in _PARTS:
            return [(part, field.unit) for part in _PARTS[name]]
        if field.axes == ():
            return [(name, field.unit)]
        return [(part, field.unit) for part in ("A", "B") if field.axes == (2,)] or [
            (part, field.unit) for part in ("x", "y", "z")
        ]

    # -- numbers -------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array by name, read-only: (frames, …), of contacts (contacts, …).

        Raises:
            KeyError: There is no such array; the message proposes the nearest name.
            MemoryError: It is too large to be read at once: take `between`.
            RecordingError: It is damaged.
        """
        field = self._field(name)
        if len(self._pieces) > 1 and name not in self._kept:
            self._kept[name] = frozen(self._joined(field))
        if name not in self._kept:
            _, begin, end = self._pieces[0]
            if field.per == "contact":
                first, stop = self._contact_rows()
                found = self._store.read(field, first, stop)
            else:
                found = self._store.read(field, begin, end)
            if name == "contact_end":
                found = self._checked_ends(found) - self._contact_rows()[0]
            if name == "contact_body" and found.size:
                low, high = int(found.min()), int(found.max())
                if low < 0 or high >= self._store.sizes["nbody"]:
                    raise self._store.damaged("contact_body", f"names body {low if low < 0 else high}")
            self._kept[name] = frozen(found)
        return self._kept[name]

    def _joined(self, field: fields.Field) -> np.ndarray:
        """Return an array of all stretches, one after the other.

        Raises:
            ValueError: Its rows are over bodies or coordinates, which are not the same throughout.
        """
        if field.name == "contact_body" or any(isinstance(axis, str) for axis in field.axes):
            _ = self._store  # says what to do
        found = [stretch[field.name] for stretch in self.stretches]
        if field.name == "contact_end":
            before = np.cumsum([0, *(int(ends[-1]) for ends in found)])
            found = [ends + rows for ends, rows in zip(found, before, strict=False)]
        return np.concatenate(found)

    def _field(self, name: str) -> fields.Field:
        return fields.BY_NAME[check.known(name, fields.BY_NAME, "array of the recording")]

    def _contact_rows(self) -> tuple[int, int]:
        """Return first and past-the-last row of the contacts of all frames here."""
        if self.frames == 0:
            return 0, 0
        store, first, stop = self._pieces[0]
        ends = fields.BY_NAME["contact_end"]
        found = self._checked_ends(store.read(ends, max(0, first - 1), stop))
        return (int(found[0]) if first else 0), int(found[-1])

    def _checked_ends(self, ends: np.ndarray) -> np.ndarray:
        if len(ends) and (ends[0] < 0 or ends[-1] > self._store.contacts or (np.diff(ends) < 0).any()):
            raise self._store.damaged("contact_end", "does not grow from 0 to the number of contacts")
        return ends

    @property
    def time(self) -> np.ndarray:
        """World time of each frame, (frames,) [s]."""
        return self["time"]

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy of all dynamic objects, (frames,) [J]."""
        return frozen(self["kinetic_energy"] + self["potential_energy"])

    def of(self, part: str, name: str) -> np.ndarray:
        """Return what an array of coordinates, dofs or bodies says of one object.

        Args:
            part: Name of the object.
            name: Of an array whose rows are over coordinates, dofs or bodies: "q", "v", "body_position" …

        Returns:
            (frames, …) with the numbers of this object alone; unit as in `unit`.

        Raises:
            KeyError: There is no such object or array.
            ValueError: The array is not one of objects.
        """
        field = self._field(name)
        check.known(part, self.objects, "object of the recording")
        spans = {"nq": "q", "nv": "v", "nbody": "bodies"}
        if not field.axes or field.axes[0] not in spans:
            raise ValueError(f"{name} is an array of the whole world: recording[{name!r}]")
        if len(self._pieces) > 1:
            return frozen(np.concatenate([one.of(part, name) for one in self.stretches]))
        item = self.model["objects"][self.objects.index(part)]
        first, stop = item[spans[str(field.axes[0])]]
        return self[name][:, first:stop]

    def between(self, start: float | None = None, stop: float | None = None) -> Self:
        """Return the part of the recording from `start` to `stop` [s], both included; None: to its end.

        Raises:
            ValueError: The clock was set back while it was recorded, so that times are not in order.
        """
        low = -np.inf if start is None else check.number(start, "start")
        high = np.inf if stop is None else check.number(stop, "stop")
        times = self.time
        self.check_in_order()
        first = np.searchsorted(times, low - ROUNDING, "left")
        last = np.searchsorted(times, high + ROUNDING, "right")
        return self.part(int(first), int(last))

    @property
    def restarts(self) -> tuple[int, ...]:
        """Numbers of the frames before which the clock was set back, by a reset for example."""
        return tuple(int(k) + 1 for k in np.flatnonzero(np.diff(self.time) < 0.0))

    def check_in_order(self) -> None:
        """Refuse a recording whose clock was set back in between.

        Raises:
            ValueError: It was; the message says at which frame, and how to take the frames after it.
        """
        if self.restarts:
            last = self.restarts[-1]
            raise ValueError(
                f"{self.path}: its clock was set back before frame {', '.join(map(str, self.restarts[:9]))}; "
                f"take frames between, the last ones by recording.part({last}, {self.frames})"
            )

    def part(self, first: int, stop: int) -> Self:
        """Return the frames from `first` up to `stop`, without it; numbers outside are moved to the ends.

        Raises:
            TypeError: They are no whole numbers.
        """
        low = min(check.integer(first, "first", 0), self.frames)
        high = max(low, min(check.integer(stop, "stop", 0), self.frames))
        pieces, before = [], 0
        for store, begin, end in self._pieces:
            here = [begin + min(max(k - before, 0), end - begin) for k in (low, high)]
            pieces.append((store, here[0], here[1]))
            before += end - begin
        return self._made(pieces)

    def contacts(self, frame: int) -> dict[str, np.ndarray]:
        """Return the contacts of a frame: one row each in "body", "position", "normal", "depth", "force" …

        "body" are rows of `bodies` of the stretch in which the frame is.

        Args:
            frame: Its number; negative numbers count from the end.

        Raises:
            IndexError: There is no such frame.
        """
        ends = self["contact_end"]
        if not -len(ends) <= frame < len(ends):
            raise IndexError(f"frame {frame} of {len(ends)}")
        frame %= len(ends)
        if len(self._pieces) > 1:
            for stretch in self.stretches:
                if frame < stretch.frames:
                    return stretch.contacts(frame)
                frame -= stretch.frames
        rows = slice(int(ends[frame - 1]) if frame else 0, int(ends[frame]))
        return {
            f.name.removeprefix("contact_"): self[f.name][rows]
            for f in fields.FIELDS if f.per == "contact"
        }  # fmt: skip

    @property
    def contact_frame(self) -> np.ndarray:
        """Number of the frame to which each contact belongs, (contacts,) [–]."""
        return frozen(np.repeat(np.arange(self.frames), np.diff(self["contact_end"], prepend=0)))

    # -- pictures ------------------------------------------------------------------------------
    def net_contact_force(self, part: str) -> np.ndarray:
        """Return the sum of all contact forces on an object, (frames, 3) [N], world axes.

        Contacts of an object with itself cancel. Forces are means over the last step before each frame.

        Raises:
            KeyError: There is no such object.
        """
        check.known(part, self.objects, "object of the recording")
        if len(self._pieces) > 1:
            return frozen(np.concatenate([one.net_contact_force(part) for one in self.stretches]))
        first, stop = self.model["objects"][self.objects.index(part)]["bodies"]
        is_own = (self["contact_body"] >= first) & (self["contact_body"] < stop)
        sign = is_own[:, 0].astype(float) - is_own[:, 1]
        total = np.zeros((self.frames, 3))
        np.add.at(total, self.contact_frame, sign[:, None] * self["contact_force"])
        return frozen(total)


ROUNDING = 1e-9  # [s] by which sums of time steps may miss a time that is asked for
_PARTS = {"residual": ("primal", "dual", "complementarity"), "stage_time": ("update", "advance")}
_LINEAR = {"kp": "N/m", "kd": "N s/m", "feedforward": "N", "applied_force": "N"}
_ANGULAR = {"kp": "N m/rad", "kd": "N m s/rad", "feedforward": "N m", "applied_force": "N m"}
