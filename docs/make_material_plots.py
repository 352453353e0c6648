"""Make docs/_static/contact-materials.png and wire-materials.png: what each parameter of a material does.

Run: python docs/make_material_plots.py
"""

from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

import tribo

OUT = Path(__file__).parent / "_static"
STEP, G = 1e-3, 9.81
FIRM = {"youngs_modulus": 1e7, "spook_damping": 0.01}


def made(law: dict[str, Any], **options: Any) -> tuple[tribo.World, tribo.SingleBody]:
    """Return a world with ground and one puck of 1 kg, and the puck."""
    world = tribo.World(time_step=STEP)
    world.gravity = options.pop("gravity", (0, 0, -G))
    world.add_ground(material="ground")
    world.set_material_pair("ground", "puck", **law)
    shape = {"size": (0.1, 0.1, 0.02), "mass": 1.0, "material": "puck", "position": (0, 0, 0.01)}
    return world, world.add_box(**{**shape, **options})


def course(law: dict[str, Any], seconds: float, pull: Any = None, **options: Any) -> np.ndarray:
    """Return time, position and velocity of the puck, (n, 7)."""
    world, puck = made(law, **options)
    rows = []
    for _ in range(round(seconds / STEP)):
        if pull is not None:
            puck.apply_force((0, 0, pull(world.time)))
        world.step()
        rows.append([world.time, *puck.position, *puck.linear_velocity])
    return np.array(rows)


def slope(degrees: float) -> tuple[float, float, float]:
    """Return gravity of a plane that leans by an angle, downhill along x [m/s²]."""
    return (G * sin(radians(degrees)), 0.0, -G * cos(radians(degrees)))


def stiffness(axes: Any) -> None:
    """A box that is set down sinks by m g/4k."""
    for k in (1e3, 4e3, 1e5):
        rows = course({"youngs_modulus": k, "spook_damping": 0.02}, 0.4)
        axes.plot(rows[:, 0], 1e3 * (rows[:, 3] - 0.01), label=f"{k:g} N/m")
    axes.set(title="youngs_modulus", xlabel="time [s]", ylabel="gap of a box set down [mm]")


def damping(axes: Any) -> None:
    """An overlap is undone in the time τ."""
    for tau in (0.005, 0.02, 0.075):
        rows = course(
            {"youngs_modulus": 1e5, "spook_damping": tau}, 0.3, position=(0, 0, 0), gravity=(0, 0, 0)
        )
        axes.plot(rows[:, 0], 1e3 * np.minimum(rows[:, 3] - 0.01, 0.0), label=f"{tau:g} s")
    axes.set(title="spook_damping", xlabel="time [s]", ylabel="overlap of 10 mm, no weight [mm]")


def restitution(axes: Any) -> None:
    """A box that falls bounces."""
    for e in (0.0, 0.5, 0.9):
        rows = course({**FIRM, "restitution": e}, 1.5, position=(0, 0, 0.31))
        axes.plot(rows[:, 0], rows[:, 3] - 0.01, label=f"{e:g}")
    axes.set(title="restitution", xlabel="time [s]", ylabel="height [m]")


def friction(axes: Any) -> None:
    """A box on a slope slides if friction is less than the slope."""
    for mu in (0.2, 0.4, 0.5):
        rows = course({**FIRM, "friction": mu}, 0.5, gravity=slope(25))
        axes.plot(rows[:, 0], rows[:, 4], label=f"{mu:g}")
    axes.set(title="friction", xlabel="time [s]", ylabel="speed on a slope of 25° [m/s]")


def viscosity(axes: Any) -> None:
    """A box that friction holds creeps."""
    for gamma in (1e-8, 5e-3, 1e-2):
        rows = course({**FIRM, "friction": 0.6, "surface_viscosity": gamma}, 0.5, gravity=slope(25))
        axes.plot(rows[:, 0], 1e3 * rows[:, 1], label=f"{gamma:g} m/(N s)")
    axes.set(title="surface_viscosity", xlabel="time [s]", ylabel="way on a slope of 25° [mm]")


