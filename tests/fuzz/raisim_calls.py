"""Every call of `tribo.raisimpy`, argument by argument, with values that nobody would give on purpose.

A call is refused in words or taken. Refused, it leaves the world and its own object as they were; taken,
the world can step.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import random
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from fuzz.calls import ODD, ROBOT, USES, settings_of
from tribo import raisimpy as raisim

LEFT_OUT = re.compile(
    r"^_|^(tribo|spellings|name|wrap|push|show|body_of|viewer|make_viewer|colors|install)$"
    r"|^(launchServer|initApp|run|remoteRun|msleep|usleep|requestSaveScreenshot|stopRecordingVideo.*"
    r"|startRecordingVideo|exportToXml|exportRobotDescriptionToURDF)$"
)
SENSORS = """<sensor_set name="set">
  <sensor name="depth" type="depth"><origin xyz="0.05 0 0"/>
    <camera horizontal_fov="1.0"><image width="4" height="3"/><clip near="0.1" far="10"/></camera></sensor>
  <sensor name="imu" type="imu" update_rate="100"><origin xyz="0 0 0"/></sensor>
  <sensor name="lidar" type="spinning_lidar"><origin xyz="0 0 0"/>
    <yaw samples="4"/><pitch samples="1" min_angle="0" max_angle="0"/><range min="0.1" max="20"/></sensor>
</sensor_set>"""
CARRIER = """<robot name="carrier"><link name="base" sensor="set.xml"><inertial><mass value="2"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""
MADE = (  # classes that programs make themselves
    "World", "MaterialManager", "CompoundObjectChild", "Transformation", "SpringElement", "SparseJacobian",
    "RaisimServer", "TerrainProperties", "RaisimGymVecEnv", "OgreVis",
)  # fmt: skip
POINT = [0.0, 0.0, 0.0]
SPREAD = 7919  # a prime: the first inputs are of all things


def make() -> dict[str, Any]:
    """Return a small world with one of everything, and the things in it that have calls."""
    world = raisim.World()
    ground = world.addGround()
    ball, box = world.addSphere(0.1, 1.0), world.addBox(0.2, 0.2, 0.2, 1.0)
    ball.setPosition(2, 0, 0.0999)
    box.setPosition(2.5, 0, 0.0999)
    gone = world.addSphere(0.1, 1.0)
    gone.setPosition(9, 9, 9)
    world.removeObject(gone)
    robot = world.addArticulatedSystem(ROBOT)
    robot.setBasePos([0, 0, 0.6])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "set.xml").write_text(SENSORS)
        (Path(folder) / "carrier.urdf").write_text(CARRIER)
        carrier = world.addArticulatedSystem(str(Path(folder) / "carrier.urdf"))
    carrier.setBasePos([0, 9, 1])
    ends = (ball, 0, POINT, box, 0, POINT, 0.6)
    terrain = raisim.TerrainProperties(xSamples=5, ySamples=5)
    found = {
        "world": world, "ground": ground, "ball": ball, "box": box, "gone": gone, "robot": robot,
        "hills": world.addHeightMap(50.0, 0.0, terrain), "wire": world.addStiffWire(*ends),
        "compliant": world.addCompliantWire(*ends, 10.0), "custom": world.addCustomWire(*ends),
    }  # fmt: skip
    world.integrate()
    server, sensors = raisim.RaisimServer(world), carrier.getSensorSet("base")
    child = raisim.CompoundObjectChild()
    found |= {
        "contact": ball.getContacts()[0], "shape": ball.getCollisionBody(), "frame": robot.getFrames()[0],
        "joint": robot.getJoint(robot.getMovableJointNames()[0]), "solver": world.getContactSolver(),
        "link": robot.getLink(robot.getBodyNames()[1]), "problem": world.getContactProblem()[0],
        "set": sensors, "camera": sensors.getSensor("depth"), "imu": sensors.getSensor("imu"),
        "lidar": sensors.getSensor("lidar"), "materials": world.getMaterialManager(), "server": server,
        "hits": world.rayTest([2, 0, 5], [0, 0, -1], 9.0), "visual": server.addVisualBox("shown", 1, 1, 1),
        "line": server.addVisualPolyLine("line"), "cloud": server.addPointCloud("cloud"),
        "many": server.addInstancedVisuals("many", "sphere", 0.1), "terrain": terrain, "child": child,
        "drawn hills": server.addVisualHeightMap("drawn", 0.0, 0.0, terrain),
        "mesh": server.addVisualMesh("mesh", np.eye(3), [0, 1, 2]),
        "chart": server.addTimeSeriesGraph("chart", ["a"]), "bars": server.addBarChart("bars", ["a"]),
        "jacobian": robot.getSparseJacobian(1), "options": raisim.ArticulatedSystemOption(),
        "raisim": raisim,
    }  # fmt: skip
    found["many"].addInstance(POINT)
    found["hit"] = found["hits"][0]
    return found


