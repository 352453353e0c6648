"""`tribo render`: a film, or a picture, of a file or a recording, without a display."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import tribo
from tribo.checks import check
from tribo.tools.arguments import add_command, add_file
from tribo.tools.load_file import load
from tribo.tools.recording_commands import open_recording
from tribo.viewer import draw, scene
from tribo.viewer.film import save_film, save_picture
from tribo.viewer.raster import Camera
from tribo.viewer.renderer import FOV, seeing
from tribo.viewer.scene import Poses
from tribo.viewer.views import camera_of

console = Console(highlight=False)
PICTURES = (".png", ".jpg", ".jpeg")
FILMS = (".mp4", ".mkv", ".mov")
MAX_FRAMES = 100_000
LARGEST = 4096  # [pixels] width and height
DURATION = 5.0  # [s]
MAX_ORBIT = 36_000.0  # [°]
ARROW = 0.25  # [m] of a usual force


class Shots:
    """Poses and contact forces of a world at the times of a film."""

    def __init__(self, world: tribo.World) -> None:
        """Note what there is to draw; objects must not change from here on."""
        self.scene = scene.describe(world)
        self.poses: list[Poses] = []
        self.forces: list[scene.Forces] = []

    def note(self, world: tribo.World) -> None:
        """Keep the present state as a frame."""
        self.poses.append(scene.read_poses(world))
        self.forces.append(scene.read_forces(world))


def add_to(commands: Any) -> None:
    """Add the command to the parser of `tribo`."""
    render = add_command(commands, "render", _render,
                         "film a world, a robot or a recording, without a display",
                         "tribo render robot.urdf film.mp4 --hold --duration 3 --forces")  # fmt: skip
    add_file(render)
    render.add_argument("out", type=Path, metavar="OUT", help="film (.mp4) or picture (.png) at the end")
    render.add_argument("--scene", type=Path, metavar="FILE",
                        help="if FILE is a recording: what was recorded")  # fmt: skip
    render.add_argument("--from", dest="start", type=float, metavar="S", help="of a recording [s]")
    render.add_argument("--to", dest="stop", type=float, metavar="S", help="of a recording [s]")
    render.add_argument("--duration", type=_time, default=DURATION, metavar="S",
                        help=f"world time [s] ({DURATION:g}); 0: as it starts")  # fmt: skip
    render.add_argument("--fps", type=int, default=30, help="pictures per second (30)")
    render.add_argument("--size", type=_size, default=(960, 540), metavar="WxH", help="960x540")
    render.add_argument("--camera", type=_camera, metavar="X,Y,Z,TX,TY,TZ",
                        help="from where, and to where [m]; else all is seen")  # fmt: skip
    render.add_argument("--follow", metavar="NAME", help="the camera goes along with an object")
    render.add_argument("--orbit", type=_angle, default=0.0, metavar="DEGREES",
                        help="how far the camera goes round what it sees in the film (0)")  # fmt: skip
    render.add_argument("--forces", action="store_true", help="contact forces as arrows")


def _render(chosen: argparse.Namespace) -> int:
    ending = chosen.out.suffix.lower()
    check.choice(ending, PICTURES + FILMS, f"ending of {chosen.out}")
    if not 1 <= chosen.fps <= 240:
        raise ValueError(f"--fps must be 1 … 240, got {chosen.fps}")
    if not chosen.out.absolute().parent.is_dir():
        raise ValueError(f"{chosen.out}: its folder does not exist; make it first")
    shots = _recorded(chosen) if chosen.file.is_dir() else _stepped(chosen)
    if ending in PICTURES:
        shots.poses, shots.forces = shots.poses[-1:], shots.forces[-1:]
        save_picture(next(_pictures(chosen, shots)), chosen.out)
    else:
        save_film(_pictures(chosen, shots), chosen.out, chosen.fps)
    console.print(f"wrote {chosen.out}", markup=False, soft_wrap=True)
    return 0


def _stepped(chosen: argparse.Namespace) -> Shots:
    """Step a world; return its frames."""
    if chosen.scene is not None or chosen.start is not None or chosen.stop is not None:
        raise ValueError(f"{chosen.file}: --scene, --from and --to are for recordings; leave them out")
    world, follows = load(chosen)
    chosen.follow = chosen.follow or follows
    count = round(chosen.duration * chosen.fps)
    _check_count(count)
    shots = Shots(world)
    step, done = world.time_step, 0
    shots.note(world)
    for k in range(1, count + 1):
        due = round(k / (chosen.fps * step))  # of a film whose rate is no multiple of the step's, the nearest
        world.step(due - done)
        done = due
        shots.note(world)
    return shots


def _recorded(chosen: argparse.Namespace) -> Shots:
    """Return the frames of a recording."""
    from tribo.viewer.replay import replay

    if chosen.scene is None:
        raise ValueError(
            f"{chosen.file} is a recording: it has no shapes; say what was recorded: --scene world.xml"
        )
    chosen.recording, chosen.file = chosen.file, chosen.scene
    recording = open_recording(chosen)
    world, _ = load(chosen)
    span = float(recording.time[-1] - recording.time[0])
    _check_count(round(span * chosen.fps))
    take = replay(recording, world, chosen.fps)
    shots = Shots(world)
    for k in range(len(take.time)):
        shots.poses.append(take.poses(k))
        shots.forces.append(take.forces(k))
    return shots


def _pictures(chosen: argparse.Namespace, shots: Shots) -> Iterator[np.ndarray]:
    """Draw the frames, one after the other."""
    width, height = chosen.size
    style = draw.Style(width, height)
    if chosen.forces:
        sizes = np.concatenate([np.linalg.norm(f.force, axis=1) for f in shots.forces])
        usual = float(np.median(sizes)) if len(sizes) else 0.0
        style = replace(style, force_scale=ARROW / usual if usual > 0.0 else 0.0)
    row = None
    if chosen.follow:
        row = shots.scene.root[check.known(chosen.follow, shots.scene.root, "object to follow")]
    camera = chosen.camera or _whole(shots, row, width / height)
    start = shots.poses[0].position[row] if row is not None else np.zeros(3)
    for k, (poses, forces) in enumerate(zip(shots.poses, shots.forces, strict=True)):
        seen = camera if row is None else _moved(camera, poses, row, start)
        seen = seen.orbited(chosen.orbit * k / max(len(shots.poses) - 1, 1))
        yield draw.picture(shots.scene, poses, seen, style, forces)


def _whole(shots: Shots, row: int | None, aspect: float) -> Camera:
    """Return a camera that sees the whole motion, or what is followed as it starts."""
    group, first = shots.scene.visual, shots.poses[0]
    kept = np.arange(len(group.items))
    if row is not None:
        name = next(name for name, root in shots.scene.root.items() if root == row)
        kept = np.array([k for k, item in enumerate(group.items) if item.owner == name], int)
    parts = [draw.parts_of(group, first)[k] for k in kept]
    reach = max(
        (float(np.linalg.norm(s.vertices @ m.T + p - first.position[group.body[k]], axis=1).max())
         for k, (s, p, m, _) in zip(kept, parts, strict=True)), default=0.5,
    )  # fmt: skip
    bodies = np.unique(group.body[kept])
    shown = shots.poses if row is None else shots.poses[:1]
    places = np.concatenate([poses.position[bodies] for poses in shown])
    return seeing(places, margin=reach, aspect=aspect)


def _moved(camera: Camera, poses: Poses, row: int, start: np.ndarray) -> Camera:
    way = poses.position[row] - start
    return camera_of(camera.eye + way, camera.target + way, camera.fov)


def _check_count(count: int) -> None:
    if count > MAX_FRAMES:
        raise ValueError(f"{count} pictures are more than {MAX_FRAMES}; film a shorter time")


def _time(text: str) -> float:
    value = float(text)
    if not 0.0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} must be ≥ 0")
    return value


def _angle(text: str) -> float:
    value = float(text)
    if not abs(value) <= MAX_ORBIT:
        raise argparse.ArgumentTypeError(f"{text} must be from {-MAX_ORBIT:g} to {MAX_ORBIT:g}")
    return value


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} must be WIDTHxHEIGHT, as 960x540")
    size = int(width), int(height)
    if min(size) < 2 or max(size) > LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r}: 2 to {LARGEST} pixels each")
    return size


def _camera(text: str) -> Camera:
    try:
        numbers = [float(x) for x in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 6 or not np.isfinite(numbers).all() or numbers[:3] == numbers[3:]:
        raise argparse.ArgumentTypeError(f"{text!r} must be six numbers: from where, to where")
    return camera_of(numbers[:3], numbers[3:], FOV)
