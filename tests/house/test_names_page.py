"""docs/reference/names.md: every call of RaiSim has a row, and what the rows name exists."""

import re

import pytest
from house.repository import ROOT

import tribo
from tribo.objects.contact import Contact
from tribo.objects.frames import Frame
from tribo.objects.handles import Joint, Link
from tribo.objects.height_map import HeightMap
from tribo.objects.wire import Wire

PAGE = (ROOT / "docs/reference/names.md").read_text("utf-8")
CALLS = (ROOT / "tests/data/raisim_calls.txt").read_text("utf-8").split()
CLASSES = {
    "world": tribo.World, "robot": tribo.ArticulatedSystem, "body": tribo.SingleBody, "contact": Contact,
    "wire": Wire, "hills": HeightMap, "view": tribo.Viewer, "viewer": tribo.Viewer,
    'robot.joint(name)': Joint, 'robot.link(name)': Link, 'robot.frame(name)': Frame,
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_of_raisim_has_a_row(call):
    assert re.search(rf"\b{call}\b", PAGE) or call in PAGE


def named():
    """Return (owner, attribute) of all that a row names on our side."""
    found = set()
    for owner in CLASSES:
        for attribute in re.findall(rf"`{re.escape(owner)}\.(\w+)", PAGE):
            if attribute.islower() and not attribute.startswith("integrate"):  # those are of RaiSim
                found.add((owner, attribute))
    return sorted(found)


@pytest.mark.parametrize(("owner", "attribute"), named(), ids=str)
def test_what_a_row_names_exists(owner, attribute):
    known = CLASSES[owner]
    annotations = {name for kind in known.__mro__ for name in getattr(kind, "__annotations__", {})}
    assert hasattr(known, attribute) or attribute in annotations
