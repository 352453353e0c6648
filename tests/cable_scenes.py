"""Cables that several files of tests lay: a material, a pull, two loads over a drum."""

import math

import numpy as np
from scenes import GRAVITY, empty_world

import tribo

NONE = (0.0, 0.0, 0.0)
DT = 1e-3
RADIUS = 0.01
AREA, INERTIA = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4


def material(stretch=1e7, bend=0.0, damping=0.02, bend_damping=0.02):
    """Return a material of which a cable is made."""
    return tribo.Material(
        "cable", density=1000.0, wire_youngs_modulus_stretch=stretch, wire_youngs_modulus_bend=bend,
        wire_spook_damping_stretch=damping, wire_spook_damping_bend=bend_damping,
    )  # fmt: skip


def hanging(world, segment_length):
    """Return a cable of 1 m between two fixed nodes 0.8 m apart; what bends it is 1e-4 of its weight."""
    ends = [tribo.CableNode((x, 0, 0), kind="fixed") for x in (-0.4, 0.4)]
    return world.add_cable(
        [ends[0], (0, 0, -0.3), ends[1]], radius=RADIUS, segment_length=segment_length, collide=False,
        material=material(stretch=6e10, bend=1e3, bend_damping=100.0),
    )  # fmt: skip


def catenary():
    """Return a [m] and the sag [m] of that cable: z = a cosh(x/a) with 2 a sinh(0.4/a) = 1."""
    low, high = 0.1, 10.0
    for _ in range(100):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2 * a * math.sinh(0.4 / a) > 1.0 else (low, a)
    return a, a * (math.cosh(0.4 / a) - 1.0)


def pull(world, cable, force, towards):
    """Pull at the end of a cable with a given force."""
    end = (0, 0, 0.5 * cable.length / len(cable.segments))
    return world.add_wire(cable.segments[-1], None, end, towards, tension=force)


def over_a_drum(friction, ratio, longest=0.1, count=16, shortest=0.0):
    """Hang 1 kg and `ratio` kg on a cable over a fixed drum, half round it; return world and the light load.

    The heavy side grows from 1 kg to `ratio` in 0.5 s, so that nothing is jerked loose. The drum has `count`
    segments at first; with `shortest` the cable adapts every 10 steps.
    """
    world = empty_world(DT)
    world.default_pair = tribo.PairProperties(friction=friction)
    drum, thick = 0.1, 0.005
    turn = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    world.add_cylinder(drum, 0.2, mass=1.0, body_type=tribo.STATIC, orientation=turn)
    out = (drum + thick) / math.cos(0.5 * math.pi / count)
    angles = np.linspace(math.pi, 0, count + 1)
    route = [(-out, 0, -0.3), *[(out * math.cos(a), 0, out * math.sin(a)) for a in angles], (out, 0, -0.3)]
    cable = world.add_cable(
        route, radius=thick, segment_length=longest,
        material=material(stretch=1e9, bend=1e6, bend_damping=0.1),
    )  # fmt: skip
    load = world.add_sphere(0.02, mass=1.0, position=route[0], collision_mask=0)
    world.add_pin(cable.segments[0], load, position=route[0], collide=False)
    wire = pull(world, cable, GRAVITY, (out, 0, -1000))
    world.step(200)
    for k in range(50):
        wire.tension = GRAVITY * (1.0 + (ratio - 1.0) * (k + 1) / 50)
        if shortest:
            cable.adapt(shortest, 0.15)
        world.step(10)
    return world, load, cable