def ellipse(axes: Any) -> None:
    """Pucks turn to where friction is less."""
    law = {**FIRM, "friction": 0.5, "secondary_friction": 0.15, "primary_direction": (1, 0, 0)}
    for angle in np.radians(np.arange(0, 360, 30)):
        rows = course(law, 0.8, linear_velocity=(cos(angle), sin(angle), 0))
        axes.plot(rows[:, 1], rows[:, 2], color="C0", linewidth=1)
        axes.plot(*rows[-1, 1:3], "o", color="C0", markersize=3)
    axes.set(title="secondary_friction", xlabel="x [m], μ = 0.5, along y 0.15", ylabel="y [m]")
    axes.set_aspect("equal", adjustable="datalim")


def models(axes: Any) -> None:
    """How much friction there is in each direction, from how a puck slows down."""
    for name, law in (
        ("iterative", {"friction": 0.5}),
        ("secondary 0.25", {"friction": 0.5, "secondary_friction": 0.25}),
        ("scaled_box", {"friction": 0.5, "friction_model": ("scaled_box", "direct")}),
    ):
        points = []
        for angle in np.radians(np.arange(0, 361, 5)):
            world, puck = made(
                {**FIRM, "primary_direction": (1, 0, 0), **law}, linear_velocity=(cos(angle), sin(angle), 0)
            )
            world.step(20)
            before = puck.linear_velocity.copy()
            world.step()
            points.append((before - puck.linear_velocity)[:2] / (STEP * G))
        axes.plot(*np.transpose(points), ".-", markersize=3, linewidth=0.8, label=name)
    axes.set(title="friction_model", xlabel="force along x / weight", ylabel="along y", aspect="equal")


def adhesion(axes: Any) -> None:
    """A pull that grows takes a box off at weight plus adhesion."""
    for force in (0.0, 10.0, 20.0):
        law = {**FIRM, "youngs_modulus": 1e5, "adhesion_force": force, "adhesive_overlap": 2e-3}
        rows = course(law, 0.6, position=(0, 0, 0.009), pull=lambda t: 60.0 * t)
        axes.plot(60.0 * rows[:, 0], 1e3 * (rows[:, 3] - 0.01), label=f"{force:g} N")
    axes.set(title="adhesion_force", xlabel="pull [N]", ylabel="gap of a box of 9.81 N [mm]", ylim=(-3, 8))


def overlap(axes: Any) -> None:
    """Without weight the contact rests at the overlap."""
    for depth in (0.0, 1e-3, 2e-3):
        law = {
            "youngs_modulus": 1e5,
            "spook_damping": 0.02,
            "adhesion_force": 100.0,
            "adhesive_overlap": depth,
        }
        rows = course(law, 0.3, position=(0, 0, 0.0095), gravity=(0, 0, 0))
        axes.plot(rows[:, 0], 1e3 * (rows[:, 3] - 0.01), label=f"{1e3 * depth:g} mm")
    axes.set(title="adhesive_overlap", xlabel="time [s]", ylabel="gap without weight [mm]")


def side_creep(axes: Any) -> None:
    """A held puck creeps to the side where it gives way more."""
    for gamma in (-1.0, 1e-2, 2e-2):
        law = {
            **FIRM,
            "friction": 0.6,
            "surface_viscosity": 5e-3,
            "secondary_surface_viscosity": gamma,
            "primary_direction": (1, 1, 0),
        }
        rows = course(law, 0.5, gravity=slope(25))
        label = f"{gamma:g} m/(N s)" if gamma > 0 else "as the first"
        axes.plot(1e3 * rows[:, 1], 1e3 * rows[:, 2], label=label)
    axes.set(
        title="secondary_surface_viscosity",
        xlabel="way down a slope of 25° [mm]; 5e-3 along 45°",
        ylabel="way to the side [mm]",
    )


def constant_force(axes: Any) -> None:
    """Each of four points has the friction of this force, whatever its load."""
    for force in (0.5, 1.0, 2.0):
        law = {
            **FIRM,
            "friction": 0.5,
            "friction_model": ("constant_normal_force_oriented_box", "direct"),
            "constant_normal_force": force,
        }
        rows = course(law, 0.5, linear_velocity=(1, 0, 0))
        axes.plot(rows[:, 0], rows[:, 4], label=f"{force:g} N")
    axes.set(title="constant_normal_force", xlabel="time [s]", ylabel="speed on four points [m/s]")


