"""Loads on kinematic bodies whose velocity changes: how far do they slip?"""

from __future__ import annotations

import numpy as np

import tribo


def tray(dt: float) -> float:
    """Return how far a box has slipped on a tray that goes round a circle and turns with it, after 2 s."""
    rate, radius = 3.0, 0.4
    world = tribo.World(dt)
    world.default_pair = tribo.PairProperties(friction=0.6)
    board = world.add_box(
        (0.6, 0.6, 0.2), 1.0, position=(radius, 0, -0.1), body_type="kinematic",
        angular_velocity=(0, 0, rate),
    )  # fmt: skip
    box = world.add_box(
        (0.1, 0.1, 0.1), 1.0, position=(radius + 0.1, 0, 0.05),
        linear_velocity=(0, rate * (radius + 0.1), 0), angular_velocity=(0, 0, rate),
    )  # fmt: skip
    for _ in range(round(2.0 / dt)):
        angle = rate * (world.time + dt / 2)
        board.linear_velocity = (-rate * radius * np.sin(angle), rate * radius * np.cos(angle), 0)
        world.step()
    assert world.status == 0
    place = board.rotation_matrix.T @ (box.position - board.position)
    return float(np.linalg.norm(place[:2] - (0.1, 0.0)))


def turntable(dt: float) -> float:
    """Return the same on a disc that swings by ±0.2 rad at 1 Hz, after 2 s."""
    swing, rate, radius = 0.2, 2 * np.pi, 0.5
    world = tribo.World(dt)
    world.default_pair = tribo.PairProperties(friction=0.6)
    disc = world.add_cylinder(2.0, 0.2, 1.0, position=(0, 0, -0.1), body_type="kinematic")
    box = world.add_box((0.1, 0.1, 0.1), 1.0, position=(radius, 0, 0.05))
    box.linear_velocity = (0, swing * rate * radius, 0)
    box.angular_velocity = (0, 0, swing * rate)
    for _ in range(round(2.0 / dt)):
        speed = swing * rate * np.cos(rate * (world.time + dt / 2))
        disc.angular_velocity = (0, 0, speed)
        world.step()
    assert world.status == 0
    return float(np.linalg.norm((disc.rotation_matrix.T @ box.position)[:2] - (radius, 0)))


def truck(dt: float) -> float:
    """Return the same on a platform that accelerates by 4 m/s² to 12 m/s."""
    world = tribo.World(dt)
    platform = world.add_box((9, 9, 0.2), 1.0, position=(0, 0, -0.1), body_type="kinematic")
    box = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.05))
    for _ in range(round(4.0 / dt)):
        platform.linear_velocity = (min(4.0 * (world.time + dt / 2), 12.0), 0, 0)
        world.step()
    assert world.status == 0
    return float(abs(box.position[0] - platform.position[0]))


def bucket(dt: float) -> float:
    """Return the same on a plate that goes overhead round 1 m at 6 rad/s, its face to the middle."""
    rate, radius = 6.0, 1.0
    world = tribo.World(dt)
    plate = world.add_box((0.8, 0.8, 0.1), 1.0, position=(0, 0, -radius), body_type="kinematic")
    box = world.add_box(
        (0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.1 - radius), linear_velocity=(rate * (radius - 0.1), 0, 0),
        angular_velocity=(0, -rate, 0),
    )  # fmt: skip
    chord = np.sinc(rate * dt / 2 / np.pi)  # its mean velocity in a step, over that in the middle
    for _ in range(round(2.0 / dt)):
        angle = rate * (world.time + dt / 2)
        plate.linear_velocity = chord * rate * radius * np.array([np.cos(angle), 0, np.sin(angle)])
        plate.angular_velocity = (0, -rate, 0)
        world.step()
    assert world.status == 0
    return float(abs((plate.rotation_matrix.T @ (box.position - plate.position))[0]))
