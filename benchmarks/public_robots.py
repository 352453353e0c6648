"""Robots of public packages in motion, next to MuJoCo: mean cost of a step, its tail, flags, overlap.

    pip install --no-deps --target SITE gymnasium gymnasium-robotics dm_control robosuite metaworld cmeel \
        example-robot-data
    python benchmarks/public_robots.py SITE [--only shadow ant] [--variants condim6 friction] [--steps 2400]
    python benchmarks/public_robots.py SITE --more       (other robots of the same packages)

MuJoCo compiles each file; both engines get that one model, tribo by `World.load_mujoco`. Every ten steps each
actuator gets a new control, uniform in its range; after 600 steps the scene begins anew. Blocks of 100 steps
take turns, on one thread; the processor time of `step` counts. MuJoCo's contacts are soft, as by default.

* `condim6`: all geoms have rolling and spinning friction.
* `friction`: all hinges and slides have dry friction, a fiftieth of the torque that gravity can ask for.
* `4ms`, `10ms`: time steps.
* `limp`: no controls.
"""

from __future__ import annotations

import argparse
import logging
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
from mujoco_robots import from_urdf

import tribo

BLOCK, HOLD, ANEW = 100, 10, 600  # steps
URDFS = "cmeel.prefix/share/example-robot-data/robots/"
GYM, HANDS = "gymnasium/envs/mujoco/assets/", "gymnasium_robotics/envs/assets/"
SUITE, ARMS = "dm_control/suite/", "robosuite/models/assets/robots/"
KP, KD = 4.0, 0.2  # [N m/rad, N m s/rad] per kg of the robot: drives of those that are URDFs
FILES = {
    "shadow, block": HANDS + "hand/manipulate_block.xml",
    "shadow, pen": HANDS + "hand/manipulate_pen.xml",
    "adroit, pen": HANDS + "adroit_hand/adroit_pen.xml",
    "adroit, door": HANDS + "adroit_hand/adroit_door.xml",
    "fetch, object": HANDS + "fetch/pick_and_place.xml",
    "panda, boxes": ARMS + "panda/robot.xml",
    "ur5e, boxes": ARMS + "ur5e/robot.xml",
    "talos": URDFS + "talos_data/robots/talos_reduced.urdf",
    "solo": URDFS + "solo_description/robots/solo12.urdf",
    "anymal": URDFS + "anymal_b_simple_description/robots/anymal.urdf",
    "allegro, cubes": URDFS + "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "dm humanoid": SUITE + "humanoid.xml",
    "dm CMU": SUITE + "humanoid_CMU.xml",
    "dm quadruped": SUITE + "quadruped.xml",
    "dm dog": SUITE + "dog.xml",
    "Humanoid": GYM + "humanoid.xml",
    "Ant": GYM + "ant.xml",
    "HalfCheetah": GYM + "half_cheetah.xml",
    "Hopper": GYM + "hopper.xml",
    "Walker2d": GYM + "walker2d.xml",
}
SAWYER, WALKERS = "metaworld/assets/sawyer_xyz/sawyer_", "dm_control/locomotion/walkers/assets/"
ROBOTS = ("baxter", "iiwa", "jaco", "kinova3", "sawyer", "xarm7")
SUITE_ROBOTS = (
    "cheetah", "walker", "hopper", "finger", "fish", "manipulator", "stacker", "swimmer", "ball_in_cup",
)  # fmt: skip
MORE = {  # chosen for being in the packages, before any of them was played
    "shadow, egg": HANDS + "hand/manipulate_egg.xml",
    "shadow, reach": HANDS + "hand/reach.xml",
    "adroit, hammer": HANDS + "adroit_hand/adroit_hammer.xml",
    "adroit, relocate": HANDS + "adroit_hand/adroit_relocate.xml",
    "fetch, slide": HANDS + "fetch/slide.xml",
    "fetch, push": HANDS + "fetch/push.xml",
    **{f"{name}, boxes": f"{ARMS}{name}/robot.xml" for name in ROBOTS},
    "spot": ARMS + "spot/robot.xml",
    "tiago": ARMS + "tiago/robot.xml",
    "rodent": WALKERS + "rodent.xml",
    "CMU V2020": WALKERS + "humanoid_CMU_V2020.xml",
    "dog v2": WALKERS + "dog_v2/dog.xml",
    "fruitfly": WALKERS + "fruitfly_v2/fruitfly.xml",
    **{f"dm {name}": f"{SUITE}{name}.xml" for name in SUITE_ROBOTS},
    "pusher": GYM + "pusher_v5.xml",
    "reacher": GYM + "reacher.xml",
    "swimmer": GYM + "swimmer.xml",
    "standup": GYM + "humanoidstandup.xml",
    "double pendulum": GYM + "inverted_double_pendulum.xml",
    **{
        f"sawyer, {name}": f"{SAWYER}{name}.xml"
        for name in ("hammer", "door_pull", "drawer", "push_v3", "coffee")
    },
    "go1": URDFS + "go1_description/urdf/go1.urdf",
    "go2": URDFS + "go2_description/urdf/go2.urdf",
    "a1": URDFS + "a1_description/urdf/a1.urdf",
    "b1": URDFS + "b1_description/urdf/b1.urdf",
    "laikago": URDFS + "laikago_description/urdf/laikago.urdf",
    "g1": URDFS + "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1, hands": URDFS + "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "bolt": URDFS + "bolt_description/robots/bolt.urdf",
    "centauro": URDFS + "centauro_description/urdf/centauro.urdf",
    "panda of URDF, boxes": URDFS + "panda_description/urdf/panda.urdf",
    "ur5 of URDF, boxes": URDFS + "ur_description/urdf/ur5_robot.urdf",
    "xarm7 of URDF, boxes": URDFS + "xarm_description/urdf/xarm7.urdf",
    "z1 of URDF, boxes": URDFS + "z1_description/urdf/z1.urdf",
    "so101 of URDF, boxes": URDFS + "so_arm_description/urdf/so101.urdf",
}
HAND = (0.0, 0.6, 0.2), (0.7071067811865476, 0.0, 0.7071067811865476, 0.0)  # of Meta-World's mocap body
HEIGHTS = {  # [m] of floating bases
    "talos": 1.08, "solo": 0.35, "anymal": 0.7, "go1": 0.45, "go2": 0.45, "a1": 0.45, "b1": 0.7,
    "laikago": 0.6, "g1": 0.9, "g1, hands": 0.9, "bolt": 0.5, "centauro": 1.2,
}  # fmt: skip
WHO = ("tribo", "MuJoCo")
COLUMNS = ("mean µs", "median", "99 %", "largest", "overlap mm")
VARIANTS = ("as in the file", "condim6", "friction", "4ms", "10ms", "limp")


