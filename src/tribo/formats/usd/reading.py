"""Read USD: each group of bodies that joints hold together becomes a robot, what stands static objects.

Source: OpenUSD, UsdPhysics user documentation and schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tribo.checks.by_name import primed
from tribo.description.trees import DescriptionError, ObjectDescription, TreeDescription, WorldDescription
from tribo.formats import surface_friction
from tribo.formats.nodes import Spot
from tribo.formats.report import Report
from tribo.formats.usd.bodies import BodyReader
from tribo.formats.usd.filters import keep_apart, part_links
from tribo.formats.usd.joints import Link, read_link
from tribo.formats.usd.stage import Stage, open_stage
from tribo.formats.usd.trees import Group, tree_of
from tribo.formats.usd.unread import screen
from tribo.model import Joint, Kind


def read(
    source: str | Path, *, package_dirs: Sequence[Path] = (), strict: bool = False
) -> tuple[WorldDescription, bool]:
    """Read a USD file: all that moves, and all that stands.

    Returns:
        The scene, and whether the file says what gravity is.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
        ImportError: OpenUSD is missing.
    """
    report = Report(strict=strict)
    stage = open_stage(source, package_dirs, report)
    for text in stage.notes:
        Spot(str(stage.path or "USD text"), report).doubt(text, text)
    screen(stage)
    scene = WorldDescription(source=stage.path)
    known = BodyReader(stage)
    has_gravity = _gravity(stage, scene)
    groups = _groups(_links(stage, known), known)
    robot_of = {id(body): k for k, group in enumerate(groups) for body in group.bodies}
    links = keep_apart(stage, known, robot_of)
    for group in groups:
        tree = tree_of(stage, group)
        name = _name(group)
        made = ObjectDescription("articulated_system", name, kind=tree.kind, tree=tree)
        made.generalized_velocity = _velocity(stage, group, tree)
        scene.objects.append(made)
    scene.objects += _standing(known)
    if not scene.objects:
        raise DescriptionError(
            f"{stage.path or 'USD text'}: holds no rigid body and no geometry; there is nothing to add"
        )
    part_links(links, scene)
    surface_friction.add_laws(scene)
    scene.notes, scene.doubts = report.notes, report.doubts
    return scene, has_gravity


def _gravity(stage: Stage, scene: WorldDescription) -> bool:
    """Read gravity; its standard is 9.81 m/s² down."""
    found = [prim for prim in stage.prims.values() if prim.type == "PhysicsScene"]
    if not found:
        return False
    if len(found) > 1:
        found[1].doubt("is the second PhysicsScene: only the first one is read", "scenes")
    prim = found[0]
    direction = prim.vector("physics:gravityDirection", 3, (0.0, 0.0, 0.0))
    size = prim.number("physics:gravityMagnitude", -np.inf)
    length = float(np.linalg.norm(direction))
    down = stage.up @ direction / length if length > 0.0 else np.array([0.0, 0.0, -1.0])
    strength = size * stage.metres if size >= 0.0 and np.isfinite(size) else 9.81
    scene.gravity = tuple((strength * down + 0.0).tolist())
    return True


def _links(stage: Stage, known: BodyReader) -> list[Link]:
    """Return all joints that have an effect."""
    made: list[Link] = []
    names: set[str] = set()
    for prim in stage.prims.values():
        if prim.type.startswith("Physics") and prim.type.endswith("Joint"):
            name = primed(prim.name, names)
            link = read_link(stage, prim, known, name)
            if link is not None:
                names.add(name)
                made.append(link)
    return made


def _groups(links: list[Link], known: BodyReader) -> list[Group]:
    """Return the bodies in groups that joints hold together, in the order of the file."""
    group_of: dict[int, Group] = {}
    for body in known.bodies.values():
        group_of[id(body)] = Group([body])
    for link in links:
        first, second = (None if body is None else group_of[id(body)] for body in link.bodies)
        if first is None or second is None:
            continue
        if first is not second:
            first.bodies += second.bodies
            for body in second.bodies:
                group_of[id(body)] = first
    for link in links:
        group_of[id(link.bodies[0] or link.bodies[1])].links.append(link)
    order = {id(body): k for k, body in enumerate(known.bodies.values())}
    groups = list({id(group): group for group in group_of.values()}.values())
    for group in groups:
        group.bodies.sort(key=lambda body: order[id(body)])
    return sorted(groups, key=lambda group: order[id(group.bodies[0])])


def _name(group: Group) -> str:
    """Return what a robot is called: the prim above all of its bodies, or its only body."""
    paths = [body.prim.path for body in group.bodies if body.prim is not None]
    if len(paths) == 1:
        return group.bodies[0].name
    parts = [path.split("/") for path in paths]
    shared = [level[0] for level in zip(*parts, strict=False) if len(set(level)) == 1]
    return shared[-1] if len(shared) > 1 and shared[-1] else group.bodies[0].name


def _velocity(stage: Stage, group: Group, tree: TreeDescription) -> tuple[float, ...] | None:
    """Return the velocity with which a single body begins; None: it rests, or is part of a robot."""
    prim = group.bodies[0].prim
    if len(group.bodies) > 1 or prim is None or tree.bodies[0].joint.type != Joint.FREE:
        return None
    parent = stage.prims.get(prim.path.rpartition("/")[0])
    turn = stage.up
    if parent is not None and parent.world is not None:
        lengths = np.linalg.norm(parent.world[:3, :3], axis=0)
        turn = parent.world[:3, :3] / np.where(lengths > 0.0, lengths, 1.0)
    linear = stage.metres * turn @ prim.vector("physics:velocity", 3, (0.0, 0.0, 0.0))
    angular = np.radians(turn @ prim.vector("physics:angularVelocity", 3, (0.0, 0.0, 0.0)))
    whole = tuple(np.concatenate([linear, angular]).tolist())
    return whole if any(whole) else None


def _standing(known: BodyReader) -> list[ObjectDescription]:
    """Return what stands, each shape as an object of its own."""
    made = []
    for prim, solid in known.ground.solids:
        for k in range(max(len(solid.shapes), 1)):
            item = ObjectDescription("standing", prim.name, kind=Kind.STATIC)
            item.shape = solid.shapes[k] if solid.shapes else None
            item.visual = solid.visual if k == 0 else None
            if item.shape is not None:
                item.material = item.shape.material
            made.append(item)
    return made
