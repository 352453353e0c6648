"""Plans of controls for the worlds of a batch, cut into slices that take little time each."""

from __future__ import annotations

import numpy as np

from tribo.batch_kernels.records import Course


class Plan:
    """Controls over a horizon, each held for some steps, and the resulting states.

    A slice is a `Course` of its own: some controls, or part of the steps of one. The motion of the worlds is
    the same, bit for bit: writing a control again changes nothing if nothing else writes commands, and if a
    policy does, only the first part of a control is written.

    Args:
        course: The whole plan; q and v are filled slice by slice.
        is_kept: Whether the commands of a control stay while it is held; False: a policy writes others.
    """

    def __init__(self, course: Course, *, is_kept: bool) -> None:
        self.course, self._is_kept = course, is_kept
        self._every = int(course.arrays["every"].flat[0])

    def steps_of_slice(self, done: int, wanted: int) -> int:
        """Return the number of steps of a slice: whole controls, or part of one."""
        within = done % self._every
        if within or wanted < self._every:
            return min(wanted, self._every - within)
        return wanted - wanted % self._every

    def slice_of(self, done: int, steps: int) -> Course:
        """Return the course of the steps after the first `done`; its states are rows of the plan's."""
        whole, every = self.course.arrays, min(self._every, steps)
        first = done // self._every
        rows = slice(first, first + steps // every)
        chosen = slice(0, 0) if done % self._every and not self._is_kept else slice(None)
        arrays = {name: np.ascontiguousarray(whole[name][:, chosen]) for name in ("kind", "place")}
        return Course.wrap(arrays | {
            "every": np.full_like(whole["every"], every),
            "control": np.ascontiguousarray(whole["control"][:, rows, chosen]),
            "q": whole["q"][:, rows],
            "v": whole["v"][:, rows],
        })  # fmt: skip

    def end(self, undone: np.ndarray) -> None:
        """Write NaN where worlds did not reach the end of a control."""
        horizon = self.course.arrays["q"].shape[1]
        for world in np.flatnonzero(undone):
            reached = (horizon * self._every - int(undone[world])) // self._every
            for name in ("q", "v"):
                self.course.arrays[name][world, reached:] = np.nan