def add_floor(spec: mujoco.MjSpec) -> None:
    """Add a floor that meets everything."""
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=3, conaffinity=3)


def add_box(spec: mujoco.MjSpec, place: tuple[float, float, float], half: float) -> None:
    """Add a box of water's density that is free."""
    body = spec.worldbody.add_body(pos=place)
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half] * 3, density=1000.0, contype=3, conaffinity=3)


def add_drives(spec: mujoco.MjSpec, height: float | None) -> None:
    """Give the robot of a URDF a floor, a free base at a height, and drives; it does not meet itself."""
    joints = [joint for joint in spec.joints if joint.name]
    for geom in spec.geoms:  # shapes of one robot overlap as they are drawn
        geom.contype, geom.conaffinity = 1, 2
    mass = sum(body.mass for body in spec.bodies)
    spec.compiler.balanceinertia = True
    spec.option.integrator = (
        mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    )  # else drives of light links are unstable
    if height is not None:
        base = spec.worldbody.first_body()
        base.add_freejoint()
        base.pos = [0, 0, height]
        add_floor(spec)
    for joint in joints:
        spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        spec.actuators[-1].set_to_position(kp=KP * mass, kv=KD * mass)
        spec.actuators[-1].ctrlrange = [-0.5, 0.5]
        spec.actuators[-1].ctrllimited = True


