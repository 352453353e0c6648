"""Make docs/gallery.md and its pictures: PYTHONPATH=src:tests python docs/make_gallery.py [NAMES …].

Every program in examples/ is run as it is; meanwhile its worlds, batches and motions are watched, and the one
in which most happens is drawn, as a film if it moves. Films are animated WebP of 320 × 200 pixels. With names
only those examples are drawn anew, as `13_terrain`; the page is always written.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import runpy
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tribo
import tribo.ground
from tribo.batch.batch import Batch
from tribo.batch.interior import BatchInterior
from tribo.model import Shape
from tribo.sensors.lidar import Lidar
from tribo.viewer import SideBySide, draw, scene
from tribo.viewer.raster import Camera
from tribo.viewer.renderer import seeing
from tribo.viewer.sensor_marks import POINTS, scan_points
from tribo.viewer.surface import Part, Surface, of_shape
from tribo.viewer.take import Take
from tribo.world.world import World

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
OUT = HERE / "_static" / "gallery"
PAGE = HERE / "gallery.md"
WIDTH, HEIGHT = 320, 200
FRAMES = 40  # of a film
RATE = 50.0  # [1/s] of world time: how often states are kept
MOST = 4000  # of a world; then every second is dropped
STILL = 1e-3  # [m] what moves less is a picture, not a film
PACE = 12.0  # [1/s] pictures of a film at least; shorter than 3.3 s of world time plays slower than it was
QUALITY = 70
DOT = 0.015  # [m] radius of a point of a scan
FILLED = 0.85  # [–] of the picture's width or height
DIRECTION = (0.5, -1.0, 0.4)


@dataclass
class Choice:
    """What is special about an example."""

    start: float = 0.0  # [s] of world time
    stop: float = np.inf
    direction: tuple[float, float, float] = DIRECTION
    forces: bool = False
    which: int | None = None  # of the worlds that it makes; None: that in which most happens
    near: float = 1.0  # factor of the camera's distance
    focus: tuple[str, ...] = ()  # objects that must be seen; none: all


CHOICES: dict[str, Choice] = {
    "02_box_on_a_slope": Choice(which=1, near=1.8),
    "04_conveyor": Choice(focus=("box_2",), near=1.6),
    "11_newtons_cradle": Choice(stop=1.5),
    "13_terrain": Choice(focus=("articulated_system_1",), near=1.3),
    "16_lidar": Choice(focus=("articulated_system_3", "cylinder_1", "box_2"), near=1.2),
    "25_gym": Choice(near=0.7),
    "26_walking": Choice(stop=6.0),
    "28_cart_pole_mppi": Choice(which=1),
    "17_grasp": Choice(stop=3.0, direction=(0.9, -1.0, 0.35)),
    "32_material_slope": Choice(stop=1.0, direction=(1.0, -0.25, 0.6)),
    "37_from_raisim": Choice(
        which=1, focus=tuple(f"sphere_{k}" for k in range(1, 6)), direction=(0.3, -1.0, 0.9), near=1.3
    ),
    "44_ilqr_swing_up": Choice(which=0),
    "45_billiard_shot": Choice(which=0, stop=3.0),
    "47_ilqr_jump": Choice(which=0),
}


@dataclass
class Film:
    """What happened in a world, a batch or a motion."""

    shown: scene.Scene
    poses: list[scene.Poses] = field(default_factory=list)
    forces: list[scene.Forces | None] = field(default_factory=list)
    extras: list[list[Part]] = field(default_factory=list)  # scans of lidars, what is only drawn
    engine: Any = None
    stride: int = 1
    asked: int = 0

    def note(
        self, poses: scene.Poses, forces: scene.Forces | None = None, extra: Sequence[Part] = ()
    ) -> None:
        """Keep a frame; of a long motion every second, fourth …"""
        self.asked += 1
        if self.asked % self.stride:
            return
        if len(self.poses) >= MOST:
            self.poses, self.forces = self.poses[::2], self.forces[::2]
            self.extras, self.stride = self.extras[::2], 2 * self.stride
        self.poses.append(poses)
        self.forces.append(forces)
        self.extras.append(list(extra))

    def reach(self) -> float:
        """Return how far bodies moved, all together [m]."""
        places = np.array([poses.position for poses in self.poses])
        return float(np.ptp(np.clip(places, -1e3, 1e3), axis=0).max(axis=1).sum()) if len(places) else 0.0


def scans(world: World) -> list[Part]:
    """Return a surface of small octahedra where the beams of each lidar hit last."""
    ball = of_shape(Shape.SPHERE, (1.0,), 6)
    made: list[Part] = []
    for sensor in world.sensors:
        if not isinstance(sensor, Lidar) or sensor.reading is None:
            continue
        points = scan_points(sensor, sensor.reading)
        n, m = len(points), len(ball.vertices)
        dots = Surface(
            (points[:, None] + DOT * ball.vertices).reshape(-1, 3),
            np.tile(ball.normals, (n, 1)),
            (m * np.arange(n)[:, None, None] + ball.faces).reshape(-1, 3),
        )
        color = np.tile(np.array(POINTS) / 255.0, (n * m, 1))
        made.append((dots, np.zeros(3), np.eye(3), color))
    return made


class Watch:
    """Keeps what worlds, batches and motions do while an example runs."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.films: dict[int, Film] = {}
        self._alive: list[Any] = []  # so that no number is given twice
        self._world_of: dict[int, World] = {}
        self._rows: dict[int, SideBySide] = {}
        self._batch_of: dict[int, Batch] = {}
        self._view_of: dict[int, tribo.Viewer] = {}

    def world(self, world: World) -> None:
        """Keep the state of a world."""
        film = self.films.get(id(world))
        if film is None or film.engine is not world.engine:
            if film is not None:  # objects were added: another scene, and another film
                self.films[-len(self._alive)] = film
            self._alive.append(world)
            film = self.films[id(world)] = Film(scene.describe(world), engine=world.engine)
        view = self._view_of.get(id(world))
        extra = [] if view is None else [part for thing in view.visuals for part in thing.parts()]
        film.note(scene.read_poses(world), scene.read_forces(world), [*extra, *scans(world)])

    def batch(self, batch: Batch) -> None:
        """Keep the states of some worlds of a batch."""
        world = self._world_of.get(id(batch))
        if world is None:
            return
        row = self._rows.get(id(batch))
        if row is None:
            self._alive.append(batch)
            row = self._rows[id(batch)] = SideBySide(batch, world, range(min(9, len(batch))))
            self.films[id(batch)] = Film(row.scene)
        self.films[id(batch)].note(row.poses())

    def motion(self, motion: Any) -> None:
        """Keep a motion on the compliant ground."""
        take = Take.of(motion, rate=RATE)
        film = Film(take.scene)
        for k in range(len(take.time)):
            film.note(take.poses(k), take.forces(k))
        self._alive.append(motion)
        self.films[id(motion)] = film

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Watch what is called meanwhile."""
        step, advance, make, go = World.step, World.advance, Batch.__init__, BatchInterior.go
        look = tribo.Viewer.__init__
        simulate = tribo.ground.simulate
        next_of: dict[int, float] = {}

        def stepped(world: World, n: int = 1) -> None:
            if world.time == 0.0 and id(world) not in next_of:
                self.world(world)
            due = max(1, round(1.0 / (RATE * world.time_step)))
            while n > 0:
                some = min(n, due)
                step(world, some)
                n -= some
                self._note_if_due(world, next_of)

        def advanced(world: World) -> None:
            advance(world)
            self._note_if_due(world, next_of)

        def made(batch: Batch, world: World, *rest: Any, **options: Any) -> None:
            make(batch, world, *rest, **options)
            self._world_of[id(batch)] = world
            self._batch_of[id(batch._inside)] = batch
            self._alive += [batch, world]

        def looked(view: tribo.Viewer, world: World, *rest: Any, **options: Any) -> None:
            look(view, world, *rest, **options)
            self._view_of[id(world)] = view

        def gone(inside: BatchInterior, n: int, course: Any, hold_forces: bool = False) -> Any:
            batch = self._batch_of.get(id(inside))
            if batch is None:  # made before
                return go(inside, n, course, hold_forces)
            if not batch.time[0]:
                self.batch(batch)
            if course is not None or hold_forces:
                given = go(inside, n, course, hold_forces)
                self._note_batch(batch, next_of)
                return given
            due = max(1, round(1.0 / (RATE * self._world_of[id(batch)].time_step)))
            while True:
                given = go(inside, min(n, due), course)
                n -= due
                self._note_batch(batch, next_of)
                if n <= 0:
                    return given

        def simulated(*given: Any, **options: Any) -> Any:
            motion = simulate(*given, **options)
            self.motion(motion)
            return motion

        World.step, World.advance = stepped, advanced  # type: ignore[method-assign]
        Batch.__init__, BatchInterior.go = made, gone  # type: ignore[method-assign]
        tribo.ground.simulate = simulated
        tribo.Viewer.__init__ = looked  # type: ignore[method-assign]
        try:
            yield
        finally:
            World.step, World.advance = step, advance  # type: ignore[method-assign]
            Batch.__init__, BatchInterior.go = make, go  # type: ignore[method-assign]
            tribo.ground.simulate = simulate
            tribo.Viewer.__init__ = look  # type: ignore[method-assign]

    def _note_batch(self, batch: Batch, next_of: dict[int, float]) -> None:
        moment, due = float(batch.time[0]), next_of.get(id(batch), 0.0)
        if moment >= due - 1e-9 or moment < due - 1.0:
            next_of[id(batch)] = moment + 1.0 / RATE
            self.batch(batch)

    def _note_if_due(self, world: World, next_of: dict[int, float]) -> None:
        due = next_of.get(id(world), 0.0)
        if world.time >= due - 1e-9 or world.time < due - 1.0:
            next_of[id(world)] = world.time + 1.0 / RATE
            self.world(world)


def chosen_film(films: list[Film], choice: Choice) -> Film:
    """Return the film in which most happens, cut to what is wanted."""
    film = films[choice.which] if choice.which is not None else max(films, key=Film.reach)
    keep = [k for k, p in enumerate(film.poses) if choice.start <= p.time <= choice.stop] or [0]
    picked = sorted({keep[round(x)] for x in np.linspace(0, len(keep) - 1, FRAMES)})
    return Film(
        film.shown,
        [film.poses[k] for k in picked],
        [film.forces[k] for k in picked],
        [film.extras[k] for k in picked],
    )


def camera_of(film: Film, choice: Choice) -> Camera:
    """Return a camera that sees all that moves, all the time, from as near as can be."""
    some = film.poses[:: max(1, len(film.poses) // 8)]
    some = [*some, film.poses[-1]]
    visual = film.shown.visual
    if choice.focus:
        owners = {d.owner for d in visual.items}
        if not set(choice.focus) <= owners:
            raise ValueError(f"{choice.focus} are not among {sorted(owners)}")
        visual = scene.Group([d for d in visual.items if d.owner in choice.focus])
    corners = [draw.heap_of(draw.parts_of(visual, poses)).vertices for poses in some]
    if not choice.focus:  # wires, too
        corners += [film.shown.lines.place(poses)[0].reshape(-1, 3) for poses in some]
    whole = np.concatenate(corners)
    whole = whole[np.abs(whole).max(axis=1) < 1e3]
    low, high = np.quantile(whole, 0.002, axis=0), np.quantile(whole, 0.998, axis=0)
    whole = np.clip(whole, low, high)
    view = seeing(np.stack([low, high]), choice.direction, aspect=WIDTH / HEIGHT)
    target, way = np.asarray(view.target), np.subtract(view.eye, view.target)
    forward = -way / np.linalg.norm(way)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    half = np.tan(np.radians(0.5 * view.fov)) * np.array([WIDTH / HEIGHT, 1.0]) * FILLED
    for _ in range(20):  # the middle of what is seen, then as near as it allows
        from_eye = whole - target - way
        depth = np.maximum(from_eye @ forward, 1e-3)
        across, high_up = from_eye @ right / depth, from_eye @ up / depth
        middle = 0.5 * np.array([across.min() + across.max(), high_up.min() + high_up.max()])
        distance = np.linalg.norm(way)
        target = target + 0.5 * distance * (middle[0] * right + middle[1] * up)
        spread = max(np.ptp(across) / half[0], np.ptp(high_up) / half[1]) / 2.0
        way = way * (1.0 + 0.5 * (spread - 1.0))
    way *= choice.near
    return Camera(tuple(target + way), tuple(target), view.fov)


def drawn(film: Film, choice: Choice) -> list[Image.Image]:
    """Draw the frames of a film."""
    camera = camera_of(film, choice)
    scale = 0.0
    if choice.forces:
        sizes = [np.linalg.norm(f.force, axis=1) for f in film.forces if f is not None]
        usual = float(np.quantile(np.concatenate(sizes), 0.9)) if any(map(len, sizes)) else 0.0
        scale = 0.3 / usual if usual > 0.0 else 0.0
    style = draw.Style(WIDTH, HEIGHT, 2, force_scale=scale)
    return [
        Image.fromarray(draw.picture(film.shown, poses, camera, style, forces if scale else None, extra))
        for poses, forces, extra in zip(film.poses, film.forces, film.extras, strict=True)
    ]


def save(name: str, film: Film, choice: Choice) -> tuple[int, float]:
    """Write a film or a picture; return its size [bytes] and how much world time a second shows."""
    images = drawn(film, choice)
    span = film.poses[-1].time - film.poses[0].time
    if film.reach() < STILL or span <= 0.0:
        images = images[-1:]
    pause = int(1000.0 * max(span, len(images) / PACE) / max(len(images), 1))
    pause = min(pause, 100)  # [ms] what takes long is shown faster
    file = OUT / f"{name}.webp"
    images[0].save(
        file, save_all=True, append_images=images[1:], duration=pause, loop=0, quality=QUALITY, method=6
    )
    return file.stat().st_size, span / (1e-3 * pause * len(images))


def watched(path: Path) -> Watch:
    """Run an example, quietly and in a folder of its own; return what happened in it."""
    watch = Watch()
    before, here = sys.argv, Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        sys.argv = [str(path)]
        os.chdir(folder)
        try:
            with watch.on():
                runpy.run_path(str(path), run_name="__main__")
        except SystemExit:
            pass  # a library that it needs is missing
        finally:
            sys.argv = before
            os.chdir(here)
    return watch


# Examples of other libraries, which need not be there: the task is that of another example.
SAME_TASK = {"29_stable_baselines": "25_gym", "30_rsl_rl": "26_walking"}


def title_of(path: Path) -> tuple[str, str]:
    """Return the first sentence of an example, and what else its docstring says."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or path.stem
    first, _, rest = text.partition("\n")
    return first, rest.strip()


