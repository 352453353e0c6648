"""The compliant ground: its three numbers, and the law to be read in NumPy.

`tribo.spatial.gcontact` gives forces and rates. Here stands what the law says about *states*: each point
is in exactly one of three. Compiled twins are in `tribo.ground_kernels.law`; tests hold them equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.model import ContactState
from tribo.spatial import gcontact


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A compliant ground: the plane z = 0, in two dimensions the line y = 0.

    The numbers describe all that gives way between bodies and ground, soles of feet included.

    Args:
        K: Stiffness of a point [N/m^1.5] > 0; see `stiffness_for`.
        D: Damping of a point [N s/m^1.5] > 0; the unloaded ground recovers as exp(−K t/D).
        mu: Friction coefficient ≥ 0.

    Each is a number, or an array with an entry per contact point: sets of points may differ.

    Example:
        >>> Ground(K=1e6, D=2000.0, mu=0.5).recovery_time
        0.002
    """

    K: Any
    D: Any
    mu: Any = 0.5

    def __post_init__(self) -> None:
        """Refuse numbers for which there is no law."""
        for name, least in (("K", "> 0"), ("D", "> 0"), ("mu", "≥ 0")):
            try:
                value = np.asarray(getattr(self, name), float)
            except (TypeError, ValueError):
                value = np.full(1, np.nan)
            fits = value > 0.0 if least == "> 0" else value >= 0.0
            if value.ndim > 1 or not value.size or not np.isfinite(value).all() or not fits.all():
                raise ValueError(
                    f"{name} of a ground must be {least}, a finite number or one per point, got "
                    f"{getattr(self, name)!r}"
                ) from None

    @property
    def recovery_time(self) -> float:
        """Longest time constant D/K of the unloaded ground [s]."""
        return float(np.max(np.asarray(self.D, float) / np.asarray(self.K, float)))

    def numbers(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return K, D and mu of `count` points.

        Raises:
            ValueError: An array has another length.
        """
        made = []
        for name in ("K", "D", "mu"):
            value = np.asarray(getattr(self, name), float)
            if value.ndim == 1 and len(value) != count:
                raise ValueError(f"{name} of the ground has {len(value)} numbers for {count} contact points")
            made.append(np.broadcast_to(value, (count,)).copy())
        return made[0], made[1], made[2]

    def forces(self, p: Any, pd: Any, u: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return forces, rates of u and `fcone`, as `tribo.spatial.gcontact`; mu = 0 is not special."""
        count = np.shape(p)[1]
        K, D, mu = self.numbers(count)
        f, ud, fcone = gcontact(K, D, mu, p, pd, u)
        return f, ud, fcone

    def states(self, p: Any, pd: Any, u: Any) -> np.ndarray:
        """Return the `ContactState` of each point, (n,) integers; arguments as in `gcontact`."""
        f, _, fcone = self.forces(p, pd, u)
        held = np.where(fcone <= 1.0, ContactState.STICKING, ContactState.SLIPPING)
        return np.asarray(np.where(f[-1] > 0.0, held, ContactState.LIFTED))

    def margins(self, states: Any, p: Any, pd: Any, u: Any) -> np.ndarray:
        """Return how far each point is from leaving a state, (n,) [N/√m]; negative: it has left it.

        With the pressure n = −K z − D zd and the trial friction t = K u + D vt, both free of √depth: a
        lifted point lands when z < 0 and n > 0; a touching one lifts off when n ≤ 0; it sticks while
        ‖t‖ ≤ mu n. None of them is singular at the surface.
        """
        p, pd, u = (np.asarray(a, float) for a in (p, pd, u))
        K, D, mu = self.numbers(p.shape[1])
        n = -K * p[-1] - D * pd[-1]
        touch = np.minimum(-K * p[-1], n)
        t = np.sqrt(((K * u + D * pd[:-1]) ** 2).sum(axis=0))
        reserve = mu * n - t
        sticking = np.minimum(touch, reserve)
        slipping = np.minimum(touch, -reserve)
        touching = np.where(np.equal(states, ContactState.STICKING), sticking, slipping)
        return np.asarray(np.where(np.equal(states, ContactState.LIFTED), -touch, touching))

    def stored_energy(self, p: Any) -> np.ndarray:
        """Return the energy in the normal springs, 2/5 K d^{5/2} of each point (n,) [J].

        Of a point that has lost contact below the surface it is what the ground will lose on its own.
        """
        depth = np.maximum(0.0, -np.asarray(p, float)[-1])
        K, _, _ = self.numbers(len(depth))
        return np.asarray(0.4 * K * depth**2.5)
