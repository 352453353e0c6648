"""Triangles → pixels in NumPy: a depth buffer and shading per pixel, no GPU, no compiler."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

NEAR = 0.05  # [m] what is nearer to the camera is not drawn
CUT = 1.001 * NEAR  # [m] where triangles are cut
_SAMPLES = 1 << 21  # pixels looked at in one go: bounds memory
_SMALLEST = 4  # [px] side of the smallest square that triangles are sorted into

Samples = tuple[np.ndarray, np.ndarray, np.ndarray]  # triangle, pixel, 1/depth


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera that looks from `eye` at `target`."""

    eye: tuple[float, float, float]  # [m]
    target: tuple[float, float, float]  # [m]
    fov: float = 35.0  # [°] vertical
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)  # what points upwards in the picture

    def orbited(self, angle: float) -> Camera:
        """Return a camera that has gone round the target.

        Args:
            angle: How far [°], about the vertical, counter-clockwise seen from above.

        Example:
            >>> front = Camera(eye=(3, 0, 1), target=(1, 0, 0.5))
            >>> [round(x, 12) for x in front.orbited(90).eye]
            [1.0, 2.0, 1.0]
        """
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))

        def turned(x: float, y: float, z: float) -> tuple[float, float, float]:
            return float(c * x - s * y), float(s * x + c * y), float(z)

        x, y, z = turned(*np.subtract(self.eye, self.target).tolist())
        a, b, h = self.target
        return replace(self, eye=(a + x, b + y, h + z), up=turned(*self.up))

    def axes(self) -> np.ndarray:
        """Return right, down and forward, rows of (3, 3)."""
        forward = np.subtract(self.target, self.eye)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, self.up)
        length = np.linalg.norm(right)
        right = right / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
        return np.stack([right, np.cross(forward, right), forward])

    def focal(self, height: int) -> float:
        """Return the focal length in pixels for a picture of this height."""
        return float(0.5 * height / np.tan(np.radians(0.5 * self.fov)))

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        """Return (x [px], y [px], depth [m]) of points (n, 3)."""
        local = (points - self.eye) @ self.axes().T
        depth = local[:, 2]
        scale = self.focal(height) / np.where(depth > NEAR, depth, np.inf)
        x = 0.5 * width + local[:, 0] * scale
        y = 0.5 * height + local[:, 1] * scale
        return np.stack([x, y, depth], axis=1)

    def rays(self, width: int, height: int) -> np.ndarray:
        """Return the directions of all pixels, (h, w, 3); their depth component is 1."""
        right, down, forward = self.axes()
        focal = self.focal(height)
        x = (np.arange(width) + 0.5 - 0.5 * width) / focal
        y = (np.arange(height) + 0.5 - 0.5 * height) / focal
        return np.asarray(x[None, :, None] * right + y[:, None, None] * down + forward, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """A heap of triangles in world axes."""

    vertices: np.ndarray  # (n, 3) [m]
    normals: np.ndarray  # (n, 3)
    colors: np.ndarray  # (n, 3) 0…1
    faces: np.ndarray  # (m, 3)
    is_closed: np.ndarray  # (m,) the back of the triangle is never seen


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """Depth and triangle of each pixel that shows one."""

    pixel: np.ndarray  # (k,) row · width + column
    depth: np.ndarray  # (k,) [m]
    normal: np.ndarray  # (k, 3) unit
    color: np.ndarray  # (k, 3)
    triangle: np.ndarray  # (k,) which of the heap


def rasterize(heap: Triangles, camera: Camera, width: int, height: int) -> Fragments:
    """Return the nearest surface in every pixel that shows one."""
    heap, source = before_camera(heap, camera)
    screen = camera.project(heap.vertices, width, height)
    kept, planes = _edges(screen, heap, width, height)
    best = np.zeros(width * height, np.uint64)
    for index, pixel, inverse in _covered(screen, heap.faces[kept], planes, width, height):
        bits = inverse.astype(np.float32).view(np.uint32).astype(np.uint64)
        np.maximum.at(best, pixel, (bits << np.uint64(32)) | (index + 1).astype(np.uint64))
    pixel = np.flatnonzero(best)
    index = (best[pixel] & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1
    x, y = pixel % width + 0.5, pixel // width + 0.5
    a, b, c = np.moveaxis(planes[index], 2, 0).astype(np.float64)
    # Barycentric coordinates of the three corners over the depth.
    weight = a * x[:, None] + b * y[:, None] + c
    depth = 1.0 / weight[:, 3]
    weight = weight[:, :3] * depth[:, None]
    corners = heap.faces[kept][index]
    normal = np.einsum("ki,kij->kj", weight, heap.normals[corners])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    color = np.einsum("ki,kij->kj", weight, heap.colors[corners])
    return Fragments(pixel, depth, normal, np.clip(color, 0.0, 1.0), source[kept[index]])


def before_camera(heap: Triangles, camera: Camera) -> tuple[Triangles, np.ndarray]:
    """Return what lies before the camera's near plane, and of which triangle each was a part.

    A triangle that crosses the plane, as a floor on which the camera stands, is cut: one corner behind
    leaves two triangles, two corners behind leave one. Source: Sutherland, Hodgman 1974.
    """
    depth = (heap.vertices - camera.eye) @ camera.axes()[2] - CUT
    ahead = depth[heap.faces] > 0.0 if len(heap.faces) else np.zeros((0, 3), bool)
    count = ahead.sum(axis=1)
    rows = np.flatnonzero(count == 3)
    crossing = [np.flatnonzero(count == n) for n in (1, 2)]
    if not sum(map(len, crossing)):
        return Triangles(
            heap.vertices, heap.normals, heap.colors, heap.faces[rows], heap.is_closed[rows]
        ), rows
    faces, sources, weights, pairs = [heap.faces[rows]], [rows], [], []
    first = len(heap.vertices)
    for number, cut in zip((1, 2), crossing, strict=True):
        odd = np.argmax(ahead[cut] == (number == 1), axis=1)  # the corner on a side of its own
        turned = heap.faces[cut][np.arange(len(cut))[:, None], (odd[:, None] + np.arange(3)) % 3]
        a, b, c = turned.T
        for other in (b, c):
            weights.append(depth[a] / (depth[a] - depth[other]))
            pairs.append(np.stack([a, other], axis=1))
        ab, ac = first + np.arange(len(cut)), first + len(cut) + np.arange(len(cut))
        first += 2 * len(cut)
        if number == 1:
            faces.append(np.stack([a, ab, ac], axis=1))
            sources.append(cut)
        else:
            faces += [np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)]
            sources += [cut, cut]
    pair, share = np.concatenate(pairs), np.concatenate(weights)[:, None]

    def grown(values: np.ndarray) -> np.ndarray:
        between = (1.0 - share) * values[pair[:, 0]] + share * values[pair[:, 1]]
        return np.concatenate([values, between])

    source = np.concatenate(sources)
    whole = Triangles(
        grown(heap.vertices), grown(heap.normals), grown(heap.colors), np.concatenate(faces),
        heap.is_closed[source],
    )  # fmt: skip
    return whole, source


def coverage(heap: Triangles, camera: Camera, width: int, height: int) -> np.ndarray:
    """Return which pixels show any triangle, (h, w) bool."""
    heap, _ = before_camera(heap, camera)
    screen = camera.project(heap.vertices, width, height)
    kept, planes = _edges(screen, heap, width, height)
    covered = np.zeros(width * height, bool)
    for _, pixel, _ in _covered(screen, heap.faces[kept], planes, width, height):
        covered[pixel] = True
    return covered.reshape(height, width)


def _edges(screen: np.ndarray, heap: Triangles, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles that may be seen and what is linear in the picture: (k, 4, 3).

    The four rows are barycentric coordinate / depth of each corner, and 1/depth, as functions
    a x + b y + c of the pixel.
    """
    p = screen[heap.faces]
    x, y, depth = p[..., 0], p[..., 1], p[..., 2]
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    seen = (depth > NEAR).all(axis=1) & (np.abs(area) > 1e-9)
    seen &= (x.max(axis=1) > 0) & (x.min(axis=1) < width)
    seen &= (y.max(axis=1) > 0) & (y.min(axis=1) < height)
    seen &= ~heap.is_closed | (area < 0.0)  # y points down: the outside runs clockwise
    kept = np.flatnonzero(seen)
    x, y, depth, area = x[kept], y[kept], depth[kept], area[kept]
    planes = np.empty((len(kept), 4, 3))
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        scale = 1.0 / (area * depth[:, k])
        planes[:, k, 0] = (y[:, i] - y[:, j]) * scale
        planes[:, k, 1] = (x[:, j] - x[:, i]) * scale
        planes[:, k, 2] = (x[:, i] * y[:, j] - x[:, j] * y[:, i]) * scale
    planes[:, 3] = planes[:, :3].sum(axis=1)
    return kept, planes


def _covered(
    screen: np.ndarray, faces: np.ndarray, planes: np.ndarray, width: int, height: int
) -> Iterator[Samples]:
    """Yield (triangle, pixel, 1/depth) of all covered samples, square by square."""
    corner = screen[faces][..., :2]
    low = np.clip(np.floor(corner.min(axis=1)), 0, (width - 1, height - 1)).astype(np.int64)
    high = np.clip(np.ceil(corner.max(axis=1)), 1, (width, height)).astype(np.int64)
    span = (high - low).max(axis=1)
    side = _SMALLEST
    remaining = np.arange(len(faces))
    while len(remaining):
        fits = span[remaining] <= side
        chosen, remaining = remaining[fits], remaining[~fits]
        chunk = max(1, _SAMPLES // (side * side))
        for start in range(0, len(chosen), chunk):
            yield from _squares(chosen[start : start + chunk], low, planes, side, width, height)
        side *= 2


def _squares(
    index: np.ndarray, low: np.ndarray, planes: np.ndarray, side: int, width: int, height: int
) -> Iterator[Samples]:
    """Yield the covered samples of triangles that fit into squares of one size."""
    columns = low[index, 0, None] + np.arange(side)
    rows = low[index, 1, None] + np.arange(side)
    coefficients = planes[index].astype(np.float32)
    offset = np.stack([columns[:, 0], rows[:, 0]], axis=1) + 0.5
    origin = (planes[index, :, :2] * offset[:, None]).sum(axis=2) + planes[index, :, 2]
    step = np.arange(side, dtype=np.float32)
    inside = np.ones((len(index), side, side), bool)
    inside &= (columns < width)[:, None, :]
    inside &= (rows < height)[:, :, None]
    value = np.empty(0)
    for k in range(4):
        along = coefficients[:, k, 0, None] * step
        down = coefficients[:, k, 1, None] * step + origin[:, k, None].astype(np.float32)
        value = along[:, None, :] + down[:, :, None]
        if k < 3:
            inside &= value >= 0.0
    t, r, c = np.nonzero(inside)
    if len(t):
        yield index[t], rows[t, r] * width + columns[t, c], value[t, r, c]
