"""Hits of rays, a world's depth cameras, and sensors of a robot's file, found by the link that carries them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation
from tribo.raisimpy import enums
from tribo.raisimpy.arguments import instance, kept, member, picked
from tribo.raisimpy.enums import MeasurementSource, NoiseType, SensorType
from tribo.raisimpy.height_map import grid
from tribo.raisimpy.spelling import Dialects, Wrapper, data, means, nothing, reads
from tribo.sensors import DepthCamera as _Camera
from tribo.sensors import Imu, Lidar, Noise
from tribo.sensors.world_sensors import described_name


class RayCollisionItem(Wrapper):
    """A hit of a ray."""

    def __init__(self, world: Any, it: Any) -> None:
        """Wrap a hit of tribo."""
        super().__init__(it)
        self._world = world

    getPosition = reads("position")
    getCollisionBody = reads("collision_body")
    getObject = means("``object``", lambda self: self._world.wrap(self._it.object))


class RayCollisionList(list[Any]):
    """The closest hit of a ray, or none."""

    def __init__(self, world: Any, hits: list[Any]) -> None:
        """Wrap hits of tribo."""
        super().__init__(RayCollisionItem(world, hit) for hit in hits)

    size = means("``0 if hit is None else 1``", lambda self: len(self))
    at = means("``world.ray_test(…)``", lambda self, index: picked(self, index, "hit"))

    setSize = set_size = resize = reserve = nothing("a list of Python")


def ray_ignore(world: Any, number: int, body: int) -> Any:
    """Return what a ray shall ignore: an object of the world by its index, or one body of it."""
    if type(number) is type(body) is int and number == body == -10:  # RaiSim's word for none
        return ()
    check.integer(body, "localId", -check.MAX_INTEGER)
    if not 0 <= check.integer(number, "objectId", -check.MAX_INTEGER) < len(world.objects):
        return ()
    part = world.objects[number]
    if body >= 0 and hasattr(part, "body_names"):
        return part.link(picked(part.body_names, body, f"body of {part.name}"))
    return part


@dataclass
class DepthCameraProperties(Dialects):
    """How a world's depth camera sees."""

    width: int = 160
    height: int = 120
    clipNear: float = 0.05
    clipFar: float = 50.0
    hFOV: float = 1.2
    captureDepth: bool = True
    captureSegmentation: bool = False
    capturePoints: bool = False
    depthNoiseType: Any = "no_noise"
    depthNoiseMean: float = 0.0
    depthNoiseStd: float = 0.0
    seed: int = 0


data(DepthCameraProperties)


@dataclass
class DepthCameraFrame(Dialects):
    """Its measurement: depth [m] (NaN: nothing), number of the object (−1: none), points [m], time [s]."""

    depth: Any = None
    segmentation: Any = None
    points: Any = None
    timestamp: float = -1.0


def capture(world: Any, position: Any, rotation: Any, properties: Any, frame: Any) -> Any:
    """Return what a depth camera at a pose sees now."""
    p = instance(properties, DepthCameraProperties, "properties")
    made = DepthCameraFrame() if frame is None else instance(frame, DepthCameraFrame, "frame")
    kind, noise = member(NoiseType, p.depthNoiseType), None
    if kind != NoiseType.NO_NOISE:
        noise = Noise(mean=p.depthNoiseMean, stddev=p.depthNoiseStd, kind=kind.value)
    camera = world.add_depth_camera(
        None, position=position, orientation=orientation(rotation, "rotation"), width=p.width,
        height=p.height, horizontal_fov=p.hFOV, clip=(p.clipNear, p.clipFar), noise=noise, seed=p.seed,
    )  # fmt: skip
    try:
        seen = camera.measure()
        made.timestamp = seen.time
        made.depth = np.ravel(seen.depth) if p.captureDepth else None
        made.segmentation = np.ravel(seen.segmentation) if p.captureSegmentation else None
        made.points = camera.points().reshape(-1, 3) if p.capturePoints else None
    finally:
        world.remove_sensor(camera)
    return made


class _Numbered(Dialects):
    _serial = ""

    getSerialNumber = means("nothing: the user's own text", lambda self: self._serial)

    def setSerialNumber(self, value: str) -> None:
        """nothing: the user's own text"""
        self._serial = value


def measured(name: str, said: str = "") -> tuple[Any, Any]:
    """Return the methods that read a value of a sensor, and that give one of the user's own."""

    def give(self: Any, value: Any) -> None:
        self._give(name, value)

    give.__doc__ = "nothing: the user's own value"
    return means(f"``measure().{name}``{said}", lambda self: self._value(name)), give


