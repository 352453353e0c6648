"""Ray, if it is there: a cluster, or processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tribo.checks import check

STORE = 512 * 2**20  # bytes of shared memory for what processes of one machine hand over


def ray() -> Any:
    """Return the module `ray`.

    Raises:
        ImportError: It is missing; the message says how to get it.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    with check.needed('tribo.scale needs Ray: pip install "tribo[ray,learn]"'):
        import ray as module
    return module


@contextmanager
def connected(address: str | None, processors: int) -> Iterator[Any]:
    """Yield Ray, connected; what was begun here ends with it.

    Args:
        address: Of a cluster, "auto" on one of its machines; None: processes of this machine.
        processors: How many are needed.

    Raises:
        ImportError: Ray is missing.
        ConnectionError: There is no cluster at that address.
        ValueError: The cluster has fewer processors: the processes would wait for ever.
    """
    module = ray()
    begins = not module.is_initialized()
    if begins and address is None:
        module.init(
            num_cpus=max(processors, os.cpu_count() or 1), include_dashboard=False,
            log_to_driver=False, object_store_memory=STORE, address="local",
        )  # fmt: skip
    elif begins:
        module.init(address=address, log_to_driver=False)
    try:
        found = int(module.cluster_resources().get("CPU", 0))
        if found < processors:
            raise ValueError(
                f"{processors} processors are needed, Ray has {found}; take fewer runners or threads"
            )
        yield module
    finally:
        if begins:
            module.shutdown()
