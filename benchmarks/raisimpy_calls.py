"""How long calls of `tribo.raisimpy` take: ``python benchmarks/raisimpy_calls.py [--over µs] [--all]``.

*whole* is the call as a script makes it, with what tribo does; *layer* is the part of it that the lines of
`src/tribo/raisimpy/` take, with the calls into NumPy that they make. A profiler within the process notes each
time that a function is entered or left; of the time between two notes the least of all rounds counts, so that
other work of the machine does not. What a note itself costs is measured first, and taken off. The part of
the noted time that is the layer's is then taken of the whole, which is measured without notes.
Where a call returns or takes a list of n items, *layer* is per item, and n is shown. Calls that raise an
error by their nature (a static body has no velocity) are left out.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import tribo.raisimpy as raisim
from tribo.tools.demo import ASSETS

LAYER = str(Path(raisim.__file__).parent)
ROUNDS = 25
ROUND = 0.0005  # [s] that the calls of a round take together, at least one call
VERBS = ("get", "set", "is", "add", "remove", "clear", "compute", "mass", "wake", "update", "ray",
         "ignore", "capture", "restore", "convert", "articulated", "depth", "overlaps", "apply",
         "focus", "resize")  # fmt: skip
LEFT_OUT = {  # nothing to measure, or what the next call needs is gone
    "setName", "setLicenseFile", "setActivationKey", "setMap", "removeInstance", "clearInstances",
}  # fmt: skip
BUILDS = (
    "addSphere", "addBox", "addCylinder", "addCapsule", "addCone", "addGround", "addMesh", "addCompound",
    "addHeightMap", "addArticulatedSystem", "addStiffWire", "addCompliantWire", "addCustomWire",
    "removeObject", "updateMaterialProp", "addVisual", "addInstancedVisuals", "addPointCloud",
    "addTimeSeriesGraph", "addBarChart", "removeVisual", "removePointCloud",
)  # fmt: skip
ITEMS = {  # beams, pixels, parts of a snapshot, contacts and joints that are looked through
    "robot.getSprings": 12, "robot.getMinvJT": 3,
    "contact.getPairContactIndexInPairObject": 9, "contact.getIndexContactProblem": 9,
    "world.rayTestLidar": 12, "world.captureDepthCamera": 12, "camera.get3DPoints": 12,
    "camera.depthToPointCloud": 12, "world.restoreSingleBodySnapshot": 6,
}  # fmt: skip
SENSORS = """<sensor_set name="set">
  <sensor name="depth" type="depth"><origin xyz="0.05 0 0"/>
    <camera horizontal_fov="1.0"><image width="4" height="3"/><clip near="0.1" far="10"/></camera></sensor>
  <sensor name="imu" type="imu" update_rate="100"><origin xyz="0 0 0"/></sensor>
  <sensor name="lidar" type="spinning_lidar"><origin xyz="0 0 0"/>
    <yaw samples="4"/><pitch samples="1" min_angle="0" max_angle="0"/><range min="0.1" max="20"/></sensor>
</sensor_set>"""
CARRIER = """<robot name="carrier"><link name="base" sensor="set.xml"><inertial><mass value="2"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""


