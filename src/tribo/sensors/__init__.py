"""Sensors on bodies, robots and places of a world."""

from tribo.sensors.base import Sensor
from tribo.sensors.camera import DepthCamera, DepthReading
from tribo.sensors.inertial import Imu, ImuReading
from tribo.sensors.joints import EncoderReading, JointEncoder
from tribo.sensors.lidar import Lidar, LidarReading
from tribo.sensors.noise import Noise
from tribo.sensors.wrench import ContactReading, ContactSensor, ForceTorqueSensor, WrenchReading

__all__ = [
    "ContactReading",
    "ContactSensor",
    "DepthCamera",
    "DepthReading",
    "EncoderReading",
    "ForceTorqueSensor",
    "Imu",
    "ImuReading",
    "JointEncoder",
    "Lidar",
    "LidarReading",
    "Noise",
    "Sensor",
    "WrenchReading",
]