def compiled(name: str, site: Path, variant: str) -> mujoco.MjModel:
    """Return the model of a scene."""
    file = site / (FILES | MORE)[name]
    if file.suffix == ".urdf":
        spec = from_urdf(
            file.read_text("utf-8").replace("package://example-robot-data/robots", str(site / URDFS))
        )
        add_drives(spec, HEIGHTS.get(name))
    else:
        spec = mujoco.MjSpec.from_file(str(file))
    if name.endswith("boxes"):
        add_floor(spec)
        for k in range(4):
            add_box(spec, (0.35 + 0.15 * (k % 2), -0.15 + 0.3 * (k // 2), 0.04), 0.04)
    if name.endswith("cubes"):
        add_box(spec, (0.03, 0.0, 0.26), 0.025)
        add_box(spec, (0.05, 0.01, 0.33), 0.025)
    if MORE.get(name, "").startswith(SAWYER):  # as its environments do
        for body in spec.bodies:
            if body.mocap:
                body.pos, body.quat = HAND
        for tie in spec.equalities:
            tie.data[:10] = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    if name.startswith("fetch"):  # its hand is tied to a body that its environment moves there first
        for tie in list(spec.equalities):
            spec.delete(tie)
    if variant == "condim6":
        for geom in spec.geoms:
            geom.condim, geom.friction = 6, [geom.friction[0], 0.005, 0.001]
    if variant.endswith("ms"):
        spec.option.timestep = 1e-3 * float(variant[:-2])
    model = spec.compile()
    if variant == "friction":
        add_joint_friction(model)
    return model


def add_joint_friction(model: mujoco.MjModel) -> None:
    """Give each hinge and slide dry friction, a fiftieth of what bears a metre, or one, of all that moves."""
    weight = 9.81 * float(model.body_mass.sum())
    for joint in range(model.njnt):
        if model.jnt_type[joint] >= int(mujoco.mjtJoint.mjJNT_SLIDE):
            model.dof_frictionloss[model.jnt_dofadr[joint]] += weight / 50 / max(1, model.njnt)


@dataclass
class Engine:
    """One of the two: what it does, and how long its steps take [µs]."""

    begin: Callable[[], None]
    control: Callable[[np.ndarray], None]
    step: Callable[[], None]
    overlap: Callable[[], float]  # [m]
    times: list[float] = field(default_factory=list)
    depth: float = 0.0


def peer(model: mujoco.MjModel) -> Engine:
    """Return MuJoCo."""
    data = mujoco.MjData(model)

    def control(u: np.ndarray) -> None:
        data.ctrl[:] = u

    return Engine(
        lambda: mujoco.mj_resetData(model, data),
        control,
        lambda: mujoco.mj_step(model, data),
        lambda: -min(data.contact.dist, default=0.0),
    )


def own(model: mujoco.MjModel) -> tuple[Engine, tribo.World]:
    """Return tribo, and its world."""
    world = tribo.World()
    world.load_mujoco(model)
    robots = [o for o in world.objects if isinstance(o, tribo.ArticulatedSystem)]
    world.step(0)
    first = world.snapshot()

    def control(u: np.ndarray) -> None:
        for robot in robots:
            robot.set_controls(u)

    engine = Engine(
        lambda: world.restore(first),
        control,
        world.step,
        lambda: max((contact.depth for contact in world.contacts), default=0.0),
    )
    return engine, world


def compare(name: str, site: Path, variant: str, steps: int) -> dict[str, float]:
    """Return the figures of a scene: "tribo mean" and so on, "flagged", "×" (MuJoCo's mean over tribo's)."""
    model = compiled(name, site, variant)
    rng = np.random.default_rng(0)
    limited = model.actuator_ctrllimited.astype(bool)
    low = np.where(limited, model.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(limited, model.actuator_ctrlrange[:, 1], 1.0)
    ours, world = own(model)
    engines = dict(zip(WHO, (ours, peer(model)), strict=True))
    flagged = 0
    for block in range(steps // BLOCK):
        moves = rng.uniform(low, high, (BLOCK // HOLD, model.nu))
        if variant == "limp":
            moves[:] = 0.0
        for engine in engines.values():
            if block * BLOCK % ANEW == 0:
                engine.begin()
            for k in range(BLOCK):
                if k % HOLD == 0:
                    engine.control(moves[k // HOLD])
                start = time.thread_time_ns()
                engine.step()
                engine.times.append(1e-3 * (time.thread_time_ns() - start))
                if engine is ours:
                    flagged += world.status != 0
            engine.depth = max(engine.depth, engine.overlap())
    found: dict[str, float] = {}
    for who, engine in engines.items():
        taken = np.array(engine.times[BLOCK // 2 :])
        numbers = (
            taken.mean(), np.median(taken), np.percentile(taken, 99), taken.max(),
            1e3 * engine.depth,
        )  # fmt: skip
        found |= {f"{who} {what}": float(n) for what, n in zip(COLUMNS, numbers, strict=True)}
    found["flagged"] = flagged / (steps // BLOCK * BLOCK)
    found["×"] = found["MuJoCo mean µs"] / found["tribo mean µs"]
    return found


def head() -> list[str]:
    """Return the head of the table."""
    return ["scene", *(f"{who} {what}" for who in WHO for what in COLUMNS), "flagged", "× mean"]


def cells(name: str, found: dict[str, float]) -> list[str]:
    """Return the row of a scene."""
    row = [name]
    for who in WHO:
        row += [f"{found[f'{who} {what}']:.0f}" for what in COLUMNS[:-1]]
        row.append(f"{found[f'{who} {COLUMNS[-1]}']:.3f}")
    return [*row, f"{found['flagged']:.2%}", f"{found['×']:.2f}"]


def measure(steps: int) -> dict[str, dict[str, float]]:
    """Return the figures of those scenes, as in their files, whose packages are installed."""
    site = Path(sysconfig.get_paths()["purelib"])
    found = {
        name: compare(name, site, VARIANTS[0], steps)
        for name, file in FILES.items()
        if (site / file).exists()
    }
    missing = [name for name in FILES if name not in found]
    if missing:
        print(f"no packages of {', '.join(missing)}: see {Path(__file__).name}", file=sys.stderr)
    return found


def main() -> None:
    """Print a table and the geometric mean of the ratios of means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("site", type=Path, help="folder with the packages")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of names of scenes")
    parser.add_argument("--variants", nargs="*", default=[VARIANTS[0]], choices=VARIANTS)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--more", action="store_true", help="the robots of MORE instead of those of FILES")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| " + " | ".join(head()) + " |\n|" + " --- |" * len(head()))
    ratios = []
    for variant in chosen.variants:
        for name in MORE if chosen.more else FILES:
            if any(part in name for part in chosen.only):
                found = compare(name, chosen.site, variant, chosen.steps)
                ratios.append(found["×"])
                title = name if variant == VARIANTS[0] else f"{name}, {variant}"
                print("| " + " | ".join(cells(title, found)) + " |", flush=True)
    print(
        f"geometric mean of the last column: {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
