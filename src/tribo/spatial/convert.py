"""Between tribo's robots and Spatial_v2's model structures, models and states, both ways."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tribo.description.trees import (
    BodyDescription,
    FrameDescription,
    JointDescription,
    TreeDescription,
    VisualDescription,
)
from tribo.model import Joint, Kind, Shape
from tribo.spatial.embed import Body, embedded, is_floating
from tribo.spatial.floating import BASE, floatbase
from tribo.spatial.inertia import mcI
from tribo.spatial.model import Appearance, Model
from tribo.spatial.rotation import rq
from tribo.spatial.transforms import plux

UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # planar y is the world's z


class ConversionWarning(UserWarning):
    """Something of a model has no place in the other form."""


def from_tribo(robot: Any, gravity: Any = None) -> Model:
    """Return a robot of tribo as a model structure.

    Body frames stay what they are, except where a joint's axis is not +x, +y or +z: such a joint
    becomes an "R" or "P" about z, and its body's frame is turned so that z is the axis. Visuals that are
    boxes, balls, cylinders or capsules become drawing instructions.

    Args:
        robot: An object of a world, or a `TreeDescription`.
        gravity: (3,) [m/s²]; None: that of the robot's world, or Spatial_v2's default.

    Returns:
        With a floating base in the form of `floatbase`: tribo's root is body 5, the others follow in
        tribo's order. With a fixed base the root is no body.

    Raises:
        ValueError: The robot has a spherical joint.

    Warns:
        ConversionWarning: Joints have damping, friction, armature or limits; they are left out.

    Example:
        >>> from tribo.spatial import autoTree, to_tribo
        >>> from_tribo(to_tribo(autoTree(3))).NB
        3
    """
    description: TreeDescription = getattr(robot, "description", robot)
    root = description.bodies[0]
    pose = (root.joint.position, root.joint.quaternion)
    if hasattr(robot, "world"):
        pose = (robot.position, robot.orientation)
        gravity = robot.world.gravity if gravity is None else gravity
    is_fixed = description.kind == Kind.STATIC or root.joint.type == Joint.FIXED
    turns: dict[int, np.ndarray] = {}
    parent, jtype, Xtree, inertias, looks = [], [], [], [], []
    for k, body in enumerate(description.bodies):
        if k == 0 and is_fixed:
            continue
        if k == 0 and body.joint.type == Joint.FREE:
            code, turn = "R", np.eye(3)
        else:
            code, turn = _code(body.joint)
            _warn_about(body.joint)
        turns[k] = turn
        at, how = np.array(body.joint.position), rq(body.joint.quaternion).T
        above = body.parent
        if above == 0 and is_fixed:
            base = rq(pose[1]).T
            at, how, above = np.asarray(pose[0]) + base @ at, base @ how, -1
        elif above >= 0:
            at, how = turns[above].T @ at, turns[above].T @ how
        if k == 0 and body.joint.type == Joint.FREE:
            at, how = np.zeros(3), np.eye(3)
        parent.append(above - is_fixed if above >= 0 else -1)
        jtype.append(code)
        Xtree.append(plux((how @ turn).T, at))
        inertias.append(mcI(body.mass, turn.T @ body.com, turn.T @ body.inertia @ turn))
        looks.append([i for v in body.visuals for i in _instructions(v, turn)])
    model = Model(parent, jtype, Xtree, inertias, gravity, appearance=Appearance([], looks))
    floats = not is_fixed and root.joint.type == Joint.FREE
    return floatbase(model) if floats else model


def to_tribo(model: Model, name: str = "model") -> TreeDescription:
    """Return a model structure as a description that `World.add_articulated_system` takes.

    The six joints of `floatbase` become one free joint; any other model hangs on a fixed base. A planar
    model stands upright: its x-y plane is the world's x-z plane. Contact points become frames
    `point_0`, `point_1` …; gravity is the world's.

    Args:
        model: Spatial or planar.
        name: Of the root.

    Raises:
        ValueError: The model has a helical joint.

    Example:
        >>> import tribo
        >>> from tribo.spatial import autoTree
        >>> world = tribo.World()
        >>> world.add_articulated_system(to_tribo(autoTree(3))).dof
        3
    """
    floats = is_floating(model)
    parts = embedded(model, floats=floats)
    first = BASE if floats else 0
    offset = 0 if floats else 1
    bodies: list[BodyDescription] = []
    if not floats:
        how = tuple(rq(UPRIGHT.T).tolist()) if model.is_planar else (1.0, 0.0, 0.0, 0.0)
        bodies.append(BodyDescription(name, -1, JointDescription(name, Joint.FIXED, quaternion=how)))
    notes: list[str] = []
    for i, part in enumerate(parts):
        body = _body(part, f"{name}_{i + offset}" if i or not floats else name, offset)
        looks = model.appearance.body if model.appearance is not None else []
        if first + i < len(looks):
            body.visuals, left_out = _visuals(looks[first + i])
            notes += [f"{body.name}: drawing instruction {n!r} left out" for n in left_out]
        bodies.append(body)
    frames = [FrameDescription(body.name, k) for k, body in enumerate(bodies)]
    if model.gc is not None:
        for k, owner in enumerate(model.gc.body):
            at = tuple(map(float, [*model.gc.point[:, k], 0.0][:3]))
            frames.append(FrameDescription(f"point_{k}", owner - first + offset, at))
    return TreeDescription(bodies, frames, notes=notes)


def state_from_tribo(robot: Any) -> tuple[np.ndarray, ...]:
    """Return the state of a robot in a world as (xfb, q, qd), or (q, qd) with a fixed base.

    Raises:
        ValueError: The robot has a spherical joint.
    """
    q, v = robot.generalized_coordinate, robot.generalized_velocity
    if robot.description.bodies[0].joint.type != Joint.FREE:
        return q, v
    w = v[3:6]
    xfb = np.concatenate([q[3:7], q[:3], w, v[:3] - np.cross(w, q[:3])])
    return xfb, q[7:], v[6:]


def state_to_tribo(xfb: Any, q: Any = (), qd: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """Return generalized coordinate and velocity of tribo for a floating-base state.

    With a fixed base they are q and qd themselves.

    Example:
        >>> gc, gv = state_to_tribo([1, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0])
        >>> gv.tolist()    # w = (0, 1, 0) about the origin moves the base at z = 2 along x
        [2.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    """
    x = np.ravel(np.asarray(xfb, float))
    linear = x[10:] + np.cross(x[7:10], x[4:7])
    return (np.concatenate([x[4:7], x[:4], np.ravel(q)]), np.concatenate([linear, x[7:10], np.ravel(qd)]))


def _code(joint: JointDescription) -> tuple[str, np.ndarray]:
    """Return the code of a joint, and how its body's frame is turned for it."""
    letter = {Joint.REVOLUTE: "R", Joint.PRISMATIC: "P"}.get(joint.type)
    if letter is None:
        raise ValueError(
            f"joint {joint.name!r} is {joint.type.name.lower()}: Spatial_v2 knows joints of one freedom; "
            "describe it as a chain of three revolute joints"
        )
    axis = np.array(joint.axis, float)
    for k, end in enumerate("xyz"):
        if np.array_equal(axis, np.eye(3)[k]):
            return letter + end, np.eye(3)
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    return letter, np.stack([side, np.cross(axis, side), axis], axis=1)


def _warn_about(joint: JointDescription) -> None:
    left_out = [n for n in ("damping", "friction", "armature") if getattr(joint, n) != 0.0]
    if np.isfinite(joint.lower) or np.isfinite(joint.upper):
        left_out.append("limits")
    if left_out:
        warnings.warn(
            f"joint {joint.name!r}: {', '.join(left_out)} left out, Spatial_v2's structure lacks them",
            ConversionWarning,
            stacklevel=3,
        )


def _body(part: Body, name: str, offset: int) -> BodyDescription:
    if part.floats:
        joint = JointDescription(name, Joint.FREE)
    elif part.turn != 0.0 and part.slide != 0.0:
        raise ValueError(f"{name}: tribo has no helical joint (pitch {part.slide:g} m/rad)")
    else:
        kind = Joint.REVOLUTE if part.turn != 0.0 else Joint.PRISMATIC
        how = tuple(rq(part.rotation.T).tolist())
        joint = JointDescription(
            f"joint_{name}", kind, tuple(part.position.tolist()), how, tuple(part.axis.tolist())
        )
    return BodyDescription(
        name, part.parent + offset if part.parent >= 0 else offset - 1, joint, part.mass,
        tuple(part.com.tolist()), part.inertia,
    )  # fmt: skip


def _instructions(visual: VisualDescription, turn: np.ndarray) -> list[Any]:
    """Return the drawing instructions of a visual; none for a mesh or a turned box."""
    turned = turn.T @ rq(visual.quaternion).T
    at = turn.T @ np.array(visual.position)
    size = (*visual.size, 0.0, 0.0)[:3]
    made: list[Any] = []
    along = turned[:, 2]
    if visual.kind == Shape.SPHERE:
        made = [["sphere", at.tolist(), size[0]]]
    elif visual.kind in (Shape.CYLINDER, Shape.CAPSULE):
        ends = np.array([at - size[1] * along, at + size[1] * along])
        made = [["cyl", ends.tolist(), size[0]]]
        if visual.kind == Shape.CAPSULE:
            made += [["sphere", end.tolist(), size[0]] for end in ends]
    elif visual.kind == Shape.BOX:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        corners = at + (signs * size) @ turned.T
        made = [["vertices", corners.tolist()], ["triangles", _BOX]]
    elif visual.kind == Shape.ELLIPSOID:
        made = [["vertices", (at + _ball() * size @ turned.T).tolist()], ["triangles", _facets()]]
    if made and visual.color is not None:
        made = [["colour", [list(visual.color[:3])]], *made]
    return [made] if made else []


ROWS, COLUMNS = 7, 16  # of corners of a ball, between its poles


def _ball() -> np.ndarray:
    """Return corners on a ball of radius 1: rows from the top, the upper and the lower pole."""
    tilt = np.repeat(np.pi * np.arange(1, ROWS + 1) / (ROWS + 1), COLUMNS)
    turn = np.tile(2 * np.pi * np.arange(COLUMNS) / COLUMNS, ROWS)
    around = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], 1)
    return np.concatenate([around, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])


