"""Make docs/_static/terrains.png, six generated terrains: python docs/make_terrain_picture.py."""

from pathlib import Path

import numpy as np

import tribo
from tribo.viewer.film import beside, label, save_picture

OUT = Path(__file__).parent / "_static" / "terrains.png"
SIZE = 320, 220  # [pixels] of each

TERRAINS = {
    "stairs": tribo.HeightField.stairs(rise=0.15, tread=0.4, flat=0.8),
    "stairs down": tribo.HeightField.stairs(rise=-0.15, tread=0.4, flat=0.8),
    "slope": tribo.HeightField.slope(incline=0.3, flat=0.8),
    "stepping_stones": tribo.HeightField.stepping_stones(depth=0.5, unevenness=0.05, seed=1),
    "fractal": tribo.HeightField.fractal(size=(6, 6), z_scale=0.5, frequency=0.3, seed=3),
    "fractal in steps": tribo.HeightField.fractal(
        size=(6, 6), z_scale=0.8, frequency=0.3, step_size=0.1, seed=3
    ),
}


def picture(name: str, terrain: tribo.HeightField) -> np.ndarray:
    """Return a terrain as it is seen from above and the side."""
    world = tribo.World()
    world.add_height_map(terrain, color="gray")
    camera = tribo.viewer.Camera((3.4, -6.2, 4.6), (0.0, 0.0, -0.2))
    return label(tribo.Renderer(world, *SIZE).rgb_array(camera), name)


def main() -> None:
    """Draw all, three in a row."""
    drawn = [picture(name, terrain) for name, terrain in TERRAINS.items()]
    save_picture(np.concatenate([beside(drawn[:3]), beside(drawn[3:])]), OUT)


if __name__ == "__main__":
    main()
