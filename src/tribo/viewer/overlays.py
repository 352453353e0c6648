"""Marks over a scene: names, frames, axes, masses, cones, gaps."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks.orientation import of_matrices as quaternions
from tribo.model import ContactState, Joint, Kind, Shape
from tribo.readout.contacts_and_energies import contact_impulses
from tribo.readout.explain_contact import AT_BOUND
from tribo.viewer.scene import NOWHERE, Poses, away_from_static
from tribo.viewer.stage import Growing
from tribo.viewer.surface import Surface, cone, of_shape, turn_to
from tribo.viewer.visuals import linear

if TYPE_CHECKING:
    from tribo.viewer.panel import Wishes
    from tribo.world.world import World

OPEN, STICK, SLIP = 0, 1, 2
STATES = ("open", "stick", "slip")


@dataclass(frozen=True, slots=True, eq=False)
class ContactMarks:
    """Contact points of the last step, each once: those that touch, and those near enough to be watched."""

    point: np.ndarray  # (n, 3) [m]
    axes: np.ndarray  # (n, 3, 3) rows t₁, t₂, n, world
    normal_force: np.ndarray  # (n,) [N]
    friction_force: np.ndarray  # (n,) [N]
    friction: np.ndarray  # (n,) coefficient in effect
    state: np.ndarray  # (n,) OPEN, STICK or SLIP
    gap: np.ndarray  # (n,) [m]
    body: np.ndarray  # (n, 2) rows of bodies, A and B


def read_contact_marks(world: World) -> ContactMarks:
    """Copy the contacts of the last step; a point is open if it carries no force."""
    engine = world.engine
    work = engine.work
    n = int(work.contact_count[0])
    force = contact_impulses(engine) / world.time_step
    normal = force[:, 2]
    sideways = np.hypot(force[:, 0], force[:, 1])
    friction = work.contact_friction[:n].copy()
    state = np.where(sideways >= (1.0 - AT_BOUND) * friction * normal, SLIP, STICK)
    compliant = work.contact_state[:n]  # −1: the point is rigid
    state[compliant == ContactState.STICKING] = STICK
    state[compliant == ContactState.SLIPPING] = SLIP
    state[normal <= 0.0] = OPEN
    return ContactMarks(
        work.contact_pos[:n].copy(), work.contact_axes[:n].reshape(-1, 3, 3).copy(), normal, sideways,
        friction, state, work.contact_gap[:n].copy(), work.contact_body[:n].copy(),
    )  # fmt: skip


MAX_NAMES = 300
MAX_GAPS = 100
AXIS = 0.12  # [m] half of a drawn joint axis
AXES_SHARE, SHORTEST_AXES = 0.2, 0.02  # of how far things are apart; [m] of the world's axes
OPEN_CONE = 0.03  # [m] height of a cone without force
LONGEST_CONE = 0.5  # [m]
CONES = {OPEN: (150, 155, 165), STICK: (38, 160, 90), SLIP: (225, 120, 30)}
MASS, INERTIA, JOINT, GAP = (240, 200, 40), (120, 90, 200), (30, 90, 200), (220, 30, 60)
DENSITY = 2000.0  # [kg/m³] of the balls that show centres of mass


class Marks:
    """Instances of one surface whose number changes from picture to picture."""

    def __init__(
        self, api: Any, path: str, surface: Surface, color: tuple[int, int, int],
        opacity: float | None = None,
    ) -> None:  # fmt: skip
        """Make no node before there is something to show."""
        shade = linear(np.array(color, float))

        def make(places: np.ndarray, turns: np.ndarray, scales: np.ndarray) -> Any:
            return api.add_batched_meshes_simple(
                path, surface.vertices, surface.faces, turns, places, batched_scales=scales,
                batched_colors=shade, lod="off", opacity=opacity,
                cast_shadow=False, receive_shadow=False, side="double",
            )  # fmt: skip

        self._nodes = Growing(make, "batched_positions", "batched_wxyzs", "batched_scales")
        self._room = 0
        self.remove = self._nodes.remove

    def show(self, position: np.ndarray, turn: np.ndarray, scale: np.ndarray) -> None:
        """Show n of them: positions (n, 3), quaternions (n, 4), factors (n, 3)."""
        n = len(position)
        if n > self._room:
            self._room = max(16, 1 << (n - 1).bit_length())
        places = np.full((self._room, 3), NOWHERE, np.float32)
        turns = np.tile(np.array([1, 0, 0, 0], np.float32), (self._room, 1))
        scales = np.full((self._room, 3), 1e-6, np.float32)
        places[:n], turns[:n], scales[:n] = position, turn, scale
        self._nodes.show(places, turns, scales)


class Overlays:
    """Nodes of what the panel asks for; what is off costs nothing."""

    def __init__(self, api: Any, world: World) -> None:
        """Make no nodes yet."""
        self._api, self._world = api, world
        self._engine = world.engine
        self._names: list[Any] = []
        self._axes: list[Any] = []
        ball, cube = of_shape(Shape.SPHERE, (1.0,), 16), of_shape(Shape.BOX, (0.5, 0.5, 0.5))
        self._masses = Marks(api, "/shown/masses", ball, MASS)
        self._boxes = Marks(api, "/shown/inertias", cube, INERTIA, 0.35)
        self._cones = {
            state: Marks(api, f"/shown/cones_{state}", cone(), color, 0.45) for state, color in CONES.items()
        }
        frames = functools.partial(api.add_batched_axes, "/shown/frames", axes_length=0.15, axes_radius=0.006)
        self._frames = Growing(frames, "batched_wxyzs", "batched_positions")
        joints = functools.partial(
            api.add_arrows, "/shown/joints", colors=JOINT, shaft_radius=0.005, head_radius=0.014,
            head_length=0.03,
        )  # fmt: skip
        self._joints = Growing(joints, "points")
        gaps = functools.partial(
            api.add_line_segments, "/shown/gaps", colors=np.array(GAP, np.uint8), thickness=6.0,
            thickness_units="screen",
        )  # fmt: skip
        self._gaps = Growing(gaps, "points")
        self._parts: dict[str, Collection[Any]] = {
            "names": self._names, "frames": (self._frames,), "joints": (self._joints,),
            "masses": (self._masses,), "inertias": (self._boxes,), "cones": self._cones.values(),
            "gaps": (self._gaps,), "axes": self._axes,
        }  # fmt: skip
        self._on: set[str] = set()

    def show(self, poses: Poses, wishes: Wishes) -> None:
        """Send what is asked for; take away what no longer is."""
        wanted = {name for name in self._parts if wishes.shown[name]}
        self._drop(self._on - wanted)
        self._on = wanted
        for name in wanted:
            if name == "cones":
                self._show_cones(wishes.force_scale)
            else:
                getattr(self, f"_show_{name}")(poses)

    def remove(self) -> None:
        """Take all nodes away."""
        self._drop(self._on)
        self._on = set()

    def _drop(self, names: set[str]) -> None:
        for name in names:
            parts = self._parts[name]
            for part in parts:
                part.remove()
            if isinstance(parts, list):  # of nodes that are made once
                parts.clear()

    # -- one of each ------------------------------------------------------------------------------
    def _show_names(self, poses: Poses) -> None:
        shown = self._world.objects[:MAX_NAMES]
        if not self._names:
            # With its place: one that is told a moment later has been missed by a page.
            places = poses.position[[part.span.body.start for part in shown if part.span is not None]]
            self._names += [
                self._api.add_label(
                    f"/shown/names/{k}", part.name, anchor="bottom-center", font_screen_scale=0.8,
                    position=places[k],
                )
                for k, part in enumerate(shown)
            ]  # fmt: skip
        for node, part in zip(self._names, shown, strict=True):
            assert part.span is not None
            place = poses.position[part.span.body.start]
            if not np.array_equal(node.position, place):
                node.position = place
            node.text = part.name

    def _show_axes(self, poses: Poses) -> None:
        """Show the axes of the world, as long as the label at the first one says: a scale."""
        if self._axes:
            return
        rows = [part.span.body.start for part in self._world.objects if part.span is not None]
        reach = float(np.ptp(poses.position[rows], axis=0).max()) if rows else 0.0
        length = round_length(max(AXES_SHARE * reach, SHORTEST_AXES))
        self._axes.append(self._api.add_frame(
            "/shown/axes", axes_length=length, axes_radius=0.012 * length, origin_radius=0.018 * length
        ))  # fmt: skip
        for k, text in enumerate((f"x  {length:g} m", "y", "z")):
            self._api.add_label(
                f"/shown/axes/{k}", text, position=1.08 * length * np.eye(3)[k], font_screen_scale=0.7
            )

    def _show_frames(self, poses: Poses) -> None:
        turns = quaternions(poses.rotation).astype(np.float32)
        self._frames.show(turns, poses.position.astype(np.float32))

    def _show_joints(self, poses: Poses) -> None:
        centre, axis = joint_axes(self._engine, poses)
        self._joints.show(np.stack([centre - AXIS * axis, centre + AXIS * axis], axis=1).astype(np.float32))

    def _show_masses(self, poses: Poses) -> None:
        mass, centre = mass_centres(self._engine, poses)
        radius = np.cbrt(mass / (DENSITY * 4.0 / 3.0 * np.pi))
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(mass), 1))
        self._masses.show(centre, turns, np.repeat(radius[:, None], 3, axis=1))

    def _show_inertias(self, poses: Poses) -> None:
        centre, turn, edges = inertia_boxes(self._engine, poses)
        self._boxes.show(centre, quaternions(turn), edges)

    def _show_cones(self, scale: float) -> None:
        marks = read_contact_marks(self._world)
        upward = marks.axes[:, 2] * away_from_static(self._engine, marks.body)[:, None]
        height = np.minimum(marks.normal_force * scale, LONGEST_CONE)
        for state, drawn in self._cones.items():
            mine = np.flatnonzero(marks.state == state)
            tall = np.maximum(height[mine], OPEN_CONE)
            wide = np.minimum(marks.friction[mine], 5.0) * tall
            turn = np.array([turn_to(n) for n in upward[mine]]).reshape(-1, 3, 3)
            drawn.show(marks.point[mine], quaternions(turn), np.stack([wide, wide, tall], axis=1))

    def _show_gaps(self, poses: Poses) -> None:
        del poses  # constraints read the state themselves
        ends = np.array([_gap_ends(tie) for tie in self._world.constraints[:MAX_GAPS]], np.float32)
        self._gaps.show(ends.reshape(-1, 2, 3))


def round_length(length: float) -> float:
    """Return the nearest length of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda one: abs(np.log(one * power / length))))


