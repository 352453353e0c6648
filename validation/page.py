"""docs/validation.md from the outcomes of a run."""

from __future__ import annotations

import datetime as dt
import platform
import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from suite import BULLET, MUJOCO, Check, absent, in_order

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/validation.md"

INTRODUCTION = """# Validation

Each case is a scene whose answer is known without this engine: a closed form, a published value, a
balance. `make validate` runs all of them and writes this page; `make test` runs the fast ones. One case is
one function in `validation/`; families are files. A tolerance is the one stated with the case before it was
run. A **FAIL** stays on the page with its reason; a *pending* case waits for a feature.

Time step 1 ms, midpoint rule, standard settings, unless the scene says otherwise. A slope is a level
ground under tilted gravity.

Peers get the same scene and the same measure. MuJoCo: the better of its default settings and stiff ones
(solref 2 dt, solimp 0.99 … 0.999, elliptic cone, impratio 100, three no-slip sweeps), error by error.
PyBullet: 300 solver iterations that do not stop early, friction cone, no damping, no sleeping; where
something rebounds, the better of its default and of contactProcessingThreshold 0 (which leaves contacts
out that are still apart; by default hardly anything rebounds). Both step by semi-implicit Euler, which is
of first order: where a tolerance can only be met by a second-order rule, that is part of what is measured.
MuJoCo has RK4 as well; where a scene has no ground, that is its third setting, and beats tribo's midpoint
rule where a tree or a free body moves smoothly (D2, D3, D5, D7, D8, D13); tribo's own `rk4` is in D7, D8
and D20.
Pins, hinges and welds are constraints of free bodies everywhere (a hinge is two points of its axis), and in
D20 joints of one tree.
A dash: the case looks into the engine itself or has no counterpart there. **Bold**: a peer is closer than
tribo, where the tolerance is below 1 (no ratio) and tribo misses by more than rounding (1e-12). The result
of each setting is printed by `python validation/run.py --only F27` and the like.

Comparisons with tables of their own: dynamics of models in MuJoCo's format, [MJCF](howto/mjcf.md); of the
robots that load, with Pinocchio, case D15 and [Robots](reference/robots.md); speed,
[Performance](develop/performance.md).
"""

PICTURES = (
    "![Errors over tolerances of all cases](_static/validation-overview.png)",
    "",
    "![Creep on a slope, ball between jaws, energy of a tumbling body](_static/validation-curves.png)",
)
VERDICTS = {"pass": "pass", "FAIL": "**FAIL**", "pending": "*pending*"}
ROUNDING = 1e-12  # an error below that is none
HEAD = "| case | scene | answer | measured ≤ tolerance | tribo | MuJoCo | PyBullet | |"
RULE = "| --- | --- | --- | --- | --- | --- | --- | --- |"


def figure(value: float) -> str:
    """Write a number with two digits."""
    if value == 0.0 or 0.01 <= abs(value) < 1000:
        return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
    return f"{value:.1e}"


def cell(checks: list[Check] | str | None) -> str:
    """Return errors, one below the other."""
    if checks is None:
        return "–"
    return checks if isinstance(checks, str) else "<br>".join(map(entry, checks))


def entry(check: Check) -> str:
    """Return an error, or why there is none."""
    if check.why:
        return check.why
    is_yes_or_no = check.tolerance == 0.0 and check.error in (0.0, 1.0)
    return yes_or_no(check) if is_yes_or_no else figure(check.error)


def beside(checks: list[Check] | str | None, own: list[Check]) -> str:
    """Return the cell of a peer: bold where it is closer than tribo, which misses by more than rounding."""
    if checks is None or isinstance(checks, str):
        return cell(checks)
    if len(checks) != len(own):  # a peer leaves out what looks into the engine
        known = {check.what: check for check in checks}
        checks = [known.get(ours.what, absent(ours.what)) for ours in own]
    entries = []
    for check, ours in zip(checks, own, strict=True):
        is_closer = check.error < ours.error > ROUNDING and entry(check) != entry(ours)
        is_ratio = ours.tolerance >= 1.0  # to an error of the engine's own, or steps
        entries.append(f"**{entry(check)}**" if is_closer and not is_ratio else entry(check))
    return "<br>".join(entries)


def yes_or_no(check: Check) -> str:
    """Say whether something holds."""
    return "yes" if check.error == 0.0 else "no"


