"""The part of a world that has sensors: adding, finding and removing them, and when they measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.by_name import free_name
from tribo.checks.errors import EditError
from tribo.description.trees import IDENTITY, ORIGIN, SensorDescription
from tribo.engine.builder import ALL_GROUPS
from tribo.engine.engine import Engine
from tribo.model import Status
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.owner import Pushes
from tribo.objects.world_view import WorldView
from tribo.readout.filters import object_numbers
from tribo.readout.rays import WorldRays
from tribo.sensors.base import EARLY, Mount, Sensor, WorldSenses
from tribo.sensors.camera import DepthCamera
from tribo.sensors.inertial import Imu
from tribo.sensors.joints import JointEncoder
from tribo.sensors.lidar import Lidar
from tribo.sensors.noise import Noise
from tribo.sensors.senses import UNKNOWN, Before
from tribo.sensors.wrench import ContactSensor, ForceTorqueSensor

S = TypeVar("S", bound=Sensor)


def described_name(robot: ArticulatedSystem, described: SensorDescription) -> str:
    """Return what a sensor of a robot's file is called; its link is named if others carry such a one."""
    alike = sum(other.name == described.name for other in robot.description.sensors)
    link = f"{described.frame}/" if alike > 1 else ""
    return f"{robot.name}/{link}{described.name}"


def _array_files() -> Any:
    """Return a module whose imports would make every start longer."""
    return import_module("tribo.checks.array_files")


