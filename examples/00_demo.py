"""The demonstration: three spheres of different materials dropped on steel, and a quadruped that stands.

Each first rebound is compared with its closed form, the forces on the feet with the weight. A plot, a picture
and a film go to `out/`; with --view both are shown in the browser. `make demo` runs it.
"""

import argparse
import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import tribo
from tribo.tools.demo import ASSETS, DemoError, add_robot, anymal, own_robot
from tribo.viewer import Camera
from tribo.viewer.film import beside, label, save_film, save_picture

FALL = 8.0  # [s] the spheres are watched
STAND = 5.0  # [s] the robot stands
FILM = 4.0  # [s]
STILL = 1e-3  # [m] what moves less between two pictures is not drawn anew
RATE = 20  # pictures per second of film
SNAPSHOT = 1.55  # [s] of the film, for the picture
COLORS = {"steel": "#8a949e", "rubber": "#30343b", "copper": "#b87333"}
SPHERE_CAMERA = Camera((-3.2, -12.5, 3.4), (0.0, 0.0, 2.35))
ROBOT_CAMERA = Camera((1.6, -1.9, 0.95), (0.0, 0.0, 0.33))


def filmed(world, seconds, camera, title, step, *, forces=False):
    """Call step() for every step of some seconds; return the pictures of those that the film has."""
    renderer = tribo.Renderer(world, 640, 480)
    every = round(1.0 / (RATE * world.time_step))
    frames, drawn, picture = [], np.inf, None
    for k in range(round(seconds / world.time_step)):
        if k % every == 0 and len(frames) < FILM * RATE:
            places = np.array([part.position for part in world.objects])
            if np.abs(places - drawn).max() > STILL:
                drawn, picture = places, renderer.rgb_array(camera, forces=forces)
            frames.append(label(picture, f"{title}   {world.time:.2f} s"))
        step()
    return frames


def speed_at(height, z, v, gravity):
    """Return the speed [m/s] that a body in free flight at height z with velocity v has at another height."""
    return math.sqrt(max(0.0, v**2 + 2.0 * gravity * (z - height)))


def apex_of(heights):
    """Return the top of the parabola through the three highest samples after the first bounce, and which."""
    first = int(np.flatnonzero(np.diff(heights) > 0.0)[0])
    k = first + int(np.argmax(np.diff(heights[first:]) <= 0.0))
    low, top, high = heights[k - 1 : k + 2]
    return top - (high - low) ** 2 / (8.0 * (high - 2.0 * top + low)), k


def drop(world):
    """Let the spheres fall; return their first bounces by material, times, heights, and pictures."""
    balls = [part for part in world.objects if part.body_type == tribo.DYNAMIC]
    gravity = float(-world.gravity[2])
    times, heights, bounces = [], [], {}

    def step():
        before = [(float(ball.position[2]), float(ball.linear_velocity[2])) for ball in balls]
        times.append(world.time)
        heights.append([z for z, _ in before])
        world.step()
        for ball, (z, fell) in zip(balls, before, strict=True):
            rises = float(ball.linear_velocity[2])
            if fell < 0.0 <= rises and ball.material not in bounces:
                pair = world.materials.pair("steel", ball.material)
                radius = float(ball.collision_bodies[0].size[0])
                hit = speed_at(radius, z, fell, gravity)
                left = pair.restitution * max(0.0, hit - pair.restitution_threshold)  # b = e·max(0, u − r)
                bounces[ball.material] = {
                    "impact [m/s]": hit,
                    "rebound [m/s]": speed_at(radius, float(ball.position[2]), rises, gravity),
                    "expected [m/s]": left,
                    "expected apex [m]": radius + left**2 / (2.0 * gravity),
                }

    frames = filmed(world, FALL, SPHERE_CAMERA, "steel, rubber, copper on steel", step)
    heights = np.array(heights).T
    for ball, line in zip(balls, heights, strict=True):
        bounces[ball.material]["apex [m]"] = apex_of(line)[0]
    return (
        bounces,
        np.array(times),
        dict(zip([ball.material for ball in balls], heights, strict=True)),
        frames,
    )


def stand(robot):
    """Let a robot stand under PD control; return its world, the robot and pictures."""
    world = tribo.World()
    world.add_ground(name="ground", material="steel")
    made = add_robot(world, robot)
    title = f"{made.name} under PD"
    return world, made, filmed(world, STAND, ROBOT_CAMERA, title, world.step, forces=True)


def plot(bounces, times, heights, path):
    """Plot the heights with a mark at each apex of the closed form."""
    figure = Figure(figsize=(9.0, 4.2), layout="constrained", dpi=150)
    axis = figure.subplots()
    for material, line in heights.items():
        axis.plot(times, line, color=COLORS[material], label=material)
        axis.plot(times[apex_of(line)[1]], bounces[material]["expected apex [m]"], "rx", ms=9)
    axis.set(xlabel="time [s]", ylabel="height of the centre [m]", xlim=(0.0, times[-1]))
    axis.set_title("Three spheres dropped on steel: one contact law per pair of materials", loc="left")
    axis.legend(title="× closed form of the first apex", ncols=3)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", choices=("own", "anymal"), default="own",
                        help="the package's own quadruped, or ANYmal C from example-robot-data")  # fmt: skip
    parser.add_argument("--view", action=argparse.BooleanOptionalAction, default=False,
                        help="show both in the browser at the end")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for plot, picture, film")
    parser.add_argument("--port", type=int, default=8080, help="of the viewer")
    chosen = parser.parse_args()
    try:
        robot = anymal() if chosen.robot == "anymal" else own_robot()
    except DemoError as error:
        parser.exit(1, f"demo: {error}\n")
    chosen.out.mkdir(parents=True, exist_ok=True)
    tribo.warm_up()

    spheres = tribo.World.load(ASSETS / "three_spheres.xml")
    bounces, times, heights, falling = drop(spheres)
    for material, found in bounces.items():
        print(f"{material:8}", ", ".join(f"{name} {value:.6f}" for name, value in found.items()))
    world, made, standing = stand(robot)
    weight = made.mass * float(np.linalg.norm(world.gravity))
    carried = float(sum(contact.force[2] for contact in made.contacts))
    print(f"{made.name} stands on {len(made.contacts)} feet: {carried:.6f} N carry {weight:.6f} N")

    plot(bounces, times, heights, chosen.out / "rebounds.png")
    frames = [beside(pair) for pair in zip(falling, standing, strict=True)]
    save_picture(frames[round(SNAPSHOT * RATE)], chosen.out / "demo.png")
    save_film(frames, chosen.out / "demo.mp4", RATE)
    print(f"wrote rebounds.png, demo.png and demo.mp4 into {chosen.out}")

    for found in bounces.values():
        assert abs(found["rebound [m/s]"] - found["expected [m/s]"]) < 1e-6
        assert abs(found["apex [m]"] / found["expected apex [m]"] - 1.0) < 1e-3
    assert abs(carried / weight - 1.0) < 1e-6

    if chosen.view:
        both = tribo.World.load(ASSETS / "three_spheres.xml")
        add_robot(both, robot, at=(0.0, -2.5))
        with tribo.Viewer(both, port=chosen.port) as viewer:
            print(f"open {viewer.address} in a browser; Ctrl-C ends")
            try:
                viewer.run()
            except KeyboardInterrupt:
                print()


if __name__ == "__main__":
    main()
