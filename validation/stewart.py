"""A Stewart platform: six telescopic legs, each pinned to the ground and to the platform; five loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import play_tribo
from parts import link
from stage import Scene

from tribo.description.trees import BodyDescription, JointDescription, TreeDescription
from tribo.model import Joint

HEIGHT, BASE, TOP = 1.0, 0.6, 0.4  # [m] of the platform at rest, radii of the two hexagons
LIFT, TILT = 0.1, 0.2  # [m, rad] of the path


def corners(radius: float, offset: float) -> np.ndarray:
    """Return six points (6, 3) of a level hexagon whose corners lie in three pairs."""
    angles = [2 * np.pi / 3 * k + side * offset for k in range(3) for side in (-1, 1)]
    return np.array([(radius * np.cos(a), radius * np.sin(a), 0.0) for a in angles])


def turn(angle: float) -> np.ndarray:
    """Return a rotation (3, 3) about x + y by an angle."""
    x, y = np.sqrt(0.5), np.sqrt(0.5)
    k = np.array([(0, 0, y), (0, 0, -x), (-y, x, 0)])
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k)


class Platform:
    """The platform with its legs; twelve pins hold them."""

    def __init__(self, dt: float, *, leg_mass: float = 0.5) -> None:
        """Build it at rest, level."""
        self.world, _, _ = play_tribo.build(Scene(planes=[], dt=dt))
        self.mass = 10.0
        self.below, self.above = corners(BASE, 0.3), corners(TOP, np.pi / 3 - 0.3)
        self.plate = self.world.add_cylinder(TOP, 0.05, self.mass, position=(0, 0, HEIGHT), collision_mask=0)
        self.legs: list[Any] = []
        self.pins: list[Any] = []
        heads = self.above + np.array([0.0, 0.0, HEIGHT])
        for foot, head in zip(self.below, heads, strict=True):
            self._add_leg(foot, head, leg_mass)
        self.targets(0.0, 0.0)

    def _add_leg(self, foot: np.ndarray, head: np.ndarray, mass: float) -> None:
        length = float(np.linalg.norm(head - foot))
        z = (head - foot) / length
        half = np.array([1.0 + z[2], -z[1], z[0], 0.0])  # from vertical to z
        inertia = (mass * 0.02, mass * 0.02, mass * 1e-3)
        root = JointDescription("root", Joint.FREE)
        tube = BodyDescription("tube", -1, root, mass, (0.0, 0.0, 0.2), np.diag(inertia))
        rod = link("rod", 0, Joint.PRISMATIC, mass, axis=(0.0, 0.0, 1.0), com=(0.0, 0.0, -0.2),
                   inertia=inertia)  # fmt: skip
        leg = self.world.add_articulated_system(TreeDescription([tube, rod]), collision_mask=0)
        leg.generalized_coordinate = [*foot, *(half / np.linalg.norm(half)), length]
        leg.set_pd_gains(kp=[0.0] * 6 + [1e6], kd=[0.0] * 6 + [2e3])
        self.pins.append(self.world.add_pin(None, leg.link("tube"), position=foot))
        self.pins.append(self.world.add_pin(leg.link("rod"), self.plate, position=head))
        self.legs.append(leg)

    def path(self, angle: float) -> tuple[np.ndarray, np.ndarray]:
        """Return centre and rotation of the platform at a phase; at 0 it rests level."""
        part = 1.0 - np.cos(angle)
        return np.array([0.0, 0.5 * LIFT * part, HEIGHT + LIFT * part]), turn(TILT * part)

    def lengths(self, angle: float) -> np.ndarray:
        """Return the lengths of the legs (6,) [m] that the path needs."""
        centre, rotation = self.path(angle)
        heads = centre + self.above @ rotation.T
        return np.asarray(np.linalg.norm(heads - self.below, axis=1))

    def targets(self, angle: float, speed: float) -> None:
        """Tell the drives where to be at a phase, and how fast."""
        step = 1e-6
        now = self.lengths(angle)
        rate = speed * (self.lengths(angle + step) - self.lengths(angle - step)) / (2 * step)
        for leg, length, v in zip(self.legs, now, rate, strict=True):
            leg.pd_target = [*leg.generalized_coordinate[:7], length]
            leg.pd_velocity_target = [0.0] * 6 + [v]

    def gap(self) -> float:
        """Return the largest gap of a pin [m]."""
        return max(float(np.abs(pin.gap).max()) for pin in self.pins)

    def play(self, seconds: float, speed: float) -> tuple[float, float]:
        """Drive along the path; return the largest gap and distance from the path [m]."""
        gap, error = 0.0, 0.0
        dt = self.world.time_step
        for k in range(round(seconds / dt)):
            self.targets(speed * dt * (k + 1), speed)
            self.world.step()
            gap = max(gap, self.gap())
            centre, _ = self.path(speed * dt * (k + 1))
            error = max(error, float(np.linalg.norm(self.plate.position - centre)))
        return gap, error

    def statics(self) -> np.ndarray:
        """Return the forces (6,) [N] with which the legs push at the present pose."""
        heads = self.plate.position + self.above @ self.plate.rotation_matrix.T
        lines = heads - self.below
        lines /= np.linalg.norm(lines, axis=1)[:, None]
        arms = heads - self.plate.position
        wrenches = np.vstack([lines.T, np.cross(arms, lines).T])
        weight = -self.mass * np.append(self.world.gravity, (0, 0, 0))
        return np.asarray(np.linalg.solve(wrenches, weight))

    def forces(self) -> np.ndarray:
        """Return the forces (6,) [N] of the drives in the last step."""
        return np.array([leg.applied_torque[6] for leg in self.legs])