class WorldSensors:
    """Sensors of a world, by name.

    All `add_…` methods share these arguments: `parent`, the object that carries the sensor, or a link, joint
    or frame of a robot (None: the world); `frame`, the name of one if `parent` is the robot;
    `position` (3,) [m] and `orientation` (w, x, y, z) of
    the sensor in that frame; `update_rate` [Hz], None: on request; `noise`; `seed`; `name`.
    """

    def __init__(self, world: WorldView, rays: WorldRays) -> None:
        """Start without sensors; lidars and cameras see what rays do."""
        self.world, self._rays = world, rays
        self._sensors: dict[str, Sensor] = {}
        self.timed: list[Sensor] = []  # those that measure by themselves
        self._before: Before | None = None
        self._next_sensor = 0

    # -- adding --------------------------------------------------------------------------------
    def _added(self, sensor: S) -> S:
        """Take a sensor in, or leave the world as it was."""
        self._check_rate(sensor)
        sensor.restart(self.world.time)
        self._sensors[sensor.name] = sensor
        if sensor.update_rate is not None:
            self.timed.append(sensor)
        self._next_sensor += 1
        self.world.is_measured = True
        return sensor

    def _check_rate(self, sensor: Sensor) -> None:
        rate = sensor.update_rate
        if rate is not None and rate * self.world.time_step > 1.0 + EARLY:
            raise ValueError(
                f"update_rate of {sensor.name} is {rate:g} Hz, the world makes "
                f"{1.0 / self.world.time_step:g} steps per second; take a lower rate or a smaller time step"
            )

    def _named(self, name: str, prefix: str) -> str:
        self.world.check_editable("the list of sensors")
        return free_name(name, self._sensors, "a sensor", prefix, self._next_sensor)

    def add_imu(
        self, parent: Object | None, frame: str | None = None, *, name: str = "", position: Any = ORIGIN,
        orientation: Any = IDENTITY, update_rate: float | None = None, noise: Noise | None = None,
        gyro_noise: Noise | None = None, seed: int = 0, max_acceleration: float = math.inf,
        max_angular_velocity: float = math.inf,
    ) -> Imu:  # fmt: skip
        """Add an accelerometer and gyroscope (`WorldSensors` for what all sensors share).

        Args:
            parent, frame, name, position, orientation, update_rate, seed: See `WorldSensors`.
            noise, gyro_noise: Of the acceleration [m/s²], of the angular velocity [rad/s].
            max_acceleration, max_angular_velocity: Where the readings saturate, per axis.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> box = world.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0.5))
            >>> imu = world.add_imu(box)
            >>> world.step()
            >>> (imu.measure().linear_acceleration.round(6) + 0.0).tolist()
            [0.0, 0.0, 9.81]
        """
        mount = Mount(self, parent, frame, position, orientation)
        return self._added(
            Imu(mount, self._named(name, "imu"), update_rate, noise, gyro_noise, seed,
                max_acceleration, max_angular_velocity)
        )  # fmt: skip

    def add_lidar(
        self, parent: Object | None, frame: str | None = None, *, yaw_samples: int = 360,
        pitch: Any = (0.0,), range_limits: Any = (0.0, 100.0), spin_rate: float = 0.0,
        clockwise: bool = False, sees_parent: bool = False, name: str = "", position: Any = ORIGIN,
        orientation: Any = IDENTITY, update_rate: float | None = None, noise: Noise | None = None,
        seed: int = 0,
    ) -> Lidar:  # fmt: skip
        """Add a spinning lidar.

        Args:
            parent, frame, name, position, orientation, update_rate, noise, seed: See `WorldSensors`.
            yaw_samples: Columns of a whole turn.
            pitch: Angles of the beams of a column [rad], upwards.
            range_limits: Least and greatest distance seen [m].
            spin_rate: Turns per second. If it is below `update_rate`, a measurement covers what was swept
                since the last one; 0, or no rate: a whole turn.
            clockwise: Seen from above; otherwise anticlockwise.
            sees_parent: Whether the body that carries it is seen.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> wall = world.add_box((1, 9, 9), mass=1.0, position=(2.5, 0, 0))
            >>> lidar = world.add_lidar(None, yaw_samples=4)
            >>> lidar.measure().ranges.ravel().tolist()
            [2.0, inf, inf, inf]
        """
        mount = Mount(self, parent, frame, position, orientation)
        return self._added(
            Lidar(mount, self._named(name, "lidar"), update_rate, noise, seed, yaw_samples, pitch,
                  range_limits, spin_rate, clockwise, sees_parent)
        )  # fmt: skip

    def add_depth_camera(
        self, parent: Object | None, frame: str | None = None, *, width: int = 160, height: int = 120,
        horizontal_fov: float = 1.2, clip: Any = (0.05, 50.0), sees_parent: bool = False, name: str = "",
        position: Any = ORIGIN, orientation: Any = IDENTITY, update_rate: float | None = None,
        noise: Noise | None = None, seed: int = 0,
    ) -> DepthCamera:  # fmt: skip
        """Add a pinhole camera that sees depth and which object is where.

        Args:
            parent, frame, name, position, orientation, update_rate, noise, seed: See `WorldSensors`.
            width, height: Pixels.
            horizontal_fov: Angle between the left and right border [rad].
            clip: Nearest and farthest depth seen [m].
            sees_parent: Whether the body that carries it is seen.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> wall = world.add_box((1, 9, 9), mass=1.0, position=(2.5, 0, 0))
            >>> camera = world.add_depth_camera(None, width=4, height=3)
            >>> camera.measure().depth.round(9).tolist()[0]
            [2.0, 2.0, 2.0, 2.0]
        """
        mount = Mount(self, parent, frame, position, orientation)
        return self._added(
            DepthCamera(mount, self._named(name, "camera"), update_rate, noise, seed, width, height,
                        horizontal_fov, clip, sees_parent)
        )  # fmt: skip

    def add_force_torque_sensor(
        self, robot: ArticulatedSystem, joint: str, *, name: str = "", position: Any = ORIGIN,
        orientation: Any = IDENTITY, update_rate: float | None = None, noise: Noise | None = None,
        seed: int = 0,
    ) -> ForceTorqueSensor:  # fmt: skip
        """Add a sensor of the force and torque that a link receives from its parent through a joint.

        Behind a fixed joint it is the link with all that is fixed to it and hangs on it that receives them.

        Args:
            robot, joint: A joint, a fixed one too, or a link or frame (a site of an MJCF file): then the
                joint on which its link hangs. The sensor sits in that frame.
            name, position, orientation, update_rate, noise, seed: See `WorldSensors`.

        Raises:
            KeyError: The robot has no such joint or frame; the message proposes the nearest.

        Example:
            >>> import tribo
            >>> from tribo.tools.demo import ASSETS
            >>> world = tribo.World()
            >>> robot = world.add_articulated_system(ASSETS / "quadruped.urdf")
            >>> sensor = world.add_force_torque_sensor(robot, robot.joint_names[0])
            >>> world.step()  # in free fall a joint carries nothing
            >>> bool(abs(sensor.measure().force).max() < 1e-9)
            True
        """
        check.instance(robot, ArticulatedSystem, "a force–torque sensor needs a robot")
        mount = Mount(self, robot, joint, position, orientation)
        return self._added(
            ForceTorqueSensor(mount, self._named(name, "force_torque"), update_rate, noise, seed)
        )

    def add_contact_sensor(
        self, parent: Object, frame: str | None = None, *, name: str = "", position: Any = ORIGIN,
        orientation: Any = IDENTITY, update_rate: float | None = None, noise: Noise | None = None,
        seed: int = 0,
    ) -> ContactSensor:  # fmt: skip
        """Add a sensor of all contacts on a body: that of `frame` for a robot.

        Args:
            parent, frame, name, position, orientation, update_rate, noise, seed: See `WorldSensors`.
        """
        check.instance(parent, Object, "a contact sensor needs an object")
        mount = Mount(self, parent, frame, position, orientation)
        return self._added(ContactSensor(mount, self._named(name, "contact"), update_rate, noise, seed))

    def add_joint_encoder(
        self, robot: ArticulatedSystem, joint: str, *, name: str = "",
        update_rate: float | None = None, noise: Noise | None = None,
        velocity_noise: Noise | None = None, seed: int = 0,
    ) -> JointEncoder:  # fmt: skip
        """Add an encoder on a revolute or prismatic joint.

        Args:
            robot, joint: The joint.
            noise, velocity_noise: Of the position [rad, m], of the velocity; an encoder of n counts per turn
                has the resolution 2π/n.
            name, update_rate, seed: See `WorldSensors`.
        """
        mount = Mount(self, robot, None, ORIGIN, IDENTITY)
        return self._added(
            JointEncoder(mount, self._named(name, "encoder"), joint, update_rate, noise,
                         velocity_noise, seed)
        )  # fmt: skip

    def add_described(self, robot: ArticulatedSystem, described: SensorDescription) -> None:
        """Add a sensor that a file describes."""
        adders = {
            "imu": self.add_imu, "spinning_lidar": self.add_lidar, "depth": self.add_depth_camera,
            "force_torque": self.add_force_torque_sensor,
        }  # fmt: skip
        if described.kind == "encoder":
            self.add_joint_encoder(robot, described.frame, name=f"{robot.name}/{described.name}")
            return
        errors: dict[str, Any] = dict(described.noise or {})
        noise = None if described.noise is None else Noise(**errors)
        values: dict[str, Any] = dict(described.values)
        if described.kind == "imu":
            values["gyro_noise"] = noise
        adder: Any = adders[described.kind]
        adder(
            robot, described.frame, name=described_name(robot, described), noise=noise,
            update_rate=described.update_rate, position=described.position,
            orientation=described.quaternion, **values,
        )  # fmt: skip

    # -- finding and removing ------------------------------------------------------------------
    @property
    def has_any(self) -> bool:
        """Whether there are sensors."""
        return bool(self._sensors)

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        """All sensors in the order in which they were added."""
        return tuple(self._sensors.values())

    def sensor(self, name: str) -> Sensor:
        """Return a sensor by name; one from a robot's file is called "ROBOT/SET/SENSOR".

        If several links of the robot carry the same set, it is called "ROBOT/LINK/SET/SENSOR".

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self._sensors[check.known(name, self._sensors, "sensor")]

    def remove_sensor(self, sensor: Sensor | str) -> None:
        """Take a sensor out of the world.

        Raises:
            KeyError: There is no such sensor here.
        """
        self.world.check_editable("the list of sensors")
        name = sensor.name if isinstance(sensor, Sensor) else sensor
        found = self.sensor(name)
        if isinstance(sensor, Sensor) and found is not sensor:
            raise KeyError(f"{sensor!r} is not in this world")
        found.drop()
        del self._sensors[name]
        self.timed = [one for one in self.timed if one is not found]

    def drop_those_of(self, part: Object) -> None:
        """Remove the sensors of an object that leaves."""
        for sensor in self.sensors:
            if sensor.parent is part:
                self.remove_sensor(sensor)

    # -- measuring -----------------------------------------------------------------------------
    def step(self, make: Callable[[], bool | None] | None = None, unnoted: int = 0) -> int:
        """Make steps; before the last one note what it changes and sensors need. Return their status.

        make: Makes the last step and tells whether its `status` says something; None: the engine makes it.
        unnoted: Number of steps before it.
        """
        engine, said = self.world.engine, 0
        try:
            if unnoted:
                if self._before is not None:
                    self._before.is_known = False
                if engine.run(unnoted):
                    said = int(engine.status[0, 0])
                self.world.pushes = {}
                if said & Status.INVALID:
                    return said
            self._note_before(engine)
            if engine.run(1) if make is None else make():
                said |= int(engine.status[0, 0])
            return said
        except BaseException:  # it is not known which steps were made
            self.lose_last_step()
            raise

    def _note_before(self, engine: Engine) -> None:
        world, old = self.world, self._before
        if self._sensors:
            if old is None or old.model is not engine.model:
                old = self._before = Before(engine)
            old.note(world.pushes)
        world.pushes = {}

    def measure_due(self) -> None:
        """Let those measure whose time it is."""
        if self.timed:
            now, dt = self.world.time, self.world.time_step
            for sensor in self.timed:
                sensor.update(now, dt)

    def _steps_to_next(self, n: int) -> int:
        """Return after how many of n steps a sensor is due, n if none is."""
        if not self.timed:
            return n
        due = min(sensor.due() for sensor in self.timed)
        left = (due - self.world.time) / self.world.time_step
        return n if left > n else max(1, math.ceil(left - EARLY))

    def run(
        self, n: int, measure_due: Callable[[], None], last_step: Callable[[], bool] | None = None
    ) -> int:
        """Make n steps, stopping for the sensors that are due; return the status of all of them.

        Where it stops it calls `measure_due`: that of the sensors, or of what else looks at steps besides.
        `last_step` makes the step before that; None: the engine, as all others.
        """
        for sensor in self.timed:
            self._check_rate(sensor)
        said = 0
        while n > 0:
            count = self._steps_to_next(n)
            said |= self.step(last_step, count - 1)
            if said & Status.INVALID:
                return said
            n -= count
            measure_due()
        return said

    def last_wrench(self, sensor: Sensor) -> Before:
        """Return the external torque and force on every body in the last step, and on which link."""
        engine = self.world.engine
        before = self._before
        if before is None or not before.is_known or before.model is not engine.model:
            raise EditError(
                f"sensor {sensor.name} measures over the last step, and since it was added (or the list of "
                "objects changed) there was none; step the world first"
            )
        return before

    def mean_acceleration(self, sensor: Sensor) -> np.ndarray:
        """Return (v⁺ − v)/Δt of the last step for all degrees of freedom of the world, (1, dofs)."""
        return sensor._senses().mean_acceleration()  # noqa: SLF001 - of this package

    def shapes_at(self, mount: Mount) -> slice:
        """Return which shapes are on the body that carries a sensor."""
        return WorldSenses(mount, None).hidden

    def look_along(
        self, place: np.ndarray, directions: np.ndarray, nearest: float, reach: np.ndarray, hidden: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] (infinity: nothing) and object number (−1) of rays; some shapes are hidden."""
        shape_filter = self._rays.look(ALL_GROUPS, ())
        shape_filter.scene.is_seen[hidden if isinstance(hidden, slice) else slice(0, 0)] = 0
        start = np.array(np.broadcast_to(place, directions.shape), order="C")
        hit, shape = self._rays.cast(shape_filter, start, np.ascontiguousarray(directions), nearest, reach)
        return hit[:, 0].copy(), object_numbers(self.world.objects, shape)

    # -- snapshots -----------------------------------------------------------------------------
    def get_state(self) -> dict[str, Any]:
        """Return what the future of the sensors depends on, by name."""
        return {name: sensor.get_state() for name, sensor in self._sensors.items()}

    def packed(self) -> bytes:
        """Return `get_state` as bytes, for `unpacked` in another process."""
        return bytes(_array_files().to_json([*self.get_state().items()]))

    def unpacked(self, saved: bytes) -> dict[str, Any]:
        """Return what `packed` was made of; ValueError: it is damaged, or belongs to other sensors."""
        try:
            found = dict(_array_files().of_json(saved))
            made = {k: self._sensors[k].unpacked(one) for k, one in found.items() if k in self._sensors}
        except (ValueError, TypeError, OverflowError) as error:
            raise ValueError("the state is damaged: its sensors cannot be read") from error
        self.check_state(found)
        return made

    def check_state(self, state: dict[str, Any]) -> None:
        """Refuse the state of other sensors."""
        if list(state) != list(self._sensors):
            raise ValueError(
                f"the state belongs to a world with other sensors ({', '.join(state) or 'none'} then, "
                f"{', '.join(self._sensors) or 'none'} now)"
            )

    def set_state(self, state: dict[str, Any], pushes: Pushes) -> None:
        """Go back to a state of all sensors and the pushes of that time."""
        for name, saved in state.items():
            self._sensors[name].set_state(saved)
        self._before = None
        self.world.pushes = dict(pushes)

    def forget_last_step(self, state: dict[str, Any] | None = None) -> None:
        """Note that the last step belongs to another state, and begin anew or with a state of all sensors."""
        self.lose_last_step()
        for name, saved in (state or {}).items():
            self._sensors[name].set_state(saved)
        for sensor in self.sensors if state is None else ():
            sensor.restart(self.world.time)

    def lose_last_step(self) -> None:
        """Note that nothing is known about the last step."""
        self._before = None
        self.world.pushes = {UNKNOWN: np.zeros(6)} if self.world.engine.command.has_wrench[0] else {}
