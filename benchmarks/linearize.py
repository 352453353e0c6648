"""Derivatives of a step: time and accuracy, of tribo and of MuJoCo's `mjd_transitionFD`.

`python benchmarks/linearize.py` prints, for the package's quadruped in the air and on four feet and for a box
that tumbles, the time of A and B in steps of the same world, of MuJoCo in the same run, and for random trees
how far A is from Richardson's extrapolation: the figures of docs/physics/derivatives.md. With files in MJCF,
`python benchmarks/linearize.py FILES`, their robots twitch at random, and it prints how many of their steps
have exact derivatives, and what the obstacles of the others are.
"""

import collections
import itertools
import logging
import re
import sys
import time

import numpy as np

import tribo
from tribo.control.exact_step import ExactStep
from tribo.objects.controls import Controls
from tribo.tools.demo import ASSETS

REPEATS = 100


def least_time(call):
    best = np.inf
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


def quadruped(height):
    world = tribo.World()
    world.add_ground()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, height))
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = 0.5 * sign
        dog.joint(f"{leg}_KFE").coordinate = -1.0 * sign
    return world


def tumbling():
    world = tribo.World()
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.angular_velocity = (10.0, 20.0, -15.0)
    return world


def repeat(call):
    for _ in range(50):
        call()


def both(found):
    return found.A, found.B


def cost():
    flying = quadruped(1.0)
    flying.integrator = "semi_implicit"
    standing = quadruped(0.5)
    tribo.equilibrium(standing).apply(standing)
    worlds = {
        "quadruped in the air": flying, "quadruped on four feet": standing, "box that tumbles": tumbling()
    }  # fmt: skip
    for name, world in worlds.items():
        linearizer = tribo.control.Linearizer(world, threads=1)
        moved = tribo.control.Linearizer(world, threads=1, method="differences")
        found, state = linearizer.at(world), world.snapshot()
        took = least_time(lambda world=world, at=linearizer.at: repeat(lambda: at(world))) / 50
        read = least_time(lambda world=world, at=linearizer.at: repeat(lambda: both(at(world)))) / 50
        alone = least_time(lambda world=world, at=linearizer.matrices: repeat(lambda: at(world))) / 50
        by_moving = least_time(lambda world=world, at=moved.at: at(world))
        step = np.inf
        for _ in range(REPEATS):
            world.restore(state)
            begin = time.perf_counter()
            world.step(50)
            step = min(step, (time.perf_counter() - begin) / 50)
        print(
            f"{name}: {len(found.names)} columns, {1e6 * took:.0f} µs = {took / step:.1f} steps of "
            f"{1e6 * step:.1f} µs; A and B read of it {1e6 * read:.0f} µs = {read / step:.1f} steps; "
            f"alone {1e6 * alone:.0f} µs = {alone / step:.1f} steps; by "
            f"differences {1e3 * by_moving:.1f} ms = {by_moving / step:.0f} steps; "
            f"{found!r} {found.obstacle}"
        )


CHAIN = """<mujoco><option timestep="0.001" integrator="Euler"/><worldbody>{}</worldbody></mujoco>"""
LINK = """<body pos="0 0 -0.2"><joint axis="{}"/><geom type="capsule" size="0.02" mass="0.3"
fromto="0 0 0 0 0 -0.2" contype="0" conaffinity="0"/>{}</body>"""


def chains(joints=18):
    try:
        import mujoco
    except ImportError:
        print("MuJoCo is not installed: no figures of it")
        return
    text = ""
    for k in range(joints):
        text = LINK.format("1 0 0" if k % 2 else "0 1 0", text)
    model = mujoco.MjModel.from_xml_string(CHAIN.format(text))
    data = mujoco.MjData(model)
    data.qpos = np.random.default_rng(0).normal(scale=0.3, size=joints)
    start = data.qpos.copy()
    theirs = np.zeros((2 * joints, 2 * joints))

    def differentiate():
        mujoco.mjd_transitionFD(model, data, 1e-6, True, theirs, None, None, None)

    took = least_time(differentiate)
    step = least_time(lambda: [mujoco.mj_step(model, data) for _ in range(200)]) / 200
    print(
        f"chain of {joints}, MuJoCo {mujoco.__version__}: A in {1e3 * took:.2f} ms = {took / step:.0f} "
        f"steps of {1e6 * step:.1f} µs"
    )
    world = tribo.World()
    world.load_mujoco(model)
    world.integrator = "semi_implicit"
    (robot,) = (part for part in world.objects if part.dof == joints)
    robot.generalized_coordinate = start
    linearizer = tribo.control.Linearizer(world, controls=(), threads=1)
    found = linearizer.at(world)
    took = least_time(lambda: linearizer.at(world))
    step = least_time(lambda: world.step(200)) / 200
    print(
        f"chain of {joints}, tribo: A in {1e3 * took:.2f} ms = {took / step:.0f} steps of "
        f"{1e6 * step:.1f} µs; largest difference to MuJoCo {np.abs(found.A - theirs).max():.1e}"
    )


