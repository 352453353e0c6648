"""Family G: derivatives of steps and trajectories, identification, equilibria and forces for a motion."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import numpy as np
from suite import Check, Player, case, holds

import tribo
from tribo.identification import pair

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import identification
import linearize

DT = 1e-3
G = 9.81
SETS = 100  # of data, each with parameters and noise of its own
CHANCE = 11  # of 100 intervals of 95 % that may miss (binomial, 99 %)


@case("G1", "pendulum; ball that rolls; ball that slips, μ = 0.3: A of one step",
      "θ̈ = −mgl sin θ/I by θ; v⁺ = (5 v + 2 r ω × z)/7; friction falls by μ/dt for each metre of gap",
      note="semi-implicit; exact derivatives, no differences")  # fmt: skip
def closed_forms(player: Player) -> list[Check]:
    """Errors of exact derivatives, relative."""
    del player
    world = tribo.World(time_step=0.01)
    world.integrator = "semi_implicit"
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("sphere", (0.01,), mass=2.0, position=(0, 0, -0.5), collides=False)
    arm = world.add_articulated_system(root, name="arm")
    arm.set_state([0.7], [1.5])
    stiff = 2.0 * G * 0.5 * np.cos(0.7) / float(arm.mass_matrix[0, 0])
    swings = tribo.linearize(world, method="exact")
    expected = np.array([[1.0 - 1e-4 * stiff, 0.01], [-0.01 * stiff, 1.0]])
    made = [Check("pendulum", np.abs(swings.A / expected - 1.0).max(), 1e-12)]
    for slip in (0.0, 0.4):
        world = tribo.World(time_step=DT)
        world.integrator, world.erp = "semi_implicit", 1.0
        world.add_ground(material="cloth")
        world.set_material_pair("cloth", "ivory", friction=0.3, restitution=0.0)
        ball = world.add_sphere(0.03, 0.2, "ivory", name="ball", position=(0, 0, 0.03))
        ball.linear_velocity, ball.angular_velocity = (0.6 + slip, 0, 0), (0, 20, 0)
        world.step(5)
        found = tribo.linearize(world, method="exact")
        if slip == 0.0:
            off = abs(found.of("v/ball/vx", "v/ball/vx") * 7.0 / 5.0 - 1.0)
            turns = abs(found.of("v/ball/vx", "v/ball/wy") * 7.0 / 0.06 - 1.0)
            made.append(Check("rolls", max(off, turns), 1e-12))
        else:
            off = abs(found.of("v/ball/vx", "q/ball/z") * DT / 0.3 - 1.0)
            made.append(Check("slips", off, 1e-9))
    return made


@case("G2", "200 random robots as they land, away from borders: A of one step",
      "Richardson's extrapolation of differences, of the largest number, and of the bound of its error",
      fast=False)  # fmt: skip
def random_contacts(player: Player) -> list[Check]:
    """The largest error, and how much of its bound one uses."""
    del player
    errors, _ = linearize.errors_with_contacts(200)
    largest, of_bound = np.max(errors, axis=0).tolist()
    return [Check("largest", largest, 1e-7), Check("of its bound", of_bound, 1.0)]


@case("G3", "ball dropped from 0.4 m, e = 0.7, impacts at their own times: 250 steps at once",
      "z(T) = e g t₁ (T − t₁) − g (T − t₁)²/2, t₁ = √(2h/g): by h and by e")  # fmt: skip
def bounce(player: Player) -> list[Check]:
    """Derivatives of the height through the time of impact, relative."""
    del player
    world = tribo.World(time_step=0.002)
    world.impact = "propagate"
    world.add_ground(material="floor")
    world.set_material_pair("floor", "ball", restitution=0.7, restitution_threshold=0.0)
    world.add_sphere(0.05, 1.0, "ball", position=(0, 0, 0.45), name="ball")
    found = tribo.linearize(
        world, steps=250, controls=(), parameters=pair("floor", "ball", restitution=(0.0, 1.0))
    )
    hit = np.sqrt(0.8 / G)
    left = 0.5 - hit
    by_height = (0.7 * G * (left - hit) + G * left) / (G * hit)
    return [
        Check("by h", abs(found.of("q/ball/z", "q/ball/z") / by_height - 1.0), 1e-5),
        Check("by e", abs(found.of("q/ball/z", "floor/ball/restitution") / (G * hit * left) - 1), 1e-5),
    ]  # fmt: skip


@case("G4", "box that tumbles at 27 rad/s, pushed at random for 60 steps of 2 ms: jvp and vjp",
      "central differences of whole rollouts; y · (F x) = (Fᵀ y) · x")  # fmt: skip
def along_a_trajectory(player: Player) -> list[Check]:
    """Largest differences."""
    del player
    world = tribo.World(time_step=0.002)
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.angular_velocity = (10.0, 20.0, -15.0)
    function = tribo.control.RolloutFunction(world, forces={"box": None}, method="exact")
    generator = np.random.default_rng(0)
    told, by = generator.normal(size=(2, 1, 60, 6))
    ways = function.run(told)
    moved, faster = ways.jvp(commands=by)
    above, below = (function.run(told + s * by) for s in (1e-4, -1e-4))
    off = np.abs(faster - (above.v - below.v) / 2e-4).max() / np.abs(faster).max()
    weight = generator.normal(size=ways.v.shape)
    gradient = ways.vjp(velocity=weight)
    both = abs((weight * faster).sum() - (gradient.commands * by).sum()) / np.abs(weight * faster).sum()
    del moved
    return [Check("jvp, relative", off, 1e-7), Check("jvp against vjp", both, 1e-12)]


@case("G5", f"{SETS} simulated data sets with noise for each of five experiments, eight parameters",
      f"intervals of 95 % hold the true value; chance lets {CHANCE} of 100 miss", fast=False)  # fmt: skip
def found_again(player: Player) -> list[Check]:
    """Intervals that miss, of 100."""
    del player
    logging.getLogger("tribo").setLevel(logging.ERROR)
    made = []
    for name, one in identification.CASES.items():
        inside, _, _ = identification.measure(one, SETS, None)
        made += [
            Check(f"{name}: {parameter.rpartition('/')[2]}", 100.0 * (1 - count / SETS), CHANCE)
            for parameter, count in inside.items()
        ]
    return made


@case("G6", "inverted pendulum at rest; box on four corners; the same on a slope, μ = 0.5",
      "upright without torque; mg/4 each; no forces beyond tan α = μ")  # fmt: skip
def at_rest(player: Player) -> list[Check]:
    """Torque and angle of the equilibrium, forces of corners, and which slopes hold."""
    del player
    world = tribo.World()
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("capsule", (0.02, 0.5), mass=1.0, position=(0, 0, 0.25), collides=False)
    arm = world.add_articulated_system(root, name="arm")
    arm.generalized_coordinate = [0.2]
    rest = tribo.equilibrium(world, free=["arm/rod_joint"])
    angle = abs(float(rest.coordinate["arm"][0]))
    forces, held = 0.0, []
    for slope in (0.0, 0.46, 0.47):
        world = tribo.World(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
        world.add_ground(material="floor")
        world.set_material_pair("floor", "wood", friction=0.5)
        world.add_box((0.4, 0.4, 0.2), 2.0, "wood", name="box", position=(0, 0, 0.1))
        found = tribo.contact_inverse_dynamics(world)
        held.append(found.is_possible)
        if slope == 0.0:
            forces = np.abs(found.force_on("box")[:, 2] / (0.5 * G) - 1.0).max()
    return [
        Check("angle [rad]", angle, 1e-6), Check("forces, relative", forces, 1e-6),
        holds("0.46 rad holds, 0.47 rad does not", held == [True, True, False]),
    ]  # fmt: skip


@case("G7", "box of 3 kg, 0.1 m high on a base of 0.2 m, pulled at its centre: largest load",
      "it slips at μ m g or tips at m g a/h")  # fmt: skip
def largest(player: Player) -> list[Check]:
    """Loads of two frictions, relative."""
    del player
    made = []
    for what, friction, factor in (("slips", 0.5, 0.5), ("tips", 5.0, 2.0)):
        world = tribo.World()
        world.add_ground(material="floor")
        world.set_material_pair("floor", "wood", friction=friction)
        world.add_box((0.2, 0.2, 0.1), 3.0, "wood", name="box", position=(0, 0, 0.05))
        load = tribo.largest_load(world, "box", (0, 0, 0, 1, 0, 0)).factor
        made.append(Check(what, abs(load / (factor * 3.0 * G) - 1.0), 1e-9))
    return made


@case("G8", "ball, e = 0.6, meets the floor early, halfway and late in a step of 10 ms: A of that step",
      "∇E⁺ A = e² ∇E, E = v²/2 + g z", note="exact derivatives, no differences")  # fmt: skip
def rebound(player: Player) -> list[Check]:
    """Largest relative error of two numbers, of each place of the impact within the step."""
    del player
    made = []
    for gap, when in ((0.002, "early"), (0.01, "halfway"), (0.018, "late")):
        world = tribo.World(time_step=0.01)
        world.add_ground(material="floor")
        world.set_material_pair("floor", "ball", restitution=0.6, restitution_threshold=0.0)
        ball = world.add_sphere(0.05, 1.0, "ball", name="ball", position=(0, 0, 0.06 + gap))
        ball.linear_velocity = (0, 0, -2.0)
        found = tribo.linearize(world, method="exact")
        names = ("q/ball/z", "v/ball/vz")
        by_state = np.array([[found.of(a, b) for b in names] for a in names])
        world.step()
        after = np.array([G, ball.linear_velocity[2]]) @ by_state
        made.append(Check(when, np.abs(after / (0.36 * np.array([G, -2.0])) - 1.0).max(), 1e-9))
    return made