def _facets() -> list[list[int]]:
    """Return the triangles of `_ball`, which turn left seen from outside."""
    made, top, bottom = [], ROWS * COLUMNS, ROWS * COLUMNS + 1
    for j in range(COLUMNS):
        after = (j + 1) % COLUMNS
        made += [[top, j, after], [bottom, bottom - 1 - COLUMNS + after, bottom - 1 - COLUMNS + j]]
        for first in range(0, (ROWS - 1) * COLUMNS, COLUMNS):
            below = first + COLUMNS
            made += [[first + j, below + j, below + after], [first + j, below + after, first + after]]
    return made


# Triangles of a box whose corners count up z first, then y, then x; seen from outside they turn left.
_BOX = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


def _visuals(instructions: list[Any]) -> tuple[list[VisualDescription], list[str]]:
    """Return the visuals of drawing instructions, and the names of those that have none."""
    made: list[VisualDescription] = []
    left_out: list[str] = []
    color: tuple[float, ...] | None = None
    for item in instructions:
        if not isinstance(item[0], str):
            inner, more = _visuals(item)
            made += inner
            left_out += more
        elif item[0] == "colour":
            color = (*item[1][0], 1.0)
        elif item[0] == "sphere":
            made.append(VisualDescription(Shape.SPHERE, (item[2],), tuple(item[1]), color=color))
        elif item[0] == "box":
            low, high = np.min(item[1], axis=0), np.max(item[1], axis=0)
            half, at = tuple((high - low) / 2), tuple((high + low) / 2)
            made.append(VisualDescription(Shape.BOX, half, at, color=color))
        elif item[0] == "cyl":
            start, end = np.array(item[1], float)
            at, how = tuple((start + end) / 2), tuple(_toward(end - start).tolist())
            reach = 0.5 * float(np.linalg.norm(end - start))
            made.append(VisualDescription(Shape.CYLINDER, (item[2], reach), at, how, color=color))
        elif item[0] != "facets":
            left_out.append(item[0])
    return made, left_out


def _toward(direction: np.ndarray) -> np.ndarray:
    """Return a quaternion that turns z into a direction."""
    d = direction / np.linalg.norm(direction)
    q = np.array([1.0 + d[2], -d[1], d[0], 0.0])
    return q / np.linalg.norm(q) if d[2] > -1.0 + 1e-12 else np.array([0.0, 1.0, 0.0, 0.0])
