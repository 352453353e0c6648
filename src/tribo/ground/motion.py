"""Result of a simulation: times, states, forces, contact states, events, and all between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tribo.ground.events import Event
from tribo.ground.system import System


@dataclass(frozen=True, slots=True)
class Piece:
    """A step of the integrator and what lies within it."""

    start: float  # [s]
    end: float
    look: Callable[[Any], np.ndarray]  # y at a time, columns for several
    states: np.ndarray  # (n,) of the points


class Motion:
    """A simulated motion: arrays whose first axis is time; points are the last axis.

    `time` [s] holds the ends of the integrator's steps and all events; the state of an event's row is
    the one after it. `at` gives the motion at any other times.
    """

    def __init__(
        self, system: System, time: np.ndarray, y: np.ndarray, contact: np.ndarray,
        events: tuple[Event, ...], pieces: tuple[Piece, ...],
    ) -> None:  # fmt: skip
        """Use `tribo.ground.simulate`."""
        self.system, self.events, self._pieces = system, events, pieces
        self.time, self.y, self.contact = time, y, contact
        self._ends = np.array([piece.end for piece in pieces])

    @property
    def model(self) -> Any:
        """The model that moved."""
        return self.system.model

    @property
    def ground(self) -> Any:
        """The ground that it moved on."""
        return self.system.ground

    @property
    def xfb(self) -> np.ndarray:
        """States of a floating base, (k, 13); (k, 0) with a fixed one."""
        return self.y[:, : 13 * self.system.floats]

    @property
    def q(self) -> np.ndarray:
        """Joint variables (k, joints) [rad, m]."""
        first = 13 * self.system.floats
        return self.y[:, first : first + self.system.joints]

    @property
    def qd(self) -> np.ndarray:
        """Rates of the joint variables (k, joints)."""
        first = 13 * self.system.floats + self.system.joints
        return self.y[:, first : first + self.system.joints]

    @property
    def u(self) -> np.ndarray:
        """Tangential deformation of the ground, (k, 2, n) or planar (k, 1, n) [m]."""
        s = self.system
        flat = self.y[:, s.first_u : -1].reshape(len(self.y), s.points, s.tangents)
        return np.swapaxes(flat, 1, 2)

    @property
    def work(self) -> np.ndarray:
        """Work that the ground has taken up, stored or dissipated, since the start (k,) [J]."""
        return self.y[:, -1]

    @cached_property
    def _observed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.system.observe(self.y, np.ascontiguousarray(self.contact))

    @property
    def position(self) -> np.ndarray:
        """Positions of the contact points, (k, 3, n) or planar (k, 2, n) [m]."""
        return self._observed[0]

    @property
    def velocity(self) -> np.ndarray:
        """Velocities of the contact points, (k, 3, n) or (k, 2, n) [m/s]."""
        return self._observed[1]

    @property
    def force(self) -> np.ndarray:
        """Forces of the ground on the points, (k, 3, n) or (k, 2, n) [N]."""
        return self._observed[2]

    @property
    def depth(self) -> np.ndarray:
        """Depth of the ground's normal deformation, (k, n) [m]; 0 without contact."""
        return np.where(self.contact != 0, np.maximum(0.0, -self.position[:, -1]), 0.0)

    @cached_property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy of the bodies, (k, 2) [J].

        Their sum and `work` are constant as long as no joint is driven: what the ground takes up is
        gone from the bodies. Part of `work` is stored in its springs, see `Ground.stored_energy`.
        """
        return self.system.energies(self.y)

    def at(self, times: Any) -> Motion:
        """Return the motion at other times, from the integrator's own interpolants.

        Raises:
            ValueError: A time lies outside the motion.

        Example:
            >>> import numpy as np
            >>> from tribo.ground import Ground, simulate
            >>> from tribo.spatial import rollingdisc
            >>> disc = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            >>> motion = simulate(rollingdisc(16), Ground(1e6, 2e3), 0.2, xfb=disc)
            >>> motion.at(np.linspace(0.0, 0.2, 3)).xfb[:, 6].round(6).tolist()
            [1.0, 0.95095, 0.8038]
        """
        times = np.atleast_1d(np.asarray(times, float))
        if times.ndim != 1 or not np.isfinite(times).all():
            raise ValueError(f"times must be a list of finite numbers, got {times!r}")
        first, last = float(self.time[0]), float(self.time[-1])
        slack = 1e-12 * max(abs(first), abs(last))  # the sum of many steps is not exact
        if times.size and (times.min() < first - slack or times.max() > last + slack):
            raise ValueError(
                f"times must lie within {first!r}…{last!r} s, got "
                f"{float(times.min())!r}…{float(times.max())!r}"
            )
        times = times.clip(first, last)
        y = np.empty((len(times), self.y.shape[1]))
        contact = np.empty((len(times), self.contact.shape[1]), self.contact.dtype)
        which = np.searchsorted(self._ends, times, side="left").clip(0, len(self._pieces) - 1)
        for k in np.unique(which):
            mine = which == k
            y[mine] = self._pieces[k].look(times[mine]).T
            contact[mine] = self._pieces[k].states
        return Motion(self.system, times, y, contact, self.events, self._pieces)