def bound(check: Check) -> str:
    """Return a check's name and tolerance."""
    return check.what if check.tolerance == 0.0 else f"{check.what} ≤ {figure(check.tolerance)}"


def row(outcome: Any) -> str:
    """Return a line of the table."""
    case = outcome.case
    verdict = VERDICTS[outcome.verdict]
    what = "<br>".join(bound(c) for c in outcome.checks) or f"waits for {case.waits_for}"
    peers = [beside(outcome.peers.get(name), outcome.checks) for name in (MUJOCO, BULLET)]
    cells = [case.id, case.scene, case.oracle, what, cell(outcome.checks or None), *peers, verdict]
    return "| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |"


def remarks(outcomes: list[Any]) -> list[str]:
    """Return a list of notes, reasons of failure and what a case still waits for."""
    lines = []
    for o in outcomes:
        case, parts = o.case, []
        if o.verdict == "FAIL":
            parts.append(f"**fails**: {case.known or 'unknown so far'}")
        if case.note:
            parts.append(case.note)
        if case.waits_for and o.verdict != "pending":
            parts.append(f"still waits for {case.waits_for}")
        if parts:
            lines.append(f"* {case.id}: " + "; ".join(parts) + ".")
    return lines


def origin(line: str = "") -> str:
    """Say what was run (empty: this command), and on what."""
    found = [f"python {platform.python_version()}"]
    for name in ("numba", "numpy", "mujoco"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    date = dt.datetime.now(dt.UTC).date().isoformat()
    line = line or shlex.join(["python", "validation/run.py", *sys.argv[1:]])
    return f"{', '.join(found)}, commit {commit or 'unknown'}, {date}; `{line}`."


def write(outcomes: list[Any], families: dict[str, str], is_whole: bool) -> None:
    """Write the page; or, of a part of the cases, their rows and notes."""
    text = whole(outcomes, families) if is_whole else renewed(PAGE.read_text("utf-8"), outcomes)
    PAGE.write_text(re.sub(r"[ \t]+\n", "\n", text), "utf-8")


def summary(counts: dict[str, int]) -> str:
    """Say how many cases pass."""
    waiting = f"{counts['pending']} are" if counts["pending"] else "none is"
    return f"**{counts['pass']} pass, {counts['FAIL']} fail, {waiting} pending.**"


def whole(outcomes: list[Any], families: dict[str, str]) -> str:
    """Return the page."""
    counts = {v: sum(o.verdict == v for o in outcomes) for v in ("pass", "FAIL", "pending")}
    lines = [INTRODUCTION, f"{summary(counts)} {origin()}", "", *PICTURES]
    for letter, title in families.items():
        chosen = [o for o in outcomes if o.case.id[0] == letter]
        if not chosen:
            continue
        lines += ["", f"## {title}", "", HEAD, RULE, *map(row, chosen)]
        notes = remarks(chosen)
        if notes:
            lines += ["", *notes]
    return "\n".join(lines) + "\n"


def renewed(text: str, outcomes: list[Any]) -> str:
    """Return the page with the rows and notes of some cases renewed; a row that is new ends its table."""
    text = INTRODUCTION + text[text.index("\n**") :]
    lines = text.split("\n")
    for o in outcomes:
        for start, new in ((f"| {o.case.id} |", [row(o)]), (f"* {o.case.id}:", remarks([o]))):
            same = [k for k, line in enumerate(lines) if line.startswith(start)]
            family = rf"{re.escape(start[0])} {o.case.id[0]}(\d+)"
            before = [k for k, line in enumerate(lines) if (found := re.match(family, line))
                      and int(found[1]) < int(o.case.id[1:])]  # fmt: skip
            at = same[0] if same else before[-1] + 1
            lines[at : at + len(same)] = new
    at = next(k for k, line in enumerate(lines) if re.match(r"\*\*\d+ pass", line))
    first, _, later = lines[at].partition("; since then ")
    counts = {v: sum(line.endswith(f"| {text} |") for line in lines) for v, text in VERDICTS.items()}
    ids = {*re.findall(r"\b[A-GR]\d+\b", later.partition(" by ")[0]), *(o.case.id for o in outcomes)}
    known = [c.id for c in in_order() if c.id in ids]
    lines[at] = (
        f"{summary(counts)}{first.partition('.**')[2].rstrip('.')}; since then {', '.join(known)} by "
        + origin("python validation/run.py --write-docs --only …")
    )
    return "\n".join(lines)
