"""The list of objects of a world: taking in, finding, removing."""

from __future__ import annotations

from typing import Any

from tribo.checks import check
from tribo.description.constraints import ConstraintDescription
from tribo.description.trees import TreeDescription
from tribo.engine.builder import MOVABLE_GROUP, STATIC_GROUP
from tribo.materials.table import Law
from tribo.model import Kind
from tribo.objects import ArticulatedSystem, Object


class Objects(tuple[Object, ...]):
    """Objects in the order in which they were added; a name finds one as its number does."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        """Return an object by number or name, or several by a slice.

        Raises:
            KeyError: There is no such name; the message proposes the nearest.
            IndexError: There is no such number.
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        known = {part.name: part for part in self}
        return known[check.known(key, known, "object")]


class WorldList(check.Sealed):
    """Objects of a world, by order, name and handle."""

    def __init__(self) -> None:
        """Start without objects."""
        self._objects: list[Object] = []
        self._by_name: dict[str, Object] = {}
        self._next_id = self._next_shape = 0

    def check_editable(self, what: str) -> None:
        """Refuse an edit between `update` and `advance`."""
        raise NotImplementedError

    def material_number(self, name: str) -> int:
        """Return the number of a material; a new name gets a new number."""
        raise NotImplementedError

    def take_laws(self, laws: dict[tuple[str, str], Law]) -> None:
        """Set the contact laws that a file brings, and those with materials of other files."""
        raise NotImplementedError

    def rebuild(self) -> None:
        """Note that the arrays must be built anew before they are next needed."""
        raise NotImplementedError

    def _add(self, kind: type[Any], description: TreeDescription, name: str, prefix: str,
             collision_group: int | None, collision_mask: int) -> Any:  # fmt: skip
        """Take a described object in, or leave the world as it was."""
        self.check_editable("the list of objects")
        if not isinstance(name, str):
            raise TypeError(f"name must be a string, got {check.shown(name)}")
        if name in self._by_name:
            raise ValueError(f"there is already an object named {name!r}; choose another name")
        if not name:
            k = self._next_id
            while (name := f"{prefix}_{k}") in self._by_name:
                k += 1
        default = STATIC_GROUP if description.kind == Kind.STATIC else MOVABLE_GROUP
        group = (
            default if collision_group is None else check.bits(collision_group, "collision_group")
        )
        mask = check.bits(collision_mask, "collision_mask")
        count = sum(len(body.shapes) for body in description.bodies)
        ids = range(self._next_shape, self._next_shape + count)
        part = kind(self, self._next_id, name, description, ids, group, mask)
        self._next_id += 1
        self._next_shape += count
        self._objects.append(part)
        self._by_name[name] = part
        for body in part.collision_bodies:
            self.material_number(body.material)
        self.rebuild()
        return part

    def _join(self, tie: ConstraintDescription, parts: tuple[Object, Object]) -> None:
        """Add a constraint between two objects that a file describes."""
        raise NotImplementedError

    def _equip(self, part: ArticulatedSystem) -> None:
        """Add the sensors that a robot's file declares."""
        raise NotImplementedError

    def _strip(self, part: Object) -> None:
        """Remove the sensors of an object that leaves."""
        raise NotImplementedError

    def remove(self, item: Object | str) -> None:
        """Take an object out of the world, by handle or name.

        Raises:
            KeyError: There is no such object here.
        """
        self.check_editable("the list of objects")
        part = self[item] if isinstance(item, str) else item
        if not isinstance(part, Object):
            raise TypeError(f"remove takes an object or its name, got {check.shown(part)}")
        if part.is_removed or part not in self._objects:
            raise KeyError(f"{part.name!r} is not in this world: {part!r}")
        self._strip(part)
        part.detach()
        part.is_removed = True
        self._objects.remove(part)
        del self._by_name[part.name]
        self.rebuild()

    @property
    def objects(self) -> Objects:
        """All objects in the order in which they were added, a tuple; ``world.objects["name"]`` finds one.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball")
            >>> world.objects["ball"] is world.objects[0] is ball
            True
        """
        return Objects(self._objects)

    def note_name(self, part: Object, name: str) -> None:
        """Note that an object will be called otherwise: assign to `Object.name`.

        Raises:
            ValueError, TypeError: The name is empty, no text, or that of another object.
        """
        self.check_editable(f"name of {part.name}")
        part.check_present("name")
        check.name(name, f"name of {part.name}")
        if self._by_name.get(name, part) is not part:
            raise ValueError(f"there is already an object named {name!r}; choose another name")
        del self._by_name[part.name]
        self._by_name[name] = part

    def __getitem__(self, name: str) -> Object:
        """Return an object by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self._by_name[check.known(name, self._by_name, "object")]

    def object(self, name: str) -> Object:
        """Return an object by name, as `world[name]` does.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self[name]

    def __contains__(self, name: Any) -> bool:
        """Tell whether there is an object of this name."""
        return isinstance(name, str) and name in self._by_name
