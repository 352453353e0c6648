"""Read an MJCF file: a scene with all its objects, or the one robot in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.actuators import has_activation
from tribo.description.trees import IDENTITY, DescriptionError, ObjectDescription, Vector, WorldDescription
from tribo.engine.layout import COORDINATES, DOFS
from tribo.formats.mjcf import (
    actuators,
    bodies,
    contacts,
    damping_ratio,
    equality,
    geoms,
    joints,
    meshes,
    replicate,
    tendons,
)
from tribo.formats.mjcf.actuators import ActuatorReader
from tribo.formats.mjcf.attach import attach_models
from tribo.formats.mjcf.bodies import BodyReader
from tribo.formats.mjcf.contacts import Contacts, read_contacts
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.equality import EqualityReader
from tribo.formats.mjcf.from_model import as_source
from tribo.formats.mjcf.geoms import Geom, GeomReader
from tribo.formats.mjcf.hfields import HeightFields
from tribo.formats.mjcf.joints import JointReader
from tribo.formats.mjcf.meshes import Meshes
from tribo.formats.mjcf.sensors import read_sensors
from tribo.formats.mjcf.source import Source, load
from tribo.formats.mjcf.tendons import TendonReader
from tribo.formats.mjcf.trees import Places, Tree, split
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import NO_POSE, Pose, matrix, normalized
from tribo.formats.report import Report
from tribo.model import Joint, Kind

SECTIONS = (
    "compiler", "option", "default", "asset", "worldbody", "contact", "actuator", "keyframe", "equality",
    "tendon", "sensor",
)  # fmt: skip
DRAWN = ("visual", "statistic", "size", "custom", "option", "compiler")
NOT_READ = {
    "deformable": "flexible bodies are not read: it is left out",
    "extension": "plugins are not read: it is left out",
}
ASSETS = ("mesh", "material", "texture", "skin", "model", "hfield")
OPTION = {
    "timestep", "gravity", "integrator", "cone", "jacobian", "solver", "iterations", "tolerance",
    "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance", "ccd_iterations",
    "ccd_tolerance", "sdf_iterations", "sdf_initpoints", "impratio", "magnetic", "o_margin", "o_solref",
    "o_solimp", "o_friction", "sleep_tolerance", "apirate", "mpr_iterations", "mpr_tolerance",
}  # fmt: skip
OPTION_WITHOUT_EFFECT = {
    **dict.fromkeys(("density", "viscosity", "wind"), "has no effect: there is no fluid; leave it out"),
    "actuatorgroupdisable": "is not read: all actuators act",
}
NUMERIC_FLAGS = {
    "warmstart", "refsafe", "sensor", "midphase", "multiccd", "nativeccd", "island", "eulerdamp",
    "autoreset", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "ipc", "speculative",
}  # fmt: skip
KEY = frozenset({"name", "qpos", "qvel", "ctrl", "act"})
KEY_WITHOUT_EFFECT = {
    "time": "is not read: worlds begin at 0 s",
    "mpos": "is not read: put the mocap bodies there by their position",
    "mquat": "is not read: turn the mocap bodies by their orientation",
}
STANDARD_STEP = 0.002  # [s]


def read(
    source: str | Path, *, package_dirs: Sequence[Path] = (), keyframe: str | int | None = None,
    strict: bool = False,
) -> WorldDescription:  # fmt: skip
    """Read a scene.

    Args:
        source: Path of an MJCF file, or its text.
        package_dirs: Folders, besides that of the file, which may hold included files and meshes.
        keyframe: Name or number of the keyframe to start in; None: where the file draws the bodies.
        strict: Elements without effect are errors instead of notes.

    Returns:
        Time step, gravity, contact laws; a tree for each body of the world that moves, and each geom
        that stands; notes.

    Raises:
        DescriptionError: The scene cannot be simulated; the message says where, what and the remedy.

    Example:
        >>> ball = '<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1" mass="2"/></body>'
        >>> scene = read(ball + "</worldbody></mujoco>")
        >>> scene.objects[0].tree.bodies[0].mass
        2.0
    """
    return _scene(load(source, Report(strict=strict), package_dirs), package_dirs, keyframe)


def read_model(model: Any, *, keyframe: str | int | None = None, strict: bool = False) -> WorldDescription:
    """Read a model that MuJoCo compiled (MjModel), or would compile (MjSpec), as `read` reads files.

    Raises:
        DescriptionError: As `read`.
        TypeError: It is no model of MuJoCo.
    """
    return _scene(as_source(model, Report(strict=strict)), (), keyframe)


def _scene(files: Source, package_dirs: Sequence[Path], keyframe: str | int | None) -> WorldDescription:
    made = _Model(files, package_dirs)
    scene = WorldDescription(time_step=STANDARD_STEP, source=made.source.path)
    _options(made.source, scene)
    scene.pairs = made.contacts.laws
    made.start(keyframe)
    for tree in made.trees:
        own, name = tree.description, made.bodies[tree.members[0]].name
        item = ObjectDescription("articulated_system", name, kind=own.kind, tree=own)
        item.generalized_velocity = made.velocity_of(tree, keyframe)
        scene.objects.append(item)
    standing = [_standing(geom, pose, made.contacts) for geom, pose in made.standing]
    scene.objects += [one for one in standing if one is not None]
    scene.constraints = made.between
    scene.notes, scene.doubts = files.root.report.notes, files.root.report.doubts
    return scene


class _Model:
    """All that a file describes, and the trees that it makes."""

    def __init__(self, source: Source, package_dirs: Sequence[Path]) -> None:
        self.source = source
        attach_models(source, package_dirs)
        self._check_sections()
        replicate.expand(source)
        sections = list(source.sections("default"))
        defaults = Defaults(sections)
        for rules in {id(rules): rules for _, rules in source.attached.values()}.values():
            defaults.take(rules.main, rules.defaults)
            sections += rules.defaults
        screen_defaults(sections)
        compiler = source.rules.compiler
        meshes = Meshes(source, defaults, package_dirs)
        fields = HeightFields(source, package_dirs)
        geoms = GeomReader(source, compiler, defaults, meshes, fields)
        joints = JointReader(compiler, defaults)
        self.bodies = BodyReader(compiler, defaults, geoms, joints).read(source)
        joints_by_name = {j.description.name: j for b in self.bodies for j in b.joints}
        self.contacts: Contacts = read_contacts(source, defaults, self.bodies)
        self.trees: list[Tree]
        self.standing: list[tuple[Geom, Pose]]
        self.trees, self.standing = split(self.bodies, self.contacts)
        for tree in self.trees:
            tree.description.source = source.path
        self._first: list[tuple[int, int]] = []  # coordinate and dof of each body in MuJoCo's order
        count = dofs = 0
        for body in self.bodies:
            self._first.append((count, dofs))
            count += sum(COORDINATES[joint.type] for joint in body.joints)
            dofs += sum(DOFS[joint.type] for joint in body.joints)
        self._dof = dofs
        drawn = self._drawn()
        drawn_and_sprung = drawn, self._drawn("sprung")
        places = Places(
            self.bodies, self.trees, *([self._of(tree, q) for tree in self.trees] for q in drawn_and_sprung)
        )
        tendons = TendonReader(defaults, joints_by_name, places)
        tendons.read(source)
        equalities = EqualityReader(self.bodies, places, tendons.made, defaults)
        equalities.read(source)
        self.between = tendons.scene + equalities.scene  # constraints between trees
        numbers = {body.name: k for k, body in enumerate(self.bodies)}
        actuators = ActuatorReader(defaults, places, numbers, tendons.made)
        self._actuators = actuators.read(source)
        for tree in self.trees:
            tree.description.control_count = len(self._actuators)
        read_sensors(source, self.trees)
        self._controls: dict[str, dict[str, float]] = {}
        self._activations: dict[str, dict[str, float]] = {}
        self._keys = self._keyframes()
        springs = {j.description.name: j.springdamper for b in self.bodies for j in b.joints}
        springs = {name: numbers for name, numbers in springs.items() if numbers}
        for tree in self.trees:
            damping_ratio.settle(tree.description, self._of(tree, drawn), springs)

    def _check_sections(self) -> None:
        root = self.source.root
        root.check(("model",), SECTIONS, silent=(*DRAWN, *NOT_READ))
        for node in root.children:
            if node.tag in NOT_READ and node.children:
                for child in node.children:
                    child.doubt(NOT_READ[node.tag], f"{node.tag}/{child.tag}")
            if node.tag == "asset":
                node.check_children(ASSETS)

    # -- where bodies start ----------------------------------------------------------------------
    def start(self, keyframe: str | int | None) -> None:
        """Give every tree the coordinates, velocities and controls in which it starts, and all keyframes."""
        q0 = self._drawn()
        keys = list(self._keys)
        if keyframe is not None and (isinstance(keyframe, bool) or not isinstance(keyframe, (str, int))):
            raise TypeError(f"keyframe must be a name, a number or None, got {check.shown(keyframe)}")
        if isinstance(keyframe, int):
            if not 0 <= keyframe < len(keys):
                raise DescriptionError(f"there is no keyframe {keyframe}; the file has {len(keys)}")
            keyframe = keys[keyframe]
        if keyframe is not None and keyframe not in self._keys:
            hint = known_hint(keyframe, keys)
            raise DescriptionError(f"there is no keyframe {keyframe!r}{hint}")
        for tree in self.trees:
            made = tree.description
            made.keyframes = {name: self._of(tree, key.get("qpos", q0)) for name, key in self._keys.items()}
            own = {actuator.name for actuator in made.actuators}
            made.keyframe_controls = {
                key: {name: u for name, u in given.items() if name in own}
                for key, given in self._controls.items()
            }
            made.drawn = self._of(tree, q0)
            made.start = made.keyframes[keyframe] if keyframe is not None else made.drawn
            if keyframe is not None:
                made.start_controls = made.keyframe_controls[keyframe]
                made.start_activations = {
                    name: x for name, x in self._activations[keyframe].items() if name in own
                }

    def _drawn(self, coordinate: str = "reference") -> Vector:
        """Return MuJoCo's qpos0; with "sprung" its qpos_spring."""
        q: list[float] = []
        for body in self.bodies:
            for joint in body.joints:
                if joint.type == Joint.FREE:
                    q += (*body.pose.position, *body.pose.quaternion)
                else:
                    q += IDENTITY if joint.type == Joint.SPHERICAL else (getattr(joint, coordinate),)
        return tuple(q)

    def _of(self, tree: Tree, qpos: Vector) -> Vector:
        """Return the coordinates of one tree out of those of all."""
        made: list[float] = []
        for number in tree.members:
            at, _ = self._first[number]
            for joint in self.bodies[number].joints:
                width = COORDINATES[joint.type]
                own = qpos[at : at + width]
                at += width
                if width >= 4:  # a quaternion of zeros is no turn, as in MuJoCo
                    own = (*own[:-4], *(normalized(own[-4:]) if any(own[-4:]) else IDENTITY))
                made += own
        if tree.description.kind == Kind.KINEMATIC:
            pose = self.bodies[tree.members[0]].pose
            return (*pose.position, *pose.quaternion)
        return tuple(made)

    def velocity_of(self, tree: Tree, keyframe: str | int | None) -> Vector | None:
        """Return the velocities of one tree in a keyframe, None where it has none; after `start`.

        MuJoCo turns free and ball joints in axes of the body, tribo in those of the parent.   ω = R(q) w
        """
        name = list(self._keys)[keyframe] if isinstance(keyframe, int) else keyframe
        key = self._keys[name] if name is not None else {}
        if "qvel" not in key or tree.description.kind == Kind.KINEMATIC:
            return None
        made: list[float] = []
        q = tree.description.start or ()
        at = 0
        for number in tree.members:
            _, dof = self._first[number]
            for joint in self.bodies[number].joints:
                own = key["qvel"][dof : dof + DOFS[joint.type]]
                dof += len(own)
                at += COORDINATES[joint.type]
                if len(own) >= 3:
                    turn = matrix(q[at - 4 : at])
                    own = (*own[:-3], *(turn @ np.array(own[-3:])).tolist())
                made += own
        return tuple(made)

    def _keyframes(self) -> dict[str, dict[str, Vector]]:
        made: dict[str, dict[str, Vector]] = {}
        for section in self.source.sections("keyframe"):
            section.check_children(("key",))
            for node in section.all("key"):
                node.check_attributes(KEY, KEY_WITHOUT_EFFECT)
                name = node.word("name") or f"key_{len(made)}"
                if name in made:
                    raise node.error("another keyframe has the same name; rename one")
                made[name] = {"qpos": _padded(node, self._drawn())} if "qpos" in node.attributes else {}
                if "qvel" in node.attributes:
                    given = node.vector("qvel", None)
                    if len(given) > self._dof:
                        raise node.error(f"qvel has {len(given)} numbers; the dofs are {self._dof}")
                    made[name]["qvel"] = (*given, *(0.0,) * (self._dof - len(given)))
                self._controls[name] = self._controls_of(node, "ctrl")
                self._activations[name] = self._controls_of(node, "act")
        return made

    def _controls_of(self, node: Node, key: str) -> dict[str, float]:
        """Return controls or activations of a keyframe by actuator; those that are left out are 0."""
        given = node.vector(key, None, ())
        those = self._actuators
        if key == "act":
            those = [one for one in those if one is not None and has_activation(one)]
        if len(given) > len(those):
            raise node.error(f"{key} has {len(given)} numbers; there are {len(those)}")
        return {a.name: u for a, u in zip(those, given, strict=False) if a is not None}


