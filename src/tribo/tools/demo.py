"""The demonstration: three spheres of different materials, and a quadruped that stands.

`python -m tribo.tools.demo` drops the spheres, compares each rebound with its closed form, lets a robot stand
under PD control, writes a plot, a picture and a film, and shows both in the browser.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

import tribo
from tribo import world_xml
from tribo.formats.mesh_files import robot_package
from tribo.materials import PairProperties
from tribo.recording.figure import INK, new_figure, save_figure
from tribo.viewer import draw, film, scene
from tribo.viewer.film import Shots
from tribo.viewer.raster import Camera

console = Console(highlight=False)

ASSETS = Path(__file__).parents[1] / "assets"
SPHERES = ASSETS / "three_spheres.xml"
ANYMAL = "robots/anymal_c_simple_description/urdf/anymal.urdf"

FALL = 8.0  # [s] the spheres are watched
STAND = 5.0  # [s] the robot stands
FILM = 4.0  # [s]
RATE = 20  # pictures per second of film
SNAPSHOT = 1.55  # [s] of the film, for the picture
STYLE = draw.Style(640, 480)
SPHERE_CAMERA = Camera((-3.2, -12.5, 3.4), (0.0, 0.0, 2.35))
ROBOT_CAMERA = Camera((1.6, -1.9, 0.95), (0.0, 0.0, 0.33))


class DemoError(RuntimeError):
    """The demonstration cannot go on; the message says why and what to do."""


@dataclass(slots=True)
class Rebound:
    """The first bounce of a sphere."""

    name: str
    speed_in: float = 0.0  # [m/s] at the surface, before the impact
    speed_out: float = 0.0  # [m/s] at the surface, after it
    expected_out: float = 0.0  # [m/s] e · max(0, u − r_th)
    apex: float = 0.0  # [m] highest point of the centre that follows
    expected_apex: float = 0.0  # [m] r + b²/2g, b the expected rebound


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot, how it stands and what holds it."""

    name: str
    urdf: Path
    height: float  # [m] of the base at the start
    thigh: float  # [rad] of the front legs; the hind legs mirror them
    shank: float
    kp: float
    kd: float


def own_robot() -> Robot:
    """Return the package's own quadruped."""
    return Robot("quadruped", ASSETS / "quadruped.urdf", 0.47, 0.5, -1.0, 100.0, 2.0)


def anymal() -> Robot:
    """Return ANYmal C from the package `example-robot-data`.

    Raises:
        DemoError: The package is not installed.
    """
    folder = robot_package()
    if folder is None:
        raise DemoError(
            'ANYmal C is in the package example-robot-data: pip install "tribo[robots]", '
            "or take the package's own robot: --robot own"
        )
    return Robot("anymal", folder / ANYMAL, 0.58, 0.4, -0.8, 300.0, 15.0)


def spheres_world() -> tribo.World:
    """Return the three spheres as the file has them."""
    world = tribo.World()
    world_xml.read_into(world, SPHERES)
    return world


def add_robot(world: tribo.World, robot: Robot, at: tuple[float, float] = (0.0, 0.0)) -> Any:
    """Add a robot in its stance, a little above the ground."""
    made = world.add_articulated_system(robot.urdf, name=robot.name)
    q = made.generalized_coordinate
    q[:3] = *at, robot.height
    angles = {"HFE": robot.thigh, "KFE": robot.shank}
    for joint in made.joint_names:  # LF_HAA, LF_HFE, LF_KFE, RF_HAA …
        leg, _, kind = joint.partition("_")
        q[made.coordinate_slice(joint)] = angles.get(kind, 0.0) * (1.0 if leg[1] == "F" else -1.0)
    made.generalized_coordinate = q
    made.pd_target = q
    made.set_pd_gains(robot.kp, robot.kd)
    return made


