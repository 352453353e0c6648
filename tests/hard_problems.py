"""Contact problems of steps that were hard to solve, kept in tests/data, and how to solve them again.

Each is the island of free bodies that one step had: whitened rows, velocities, friction, and the impulses of
the step before. `benchmarks/contact_problems.py` collects and compares.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tribo
from tribo.engine import lazy_kernels
from tribo.engine.engine import Engine
from tribo.model import Late

FILE = Path(__file__).parent / "data" / "contact_problems.npz"
WORLD = -1  # a side that does not move
SOLVED = 1e-6  # [–] of the speed to remove: an island that misses the law by less is solved


class Problem(NamedTuple):
    """One island; n contacts of b bodies."""

    bodies: np.ndarray  # (n, 2) numbers from 0 on, or `WORLD`
    rows: np.ndarray  # (n, 2, 3, 6) whitened, 0 where the side is the world
    start: np.ndarray  # (n, 3) [m/s] without forces, relative to the target
    free: np.ndarray  # (b, 6) whitened response to the forces
    friction: np.ndarray  # (n,)
    impulse: np.ndarray  # (n, 3) [N s] of the step before

    def dense(self) -> tuple[np.ndarray, np.ndarray]:
        """Return G (3n, 3n) and the velocities without impulses (3n,)."""
        n = len(self.bodies)
        jacobian = np.zeros((n, 3, *self.free.shape))
        for c, sides in enumerate(self.bodies):
            for side, body in enumerate(sides):
                if body != WORLD:
                    jacobian[c, :, body] += self.rows[c, side]
        flat = jacobian.reshape(3 * n, -1)
        return flat @ flat.T, self.start.ravel() + flat @ self.free.ravel()


def save(problems: list[Problem], path: Path = FILE) -> None:
    """Write problems to a file."""
    columns: dict[str, np.ndarray] = {
        "contacts": np.array([len(p.bodies) for p in problems]),
        "trees": np.array([len(p.free) for p in problems]),
    }
    for name in Problem._fields:
        values = np.concatenate([getattr(p, name) for p in problems])
        kind = np.int16 if name == "bodies" else np.float32 if name == "rows" else np.float64
        columns[name] = values.astype(kind)
    np.savez_compressed(path, **columns)  # type: ignore[arg-type]


def load(path: Path = FILE) -> list[Problem]:
    """Read problems from a file."""
    with np.load(path) as file:
        columns = {name: file[name] for name in file.files}
    ends = np.cumsum(columns.pop("contacts"))
    tree_ends = np.cumsum(columns.pop("trees"))
    cut = {
        name: np.split(values.astype(float) if name != "bodies" else values.astype(int),
                       (tree_ends if name == "free" else ends)[:-1])
        for name, values in columns.items()
    }  # fmt: skip
    return [Problem(*(cut[name][k] for name in Problem._fields)) for k in range(len(ends))]


def engine_for(problems: list[Problem]) -> Engine:
    """Return the records of as many free bodies as the largest problem has, with room for it."""
    return engine_of(max(len(p.free) for p in problems), max(len(p.bodies) for p in problems))


def engine_of(bodies: int, contacts: int) -> Engine:
    """Return the records of some free bodies, with room for a problem with rolling friction."""
    world = tribo.World()
    for k in range(bodies):
        world.add_sphere(0.1, mass=1.0, position=(k, 0, 0))
    world.step(0)
    world.update()
    engine = world.engine
    work = engine.work
    work.contact_count[0], work.row_count[0] = contacts, contacts * 72
    work.column_count[0], work.node_count[0] = 6 * bodies, bodies
    work.dense_count[0] = 16 * contacts
    work.value_count[0] = (6 * bodies) ** 2
    engine.grow()
    engine.model.lazy_address[Late.PILE] = lazy_kernels.address(Late.PILE)
    return engine


def write(engine: Engine, problem: Problem) -> None:
    """Write a problem into the tables of an engine, as island 0 of a step."""
    state, work = engine.state, engine.work
    n = len(problem.bodies)
    work.status[0] = 0
    work.free_response[:] = 0.0
    work.free_response[: problem.free.size] = problem.free.ravel()
    work.contact_count[0], work.scalar_count[0], work.row_count[0] = n, 0, 36 * n
    work.solves[0] = work.newton_steps[0] = 0  # nothing was tried before
    work.contact_target[:n] = 0.0
    work.contact_compliance[:n] = 0.0
    work.contact_scale[:n] = 1.0
    work.adhesion_impulse[:n] = 0.0
    work.contact_is_spun[:n] = 0
    work.contact_drift_error[:n] = 0.0
    work.contact_friction_row[:n] = -1
    work.contact_key[:n] = state.warm_key[:n] = np.arange(n)
    work.tree_island[:] = np.arange(len(work.tree_island))
    work.island_contact_start[:] = n
    work.island_contact_start[0] = 0
    work.island_scalar_start[:] = 0
    work.island_contact[:n] = np.arange(n)
    work.contact_axes[:n] = np.eye(3).ravel()
    work.contact_body[:n] = np.maximum(problem.bodies, 0)
    work.contact_len[:n] = np.where(problem.bodies == WORLD, 0, 6)
    work.contact_friction[:n] = problem.friction
    work.contact_start[:n] = problem.start
    work.contact_row[:n] = 18 * np.arange(2 * n).reshape(n, 2)
    work.row[: 36 * n] = problem.rows.transpose(0, 1, 3, 2).ravel()
    g = problem.dense()[0]
    for c in range(n):
        own = g[3 * c : 3 * c + 3, 3 * c : 3 * c + 3]
        work.diagonal_delassus[c] = own.trace() / 3.0
        work.contact_delassus[c] = [own[0, 0], own[1, 1], own[2, 2], own[0, 1], own[0, 2], own[1, 2]]
    state.warm_count[0] = n
    state.warm_impulse[:n] = 0.0
    state.warm_impulse[:n, :3] = problem.impulse


def read(engine: Engine, before: dict[int, np.ndarray], island: int) -> Problem:
    """Return an island of the step that an engine has just made; `before`: impulses by key, world axes."""
    model, work = engine.model, engine.work
    first, last = work.island_contact_start[island : island + 2]
    numbers: dict[int, int] = {}
    found: dict[str, list[Any]] = {name: [] for name in Problem._fields}
    for c in work.island_contact[first:last]:
        rows, sides = np.zeros((2, 3, 6)), [WORLD, WORLD]
        for side in range(2):
            if work.contact_len[c, side]:
                tree = int(model.body_tree[work.contact_body[c, side]])
                sides[side] = numbers.setdefault(tree, len(numbers))
                i = work.contact_row[c, side]
                rows[side] = work.row[i : i + 18].reshape(6, 3).T
        axes = work.contact_axes[c].reshape(3, 3)
        impulse = axes @ before.get(int(work.contact_key[c]), np.zeros(3))
        for name, value in (("bodies", sides), ("rows", rows), ("start", work.contact_start[c].copy()),
                            ("friction", work.contact_friction[c]), ("impulse", impulse)):  # fmt: skip
            found[name].append(value)
    for tree in numbers:
        start = model.tree_v[tree]
        found["free"].append(work.free_response[start : start + 6].copy())
    return Problem(**{name: np.array(values) for name, values in found.items()})
