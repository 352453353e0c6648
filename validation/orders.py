"""How fast the integrators converge: the error over the time step, in smooth motion and in rolling contact.

`python validation/orders.py` writes docs/_static/integrator-orders.png and prints the orders; so does
`validation/run.py --write-docs`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import play_tribo
from d_smooth import RODS
from parts import rods
from stage import Pair, Robot, Scene

from tribo.recording.figure import INK, new_figure

PICTURE = Path(__file__).parent.parent / "docs/_static/integrator-orders.png"
G = 9.81
STEPS = (50, 100, 200, 400, 800, 1600, 3200)  # in a second
COLOURS = {"semi_implicit": "#9a4f96", "midpoint": "#1f6f8b", "rk4": "#d08a2e"}
RADIUS, OFFSET, START = 0.5, 0.2, 1.0  # [m, m, rad] of the loaded ball


def pendulum_error(integrator: str, steps: int) -> float:
    """Return by how much the lower angle of D7's double pendulum is wrong after 1 s [rad]."""
    robot = Robot(rods(2, 1.0, 1.0), (np.pi / 2, 0.0), (0.0, 0.0))
    scene = Scene([], steps, planes=[], robots=[robot], dt=1.0 / steps, every=steps, integrator=integrator)
    lower = play_tribo.player().play(scene).q[-1].sum()
    return abs(float(lower) - RODS[1.0][1])


def rocking(angle: float, rate: float) -> float:
    """Return the acceleration of a ball that rolls and whose centre of mass lies off its middle.

    Lagrange's equation of T = ½ (I + m (r² + e² − 2 r e cos θ)) θ'², V = −m g e cos θ, with m = 1.
    """
    inertia = 0.4 * RADIUS**2 + RADIUS**2 + OFFSET**2 - 2 * RADIUS * OFFSET * np.cos(angle)
    return -OFFSET * np.sin(angle) * (RADIUS * rate**2 + G) / inertia


@cache
def rocked(until: float = 1.0, steps: int = 20_000) -> float:
    """Return the angle of the loaded ball, by Runge and Kutta's method."""
    x, h = np.array([START, 0.0]), until / steps

    def slope(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], rocking(y[0], y[1])])

    for _ in range(steps):
        a = slope(x)
        b = slope(x + h / 2 * a)
        c = slope(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
    return float(x[0])


def ball_error(integrator: str, steps: int) -> float:
    """Return by how much the angle of the loaded ball that rolls is wrong after 1 s [rad]."""
    world, _, _ = play_tribo.build(Scene(pair=Pair(2.0), dt=1.0 / steps))
    world.integrator = integrator
    turned = (np.cos(START / 2), 0.0, np.sin(START / 2), 0.0)
    place = (-OFFSET * np.sin(START), 0.0, RADIUS - OFFSET * np.cos(START))
    ball = world.add_sphere(RADIUS, 1.0, com=(0, 0, -OFFSET), position=place, orientation=turned,
                            inertia=(0.4 * RADIUS**2,) * 3)  # fmt: skip
    world.step(steps)
    down = -ball.rotation_matrix[:, 2]
    return abs(float(np.arctan2(-down[0], -down[2])) - rocked())


SCENES: dict[str, Callable[[str, int], float]] = {
    "smooth: double pendulum (D7), lower angle after 1 s": pendulum_error,
    "contact: loaded ball rolls and rocks, angle after 1 s": ball_error,
}


def draw() -> dict[tuple[str, str], float]:
    """Write the picture; return the order of each integrator in each scene, where errors exceed 1e-9."""
    orders = {}
    drawing, axes = new_figure(2, 7.0, 2.6)
    dt = 1.0 / np.array(STEPS)
    for axis, (title, error) in zip(axes, SCENES.items(), strict=True):
        for name, colour in COLOURS.items():
            errors = np.array([error(name, steps) for steps in STEPS])
            last = np.flatnonzero(errors > 1e-9)[-1]
            order = float(np.log2(errors[last - 1] / errors[last]))
            orders[title, name] = order
            style = "--" if name == "rk4" else "-"
            axis.loglog(dt, np.maximum(errors, 1e-16), style, marker="o", ms=3, lw=1.3, color=colour,
                        label=f"{name}: order {order:.1f}")  # fmt: skip
        axis.set_title(title, fontsize=9, color=INK, loc="left")
        axis.set_ylabel("error [rad]", color=INK)
        axis.legend(frameon=False, fontsize=8)
    axes[-1].set_xlabel("time step [s]", color=INK)
    drawing.savefig(PICTURE)
    return orders


if __name__ == "__main__":
    for (title, name), order in draw().items():
        print(f"{title}, {name}: order {order:.2f}")
