"""Every writer of a field is found, however it writes; what the page of walks promises of them is true."""

import os
import subprocess
import sys

from house.repository import ROOT
from house.writers import all_writers, kernels_of, writers

from tribo.ground_kernels.records import Scratch
from tribo.model import Command, State, Work

FIELDS = {f"state.{name}" for name in State.fields} | {f"command.{name}" for name in Command.fields}
FIELDS |= {f"work.{name}" for name in (*Work.fields, *Scratch.fields)}  # of worlds, of compliant ground

SOURCES = {
    "tribo.low": """
def store(array, i, a):
    array[i, 0], array[i, 1] = a

def set_errors(model, error):
    x = error
    store(x, 0, (1.0, 2.0))

def reach(array):
    return array[0]
""",
    "tribo.high": """
from tribo import low
from tribo.low import set_errors

def f(model, state, work):
    work.mode[0], work.cap[1] = 1, 2.0
    work.count[0] += 1
    bound = work.bound
    row = bound[3]
    row[0] = state.q[0]
    set_errors(model, error=work.error)
    low.store(work.left if model else work.right, 0, work.read)
    _, work.last[0] = low.reach(work.seen)
""",
}


def test_every_way_to_write_is_found():
    found = {(row.field, row.kernel) for row in writers(kernels_of(SOURCES))}
    names = ("mode", "cap", "count", "bound", "error", "left", "right", "last")
    assert found == {(f"work.{name}", "f") for name in names}


def test_the_writers_of_the_package_are_found():
    """Those that a search for an assignment misses: targets in a row, shorter names, setters."""
    found = {(row.field, row.kernel) for row in all_writers()}
    assert len(found) > 500
    assert ("work.drive_mode", "prepare_drives") in found  # work.drive_mode[dof], _ = …
    assert ("work.spring_error", "collect_forces") in found  # set_errors(…, work.spring_error)
    assert ("work.contact_pos", "suppress_edges") not in found
    assert {row.file for row in all_writers() if row.field == "state.q"} >= {
        "src/tribo/dynamics/integrate.py", "src/tribo/dynamics/momentum.py",
    }  # fmt: skip


def test_kernels_know_a_record_by_one_name():
    """So `git grep -w work.contact_target` finds every line at which one could write the field."""
    known = {"state", "command", "work", "scene", "scratch", "motors", "course", "pilot", "tangents"}
    written = {row.field for row in all_writers()}
    assert {field.split(".")[0] for field in written} == known
    ours = {field for field in written if field.split(".")[0] in {"state", "command", "work"}}
    assert ours <= FIELDS, sorted(ours - FIELDS)


def test_the_pages_name_a_command_that_works_without_an_installation():
    page = (ROOT / "docs/develop/walks.md").read_text("utf-8")
    command = "PYTHONPATH=tests:src python3 -m house.writers contact_target"
    assert command in page
    assert command in (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(("tests", "src"))}
    arguments = [sys.executable, "-S", *command.split()[2:]]  # without what is installed
    said = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert b"src/tribo/contact/problem/contact_targets.py" in said.stdout
    assert r"git grep -nw 'work\.contact_target' src" in page
