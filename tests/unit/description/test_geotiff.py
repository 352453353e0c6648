"""Elevation models whose tags say how large they are, and what of them has no height."""

import numpy as np
import pytest

from tribo import HeightField

image = pytest.importorskip("PIL.Image")
tiff = pytest.importorskip("PIL.TiffImagePlugin")
HEIGHTS = np.array([[812.25, 813.5, 814.0], [-1.5, 0.0, 2.0]], np.float32)
DOUBLES, SHORTS, TEXT = 12, 3, 2  # types of tags
SCALE = {33550: (DOUBLES, (30.0, 20.0, 0.0)), 33922: (DOUBLES, (0.0, 0.0, 0.0, 5e5, 4e6, 0.0))}
PROJECTED = (1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9001)
GEOGRAPHIC = (1, 1, 0, 1, 1024, 0, 1, 2)
FEET = (1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9002)
UTM = (1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32633)
NEW_YORK = (1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 2263)  # in feet, which is not written
GEOCENTRIC = (1, 1, 0, 1, 1024, 0, 1, 3)
METRES = {34735: (SHORTS, PROJECTED)}


def written(folder, tags, heights=HEIGHTS):
    """Write a picture with tags: numbers to (type, value); return its path."""
    held = tiff.ImageFileDirectory_v2()
    for tag, (kind, value) in tags.items():
        held.tagtype[tag] = kind
        held[tag] = value
    path = folder / "map.tif"
    image.fromarray(heights).save(path, tiffinfo=held)
    return path


@pytest.mark.parametrize("keys", [PROJECTED, UTM])
def test_lengths_are_those_of_the_tags_unless_they_are_given(tmp_path, keys):
    """Three samples 30 m apart span 60 m; two 20 m apart span 20 m."""
    path = written(tmp_path, SCALE | {34735: (SHORTS, keys)})
    field = HeightField.from_image(path)
    assert field.size == (60.0, 20.0)
    np.testing.assert_array_equal(field.heights, HEIGHTS[::-1])
    assert HeightField.from_image(path, (6.0, 2.0)).size == (6.0, 2.0)


def test_a_matrix_of_the_tags_has_the_lengths_too(tmp_path):
    matrix = [0.0] * 16
    matrix[0], matrix[5], matrix[3] = 5.0, -10.0, 4e5
    path = written(tmp_path, METRES | {34264: (DOUBLES, tuple(matrix))})
    assert HeightField.from_image(path).size == (10.0, 10.0)
    matrix[1] = 0.1
    with pytest.raises(ValueError, match="its axes are turned"):
        HeightField.from_image(written(tmp_path, METRES | {34264: (DOUBLES, tuple(matrix))}))


@pytest.mark.parametrize(
    ("tags", "kind", "says"),
    [
        ({}, TypeError, r"has no tags of a GeoTIFF.*give size=\(x, y\) in metres"),
        ({33922: SCALE[33922]}, ValueError, "tie points and no distance"),
        (SCALE | {34735: (SHORTS, GEOGRAPHIC)}, ValueError, "are degrees apart, not metres"),
        (SCALE | {34735: (SHORTS, FEET)}, ValueError, r"no metre \(code 9002"),
        (SCALE | {34735: (SHORTS, NEW_YORK)}, ValueError, r"no metre \(code None"),
        (SCALE | {34735: (SHORTS, GEOCENTRIC)}, ValueError, r"GTModelTypeGeoKey is 3"),
        (SCALE, ValueError, r"GTModelTypeGeoKey is None"),
        ({33550: (DOUBLES, (0.0, 1.0, 0.0))}, ValueError, "samples are 0 × 1 apart"),
    ],
)
def test_tags_without_lengths_in_metres_are_refused(tmp_path, tags, kind, says):
    path = written(tmp_path, tags)
    with pytest.raises(kind, match=says):
        HeightField.from_image(path)
    assert HeightField.from_image(path, (1.0, 1.0)).size == (1.0, 1.0)


@pytest.mark.parametrize("mark", ["-9999", "nan", "-3.4028234663852886e+38", "0.1"])
def test_samples_without_a_height_are_an_error(tmp_path, mark):
    heights = HEIGHTS.copy()
    heights[1, 1:] = np.float32(mark)
    path = written(tmp_path, SCALE | METRES | {42113: (TEXT, mark)}, heights)
    with pytest.raises(ValueError, match=r"2 of 6 samples have no height.*row 1, column 1: fill"):
        HeightField.from_image(path)
    with pytest.raises(ValueError, match="have no height"):
        HeightField.from_image(path, (1.0, 1.0), scale=0.5)
    assert HeightField.from_image(written(tmp_path, SCALE | METRES | {42113: (TEXT, "-9999")}))


def test_a_picture_of_another_format_needs_a_size(tmp_path):
    image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "map.png")
    with pytest.raises(TypeError, match="has no tags of a GeoTIFF"):
        HeightField.from_image(tmp_path / "map.png", height=1.0)
