"""Every public call, argument by argument, with values that nobody would give on purpose.

A call is refused in words or taken. Refused, it leaves the world as it was, to the bit; taken, the world
can step, be saved as a state and come back.
"""

from __future__ import annotations

import inspect
import logging
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.compiler.jit import DISABLED, PREBUILT, backend
from tribo.engine.prebuilt_entries import ENTRIES

ROBOT = (Path(__file__).parents[2] / "src/tribo/assets/quadruped.urdf").read_text()
LEFT_OUT = re.compile(
    r"^_|^(step|save|save_state|load|run|viewer|show|engine|attach|note_|rebuild|take_|write_materials|look_along)"
)

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10**9, -(10**18), 2**63, 2**64, 10**400, 0.0, -0.0, 0.5,
    -0.5, 1e-320, 1e-9, 1e9, 1e300, float("nan"), float("inf"), -float("inf"), 1j, "", "ball",
    "box", "quad", "default", "steel", "nobody", "dynamic", "static", "\0", "x" * 3000, b"ball",
    (), [], {}, (0,), (0, 0, 1), (0, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (float("nan"), 0, 0),
    (1e200, 0, 0), ("a", "b", "c"), [[0, 0, 1], [1, 0, 0]], [1, [2, 3]], range(3), {"a": 1},
    {"LF_HAA": 0.1}, {1, 2}, object(), int, len, lambda *a: 0, slice(0, 1), Ellipsis,
    NotImplemented, np.zeros(3), np.ones(4), np.zeros((3, 3)), np.eye(3), np.full(3, np.nan),
    np.zeros(0), np.zeros((0, 3)), np.zeros((2, 3, 4)), np.array("x"), np.array(None),
    np.array([1, 2, 3], "i1"), np.float32(1.5), np.int8(-3), np.datetime64("2020-01-01"),
    np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.zeros(18), np.zeros(19), np.ones(12),
    np.arange(6.0), np.random.default_rng, Exception("x"), Path("/nowhere/file"), tribo.World,
)  # fmt: skip


# Calls between the package's own parts; users have no reason to call them.
INNER = {
    "ball.set_state", "ground.set_state", "batch.records_of", "materials.become", "pin.tie", "wire.tie",
    "world.last_wrench", "world.mean_acceleration", "world.tie_described",
}  # fmt: skip


def make() -> dict[str, Any]:
    """Return a small world with one of everything, and the things in it that have calls."""
    world = tribo.World()
    ground = world.add_ground()
    ball = world.add_sphere(0.1, 1.0, name="ball", position=(2, 0, 0.1))
    box = world.add_box((0.2, 0.2, 0.2), 1.0, name="box", position=(2.5, 0, 0.1))
    cloud = world.add_box((0.2, 0.2, 0.2), 1.0, name="far", position=(2.5, 3, 2))
    robot = world.add_articulated_system(ROBOT, name="quad", position=(0, 0, 0.6))
    pin = world.add_pin(box, cloud, name="pin")
    wire = world.add_wire(ball, cloud, name="wire")
    imu = world.add_imu(ball, name="imu")
    return {
        "world": world, "ground": ground, "ball": ball, "robot": robot, "pin": pin, "wire": wire, "imu": imu,
        "link": robot.link(robot.body_names[0]), "joint": robot.joint(robot.joint_names[-1]),
        "shape": ball.collision_bodies[0], "materials": world.materials,
    }  # fmt: skip


def make_batch() -> dict[str, Any]:
    """Return a batch of three such worlds, and what it hands out."""
    things = make()
    world = things["world"]
    world.remove_sensor("imu")
    batch = tribo.Batch(world, 3, threads=1)
    return {
        "batch": batch,
        "robots": batch["quad"],
        "balls": batch["ball"],
        "wires": batch.constraint("wire"),
    }


