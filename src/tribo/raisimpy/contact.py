"""Contacts, and the numbers of the last contact solve."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.raisimpy.arguments import assign, instance
from tribo.raisimpy.enums import BodyType
from tribo.raisimpy.spelling import Dialects, data, means, nothing, reads


def place_of(contact: Any, others: list[Any]) -> int:
    """Return where a contact stands in a list: that of the same point; −1: it does not."""
    places = [other.position.tobytes() for other in others]
    here = contact.position.tobytes()
    return places.index(here) if here in places else -1


@dataclass
class AABB(Dialects):
    """A box along the world's axes: corners `min` and `max`, (3,) [m]."""

    min: Any
    max: Any

    def overlaps(self, other: AABB) -> bool:
        """``world.collision_bodies_in(low, high)``"""
        low, high = (check.vector(x, "a corner", 3) for x in (self.min, self.max))
        theirs = instance(other, AABB, "other")
        lower, upper = (check.vector(x, "a corner of other", 3) for x in (theirs.min, theirs.max))
        return bool(np.all(low <= upper) and np.all(lower <= high))


class Contact(Dialects):
    """A contact in the list of an object; normal and impulse are those on object A, as RaiSim's."""

    _old: ClassVar[dict[str, str]] = {
        "is_objectA": "isObjectA",
        "get_inverse_inertia": "getInvInertia",
        "get_local_body_index": "getlocalBodyIndex",
    }

    def __init__(self, owner: Any, it: Any, index: int) -> None:
        """Wrap a contact of an object's list, as that object sees it."""
        self._owner, self._mine, self._index = owner, it, index

    @functools.cached_property
    def _it(self) -> Any:
        """The contact as object A sees it."""
        return self._mine if self._mine.is_a else self._mine.seen_from_b()

    tribo = property(lambda self: self._mine, doc="The contact of tribo.")
    getPosition = reads("position")
    getNormal = reads("normal")
    getContactFrame = reads("frame")
    getDepth = reads("depth")
    getInvInertia = reads("inverse_inertia")

    def getImpulse(self) -> Any:
        """``impulse_in(frame)``: on A, in contact axes; force: ``force_on(object)`` in world axes"""
        return self._it.frame @ self._it.impulse

    def isObjectA(self) -> bool:
        """``is_a``; ``impulse_on(object)``, ``normal_on(object)`` do not need it"""
        return bool(self._mine.is_a)

    def getlocalBodyIndex(self) -> int:
        """``body_a``: the name of the collision body"""
        return int(self._owner.body_of(self._mine.body_a))

    def isSelfCollision(self) -> bool:
        """``object_a is object_b``"""
        return self._it.object_a is self._it.object_b

    def skip(self) -> bool:
        """nothing: a contact of a robot with itself is listed once, not twice"""
        return False

    def getPairObjectIndex(self) -> int:
        """``world.objects.index(contact.other(object))``"""
        other = self._mine.object_b
        return int(other.world.objects.index(other))

    def getPairObjectBodyType(self) -> BodyType:
        """``contact.other(object).body_type``"""
        return BodyType[str(self._mine.object_b.body_type.name)]

    def getPairContactIndexInPairObject(self) -> int:
        """``contact.other(object).contacts``"""
        return place_of(self._mine, self._mine.object_b.contacts)

    def getIndexContactProblem(self) -> int:
        """``world.contacts``"""
        return place_of(self._mine, self._mine.object_a.world.contacts)

    def getIndexInObjectContactList(self) -> int:
        """the place in ``object.contacts``"""
        return self._index

    getCollisionBodyA = means("``body_a``", lambda self: str(self._it.body_a))
    getCollisionBodyB = means("``body_b``", lambda self: str(self._it.body_b))


class Single3DContactProblem(Dialects):
    """A contact as the last solve left it; the fields are those of the older Python package."""

    def __init__(self, it: Any) -> None:
        """Wrap a contact of tribo."""
        self._it = it

    rank = property(lambda _: 3, doc="3: a contact has three rows")
    mu = property(lambda self: float(self._it.pair.friction), doc="``contact.pair.friction``")
    n2_mu = property(lambda self: self.mu**2, doc="``contact.pair.friction ** 2``")
    coeffRes = property(lambda self: float(self._it.pair.restitution), doc="``contact.pair.restitution``")
    depth = property(lambda self: float(self._it.depth), doc="``contact.depth``")

    @property
    def bounceThres(self) -> float:
        """``contact.pair.restitution_threshold``"""
        return float(getattr(self._it.pair, "restitution_threshold", 0.0))

    @property
    def imp_i(self) -> Any:
        """``contact.impulse_in(contact.frame)``"""
        return self._it.frame @ self._it.impulse

    MappInv_i = property(lambda self: self._it.inverse_inertia, doc="``contact.inverse_inertia``")

    @property
    def Mapp_i(self) -> Any:
        """the inverse of ``contact.inverse_inertia``"""
        return np.linalg.inv(self._it.inverse_inertia)


@dataclass
class SolverConfiguration(Dialects):
    """Parameters of RaiSim's solver; tribo takes the number of sweeps and the tolerance."""

    alpha_init: float = 1.0
    alpha_min: float = 1.0
    alpha_decay: float = 1.0
    error_to_terminate: float = 1e-8
    erp: float = 0.3
    erp2: float = 0.002
    maxIteration: int = 150


data(SolverConfiguration)


class BisectionContactSolver(Dialects):
    """The contact solver of a world."""

    _old: ClassVar[dict[str, str]] = {"set_time_step": "setTimestep"}

    def __init__(self, it: Any) -> None:
        """Wrap a world of tribo."""
        self._it = it

    getLoopCounter = reads("sweeps")
    solve = nothing("world.step solves; contacts of a half step: world.update, world.advance")
    setOrder = nothing("every run is deterministic")
    setTimestep = nothing("the solver has the time step of its world: world.time_step")
    getErrorHistory = means("``world.residual``", lambda self: [float(max(self._it.residual))])

    def getConfig(self) -> SolverConfiguration:
        """``world.tolerance``, ``world.max_sweeps``, ``world.erp``, ``world.erp2``"""
        it = self._it
        return SolverConfiguration(
            error_to_terminate=it.tolerance, erp=it.erp, erp2=it.erp2, maxIteration=it.max_sweeps
        )

    def updateConfig(self, config: SolverConfiguration) -> None:
        """``world.tolerance = …``, ``world.max_sweeps = …``, ``world.erp = …``, ``world.erp2 = …``"""
        it, given = self._it, instance(config, SolverConfiguration, "config")
        assign(
            (it, "tolerance", given.error_to_terminate), (it, "max_sweeps", given.maxIteration),
            (it, "erp", given.erp), (it, "erp2", given.erp2),
        )  # fmt: skip
