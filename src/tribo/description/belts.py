"""Where a belt of equal links runs round wheels: the convex hull of circles, cut into equal chords.

Angles run anticlockwise. A link is a chord of the pitch p whose middle lies at the wheel, half its thickness
away, so that its joints run on circles of ρ = √((R + t/2)² + (p/2)²). The pitch is that at which n chords
close the belt.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import acos, atan2, cos, hypot, inf, pi, sin

import numpy as np

CLOSED = 1e-12  # [–] of the length of a belt: an end that is nearer to its begin closes it
ROUNDS = 60  # most rounds of either search
ROUND = 1e-9  # [rad] rounding of an angle
LONGEST = 1.2  # [–] of the radius: longer links turn too far about a wheel


@dataclass(frozen=True, slots=True)
class Arc:
    """Where a belt touches a wheel."""

    wheel: int
    start: float  # [rad] direction from the wheel's centre in which it arrives
    turn: float  # [rad] by which it turns there


def wrap(centres: np.ndarray, radii: np.ndarray) -> list[Arc]:
    """Return how a taut belt runs round circles (n, 2), (n,) [m]: those that are inside are left out.

    Raises:
        ValueError: There are less than two circles on the hull.
    """
    wheel, angle = int(np.argmax(radii - centres[:, 1])), -0.5 * pi
    turn, wheel = _next(centres, radii, wheel, angle)
    angle += turn
    made: list[Arc] = []
    for _ in range(len(radii)):
        turn, following = _next(centres, radii, wheel, angle)
        made.append(Arc(wheel, angle, turn))
        if sum(arc.turn for arc in made) >= 2.0 * pi - ROUND:
            break
        wheel, angle = following, angle + turn
    return made


def _next(centres: np.ndarray, radii: np.ndarray, wheel: int, angle: float) -> tuple[float, int]:
    """Return by how much a belt on a wheel turns on from an angle before it leaves, and for which wheel.

    The tangent to a circle R' at the distance d leaves where the normal n has n·d = R − R'.
    """
    best, following = inf, -1
    for j in range(len(radii)):
        d = centres[j] - centres[wheel]
        apart = float(np.hypot(*d))
        if j == wheel or apart <= abs(radii[wheel] - radii[j]):
            continue
        normal = atan2(d[1], d[0]) - acos((radii[wheel] - radii[j]) / apart)
        turn = (normal - angle + ROUND) % (2.0 * pi) - ROUND
        if turn < best - ROUND:
            best, following = turn, j
    if following < 0:
        raise ValueError("a belt needs two wheels that are not within one another")
    return best, following


class Path:
    """The way of the joints of a belt: arcs and the straight runs between them."""

    def __init__(self, centres: np.ndarray, reach: np.ndarray, arcs: list[Arc]) -> None:
        """Lay it at the distances `reach` (n,) [m] from the centres of the wheels."""
        self._pieces: list[tuple[float, ...]] = []
        self._ends: list[float] = []
        length = 0.0
        for arc, after in zip(arcs, [*arcs[1:], arcs[0]], strict=True):
            x, y = centres[arc.wheel]
            r = float(reach[arc.wheel])
            stop = arc.start + arc.turn
            self._pieces.append((x, y, r, arc.start))
            length += r * arc.turn
            self._ends.append(length)
            px, py = x + r * cos(stop), y + r * sin(stop)
            u, v = centres[after.wheel]
            far = float(reach[after.wheel])
            qx, qy = u + far * cos(after.start), v + far * sin(after.start)
            way = hypot(qx - px, qy - py)
            self._pieces.append((px, py, (qx - px) / way, (qy - py) / way, way))
            length += way
            self._ends.append(length)
        self.length = length

    def at(self, way: float) -> tuple[float, float, float, float]:
        """Return the point after a way from its start, and the direction there."""
        way %= self.length
        k = min(bisect_right(self._ends, way), len(self._ends) - 1)
        along = way - (self._ends[k - 1] if k else 0.0)
        piece = self._pieces[k]
        if len(piece) == 5:
            x, y, u, v, _ = piece
            return x + along * u, y + along * v, u, v
        x, y, r, start = piece
        angle = start + along / r
        return x + r * cos(angle), y + r * sin(angle), -sin(angle), cos(angle)

    def after(self, way: float, pitch: float) -> float:
        """Return the way to the next point at the distance of a pitch."""
        x, y, _, _ = self.at(way)
        low, high, found = way + pitch, way + 0.5 * pi * pitch, way + pitch
        for _ in range(ROUNDS):
            p, q, u, v = self.at(found)
            apart = hypot(p - x, q - y)
            error = apart - pitch
            low, high = (low, found) if error > 0.0 else (found, high)
            slope = ((p - x) * u + (q - y) * v) / apart
            better = found - error / slope if slope > 0.1 else 0.5 * (low + high)
            better = better if low <= better <= high else 0.5 * (low + high)
            if abs(better - found) <= CLOSED * pitch:
                return better
            found = better
        return found


def links(centres: np.ndarray, radii: np.ndarray, count: int, thickness: float) -> tuple[np.ndarray, float]:
    """Return the joints of a belt of equal links (count, 2) [m], anticlockwise, and their distance [m].

    Args:
        centres: (n, 2) [m] of the wheels.
        radii: (n,) [m] of the wheels.
        count: Number of links.
        thickness: Of the links [m].

    Raises:
        ValueError: The wheels have no common belt, or the links are too long for the smallest of them.

    Example:
        >>> joints, pitch = links(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.2, 0.2]), 24, 0.02)
        >>> joints.shape, round(pitch, 4)
        ((24, 2), 0.1403)
    """
    middle = np.asarray(radii) + 0.5 * thickness
    arcs = wrap(centres, middle)
    least = min(float(middle[arc.wheel]) for arc in arcs)

    def gap(pitch: float) -> tuple[float, Path]:
        path = Path(centres, np.hypot(middle, 0.5 * pitch), arcs)
        way = 0.0
        for _ in range(count):
            way = path.after(way, pitch)
        return way - path.length, path

    pitch = Path(centres, middle, arcs).length / count
    if pitch > LONGEST * least:
        raise ValueError(
            f"{count} links of {pitch:.3g} m are too long for a wheel of {least - 0.5 * thickness:.3g} m: "
            f"take at least {int(pitch * count / (LONGEST * least)) + 1}"
        )
    before = 1.01 * pitch
    error_before, _ = gap(before)
    error, path = gap(pitch)
    for _ in range(ROUNDS):
        if abs(error) <= CLOSED * path.length or error == error_before:
            break
        step = pitch - error * (pitch - before) / (error - error_before)
        before, error_before, pitch = pitch, error, step
        error, path = gap(pitch)
    made, way = [], 0.0
    for _ in range(count):
        made.append(path.at(way)[:2])
        way = path.after(way, pitch)
    return np.array(made), float(pitch)
