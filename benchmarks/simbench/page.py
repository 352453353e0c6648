"""Tables: of a terminal, and of docs/simbenchmark.md between its markers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from simbench.scene import Scene
from simbench.verdict import number, per_robot, speed_ratio, verdicts

Result = dict[str, Any]
PAGE = Path(__file__).parent.parent.parent / "docs/simbenchmark.md"
BEGIN, END = "<!-- simbench: begin -->", "<!-- simbench: end -->"
HEAD = ["engine, settings", "error", "steps/s", "× tribo's time (pieces)", "seen", "end"]
SCALING = ("anymal", "humanoid")


def rows(scene: Scene, found: Result) -> Iterator[list[str]]:
    """Return one row per engine and setting."""
    for name, entry in found["engines"].items():
        figures = dict(entry["figures"])
        error = figures.pop("error", None)
        seen = ", ".join(f"{key} {number(value)}" for key, value in figures.items())
        ratio = speed_ratio(found, name)
        against = f"{ratio[0]:.2f} ({ratio[1]:.2f}…{ratio[2]:.2f})" if ratio else "–"
        rate = number(entry["rate"]) if entry["cpu"] else "–"
        end = entry["why"] or f"{number(entry['steps run'] * scene.time_step)} s"
        yield [name, "–" if error is None else number(error), rate, against, seen, end]
    for name, why in found["problems"].items():
        yield [name, "–", "–", "–", why, "–"]


def show(scene: Scene, found: Result, console: Console) -> None:
    """Print a scene."""
    table = Table(*HEAD, title=f"{scene.name}: {scene.text}, dt {1e3 * scene.time_step:g} ms")
    for row in rows(scene, found):
        table.add_row(*row)
    console.print(table)
    console.print(f"2018: {scene.published}", highlight=False)
    for v in verdicts(scene, found):
        colour = "green" if v.outcome.startswith("met") else "red"
        console.print(f"  goal {v.goal}: {v.value}, [{colour}]{v.outcome}[/]", highlight=False)


def write(page: Path, scenes: Mapping[str, Scene], results: dict[str, Result]) -> None:
    """Replace what stands between the two markers of the page."""
    known = {name: results[name] for name in scenes if name in results}
    lines = [BEGIN, "", *_goals(scenes, known), *_robots(known)]
    for name, found in known.items():
        scene = scenes[name]
        lines += [
            f"### {name}",
            "",
            f"{scene.text}; dt {1e3 * scene.time_step:g} ms. 2018: {scene.published}.",
            "",
        ]
        lines += [*_markdown(HEAD, rows(scene, found)), ""]
        lines += [_origin(found), ""]
    lines += [*_settings(known), "", END]
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise ValueError(f"{page} has no {BEGIN} … {END} to write between")
    before, rest = text.split(BEGIN)
    page.write_text(before + "\n".join(lines) + rest.split(END)[1])


def _goals(scenes: Mapping[str, Scene], results: Mapping[str, Result]) -> Iterator[str]:
    yield "### Goals"
    yield ""
    found = [v for name in results for v in verdicts(scenes[name], results[name])]
    met = sum(v.outcome.startswith("met") for v in found)
    yield f"{met} of {len(found)} are met. Speeds are ratios of processor times in the same run."
    yield ""
    yield from _markdown(["scene", "goal", "value", "outcome"],
                         ([v.scene, v.goal, v.value, v.outcome] for v in found))  # fmt: skip
    yield ""


def _robots(results: dict[str, Result]) -> Iterator[str]:
    for kind in SCALING:
        found = per_robot(results, kind)
        if not found:
            continue
        engines = list(dict.fromkeys(name for _, _, cost in found for name in cost))
        yield f"### Cost per {kind}"
        yield ""
        yield "Processor time per robot and step [µs]; the goal: the same for any number (± 20 %)."
        yield ""
        body = [[str(count), *(number(cost[e]) if e in cost else "–" for e in engines)]
                for _, count, cost in found]  # fmt: skip
        spread = [_spread([cost[e] for _, _, cost in found if e in cost]) for e in engines]
        yield from _markdown(["robots", *engines], [*body, ["largest / least", *spread]])
        yield ""


def _spread(costs: list[float]) -> str:
    return f"{max(costs) / min(costs):.2f}"


def _settings(results: Mapping[str, Result]) -> Iterator[str]:
    yield "### Settings"
    yield ""
    found: dict[str, str] = {}
    for result in results.values():
        found |= result["settings"]
    yield from _markdown(["engine, settings", "means"], sorted([k, v] for k, v in found.items()))


def _origin(found: Result) -> str:
    versions = ", ".join(f"{name} {v}" for name, v in found["versions"].items())
    return (f"{found['machine']}, {found['cores']} cores, load {found['load']:.1f}; "
            f"python {found['python']}, {versions}; "
            f"commit {found['commit']}, {found['date']}; `{found['command']}`")  # fmt: skip


def _markdown(head: list[str], body: Iterable[list[str]]) -> Iterable[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in body:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