def entry(path: Path) -> str:
    """Return what the page says about an example."""
    first, _ = title_of(path)
    number, _, words = path.stem.partition("_")
    heading = f"## {int(number)} {words.replace('_', ' ').capitalize()}"
    picture, note = OUT / f"{path.stem}.webp", ""
    if not picture.exists() and path.stem in SAME_TASK:
        other = SAME_TASK[path.stem]
        picture, note = (OUT / f"{other}.webp", f" The film is that of `examples/{other}.py`: the same task.")
    seen = f"![{first}](_static/gallery/{picture.name})\n\n" if picture.exists() else ""
    return (
        f"{heading}\n\n{seen}{first}{note}\n\n<details><summary><code>examples/{path.name}</code></summary>\n\n"
        f"```{{literalinclude}} ../examples/{path.name}\n:language: python\n```\n\n</details>\n"
    )


HEAD = """# Gallery

Every program of `examples/`: what happens in it, and its code. Each is run as it is while its worlds are
watched, and drawn on the processor, without a display. `make gallery` makes the films, the screenshots and
this page anew.
"""
SCENES = """## Scenes in the browser

The pictures of `tribo.Viewer`: a headless Chromium looked at the scenes of `docs/make_screenshots.py`.
"""


def scenes() -> str:
    """Return the screenshots as a table of two columns, with what their functions say."""
    tree = ast.parse((HERE / "make_screenshots.py").read_text("utf-8"))
    said = {f.name: ast.get_docstring(f) for f in tree.body if isinstance(f, ast.FunctionDef)}
    cells = [
        f"![{said[name]}](_static/gallery/scene_{name}.webp)<br>{said[name]}"
        for name in said
        if (OUT / f"scene_{name}.webp").exists()
    ]
    cells += [""] * (len(cells) % 2)
    rows = [f"| {a} | {b} |" for a, b in zip(cells[::2], cells[1::2], strict=True)]
    return "\n".join([SCENES, "| | |", "| --- | --- |", *rows, ""])


def main(names: list[str]) -> None:
    """Draw the examples, write the page."""
    OUT.mkdir(exist_ok=True)
    paths = sorted(EXAMPLES.glob("[0-9]*.py"))
    for path in paths:
        if names and path.stem not in names:
            continue
        films = [f for f in watched(path).films.values() if f.poses]
        if not films:
            print(f"{path.stem}: nothing to draw")
            continue
        choice = CHOICES.get(path.stem, Choice())
        film = chosen_film(films, choice)
        size, pace = save(path.stem, film, choice)
        said = f"{len(film.poses)} frames, {size / 1e3:.0f} kB, {pace:.2f} s of world time per second"
        print(f"{path.stem}: {said}", flush=True)
    PAGE.write_text("\n".join([HEAD, *map(entry, paths), scenes()]), "utf-8")
    total = sum(f.stat().st_size for f in OUT.glob("*"))
    print(f"{total / 1e6:.2f} MB of pictures")


if __name__ == "__main__":
    main(sys.argv[1:])
