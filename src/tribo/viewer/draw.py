"""Pictures of a world without GPU and browser: shaded shapes, a chequered ground, soft shadows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribo.viewer.raster import Camera, Triangles, coverage, rasterize
from tribo.viewer.scene import Forces, Group, Poses, Scene
from tribo.viewer.surface import Part, arrow, of_shape, painted, rod, surface_of, turn_to

SKY = np.array([0.965, 0.972, 0.985])
HORIZON = np.array([0.86, 0.89, 0.93])
TILES = np.array([[0.80, 0.82, 0.85], [0.74, 0.765, 0.80]])
FORCE = (0.10, 0.62, 0.36)
LIGHT = np.array([-0.45, 0.55, -1.0]) / np.linalg.norm([-0.45, 0.55, -1.0])  # direction it shines
SHADOW = 0.42  # [–] how much of the light a shadow takes
ARROW_LENGTH = 1.0  # [m] longest arrow
WIRE_RADIUS = 0.004  # [m]
FARTHEST = 400.0  # [m] the ground ends here


@dataclass(frozen=True, slots=True)
class Style:
    """How a picture is made."""

    width: int = 960
    height: int = 640
    samples: int = 2  # per pixel and direction
    tile: float = 0.5  # [m] edge of the ground's squares
    force_scale: float = 0.0  # [m/N] length of the arrows, 0: none


def picture(
    scene: Scene, poses: Poses, camera: Camera, style: Style | None = None,
    forces: Forces | None = None, extra: Sequence[Part] = (),
) -> np.ndarray:  # fmt: skip
    """Draw a world.

    Args:
        scene: The drawables (`tribo.viewer.scene.describe`).
        poses: Where it is (`read_poses`).
        camera: From where it is seen.
        style: Size and quality.
        forces: Contact forces to draw as arrows (`read_forces`).
        extra: Further surfaces: (surface, position, map, colours).

    Returns:
        Picture of shape (height, width, 3), uint8.
    """
    style = style or Style()
    width, height = style.width * style.samples, style.height * style.samples
    parts = parts_of(scene.visual, poses) + wires(*scene.lines.place(poses))
    if forces is not None and style.force_scale > 0.0:
        parts += _arrows(forces, style.force_scale)
    heap = heap_of([*parts, *extra])
    image, ground = _background(scene, poses, camera, style, heap)
    seen = rasterize(heap, camera, width, height)
    shown = seen.depth <= ground.ravel()[seen.pixel]  # what lies under the ground is hidden
    pixel = seen.pixel[shown]
    flat = image.reshape(-1, 3)
    rays = camera.rays(width, height).reshape(-1, 3)[pixel]
    flat[pixel] = _shade(seen.color[shown], seen.normal[shown], rays)
    s = style.samples
    small = sum(image[i::s, j::s] for i in range(s) for j in range(s)) / np.float32(s * s)
    return np.asarray(np.clip(small * 255.0 + 0.5, 0, 255), np.uint8)


def _shade(color: np.ndarray, normal: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Light a surface: sun, sky above, ground below, a little gloss."""
    view = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    facing = -np.einsum("ki,ki->k", normal, view)
    normal = np.where(facing[:, None] < 0.0, -normal, normal)
    sun = np.clip(-normal @ LIGHT, 0.0, 1.0)
    sky = 0.5 + 0.5 * normal[:, 2]
    mirrored = view - 2.0 * np.einsum("ki,ki->k", normal, view)[:, None] * normal
    gloss = np.clip(-mirrored @ LIGHT, 0.0, 1.0) ** 24
    rim = (1.0 - np.abs(facing)) ** 3
    diffuse = 0.30 + 0.20 * sky + 0.62 * sun
    return np.asarray(color * diffuse[:, None] + (0.22 * gloss + 0.07 * rim)[:, None])


def parts_of(group: Group, poses: Poses, paint: Sequence[float] | None = None) -> list[Part]:
    """Return the surfaces of drawables in the world, in their own colours or in one."""
    parts: list[Part] = []
    for item, position, rotation in group.placed(poses):
        surface = of_shape(item.kind, item.size) if item.mesh is None else surface_of(item.mesh)
        color = surface.colors
        if color is None or item.keeps_color or paint is not None:
            color = painted(surface, item.color if paint is None else paint)
        parts.append((surface, position, rotation, color))
    return parts


def heap_of(parts: Sequence[Part]) -> Triangles:
    """Return all triangles of some surfaces in world axes."""
    if not parts:
        none = np.zeros((0, 3))
        return Triangles(none, none, none, np.zeros((0, 3), int), np.zeros(0, bool))
    first = np.cumsum([0, *(len(p[0].vertices) for p in parts)])
    return Triangles(
        np.concatenate([s.vertices @ r.T + p for s, p, r, _ in parts]),
        np.concatenate([s.normals @ np.linalg.inv(r) for s, _, r, _ in parts]),
        np.concatenate([c for *_, c in parts]),
        np.concatenate([p[0].faces + n for p, n in zip(parts, first[:-1], strict=True)]),
        np.concatenate([np.full(len(s.faces), s.is_closed) for s, *_ in parts]),
    )


def _arrows(forces: Forces, scale: float) -> list[Part]:
    """Return an arrow of length |force| · scale at each contact, as (surface, position, map, colour)."""
    shaft = arrow()
    color = painted(shaft, FORCE)
    made: list[Part] = []
    for point, force in zip(forces.point, forces.force, strict=True):
        size = float(np.linalg.norm(force))
        length = min(scale * size, ARROW_LENGTH)
        if length > 1e-3:
            turned = turn_to(force / size)
            made.append((shaft, point, turned * (0.45, 0.45, length), color))
    return made


