"""A scene in tribo: stepping and truth."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scenes import Scene, Truth, digest, tribo_world

from tribo import step
from tribo.compiler.jit import script
from tribo.model import Shape


@script
def _drive(model: Any, state: Any, command: Any, settings: Any, work: Any, targets: Any) -> int:
    """Step with a new row of targets each time, without Python in between; return the steps made."""
    for k in range(targets.shape[0]):
        for i in range(targets.shape[1]):
            command.target_q[i] = targets[k, i]
        if step.run(model, state, command, settings, work, 1) != 1:
            return k
    return int(targets.shape[0])


class TriboSimulation:
    """A scene in tribo."""

    def __init__(self, scene: Scene) -> None:
        """Build it and let it settle."""
        self.scene = scene
        self.world, self.robot = tribo_world(scene)
        self.world.step(scene.settle)
        self.start = self.world.snapshot()

    @cached_property
    def targets(self) -> np.ndarray:
        """Full target coordinates, one row per step."""
        rows = np.repeat(self.robot.pd_target[None], self.scene.steps, axis=0)
        for name, column in zip(self.scene.joints, self.scene.targets().T, strict=True):
            rows[:, self.robot.coordinate_slice(name)] = column[:, None]
        return np.ascontiguousarray(rows)

    def reset(self) -> None:
        """Go back to the state in which timing starts."""
        self.world.restore(self.start)

    def run(self, steps: int) -> None:
        """Advance with one public call per step and the public setter for each command."""
        advance = self.world.step
        if not self.scene.is_driven:
            for _ in range(steps):
                advance()
            return
        robot = self.robot
        for row in self.targets[:steps]:
            robot.pd_target = row
            advance()

    def run_view(self, steps: int) -> None:
        """Advance with one public call per step and commands written into the engine's own array."""
        self.world.step(0)
        advance, target = self.world.step, self.robot._target_q  # noqa: SLF001 - what a faster setter could save
        for row in self.targets[:steps]:
            target[:] = row
            advance()

    def run_native(self, steps: int) -> None:
        """Advance in one call."""
        if not self.scene.is_driven:
            self.world.step(steps)
            return
        e = self.world.engine
        made = _drive(e.model, e.state, e.command, e.settings, e.work, self.targets[:steps])
        if made != steps:
            raise RuntimeError(f"stopped after {made} of {steps} steps, status {self.world.status!r}")

    def truth(self) -> Truth:
        """Measure how right the result is."""
        self.reset()
        scene = self.scene
        kind = _stand if scene.is_driven else _spheres if scene.spheres is not None else _motion
        return kind(self)


def _feet(sim: TriboSimulation) -> np.ndarray:
    """Return the centres of the foot spheres at the present state, shape (n, 3) [m]."""
    work, model = sim.world.engine.observe(), sim.world.engine.model
    rows = np.flatnonzero(model.shape_kind == Shape.SPHERE)
    bodies = model.shape_body[rows]
    turned = np.einsum("nij,nj->ni", work.body_rot[bodies].reshape(-1, 3, 3), model.shape_pos[rows])
    return np.asarray(work.body_pos[bodies] + turned)


def _stand(sim: TriboSimulation) -> Truth:
    """Noisy steps, then quiet ones in which forces and slip are read."""
    world, robot, scene = sim.world, sim.robot, sim.scene
    radius = world.engine.model.shape_size[world.engine.model.shape_kind == Shape.SPHERE, 0]
    deepest = residual = 0.0
    sweeps = []
    nominal = robot.pd_target.copy()
    for row in sim.targets[: scene.truth_steps]:
        robot.pd_target = row
        world.step()
        deepest = max(deepest, float((radius - _feet(sim)[:, 2]).max()))
        residual = max(residual, *world.residual)
        sweeps.append(world.sweeps)
    noisy = digest(world.engine.state.q)
    robot.pd_target = nominal
    world.step(6000)
    before = _feet(sim)
    world.step(500)
    slip = float(np.linalg.norm((_feet(sim) - before)[:, :2], axis=1).mean()) / (500 * world.time_step)
    force = sum(c.force[2] for c in world.contacts_of(robot))
    weight = -sum(b.mass for b in robot.description.bodies) * world.gravity[2]
    base = robot.frame_orientation(robot.body_names[0])
    return {
        "base_z": float(robot.generalized_coordinate[2]), "upright": float(base[2, 2]),
        "deepest": deepest, "slip": slip, "force/weight - 1": float(force / weight - 1),
        "residual": float(residual), "sweeps": float(np.mean(sweeps)), "hash": noisy,
    }  # fmt: skip


def _spheres(sim: TriboSimulation) -> Truth:
    """Overlaps of the spheres with each other and the ground."""
    total = deepest = residual = 0.0
    balls = [p for p in sim.world.objects if p.name.startswith("sphere")]
    for _ in range(sim.scene.truth_steps):
        sim.world.step()
        found = overlaps(np.array([b.position for b in balls]), sim.scene)
        total += float((found**2).sum())
        deepest = max(deepest, float(found.max(initial=0.0)))
        residual = max(residual, *sim.world.residual)
    return {
        "overlap²": total / sim.scene.truth_steps, "deepest": deepest, "residual": float(residual),
        "hash": digest(sim.world.engine.state.q),
    }  # fmt: skip


def overlaps(centres: np.ndarray, scene: Scene) -> np.ndarray:
    """Return all overlaps > 0 [m] of equal spheres with each other and the plane z = 0."""
    first, second = np.triu_indices(len(centres), 1)
    gaps = np.linalg.norm(centres[first] - centres[second], axis=1) - 2 * scene.radius
    ground = centres[:, 2] - scene.radius if scene.has_ground else np.empty(0)
    depth = -np.concatenate([gaps, ground])
    return np.asarray(depth[depth > 0.0])


def _motion(sim: TriboSimulation) -> Truth:
    """Energy and momentum over the run."""
    world = sim.world

    def read() -> np.ndarray:
        return np.array([world.energy, world.kinetic_energy, *world.linear_momentum,
                         *world.angular_momentum])  # fmt: skip

    rows = [read()]
    for _ in range(sim.scene.truth_steps):
        world.step()
        rows.append(read())
    return motion_truth(np.array(rows), sim.scene) | {"hash": digest(world.engine.state.q)}


def motion_truth(rows: np.ndarray, scene: Scene) -> Truth:
    """Turn rows of energy, kinetic energy, p, L into relative errors."""
    found: Truth = {"energy_error": float(np.abs(rows[:, 0] - rows[0, 0]).max() / rows[:, 1].max())}
    if not any(scene.gravity):
        for name, part in (("momentum_error", rows[:, 2:5]), ("spin_error", rows[:, 5:8])):
            size = np.linalg.norm(part[0])
            found[name] = float(np.linalg.norm(part - part[0], axis=1).max() / size)
    return found
