"""A training in a folder: its settings, curve, checkpoints and policy; resumed after whatever ended it."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.replacing import DRAFTS, write_whole
from tribo.gym.task import Task
from tribo.gym.task_names import load
from tribo.learn import checkpoint
from tribo.learn.player import Player
from tribo.learn.policy import Policy, onnx_modules
from tribo.learn.ppo import Learner, Maker
from tribo.learn.settings import Settings, preset

CHECKPOINT, CURVE, CONFIG = "checkpoint.pt", "curve.csv", "settings.json"
POLICY, ONNX = "policy.npz", "policy.onnx"
PARTS = ("task", "settings", "learner", "curve")  # of a checkpoint
CHANGEABLE = {"iterations", "threads", "checkpoint_every"}  # settings that leave the numbers as they are
CLOCKED = ("seconds", "world_steps_per_second")  # what is not the same when a training is repeated

Report = Callable[[dict[str, float]], None]


@answered_call
def train(
    task: str, folder: str | Path, settings: Settings | None = None, *, resume: bool = False,
    report: Report | None = None, onnx: bool = True, make_player: Maker = Player,
) -> Policy:  # fmt: skip
    """Train a policy by PPO and keep everything in a folder.

    The folder holds settings.json, curve.csv (a line for each update), checkpoint.pt, policy.npz, policy.onnx
    and, if TensorBoard is installed, its files. A checkpoint is replaced at once or not at all and holds all
    random streams and all worlds: a training that was killed goes on with ``resume=True``, and its curve is
    the one that it would have had, but for the columns of `CLOCKED`.

    Args:
        task: Name of the task, or "module:function" of your own.
        folder: Where; it is made.
        settings: How; None: `preset(task)`, or those of what is resumed. With `resume` only the numbers of
            `CHANGEABLE` may be others than they were.
        resume: Go on with what is in the folder.
        report: Called after each update with its line of the curve.
        onnx: Also write policy.onnx.
        make_player: Makes who plays, of task, settings and random stream: `tribo.scale` has one that lets
            many processes or machines play.

    Returns:
        The policy at the end.

    Raises:
        FileExistsError: The folder holds a training and `resume` is false.
        FileNotFoundError: It holds none and `resume` is true.
        BlockingIOError: Another process trains in the folder.
        NotADirectoryError: It is a file.
        ImportError: PyTorch (or onnx) is missing; the message says how to get it.
        KeyError: There is no such task.
        ValueError: The training in the folder is of another task or has other settings, has already as many
            updates or more than asked for, or its checkpoint is none or damaged.

    Example:
        >>> import tempfile
        >>> small = Settings(worlds=4, horizon=8, iterations=2, threads=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy = train("CartPole", folder, small, onnx=False)
        >>> policy.task
        'CartPole'
    """
    place = Path(folder)
    is_there = has_checkpoint(place)
    if is_there and not resume:
        raise FileExistsError(
            f"{place} holds a training; go on with it by --resume (resume=True), or take another folder"
        )
    if resume and not is_there:
        raise FileNotFoundError(f"{place} holds no checkpoint to resume; leave --resume out to begin one")
    if onnx:
        onnx_modules()  # a missing package is said now, not at the end
    made = load(task)
    with checkpoint.held(place):
        return _train(task, made, place, settings, resume, report, onnx, make_player)


def _train(
    task: str, made: Task, place: Path, settings: Settings | None, resume: bool, report: Report | None,
    onnx: bool, make_player: Maker,
) -> Policy:  # fmt: skip
    """Train in a folder that is ours."""
    saved = checkpoint.load(place / CHECKPOINT) if resume else {}
    if resume:
        settings = _resumed(saved, task, settings, place)
    chosen = (settings or preset(task)).resolved()
    learner = Learner(made, chosen, make_player)
    curve: list[dict[str, float]] = []
    if resume:
        try:
            learner.set_state(saved["learner"])
            curve = _curve_of(saved)
        except (RuntimeError, KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise ValueError(
                f"{place / CHECKPOINT}: does not fit the task and settings that it names: {error}"
            ) from None
        if chosen.iterations < learner.iteration:
            raise ValueError(
                f"{place} holds a training of {learner.iteration} updates; to go on, ask for more iterations "
                f"than that, got {chosen.iterations}"
            )
    for draft in place.glob(DRAFTS):  # of a write that a kill ended
        draft.unlink(missing_ok=True)
    write_whole(place / CONFIG, json.dumps({"task": task, **chosen.as_dict()}, indent=1).encode())
    if curve:
        _write_curve(place, curve)  # a kill may have come between checkpoint and curve
    board = _board(place, learner.iteration)
    spent = curve[-1]["seconds"] if curve else 0.0
    start = last = time.perf_counter()
    while learner.iteration < chosen.iterations:
        line = learner.iterate()
        now = time.perf_counter()
        steps = chosen.samples * learner.task.steps_per_action
        line |= {"seconds": spent + now - start, "world_steps_per_second": steps / (now - last)}
        last = now
        curve.append(line)
        for name, number in line.items():
            if board is not None:
                board.add_scalar(name, number, learner.iteration)
        if learner.iteration % chosen.checkpoint_every == 0 or learner.iteration == chosen.iterations:
            _keep(place, task, learner, curve)
        if report is not None:
            report(line)
    if board is not None:
        board.close()
    policy = learner.networks.policy(task)
    policy.save(place / POLICY)
    if onnx:
        policy.save_onnx(place / ONNX)
    return policy


def has_checkpoint(folder: str | Path) -> bool:
    """Tell whether there is something in a folder to go on with.

    Args:
        folder: That of `train`.
    """
    return (Path(folder) / CHECKPOINT).is_file()


def settings_of(folder: str | Path) -> Settings:
    """Return the settings of the training in a folder, as its settings.json has them.

    Args:
        folder: That of `train`.

    Raises:
        FileNotFoundError: There is none.
        ValueError: They are no settings.
    """
    path = Path(folder) / CONFIG
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such settings; 'tribo train TASK --out {folder}' makes them")
    try:
        numbers = check.mapping(json.loads(path.read_text()), "settings", "names to numbers")
        return Settings(**{name: number for name, number in numbers.items() if name != "task"})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: is no file of settings: {error}") from None


def _resumed(saved: Any, task: str, given: Settings | None, place: Path) -> Settings:
    """Return the settings of a training that is resumed, with what may be changed of them."""
    for part in PARTS:
        if not isinstance(saved, dict) or part not in saved:
            raise ValueError(f"{place / CHECKPOINT}: is no checkpoint of a training: it has no {part!r}")
    if saved["task"] != task:
        raise ValueError(f"{place} holds a training of {saved['task']}, not of {task}")
    try:
        own = Settings(**saved["settings"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place / CHECKPOINT}: its settings are none: {error}") from None
    if given is None:
        return own
    numbers, wanted = own.as_dict(), given.as_dict()
    for name in numbers.keys() - CHANGEABLE:
        if wanted[name] != numbers[name]:
            raise ValueError(
                f"{place} holds a training with {name} {numbers[name]}, not {wanted[name]}: what is resumed "
                f"keeps its settings but for {', '.join(sorted(CHANGEABLE))}; for others begin another one"
            )
    return given


def _curve_of(saved: dict[str, Any]) -> list[dict[str, float]]:
    """Return the curve of a checkpoint, a line of numbers for each update."""
    curve: list[dict[str, float]] = saved["curve"]
    for line in curve:
        is_like = line.keys() == curve[0].keys() and "seconds" in line
        if not is_like or not all(type(number) in (int, float) for number in line.values()):
            raise ValueError("its curve is none")
    return curve


def _write_curve(place: Path, curve: list[dict[str, float]]) -> None:
    """Write curve.csv."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(curve[0]))
    writer.writeheader()
    writer.writerows(curve)
    write_whole(place / CURVE, text.getvalue().encode())


def _keep(place: Path, task: str, learner: Learner, curve: list[dict[str, float]]) -> None:
    """Write checkpoint, curve and policy; the checkpoint counts, the others follow from it."""
    settings = learner.settings.as_dict()
    state = {"task": task, "settings": settings, "learner": learner.state(), "curve": curve}
    checkpoint.save(place / CHECKPOINT, state)
    _write_curve(place, curve)
    learner.networks.policy(task).save(place / POLICY)


def _board(place: Path, iteration: int) -> Any:
    """Return a writer for TensorBoard, or None if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(place), purge_step=iteration + 1)