class SensorSet(_Numbered):
    """The sensors that a file puts on a link: `robot.getSensorSet(link)`.

    In tribo a sensor has a path, "ROBOT/SET/NAME"; "ROBOT/LINK/SET/NAME" if several links carry the set.
    """

    def __init__(self, link: str, name: str, sensors: dict[str, Any]) -> None:
        """Hold sensors by name."""
        self._link, self._name, self._sensors = link, name, sensors

    getSensors = means("``world.sensors``", lambda self: list(self._sensors.values()))

    def getSensor(self, name: str) -> Any:
        """``world.sensor("ROBOT/SET/NAME")``"""
        return self._sensors[check.known(name, self._sensors, f"sensor of {self._link}")]

    def getName(self) -> str:
        """LINK in ``world.sensor("ROBOT/LINK/SET/NAME")``: the link that carries the set"""
        return self._link

    getModel = means('SET in ``world.sensor("ROBOT/SET/NAME")``', lambda self: self._name)


class Sensor(_Numbered, Wrapper):
    """The common part of all sensors; a measurement is made when a value is asked for or is due."""

    MeasurementSource = MeasurementSource
    _kind: ClassVar[SensorType]

    def __init__(self, it: Any, described: Any) -> None:
        """Wrap a sensor of tribo."""
        super().__init__(it)
        self._described = described
        self._given: dict[str, Any] = {}
        self._source = MeasurementSource.RAISIM
        self._stamp: float | None = None

    def getName(self) -> str:
        """NAME in ``world.sensor("ROBOT/SET/NAME")``"""
        return str(self._it.name.rpartition("/")[2])

    getFullName = means("``name``: the whole path", lambda self: str(self._it.name))

    def getSensorSetModel(self) -> str:
        """SET in ``world.sensor("ROBOT/SET/NAME")``"""
        return str(self._described.name.partition("/")[0])

    getType = means("the class of the sensor", lambda self: self._kind)
    getPosition = reads("position")
    getOrientation = reads("rotation_matrix")
    getFramePosition = reads("position")
    getFrameOrientation = reads("rotation_matrix")

    def getPosInSensorFrame(self) -> Any:
        """``position=`` of ``world.add_imu`` and its kin"""
        return np.asarray(self._described.position, float)

    def getOriInSensorFrame(self) -> Any:
        """``orientation=`` of ``world.add_imu`` and its kin"""
        return np.asarray(self._described.quaternion, float)

    def getFrameId(self) -> int:
        """``parent.frame_names.index(link)``"""
        return int(self._it.parent.frame_names.index(self._described.frame))

    updatePose = nothing("the pose is that of the present state")
    update = means("``measure()``", lambda self, _=None: self._it.measure())
    getUpdateRate = means("``update_rate``", lambda self: float(self._it.update_rate or 0.0))
    setUpdateRate = nothing("update_rate= is given when a sensor is added; measure() measures now")

    def getUpdateTimeStamp(self) -> float:
        """``reading.time``"""
        if self._stamp is not None:
            return self._stamp
        return float(self._it.reading.time) if self._it.reading is not None else -1.0

    def setUpdateTimeStamp(self, time: float) -> None:
        """``reading.time``: of values that the user sets"""
        self._stamp = check.number(time, "time")

    def getMeasurementSource(self) -> enums.MeasurementSource:
        """RAISIM: tribo measures; MANUAL: the values that were set"""
        return self._source

    def setMeasurementSource(self, source: Any) -> None:
        """RAISIM: tribo measures; MANUAL: the values that were set"""
        self._source = member(MeasurementSource, source)

    lockMutex = nothing("a second thread that edits during a step gets an error")
    unlockMutex = lockMutex

    def _reading(self) -> Any:
        """Return what was measured last, or now if nothing measures by itself."""
        it = self._it
        if it.reading is None or it.update_rate is None:
            return it.measure()
        return it.reading

    def _value(self, name: str) -> Any:
        if self._source == MeasurementSource.MANUAL and name in self._given:
            return self._given[name]
        return getattr(self._reading(), name)

    def _give(self, name: str, value: Any) -> None:
        self._given = self._given | {name: check.array(value, name, "numbers")}
        self._source = MeasurementSource.MANUAL

    def getProperties(self) -> Any:
        """arguments of ``world.add_imu`` and its kin"""
        noise = self._described.noise or {}
        return SimpleNamespace(
            **self._described.values,
            noiseType=NoiseType(noise.get("kind", "no_noise")),
            mean=noise.get("mean", 0.0), std=noise.get("stddev", 0.0), full_name=self._it.name,
        )  # fmt: skip


