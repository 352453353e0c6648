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

from suite import BULLET, MUJOCO, Check

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
A dash: the case looks into the engine itself or has no counterpart there.

Comparisons with tables of their own: dynamics of models in MuJoCo's format, [MJCF](howto/mjcf.md); of the
robots that load, with Pinocchio, case D15 and [Robots](reference/robots.md); speed,
[Performance](develop/performance.md).
"""

PICTURES = (
    "![Errors over tolerances of all cases](_static/validation-overview.png)",
    "",
    "![Creep on a slope, ball between jaws, energy of a tumbling body](_static/validation-curves.png)",
)
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
    if isinstance(checks, str):
        return checks
    return "<br>".join(
        yes_or_no(c) if c.tolerance == 0.0 and c.error in (0.0, 1.0) else figure(c.error)
        for c in checks
    )


def yes_or_no(check: Check) -> str:
    """Say whether something holds."""
    return "yes" if check.error == 0.0 else "no"


def bound(check: Check) -> str:
    """Return a check's name and tolerance."""
    return check.what if check.tolerance == 0.0 else f"{check.what} ≤ {figure(check.tolerance)}"


def row(outcome: Any) -> str:
    """Return a line of the table."""
    case = outcome.case
    verdict = {"pass": "pass", "FAIL": "**FAIL**", "pending": "*pending*"}[outcome.verdict]
    what = "<br>".join(bound(c) for c in outcome.checks) or f"waits for {case.waits_for}"
    cells = [case.id, case.scene, case.oracle, what, cell(outcome.checks or None),
             cell(outcome.peers.get(MUJOCO)), cell(outcome.peers.get(BULLET)), verdict]  # fmt: skip
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


def origin() -> str:
    """Say what was run, and on what."""
    found = [f"python {platform.python_version()}"]
    for name in ("numba", "numpy", "mujoco-core"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    date = dt.datetime.now(dt.UTC).date().isoformat()
    line = shlex.join(["python", "validation/run.py", *sys.argv[1:]])
    return f"{', '.join(found)}, commit {commit or 'unknown'}, {date}; `{line}`."


def write(outcomes: list[Any], families: dict[str, str]) -> None:
    """Write the page."""
    counts = {v: sum(o.verdict == v for o in outcomes) for v in ("pass", "FAIL", "pending")}
    total = f"**{counts['pass']} pass, {counts['FAIL']} fail, {counts['pending']} are pending.**"
    lines = [INTRODUCTION, f"{total} {origin()}", "", *PICTURES]
    for letter, title in families.items():
        chosen = [o for o in outcomes if o.case.id[0] == letter]
        if not chosen:
            continue
        lines += ["", f"## {title}", "", HEAD, RULE, *map(row, chosen)]
        notes = remarks(chosen)
        if notes:
            lines += ["", *notes]
    text = re.sub(r"[ \t]+\n", "\n", "\n".join(lines)) + "\n"
    PAGE.write_text(text, "utf-8")
