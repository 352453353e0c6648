"""The world."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import tribo
from tribo.checks import check
from tribo.checks.orientation import orientation
from tribo.description.extents import rotation_matrix
from tribo.raisimpy.arguments import MOST, assign, behind, instance
from tribo.raisimpy.contact import BisectionContactSolver, Single3DContactProblem
from tribo.raisimpy.enums import BodyType, ObjectType
from tribo.raisimpy.materials import MaterialManager, MaterialPairProperties, law
from tribo.raisimpy.objects import Object, SingleBodyObject
from tribo.raisimpy.sensors import RayCollisionList, capture, ray_ignore
from tribo.raisimpy.spelling import Dialects, means, nothing, reads, writes
from tribo.raisimpy.world_objects import WorldParts

TIME_STEP = 0.005  # [s]


@dataclass
class WorldParameterContainer(Dialects):
    """A value for @@name in a world's file."""

    name: str = ""
    param: Any = ""


class World(WorldParts):
    """A world under RaiSim's names; `tribo` is the world of tribo, any attribute may be added.

    Example:
        >>> import tribo.raisimpy as raisim
        >>> world = raisim.World()
        >>> ground = world.addGround()
        >>> ball = world.addSphere(0.5, 1.0)
        >>> ball.setPosition(0, 0, 2)
        >>> for _ in range(200):
        ...     world.integrate()
        >>> round(float(ball.getPosition()[2]), 3), world.getTimeStep()
        (0.5, 0.005)
    """

    ParameterContainer = WorldParameterContainer

    _old: ClassVar[dict[str, str]] = {
        "get_contact_problems": "getContactProblem",
        "get_object_list": "getObjList",
        "update_material_property": "updateMaterialProp",
        "set_material_pair_properties": "setMaterialPairProp",
        "set_material_pair": "setMaterialPairProp",
        "set_contact_solver_parameters": "setContactSolverParam",
        "add_heightmap": "addHeightMap",
    }

    def __init__(self, configFile: Any = None, params: Any = ()) -> None:
        """Start empty, or with a world of a RaiSim XML or MJCF file."""
        self._file = "" if configFile is None else str(configFile)
        if configFile is None:
            it = tribo.World(time_step=TIME_STEP)
        else:
            given = check.listed(params, "params", "a list of WorldParameterContainer")
            kept = [instance(one, WorldParameterContainer, "an item of params") for one in given]
            values = {one.name: one.param for one in kept}
            it = tribo.World.load(configFile, parameters=values or None)
        it.collision_filter, it.effective_radius = "both", "distance"
        it.impact = "propagate"  # impacts one after another
        super().__init__(it)

    # -- files, activation ---------------------------------------------------------------------
    setActivationKey = staticmethod(nothing("tribo needs no key"))
    setLicenseFile = staticmethod(nothing("tribo needs no key"))
    setLogLevel = staticmethod(nothing('logging.getLogger("tribo").setLevel(…)'))

    def exportToXml(self, directory: str, name: str = "") -> None:
        """``world.save(path)``"""
        if not check.is_path(directory):
            raise TypeError(f"directory must be a path, got {check.shown(directory)}")
        place = Path(directory)
        self._it.save(place / check.text(name, "name") if name else place)

    getConfigFile = means("the path given to ``tribo.World.load``", lambda self: self._file)

    def loadMjcfFile(self, path: str) -> list[Object]:
        """``world.load_mjcf(path)``"""
        return [self.wrap(it) for it in self._it.load_mjcf(path) if isinstance(it, tribo.Object)]

    # -- time ----------------------------------------------------------------------------------
    getTimeStep = reads("time_step")
    setTimeStep = writes("time_step")
    getWorldTime = reads("time")
    setWorldTime = writes("time")

    def integrate(self) -> None:
        """``world.step()``; after ``world.update()`` the rest of that step"""
        it = self._it
        if it.is_midway:
            it.advance()
        else:
            it.step()

    def integrate1(self) -> None:
        """``world.update()``"""
        if not self._it.is_midway:
            self._it.update()

    integrate2 = means("``world.advance()``", lambda self: self._it.advance())

    # -- physics -------------------------------------------------------------------------------
    getGravity = reads("gravity")
    setGravity = writes("gravity")

    def setERP(self, erp: float, erp2: float = 0.0) -> None:
        """``world.erp = …``, ``world.erp2 = …``"""
        assign((self._it, "erp", erp), (self._it, "erp2", erp2))

    def setContactSolverParam(
        self, alpha_init: float = 1.0, alpha_min: float = 1.0, alpha_decay: float = 1.0,
        maxIter: int = 150, threshold: float = 1e-8,
    ) -> None:  # fmt: skip
        """``world.max_sweeps = …``, ``world.tolerance = …``; the three alphas have no counterpart"""
        assign((self._it, "max_sweeps", maxIter), (self._it, "tolerance", threshold))

    setContactSolverIterationOrder = nothing("every run is deterministic")
    setContactSettings = nothing("pairs are always followed through the step")
    setBroadphaseSettings = nothing("pairs are found without settings")

    def getContactSettings(self) -> Any:
        """nothing: pairs are always followed through the step"""
        return {}

    getBroadphaseSettings = means("nothing: pairs are found without settings", lambda self: {})

    def getContactSolver(self) -> BisectionContactSolver:
        """``world.tolerance``, ``world.sweeps``, ``world.residual``"""
        return BisectionContactSolver(self._it)

    def getContactProblem(self) -> list[Single3DContactProblem]:
        """``world.contacts``"""
        return [Single3DContactProblem(found) for found in self._it.contacts]

    # -- materials -----------------------------------------------------------------------------
    def setMaterialPairProp(self, material1: str, material2: str, *numbers: float,
                            **named: float) -> None:  # fmt: skip
        """``world.set_material_pair(a, b, friction=…, restitution=…, restitution_threshold=…, …)``"""
        words = ("friction", "restitution", "threshold")
        given = [word for word in words[len(numbers) :] if word in named]
        if len(given) < len(named) or given != list(words[len(numbers) :][: len(given)]):
            raise TypeError(
                f"setMaterialPairProp takes {', '.join(words)} in that order by name, got {', '.join(named)}"
            )
        numbers += tuple(named[word] for word in given)
        self._it.set_material_pair(material1, material2, law(*numbers))

    def getMaterialPairProperties(self, material1: str, material2: str) -> MaterialPairProperties:
        """``world.materials.pair(a, b)``"""
        return MaterialPairProperties.of(self._it.materials.pair(material1, material2))

    getMaterialPairProp = getMaterialPairProperties

    def setDefaultMaterial(self, *numbers: float) -> None:
        """``world.default_pair = tribo.PairProperties(…)``"""
        self._it.default_pair = law(*numbers)

    def updateMaterialProp(self, manager: MaterialManager) -> None:
        """``world.load_materials(file)``"""
        given = behind(manager, MaterialManager, "manager")
        self._it.check_editable("the materials")
        table = self._it.materials
        table.default = given.default
        for first, second, pair in given:
            table.set_pair(first, second, pair)

    def getMaterialManager(self) -> MaterialManager:
        """``world.materials``"""
        return MaterialManager(self._it.materials)

    # -- rays, cameras -------------------------------------------------------------------------
    def rayTest(
        self, start: Any, direction: Any, length: float, objectId: int = -10, localId: int = -10,
        collisionMask: int = -1, closestOnly: bool = True,
    ) -> RayCollisionList:  # fmt: skip
        """``world.ray_test(start, direction, length, ignore=…, collision_mask=…)``"""
        ignore = ray_ignore(self._it, objectId, localId)
        hit = self._it.ray_test(start, direction, length, collision_mask=collisionMask, ignore=ignore)
        return RayCollisionList(self, [] if hit is None else [hit])

    def rayTestLidar(
        self, rot: Any, pos: Any, yawStart: float, yawEnd: float, yawIncrement: float,
        spinDirection: float, pitchSamples: int, pitchMin: float, pitchIncrement: float,
        rangeMin: float, rangeMax: float, objectId: int = -10, localId: int = -10, mask: int = -1,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """``world.ray_test_batch(origins, directions, length)``; ``world.add_lidar``"""
        numbers = {
            "yawStart": yawStart, "yawEnd": yawEnd, "spinDirection": spinDirection, "pitchMin": pitchMin,
            "pitchIncrement": pitchIncrement, "rangeMin": rangeMin, "rangeMax": rangeMax,
        }  # fmt: skip
        for what, value in numbers.items():
            check.number(value, what)
        beams_at_most = (yawEnd - yawStart) / check.positive(yawIncrement, "yawIncrement")
        if check.integer(pitchSamples, "pitchSamples", 1) * beams_at_most > MOST:
            raise ValueError(f"yawIncrement and pitchSamples must make at most {MOST} beams")
        turn = rotation_matrix(orientation(rot, "rot"))
        yaw = np.arange(yawStart, yawEnd, yawIncrement)[:, None] * spinDirection
        pitch = pitchMin + pitchIncrement * np.arange(pitchSamples)
        grid = np.empty((len(yaw), pitchSamples, 3))
        across = np.cos(pitch)
        grid[..., 0], grid[..., 1] = np.cos(yaw) * across, np.sin(yaw) * across
        grid[..., 2] = np.sin(pitch)
        beams = grid.reshape(-1, 3)
        world_beams = beams @ turn.T
        hits = self._it.ray_test_batch(
            check.vector(pos, "pos", 3) + rangeMin * world_beams, world_beams, rangeMax - rangeMin,
            collision_mask=mask, ignore=ray_ignore(self._it, objectId, localId),
        )  # fmt: skip
        seen = np.isfinite(hits.distance)
        made = (rangeMin + hits.distance[seen])[:, None] * beams[seen]
        if out is not None:
            instance(out, list, "out").extend(made)
        return made

    def captureDepthCamera(self, position: Any, rotation: Any, properties: Any, frame: Any = None) -> Any:
        """``world.add_depth_camera(None, …).measure()``"""
        return capture(self._it, position, rotation, properties, frame)

    # -- sleeping ------------------------------------------------------------------------------
    setSleepingEnabled = writes("sleeping")
    isSleepingEnabled = reads("sleeping")

    def setSleepingParameters(self, linear: float, angular: float, quietSteps: int) -> None:
        """``world.sleep_speed = …``, ``world.sleep_angular_speed = …``, ``world.sleep_time = …``"""
        it, steps = self._it, check.integer(quietSteps, "quietSteps", 0)
        assign(
            (it, "sleep_speed", linear),
            (it, "sleep_angular_speed", angular),
            (it, "sleep_time", steps * it.time_step),
        )

    def setSleepingVelocityThresholds(self, linear: float, angular: float) -> None:
        """``world.sleep_speed = …``, ``world.sleep_angular_speed = …``"""
        assign((self._it, "sleep_speed", linear), (self._it, "sleep_angular_speed", angular))

    def getSleepingParameters(self) -> tuple[float, float, int]:
        """``world.sleep_speed``, ``world.sleep_angular_speed``, ``world.sleep_time``"""
        it = self._it
        return it.sleep_speed, it.sleep_angular_speed, round(it.sleep_time / it.time_step)

    wakeObject = means("``object.wake()``", lambda self, item: behind(item, Object, "item").wake())

    def wakeAll(self) -> None:
        """``object.wake()`` of all"""
        for it in self._it.objects:
            it.wake()

    def isObjectSleeping(self, item: Any) -> bool:
        """``object.is_asleep``"""
        return bool(behind(item, Object, "item").is_asleep)

    # -- snapshots of one body -----------------------------------------------------------------
    def captureSingleBodySnapshot(self, item: Any) -> dict[str, Any]:
        """``world.snapshot()``, of the whole world"""
        behind(item, SingleBodyObject, "item")
        return {
            "pose": (item.getPosition(), item.getQuaternion()),
            "velocity": (item.getLinearVelocity(), item.getAngularVelocity()),
            "body_type": item.getBodyType(), "material": item.getMaterial(),
            "bits": (item.getCollisionGroup(), item.getCollisionMask()),
        }  # fmt: skip

    def restoreSingleBodySnapshot(
        self, item: Any, saved: Any, restoreCollisionProperties: bool = True
    ) -> None:
        """``world.restore(snapshot)``, of the whole world"""
        it = behind(item, SingleBodyObject, "item")
        if not isinstance(saved, dict) or "body_type" not in saved:
            raise TypeError(f"saved must come from captureSingleBodySnapshot, got {check.shown(saved)}")
        kind = saved["body_type"]
        if item.getBodyType() != kind:
            item.setBodyType(kind)
        item.setPose(*saved["pose"])
        if kind != BodyType.STATIC:
            it.linear_velocity, it.angular_velocity = saved["velocity"]
        if restoreCollisionProperties:
            it.material = saved["material"]
            for shape in it.collision_bodies:
                shape.collision_group, shape.collision_mask = saved["bits"]

    def cloneSingleBodyObject(self, item: Any) -> Any:
        """``world.add_sphere`` and its kin with the sizes of the other"""
        it = behind(item, SingleBodyObject, "item")
        sizes = it.collision_bodies[0].size
        options = {"collision_group": it.collision_group, "collision_mask": it.collision_mask}
        kind = item.getObjectType()
        if kind == ObjectType.SPHERE:
            made = self._it.add_sphere(sizes[0], it.mass, it.material, **options)
        elif kind == ObjectType.BOX:
            made = self._it.add_box(2.0 * np.asarray(sizes), it.mass, it.material, **options)
        else:
            add = getattr(self._it, f"add_{kind.name.lower()}")
            made = add(sizes[0], 2.0 * sizes[1], it.mass, it.material, **options)
        made.inertia = it.inertia
        copy = self.wrap(made, kind)
        self.restoreSingleBodySnapshot(copy, self.captureSingleBodySnapshot(item))
        return copy

    updateSelfCollisionCache = nothing("filters count from the next step on")
    lockMutex = nothing("a second thread that edits during a step gets an error")
    unlockMutex = lockMutex
    lock = lockMutex
    unlock = lockMutex