def _padded(node: Node, drawn: Vector) -> Vector:
    """Return the coordinates of a keyframe; what a short one leaves out is as it is drawn, as in MuJoCo."""
    given = node.vector("qpos", None)
    if not 1 <= len(given) <= len(drawn):
        raise node.error(f"qpos has {len(given)} numbers; the coordinates are {len(drawn)}")
    return (*given, *drawn[len(given) :])


def _options(source: Source, scene: WorldDescription) -> None:
    """Read <option>: time step, gravity and the flags that matter."""
    for node in source.sections("option"):
        node.check(OPTION, ("flag",), said=OPTION_WITHOUT_EFFECT)
        if "timestep" in node.attributes:
            scene.time_step = node.time_step("timestep")
        scene.gravity = node.vector("gravity", 3, scene.gravity)
        for flags in node.all("flag"):
            for name in flags.attributes:
                is_on = flags.choice(name, ("enable", "disable"), "enable") == "enable"
                if name == "gravity" and not is_on:
                    scene.gravity = (0.0, 0.0, 0.0)
                elif name == "override" and is_on:
                    flags.doubt("override of contact parameters is not read")
                elif not is_on and name not in NUMERIC_FLAGS and name != "contact":
                    flags.doubt(f'{name}="disable" is not read: it stays enabled')


