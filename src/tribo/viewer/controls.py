"""Controls that change the world: gravity, time step, a pair of materials, joints and drives."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.model import Joint as JointType
from tribo.objects import ArticulatedSystem, Object
from tribo.viewer import inputs
from tribo.viewer.inputs import Key, Orders
from tribo.viewer.panel import clipped

if TYPE_CHECKING:
    from tribo.world.world import World

PROPERTIES = {  # of a pair, with the largest value that the slider has
    "friction": 2.0, "restitution": 1.0, "restitution_threshold": 1.0, "rolling_friction": 0.5,
    "spinning_friction": 0.5,
}  # fmt: skip
GRAVITY = (-20.0, 5.0)  # [m/s²]
TIME_STEP = (0.05, 20.0)  # [ms]
REACH = {JointType.REVOLUTE: np.pi, JointType.PRISMATIC: 1.0}  # of a joint without stops
MAX_SLIDERS = 80  # joints of one robot
MAX_PAIRS = 300


class WorldControls:
    """Sliders for the world as a whole; `obey` does what they ask for."""

    def __init__(self, server: Any, world: World, orders: Orders) -> None:
        """Put the controls on the page, folded."""
        self._server, self._world = server, world
        gui = server.gui
        self._pair, self._property = ("default", "default"), "friction"
        with gui.add_folder("World", expand_by_default=False):
            self._gravity = gui.add_slider(
                "Gravity z [m/s²]", min=GRAVITY[0], max=GRAVITY[1], step=0.01,
                initial_value=float(np.clip(world.gravity[2], *GRAVITY)),
            )  # fmt: skip
            self._step = gui.add_slider(
                "Time step [ms]", min=TIME_STEP[0], max=TIME_STEP[1], step=0.05,
                initial_value=float(np.clip(1e3 * world.time_step, *TIME_STEP)),
            )  # fmt: skip
            self._pairs = self._names_of_pairs()
            self._pair = next(iter(self._pairs.values()))
            self._choice = gui.add_dropdown("Material pair", tuple(self._pairs))
            self._which = gui.add_dropdown("Property", tuple(PROPERTIES))
            self._value = gui.add_slider("Value", min=0.0, max=2.0, step=0.01, initial_value=0.0)
        for handle, key in (
            (self._gravity, "gravity"), (self._step, "time_step"), (self._choice, "pair"),
            (self._which, "property"), (self._value, "value"),
        ):  # fmt: skip
            post_changes(handle, orders, (key,))
        self._show_value()

    def obey(self, key: Key, value: Any) -> bool:
        """Do what a control asks for; return whether it is one of these.

        Raises:
            ValueError, EditError: It cannot be done now.
        """
        world = self._world
        if key == ("gravity",):
            x, y, z = world.gravity
            world.gravity = (x, y, clipped(value, *GRAVITY, z))
        elif key == ("time_step",):
            world.time_step = 1e-3 * clipped(value, *TIME_STEP, 1e3 * world.time_step)
        elif key == ("pair",):
            self._pair = self._pairs.get(value, self._pair)
            self._show_value()
        elif key == ("property",):
            self._property = value if value in self._which.options else self._property
            self._show_value()
        elif key == ("value",):
            self._set_value(value)
        else:
            return False
        return True

    def refresh(self) -> None:
        """Show what the world has now, and the pairs of materials that there are."""
        world = self._world
        self._show(self._gravity, value=float(np.clip(world.gravity[2], *GRAVITY)))
        self._show(self._step, value=float(np.clip(1e3 * world.time_step, *TIME_STEP)))
        pairs = self._names_of_pairs()
        if tuple(pairs) != tuple(self._pairs):
            self._pairs = pairs
            self._show(self._choice, options=tuple(pairs))
            if self._pair not in pairs.values():
                self._pair = next(iter(pairs.values()))
        self._show_value()

    def _set_value(self, value: Any) -> None:
        table = self._world.materials
        made = table.pair(*self._pair)
        old = getattr(made, self._property)
        number = clipped(value, 0.0, PROPERTIES[self._property], old)
        if number == old:
            return
        changes: dict[str, Any] = {self._property: number}
        if self._property == "friction" and getattr(made, "static_friction", None) == old:
            changes["static_friction"] = number  # it was the same: it stays the same
        self._world.set_material_pair(*self._pair, replace(made, **changes))

    def _show_value(self) -> None:
        law = self._world.materials.pair(*self._pair)
        offered = tuple(name for name in PROPERTIES if hasattr(law, name))
        if self._which.options != offered:
            self._show(self._which, options=offered)
        if self._property not in offered:
            self._property = offered[0]
        most = PROPERTIES[self._property]
        value = float(np.clip(getattr(law, self._property), 0.0, most))
        self._show(self._choice, value=_title_of_pair(*self._pair))
        self._show(self._which, value=self._property)
        self._show(self._value, max=most, value=value)

    def _show(self, handle: Any, **values: Any) -> None:
        inputs.show(self._server, handle, **values)

    def _names_of_pairs(self) -> dict[str, tuple[str, str]]:
        """Return the pairs of materials by the text that stands for them."""
        names = self._world.material_names or ("default",)
        pairs = itertools.combinations_with_replacement(names, 2)
        return {_title_of_pair(a, b): (a, b) for a, b in itertools.islice(pairs, MAX_PAIRS)}


class JointControls:
    """Sliders for the joints of the selected robot and the targets of its drives."""

    def __init__(self, server: Any, orders: Orders) -> None:
        """Show none until a robot is selected."""
        self._server, self._gui, self._orders = server, server.gui, orders
        self._robot: ArticulatedSystem | None = None
        self._folder: Any = None
        self._coordinates: list[tuple[int, Any]] = []
        self._targets: list[tuple[int, Any]] = []

    def show(self, part: Object | None, *, can_place: bool) -> None:
        """Offer sliders for an object that is a robot, none for another.

        Args:
            part: The selected body.
            can_place: Whether joints may be moved by hand: only while the world is paused.
        """
        robot = part if isinstance(part, ArticulatedSystem) and not part.is_removed else None
        if robot is not self._robot:
            self._robot = robot
            if self._folder is not None:
                self._folder.remove()
                self._folder = None
            self._coordinates, self._targets = [], []
            if robot is not None:
                self._build(robot)
        for _, slider in self._coordinates:
            slider.disabled = not can_place

    def refresh(self) -> None:
        """Let the sliders show the joints and targets as they are now."""
        robot = self._robot
        if robot is None:
            return
        self._folder.label = _title(robot)
        for sliders, values in (
            (self._coordinates, robot.generalized_coordinate),
            (self._targets, robot.pd_target),
        ):
            for k, slider in sliders:
                shown = float(np.clip(round(float(values[k]), 3), slider.min, slider.max))
                inputs.show(self._server, slider, value=shown)

    def obey(self, key: Key, value: Any) -> bool:
        """Do what a slider asks for; return whether it is one of these.

        Raises:
            ValueError, EditError: It cannot be done now.
        """
        if key[0] not in {"joint", "target"}:
            return False
        robot = self._robot
        sliders = dict(self._coordinates if key[0] == "joint" else self._targets)
        if robot is None or robot.id != key[1] or key[2] not in sliders:
            return True  # the sliders of another robot, a moment late
        slider, k = sliders[key[2]], key[2]
        q = (robot.generalized_coordinate if key[0] == "joint" else robot.pd_target).copy()
        q[k] = clipped(value, slider.min, slider.max, float(q[k]))
        if key[0] == "joint":
            robot.check_editable("a joint")
            robot.generalized_coordinate = q
        else:
            robot.pd_target = q
        return True

    def _build(self, robot: ArticulatedSystem) -> None:
        self._folder = self._gui.add_folder(_title(robot))
        with self._folder:
            joints = self._gui.add_folder("Coordinates (while paused)", expand_by_default=False)
            drives = self._gui.add_folder("Targets of drives")
        driven = 0
        for joint in robot.joints[:MAX_SLIDERS]:
            if joint.type not in REACH:
                continue
            at, row = joint.coordinate_slice.start, joint.velocity_slice.start
            reach = REACH[joint.type]
            low, high = (float(x) for x in joint.limits)
            low, high = (low if low > -1e3 else -reach), (high if high < 1e3 else reach)
            if not low < high:
                continue
            unit = "rad" if joint.type == JointType.REVOLUTE else "m"
            groups = [("joint", joints, self._coordinates, robot.generalized_coordinate[at])]
            if robot.kp[row] > 0.0:
                groups.append(("target", drives, self._targets, robot.pd_target[at]))
                driven += 1
            for word, folder, sliders, value in groups:
                with folder:
                    slider = self._gui.add_slider(
                        f"{joint.name}{' target' if word == 'target' else ''} [{unit}]",
                        min=low, max=high, step=1e-3,
                        initial_value=float(np.clip(value, low, high)),
                    )  # fmt: skip
                post_changes(slider, self._orders, (word, robot.id, at))
                sliders.append((at, slider))
        if not driven:
            drives.remove()


def _title(robot: ArticulatedSystem) -> str:
    return f"Joints of {robot.name}"


def _title_of_pair(first: str, second: str) -> str:
    return f"{first} – {second}"


def post_changes(handle: Any, orders: Orders, key: Key) -> None:
    """Post what a person sets a control to; what the program sets it to is no order."""
    inputs.on_change(handle, lambda value: orders.post(key, value))
