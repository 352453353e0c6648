"""Unknown parameters: their bounds, and how they are set in the worlds of a batch or in a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.materials import ContactMaterial, MaterialTable, PairProperties
from tribo.world.world import World

RATIO_OF_LOGS = 100.0  # bounds that differ by so much: the logarithm is sought

Setter = Callable[[Batch, np.ndarray, np.ndarray], None]  # batch, values (n, k), worlds (n,)


@dataclass(frozen=True)
class Bounds:
    """One number that is sought."""

    name: str
    unit: str
    low: float
    high: float
    start: float | None = None  # None: the world's
    grain: float = 0.0  # it acts as the nearest multiple of this; 0: as it is

    @property
    def is_log(self) -> bool:
        """Whether its logarithm is sought: both bounds are > 0, one 100 times the other or more, no grain."""
        return self.low > 0.0 and self.high >= RATIO_OF_LOGS * self.low and not self.grain


@dataclass(frozen=True)
class Unknown:
    """Some numbers of a world that are sought together.

    Make one with `pair`, `body`, `inertial`, `joint`, `motors`, `tilt` or `offset`; or with functions of your
    own for what these do not have.

    Args:
        bounds: Name, unit, least, largest and first value of each of the k numbers.
        set_in_batch: Called with a batch, values (n, k) and the numbers (n,) of the worlds that get them.
        set_in_world: Called with a world and values (k,).
        read: Returns the values (k,) that a world has; they are where the search begins.
        columns: Of measured numbers to which the value is added, by the place of the number.
        derived: Returns physical quantities, {name: (unit, (n,))}, of values (n, k); they are reported, too.
        set_in_table: Of a pair of materials: sets values (k,) in a table.
        of_world: Returns the unknown that is sought about the properties of a world, if it depends on them.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> def set_in_batch(batch, values, worlds):
        ...     batch.set_settings(worlds=worlds, erp=values[:, 0])
        >>> def set_in_world(world, values):
        ...     world.erp = values[0]
        >>> erp = Unknown((Bounds("erp", "–", 0.0, 1.0),), set_in_batch, set_in_world, lambda w: [w.erp])
    """

    bounds: tuple[Bounds, ...]
    set_in_batch: Setter
    set_in_world: Callable[[World, np.ndarray], None]
    read: Callable[[World], Sequence[float]]
    columns: tuple[str, ...] = ()
    derived: Callable[[np.ndarray], dict[str, tuple[str, np.ndarray]]] | None = None
    set_in_table: Callable[[MaterialTable, np.ndarray], None] | None = None
    of_world: Callable[[World], Unknown] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return tuple(one.name for one in self.bounds)


def bounded(name: str, unit: str, value: Any, least: float, most: float) -> Bounds:
    """Return checked bounds from (low, high) or (low, high, start).

    Raises:
        TypeError, ValueError: They are no such numbers, or outside of what the property can be.
    """
    what = f"bounds of {name}"
    given = check.array(value, what, "(low, high) or (low, high, start)")
    if given.shape not in ((2,), (3,)):
        raise ValueError(f"{what} must be (low, high) or (low, high, start), got {check.shown(value)}")
    low = check.number(given[0], f"low of {what}", minimum=least, maximum=most)
    high = check.number(given[1], f"high of {what}", minimum=least, maximum=most)
    if low >= high:
        raise ValueError(f"{what} must have low < high, got {low:g} and {high:g}")
    start = None
    if len(given) == 3:
        start = check.number(given[2], f"start of {what}", minimum=low, maximum=high)
    return Bounds(name, unit, low, high, start)


# -- pairs of materials ----------------------------------------------------------------------------
_RIGID_UNITS = {
    "friction": "–", "restitution": "–", "restitution_threshold": "m/s", "static_friction": "–",
    "static_friction_velocity": "m/s", "rolling_friction": "–", "spinning_friction": "–",
    "stiffness": "N/m^1.5", "damping": "N s/m^1.5", "rolling_length": "m", "spinning_length": "m",
}  # fmt: skip
_SOFT_UNITS = {
    "youngs_modulus": "Pa", "spook_damping": "s", "secondary_friction": "–", "surface_viscosity": "m/(N s)",
    "secondary_surface_viscosity": "m/(N s)", "adhesion_force": "N", "adhesive_overlap": "m",
    "constant_normal_force": "N", "elastic_rest_length": "m",
}  # fmt: skip
_OF_PAIRS = _RIGID_UNITS | _SOFT_UNITS


@answered_call
def pair(first: str, second: str, **properties: Any) -> Unknown:
    """Seek properties of a pair of materials.

    Args:
        first, second: Names of the materials, in either order.
        properties: By name, (low, high) or (low, high, start): friction, static_friction, restitution,
            restitution_threshold, rolling_friction, spinning_friction; stiffness, damping of compliant
            ground; youngs_modulus, spook_damping, surface_viscosity … of a contact material, units as
            there. Which law the pair has is the world's. Static friction is never below friction.

    Raises:
        TypeError, ValueError: A property is unknown, or bounds are none.

    Example:
        >>> pair("table", "ball", restitution=(0.3, 1.0), friction=(0.0, 1.0, 0.4)).names
        ('table/ball/restitution', 'table/ball/friction')
    """
    for one in (first, second):
        check.name(one, "a material name")
    stem = f"{first}/{second}"
    if not properties:
        raise ValueError(f"pair {stem}: name properties, as in restitution=(0.0, 1.0)")
    bounds = []
    for name, value in properties.items():
        if name not in _OF_PAIRS:
            raise TypeError(f"pair {stem} has no property {name!r}{check.nearest(name, _OF_PAIRS)}")
        most = 1.0 if name == "restitution" else check.LARGEST
        bounds.append(bounded(f"{stem}/{name}", _OF_PAIRS[name], value, 0.0, most))
    names = tuple(properties)

    def values_of(rows: np.ndarray, friction: Any, static: Any) -> dict[str, Any]:
        """Return properties by name; static friction stays at or above friction."""
        made = dict(zip(names, rows.T, strict=True))
        if "static_friction" in made or ("friction" in made and np.any(static > friction)):
            made["static_friction"] = np.maximum(
                made.get("static_friction", static), made.get("friction", friction)
            )
        return made

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        now = batch.material_pair(first, second)
        at_rest = now.get("static_friction", now["friction"])[worlds]
        made = values_of(rows, now["friction"][worlds], at_rest)
        batch.set_material_pair(first, second, worlds=worlds, **made)

    def set_in_table(table: MaterialTable, row: np.ndarray) -> None:
        law = table.pair(first, second)
        now = {item.name: getattr(law, item.name) for item in fields(law)}
        at_rest = now.get("static_friction", now["friction"])
        made = values_of(row[None], now["friction"], at_rest)
        if "friction" in made and "static_friction" not in made:
            now.pop("static_friction", None)
        new = type(law)(**(now | {name: float(np.ravel(v)[0]) for name, v in made.items()}))
        table.set_pair(first, second, new)

    def set_in_world(world: World, row: np.ndarray) -> None:
        set_in_table(world.materials, row)

    def read(world: World) -> list[float]:
        for one in (first, second):
            check.known(one, world.material_names, "material")
        law = world.materials.pair(first, second)
        own = {item.name for item in fields(law)}
        for name in names:
            if name not in own or (name == "stiffness" and getattr(law, name) is None):
                other = "a contact material" if isinstance(law, ContactMaterial) else "a rigid pair"
                raise ValueError(
                    f"{stem}: it is {other}, which has no {name}; set the law of the pair in the world first"
                )
        if isinstance(law, PairProperties) and law.stiffness is None and "damping" in names:
            raise ValueError(f"{stem}: it is a rigid pair, which has no damping; set its stiffness first")
        return [float(getattr(law, name)) for name in names]

    return Unknown(tuple(bounds), set_in_batch, set_in_world, read, set_in_table=set_in_table)


# -- bodies, joints, motors ------------------------------------------------------------------------
@answered_call
def body(name: str, link: str | None = None, **properties: Any) -> Unknown:
    """Seek the mass of a link or body, and the drag of a single body.

    Args:
        name: Of the object.
        link: Of a robot: the link; None: the only one.
        properties: (low, high) or (low, high, start) of mass [kg], its inertia goes along as of a body of
            another density; linear_damping [N s/m] and angular_damping [N m s/rad] of a single body.

    Raises:
        TypeError, ValueError: A property is unknown, or bounds are none.

    Example:
        >>> body("ball", mass=(0.1, 0.5), linear_damping=(0.0, 0.1)).names
        ('ball/mass', 'ball/linear_damping')
    """
    stem = check.name(name, "object") if link is None else f"{name}/{check.name(link, 'link')}"
    units = {"mass": "kg", "linear_damping": "N s/m", "angular_damping": "N m s/rad"}
    drag = [key for key in properties if key != "mass"]
    bounds = _bounds(stem, properties, units, ("mass",))

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        part = batch[name]
        values = dict(zip(properties, rows.T, strict=True))
        if "mass" in values:
            own = link or part.links[0].name
            handle = part.link(own)
            factor = values["mass"] / np.asarray(handle.mass)[worlds]
            inertia = handle.inertia[worlds] * factor[:, None, None]
            part.set_link(own, worlds, mass=values["mass"], inertia=inertia)
        for key in drag:
            full = np.array(getattr(part, key))
            full[worlds] = values[key]
            setattr(part, key, full)

    def set_in_world(world: World, row: np.ndarray) -> None:
        part: Any = world[name]
        values = dict(zip(properties, row.tolist(), strict=True))
        if "mass" in values:
            handle = part_of(part, link)
            inertia = handle.inertia * (values["mass"] / handle.mass)
            handle.mass = values["mass"]
            handle.inertia = inertia
        for key in drag:
            setattr(part, key, values[key])

    def read(world: World) -> list[float]:
        part: Any = world[name]
        handle = part_of(part, link)
        return [float(handle.mass if key == "mass" else getattr(part, key)) for key in properties]

    return Unknown(bounds, set_in_batch, set_in_world, read)


def part_of(part: Any, link: str | None) -> Any:
    """Return a link of an object of a world, the only one without a name; of a single body itself."""
    if link is not None:
        return part.link(link)
    return part.links[0] if hasattr(part, "links") else part


@answered_call
def joint(name: str, joint: str, **properties: Any) -> Unknown:
    """Seek properties of a joint of a robot.

    Args:
        name: Of the robot.
        joint: Of the joint.
        properties: (low, high) or (low, high, start) of armature [kg m², kg], damping [N m s/rad, N s/m],
            stiffness [N m/rad, N/m], dry_friction [N m, N], and distance [m] of its origin from that of the
            parent link, along the direction that it has: the length of that link. Masses and shapes stay.

    Raises:
        TypeError, ValueError: A property is unknown, or bounds are none.

    Example:
        >>> joint("arm", "elbow", damping=(0.0, 1.0), dry_friction=(0.0, 0.5)).names
        ('arm/elbow/damping', 'arm/elbow/dry_friction')
    """
    stem = f"{check.name(name, 'object')}/{check.name(joint, 'joint')}"
    units = {
        "armature": "kg m², kg", "damping": "N m s/rad, N s/m", "stiffness": "N m/rad, N/m",
        "dry_friction": "N m, N", "distance": "m",
    }  # fmt: skip
    bounds = _bounds(stem, properties, units, ("distance",))

    def values_of(handle: Any, row: dict[str, Any]) -> dict[str, Any]:
        """Return properties of a joint with its place for its distance."""
        made = dict(row)
        if "distance" in made:
            now = np.asarray(handle.position_in_parent)
            size = np.linalg.norm(now, axis=-1, keepdims=True)
            made["position_in_parent"] = now / size * np.reshape(made.pop("distance"), size.shape)
        return made

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        part = batch[name]
        now = SimpleNamespace(position_in_parent=part.joint(joint).position_in_parent[worlds])
        made = values_of(now, dict(zip(properties, rows.T, strict=True)))
        part.set_joint(joint, worlds, **made)

    def set_in_world(world: World, row: np.ndarray) -> None:
        part: Any = world[name]
        handle = part.joint(joint)
        for key, value in values_of(handle, dict(zip(properties, row.tolist(), strict=True))).items():
            setattr(handle, key, value)

    def read(world: World) -> list[float]:
        part: Any = world[name]
        handle = part.joint(joint)
        length = float(np.linalg.norm(handle.position_in_parent))
        if "distance" in properties and length == 0.0:
            raise ValueError(
                f"{stem}: its origin is that of its parent link, so its distance has no direction; "
                "give it a position_in_parent first"
            )
        return [length if key == "distance" else float(getattr(handle, key)) for key in properties]

    return Unknown(bounds, set_in_batch, set_in_world, read)


@answered_call
def motors(name: str, joints: Sequence[str] | None = None, **properties: Any) -> Unknown:
    """Seek properties that the motors of some joints of a robot have in common.

    A world has no motors of this kind, its batches have: `Identification.apply` leaves them, and
    `Batch.randomize` sets them. A delay is a whole number of time steps: what is found is one, and its
    interval has at least half a step on either side.

    Args:
        name: Of the robot.
        joints: Names of joints; None: all.
        properties: (low, high, start) of delay [s], time_constant [s], stall_torque [N m, N], no_load_speed
            [rad/s, m/s], as `ObjectBatch.set_motors` takes them; without a start the middle.

    Raises:
        TypeError, ValueError: A property is unknown, or bounds are none.

    Example:
        >>> motors("dog", time_constant=(0.001, 0.05, 0.01)).names
        ('dog/motors/time_constant',)
    """
    stem = f"{check.name(name, 'object')}/motors"
    units = {"delay": "s", "time_constant": "s", "stall_torque": "N m, N", "no_load_speed": "rad/s, m/s"}
    bounds = _bounds(stem, properties, units)

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        part = batch[name]
        count = len(joints) if joints is not None else _motor_count(part)
        values = {
            key: np.repeat(column[:, None], count, axis=1)
            for key, column in zip(properties, rows.T, strict=True)
        }
        part.set_motors(joints, worlds=worlds, **values)

    def read(world: World) -> list[float]:
        _ = world[name]
        return [0.5 * (one.low + one.high) for one in bounds]

    def of_world(world: World) -> Unknown:
        step = world.time_step
        own = tuple(replace(one, grain=step) if one.name == f"{stem}/delay" else one for one in bounds)
        return Unknown(own, set_in_batch, leave, read)

    return Unknown(bounds, set_in_batch, leave, read, of_world=of_world)


def _motor_count(part: Any) -> int:
    """Return how many joints of an object have one dof, which motors can drive."""
    widths = [one.velocity_slice.stop - one.velocity_slice.start for one in part.joints]
    return widths.count(1)


# -- the ground and the camera ---------------------------------------------------------------------
@answered_call
def tilt(**angles: Any) -> Unknown:
    """Seek how the ground is tilted: gravity is turned, the axes of the world stay those of the ground.

    Args:
        angles: (low, high) or (low, high, start) of x and y [rad]: angles by which the ground is turned about
            the world's x and y axes out of the level.

    Raises:
        TypeError, ValueError: An axis is unknown, or bounds are none.

    Example:
        >>> tilt(y=(-0.1, 0.1)).names
        ('tilt/y',)
    """
    bounds = _bounds("tilt", angles, {"x": "rad", "y": "rad"}, least=-1.5)

    def turned(gravity: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return gravity (n, 3) in the axes of a ground that is turned about x, then about y."""
        size = np.linalg.norm(gravity, axis=-1)
        given = dict(zip(angles, rows.T, strict=True))
        x, y = (given.get(axis, np.zeros(len(rows))) for axis in "xy")
        down = np.stack([np.sin(y) * np.cos(x), -np.sin(x), -np.cos(y) * np.cos(x)], axis=-1)
        return np.asarray(down * size[..., None])

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        batch.set_settings(worlds=worlds, gravity=turned(batch.gravity[worlds], rows))

    def set_in_world(world: World, row: np.ndarray) -> None:
        world.gravity = turned(np.asarray(world.gravity)[None], row[None])[0]

    def read(world: World) -> list[float]:
        del world
        return [0.0] * len(angles)

    return Unknown(bounds, set_in_batch, set_in_world, read)