@cache
def targets() -> tuple[tuple[str, str, str], ...]:
    """Return (thing, kind, name) of everything that can be called or assigned."""
    found = []
    for thing, item in (make() | make_batch()).items():
        for name in sorted({*dir(item)} & {*dir(type(item))}):  # without what completion hides
            if LEFT_OUT.match(name) or f"{thing}.{name}" in INNER:
                continue
            attribute = inspect.getattr_static(type(item), name)
            if isinstance(attribute, property):
                found.append((thing, "get", name))
                if attribute.fset is not None:
                    found += [(thing, "set", name)] * 6
            elif callable(getattr(type(item), name, None)):
                found += [(thing, "call", name)] * 12
    return tuple(sorted(found))


USES = 20  # calls that one world takes, as long as it stands as before after each of them
_kept: dict[str, Any] = {}
_uses: dict[str, int] = {}


def compile_questions() -> None:
    """Compile what is compiled when it is first asked: no input has to wait for that."""
    if DISABLED or PREBUILT:
        return
    for function, kinds in ENTRIES:
        outermost = getattr(function, "from_python", function)
        outermost.compile(tuple(map(backend().numba_type, kinds)))


def prepare() -> None:
    """Compile and import what calls need."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    tribo.warm_up(everything=True, quiet=True)
    compile_questions()
    things = make()
    things["world"].step()
    make_batch()["batch"].step()
    np.seterr(all="ignore")


def arguments(
    rng: random.Random, call: Callable[..., Any], things: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments for a call: some odd, some things of the world, some left out."""
    pool = [*ODD, *things.values()]
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return [rng.choice(pool)], {}
    given: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        has_default = parameter.default is not parameter.empty
        if has_default and rng.random() < 0.7:
            continue
        value = rng.choice(pool)
        if parameter.kind is parameter.KEYWORD_ONLY or has_default:
            named[parameter.name] = value
        else:
            given.append(value)
    if rng.random() < 0.02:
        given.append(rng.choice(pool))
    return given, named


def state_of(things: dict[str, Any]) -> Any:
    """Return what must not change when a call is refused."""
    if "batch" in things:
        batch = things["batch"]
        records = (batch.engine.state, batch.engine.command, batch.engine.settings, batch.engine.model)
        return tuple(record.arrays[name].tobytes() for record in records for name in record.arrays)
    world = things["world"]
    names = tuple(part.name for part in world.objects) + tuple(tie.name for tie in world.constraints)
    return world.hash(), names, world.material_names, world.time, settings_of(world)


def settings_of(world: tribo.World) -> tuple[bytes, ...]:
    """Return commands, settings and model of a world, as bytes."""
    engine = world.engine
    records = (engine.command, engine.settings, engine.model)
    return tuple(record.arrays[name].tobytes() for record in records for name in record.arrays)


def play(number: int) -> bool:
    """Do one call; return whether it was taken."""
    rng = random.Random(number)
    thing, kind, name = targets()[number % len(targets())]
    key = "batch" if thing in ("batch", "robots", "balls", "wires") else "world"
    if key not in _kept:
        _kept[key], _uses[key] = make_batch() if key == "batch" else make(), 0
    things = _kept[key]
    item = things[thing]
    if key == "world" and rng.random() < 0.1:
        things["world"].step(rng.randrange(3))
    before = state_of(things)
    said = f"{thing}.{name}"
    try:
        if kind == "get":
            getattr(item, name)
        elif kind == "set":
            value = rng.choice([*ODD, *things.values()])
            said = f"{said} = {value!r:.100}"
            setattr(item, name, value)
        else:
            call = getattr(item, name)
            given, named = arguments(rng, call, things)
            said = f"{said}(*{given!r:.200}, **{named!r:.200})"
            call(*given, **named)
    except Exception as error:
        if state_of(things) != before:
            _kept.pop(key)
            raise AssertionError(f"{said}: refused ({error}), and the world is not as it was") from error
        if hasattr(error, "add_note"):
            error.add_note(said)
        raise
    if kind == "get":
        return True
    _uses[key] += 1
    if _uses[key] >= USES or state_of(things) != before:
        _kept.pop(key)  # what the call did is not handed to the next one
    owner = things[key]
    if key == "world":
        if owner.is_midway:
            owner.advance()
        try:
            owner.step(2)
        except tribo.SimulationError:
            return True  # said in words; the world stands at its last valid state
        owner.load_state(owner.dump_state())
    else:
        owner.step(2)
    return True