def things() -> dict[str, Any]:
    """Return one object of each kind, of a world in which they touch."""
    world = raisim.World()
    world.setTimeStep(0.002)
    found = {"world": world, "ground": world.addGround(0.0, "floor")}
    robot = world.addArticulatedSystem(str(ASSETS / "quadruped.urdf"))
    robot.setBasePos([0, 0, 0.5])
    box, ball = world.addBox(0.2, 0.2, 0.2, 1.0, "wood"), world.addSphere(0.1, 1.0)
    box.setPosition(3, 0, 0.1)
    ball.setPosition(5, 0, 0.1)
    ends = box, 0, [0, 0, 0], ball, 0, [0, 0, 0], 2.5
    terrain = raisim.TerrainProperties()
    terrain.xSamples = terrain.ySamples = 10
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "set.xml").write_text(SENSORS)
        (Path(folder) / "carrier.urdf").write_text(CARRIER)
        carrier = world.addArticulatedSystem(str(Path(folder) / "carrier.urdf"))
    carrier.setBasePos([0, 9, 1])
    found |= {
        "robot": robot, "box": box, "ball": ball, "wire": world.addStiffWire(*ends),
        "compliant wire": world.addCompliantWire(*ends, 10.0), "custom wire": world.addCustomWire(*ends),
        "height map": world.addHeightMap(50.0, 0.0, terrain),
    }  # fmt: skip
    for name in ("compliant wire", "custom wire", "wire"):
        found[name].setName(name)
    for _ in range(200):
        world.integrate()
    name = robot.tribo.joint_names[0]
    server = raisim.RaisimServer(world)
    sensors = carrier.getSensorSet("base")
    found |= {
        "contact": box.getContacts()[0], "shape": box.getCollisionBody(), "joint": robot.getJoint(name),
        "link": robot.getLink(robot.tribo.body_names[1]), "sensor set": sensors,
        "camera": sensors.getSensor("depth"), "imu": sensors.getSensor("imu"),
        "carrier": carrier, "lidar": sensors.getSensor("lidar"), "materials": world.getMaterialManager(),
        "hit": world.rayTest([3, 0, 5], [0, 0, -1], 9.0)[0], "server": server,
        "visual": server.addVisualBox("shown", 1, 1, 1), "line": server.addVisualPolyLine("line"),
        "instances": server.addInstancedVisuals("many", "sphere", 0.1),
        "chart": server.addTimeSeriesGraph("chart", ["a"]), "bars": server.addBarChart("bars", ["a"]),
        "solver": world.getContactSolver(), "problem": world.getContactProblem()[0],
    }  # fmt: skip
    found["instances"].addInstance([0, 0, 0])
    return found