def drop(world: tribo.World) -> tuple[list[Rebound], np.ndarray, Shots]:
    """Let the spheres fall; return their first bounces, heights over time, and a film.

    Returns:
        Bounces; array (steps + 1, 1 + spheres) of time and heights; film.
    """
    balls = [p for p in world.objects if isinstance(p, tribo.SingleBody) and p.body_type == tribo.DYNAMIC]
    found = [Rebound(ball.name) for ball in balls]
    shots = Shots(world)
    steps = round(FALL / world.time_step)
    table = np.empty((steps + 1, 1 + len(balls)))
    gravity = float(-world.gravity[2])
    every = round(1.0 / (RATE * world.time_step))
    for step in range(steps + 1):
        table[step] = world.time, *(ball.position[2] for ball in balls)
        if step % every == 0 and step * world.time_step < FILM:
            shots.note(world)
        if step == steps:
            break
        before = [(float(ball.position[2]), float(ball.linear_velocity[2])) for ball in balls]
        world.step()
        for ball, bounce, (height, fell) in zip(balls, found, before, strict=True):
            rises = float(ball.linear_velocity[2])
            if fell < 0.0 <= rises and not bounce.speed_out:
                pair = world.materials.pair("steel", ball.material)
                assert isinstance(pair, PairProperties)  # as the demo's file says
                radius = float(ball.collision_bodies[0].size[0])
                bounce.speed_in = _speed_at(radius, height, fell, gravity)
                bounce.speed_out = _speed_at(radius, float(ball.position[2]), rises, gravity)
                bounce.expected_out = pair.restitution * max(
                    0.0, bounce.speed_in - pair.restitution_threshold
                )
                bounce.expected_apex = radius + bounce.expected_out**2 / (2.0 * gravity)
    for k, bounce in enumerate(found):
        bounce.apex = _first_apex(table[:, 1 + k])
    return found, table, shots


def _speed_at(height: float, z: float, v: float, gravity: float) -> float:
    """Return the speed that a body in free flight at height z with velocity v has at another height."""
    return math.sqrt(max(0.0, v**2 + 2.0 * gravity * (z - height)))


def _first_apex(heights: np.ndarray) -> float:
    """Return the top of the parabola through the three highest samples after the first bounce."""
    rising = np.flatnonzero(np.diff(heights) > 0.0)
    if not len(rising):
        return float(heights[-1])
    after = heights[rising[0] :]
    k = int(np.argmax(np.diff(after) <= 0.0))
    low, top, high = after[k - 1 : k + 2]
    return float(top - (high - low) ** 2 / (8.0 * (high - 2.0 * top + low)))


def stand(robot: Robot) -> tuple[dict[str, str], Shots]:
    """Let a robot stand; return what can be said about it, and a film."""
    world = tribo.World()
    world.add_ground(name="ground", material="steel")
    made = add_robot(world, robot)
    shots = Shots(world)
    every = round(1.0 / (RATE * world.time_step))
    for step in range(round(STAND / world.time_step)):
        if step % every == 0 and step * world.time_step < FILM:
            shots.note(world)
        world.step()
    weight = made.mass * float(np.linalg.norm(world.gravity))
    carried = float(sum(contact.force[2] for contact in made.contacts))
    return {
        "robot": f"{made.name}, {made.mass:.2f} kg, {made.dof} dof",
        "after": f"{world.time:.3g} s",
        "weight": f"{weight:.6f} N",
        "sum of the foot forces": f"{carried:.6f} N",
        "relative difference": f"{abs(carried / weight - 1.0):.1e}",
        "feet on the ground": f"{len(made.contacts)}",
        "base height": f"{made.position[2]:.6f} m",
        "speed of the base": f"{np.linalg.norm(made.generalized_velocity[:3]):.1e} m/s",
        "contact residual": f"{world.residual.max():.1e}",
    }, shots


def print_rebounds(found: Sequence[Rebound]) -> None:
    """Print the table of the bounces."""
    table = Table(
        title="First rebound on steel", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
        caption="speeds at the surface; expected: rebound b = e·max(0, u − r), apex b²/2g above the surface",
        caption_justify="left",
    )  # fmt: skip
    names = ("sphere", "impact\n[m/s]", "rebound\n[m/s]", "expected\n[m/s]", "error\n[m/s]",
             "apex\n[m]", "expected\n[m]", "error\n[–]")  # fmt: skip
    for name in names:
        table.add_column(escape(name), justify="left" if name == "sphere" else "right", no_wrap=True)
    for b in found:
        table.add_row(
            b.name.removeprefix("sphere_"), f"{b.speed_in:.6f}",
            f"{b.speed_out:.6f}", f"{b.expected_out:.6f}", f"{b.speed_out - b.expected_out:.0e}",
            f"{b.apex:.6f}", f"{b.expected_apex:.6f}", f"{b.apex / b.expected_apex - 1.0:.0e}",
        )  # fmt: skip
    console.print(table)


