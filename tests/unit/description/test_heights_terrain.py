"""Generated terrain: heights at chosen places, and what is refused."""

import os
import signal

import numpy as np
import pytest

import tribo
from tribo import HeightField
from tribo.description import heights


def test_stairs_rise_by_a_step_at_each_tread():
    field = HeightField.stairs(rise=0.1, tread=0.5, flat=1.0, size=(6.0, 6.0), cell=0.05)
    ground = tribo.World().add_height_map(field)
    for distance, steps in ((2.8, 0), (2.3, 1), (1.8, 2), (1.3, 3), (0.5, 4)):
        # The pyramid has one height per square: along x, along y, on either side.
        for x, y in ((distance, 0), (0, distance), (-distance, 0.2)):
            assert abs(ground.height(x, y) - 0.1 * steps) < 1e-12
    assert HeightField.stairs(rise=-0.1).heights.max() == 0.0


def test_a_slope_has_its_incline():
    field = HeightField.slope(incline=0.3, flat=0.5, size=(4.0, 6.0), cell=0.1)
    ground = tribo.World().add_height_map(field)
    assert abs(ground.height(1.0, 0.0) - 0.3 * 1.0) < 1e-12  # 2 m − 1 m from the border
    assert abs(ground.height(0.0, 0.0) - 0.3 * 1.5) < 1e-12


def test_stones_cover_their_share_and_are_seeded():
    options = {"stone": 0.3, "gap": 0.1, "unevenness": 0.05, "flat": 0.0, "size": (8.0, 8.0)}
    one = HeightField.stepping_stones(seed=4, **options)
    assert np.array_equal(one.heights, HeightField.stepping_stones(seed=4, **options).heights)
    assert not np.array_equal(one.heights, HeightField.stepping_stones(seed=5, **options).heights)
    is_stone = one.heights > -1.0
    # 7 of 8 samples along either axis lie on a stone, both its edges too; of 161 samples one is left over.
    assert abs(is_stone.mean() - (7 / 8) ** 2) < 3 / 161
    assert np.abs(one.heights[is_stone]).max() <= 0.05


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HeightField.stairs(tread=0.0), "tread"),
        (lambda: HeightField.stairs(cell=-1.0), "cell"),
        (lambda: HeightField.slope(size=(0.0, 1.0)), "size must be > 0"),
        (lambda: HeightField.slope(cell=1e-6), "samples allowed"),
        (lambda: HeightField.stepping_stones(unevenness=-1.0), "unevenness"),
        (lambda: HeightField.slope(incline=float("nan")), "incline must be finite"),
    ],
)
def test_what_makes_no_ground_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


MAPS = {
    "fractal": lambda: HeightField.fractal(samples=(31, 17), octaves=3, step_size=0.1, seed=2),
    "stairs": lambda: HeightField.stairs(cell=0.2, size=(5.0, 3.0)),
    "slope": lambda: HeightField.slope(cell=0.2, size=(3.0, 5.0)),
    "stones": lambda: HeightField.stepping_stones(cell=0.1, size=(4.0, 3.0), unevenness=0.1),
}


@pytest.mark.parametrize("name", MAPS)
def test_maps_do_not_depend_on_their_pieces(monkeypatch, name):
    whole = MAPS[name]().heights
    monkeypatch.setattr(heights, "PIECE", 7)
    assert np.array_equal(MAPS[name]().heights, whole)


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 1000])
def test_numbers_that_two_pieces_share_are_whole(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(heights, "PIECE", piece)
    (tmp_path / "map.txt").write_text("2 3,1.25 2.5e0\n-1.5,\n 20.75 3\t4 5  6.0625")
    made = HeightField.from_text(tmp_path / "map.txt")
    assert made.heights.tolist() == [[-1.5, 20.75], [3.0, 4.0], [5.0, 6.0625]]
    assert made.size == (1.25, 2.5)


def test_a_word_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(heights, "PIECE", 1000)
    (tmp_path / "map.txt").write_text("2 2 1 1 " + "1" * 5000)
    with pytest.raises(ValueError, match=r"map\.txt: '1+… is no number"):
        HeightField.from_text(tmp_path / "map.txt")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_making_a_large_map_hears_an_interrupt(monkeypatch):
    """Before, noise of all samples was one call: 0.6 s for 9e6 of them."""
    sizes = []

    def noise(x, *_):
        sizes.append(x.size)
        os.kill(os.getpid(), signal.SIGINT)
        return x

    monkeypatch.setattr(heights, "PIECE", 100)
    monkeypatch.setattr(heights, "noise", noise)
    with pytest.raises(KeyboardInterrupt):
        HeightField.fractal(samples=(40, 40))
    assert sizes == [100]