def joint_axes(engine: Any, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """Return places (n, 3) [m] and axes (n, 3), world, of all joints that turn or slide."""
    model = engine.model
    rows = np.flatnonzero(np.isin(model.joint_type, (Joint.REVOLUTE, Joint.PRISMATIC)))
    axis = np.einsum("nij,nj->ni", poses.rotation[rows], model.joint_axis[rows])
    return poses.position[rows], axis


def mass_centres(engine: Any, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """Return masses (n,) [kg] and centres (n, 3) [m], world, of the bodies that forces move."""
    model, rows = engine.model, _massive(engine)
    arm = np.einsum("nij,nj->ni", poses.rotation[rows], model.body_com[rows])
    return model.body_mass[rows], poses.position[rows] + arm


def inertia_boxes(engine: Any, poses: Poses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return centres (n, 3), axes (n, 3, 3) and edges (n, 3) [m] of boxes with each body's mass and inertia.

    A box of mass m and edges a, b, c has the inertia m (b² + c²)/12 about its first axis, so
    a² = 6 (I₂ + I₃ − I₁)/m.
    """
    rows = _massive(engine)
    mass, centre = mass_centres(engine, poses)
    xx, yy, zz, xy, xz, yz = (engine.model.body_inertia[rows, k] for k in range(6))
    tensor = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
    moments, axes = np.linalg.eigh(tensor)
    axes[np.linalg.det(axes) < 0.0, :, 2] *= -1.0
    square = 6.0 * (moments.sum(axis=1, keepdims=True) - 2.0 * moments) / mass[:, None]
    return centre, poses.rotation[rows] @ axes, np.sqrt(np.maximum(square, 1e-8))


def _massive(engine: Any) -> np.ndarray:
    """Return the rows of bodies that have a mass and are moved by forces."""
    model = engine.model
    is_dynamic = model.tree_kind[model.body_tree] == Kind.DYNAMIC
    return np.flatnonzero(is_dynamic & (model.body_mass > 0.0))


def _gap_ends(tie: Any) -> np.ndarray:
    """Return where a constraint is and where it should be, (2, 3) [m]."""
    first = tie.ends[0].pose()[0]
    gap = np.zeros(3) if tie.is_broken or not tie.is_on else np.asarray(tie.gap, float)
    return np.stack([first - (gap if gap.shape == (3,) else 0.0), first])
