"""<sensor>: those that tribo has, under their names; the others are listed with what to ask instead."""

from __future__ import annotations

from collections.abc import Sequence

from tribo.description.trees import SensorDescription
from tribo.formats.mjcf.source import Source
from tribo.formats.mjcf.trees import Tree
from tribo.formats.nodes import Node, known_hint

USED = frozenset({"name", "site", "joint", "user", "noise"})  # the noise has no effect in MuJoCo either
WITHOUT_EFFECT = {
    "cutoff": "is not read: clip what the sensor measures",
    "delay": "is not read: sensors measure at once; leave it out",
    "nsample": "is not read; leave it out",
    "interp": "is not read; leave it out",
}
AT_SITES = {
    "accelerometer": "imu", "gyro": "imu", "force": "force_torque", "torque": "force_torque"
}  # fmt: skip
OF_JOINTS = {"jointpos": "encoder", "jointvel": "encoder"}
MAX_SENSORS = 10_000  # of one file
INSTEAD = {
    "touch": "use World.add_contact_sensor, which has all contacts of a body",
    "velocimeter": "ask the site: robot.frame(site).linear_velocity",
    "magnetometer": "there is no magnetic field",
    "rangefinder": "use World.ray_test, or World.add_lidar",
    "actuatorfrc": "ask the joint: robot.joint(name).applied_torque",
    "subtreecom": "ask robot.com_position",
    "subtreelinvel": "of a whole robot it is robot.linear_momentum / robot.mass",
    "subtreeangmom": "of a whole robot it is robot.angular_momentum",
    "clock": "ask world.time",
}
FRAMES = "ask the body or site: robot.frame(name)"


def read_sensors(source: Source, trees: Sequence[Tree]) -> None:
    """Add the sensors of all <sensor> sections to the robots that carry them.

    Raises:
        DescriptionError: A site or joint does not exist, a name is used twice, or there are too many.
    """
    names: set[str] = set()
    for section in source.sections("sensor"):
        for node in section.children:
            kind = AT_SITES.get(node.tag) or OF_JOINTS.get(node.tag)
            if kind is None:
                what = FRAMES if node.tag.startswith("frame") else INSTEAD.get(node.tag, "")
                node.doubt(f"sensors of this kind are not read{'; ' if what else ''}{what}",
                           f"sensor/{node.tag}")  # fmt: skip
                continue
            node.check_attributes(USED, WITHOUT_EFFECT)
            name = node.word("name") or f"sensor_{len(names)}"
            if name in names:
                raise node.error("another sensor has the same name; rename one")
            if len(names) >= MAX_SENSORS:
                raise node.error(f"more than {MAX_SENSORS} sensors are not read")
            names.add(name)
            _add(node, SensorDescription(kind, name, ""), trees)


def _add(node: Node, made: SensorDescription, trees: Sequence[Tree]) -> None:
    """Give a sensor to the robot that has its site or joint."""
    key = "joint" if made.kind == "encoder" else "site"
    wanted = node.text(key)
    known: list[str] = []
    for tree in trees:
        own = {name: frame.name for name, frame in tree.sites.items()}
        if key == "joint":
            own = {body.joint.name: body.joint.name for body in tree.description.bodies}
        if wanted in own:
            made.frame = own[wanted]
            tree.description.sensors.append(made)
            return
        known += own
    if key == "site":
        node.doubt(f"site={wanted!r} stands, or is not there: it measures nothing", "sensor still")
        return
    raise node.error(f"{key}={wanted!r} is not a joint{known_hint(wanted, known)}")
