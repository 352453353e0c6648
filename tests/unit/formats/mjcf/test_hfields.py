"""<hfield>: heights of numbers, pictures and files, scaled as MuJoCo scales them."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import mjcf

GEOM = '<geom name="f" type="hfield" hfield="h" pos="0 0 1"/>'


def text(asset, bodies=GEOM):
    asset = f'<asset><hfield name="h" size="1 2 3 0.1" {asset}/></asset>'
    return f"<mujoco>{asset}<worldbody>{bodies}</worldbody></mujoco>"


def heights(source):
    return mjcf.read(source).objects[0].shape.geometry


def test_numbers_are_scaled_to_the_top_and_their_first_row_is_at_the_greatest_y():
    made = heights(text('nrow="2" ncol="3" elevation="1 2 3 4 5 7"'))
    np.testing.assert_allclose(made.values, np.array([[3, 4, 6], [0, 1, 2]]) / 2.0, atol=1e-15)
    assert (made.dx, made.dy) == (1.0, 4.0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_picture_is_read_with_8_bits(dtype, tmp_path):
    pytest.importorskip("PIL")
    from PIL import Image

    deep = 257 if dtype == np.uint16 else 1
    pixels = (np.array([[10, 20, 30], [40, 50, 250]]) * deep).astype(dtype)
    Image.fromarray(pixels).save(tmp_path / "h.png")
    (tmp_path / "m.xml").write_text(text('file="h.png"'))
    expected = (np.array([[40, 50, 250], [10, 20, 30]]) - 10) / 240 * 3
    np.testing.assert_allclose(heights(tmp_path / "m.xml").values, expected, atol=1e-15)


def test_a_binary_file_has_its_rows_from_below(tmp_path):
    with (tmp_path / "h.bin").open("wb") as file:
        file.write(np.array([2, 3], "<i4").tobytes() + np.arange(6, dtype="<f4").tobytes())
    (tmp_path / "m.xml").write_text(text('file="h.bin"'))
    np.testing.assert_allclose(
        heights(tmp_path / "m.xml").values, np.arange(6).reshape(2, 3) * 0.6, atol=1e-6
    )


def test_a_ball_comes_to_rest_on_it():
    """A plain field of height 1: the ball rests a radius above."""
    ball = '<body pos="0 0 1.3"><freejoint/><geom size="0.1"/></body>'
    world = tribo.World()
    body, _ = world.load_mjcf(text('nrow="2" ncol="3"', GEOM + ball))
    world.step(500)
    assert body.position[2] == pytest.approx(1.1, abs=1e-6)


@pytest.mark.parametrize(
    ("asset", "bodies", "words"),
    [
        ('nrow="2" ncol="3" elevation="1 2"', GEOM, "must have 2 × 3"),
        ('nrow="1" ncol="3"', GEOM, "2 or more"),
        ('nrow="99999" ncol="99999"', GEOM, "16000000 together"),
        ('file="../../h.png"', GEOM, "not found|refused"),
        ('nrow="2" ncol="2"', f'<body><freejoint/><geom size="1"/>{GEOM}</body>', "cannot move"),
        ('nrow="2" ncol="2"', GEOM.replace('"h"', '"x"'), "not among the assets"),
    ],
)
def test_broken_height_fields_are_refused(asset, bodies, words, tmp_path):
    (tmp_path / "m.xml").write_text(text(asset, bodies))
    with pytest.raises(DescriptionError, match=words):
        mjcf.read(tmp_path / "m.xml")
