"""Touching bodies in the browser: select, pull with a spring, twist, move and turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks.errors import EditError
from tribo.model import Kind, Shape
from tribo.objects import ArticulatedSystem, Object
from tribo.viewer import inputs
from tribo.viewer.grips import Spring, Twist, can_be_pulled
from tribo.viewer.inputs import Orders
from tribo.viewer.overlays import STATES, read_contact_marks
from tribo.viewer.scene import Poses

if TYPE_CHECKING:
    from tribo.viewer.stage import Stage
    from tribo.world.world import World

PULL = (214, 92, 26)
MAX_CONTACTS = 8  # lines in the panel
FARTHEST = 1e4  # [m] to which a browser may move something


@dataclass(frozen=True, slots=True)
class Picked:
    """A body that a person selected."""

    part: Object
    body: int  # of the object

    @property
    def label(self) -> str:
        """Name of the object, and of the link if it has several."""
        bodies = self.part.description.bodies
        return self.part.name if len(bodies) == 1 else f"{self.part.name}/{bodies[self.body].name}"

    @property
    def row(self) -> int:
        """Row of `Work.body_pos`."""
        assert self.part.span is not None
        return int(self.part.span.body.start) + self.body


def picked(world: World, row: int) -> Picked | None:
    """Return the body of a row of `Work.body_pos`."""
    for part in world.objects:
        span = part.span
        if span is not None and span.body.start <= row < span.body.stop:
            return Picked(part, row - span.body.start)
    return None


def is_movable(part: Object) -> bool:
    """Return whether a person may move an object: everything but endless grounds."""
    return all(shape.shape != Shape.PLANE for shape in part.collision_bodies)


class Touch:
    """The selected body, the spring that pulls or twists it, the gizmo that moves it.

    Browsers only post orders; the thread of the world calls what changes something.
    """

    def __init__(self, server: Any, world: World, orders: Orders) -> None:
        """Make the nodes, hidden."""
        self._world, self._orders = world, orders
        self._server, self._api = server, server.scene
        self.selected: Picked | None = None
        self.grip: Spring | Twist | None = None  # what pulls or twists a body
        self.force = np.zeros(3)  # [N], of a twist [N m], that it exerted in the last step
        self.strength = 1.0
        self._label = self._api.add_label(
            "/touch/name", "", anchor="top-left", visible=False, font_screen_scale=0.9
        )
        self._arrow = self._api.add_arrows(
            "/touch/spring", np.zeros((0, 2, 3), np.float32), PULL,
            shaft_radius=0.006, head_radius=0.018, head_length=0.04,
        )  # fmt: skip
        self._force_label = self._api.add_label(
            "/touch/force", "", anchor="bottom-left", visible=False, font_screen_scale=0.9
        )
        self._gizmo = self._api.add_transform_controls(
            "/touch/gizmo", scale=0.5, visible=False, depth_test=False
        )
        self._gizmo.on_update(self._on_gizmo)
        self._gizmo_pose = (np.zeros(3), np.zeros(4))

    # -- what the browser may do, on the server's threads ----------------------------------------
    def listen(self, stage: Stage) -> None:
        """Take clicks and drags of all bodies."""
        stage.listen(
            lambda row: self._orders.post(("select",), row),
            lambda phase, row, *way: self._orders.post(("drag", phase), (row, *way)),
        )

    async def _on_gizmo(self, event: Any) -> None:
        if event.client is not None and event.phase != "start":
            handle = event.target
            self._orders.post(("pose",), (np.array(handle.position), np.array(handle.wxyz)))

    # -- what the thread of the world does -------------------------------------------------------
    def select(self, row: int) -> None:
        """Select the body of a row; the same again, or none there: nothing is selected."""
        found = picked(self._world, row)
        same = self.selected is not None and found == self.selected
        self.selected = None if same else found

    def drag(self, phase: str, row: int, start: Any, end: Any, toward: Any, poses: Poses) -> None:
        """Hold a body where it was shown at `start`, pull or twist it as far as `end`, or let go.

        Args:
            phase: "start", "update" or "end".
            row: Of the body.
            start, end: Where the mouse began and where it is, (3,) [m], world.
            toward: From the body to the viewer, (3,): the body is twisted; None: it is pulled.
            poses: The shown scene.

        Raises:
            ValueError: It cannot be pulled.
        """
        if phase == "end":
            self.grip = None
            return
        target = np.clip(np.asarray(end, float), -FARTHEST, FARTHEST)
        if phase == "update" and self.grip is not None:
            self.grip.lead(target, self.strength)
            return
        found = picked(self._world, row)
        if found is None or not 0 <= row < len(poses.position):
            return
        if not can_be_pulled(found.part):
            kind = found.part.body_type.name.lower()
            raise ValueError(f"{found.part.name} is {kind}: no force moves it")
        begin = np.clip(np.asarray(start, float), -FARTHEST, FARTHEST)
        held: dict[str, Any] = {
            "part": found.part, "body": found.body, "target": target, "strength": self.strength
        }  # fmt: skip
        if toward is None:
            point = poses.rotation[row].T @ (begin - poses.position[row])
            self.grip = Spring(point=point, **held)
        else:
            view = np.asarray(toward, float)
            view /= max(float(np.linalg.norm(view)), 1e-9)
            self.grip = Twist(start=begin, toward=view, **held)
        self.selected = found
        found.part.wake()

    def move(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Put the selected object somewhere else.

        Raises:
            ValueError, EditError: It cannot be moved now.
        """
        if self.selected is not None and is_movable(self.selected.part):
            part = self.selected.part
            part.position = np.clip(position, -FARTHEST, FARTHEST)
            part.orientation = orientation / np.linalg.norm(orientation)
            self._gizmo_pose = (np.array(part.position), np.array(part.orientation))

    def pull(self) -> None:
        """Let the grip act in the next step."""
        if self.grip is None:
            return
        if self.grip.part.is_removed or not can_be_pulled(self.grip.part):
            self.grip = None
            return
        try:
            self.force = self.grip.pull(self._world.time_step)
        except (ValueError, EditError):
            self.grip = None  # the body is no longer one that can be pulled

    def show(self, poses: Poses, *, is_paused: bool) -> None:
        """Draw name, grip and gizmo where they belong now."""
        if self.selected is not None and self.selected.part.is_removed:
            self.selected = None
        if self.grip is not None and self.grip.part.is_removed:
            self.grip = None
        found = self.selected
        can_move = found is not None and is_paused and is_movable(found.part)
        self._label.visible, self._gizmo.visible = found is not None, can_move
        if found is not None:
            self._label.position, self._label.text = poses.position[found.row], found.label
        if can_move and found is not None:
            place, turn = np.array(found.part.position), np.array(found.part.orientation)
            sent, turned = self._gizmo_pose
            if not np.array_equal(place, sent):
                inputs.show(self._server, self._gizmo, position=place)
            if not np.array_equal(turn, turned):
                inputs.show(self._server, self._gizmo, wxyz=turn)
            self._gizmo_pose = (place, turn)
        self._show_grip()

    def _show_grip(self) -> None:
        if self.grip is None:
            self._force_label.visible = False
            self._arrow.points = np.zeros((0, 2, 3), np.float32)
            return
        ends = self.grip.ends()
        self._arrow.points = ends[None].astype(np.float32)
        self._force_label.position = ends[1]
        self._force_label.text = self._said_force()
        self._force_label.visible = True

    def _said_force(self) -> str:
        assert self.grip is not None
        return f"{np.linalg.norm(self.force):.3g} {self.grip.unit}"

    def text(self) -> str:
        """Return what is known of the selected body (Markdown)."""
        found = self.selected
        if found is None or found.part.is_removed:
            return "*Click a body. Ctrl and drag pulls it, Ctrl Shift and drag twists it.*"
        part, marks = found.part, read_contact_marks(self._world)
        frame: Any = part.links[found.body] if isinstance(part, ArticulatedSystem) else part
        kind = "" if part.body_type == Kind.DYNAMIC else f", {part.body_type.name.lower()}"
        lines = [
            f"**{plain_name(found.label)}**{kind}  ",
            f"position **{_row(frame.position)}** m  ",
            f"orientation {_row(frame.orientation)}  ",
        ]
        if part.body_type != Kind.STATIC:
            lines += [
                f"velocity **{_row(frame.linear_velocity)}** m/s  ",
                f"turning {_row(frame.angular_velocity)} rad/s  ",
                f"mass **{float(frame.mass):.4g} kg**"
                + (f" of {float(part.mass):.4g} kg  " if frame is not part else "  "),
            ]
        lines.append(f"material {plain_name(_material(found))}{', asleep' if part.is_asleep else ''}  ")
        if self.grip is not None:
            word = "twisted" if isinstance(self.grip, Twist) else "pulled"
            lines.append(f"{word} with **{self._said_force()}**  ")
        mine = np.flatnonzero((marks.body == found.row).any(axis=1) & (marks.state > 0))
        total = f"{marks.normal_force[mine].sum():.4g} N" if len(mine) else "none"
        lines.append(f"contacts **{len(mine)}**, normal forces {total}")
        for c in mine[:MAX_CONTACTS]:
            row = marks.body[c, 0] if marks.body[c, 1] == found.row else marks.body[c, 1]
            other = picked(self._world, int(row))
            name = "?" if other is None else other.label
            lines.append(
                f"* {plain_name(name)}: {marks.normal_force[c]:.4g} N, "
                f"friction {marks.friction_force[c]:.3g} N, {STATES[marks.state[c]]}, "
                f"gap {1e3 * marks.gap[c]:.3g} mm"
            )
        if len(mine) > MAX_CONTACTS:
            lines.append(f"* and {len(mine) - MAX_CONTACTS} more")
        return "\n".join(lines)


def _material(found: Picked) -> str:
    """Return the material of a body's shapes, or all of them."""
    shapes = found.part.description.bodies[found.body].shapes
    names = sorted({shape.material for shape in shapes})
    return ", ".join(names) if names else "none"


def _row(values: np.ndarray) -> str:
    return ", ".join(f"{float(x):.3f}" for x in values)


def plain_name(name: str) -> str:
    """Return a name without what Markdown or HTML would take for markup."""
    return "".join(c if c.isalnum() or c in " /_-.:,()" else "·" for c in name[:80]).replace("_", r"\_")