def _standing(geom: Geom, pose: Pose, contacts: Contacts) -> ObjectDescription | None:
    """Describe a geom that stands as an object of its own."""
    shape, visual = contacts.shape(geom), geom.visual()
    if shape is None and visual is None:
        return None
    made = ObjectDescription("standing", geom.name, kind=Kind.STATIC)
    made.position, made.quaternion = pose.position, pose.quaternion
    made.shape, made.visual = shape, visual
    for item in (shape, visual):
        if item is not None:
            inner = NO_POSE if geom.mesh is None or item is shape else geom.mesh.pose
            item.position, item.quaternion = inner.position, inner.quaternion
    if shape is not None:
        made.material, made.group, made.mask = shape.material, shape.group, shape.mask
    return made


DEFAULTS_KNOWN = {
    "joint": (joints.USED, joints.WITHOUT_EFFECT),
    "geom": (geoms.USED, geoms.WITHOUT_EFFECT),
    "site": (bodies.SITE, {}),
    "mesh": (meshes.USED, meshes.WITHOUT_EFFECT),
    "pair": (contacts.PAIR, contacts.PAIR_WITHOUT_EFFECT),
    "equality": (equality.SHARED, equality.WITHOUT_EFFECT),
    "tendon": (tendons.USED, tendons.WITHOUT_EFFECT),
} | {tag: (used, actuators.WITHOUT_EFFECT) for tag, used in actuators.USED.items()}


def screen_defaults(sections: Iterable[Node]) -> None:
    """List what default classes say and nobody reads, each attribute once."""
    todo = list(sections)
    while todo:
        for node in todo.pop().children:
            if node.tag == "default":
                todo.append(node)
            elif node.tag in DEFAULTS_KNOWN:
                node.check_attributes(*DEFAULTS_KNOWN[node.tag])