def quadruped_of_mujoco():
    """Let MuJoCo differentiate the same quadruped on four feet, held by its drives."""
    try:
        import mujoco
    except ImportError:
        return
    standing = quadruped(0.5)
    tribo.equilibrium(standing).apply(standing)
    dog = standing["dog"]
    text = (ASSETS / "quadruped.urdf").read_text("utf-8")
    spec = mujoco.MjSpec.from_string(re.sub(r"<capsule[^>]*/>", '<sphere radius="0.001"/>', text))
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = True
    spec.worldbody.first_body().add_freejoint()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    spec.option.timestep = standing.time_step
    joints = [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_HINGE]
    for joint in joints:
        motor = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_motor()
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:7] = dog.generalized_coordinate[:7]
    for joint in joints:
        data.joint(joint.name).qpos[0] = float(np.ravel(dog.joint(joint.name).coordinate)[0])
    for k in range(model.nu):
        name = model.joint(model.actuator_trnid[k, 0]).name
        data.ctrl[k] = dog.generalized_force[dog.joint(name).velocity_slice][0]
    mujoco.mj_step(model, data, 20)  # the feet sink in to bear the weight
    state = data.qpos.copy(), data.qvel.copy()
    a, b = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))

    def differentiate():
        mujoco.mjd_transitionFD(model, data, 1e-6, True, a, b, None, None)

    def steps():
        data.qpos[:], data.qvel[:] = state
        mujoco.mj_step(model, data, 50)

    step = least_time(steps) / 50
    data.qpos[:], data.qvel[:] = state
    mujoco.mj_forward(model, data)
    took = least_time(differentiate)
    print(
        f"quadruped on four feet, MuJoCo {mujoco.__version__}, {data.ncon} contacts: A and B by centred "
        f"differences {1e6 * took:.0f} µs = {took / step:.0f} steps of {1e6 * step:.1f} µs"
    )


def twitching(path, generator):
    """Give the world of a file in MJCF before each of its steps, its robots under random controls."""
    world = tribo.World()
    robots = [one for one in world.load_mjcf(path) if getattr(one, "description", None)]
    while True:
        for robot in robots:
            if robot.description.actuators:
                robot.set_controls(generator.uniform(-1, 1, Controls(robot.description).count))
        for _ in range(2):
            yield world
            world.step()


def count_exact(files, steps=200):
    """Print how many steps of robots under random controls have exact derivatives, and the obstacles."""
    logging.disable(logging.WARNING)
    made = exact = 0
    obstacles = collections.Counter()
    for path in files:
        found, step = collections.Counter(), None
        for world in itertools.islice(twitching(path, np.random.default_rng(0)), steps):
            step = step or ExactStep(world.engine, {})
            why = step.take()
            if not why and step.contradicts():
                why = "contacts share a load in more ways than one"
            found[re.sub(r"body \d+", "a body", why)] += 1
        made, exact = made + steps, exact + found.pop("", 0)
        obstacles += found
        print(f"{path}: {steps - sum(found.values())} of {steps} exact, else {dict(found)}")
    print(f"{exact} of {made} steps are exact; {obstacles.most_common()}")


def random_tree(generator, floats=False, collides=False):
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.3, 0.2, 0.1), mass=generator.uniform(1, 5), collides=collides)
    if not floats and generator.random() < 0.5:
        root.fix_to_world()
    links = [root]
    for k in range(generator.integers(1, 8)):
        parent = links[generator.integers(len(links))]
        kind = ("revolute", "prismatic", "spherical")[generator.integers(3)]
        link = parent.add_child(
            f"link{k}", kind, position=generator.uniform(-0.3, 0.3, 3),
            axis=generator.normal(size=3),
        )  # fmt: skip
        link.add_shape(
            "box", (0.1, 0.2, 0.3), mass=generator.uniform(0.5, 2), collides=collides,
            position=generator.uniform(-0.2, 0.2, 3),
        )  # fmt: skip
        links.append(link)
    return root


LADDER = 1e-3 * 0.5 ** np.arange(11)  # [m, rad, m/s, rad/s] steps of differences
ROUNDINGS = 10  # of numbers of the size of coordinates and velocities, one after the other in a step
LEVER = 20.0  # [1/m] of the smallest link, 0.05 m: how fast a speed of its contact turns it
TOLERANCE = 100 * np.finfo(float).eps  # [–] of the largest speed in a solve: a hundred sums round so


def noise_of(world, left=None):
    """Return ε |x⁺| and what a solve leaves, `left`: what a difference over s has of it, over s, errs by."""
    state = world.engine.state.arrays
    size = max(1.0, *(np.abs(state[name]).max() for name in "qv"))
    if left is None:
        speed = np.abs(state["v"]).max() + np.linalg.norm(world.gravity) * world.time_step
        left = LEVER * world.tolerance * speed
    return ROUNDINGS * np.finfo(float).eps * size + left