def given(found: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the arguments of calls that need their own."""
    robot, world, box = found["robot"], found["world"], found["box"]
    q, turn = robot.getGeneralizedCoordinate(), np.array([1.0, 0.0, 0.0, 0.0])
    jacobian, zeros = robot.getDenseJacobian(3), np.zeros(3)
    return {
        "world.getConstraint": ("wire",), "world.isObjectSleeping": (box,), "world.wakeObject": (box,),
        "world.isObjectAlive": (box,), "world.getObject": ("ball",),
        "world.setMaterialPairProp": ("a", "b", 0.8, 0, 0),
        "world.setDefaultMaterial": (0.8, 0.0, 0.0), "world.rayTest": ([3, 0, 5], [0, 0, -1], 9.0),
        "world.rayTestLidar": (np.eye(3), [3, 0, 2], -1, 1, 0.5, 1, 3, -1, 0.2, 0.1, 9),
        "world.captureDepthCamera": ([3, 0, 3], np.eye(3), raisim.DepthCameraProperties(width=4, height=3)),
        "world.captureSingleBodySnapshot": (box,),
        "world.restoreSingleBodySnapshot": (box, world.captureSingleBodySnapshot(box)),
        "world.setContactSolverParam": (1, 1, 1, 150, 1e-8), "world.setSleepingParameters": (0.01, 0.01, 2),
        "robot.getCollisionBody": ("LF_FOOT/0",), "robot.getMinvJT": (jacobian,),
        "robot.massMatrixVecMul": (np.zeros(18),), "robot.articulatedBodyAlgorithm": (np.zeros(18),),
        "robot.setPTarget": (q,), "robot.setPdTarget": (q, np.zeros(18)),
        "robot.setGeneralizedCoordinate": (q,),
        "robot.setCollisionBodyOrientationOffset": ("trunk/0", turn),
        "robot.setCollisionObjectOrientationOffset": ("trunk/0", turn),
        "robot.setCollisionBodyShapeParameters": ("trunk/0", 0.5, 0.2, 0.1),
        "robot.setCollisionObjectShapeParameters": ("trunk/0", 0.5, 0.2, 0.1),
        "robot.convertSparseJacobianToDense": (robot.getSparseJacobian(3), 18),
        "robot.ignoreCollisionBetween": (3, 6), "robot.addSpring": (raisim.SpringElement(3, 0.0, 0.0),),
        "robot.setExternalForce": (0, zeros), "robot.setExternalTorque": (0, zeros),
        "robot.setState": (q, np.zeros(18)), "camera.depthToPointCloud": (np.ones(12),),
        "sensor set.getSensor": ("imu",), "carrier.getSensorSet": ("base",),
        "server.getVisualObject": ("shown",), "server.focusOn": (box,),
        "server.setCameraPositionAndLookAt": ([1, 1, 1], [0, 0, 0]), "height map.getHeight": (50.0, 0.0),
        "height map.setColor": ([(1.0, 0.0, 0.0)] * 100,),
        "height map.getNormal": (50.0, 0.0), "visual.setColor": (1, 0, 0, 1), "line.setColor": (1, 0, 0, 1),
        "instances.setPosition": (0, zeros), "instances.setOrientation": (0, turn),
        "instances.setScale": (0, np.ones(3)), "instances.setColor": (0, 1, 0, 0), "line.addPoint": (zeros,),
        "instances.setColorWeight": (0, 0.5), "chart.addDataPoints": (0.0, [1.0]), "bars.setData": ([1.0],),
        "materials.getMaterialPairProp": ("wood", "floor"), "hit.getObject": (),
        "materials.setMaterialPairProp": ("a", "b", 0.8, 0, 0), "camera.setDepthArray": (np.ones(12),),
        "materials.setDefaultMaterialProperties": (0.8, 0.0, 0.0),
        "solver.updateConfig": (found["solver"].getConfig(),),
    }  # fmt: skip


def tries(thing: Any, name: str, robot: Any) -> list[tuple[Any, ...]]:
    """Return arguments with which a call may be made, the first that works is taken."""
    if name.startswith("set"):
        dof = np.zeros(robot.getDOF())
        own: list[tuple[Any, ...]] = []
        try:
            value = getattr(thing, f"get{name[3:]}")()
            own = [(value,), tuple(value)] if isinstance(value, tuple) else [(value,)]
        except (AttributeError, TypeError, ValueError):
            pass
        return [
            *own, (1.0,), ([0.0, 0.0, 0.5],), (True,), (1, 1.0), (0, [0.0, 0.0, 0.0]), (dof,), (dof, dof),
            (np.eye(3),), ("red",), ([1.0, 0.0, 0.0, 0.0],), ([3.0, 0.0, 0.1], [0.0, 0.0, 0.0]),
            ([3.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0]),
        ]  # fmt: skip
    names = robot.tribo.joint_names[0], robot.tribo.body_names[1]
    return [(), (1,), (0,), *((one,) for one in names), (np.zeros(3),), (1, np.zeros(3)), ("wood", "floor"),
            ("ground",)]  # fmt: skip


class Clock:
    """Notes how long lines of the layer run, and all others: a profile function of Python."""

    def __init__(self) -> None:
        """Start outside of the layer."""
        self.spent: list[float] = []
        self.is_layer: list[bool] = []
        self.inside, self.last = [False], time.perf_counter()

    def __call__(self, frame: Any, event: str, _: Any) -> None:
        """Note that something was called or has returned."""
        now = time.perf_counter()
        self.spent.append(now - self.last)
        self.is_layer.append(self.inside[-1])
        if event == "call":
            self.inside.append(frame.f_code.co_filename.startswith(LAYER))
        elif event == "return" and len(self.inside) > 1:
            self.inside.pop()
        self.last = time.perf_counter()


def noted(call: Any, arguments: tuple[Any, ...]) -> Clock:
    """Return what a clock notes during a call."""
    clock = Clock()
    sys.setprofile(clock)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
    return clock


def least(clocks: list[Clock]) -> tuple[np.ndarray, np.ndarray]:
    """Return the least time between each two notes [s], and whether a line of the layer ran in it."""
    common = Counter(len(clock.spent) for clock in clocks).most_common(1)[0][0]
    alike = [clock for clock in clocks if len(clock.spent) == common]
    return np.min([clock.spent for clock in alike], axis=0), np.array(alike[0].is_layer)


def cost_of_a_note() -> float:
    """Return what a note adds to the time that is noted [s]."""
    space: dict[str, Any] = {}
    exec(compile("def empty(): pass", "elsewhere", "exec"), space)
    text = "def loop():\n    for _ in range(1000): empty(); abs(1)"
    exec(compile(text, f"{LAYER}/loop", "exec"), space)
    loop = space["loop"]
    bare = min(whole_time(loop, (), 1) for _ in range(50))
    spent, _ = least([noted(loop, ()) for _ in range(50)])
    return float((spent.sum() - bare) / len(spent))


def share_of_layer(clocks: list[Clock], note: float) -> float:
    """Return the part of a call's time that lines of the layer take, notes taken off."""
    spent, is_layer = least(clocks)
    bare = np.maximum(spent - note, 1e-9)
    return float(bare[is_layer].sum() / bare.sum())


def whole_time(call: Any, arguments: tuple[Any, ...], calls: int) -> float:
    """Return the time of a call [s]."""
    begin = time.perf_counter()
    for _ in range(calls):
        call(*arguments)
    return (time.perf_counter() - begin) / calls


def items_of(key: str, result: Any, arguments: tuple[Any, ...]) -> int:
    """Return of how many items a list is that a call returns, takes or looks through; 1: of none."""
    if key in ITEMS:
        return ITEMS[key]
    if isinstance(result, (list, dict)):
        return max(len(result), 1)
    lists = [one for one in arguments if isinstance(one, (list, tuple)) and len(one) > 4]
    return max((len(one) for one in lists), default=1)


def rows() -> list[tuple[float, float, str]]:
    """Return layer per item [µs], whole [µs] and name of each call."""
    found, made = things(), []
    own, note = given(found), cost_of_a_note()
    for label, thing in found.items():
        for name in sorted(dir(type(thing))):
            if not name.startswith(VERBS) or name in LEFT_OUT or name.startswith(BUILDS) or name.islower():
                continue
            call, key = getattr(thing, name), f"{label}.{name}"
            is_known = "SensorSet" in name if label == "carrier" else name != "getSensorSet"
            if not callable(call) or not is_known:
                continue
            for arguments in [own[key]] if key in own else tries(thing, name, found["robot"]):
                try:
                    result = call(*arguments)
                    once = whole_time(call, arguments, 1)
                except Exception:
                    continue
                calls = max(1, min(100, int(ROUND / once)))
                share = share_of_layer([noted(call, arguments) for _ in range(ROUNDS)], note)
                whole = min(whole_time(call, arguments, calls) for _ in range(ROUNDS))
                layer = share * whole
                n = items_of(key, result, arguments)
                of = f" ({n} items)" if n > 1 else ""
                made.append((1e6 * layer / n, 1e6 * whole, f"{key}{of}"))
                break
            else:
                print(f"not called: {key}")
    return sorted(made, reverse=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--over", type=float, default=5.0, help="print calls whose layer takes longer [µs]")
    limit = parser.parse_args().over
    logging.disable(logging.WARNING)
    found = rows()
    for layer, whole, name in found:
        if layer > limit:
            print(f"{layer:8.1f} {whole:9.1f}  {name}")
    slow = sum(layer > limit for layer, _, _ in found)
    print(f"{len(found)} calls, {slow} whose layer takes more than {limit:g} µs")
    middle = np.median([layer for layer, _, _ in found])
    print(f"layer: median {middle:.2f} µs, largest {found[0][0]:.1f} µs")