def wires(ends: np.ndarray, colors: np.ndarray) -> list[Part]:
    """Return a thin rod for each line, as (surface, position, map, colour)."""
    rods = [rod(a, b, WIRE_RADIUS, color) for (a, b), color in zip(ends, colors, strict=True)]
    return [one for one in rods if one is not None]


def _background(
    scene: Scene, poses: Poses, camera: Camera, style: Style, heap: Triangles
) -> tuple[np.ndarray, np.ndarray]:
    """Draw sky, ground planes and the shadows on them; return how far the planes are as well, (h, w) [m]."""
    width, height = style.width * style.samples, style.height * style.samples
    positions, rotations = scene.planes.place(poses)
    key = (positions.tobytes(), rotations.tobytes())
    empty, lit, ground = _backdrop(key, camera, width, height, style.tile)
    image = empty.copy()
    for k, (origin, axes) in enumerate(zip(positions, rotations, strict=True)):
        shadow = _shadow(heap, origin, axes[:, 2], camera, width, height)
        image *= 1.0 - SHADOW * (shadow * lit[k])[..., None]
    return image, ground


def ground_distance(scene: Scene, poses: Poses, camera: Camera, width: int, height: int) -> np.ndarray:
    """Return how far each ground plane is along the optical axis, (1 + planes, h, w) [m].

    It is infinite where a plane is not seen; the first row is the sky, infinite everywhere.
    """
    far = [np.full((height, width), np.inf)]
    rays = camera.rays(width, height)
    for origin, axes in zip(*scene.planes.place(poses), strict=True):
        far.append(_plane_distance(origin, axes[:, 2], camera, rays))
    return np.stack(far)


def _plane_distance(origin: np.ndarray, normal: np.ndarray, camera: Camera, rays: np.ndarray) -> np.ndarray:
    """Return how far a plane is along the optical axis, (h, w) [m]; infinite: it is not seen."""
    above = float(normal @ (np.asarray(camera.eye) - origin))
    if above <= 0.0:  # seen from below it is not there
        return np.full(rays.shape[:2], np.inf)
    down = -(rays @ normal)
    distance = np.where(down > 1e-6, above / np.maximum(down, 1e-6), np.inf)
    return np.where(distance < FARTHEST, distance, np.inf)


@functools.lru_cache(maxsize=4)
def _backdrop(
    planes: tuple[bytes, bytes], camera: Camera, width: int, height: int, tile: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sky and ground without shadows, (h, w, 3), how lit each plane is, (n, h, w), and its distance.

    The distance (h, w) [m] is that along the optical axis, infinite where no plane is seen.
    """
    positions = np.frombuffer(planes[0]).reshape(-1, 3)
    rotations = np.frombuffer(planes[1]).reshape(-1, 3, 3)
    rays = camera.rays(width, height)
    up = rays[..., 2] / np.linalg.norm(rays, axis=2)
    image = HORIZON + (SKY - HORIZON) * np.clip(up * 3.0, 0.0, 1.0)[..., None]
    nearest = np.full((height, width), FARTHEST)
    lit = np.zeros((len(positions), height, width), np.float32)
    for k, (origin, axes) in enumerate(zip(positions, rotations, strict=True)):
        distance = _plane_distance(origin, axes[:, 2], camera, rays)
        rows, columns = np.nonzero(distance < nearest)
        far = distance[rows, columns]
        nearest[rows, columns] = far
        local = (np.asarray(camera.eye) - origin + far[:, None] * rays[rows, columns]) @ axes
        parity = np.floor(local[:, :2] / tile + 1e-9).astype(np.int64).sum(axis=1) & 1
        flat = np.exp(-far / (60.0 * tile))[:, None]  # far tiles run into one another
        color = flat * TILES[parity] + (1.0 - flat) * TILES.mean(axis=0)
        haze = np.exp(-((far / 30.0) ** 2))
        image[rows, columns] = haze[:, None] * color + (1.0 - haze[:, None]) * HORIZON
        lit[:, rows, columns] = 0.0  # it hides the planes behind it
        lit[k, rows, columns] = haze
    return image.astype(np.float32), lit, np.where(nearest < FARTHEST, nearest, np.inf)


def _shadow(
    heap: Triangles, origin: np.ndarray, normal: np.ndarray, camera: Camera, width: int, height: int
) -> np.ndarray:
    """Return how much of the light things keep from a plane, (h, w) 0…1, with soft edges."""
    toward = float(normal @ LIGHT)
    if toward > -1e-3 or not len(heap.faces):
        return np.zeros((height, width))
    above = (heap.vertices - origin) @ normal
    fallen = heap.vertices - (above / toward)[:, None] * LIGHT
    is_above = (above[heap.faces] > -1e-3).all(axis=1)
    cast = Triangles(
        fallen, heap.normals, heap.colors, heap.faces[is_above], np.zeros(int(is_above.sum()), bool)
    )
    mask = coverage(cast, camera, -(-width // 2), -(-height // 2)).astype(np.float32)
    radius = max(1, height // 320)
    for _ in range(2):
        mask = _blurred(_blurred(mask, radius, 0), radius, 1)
    return np.repeat(np.repeat(mask, 2, axis=0), 2, axis=1)[:height, :width]


def _blurred(image: np.ndarray, radius: int, axis: int) -> np.ndarray:
    """Average over 2 radius + 1 pixels along an axis."""
    padding = [(0, 0), (0, 0)]
    padding[axis] = (radius + 1, radius)
    total = np.cumsum(np.pad(image, padding, mode="edge"), axis=axis, dtype=np.float32)
    n = 2 * radius + 1
    upper = np.take(total, np.arange(n, total.shape[axis]), axis=axis)
    lower = np.take(total, np.arange(total.shape[axis] - n), axis=axis)
    return np.asarray((upper - lower) / n)
