"""Checks of a saved state before a simulation takes it: it may come from a damaged file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tribo.checks import check

FLAGS = ("tree_is_single",)  # whole numbers of the model that may differ between worlds: 0 or 1


def may_differ(field: str) -> bool:
    """Tell whether a field of the model holds numbers, and not addresses of this process."""
    return "address" not in field


def check_model(saved: Any, nominal: Mapping[str, np.ndarray], worlds: int) -> None:
    """Refuse numbers of the model that no change of a batch makes.

    Args:
        saved: Arrays by field, (worlds, …).
        nominal: The same of the world that the batch is copied from, (1, …).
        worlds: How many.

    Raises:
        TypeError, ValueError: A field is unknown, has another shape, is not set world by world, or holds what
            is no number.
    """
    for field, array in check.mapping(saved, "model of the state", "fields to arrays").items():
        if field not in nominal or not may_differ(field):
            raise ValueError(f"the state is of another task: its model has {check.shown(field)}")
        here = nominal[field]
        check.like(array, np.broadcast_to(here, (worlds, *here.shape[1:])), f"{field} of the state's model")
        is_fine = not np.isnan(array).any() if array.dtype.kind == "f" else (
            field in FLAGS and bool(((array == 0) | (array == 1)).all())
        )  # fmt: skip
        if not is_fine:
            raise ValueError(f"{field} of the state's model holds what no change of a world makes")


def check_memory(saved: Any, here: Mapping[str, np.ndarray], worlds: int, what: str) -> None:
    """Refuse arrays of terms that are not (worlds, k), or not as wide as those that are there.

    Args:
        saved: Arrays by name.
        here: Those that are there.
        worlds: How many.
        what: Their names.

    Raises:
        TypeError, ValueError: One is.
    """
    for name, array in check.mapping(saved, f"{what} of the state", "names to arrays").items():
        width = array.shape[1] if isinstance(array, np.ndarray) and array.ndim == 2 else 0
        like = here[name] if name in here else np.zeros((worlds, width))
        check.like(array, like, f"{what} {check.shown(name)} of the state")