@answered_call
def offset(column: str, bounds: Any, unit: str = "m") -> Unknown:
    """Seek a constant that measured numbers have more than simulated: height of the ground in a film.

    Args:
        column: Its name, "q/ball/z".
        bounds: (low, high) or (low, high, start) of the constant.
        unit: Of the column in SI: m, rad, m/s, rad/s or N.

    Raises:
        TypeError, ValueError: Bounds are none.

    Example:
        >>> offset("q/ball/z", (-0.1, 0.1)).names
        ('offset/q/ball/z',)
    """
    label = f"offset/{check.name(column, 'column')}"
    made = bounded(label, check.text(unit, "unit"), bounds, -check.LARGEST, check.LARGEST)

    return Unknown((made,), leave, leave, lambda world: [0.0], columns=(column,))


def leave(*arguments: Any) -> None:
    """Set nothing: of unknowns that a world or a batch does not have."""
    del arguments


def _bounds(
    stem: str, properties: dict[str, Any], units: dict[str, str], positive: Sequence[str] = (),
    least: float = 0.0,
) -> tuple[Bounds, ...]:  # fmt: skip
    """Return the checked bounds of properties."""
    if not properties:
        raise ValueError(f"{stem}: name what is sought: {', '.join(units)}")
    for key in properties:
        if key not in units:
            raise TypeError(f"{stem} has no property {key!r} that can be sought{check.nearest(key, units)}")
    most = -least if least < 0.0 else check.LARGEST
    made = tuple(bounded(f"{stem}/{k}", units[k], v, least, most) for k, v in properties.items())
    for one in made:
        if one.name.rpartition("/")[2] in positive:
            check.positive(one.low, f"low of bounds of {one.name}")
    return made
