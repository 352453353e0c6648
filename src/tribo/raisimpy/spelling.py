"""RaiSim's two dialects: classes are written in camelCase, snake_case is derived, older names are aliases."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from tribo.checks.check import nearest

_SOFT = "tribo has rigid bodies; soft grounds are compliant pairs (set_material_pair with a stiffness)"
_SOFT_FIELDS = (
    "totalMass", "distanceCompliance", "distanceStiffness", "bendCompliance", "bendStiffness",
    "youngsModulus", "poissonRatio", "thickness", "crossSectionArea", "damping", "collisionRadius",
    "iterations", "substeps", "solverMode",
)  # fmt: skip
_GRAINS = "tribo has no granular media; many small spheres are the nearest (world.add_sphere)"
_INSIDE = "belongs to the inside of RaiSim's solver; what it is for: robot.solve_mass_matrix, contact.inverse_inertia"

ABSENT: dict[str, dict[str, str]] = {
    "World": {
        "addDeformableCloth": _SOFT,
        "addDeformableObject": _SOFT,
        "addGranularParticles": _GRAINS,
        "addGranularBox": _GRAINS,
        "exportMeshAssetsToObj": "world.save(path) writes the world with the files that its meshes came from",
        "setCollisionCountersEnabled": "world.summary() and world.sweeps say how a step went",
        "getLastCollisionCounters": "world.summary() and world.sweeps say how a step went",
        "integrateNoContactDetection": "mask the contacts instead: collision_mask = 0 of the bodies",
    },
    "Single3DContactProblem": {
        "impact_vel": "read contact.relative_velocity before world.step(): no velocity of before it is kept",
    },
    "ArticulatedSystem": {
        "getFullDelassusAndTauStar": _INSIDE,
        "getj_MinvJT_T1D": _INSIDE,
        "set_collision_bodies": "shapes are edited one by one: collision_body(name).size, .material, …",
    },
    "DeformableObject": dict.fromkeys(
        [*_SOFT_FIELDS, "Material", "MeshBuildOptions", "pinVertex", "unpinVertex", "addDistanceConstraint", "addDistanceConstraints", "addInternalStruts", "getNumParticles", "getPositions", "getTriangles", "getVisualPosition", "setPositionOffset"], _SOFT),
    "GranularSystem": dict.fromkeys(
        ["emitBox", "emitBoxRandom", "addParticle", "saveGranularState", "getLastStepStats"], _GRAINS),
    "RaisimServer": dict.fromkeys(
        ["setMap"], "the page has one light background; viewer.set_camera says where to look from"),
}  # fmt: skip


logger = logging.getLogger("tribo")

_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_remarked: set[str] = set()


def snake(name: str) -> str:
    """Return a name of the camelCase dialect in the other one.

    Example:
        >>> snake("getBodyCOM_B"), snake("addSphere"), snake("set3DPoints")
        ('get_body_com_b', 'add_sphere', 'set3_d_points')
    """
    return re.sub("__+", "_", _BORDER.sub("_", name)).lower()


def remark(text: str) -> None:
    """Log a remark, each text once in a process."""
    if text not in _remarked:
        _remarked.add(text)
        logger.warning("raisimpy: %s", text)


class Dialects:
    """A class whose camelCase members exist in snake_case too, and under older names (`_old`: old → new).

    The first line of a member's docstring says what it is in tribo: the reference page is made from it.
    """

    _old: ClassVar[dict[str, str]] = {}
    spellings: ClassVar[dict[str, list[str]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        """Add the other spellings."""
        super().__init_subclass__(**options)
        cls.spellings = {name: list(others) for name, others in cls.spellings.items()}
        own = {name: made for name, made in vars(cls).items() if name[0] != "_"}
        for name, made in own.items():
            if "<l" in getattr(made, "__qualname__", ""):  # made by a row: errors call it by its name
                made.__name__, made.__qualname__ = name, f"{cls.__qualname__}.{name}"
            other = snake(name)
            if other != name and other not in own and name != "spellings":
                setattr(cls, other, made)
                cls.spellings.setdefault(name, [])
                if other not in cls.spellings[name]:
                    cls.spellings[name].append(other)
        for old, new in vars(cls).get("_old", {}).items():
            setattr(cls, old, next(vars(base)[new] for base in cls.__mro__ if new in vars(base)))
            cls.spellings.setdefault(new, []).append(old)

    def __getattr__(self, name: str) -> Any:
        """Refuse a name that is not there: in words if RaiSim has it, else with the nearest."""
        for kind in type(self).__mro__:
            for spelled, reason in ABSENT.get(kind.__name__, {}).items():
                if name in {spelled, snake(spelled)}:
                    raise AttributeError(f"{kind.__name__}.{name} is not there: {reason}")
        known = [key for key in dir(type(self)) if key[0] != "_"]
        raise AttributeError(
            f"{type(self).__name__} has no attribute {name!r}{nearest(name, known)}",
            name=name, obj=self,
        )  # fmt: skip


class Wrapper(Dialects):
    """Something of tribo under RaiSim's names; `tribo` is that thing."""

    _it: Any

    def __init__(self, it: Any) -> None:
        """Wrap it."""
        self._it = it

    @property
    def tribo(self) -> Any:
        """The object of tribo behind it: both may be used in one program."""
        return self._it


def means(text: str, how: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of one expression; `text` says what that is in tribo, for the page of names."""
    how.__doc__ = text
    return how


def reads(path: str) -> Callable[..., Any]:
    """Return a method that reads an attribute of the wrapped object; a local index is ignored."""
    get = attrgetter(path)

    def read(self: Any, *_: Any) -> Any:
        return get(self._it)

    read.__doc__ = f"``{path}``"
    return read


def writes(attribute: str) -> Callable[..., None]:
    """Return a method that assigns an attribute of the wrapped object, a vector also as separate numbers."""

    def write(self: Any, *values: Any) -> None:
        setattr(self._it, attribute, vector(values))

    write.__doc__ = f"``{attribute} = …``"
    return write


def keeps(name: str) -> Any:
    """Return a data attribute that is a text of the wrapped object."""

    def get(self: Any) -> str:
        return str(getattr(self._it, name))

    def put(self: Any, value: str) -> None:
        setattr(self._it, name, value)

    return property(get, put, doc=f"``{name}``")


def nothing(text: str) -> Callable[..., None]:
    """Return a method that does nothing because nothing is to be done."""

    def pass_by(*_: Any, **__: Any) -> None:
        return None

    pass_by.__doc__ = f"nothing: {text}"
    return pass_by


def prints(attribute: str) -> Callable[..., None]:
    """Return a method that prints what a robot has, one a line."""

    def show(self: Any) -> None:
        print(*getattr(self._it, attribute), sep="\n")  # noqa: T201

    show.__doc__ = f"``print(robot.{attribute})``"
    return show


def data(kind: type[Any], *names: str) -> None:
    """Give data of a class their snake_case spelling: what is named, or all that a dataclass has."""
    for name in names or [name for name in vars(kind()) if snake(name) != name]:
        get = attrgetter(name)

        def assign(self: Any, value: Any, name: str = name) -> None:
            setattr(self, name, value)

        setattr(kind, snake(name), property(get, assign, doc=f"{name} in the other dialect"))
        kind.spellings.setdefault(name, []).append(snake(name))


def filled(values: Any, defaults: Any) -> tuple[Any, ...]:
    """Return values given by position, and defaults for those that were not."""
    return (*values, *defaults[len(values) :])


def vector(values: Any) -> Any:
    """Return what was given as one array or as separate numbers."""
    return values[0] if len(values) == 1 else values