class RGBCamera(Sensor):
    """A colour camera: tribo leaves them out when it reads a file, and says so."""

    _kind = SensorType.RGB

    def getImageBuffer(self) -> Any:
        """nothing: ``tribo.Renderer`` makes pictures"""
        return self._given.get("image")

    def setImageBuffer(self, image: Any) -> None:
        """nothing: the user's own picture"""
        self._given = {"image": image}


class DepthCamera(Sensor):
    """A depth camera; depth is along its x axis."""

    _kind = SensorType.DEPTH
    updateRayDirections = nothing("the rays follow from size and field of view")

    def getDepthArray(self) -> Any:
        """``measure().depth.ravel()``"""
        return np.ravel(self._value("depth"))

    def setDepthArray(self, depth: Any) -> None:
        """nothing: the user's own image"""
        self._give("depth", self._image(depth).ravel())

    def _image(self, depth: Any) -> Any:
        size = self._described.values
        return grid(depth, (size["height"], size["width"]), "depth")

    def get3DPoints(self) -> Any:
        """``points()``, world axes"""
        if self._source == MeasurementSource.MANUAL and "points" in self._given:
            return self._value("points")
        return self.depthToPointCloud(self._value("depth"))

    def set3DPoints(self, points: Any) -> None:
        """nothing: the user's own points"""
        self._give("points", points)

    def depthToPointCloud(self, depth: Any, out: Any = None, isInSensorFrame: bool = False) -> Any:
        """``points(depth)``"""
        made = self._it.points(self._image(depth)).reshape(-1, 3)
        if not isInSensorFrame:
            made = made @ self._it.rotation_matrix.T + self._it.position
        return kept(made, out, "out")

    def getPrecomputedRayDir(self) -> Any:
        """``points(ones)``"""
        size = self._described.values
        return self._it.points(np.ones((size["height"], size["width"]))).reshape(-1, 3)


class InertialMeasurementUnit(Sensor):
    """An accelerometer and gyroscope."""

    _kind = SensorType.IMU

    getLinearAcceleration, setLinearAcceleration = measured("linear_acceleration")
    getAngularVelocity, setAngularVelocity = measured("angular_velocity")
    getOrientation, setOrientation = measured("orientation", ": a quaternion")

    def getProperties(self) -> Any:
        """``max_acceleration``, ``max_angular_velocity``, ``noise`` of ``world.add_imu``"""
        made = super().getProperties()
        made.maxAcc = self._described.values.get("max_acceleration", np.inf)
        made.maxAngVel = self._described.values.get("max_angular_velocity", np.inf)
        return made


class SpinningLidar(Sensor):
    """A spinning lidar."""

    _kind = SensorType.SPINNING_LIDAR
    setProperties = nothing("arguments of world.add_lidar, given when it is added")
    getScan, setScan = measured("points")
    getTimeStamp = means("``reading.time``", lambda self: self.getUpdateTimeStamp())

    def setTimeStamp(self, time: float) -> None:
        """``reading.time``: of values that the user sets"""
        self.setUpdateTimeStamp(time)

    def getCurrentYaw(self) -> float:
        """``measure().yaw``"""
        yaw = self._value("yaw")
        return float(yaw[-1]) if len(yaw) else 0.0

    def getProperties(self) -> Any:
        """``yaw_samples``, ``pitch``, ``range_limits``, ``spin_rate``, ``clockwise`` of ``world.add_lidar``"""
        made, values = super().getProperties(), self._described.values
        pitch, reach = values["pitch"], values["range_limits"]
        made.yawSamples, made.pitchSamples = values["yaw_samples"], len(pitch)
        made.pitchMinAngle, made.pitchMaxAngle = pitch[0], pitch[-1]
        made.rangeMin, made.rangeMax = reach
        made.spinningRate = values.get("spin_rate", 0.0)
        made.spinDirection = -1 if values.get("clockwise") else 1
        return made


_CLASSES: dict[Any, type[Sensor]] = {_Camera: DepthCamera, Imu: InertialMeasurementUnit, Lidar: SpinningLidar}


def sets_of(robot: Any) -> dict[str, SensorSet]:
    """Return the sensor sets of a robot of tribo, by the link that carries them."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for described in robot.description.sensors:
        it = robot.world.sensor(described_name(robot, described))
        model, _, name = described.name.partition("/")
        found.setdefault(described.frame, (model, {}))[1][name] = _CLASSES[type(it)](it, described)
    return {link: SensorSet(link, *parts) for link, parts in found.items()}