def print_facts(title: str, facts: dict[str, str]) -> None:
    """Print a table of two columns."""
    table = Table(title=title, title_justify="left", show_header=False, box=box.SIMPLE_HEAD)
    for name, value in facts.items():
        table.add_row(name, value)
    console.print(table)


def plot_rebounds(found: Sequence[Rebound], table: np.ndarray, path: Path) -> None:
    """Plot the heights with a mark at each apex of the closed form."""
    figure, (axis,) = new_figure(1, 9.0, 4.2)
    for k, bounce in enumerate(found):
        material = bounce.name.removeprefix("sphere_")
        color = scene.MATERIALS.get(material, INK)
        heights = table[:, 1 + k]
        axis.plot(table[:, 0], heights, color=color, lw=1.8, label=material)
        bottom = int(np.argmax(np.diff(heights) > 0.0))
        apex = bottom + int(np.argmax(np.diff(heights[bottom:]) <= 0.0))
        label = "closed form of the first apex" if k == len(found) - 1 else None
        axis.plot(table[apex, 0], bounce.expected_apex, "x", color="#b8433f", ms=9, mew=1.8,
                  label=label, zorder=5)  # fmt: skip
    axis.axhline(0.5, color=INK, lw=0.8, ls=":")
    axis.set(xlabel="time [s]", ylabel="height of the centre [m]", xlim=(0.0, table[-1, 0]), ylim=(0.0, 5.3))
    axis.set_title("Three spheres dropped on steel: one contact law per pair of materials",
                   fontsize=11, color=INK, loc="left")  # fmt: skip
    axis.legend(frameon=False, fontsize=9, ncols=2)
    save_figure(figure, path)


def draw_film(spheres: Shots, robot: Shots, name: str) -> list[np.ndarray]:
    """Draw both runs side by side."""
    both = zip(
        spheres.pictures(SPHERE_CAMERA, STYLE, with_forces=False),
        robot.pictures(ROBOT_CAMERA, STYLE, with_forces=True),
        spheres.poses,
        strict=True,
    )
    frames = []
    for left, right, poses in track(
        both, "drawing the film", len(spheres.poses), console=console, transient=True
    ):
        titles = ("steel, rubber, copper on steel", f"{name} under PD")
        panels = [
            film.label(panel, f"{title}   {poses.time:.2f} s")
            for panel, title in zip((left, right), titles, strict=True)
        ]
        frames.append(film.beside(panels))
    return frames


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tribo.tools.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--robot", choices=("own", "anymal"), default="own",
                        help="the package's own quadruped, or ANYmal C from example-robot-data")  # fmt: skip
    parser.add_argument("--view", action=argparse.BooleanOptionalAction, default=True,
                        help="show both in the browser at the end")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for plot, picture, film")
    parser.add_argument("--port", type=int, default=8080, help="of the viewer")
    chosen = parser.parse_args(arguments)
    try:
        robot = anymal() if chosen.robot == "anymal" else own_robot()
        run(robot, chosen.out)
        if chosen.view:
            view(robot, chosen.port)
    except (DemoError, tribo.DescriptionError, tribo.SimulationError, OSError, ImportError) as error:
        console.print(f"demo: {error}", style="red", markup=False)
        return 1
    except KeyboardInterrupt:
        console.print()
    return 0


def run(robot: Robot, out: Path) -> None:
    """Do all but the viewer."""
    out.mkdir(parents=True, exist_ok=True)
    tribo.warm_up()
    found, table, spheres = drop(spheres_world())
    print_rebounds(found)
    facts, standing = stand(robot)
    print_facts("Standing under PD", facts)
    plot_rebounds(found, table, out / "rebounds.png")
    frames = draw_film(spheres, standing, robot.name)
    film.save_picture(frames[round(SNAPSHOT * RATE)], out / "demo.png")
    film.save_film(frames, out / "demo.mp4", RATE)
    written = ", ".join(str(out / name) for name in ("rebounds.png", "demo.png", "demo.mp4"))
    console.print(f"wrote {written}", markup=False)


def view(robot: Robot, port: int) -> None:
    """Show spheres and robot in one world until Ctrl-C."""
    from tribo.viewer import Viewer

    world = spheres_world()
    add_robot(world, robot, at=(0.0, -2.5))
    with Viewer(world, port=port) as viewer:
        console.print(f"open {viewer.address} in a browser; Ctrl-C ends", markup=False)
        viewer.run()


if __name__ == "__main__":
    sys.exit(main())
