"""Loose bodies on pins, hinges and welds, in motions with a closed form: error and order in the time step.

    python validation/loose_joints.py

Four scenes, each at 4, 2, 1 and 0.5 ms. A rule of second order divides its errors by four where the step
halves. What has no closed form (the welded pair) is compared with Euler's equations of the one rigid body
that it is, integrated by Runge and Kutta at a step that leaves 1e-10.
"""

import argparse

import numpy as np

import tribo

GRAVITY = 9.81
AXIAL = np.array([0.0, 0.0, 1.0])


def world_of(dt, gravity):
    """Return an empty world."""
    world = tribo.World(gravity=(0.0, 0.0, -gravity))
    world.time_step = dt
    return world


def toward(axis):
    """Return the quaternion that turns z onto an axis by the shortest way."""
    q = np.array([1.0 + axis[2], *np.cross(AXIAL, axis)])
    return q / np.linalg.norm(q)


def angular_momentum(bodies):
    """Return the angular momentum [kg m²/s] of bodies about their common centre of mass."""
    mass = sum(b.mass for b in bodies)
    centre = sum(b.mass * b.position for b in bodies) / mass
    total = np.zeros(3)
    for b in bodies:
        r = b.rotation_matrix
        total += r @ b.inertia @ r.T @ b.angular_velocity
        total += b.mass * np.cross(b.position - centre, b.linear_velocity)
    return total


def gyroscope(dt, seconds=3.0, spin=60.0):
    """A disc 0.2 m from its pin precesses with a level axle at Ω = m g l/(I ω).

    Return droop [m], precession [rad], energy [J], all against the closed form, and the largest gap [m].
    """
    world = world_of(dt, GRAVITY)
    radius, arm = 0.1, 0.2
    rate = GRAVITY * arm / (0.5 * radius**2 * spin)
    disc = world.add_cylinder(
        radius, 0.02, mass=1.0, position=(arm, 0, 0), orientation=toward(np.array([1.0, 0, 0])),
        linear_velocity=(0, rate * arm, 0), angular_velocity=(spin, 0, rate),
    )  # fmt: skip
    pin = world.add_pin(disc, None, position=(0, 0, 0))
    before, turned, last, gap = world.energy, 0.0, 0.0, 0.0
    for _ in range(round(seconds / dt)):
        world.step()
        x, y, z = disc.position
        angle = np.arctan2(y, x)
        turned += (angle - last + np.pi) % (2 * np.pi) - np.pi
        last = angle
        gap = max(gap, abs(pin.gap).max())
    return {
        "droop": z,
        "precession": turned - rate * seconds,
        "energy": world.energy - before,
        "gap": gap,
    }


def satellite(dt, seconds=10.0, spin=100.0):
    """A body with a wheel on a hinge along its axis of symmetry nutates at the rate L/I_t, at a constant angle.

    Return the errors of the axis [rad] and of the angular momentum and energy [–].
    """
    world = world_of(dt, 0.0)
    half = 0.5 * 0.3
    offset = half + 0.05
    axis, across = AXIAL, np.array([1.0, 0, 0])
    wheel_inertia = 0.5 * 1.0 * 0.1**2
    reduced = 5.0 * 1.0 / 6.0
    transverse = 5.0 * 0.3**2 / 6 + (3 * 0.1**2 + 0.02**2) / 12 + reduced * offset**2
    nod = 2.0  # [rad/s] across the axis
    omega = nod * across
    low, high = -offset / 6.0, offset * 5.0 / 6.0
    body = world.add_box(
        (0.3,) * 3,
        mass=5.0,
        position=low * axis,
        linear_velocity=np.cross(omega, low * axis),
        angular_velocity=omega,
    )
    wheel = world.add_cylinder(
        0.1, 0.02, mass=1.0, position=high * axis, linear_velocity=np.cross(omega, high * axis),
        angular_velocity=omega + spin * axis,
    )  # fmt: skip
    world.add_hinge(body, wheel, position=high * axis, axis=axis, collide=False)
    momentum = wheel_inertia * spin * axis + transverse * nod * across
    size = np.linalg.norm(momentum)
    start = angular_momentum((body, wheel))
    assert np.allclose(start, momentum)
    before = world.energy
    world.step(round(seconds / dt))
    # Rodrigues: the axis turns about L.
    n, angle = momentum / size, size / transverse * seconds
    there = (
        axis * np.cos(angle)
        + np.cross(n, axis) * np.sin(angle)
        + n * (n @ axis) * (1 - np.cos(angle))
    )
    reached = body.rotation_matrix[:, 2]
    along = np.arccos(reached @ n) - np.arccos(axis @ n)
    return {
        "axis": np.linalg.norm(np.cross(there, reached)),
        "nutation angle": along,
        "momentum": np.linalg.norm(angular_momentum((body, wheel)) - momentum) / size,
        "energy": (world.energy - before) / before,
    }


