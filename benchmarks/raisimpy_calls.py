"""How long getters and setters of `tribo.raisimpy` take: ``python benchmarks/raisimpy_calls.py [--over µs]``.

*whole* is the call as a script makes it, with what tribo does; *layer* is the part of it that the lines of
`src/tribo/raisimpy/` take, with the calls into NumPy that they make. A profiler within the process tells that
part; it makes all calls slower, so the share counts, not its time. Calls that return a list are marked with
the number of its items.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tribo.raisimpy as raisim
from tribo.tools.demo import ASSETS

LAYER = str(Path(raisim.__file__).parent)
CALLS = 100
ROUNDS = 5


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
    found |= {
        "robot": robot, "box": box, "ball": ball, "wire": world.addStiffWire(*ends),
        "compliant wire": world.addCompliantWire(*ends, 10.0), "custom wire": world.addCustomWire(*ends),
    }  # fmt: skip
    for _ in range(200):
        world.integrate()
    name = robot.tribo.joint_names[0]
    found |= {
        "contact": box.getContacts()[0], "shape": box.getCollisionBody(), "joint": robot.getJoint(name),
        "link": robot.getLink(robot.tribo.body_names[1]),
    }  # fmt: skip
    return found


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
            ([3.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0]), ("a", "b", 0.8, 0.0, 0.0),
        ]  # fmt: skip
    names = robot.tribo.joint_names[0], robot.tribo.body_names[1]
    return [(), (1,), (0,), *((one,) for one in names), (np.zeros(3),), (1, np.zeros(3)), ("wood", "floor"),
            ("ground",)]  # fmt: skip


def own_share(call: Any, arguments: tuple[Any, ...]) -> float:
    """Return the part of the time of a call that is spent in files of the layer."""
    spent, last, whole = 0.0, 0.0, 1e-12
    inside = [False]

    def note(frame: Any, event: str, _: Any) -> None:
        nonlocal spent, last, whole
        now = time.perf_counter()
        if len(inside) > 1:
            whole += now - last
        if inside[-1]:
            spent += now - last
        if event == "call":
            inside.append(frame.f_code.co_filename.startswith(LAYER))
        elif event == "return" and len(inside) > 1:
            inside.pop()
        last = time.perf_counter()

    sys.setprofile(note)
    try:
        for _ in range(CALLS):
            call(*arguments)
    finally:
        sys.setprofile(None)
    return spent / whole


def whole_time(call: Any, arguments: tuple[Any, ...]) -> float:
    """Return the time of a call [s]."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        call(*arguments)
    return (time.perf_counter() - begin) / CALLS


def rows() -> list[tuple[float, float, str]]:
    """Return layer [µs], whole [µs] and name of every getter and setter."""
    made = []
    found = things()
    for label, thing in found.items():
        for name in sorted(dir(type(thing))):
            if not name.startswith(("get", "set", "is")) or not any(c.isupper() for c in name):
                continue
            call = getattr(thing, name)
            for arguments in tries(thing, name, found["robot"]):
                try:
                    result = call(*arguments)
                except Exception:
                    continue
                share = float(np.median([own_share(call, arguments) for _ in range(ROUNDS)]))
                whole = min(whole_time(call, arguments) for _ in range(ROUNDS))
                items = f" ({len(result)} items)" if isinstance(result, list) else ""
                made.append((1e6 * share * whole, 1e6 * whole, f"{label}.{name}{items}"))
                break
            else:
                print(f"not called: {label}.{name}")
    return sorted(made, reverse=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--over", type=float, default=5.0, help="print calls whose layer takes longer [µs]"
    )
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