def richardson(three, noise, chosen=slice(None)):
    """Return what differences with steps of 4 s, 2 s, s give for s = 0, its bound, the largest of a column.

    The last is relative to the largest number of the column, or 1.
    """
    four, two, one = (each.central[:, chosen] for each in three)
    near, far = (4.0 * one - two) / 3.0, (4.0 * two - four) / 3.0
    bound = np.abs(near - far) + 5.0 / 3.0 * noise / np.array(three[2].sizes)[chosen]
    by_column = bound.max(axis=0) / np.maximum(np.abs(near).max(axis=0), 1.0)
    return (16.0 * near - far) / 15.0, bound, by_column


def extrapolated(world, columns=None, left=None, **given):
    """Return Richardson's extrapolation of differences, and a bound of its error; None at a border.

    Central differences D(s), D(2s), D(4s) give R(s) = (4 D(s) − D(2s))/3, R(2s) and what is returned,
    (16 R(s) − R(2s))/15. It errs by less than R(s) − R(2s), fifteen times the leading error of R(s), and 5/3
    of the rounding of D(s): ε |x⁺|/s, and `left` over s, what a solve of contacts leaves [m/s, rad/s], its
    tolerance times the speed. Of a ladder of steps that is taken whose bound is least (Ridders 1982,
    "Accurate computation of F'(x) and F'(x) F''(x)"), among those within which no input that is compared,
    `columns`, meets a border.
    """
    noise = noise_of(world, left)
    made = [tribo.linearize(world, step=step, threads=1, method="differences", **given) for step in LADDER]
    names = made[0].names if columns is None else [made[0].names[k] for k in columns]
    chosen = slice(None) if columns is None else columns
    at_border = [
        not {change.input for change in one.changes}.isdisjoint(names) or not set(one.kinks).isdisjoint(names)
        for one in made
    ]
    best = None
    for k in range(len(made) - 2):
        if any(at_border[k : k + 3]):
            continue
        value, bound, by_column = richardson(made[k : k + 3], noise, chosen)
        says = by_column.max()
        if best is None or says < best[0]:
            best = says, value, bound
    return None if best is None else best[1:]


def accuracy(count=200):
    generator = np.random.default_rng(0)
    worst, of_bound, exact = 0.0, 0.0, 0
    for _ in range(count):
        world = tribo.World(time_step=0.002)
        robot = world.add_articulated_system(random_tree(generator), position=(0, 0, 1))
        robot.generalized_velocity = generator.normal(size=robot.dof)
        world.step(3)
        found = tribo.linearize(world, threads=1)
        near, bound = extrapolated(world, left=0.0)
        off = np.abs(found.central - near)
        worst = max(worst, off.max() / np.abs(near).max())
        if found.method == "exact":
            exact += 1
            of_bound = max(of_bound, (off / bound).max())
    print(
        f"{count} random trees, {exact} exact: largest difference to Richardson's extrapolation {worst:.1e} "
        f"of the largest number, exact ones {of_bound:.2g} of its bound"
    )


def errors_with_contacts(count):
    """Return errors of exact derivatives of robots that land, and why others were not compared.

    Errors: of the largest number, and of the bound of the extrapolation.
    """
    generator = np.random.default_rng(1)
    errors, tries, said = [], 0, {}
    while len(errors) < count and tries < 10 * count:
        world = tribo.World()
        world.tolerance = TOLERANCE
        world.integrator = ("midpoint", "semi_implicit")[tries % 2]
        tries += 1
        world.add_ground()
        root = random_tree(generator, floats=True, collides=True)
        robot = world.add_articulated_system(root, position=(0, 0, 0.6))
        robot.generalized_velocity = 0.3 * generator.normal(size=robot.dof)
        for _ in range(800):
            state = world.snapshot()
            world.step()
            if any(np.linalg.norm(one.impulse) > 0 for one in world.contacts):
                world.restore(state)
                break
        found = tribo.linearize(world, threads=1)
        why = found.obstacle.partition("/")[2].partition(" ")[2] or found.obstacle
        made = extrapolated(world) if found.method == "exact" else None
        if found.method == "exact" and made is None:
            why = "a border within 8e-6"
        if why:
            said[why] = said.get(why, 0) + 1
            continue
        near, bound = made
        off = np.abs(found.central - near)
        errors.append((off.max() / np.abs(near).max(), (off / bound).max()))
    return errors, said


def accuracy_with_contacts(count=200):
    errors, said = errors_with_contacts(count)
    print(
        f"{len(errors)} random robots at a contact: largest difference to Richardson's extrapolation "
        f"{max(one for one, _ in errors):.1e} of the largest number, "
        f"{max(two for _, two in errors):.2g} of its bound; not compared: {said}"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        count_exact(sys.argv[1:])
        sys.exit()
    cost()
    quadruped_of_mujoco()
    chains()
    accuracy()
    accuracy_with_contacts()