def tumbled(inertia, momentum, seconds, steps):
    """Return the attitude of a rigid body that starts with R = 1, by Runge and Kutta on its quaternion."""
    inverse, h = np.linalg.inv(inertia), seconds / steps

    def matrix(q):
        w, x, y, z = q / np.linalg.norm(q)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    def slope(q):
        w = inverse @ (matrix(q).T @ momentum)  # in body axes
        return 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])

    q = np.array([1.0, 0, 0, 0])
    for _ in range(steps):
        a = slope(q)
        b = slope(q + h / 2 * a)
        c = slope(q + h / 2 * b)
        q = q + h / 6 * (a + 2 * b + 2 * c + slope(q + h * c))
    return matrix(q)


def welded_pair(dt, seconds=10.0):
    """Two boxes welded at an angle tumble like the one rigid body that they are.

    Return the errors of the attitude [rad] and of the angular momentum and energy [–].
    """
    world = world_of(dt, 0.0)
    omega = np.array([0.5, 6.0, 1.0])
    sizes, masses = ((0.6, 0.2, 0.1), (0.1, 0.5, 0.2)), (2.0, 1.0)
    places = np.array([(0.0, 0.0, 0.0), (0.4, 0.3, 0.0)])
    places = places - np.average(places, axis=0, weights=masses)
    bodies = [
        world.add_box(
            size, mass=m, position=p, linear_velocity=np.cross(omega, p), angular_velocity=omega
        )
        for size, m, p in zip(sizes, masses, places, strict=True)
    ]
    world.add_weld(*bodies, collide=False)
    inertia = sum(
        b.inertia + b.mass * (p @ p * np.eye(3) - np.outer(p, p))
        for b, p in zip(bodies, places, strict=True)
    )
    momentum = inertia @ omega
    size, before = np.linalg.norm(momentum), world.energy
    world.step(round(seconds / dt))
    known = tumbled(inertia, momentum, seconds, 20000)
    error = known.T @ bodies[0].rotation_matrix
    return {
        "attitude": np.linalg.norm(error - error.T) / np.sqrt(8.0),
        "momentum": np.linalg.norm(angular_momentum(bodies) - momentum) / size,
        "energy": (world.energy - before) / before,
    }


def conical_pendulum(dt, seconds=10.0):
    """A bar on a pin goes round at 45°: Ω² cos θ (I_t − I_a) = m g d.

    Return the errors of the angle to the vertical [rad] and of the angle gone round [rad], and of the energy [J].
    """
    world = world_of(dt, GRAVITY)
    tilt, length, width = np.radians(45.0), 0.5, 0.05
    along = np.array([np.sin(tilt), 0, -np.cos(tilt)])
    about = (length**2 + width**2) / 12 + length**2 / 4
    rate = np.sqrt(GRAVITY * length / 2 / (np.cos(tilt) * (about - width**2 / 6)))
    omega = rate * AXIAL
    place = 0.5 * length * along
    bar = world.add_box(
        (width, width, length), mass=1.0, position=place, orientation=toward(along),
        linear_velocity=np.cross(omega, place), angular_velocity=omega,
    )  # fmt: skip
    world.add_pin(bar, None, position=(0, 0, 0))
    before, turned, last = world.energy, 0.0, 0.0
    for _ in range(round(seconds / dt)):
        world.step()
        x, y, z = bar.position
        angle = np.arctan2(y, x)
        turned += (angle - last + np.pi) % (2 * np.pi) - np.pi
        last = angle
    return {
        "tilt": np.arctan2(np.hypot(x, y), -z) - tilt,
        "round": turned - rate * seconds,
        "energy": world.energy - before,
    }


SCENES = (gyroscope, satellite, welded_pair, conical_pendulum)


def main() -> None:
    """Print errors and orders."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "scene", nargs="?", default="", help="one of: " + ", ".join(s.__name__ for s in SCENES)
    )
    parser.add_argument(
        "--ms", type=float, nargs="+", default=[4.0, 2.0, 1.0, 0.5], help="time steps, falling by 2"
    )
    chosen = parser.parse_args()
    for scene in SCENES:
        if chosen.scene not in scene.__name__:
            continue
        runs = [scene(1e-3 * ms) for ms in chosen.ms]
        print(scene.__name__, "at", ", ".join(f"{ms:g}" for ms in chosen.ms), "ms")
        for what in runs[0]:
            errors = [abs(run[what]) for run in runs]
            pairs = zip(errors, errors[1:], strict=False)
            orders = [np.log2(a / b) if a > 0 < b else np.nan for a, b in pairs]
            print(
                f"  {what:15}",
                *(f"{e:9.1e}" for e in errors),
                "  order",
                *(f"{o:5.2f}" for o in orders),
            )


if __name__ == "__main__":
    main()
