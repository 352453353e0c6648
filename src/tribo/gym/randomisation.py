"""Changes that make worlds differ: for `Task.randomisations`, `Task.resets` and `Task.events`.

Each function returns a term of change. Factors multiply what the task's world has, so that they do not pile
up from episode to episode. Ranges are checked when the change is made: one that is wrong would else end a
training hours later, when such a number is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.batch.values import Spread
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.gym.simulation import Simulation
from tribo.gym.task import Change

OF_MOTORS = ("delay", "time_constant", "stall_torque", "no_load_speed")


@answered_call
def mass(name: str, link: str, low: float, high: float) -> Change:
    """Multiply the mass of a link by a factor; its inertia goes along, as of a body of another density.

    Args:
        name, link: Of the robot and its link.
        low, high: Of the factor [–], > 0.

    Raises:
        TypeError, ValueError: They are no such numbers.

    Example:
        >>> from tribo.gym.tasks import cart_pole
        >>> task = cart_pole.task()
        >>> task.randomisations["heavy pole"] = mass("cart_pole", "pole", 0.5, 2.0)
    """
    _check_factors(low, high, f"factor of the mass of {link}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        part: Any = sim.world[name]
        nominal = part.link(link)
        factor = sim.draws.uniform(rows, low, high, 1)
        masses, inertias = nominal.mass * factor[:, 0], nominal.inertia * factor[:, :, None]
        sim.object(name).set_link(link, rows, mass=masses, inertia=inertias)

    return change


@answered_call
def size(name: str, low: float, high: float, shape: str | None = None) -> Change:
    """Multiply all lengths of a collision shape by a factor; masses and inertias stay.

    Args:
        name: Of the object, a static one too.
        low, high: Of the factor [–], > 0.
        shape: Name of its collision shape, "LINK/0"; None: its only one.

    Raises:
        TypeError, ValueError: The factors are no such numbers.

    Example:
        >>> from tribo.gym.tasks import quadruped
        >>> task = quadruped.task()
        >>> task.randomisations["foot"] = size("dog", 0.9, 1.1, "LF_FOOT/0")
    """
    _check_factors(low, high, f"factor of the size of {name}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        part: Any = sim.world[name]
        nominal = part.collision_bodies[0] if shape is None else part.collision_body(shape)
        sizes = np.array(nominal.size) * sim.draws.uniform(rows, low, high, 1)
        sim.batch.set_shape_size(name, sizes, shape, worlds=rows)

    return change


@answered_call
def friction(first: str, second: str, low: float, high: float) -> Change:
    """Set the friction between two materials, static and sliding alike.

    Args:
        first, second: Names of the materials.
        low, high: Of the coefficient [–], ≥ 0.

    Raises:
        TypeError, ValueError: They are no such numbers.
    """
    _check_range((low, high), f"friction of {first} and {second}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        values = sim.draws.uniform(rows, low, high, 1)[:, 0]
        sim.batch.set_material_pair(first, second, worlds=rows, friction=values)

    return change


@answered_call
def identified(spread: Spread) -> Change:
    """Draw parameters as uncertain as an identification left them (docs/howto/identify).

    Args:
        spread: `tribo.identify` returns it: an `Identification` of parameters that the task's world has.

    Raises:
        TypeError: It is something else.
    """
    if not hasattr(spread, "of_normal") or not hasattr(spread, "set_in_batch"):
        raise TypeError(f"identified takes what tribo.identify returns, got {check.shown(spread)}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        normal = sim.draws.normal(rows, 1.0, len(spread.names))
        spread.set_in_batch(sim.batch, spread.of_normal(normal), rows)

    return change


@answered_call
def gains(name: str, low: float, high: float) -> Change:
    """Multiply the gains of a robot's drives: kp and kd by a factor of their own, for all joints alike.

    Args:
        name: Of the robot.
        low, high: Of the factors [–], ≥ 0.

    Raises:
        TypeError, ValueError: They are no such numbers.
    """
    _check_range((low, high), f"factor of the gains of {name}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        robot = sim.object(name)
        nominal: Any = sim.world[name]
        factor = sim.draws.uniform(rows, low, high, 2)
        robot.kp[rows] = nominal.kp * factor[:, :1]
        robot.kd[rows] = nominal.kd * factor[:, 1:]

    return change


@answered_call
def gravity(deviation: float) -> Change:
    """Add normally distributed numbers to gravity: slopes, and scales that are wrong.

    Args:
        deviation: Standard deviation of each component [m/s²], ≥ 0.

    Raises:
        TypeError, ValueError: It is no such number.
    """
    check.number(deviation, "deviation of gravity", minimum=0.0)

    def change(sim: Simulation, rows: np.ndarray) -> None:
        values = np.asarray(sim.world.gravity) + sim.draws.normal(rows, deviation, 3)
        sim.batch.set_settings(worlds=rows, gravity=values)

    return change


@answered_call
def motors(name: str, **ranges: tuple[float, float]) -> Change:
    """Drive all joints through motors whose numbers are drawn, one for all joints of a world.

    Args:
        name: Of the robot.
        ranges: Least and largest value by name: delay [s], time_constant [s], stall_torque [N m, N],
            no_load_speed [rad/s, m/s], as `ObjectBatch.set_motors` takes them.

    Raises:
        KeyError: There is no such number of a motor.
        TypeError, ValueError: A range is none.

    Example:
        >>> from tribo.gym.tasks import quadruped
        >>> task = quadruped.task()
        >>> task.randomisations["motors"] = motors("dog", delay=(0.0, 0.02), time_constant=(0.005, 0.01))
    """
    for key, ends in ranges.items():
        _check_range(ends, f"{check.known(key, OF_MOTORS, 'number of a motor')} of {name}")

    def change(sim: Simulation, rows: np.ndarray) -> None:
        robot = sim.object(name)
        count = sum(joint.velocity_slice.stop - joint.velocity_slice.start == 1 for joint in robot.joints)
        drawn: Any = {
            key: np.repeat(sim.draws.uniform(rows, low, high, 1), count, axis=1)
            for key, (low, high) in ranges.items()
        }
        robot.set_motors(worlds=rows, **drawn)

    return change


@answered_call
def push(name: str, speed: float) -> Change:
    """Add a horizontal velocity to a floating base: for `Task.events`.

    Args:
        name: Of the robot or body.
        speed: The largest, in x and in y, world axes [m/s], ≥ 0.

    Raises:
        TypeError, ValueError: It is no such number.
    """
    check.number(speed, f"speed of a push of {name}", minimum=0.0)

    def change(sim: Simulation, rows: np.ndarray) -> None:
        sim.object(name).generalized_velocity[rows, :2] += sim.draws.uniform(rows, -speed, speed, 2)

    return change


@answered_call
def start(name: str, coordinate: Any, velocity: Any) -> Change:
    """Add equally distributed numbers to where a robot of hinges and slides starts: for `Task.resets`.

    Args:
        name: Of the robot.
        coordinate: Largest deviation, a number or (nq,) [m, rad].
        velocity: Largest deviation, a number or (dof,) [m/s, rad/s].

    Raises:
        TypeError, ValueError: They are no numbers ≥ 0.
    """
    spans = [
        check.not_negative(check.within_range(check.array(value, what, "numbers"), what), what)
        for value, what in ((coordinate, f"coordinate of the start of {name}"),
                            (velocity, f"velocity of the start of {name}"))
    ]  # fmt: skip

    def change(sim: Simulation, rows: np.ndarray) -> None:
        robot = sim.object(name)
        q, v = robot.generalized_coordinate[rows], robot.generalized_velocity[rows]
        if q.shape != v.shape:
            raise ValueError(
                f"{name} has rotations among its coordinates, to which numbers cannot be added: write a "
                "change of your own that calls set_state"
            )
        span, speeds = (
            check.for_each(value, f"{what} of the start of {name}", q.shape[1])
            for value, what in zip(spans, ("coordinate", "velocity"), strict=True)
        )
        q = q + sim.draws.uniform(rows, -span, span, q.shape[1])
        v = v + sim.draws.uniform(rows, -speeds, speeds, v.shape[1])
        robot.set_state(q, v, rows)

    return change


def _check_range(ends: Any, what: str) -> tuple[float, float]:
    """Return least and largest value of what is drawn.

    Raises:
        TypeError, ValueError: They are no two numbers ≥ 0, or the second is below the first.
    """
    low, high = (check.number(end, what, minimum=0.0) for end in check.pair(ends, what))
    if low > high:
        raise ValueError(f"{what} must go from the least to the largest value, got {low:g} and {high:g}")
    return low, high


def _check_factors(low: Any, high: Any, what: str) -> None:
    """Refuse what are no factors > 0.

    Raises:
        TypeError, ValueError: They are none.
    """
    check.positive(_check_range((low, high), what)[0], what)
