"""Tables: of a terminal, and of docs/develop/performance.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from measure import Timing, ratio
from rich.console import Console
from rich.table import Table

Rows = list[list[str]]
Result = dict[str, Any]

PAGE = Path(__file__).parent.parent / "docs/develop/performance.md"
BEGIN, END = "<!-- benchmark: begin -->", "<!-- benchmark: end -->"
TRIBO = "tribo"
PEERS = ("mujoco default", "mujoco stiff")
MODES = {
    "run": "a call per step",  # commands through the public property
    "run_view": "a call per step, bare array",  # commands into the array behind it
    "run_native": "one call",  # for all steps; driven scenes: a compiled loop, MuJoCo's rollout
}


def number(value: float | str | None) -> str:
    """Write a figure with three digits."""
    if value is None or isinstance(value, str):
        return value or "–"
    if value == 0.0 or 0.01 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}".replace(",", " ") if 1000 <= abs(value) < 1e7 else f"{value:.1e}"


def _against(ours: dict[str, list[float]], theirs: dict[str, list[float]] | None, key: str) -> str:
    if theirs is None:
        return "–"
    middle, least, most = ratio(ours[key], theirs[key])
    return f"{middle:.2f} ({least:.2f}…{most:.2f})"


def speed(result: Result) -> tuple[list[str], Rows]:
    """Return header and rows of the speed table."""
    head = ["scene", "how", "tribo steps/s", "median µs", "min µs",
            *(f"× {peer} (min…max)" for peer in PEERS)]  # fmt: skip
    rows = []
    for scene, part in result["scenes"].items():
        for mode, timings in part["timings"].items():
            row = [scene, MODES[mode]]
            if TRIBO not in timings:
                rows.append([*row, "no speed: " + part["problems"][TRIBO], "", "", "", ""])
                continue
            ours = timings[TRIBO]
            t = Timing(**ours)
            row += [number(t.rate), f"{t.median:.2f}", f"{t.least:.2f}"]
            rows.append([*row, *(_against(ours, timings.get(peer), "cpu") for peer in PEERS)])
    return head, rows


def truth(result: Result) -> tuple[list[str], Rows]:
    """Return header and rows of the truth table: one line per scene and engine."""
    rows = []
    for scene, part in result["scenes"].items():
        for engine, values in part["truth"].items():
            figures = ", ".join(f"{name} {number(v)}" for name, v in values.items())
            rows.append([scene, engine, part["problems"].get(engine, "ok"), figures])
    return ["scene", "engine", "guard", "truth (SI units)"], rows


def robots(result: Result) -> tuple[list[str], Rows]:
    """Return header and rows of robots of public packages: one line per scene."""
    found = result.get("public_robots", {})
    if not found:
        return [], []
    from public_robots import cells, head

    return head(), [cells(*item) for item in found.items()]


def motion(result: Result) -> tuple[list[str], Rows]:
    """Return header and rows of robots that land, twitch, grip and lie limp: one line per scene."""
    found = result.get("motion", {})
    if not found:
        return [], []
    from robots_in_motion import cells, head

    return head(), [cells(*item) for item in found.items()]


def extras(result: Result) -> tuple[list[str], Rows]:
    """Return header and rows of what is not a scene: call overhead, many worlds, start-up."""
    rows: Rows = []
    rows += _overhead(result["scenes"].get("step_overhead"))
    rows += _worlds(result.get("many_worlds"))
    for name, row in result.get("startup", {}).items():
        text = ", ".join(f"{key} {value:.2f}" for key, value in row.items())
        rows.append([f"start of the demo, {name}", text])
    return ["row", "figures"], rows


def _overhead(part: Result | None) -> Iterator[list[str]]:
    for engine in (TRIBO, *PEERS):
        if part is None or engine not in part["timings"]["run"]:
            continue
        call, native = (Timing(**part["timings"][mode][engine]) for mode in ("run", "run_native"))
        median, least = call.median - native.median, call.least - native.least
        yield [f"overhead of a call, {engine}", f"median {median:.2f} µs, min {least:.2f} µs"]


def _worlds(part: Result | None) -> Iterator[list[str]]:
    if part is None:
        return
    for problem in part["problems"]:
        yield ["many worlds", f"no speed: {problem}"]
    timings = part["timings"]
    for name, timing in timings.items():
        best, cpu = 1e6 / min(timing["wall"]), 1e6 / min(timing["cpu"])
        engine, threads = name.split(", ")
        text = f"{number(best)} world-steps/s (best round, wall), {number(cpu)} per processor second"
        if threads != "1":
            one = timings[f"{engine}, 1"]
            text += f", × {min(one['wall']) / min(timing['wall']):.2f} one thread (best rounds)"
        if engine == TRIBO:
            peers = [f"× {_against(timing, timings[f'{p}, {threads}'], 'wall')} {p}"
                     for p in PEERS if f"{p}, {threads}" in timings]  # fmt: skip
            text = ", ".join([text, *peers, f"hash {part['hashes'][name]}"])
        yield [f"{part['worlds']} × anymal_stand, {engine}, {threads} thread(s)", text]


def show(result: Result, console: Console) -> None:
    """Print all tables."""
    for title, (head, rows) in (
        ("speed", speed(result)),
        ("truth", truth(result)),
        ("robots of public packages in motion", robots(result)),
        ("robots that land, twitch, grip and lie limp", motion(result)),
        ("more", extras(result)),
    ):
        table = Table(*head, title=title)
        for row in rows:
            table.add_row(*row)
        if rows:
            console.print(table)
    console.print(origin(result))


def origin(result: Result) -> str:
    """Say where the figures come from."""
    m = result["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in result["versions"].items())
    return (f"{m['cpu']}, {m['cores']} cores; load before {m['load before'][0]:.1f}, after "
            f"{m['load after'][0]:.1f}; {versions}; commit {result['commit']}, {result['date']}; "
            f"`{result['command']}`")  # fmt: skip


def _markdown(head: list[str], rows: Rows) -> Iterable[str]:
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def write_docs(result: Result, page: Path = PAGE) -> None:
    """Replace the tables between the two markers of the page."""
    text = page.read_text()
    if BEGIN not in text:
        text = text.replace("## Results\n", f"## Results\n\n{BEGIN}\n{END}\n")
    how = (
        "Times are processor time of one thread, engines alternating; × is MuJoCo's time over tribo's, "
        "median (min…max) of the rounds."
    )
    lines = [BEGIN, "", origin(result) + ".", "", how, ""]
    for head, rows in (speed(result), truth(result), robots(result), motion(result), extras(result)):
        lines += [*_markdown(head, rows), ""] if rows else []
    before, rest = text.split(BEGIN)
    page.write_text(before + "\n".join([*lines, END]) + rest.split(END)[1])
