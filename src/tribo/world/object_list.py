"""The list of objects of a world: taking in, finding, removing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tribo.checks import check
from tribo.checks.by_name import ByName, free_name
from tribo.description.trees import TreeDescription
from tribo.engine.builder import MOVABLE_GROUP, STATIC_GROUP
from tribo.model import Kind
from tribo.objects import Object
from tribo.objects.world_view import WorldView


class Objects(ByName[Object]):
    """Objects in the order in which they were added; a name finds one as its number does."""

    __slots__ = ()
    _called = "object"


class WorldList:
    """Objects of a world, by order, name and handle."""

    def __init__(self, world: WorldView) -> None:
        self._world = world
        self.items: list[Object] = []
        self.by_name: dict[str, Object] = {}
        self._next_id = self._next_shape = 0

    def add(self, kind: type[Any], description: TreeDescription, name: str, prefix: str,
             collision_group: int | None, collision_mask: int) -> Any:  # fmt: skip
        """Take a described object in, or leave the world as it was."""
        self._world.check_editable("the list of objects")
        name = free_name(name, self.by_name, "an object", prefix, self._next_id)
        default = STATIC_GROUP if description.kind == Kind.STATIC else MOVABLE_GROUP
        group = default if collision_group is None else check.bits(collision_group, "collision_group")
        mask = check.bits(collision_mask, "collision_mask")
        count = sum(len(body.shapes) for body in description.bodies)
        ids = range(self._next_shape, self._next_shape + count)
        part = kind(self._world, self._next_id, name, description, ids, group, mask)
        self._next_id += 1
        self._next_shape += count
        self.items.append(part)
        self.by_name[name] = part
        for body in part.collision_bodies:
            self._world.material_number(body.material)
        self._world.rebuild()
        return part

    def drop(self, part: Object) -> None:
        """Take an object out; what hangs on it (constraints, sensors) is for the world to remove.

        Raises:
            KeyError: There is no such object here.
        """
        if part.is_removed or part not in self.items:
            raise KeyError(f"{part.name!r} is not in this world: {part!r}")
        part.detach()
        part.is_removed = True
        self.items.remove(part)
        del self.by_name[part.name]
        self._world.rebuild()

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
        return Objects(self.items)

    def note_name(self, part: Object, name: str) -> None:
        """Note that an object will be called otherwise: assign to `Object.name`.

        Raises:
            ValueError, TypeError: The name is empty, no text, or that of another object.
        """
        self._world.check_editable(f"name of {part.name}")
        part.check_present("name")
        check.name(name, f"name of {part.name}")
        if self.by_name.get(name, part) is not part:
            raise ValueError(f"there is already an object named {name!r}; choose another name")
        del self.by_name[part.name]
        self.by_name[name] = part

    def __getitem__(self, name: Any) -> Object:
        """Return an object by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        if type(name) is int:
            raise KeyError(f"objects of a world are found by name; by number: world.objects[{name}]")
        return self.by_name[check.known(name, self.by_name, "object")]

    def object(self, name: str) -> Object:
        """Return an object by name, as `world[name]` does.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self[name]

    def __contains__(self, name: Any) -> bool:
        """Tell whether there is an object of this name, or this object."""
        if isinstance(name, Object):
            return self.by_name.get(name.name) is name
        return isinstance(name, str) and name in self.by_name

    def __iter__(self) -> Iterator[Object]:
        """Go through all objects in the order in which they were added."""
        return iter(tuple(self.items))