def slab_points(law: dict[str, Any], materials: tuple[str, str]) -> np.ndarray:
    """Return where a slab of 8 × 8 cubes, each half of one material, rests on its points, (n, 2) [m]."""
    world = tribo.World(time_step=STEP)
    world.add_ground(material="ground")
    for material in set(materials):
        world.set_material_pair("ground", material, **FIRM, **law)
    cubes = [
        tribo.CompoundPart("box", (0.1, 0.1, 0.1), position=(0.1 * i, 0.1 * k, 0), material=materials[i // 4])
        for i in range(8)
        for k in range(8)
    ]
    slab = world.add_compound(cubes, mass=1.0, position=(0, 0, 0.05))
    world.step(10)
    return np.array([contact.position[:2] for contact in slab.contacts])


def show_points(axes: Any, places: np.ndarray, marker: str, size: int, label: str) -> None:
    """Draw points that are kept, and how many they are."""
    axes.plot(*places.T, marker, markersize=size, fillstyle="none", label=f"{label}: {len(places)}")
    axes.plot(0.0, 0.85, alpha=0.0)  # room for the legend
    axes.set(xlabel="x [m]", ylabel="y [m]")
    axes.set_aspect("equal", adjustable="datalim")


def bins(axes: Any) -> None:
    """The more bins, the more points are kept."""
    kept = {"contact_reduction_mode": "reduce_none"}
    show_points(axes, slab_points(kept, ("slab", "slab")), ".", 3, "no reduction")
    for marker, size, count in (("x", 5, 5), ("s", 7, 3), ("o", 11, 1)):
        law = {"contact_reduction_bin_resolution": count}
        show_points(axes, slab_points(law, ("slab", "slab")), marker, size, f"{count} bins")
    axes.set(title="contact_reduction_bin_resolution")


def reduction(axes: Any) -> None:
    """A slab of two materials is two patches, one if all counts, none if nothing is reduced."""
    for mode, marker, size in (
        ("reduce_none", ".", 3), ("reduce_geometry", "s", 7), ("reduce_all", "o", 11),
    ):  # fmt: skip
        law = {"contact_reduction_mode": mode, "contact_reduction_bin_resolution": 1}
        show_points(axes, slab_points(law, ("left", "right")), marker, size, mode)
    axes.set(title="contact_reduction_mode", xlabel="x [m], halves of two materials")


def weight(axes: Any) -> None:
    """The same box of three materials is pulled by 10 N."""
    for density in (500.0, 1000.0, 2000.0):
        world = tribo.World(time_step=STEP, gravity=(0, 0, 0))
        world.load_materials(f"materials: [ {{ name: stuff, density: {density} }} ]\n")
        box = world.add_box((0.2, 0.2, 0.2), material="stuff", density=density)
        speeds = []
        for _ in range(500):
            box.apply_force((10.0, 0, 0))
            world.step()
            speeds.append(box.linear_velocity[0])
        axes.plot(STEP * np.arange(500), speeds, label=f"{density:g} kg/m³: {box.mass:g} kg")
    axes.set(title="density", xlabel="time [s]", ylabel="speed of a box pulled by 10 N [m/s]")


def layer(axes: Any) -> None:
    """Boxes of one mass sink less the larger their face is, and the thinner the layer."""
    sides = np.linspace(0.1, 0.4, 7)
    for thickness in (0.0, 0.01, 0.02):
        depths = []
        for side in sides:
            law = {"youngs_modulus": 1e5, "spook_damping": 0.01, "elastic_rest_length": thickness}
            world, box = made(law, size=(side, side, 0.02), mass=4.0)
            world.step(500)
            depths.append(1e3 * (0.01 - box.position[2]))
        axes.plot(sides, depths, ".-", label=f"{1e3 * thickness:g} mm" if thickness else "0: by points")
    axes.set(title="elastic_rest_length", xlabel="side of a box of 4 kg [m]", ylabel="depth [mm]")


def two_materials(axes: Any) -> None:
    """Roughness and viscosity of two materials: their friction on a slope, their bounce."""
    for a, b in ((0.1, 0.4), (0.4, 0.4), (0.9, 0.4)):
        rows = "materials: [ {{ name: ground, roughness: {}, viscosity: 1, youngsModulus: 1e7 }},\n"
        rows += "  {{ name: puck, roughness: {}, viscosity: 1, youngsModulus: 1e7 }} ]\n"
        world = tribo.World(time_step=STEP, gravity=slope(25))
        world.load_materials(rows.format(a, b))
        world.add_ground(material="ground")
        puck = world.add_box((0.1, 0.1, 0.02), 1.0, "puck", position=(0, 0, 0.01))
        speeds = []
        for _ in range(500):
            world.step()
            speeds.append(puck.linear_velocity[0])
        axes.plot(STEP * np.arange(500), speeds, label=f"√({a:g} · {b:g}) = {(a * b) ** 0.5:.2f}")
    axes.set(title="roughness of two materials", xlabel="time [s]", ylabel="speed on a slope of 25° [m/s]")


def bounces(axes: Any) -> None:
    """Viscosity of two materials: what a bounce loses."""
    for a, b in ((0.0, 0.19), (0.36, 0.36), (0.5, 0.5), (1.0, 0.0)):
        e = ((1 - a) * (1 - b)) ** 0.5
        rows = f"materials: [ {{ name: ground, viscosity: {a}, youngsModulus: 1e7, spookDamping: 0.01 }},\n"
        rows += f"  {{ name: puck, viscosity: {b}, youngsModulus: 1e7, spookDamping: 0.01 }} ]\n"
        world = tribo.World(time_step=STEP)
        world.load_materials(rows)
        world.add_ground(material="ground")
        ball = world.add_sphere(0.05, 1.0, "puck", position=(0, 0, 0.35))
        heights = []
        for _ in range(1000):
            world.step()
            heights.append(ball.position[2] - 0.05)
        axes.plot(STEP * np.arange(1000), heights, label=f"{a:g}, {b:g}: e = {e:.2f}")
    axes.set(title="viscosity of two materials", xlabel="time [s]", ylabel="height of a ball [m]")


def directions(axes: Any) -> None:
    """Pucks go where their first direction, of little friction, leads; one turns with its body."""
    for angle, turned in ((0, False), (30, False), (60, False), (30, True)):
        law = {**FIRM, "friction": 0.05, "secondary_friction": 0.9,
               "primary_direction": (cos(radians(angle)), sin(radians(angle)), 0),
               "friction_model": ("oriented_box", "direct")}  # fmt: skip
        options: dict[str, Any] = {"gravity": slope(25)}
        label = f"{angle}°"
        if turned:
            law["reference_body"] = "sled"
            half = radians(-60) / 2
            options |= {"name": "sled", "orientation": (cos(half), 0, 0, sin(half))}
            label = "30°, body turned by −60°"
        rows = course(law, 0.5, **options)
        axes.plot(rows[:, 1], rows[:, 2], label=label)
    axes.set(
        title="primary_direction, reference_body",
        xlabel="way down a slope of 25° [m]",
        ylabel="way to the side [m]",
    )


def wire(world: tribo.World, kind: str, count: int, **parameters: float) -> Any:
    """Lay a wire of 1 m along x from a wall."""
    material = tribo.Material("wire", **parameters)
    node = tribo.CableNode((0, 0, 0), kind=kind)
    return world.add_cable([node, (1, 0, 0)], radius=0.01, segment_length=1 / count, material=material,
                           collide=False)  # fmt: skip


def wire_stretch(axes: Any, values: tuple[float, ...], name: str, unit: str) -> None:
    """A wire of ten segments is pulled by 100 N from 0.05 s on."""
    for value in values:
        world = tribo.World(time_step=STEP, gravity=(0, 0, 0))
        given = {"wire_youngs_modulus_stretch": 1e7, "wire_spook_damping_stretch": 0.02,
                 "wire_youngs_modulus_bend": 0.0}  # fmt: skip
        rope = wire(world, "fixed", 10, **(given | {name: value}))
        rows = []
        for k in range(400):
            if k >= 50:
                rope.segments[-1].apply_force((100.0, 0, 0))
            world.step()
            rows.append((world.time, 1e3 * (rope.points[-1, 0] - 1.0)))
        axes.plot(*np.transpose(rows), label=f"{value:g} {unit}")
    axes.set(title=name, xlabel="time [s], pulled by 100 N from 0.05 s on", ylabel="stretch of 1 m [mm]")


def wire_shape(axes: Any) -> None:
    """A clamped wire bends under its weight."""
    for modulus in (1e7, 1e8, 1e9):
        world = tribo.World(time_step=STEP)
        rope = wire(world, "link", 12, wire_youngs_modulus_stretch=1e9, wire_youngs_modulus_bend=modulus,
                    wire_spook_damping_bend=0.3)  # fmt: skip
        world.step(4000)
        axes.plot(rope.points[:, 0], rope.points[:, 2], ".-", label=f"{modulus:g} Pa")
    axes.set(title="wire_youngs_modulus_bend", xlabel="x [m], clamped at 0", ylabel="z [m]")
    axes.set_aspect("equal", adjustable="datalim")


def wire_swing(axes: Any) -> None:
    """A clamped wire that falls from level swings, or creeps."""
    for tau in (0.005, 0.05, 0.5):
        world = tribo.World(time_step=STEP)
        rope = wire(world, "link", 8, wire_youngs_modulus_stretch=1e9, wire_youngs_modulus_bend=1e8,
                    wire_spook_damping_bend=tau)  # fmt: skip
        rows = []
        for _ in range(1500):
            world.step()
            rows.append((world.time, rope.points[-1, 2]))
        axes.plot(*np.transpose(rows), label=f"{tau:g} s")
    axes.set(title="wire_spook_damping_bend", xlabel="time [s]", ylabel="height of the free end [m]")


def wire_friction(axes: Any) -> None:
    """Which load 1 kg holds over two bollards, half a turn in all."""
    for mu in (0.0, 0.2, 0.4):
        rises = []
        ratios = np.linspace(1.0, 5.0, 17)
        for ratio in ratios:
            world = tribo.World(time_step=STEP)
            light = world.add_sphere(0.05, 1.0, position=(-0.5, 0, 0), collision_mask=0)
            heavy = world.add_sphere(0.05, float(ratio), position=(0.5, 0, 0), collision_mask=0)
            over = [(-0.5, 0, 2), (0.5, 0, 2)]
            world.add_wire(light, heavy, over=over, friction=mu)
            world.step(300)
            rises.append(light.linear_velocity[2])
        axes.plot(ratios, rises, ".-", label=f"{mu:g}: holds {np.exp(mu * np.pi):.2f}")
    axes.set(
        title="friction of a wire over bollards",
        xlabel="load [kg] against 1 kg",
        ylabel="speed after 0.3 s [m/s]",
    )


def wire_stiffness(axes: Any) -> None:
    """Draw `wire_youngs_modulus_stretch`."""
    wire_stretch(axes, (3e6, 1e7, 1e8), "wire_youngs_modulus_stretch", "Pa")


def wire_damping(axes: Any) -> None:
    """Draw `wire_spook_damping_stretch`."""
    wire_stretch(axes, (0.002, 0.02, 0.1), "wire_spook_damping_stretch", "s")


def draw(panels: tuple[Any, ...], name: str) -> None:
    """Draw panels in rows of three into one picture."""
    rows = -(-len(panels) // 3)
    figure, grid = plt.subplots(rows, 3, figsize=(11, 3.25 * rows), layout="constrained")
    for axes in grid.flat[len(panels) :]:
        axes.axis("off")
    for panel, axes in zip(panels, grid.flat, strict=False):
        panel(axes)
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    figure.savefig(OUT / name, dpi=90)


def main() -> None:
    """Draw both pictures."""
    contact = (stiffness, damping, restitution, friction, viscosity, ellipse, models, adhesion, overlap,
               side_creep, constant_force, bins, reduction, layer)  # fmt: skip
    of_materials = (weight, two_materials, bounces, directions, wire_stiffness, wire_damping, wire_shape,
                    wire_swing, wire_friction)  # fmt: skip
    draw(contact, "contact-materials.png")
    draw(of_materials, "wire-materials.png")


if __name__ == "__main__":
    main()
