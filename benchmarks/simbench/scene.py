"""What a scene is: plain data that every engine understands and that travels as JSON.

Only NumPy is needed here and in the families, because peers run in environments of their own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

Vector = tuple[float, ...]
Figures = dict[str, float]
UP = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Body:
    """A loose body: "sphere" (radius,) or "box" (full edge lengths), origin at its centre of mass."""

    kind: str
    size: Vector  # [m]
    mass: float  # [kg]
    position: Vector  # [m]
    orientation: Vector = UP  # quaternion (w, x, y, z)
    velocity: Vector = (0.0, 0.0, 0.0)  # [m/s]
    material: str = "default"
    force: Vector = ()  # [N] acts at the centre of mass in every step


@dataclass(frozen=True)
class Robots:
    """One or more copies of a robot."""

    urdf: str  # text, links behind fixed joints merged, no meshes
    positions: tuple[Vector, ...]  # [m] of the bases
    joints: dict[str, float]  # name → angle [rad]
    kp: Vector = ()  # [N m/rad] one per joint, in the order of `joints`; empty: joints are free
    kd: Vector = ()  # [N m s/rad]
    lift: float = 0.0  # [N] upwards at the centre of mass of the base …
    lift_steps: int = 0  # … in the first steps


@dataclass(frozen=True)
class Goal:
    """What tribo is to reach in one mode."""

    mode: str  # of tribo
    error: float  # at most
    figure: str = "error"


@dataclass(frozen=True)
class Speed:
    """How much faster than a peer tribo is to be."""

    engine: str  # in all its modes
    factor: float
    figure: str = ""  # and this figure of tribo is not larger than the peer's


@dataclass(frozen=True)
class Scene:
    """One row of the benchmark."""

    name: str
    family: str  # module of `simbench` that knows the error
    text: str
    steps: int
    modes: dict[str, tuple[str, ...]]  # engine → its settings, explained in `engines`
    time_step: float = 1e-3  # [s]
    gravity: Vector = (0.0, 0.0, -9.81)  # [m/s²]
    ground: str = ""  # material, empty: no ground
    bodies: tuple[Body, ...] = ()
    robots: Robots | None = None
    friction: float = 0.8  # of every pair that is not in `pairs`
    pairs: dict[str, float] = field(default_factory=dict)  # "material material" → friction
    restitution: float = 0.0  # of every pair
    restitution_threshold: float = 0.0  # [m/s]
    erp: float | None = None  # None: the engine's own
    watch_every: int = 1  # steps between two looks
    settle: int = 0  # steps before timing starts, if timed on its own
    timed_steps: int = 0  # > 0: timed on its own, so many steps in a round
    goals: tuple[Goal, ...] = ()
    speeds: tuple[Speed, ...] = ()
    published: str = ""  # the figures of 2018

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def from_dict(data: dict[str, Any]) -> Scene:
    """Return the scene of plain data."""
    made = dict(data)
    made["bodies"] = tuple(Body(**body) for body in data["bodies"])
    made["robots"] = Robots(**data["robots"]) if data["robots"] else None
    made["goals"] = tuple(Goal(**goal) for goal in data["goals"])
    made["speeds"] = tuple(Speed(**speed) for speed in data["speeds"])
    return Scene(**made)


class Simulation(Protocol):
    """A scene in one engine."""

    def run(self, steps: int) -> None:
        """Advance, with the scene's forces and control."""

    def positions(self) -> np.ndarray:
        """Return centres of mass of the loose bodies (n, 3) [m]."""

    def orientations(self) -> np.ndarray:
        """Return quaternions (w, x, y, z) of the loose bodies (n, 4)."""

    def velocities(self) -> np.ndarray:
        """Return velocities of the centres of mass of the loose bodies (n, 3) [m/s]."""

    def bases(self) -> np.ndarray:
        """Return position and quaternion (w, x, y, z) of the base of each robot (n, 7)."""

    def energy(self) -> float:
        """Return kinetic and potential energy of everything [J]."""

    def momentum(self) -> np.ndarray:
        """Return linear momentum of everything (3,) [kg m/s]."""

    def note(self) -> None:
        """Take down what the engine says of its last step."""

    def notes(self) -> Figures:
        """Return what was taken down."""


class Watch(Protocol):
    """Looks at a simulation and knows its error; each family has one."""

    def see(self, sim: Simulation, step: int) -> str:
        """Look at the state after a step; return why it makes no sense to go on, or nothing."""

    def figures(self) -> Figures:
        """Return "error" and what else was seen."""


def ball_energy(scene: Scene, sim: Simulation) -> float:
    """Return kinetic and potential energy [J] of balls that do not spin."""
    mass = np.array([body.mass for body in scene.bodies])
    fall = -sim.positions() @ np.array(scene.gravity)
    return float(mass @ (fall + 0.5 * (sim.velocities() ** 2).sum(axis=1)))