@cache
def targets() -> tuple[tuple[str, str], ...]:
    """Return (thing, name) of everything that can be called."""
    found = []
    for thing, item in make().items():
        places = vars(item) if thing == "raisim" else dict.fromkeys(dir(type(item)))
        for name in places:
            if LEFT_OUT.match(name) or hasattr(list, name):
                continue
            if thing != "raisim":
                call = getattr(type(item), name, None)
                aliased = name in {o for many in getattr(type(item), "spellings", {}).values() for o in many}
                if aliased or not callable(call) or isinstance(call, type):
                    continue
            elif name not in MADE:
                continue
            found += [(thing, name)] * 10
    return tuple(sorted(found))


_kept: dict[str, Any] = {}
_uses: list[int] = []  # inputs that the world has taken


def prepare() -> None:
    """Compile and import what calls need."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    tribo.warm_up(everything=True, quiet=True)
    make()["world"].integrate()
    np.seterr(all="ignore")


def arguments(
    rng: random.Random, call: Callable[..., Any], things: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments for a call: most odd, some things of the world, some such as they should be."""
    fine = [0, 1, 0.5, 1.0, POINT, [1.0, 0.0, 0.0, 0.0], "default", "shown"]
    pool = [*ODD, *things.values()]

    def one() -> Any:
        return rng.choice(fine) if rng.random() < 0.3 else rng.choice(pool)

    given: list[Any] = []
    named: dict[str, Any] = {}
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return [one()], {}
    for parameter in parameters:
        has_default = parameter.default is not parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += [one() for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 5, 7)))]
        elif parameter.kind is parameter.VAR_KEYWORD or (has_default and rng.random() < 0.5):
            continue
        elif parameter.kind is parameter.KEYWORD_ONLY or has_default:
            named[parameter.name] = one()
        else:
            given.append(one())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        named = {p.name: named[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in named}
    return given, named


def plain(value: Any, depth: int = 3) -> Any:
    """Return data of an object of the layer as something that can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return tuple((str(k), plain(v, depth)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(plain(one, depth) for one in value)
    if isinstance(value, (str, int, float, bool, type(None))):
        return repr(value)
    is_layer = type(value).__module__.startswith("tribo.raisimpy") and hasattr(value, "__dict__")
    if is_layer and depth and not isinstance(value, raisim.World):
        return tuple((k, plain(v, depth - 1)) for k, v in sorted(vars(value).items()) if k not in LAZY)
    return id(value)


LAZY = {"_frames", "_links", "_drawn", "_colliding", "_sensor_sets", "_read", "_it", "_wrapped"}


def state_of(things: dict[str, Any], item: Any) -> Any:
    """Return what must not change when a call is refused."""
    it = things["world"].tribo
    names = tuple(part.name for part in it.objects) + tuple(tie.name for tie in it.constraints)
    sensors = tuple(sensor.name for sensor in it.sensors)
    own = () if item is raisim else plain(item)
    return it.hash(), names, sensors, it.material_names, it.time, settings_of(it), own


def play(number: int) -> bool:
    """Do one call; return whether it was taken."""
    rng = random.Random(number)
    thing, name = targets()[number * SPREAD % len(targets())]
    if not _kept:
        _kept.update(make())
        _uses.clear()
    things = dict(_kept)
    item = things[thing]
    before = state_of(things, item)
    call = getattr(item, name)
    given, named = arguments(rng, call, things)
    said = f"{thing}.{name}(*{given!r:.200}, **{named!r:.200})"
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call(*given, **named)
    except Exception as error:
        if state_of(things, item) != before:
            _kept.clear()
            raise AssertionError(f"{said}: refused ({error}), and the world is not as it was") from error
        if hasattr(error, "add_note"):
            error.add_note(said)
        raise
    _uses.append(number)
    if len(_uses) >= USES or state_of(things, item) != before:
        _kept.clear()  # what the call did is not handed to the next one
    it = things["world"].tribo
    try:
        if it.is_midway:
            it.advance()
        it.step(2)
    except tribo.SimulationError:
        return True  # said in words; the world stands at its last valid state
    return True
