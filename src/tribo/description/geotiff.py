"""Tags of a GeoTIFF: how far apart its samples are, and which of them have no height.

Source: OGC GeoTIFF 1.1, ModelPixelScaleTag, ModelTransformationTag, GTModelTypeGeoKey; GDAL's GDAL_NODATA.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

PIXEL_SCALE, TIEPOINTS, TRANSFORMATION, KEYS, NODATA = 33550, 33922, 34264, 34735, 42113
# Geokeys, and what they may be.
MODEL_TYPE, PROJECTED, GEOGRAPHIC, PROJECTION, LENGTH_UNIT, METRE = 1024, 1, 2, 3072, 3076, 9001
UTM = (range(25828, 25839), range(26901, 26924), range(32601, 32661), range(32701, 32761))  # metres
GIVE = "give size=(x, y) in metres"


def tags_of(picture: Any) -> dict[int, Any]:
    """Return those tags of an opened picture that count here; of another format than TIFF none."""
    held = getattr(picture, "tag_v2", {})
    known = (PIXEL_SCALE, TIEPOINTS, TRANSFORMATION, KEYS, NODATA)
    return {tag: held[tag] for tag in known if tag in held}


def check_samples(path: Path, samples: np.ndarray, tags: Mapping[int, Any]) -> None:
    """Refuse samples that the file marks as having no height.

    Raises:
        ValueError: There are some; the message says how many and where the first one is.
    """
    try:
        mark = float(str(tags.get(NODATA, "")).strip("\0 "))
    except ValueError:
        return
    same = np.isnan(samples) if math.isnan(mark) else samples == mark
    # Files of single precision hold what is next to the mark that is written in decimals.
    same |= samples == float(np.float32(mark)) if abs(mark) < np.finfo(np.float32).max else False
    if same.any():
        row, column = (int(k) for k in np.argwhere(same)[0])
        raise ValueError(
            f"{path}: {int(same.sum())} of {samples.size} samples have no height (nodata {mark:g}), the "
            f"first in row {row}, column {column}: fill them (gdal_fillnodata) or cut them off"
        )


def lengths(path: Path, shape: tuple[int, ...], tags: Mapping[int, Any]) -> tuple[float, float]:
    """Return the lengths along x and y [m] from the first sample to the last, of samples (rows, columns).

    Raises:
        TypeError: The file has no such tags.
        ValueError: They are turned, no lengths, or not in metres.
    """
    step = _step(path, tags)
    keys = _keys(tags)
    model, unit = keys.get(MODEL_TYPE), keys.get(LENGTH_UNIT)
    if model == GEOGRAPHIC:
        raise ValueError(f"{path}: its samples are degrees apart, not metres; {GIVE}")
    if model != PROJECTED:
        raise ValueError(f"{path}: is not projected (GTModelTypeGeoKey is {model}); {GIVE}")
    if unit is None and any(keys.get(PROJECTION) in codes for codes in UTM):
        unit = METRE
    if unit != METRE:
        raise ValueError(f"{path}: its unit of length is no metre (code {unit} of EPSG); {GIVE}")
    rows, columns = shape[:2]
    return step[0] * (columns - 1), step[1] * (rows - 1)


def _step(path: Path, tags: Mapping[int, Any]) -> tuple[float, float]:
    """Return how far apart samples are along x and y, in the file's unit."""
    scale, matrix = _numbers(tags, PIXEL_SCALE), _numbers(tags, TRANSFORMATION)
    if len(scale) >= 2:
        step = scale[0], scale[1]
    elif len(matrix) == 16:
        if matrix[1] or matrix[4]:
            raise ValueError(f"{path}: its axes are turned on the earth; {GIVE}")
        step = abs(matrix[0]), abs(matrix[5])
    elif _numbers(tags, TIEPOINTS):
        raise ValueError(f"{path}: has tie points and no distance of its samples; {GIVE}")
    else:
        raise TypeError(f"{path}: has no tags of a GeoTIFF that say how large it is; {GIVE}")
    if not (0.0 < step[0] < math.inf and 0.0 < step[1] < math.inf):
        raise ValueError(f"{path}: its samples are {step[0]:g} × {step[1]:g} apart; {GIVE}")
    return step


def _numbers(tags: Mapping[int, Any], tag: int) -> tuple[float, ...]:
    given = tags.get(tag, ())
    try:
        return tuple(float(x) for x in (given if isinstance(given, (tuple, list)) else (given,)))
    except (TypeError, ValueError):
        return ()


def _keys(tags: Mapping[int, Any]) -> dict[int, int]:
    """Return the geokeys whose value is a whole number that stands among them."""
    words = [int(x) for x in _numbers(tags, KEYS) if math.isfinite(x)]
    rows = zip(words[4::4], words[5::4], words[6::4], words[7::4], strict=False)
    return {key: value for key, place, _, value in rows if place == 0}
