"""Settings of the whole suite. `HYPOTHESIS_PROFILE=thorough make test` tries ten times as many cases."""

import logging
import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

# Kernels compile within the first example of a test: no deadline.
hypothesis.settings.register_profile("fast", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# A shell ignores Ctrl-C in what it runs in the background; tests of interrupts would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Two workers run on two cores: threads of BLAS would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Plots are written, never shown.
os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the test that compiles a step of its own: others compile theirs meanwhile."""
    items.sort(key=lambda item: item.path.name != "test_bounds.py")


@pytest.fixture(autouse=True)
def _level_of_the_log() -> Iterator[None]:
    """Undo what a test, or a scene that it plays, does to the log: others look at what is said."""
    from tribo.formats.report import SAID

    SAID.clear()
    logger = logging.getLogger("tribo")
    level = logger.level
    logger.setLevel(logging.NOTSET)
    yield
    logger.setLevel(level)
