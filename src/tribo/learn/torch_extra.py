"""PyTorch, if it is there."""

from __future__ import annotations

from typing import Any

from tribo.checks import check


def torch() -> Any:
    """Return the module `torch`.

    Raises:
        ImportError: It is missing; the message says how to get it.
    """
    with check.needed(
        'training needs PyTorch: pip install "tribo[learn]"; without a GPU, first '
        "pip install torch --index-url https://download.pytorch.org/whl/cpu, which is far smaller"
    ):
        import torch as module
    return module
