"""Inertias that a body can have for any ten numbers: the log-Cholesky form of the pseudo-inertia.

Source: Rucker, Wensing, "Smooth parameterization of rigid-body inertia", IEEE RA-L 7 (2022), eq. 14–16.
The pseudo-inertia J (4, 4) of a body, J = ∫ (p, 1)(p, 1)ᵀ dm, is positive definite for exactly the bodies
that have a density. J = U Uᵀ with

    U = e^α [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]].
"""

from __future__ import annotations

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.identification.unknowns import Bounds, Unknown, leave, part_of
from tribo.world.world import World

NAMES = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
SPAN = 2.0  # α and d are sought within ± this: a factor e^2 of lengths, e^4 of the mass


def of_parameters(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass (n,) [kg], com (n, 3) [m] and inertia about the com (n, 3, 3) [kg m²] of θ (n, 10)."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = rows.T
    upper = np.zeros((len(rows), 4, 4))
    upper[:, [0, 1, 2], [0, 1, 2]] = np.exp(np.stack([d1, d2, d3], axis=1))
    upper[:, 0, 1], upper[:, 1, 2], upper[:, 0, 2] = s12, s23, s13
    upper[:, :3, 3] = np.stack([t1, t2, t3], axis=1)
    upper[:, 3, 3] = 1.0
    upper *= np.exp(alpha)[:, None, None]
    pseudo = upper @ upper.transpose(0, 2, 1)
    mass, first = pseudo[:, 3, 3], pseudo[:, :3, 3]
    com = first / mass[:, None]
    second = pseudo[:, :3, :3] - mass[:, None, None] * com[:, :, None] * com[:, None, :]
    trace = np.trace(second, axis1=1, axis2=2)
    inertia = trace[:, None, None] * np.eye(3) - second
    return mass, com, 0.5 * (inertia + inertia.transpose(0, 2, 1))


def parameters_of(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return θ (10,) of a mass [kg], com (3,) [m] and inertia about it (3, 3) [kg m²].

    Raises:
        ValueError: No body with a density has this inertia: it is flat, or a point.
    """
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
    pseudo = np.zeros((4, 4))
    pseudo[:3, :3], pseudo[3, 3] = second, mass
    pseudo[:3, 3] = pseudo[3, :3] = mass * com
    try:
        lower = np.linalg.cholesky(pseudo[::-1, ::-1])
    except np.linalg.LinAlgError:
        raise ValueError("no body with a density has it: it is flat, a line or a point") from None
    upper = lower[::-1, ::-1]
    scale = upper[3, 3]
    upper = upper / scale
    d = np.log(np.diagonal(upper)[:3])
    shear = (upper[0, 1], upper[1, 2], upper[0, 2])
    return np.array([np.log(scale), *d, *shear, *upper[:3, 3]])


@answered_call
def inertial(name: str, link: str | None = None, *, span: float = SPAN) -> Unknown:
    """Seek mass, centre of mass and inertia of a link together: ten numbers, each of which a body can have.

    They are sought about the link's present ones. Reported are also mass, com in the frame of the link and
    inertia about the com, with their intervals. Of a robot on a fixed base the data show combinations of
    them only; the others are said to be unseen.

    Args:
        name: Of the object.
        link: Of a robot: the link; None: the only one.
        span: How far the logarithms may go from the present values, > 0 [–].

    Raises:
        TypeError, ValueError: An argument is wrong; when it is used: the link is flat, a line or a point.

    Example:
        >>> inertial("arm", "hand").names[:2]
        ('arm/hand/alpha', 'arm/hand/d1')
    """
    stem = check.name(name, "object") if link is None else f"{name}/{check.name(link, 'link')}"
    reach = check.positive(span, "span")
    bounds = tuple(Bounds(f"{stem}/{one}", "–", -reach, reach, 0.0) for one in NAMES)

    def of_world(world: World) -> Unknown:
        return _about(world, name, link, bounds, stem)

    return Unknown(bounds, leave, leave, lambda world: [0.0] * len(NAMES), of_world=of_world)


def _about(world: World, name: str, link: str | None, bounds: tuple[Bounds, ...], stem: str) -> Unknown:
    """Return the ten numbers about those that a link has in a world."""
    handle = part_of(world[name], link)
    is_single = handle is world[name]  # its frame is at its com
    place = np.zeros(3) if is_single else np.array(handle.com)
    try:
        theta = parameters_of(float(handle.mass), place, np.array(handle.inertia))
    except ValueError as error:
        raise ValueError(f"inertia of {stem}: {error}") from None
    lengths = np.exp(theta[1:4])
    scale = np.array([1, 1, 1, 1, *lengths[[0, 1, 0]], *lengths])
    origin = np.array(handle.com) if is_single else np.zeros(3)

    def set_in_batch(batch: Batch, rows: np.ndarray, worlds: np.ndarray) -> None:
        part = batch[name]
        mass, com, inertia = of_parameters(theta + scale * rows)
        own = link or part.links[0].name
        part.set_link(own, worlds, mass=mass, com=com, inertia=inertia)

    def set_in_world(target: World, row: np.ndarray) -> None:
        mass, com, inertia = of_parameters((theta + scale * row)[None])
        own = part_of(target[name], link)
        own.mass, own.com, own.inertia = float(mass[0]), origin + com[0], inertia[0]

    def derived(rows: np.ndarray) -> dict[str, tuple[str, np.ndarray]]:
        mass, com, inertia = of_parameters(theta + scale * rows)
        made = {f"{stem}/mass": ("kg", mass)}
        made |= {f"{stem}/com_{a}": ("m", com[:, k]) for k, a in enumerate("xyz")}
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            made[f"{stem}/inertia_{'xyz'[i]}{'xyz'[j]}"] = ("kg m²", inertia[:, i, j])
        return made

    return Unknown(bounds, set_in_batch, set_in_world, lambda world: [0.0] * len(NAMES), derived=derived)
