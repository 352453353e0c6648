"""A scene of loose bodies in PhysX 5 on the processor, through SAPIEN."""

from __future__ import annotations

from importlib import metadata

import numpy as np
import sapien
from sapien import physx

from simbench.scene import Body, Figures, Scene

SETTINGS = {
    "tgs": "SAPIEN's defaults: TGS, 10 position and 1 velocity iterations, friction in every iteration, PCM, "
    "contact offset 10 mm; sleeping off, no damping, single precision"
}


def version() -> str:
    return metadata.version("sapien")


class Engine:
    """A scene in PhysX."""

    def __init__(self, scene: Scene, mode: str) -> None:
        """Build it."""
        if mode != "tgs" or scene.robots or scene.pairs:
            raise ValueError(f"{scene.name}: only loose bodies of one material, mode tgs")
        threshold = max(scene.restitution_threshold, 1e-3)
        physx.set_scene_config(gravity=np.array(scene.gravity, np.float32), bounce_threshold=threshold)
        physx.set_body_config(sleep_threshold=0.0)
        self.system = physx.PhysxCpuSystem()
        self.scene = sapien.Scene([self.system])
        self.system.timestep = scene.time_step
        self.material = physx.PhysxMaterial(scene.friction, scene.friction, scene.restitution)
        if scene.ground:
            plane = physx.PhysxRigidStaticComponent()
            shape = physx.PhysxCollisionShapePlane(self.material)
            shape.local_pose = sapien.Pose(q=[np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0])  # x is up there
            plane.attach(shape)
            self._place(plane, sapien.Pose())
        self.bodies = [self._add(body) for body in scene.bodies]

    def _place(self, component: physx.PhysxRigidBaseComponent, pose: sapien.Pose) -> None:
        entity = sapien.Entity()
        entity.add_component(component)
        entity.set_pose(pose)
        self.scene.add_entity(entity)

    def _add(self, body: Body) -> physx.PhysxRigidDynamicComponent:
        made = physx.PhysxRigidDynamicComponent()
        size = np.array(body.size)
        if body.kind == "sphere":
            shape = physx.PhysxCollisionShapeSphere(body.size[0], self.material)
            inertia = np.full(3, 0.4 * body.mass * body.size[0] ** 2)
        else:
            shape = physx.PhysxCollisionShapeBox(size / 2, self.material)
            inertia = body.mass / 12.0 * ((size**2).sum() - size**2)
        made.attach(shape)
        made.mass, made.inertia = body.mass, inertia
        made.linear_damping = made.angular_damping = 0.0
        self._place(made, sapien.Pose(body.position, body.orientation))
        made.linear_velocity = np.array(body.velocity)
        return made

    def run(self, steps: int) -> None:
        """Advance."""
        for _ in range(steps):
            self.system.step()

    def positions(self) -> np.ndarray:
        """Return centres of mass of the bodies."""
        return np.array([b.pose.p for b in self.bodies], float)

    def orientations(self) -> np.ndarray:
        """Return quaternions of the bodies."""
        return np.array([b.pose.q for b in self.bodies], float)

    def velocities(self) -> np.ndarray:
        """Return velocities of the bodies."""
        return np.array([b.linear_velocity for b in self.bodies], float)

    def bases(self) -> np.ndarray:
        """Return nothing: there are no robots here."""
        return np.zeros((0, 7))

    def energy(self) -> float:
        """Refuse: scenes of loose bodies compute it from the state."""
        raise NotImplementedError("energies are asked for only in scenes with robots")

    def momentum(self) -> np.ndarray:
        """Refuse: scenes of loose bodies compute it from the state."""
        raise NotImplementedError("momenta are asked for only in scenes with robots")

    def note(self) -> None:
        """PhysX keeps no count that compares."""

    def notes(self) -> Figures:
        """Return nothing."""
        return {}
