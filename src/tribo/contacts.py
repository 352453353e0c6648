"""Reading contacts: who touches whom, where, and with which force."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tribo.materials import PairProperties

if TYPE_CHECKING:
    from tribo.objects import Object


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """One contact point of the last step; vectors in world axes, forces on A (the opposite on B).

    A list read from an object shows that object as A, so forces act on it.
    """

    position: np.ndarray  # (3,) [m] between the two surfaces
    normal: np.ndarray  # (3,) unit, from B into A
    frame: np.ndarray  # (3, 3) rows t₁, t₂, n: frame @ vector = components in the contact frame
    depth: float  # [m] > 0: overlap where the step was evaluated
    impulse: np.ndarray  # (3,) [N s] on A during the step
    force: np.ndarray  # (3,) [N] impulse/dt
    torque_impulse: np.ndarray  # (3,) [N m s] of rolling and spinning friction, on A
    object_a: Object
    object_b: Object
    body_a: str  # collision body, "LINK/0"
    body_b: str
    materials: tuple[str, str]
    pair: PairProperties
    is_a: bool = True  # False: this object is B in the engine's own order

    def seen_from_b(self) -> Contact:
        """Return the same contact with the two objects exchanged."""
        return replace(
            self,
            normal=-self.normal,
            frame=np.stack([self.frame[0], -self.frame[1], -self.frame[2]]),
            impulse=-self.impulse,
            force=-self.force,
            torque_impulse=-self.torque_impulse,
            object_a=self.object_b,
            object_b=self.object_a,
            body_a=self.body_b,
            body_b=self.body_a,
            materials=(self.materials[1], self.materials[0]),
            is_a=not self.is_a,
        )
