"""PPO whose worlds are played by other processes or machines."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.learn import training
from tribo.learn.policy import Policy
from tribo.learn.settings import Settings, preset
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
