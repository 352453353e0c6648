"""Arrays that are handed out to be read."""

import numpy as np


def frozen(array: np.ndarray) -> np.ndarray:
    """Return an array that cannot be written: an edit that would be lost is an error."""
    array.setflags(write=False)
    return array
