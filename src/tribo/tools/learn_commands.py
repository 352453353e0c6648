"""The commands `tribo train` and `tribo play`."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import TimeRemainingColumn

from tribo.tools.arguments import add_command, progress

if TYPE_CHECKING:
    from tribo.gym import VectorEnv
    from tribo.learn import Policy

NUMBERS = ("worlds", "horizon", "iterations", "seed", "threads", "checkpoint_every")

console = Console(highlight=False)


def add_commands(commands: Any) -> None:
    """Add both commands to the parser of `tribo`."""
    train = add_command(commands, "train", _train, "learn a task by PPO (extra 'learn')",
                    "tribo train CartPole --out runs/cart_pole")  # fmt: skip
    train.add_argument("task", metavar="TASK", help="name of a task, or module:function of your own")
    train.add_argument("--out", type=Path, metavar="DIR", help="folder of the run (runs/TASK)")
    train.add_argument("--resume", action="store_true", help="go on with the run in that folder")
    for name in NUMBERS:
        train.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N",
                           help="instead of that of the task, or of the run")  # fmt: skip
    train.add_argument("--runners", type=int, metavar="N",
                       help="processes that play, by Ray (extra 'ray')")  # fmt: skip
    train.add_argument("--address", metavar="ADDRESS", help="of a Ray cluster, with --runners")
    play = add_command(commands, "play", _play, "play a policy that was learnt (extra 'gym')",
                   "tribo play runs/cart_pole --episodes 5")  # fmt: skip
    play.add_argument("run", type=Path, metavar="RUN", help="folder of a run, or policy.npz")
    play.add_argument("--task", metavar="TASK", help="instead of the one that the policy names")
    play.add_argument("--episodes", type=int, default=1, metavar="N", help="how many (1)")
    play.add_argument("--seed", type=int, default=0, metavar="N", help="of the first (0)")
    play.add_argument("--steps", type=int, metavar="N", help="of an episode at most (the task's)")
    play.add_argument("--view", action="store_true", help="show it in the browser, in real time")
    play.add_argument("--port", type=int, default=8080, help="port to listen on (8080)")
    play.add_argument("--film", type=Path, metavar="MP4", help="write a film (extra 'plot')")


def _train(chosen: argparse.Namespace) -> int:
    from tribo import learn

    numbers = {name: getattr(chosen, name) for name in NUMBERS}
    if chosen.address is not None and chosen.runners is None:
        raise ValueError("--address says where runners are: give their number, --runners N")
    folder = chosen.out or Path("runs") / chosen.task.replace(":", "_")
    if chosen.resume:
        asked = {name: number for name, number in numbers.items() if number is not None}
        settings = dataclasses.replace(learn.settings_of(folder), **asked)
    else:
        settings = learn.preset(chosen.task, **numbers)
    with progress(console, TimeRemainingColumn()) as bar:
        task = bar.add_task("learning", total=settings.iterations)

        def report(line: dict[str, float]) -> None:
            text = (
                f"return {line['return']:8.2f}  reward/step {line['reward']:7.3f}  "
                f"{line['world_steps_per_second']:9,.0f} world-steps/s"
            )
            bar.update(task, completed=int(line["iteration"]), description=text)
            if int(line["iteration"]) % settings.checkpoint_every == 0:
                bar.console.print(
                    f"{int(line['iteration']):5d} {int(line['samples']):9d} samples  {text}",
                    markup=False,
                    soft_wrap=True,
                )

        options: dict[str, Any] = {"resume": chosen.resume, "report": report}
        try:
            if chosen.runners is None:
                learn.train(chosen.task, folder, settings, **options)
            else:
                from tribo import scale

                spread = {"runners": chosen.runners, "address": chosen.address}
                scale.train(chosen.task, folder, settings, **spread, **options)
        except KeyboardInterrupt:
            with_runners = f" --runners {chosen.runners}" if chosen.runners else ""
            again = f"tribo train {chosen.task} --out {folder}{with_runners} --resume"
            said = f"go on with '{again}'" if learn.has_checkpoint(folder) else "nothing was kept yet"
            bar.console.print(f"stopped; {said}", markup=False, soft_wrap=True)
            raise
    console.print(
        f"{folder}: policy.npz, policy.onnx, curve.csv; see '{_play_line(folder, chosen.task)}'",
        markup=False,
        soft_wrap=True,
    )
    return 0


def _play_line(folder: Path, task: str) -> str:
    """Return the command that plays what was learnt; a task of the user's own is named, as it must be."""
    return f"tribo play {folder}" + (f" --task {task}" if ":" in task else "")


def _play(chosen: argparse.Namespace) -> int:
    from tribo.learn.play import film, play, policy_of

    policy = policy_of(chosen.run)
    options = {"task": chosen.task, "seed": chosen.seed, "steps": chosen.steps}
    if chosen.view:
        returns = _show(policy, chosen)
    elif chosen.film is None:
        returns, _ = play(policy, chosen.episodes, **options)
    else:
        if not chosen.film.absolute().parent.is_dir():
            raise ValueError(f"{chosen.film}: its folder does not exist; make it first")
        with progress(console) as bar:
            line = bar.add_task("pictures", total=None)
            returns = film(
                policy, chosen.film, chosen.episodes, **options,
                report=lambda done, total: bar.update(line, completed=done, total=total),
            )  # fmt: skip
        console.print(f"wrote {chosen.film}", markup=False)
    for number, value in enumerate(returns, 1):
        console.print(f"episode {number}: return {value:.6g}", markup=False)
    console.print(f"mean return of {len(returns)}: {sum(returns) / len(returns):.6g}", markup=False)
    return 0


def _show(policy: Policy, chosen: argparse.Namespace) -> list[float]:
    """Play in the browser, in real time."""
    from tribo.gym.rendering import Window
    from tribo.learn.play import play

    opened: list[Window] = []

    def watch(envs: VectorEnv) -> None:
        if not opened:
            opened.append(Window(envs.simulation, chosen.port))
        opened[0].show()

    try:
        return play(
            policy, chosen.episodes, task=chosen.task, seed=chosen.seed, steps=chosen.steps, watch=watch
        )[0]
    finally:
        for window in opened:
            window.close()
