"""Inverse dynamics, forward dynamics and mass matrix of many states, next to Pinocchio's C++ in turns.

Both sides make the same arrays out of the same states: tribo by one call, Pinocchio by one Python call
per state, which is how its users do it. Run `python benchmarks/dynamics.py`; `--states 10000`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measure import Job, in_turns, ratio
from rich.console import Console
from rich.table import Table

import tribo
from tribo.description.trees import BodyDescription, JointDescription, TreeDescription
from tribo.formats import urdf
from tribo.model import Joint

sys.path.append(str(Path(__file__).parent.parent / "tests"))

ROBOTS = {
    "ANYmal": "anymal_c_simple_description/urdf/anymal.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
CHAIN_LINKS = (25, 50, 100, 200)
GRAVITY = (0.0, 0.0, -9.81)
WRONG = 1e-9  # [–] a larger relative difference, and the row has no speed


def against_pinocchio(name: str, file: str, count: int, rounds: int) -> list[list[str]]:
    """Return the rows of one robot."""
    from pinocchio_peer import Peer, pin, random_states
    from robots import robot_folder

    path = robot_folder() / file
    tree = urdf.read(path)
    robot = tribo.World(gravity=GRAVITY).add_articulated_system(tree)
    peer = Peer(path, tree, GRAVITY)
    model, data, nv = peer.model, peer.data, peer.model.nv
    q, v, vdot = random_states(tree, np.random.default_rng(1), count)
    p = np.array([peer.coordinates(x) for x in q])
    turns = np.array([peer.turn(x) for x in q])
    rates = np.array([peer.turn_rate(x, y) for x, y in zip(q, v, strict=True)])
    pv = np.einsum("nij,nj->ni", turns, v)
    pa = np.einsum("nij,nj->ni", turns, vdot) + np.einsum("nij,nj->ni", rates, v)
    at = robot.at(q, v)
    tau = at.inverse_dynamics(vdot)
    ptau = np.einsum("nij,nj->ni", turns, tau)  # T is orthogonal

    def loop(out: np.ndarray, call: Callable[[int], np.ndarray]) -> np.ndarray:
        for k in range(count):
            out[k] = call(k)
        return out

    def mass(k: int) -> np.ndarray:
        return pin.crba(model, data, p[k])

    vectors, matrices = np.zeros((count, nv)), np.zeros((count, nv, nv))
    jobs = {
        "inverse dynamics": (
            lambda: at.inverse_dynamics(vdot),
            lambda: loop(vectors, lambda k: pin.rnea(model, data, p[k], pv[k], pa[k])),
            lambda a, b: (np.einsum("nij,nj->ni", turns, a), b),
        ),
        "forward dynamics": (
            lambda: at.forward_dynamics(tau),
            lambda: loop(vectors, lambda k: pin.aba(model, data, p[k], pv[k], ptau[k])),
            lambda a, b: (
                np.einsum("nij,nj->ni", turns, a) + np.einsum("nij,nj->ni", rates, v), b
            ),
        ),
        "mass matrix": (
            lambda: at.mass_matrix,
            lambda: loop(matrices, mass),
            lambda a, b: (np.triu(np.einsum("nij,njk,nlk->nil", turns, a, turns)), np.triu(b)),
        ),
    }  # fmt: skip
    rows = []
    for what, (ours, theirs, common) in jobs.items():
        a, b = common(ours(), theirs())
        error = float(np.abs(a - b).max() / np.abs(b).max())
        if error > WRONG:
            rows.append([name, str(nv), what, "no speed", "", "", f"{error:.1e}"])
            continue
        times = in_turns(
            {"tribo": Job(lambda: None, lambda _, f=ours: f()),
             "pinocchio": Job(lambda: None, lambda _, f=theirs: f())},
            1, rounds,
        )  # fmt: skip
        middle, least, most = ratio(times["tribo"].cpu, times["pinocchio"].cpu)
        rows.append(
            [name, str(nv), what, f"{times['tribo'].median / count:.2f}",
             f"{times['pinocchio'].median / count:.2f}", f"{middle:.2f} ({least:.2f}…{most:.2f})",
             f"{error:.0e}"]
        )  # fmt: skip
    return rows


def chain(links: int) -> TreeDescription:
    """Return a hanging chain of equal links, each turning across the one before."""
    bodies = [BodyDescription("base", -1, JointDescription("root", Joint.FIXED), 1.0, inertia=np.eye(3))]
    for k in range(links):
        joint = JointDescription(
            f"j{k}", Joint.REVOLUTE, (0.0, 0.0, -0.1 if k else 0.0),
            axis=(1.0, 0.0, 0.0) if k % 2 else (0.0, 1.0, 0.0),
        )  # fmt: skip
        bodies.append(BodyDescription(f"l{k}", k, joint, 0.1, (0.0, 0.0, -0.05), np.diag([1e-4, 1e-4, 1e-5])))
    return TreeDescription(bodies)


def chains(count: int, rounds: int) -> list[list[str]]:
    """Return time per link of ever longer chains: constant if the cost is linear."""
    rows = []
    for links in CHAIN_LINKS:
        robot = tribo.World(gravity=GRAVITY).add_articulated_system(chain(links))
        rng = np.random.default_rng(2)
        q, v, vdot = (rng.normal(size=(count, links)) * s for s in (0.1, 1.0, 1.0))
        at = robot.at(q, v)
        tau = at.inverse_dynamics(vdot)
        error = float(np.abs(at.forward_dynamics(tau) - vdot).max())
        jobs = {
            "inverse": Job(lambda: None, lambda _, at=at, a=vdot: at.inverse_dynamics(a)),
            "forward": Job(lambda: None, lambda _, at=at, a=tau: at.forward_dynamics(a)),
        }
        times = in_turns(jobs, 1, rounds)
        per_link = [f"{1000 * times[k].least / count / links:.1f}" for k in jobs]
        rows.append([str(links), *per_link, f"{error:.0e}"])
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    console = Console(width=120)
    table = Table(title=f"{options.states} random states, µs per state, processor time")
    for head in ("robot", "dof", "what", "tribo", "pinocchio", "× pinocchio (min…max)", "difference"):
        table.add_column(head, justify="right" if head not in ("robot", "what") else "left")
    for name, file in ROBOTS.items():
        for row in against_pinocchio(name, file, options.states, options.rounds):
            table.add_row(*row)
    console.print(table)
    table = Table(title="hanging chain, ns per state and link")
    for head in ("links", "inverse dynamics", "forward dynamics", "|FD(ID(v̇)) − v̇|"):
        table.add_column(head, justify="right")
    for row in chains(200, options.rounds):
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
