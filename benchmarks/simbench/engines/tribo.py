"""A scene in tribo."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

import tribo
from simbench.scene import Body, Figures, Scene
from tribo.model import Status

SETTINGS = {
    "default": "standard settings (docs/reference/settings)",
    "semi_implicit": 'as default with integrator = "semi_implicit"',
    "rk4": 'as default with integrator = "rk4"',
    "propagate": 'as default with impact = "propagate"',
    "sweeps": 'as default with contact_solver = "sweeps" and max_sweeps = 10',
    "own drive": "standard settings; PD by the engine's implicit drives, all steps in one call",
}
INTEGRATORS = ("semi_implicit", "rk4")


def version() -> str:
    return str(tribo.__version__)


class Engine:
    """A scene in tribo."""

    def __init__(self, scene: Scene, mode: str) -> None:
        """Build it."""
        logging.getLogger("tribo").setLevel(logging.ERROR)  # `notes` counts what it would say
        tribo.warm_up(everything=True, quiet=True)  # compiling is no part of a step
        self.scene = scene
        self.world = world = tribo.World(time_step=scene.time_step, gravity=scene.gravity)
        if mode in INTEGRATORS:
            world.integrator = mode
        if mode == "propagate":
            world.impact = mode
        if mode == "sweeps":
            world.contact_solver = mode
            world.max_sweeps = 10
        if scene.erp is not None:
            world.erp = scene.erp
        law = {"restitution": scene.restitution, "restitution_threshold": scene.restitution_threshold}
        world.default_pair = tribo.PairProperties(friction=scene.friction, **law)
        for names, friction in scene.pairs.items():
            world.set_material_pair(*names.split(), friction=friction, **law)
        if scene.ground:
            world.add_ground(material=scene.ground)
        self.bodies = [self._add(body) for body in scene.bodies]
        self.pushed = [
            (b, np.array(d.force)) for b, d in zip(self.bodies, scene.bodies, strict=True) if d.force
        ]
        self.robots: list[Any] = []
        self.is_own_drive = mode == "own drive"
        if scene.robots:
            self._add_robots()
        world.step(0)  # compiles, or loads what was compiled before
        self.steps = 0
        self.seen: dict[str, list[float]] = {"residual": [], "sweeps": [], "contacts": []}
        self.flagged = 0

    def _add(self, body: Body) -> Any:
        options = {"position": body.position, "orientation": body.orientation,
                   "linear_velocity": body.velocity}  # fmt: skip
        if body.kind == "sphere":
            return self.world.add_sphere(body.size[0], body.mass, body.material, **options)
        return self.world.add_box(body.size, body.mass, body.material, **options)

    def _add_robots(self) -> None:
        described = self.scene.robots
        assert described is not None
        kp, kd = (np.array(g) for g in (described.kp, described.kd))
        for place in described.positions:
            robot = self.world.add_articulated_system(described.urdf, position=place, collision_mask=0)
            q = robot.generalized_coordinate
            for name, angle in described.joints.items():
                q[robot.coordinate_slice(name)] = angle
            robot.generalized_coordinate = q
            self.robots.append(robot)
        if not len(kp):
            return
        robot = self.robots[0]
        full = np.zeros((2, robot.dof))
        rows = [robot.velocity_slice(name).start for name in described.joints]
        full[:, rows] = kp, kd
        engine = self.world.engine
        if self.is_own_drive:
            for robot in self.robots:
                robot.set_pd_gains(*full)
                robot.pd_target = robot.generalized_coordinate
            return
        columns = [robot.coordinate_slice(name).start for name in described.joints]
        self._q = np.concatenate([r.span.q.start + np.array(columns) for r in self.robots])
        self._v = np.concatenate([r.span.v.start + np.array(rows) for r in self.robots])
        self._kp, self._kd = (np.tile(g, len(self.robots)) for g in (kp, kd))
        self._target = engine.state.q[self._q]

    def run(self, steps: int) -> None:
        """Advance; control from outside is written into the engine's own array."""
        robots = self.scene.robots
        if robots and robots.kp and not self.is_own_drive:
            self._run_controlled(steps)
        elif self.pushed or (robots and self.steps < robots.lift_steps):
            self._run_pushed(steps)
        else:
            self.world.step(steps)
        self.steps += steps

    def _run_controlled(self, steps: int) -> None:
        engine, advance = self.world.engine, self.world.step
        q, v, tau = engine.state.q, engine.state.v, engine.command.tau
        for _ in range(steps):
            tau[self._v] = self._kp * (self._target - q[self._q]) - self._kd * v[self._v]
            advance()

    def _run_pushed(self, steps: int) -> None:
        robots = self.scene.robots
        for k in range(self.steps, self.steps + steps):
            for body, force in self.pushed:
                body.apply_force(force)
            if robots and k < robots.lift_steps:
                for robot in self.robots:
                    robot.apply_force(robot.body_names[0], (0.0, 0.0, robots.lift))
            self.world.step()

    def positions(self) -> np.ndarray:
        """Return centres of mass of the loose bodies."""
        return np.array([b.position for b in self.bodies]).reshape(-1, 3)

    def orientations(self) -> np.ndarray:
        """Return quaternions of the loose bodies."""
        return np.array([b.orientation for b in self.bodies]).reshape(-1, 4)

    def velocities(self) -> np.ndarray:
        """Return velocities of the loose bodies."""
        return np.array([b.linear_velocity for b in self.bodies]).reshape(-1, 3)

    def bases(self) -> np.ndarray:
        """Return poses of the bases."""
        return np.array([robot.generalized_coordinate[:7] for robot in self.robots])

    def energy(self) -> float:
        """Return the energy."""
        return self.world.energy

    def momentum(self) -> np.ndarray:
        """Return the momentum."""
        return self.world.linear_momentum

    def note(self) -> None:
        """Take down residual, sweeps, contacts and status."""
        self.seen["residual"].append(float(max(self.world.residual)))
        self.seen["sweeps"].append(float(self.world.sweeps))
        self.seen["contacts"].append(float(self.world.engine.work.contact_count[0]))
        self.flagged += bool(self.world.status & Status.NOT_CONVERGED)

    def notes(self) -> Figures:
        """Return what was taken down."""
        looks = len(self.seen["residual"])
        if not looks:
            return {}
        return {"residual": max(self.seen["residual"]), "sweeps": float(np.mean(self.seen["sweeps"])),
                "contacts": float(np.mean(self.seen["contacts"])),
                "flagged": self.flagged / looks}  # fmt: skip
