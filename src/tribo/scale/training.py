"""PPO whose worlds are played by other processes or machines, and trainings with many settings at once."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.replacing import write_whole
from tribo.learn import training
from tribo.learn.policy import Policy
from tribo.learn.settings import Numbers, Settings, preset
from tribo.scale.players import RemotePlayers
from tribo.scale.ray_extra import connected


@answered_call
def train(
    task: str, folder: str | Path, settings: Settings | None = None, *, runners: int = 2,
    address: str | None = None, resume: bool = False, report: training.Report | None = None,
    onnx: bool = True,
) -> Policy:  # fmt: skip
    """Train a policy as `tribo.learn.train` does, with worlds that are played in other processes.

    Runner k has a part of the worlds, with the seeds that they would have in one process. Another runner
    plays the part of one that died, so the curve depends on the number of runners, not on
    who dies.

    Args:
        task: Name of the task, or "module:function" of your own, which all machines must find.
        folder: Where everything is kept, on the machine of the caller.
        settings: How; None: `preset(task)`. `threads` are those of each runner, 0: one.
        runners: How many processes play, a divisor of `worlds`.
        address: Of a Ray cluster, "auto" on one of its machines; None: processes of this machine.
        resume: Go on with what is in the folder, with as many runners.
        report: Called after each update with its line of the curve.
        onnx: Also write policy.onnx.

    Returns:
        The policy at the end.

    Raises:
        ImportError: Ray, PyTorch or onnx is missing.
        ValueError: Worlds cannot be shared out evenly, the cluster is too small, or the training in the
            folder is another one.
        FileExistsError, FileNotFoundError, KeyError: As `tribo.learn.train`.
    """
    check.integer(runners, "runners", 1)
    chosen = settings or preset(task)
    chosen = dataclasses.replace(chosen, threads=chosen.threads or 1)
    given = None if resume and settings is None else chosen  # what is resumed keeps its own
    with connected(address, runners * chosen.threads):
        return training.train(
            task, folder, given, resume=resume, report=report, onnx=onnx,
            make_player=partial(RemotePlayers, name=task, runners=runners),
        )  # fmt: skip


TABLE = "sweep.csv"
RETRIES = 3  # of a training whose process died


@answered_call
def sweep(
    task: str, folder: str | Path, values: Mapping[str, Sequence[Any]], *, at_once: int = 2,
    address: str | None = None,
    **numbers: Unpack[Numbers],
) -> list[dict[str, Any]]:  # fmt: skip
    """Train with every combination of some settings, several at a time, each in a folder of its own.

    A training whose process dies goes on from its last checkpoint, and so does a sweep that is called again
    with the same folder: what is finished is not done again.

    Args:
        task: Name of the task, or "module:function" of your own.
        folder: Where the folders of the trainings and sweep.csv go; on a cluster one that all machines share.
        values: Values to try, by name of the setting.
        at_once: Processes on this machine at a time; a cluster takes as many as it has processors.
        address: Of a Ray cluster; None: processes of this machine.
        numbers: Settings of all trainings, as `preset` takes them; `threads` is 1 if not given.

    Returns:
        For each training its values, its folder ("folder"), and the last line of its curve.

    Raises:
        ImportError: Ray or PyTorch is missing.
        TypeError, ValueError: A setting is unknown or out of its range; nothing is begun.
        KeyError: There is no such task.
    """
    fixed: dict[str, Any] = {"threads": 1, **numbers}
    rows = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    for row in rows:
        preset(task, **(fixed | row))
    place = Path(folder).absolute()
    with connected(address, 1) as ray:
        free = max(1, int(ray.cluster_resources()["CPU"]) // at_once) if address is None else 1
        run = ray.remote(num_cpus=free, max_retries=RETRIES)(_train)
        folders = [place / "_".join(f"{k}={v}" for k, v in row.items()) for row in rows]
        asked = [run.remote(task, where, fixed | row) for where, row in zip(folders, rows, strict=True)]
        lines = ray.get(asked)
    table = [
        {**row, "folder": str(where), **{k: v for k, v in line.items() if k not in row}}
        for row, where, line in zip(rows, folders, lines, strict=True)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    write_whole(place / TABLE, text.getvalue().encode())
    return table


def _train(task: str, where: Path, numbers: dict[str, Any]) -> dict[str, float]:
    """Train, or go on; return the last line of the curve."""
    begun = (where / training.CHECKPOINT).is_file()
    training.train(task, where, preset(task, **numbers), resume=begun, onnx=False)
    with (where / training.CURVE).open(newline="") as file:
        last = list(csv.DictReader(file))[-1]
    return {name: float(value) for name, value in last.items()}
