"""A round arch of eleven stones, each a mesh file: it stands without mortar."""

import tempfile
from pathlib import Path

import numpy as np

import tribo

STONES, INNER, OUTER, DEPTH = 11, 1.0, 1.35, 0.5  # [m]


def stone(path: Path) -> None:
    """Write the wedge at the top of the arch as an OBJ file, in the frame of the arch."""
    half = np.pi / STONES / 2
    corners = [(float(r * np.sin(a)), y, float(r * np.cos(a))) for y in (-DEPTH / 2, DEPTH / 2)
               for r, a in ((INNER, -half), (INNER, half), (OUTER, half), (OUTER, -half))]  # fmt: skip
    faces = [(1, 2, 3, 4), (8, 7, 6, 5), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 8, 4), (4, 8, 5, 1)]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
    lines += ["f " + " ".join(map(str, face)) for face in faces]
    path.write_text("\n".join(lines) + "\n")


world = tribo.World(time_step=2e-3)
world.default_pair = tribo.PairProperties(friction=0.7)
world.add_ground()
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "stone.obj"
    stone(file)
    stones = []
    for k in range(STONES):
        angle = np.pi * ((k + 0.5) / STONES - 0.5)
        made = world.add_mesh(file, density=2400.0, name=f"stone_{k}", material="stone")
        turn = np.array([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0])
        made.orientation = turn
        made.position = made.rotation_matrix @ made.com  # the file's frame is that of the arch
        stones.append(made)

# A wedge: the difference of two sectors' triangles, and their chords' heights.
volume = DEPTH * 0.5 * (OUTER**2 - INNER**2) * np.sin(np.pi / STONES)
assert abs(stones[0].mass - 2400.0 * volume) < 1e-9 * stones[0].mass
start = np.array([s.position for s in stones])
world.step(2500)
moved = np.abs(np.array([s.position for s in stones]) - start).max()
print(f"{len(world.contacts)} contacts, largest motion in 5 s: {moved:.1e} m")
assert moved < 1e-5
