"""Terrain made of pieces that lie side by side, for several tests."""

import itertools

import numpy as np

from tribo import HeightField

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
FACES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
                  (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)])  # fmt: skip
WIDE = 2.0  # [m] of a profile along y


def add_squares(world, kind):
    """Add four level pieces of 2 m around the origin: height maps, sheets of triangles, or closed meshes."""
    for x, y in itertools.product((-1.0, 1.0), repeat=2):
        if kind == "maps":
            world.add_height_map(HeightField(np.zeros((3, 3)), (2, 2)), position=(x, y, 0))
        elif kind == "sheets":
            corners = np.add([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], (x, y, 0))
            world.add_surface(corners, [(0, 1, 2), (0, 2, 3)])
        else:
            world.add_surface(CUBE * (2, 2, 0.2) + (x, y, -0.1), FACES)


def add_profile(world, xs, zs, kind):
    """Add a floor, its height linear between (x, z): one sheet, closed meshes, or one mesh of the closed."""
    if kind == "sheet":
        corners = [(x, y, z) for x, z in zip(xs, zs, strict=True) for y in (-WIDE, WIDE)]
        starts = 2 * np.arange(len(xs) - 1)[:, None]
        world.add_surface(corners, np.concatenate([np.add(starts, (0, 2, 3)), np.add(starts, (0, 3, 1))]))
        return
    low = min(zs) - 1.0
    pieces = []
    for k in range(len(xs) - 1):
        ends = [(xs[k], zs[k]), (xs[k + 1], zs[k + 1])]
        pieces.append([(x, y, z) for x, top in ends for y in (-WIDE, WIDE) for z in (low, top)])
    if kind == "closed":
        for piece in pieces:
            world.add_surface(piece, FACES)
    else:
        world.add_surface(np.concatenate(pieces), np.concatenate([FACES + 8 * k for k in range(len(pieces))]))


def add_bevel(world, angle):
    """Add one level mesh of two closed pieces; the faces between them are at an angle to the floor."""
    thick = 0.5
    low = thick / np.tan(angle)
    first = [(-3, -3, -thick), (-3, -3, 0), (-3, 3, -thick), (-3, 3, 0), (low, -3, -thick), (0, -3, 0),
             (low, 3, -thick), (0, 3, 0)]  # fmt: skip
    second = [*first[4:], (3, -3, -thick), (3, -3, 0), (3, 3, -thick), (3, 3, 0)]
    world.add_surface(first + second, np.concatenate([FACES, FACES + 8]))
