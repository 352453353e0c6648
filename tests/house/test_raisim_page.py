"""docs/reference/raisim.md has every name of RaiSim, and so has the layer; docs/howto/raisim.md holds."""

import importlib.util
import re

import pytest
from house.repository import ROOT

import tribo
from tribo import raisimpy
from tribo.checks import answers
from tribo.objects.handles import Joint, Link
from tribo.raisimpy.spelling import ABSENT, snake

PAGE = (ROOT / "docs/reference/raisim.md").read_text("utf-8")


SCRIPT = importlib.util.spec_from_file_location("page", ROOT / "docs/make_raisim_page.py")
script = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(script)


def listed():
    """Return RaiSim's names, (class, name)."""
    lines = (ROOT / "tests/data/raisim_names.txt").read_text("utf-8").splitlines()
    pairs = (line.split(":") for line in lines if line[0] != "#")
    return sorted({(kind, name) for kind, names in pairs for name in names.split()})


def sections():
    """Return the page's text of each class."""
    parts = PAGE.split("\n## ")[1:]
    return {part.partition("\n")[0]: part for part in parts}


SECTIONS = sections()
KINDS = sorted({kind for kind, _ in listed()})


def test_the_page_and_the_answers_are_as_their_script_writes_them():
    assert script.page() == PAGE
    assert script.words() == answers.RAISIM.read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_has_a_row(kind):
    """Where a class inherits a name, the row is at the class that it inherits from."""
    made = getattr(raisimpy, kind, None)
    bases = [base.__name__ for base in made.__mro__] if isinstance(made, type) else [kind]
    if kind == "Module":
        bases = ["Functions"]
    text = "".join(SECTIONS.get(base, "") for base in bases)
    names = [name for one, name in listed() if one == kind]
    missing = [name for name in names if f"`{name}`" not in text and f"raisimpy.{name}`" not in text]
    assert missing == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_is_in_the_layer_or_said_not_to_be(kind):
    names = [name for one, name in listed() if one == kind]
    place = raisimpy if kind == "Module" else getattr(raisimpy, kind, None)
    absent = ABSENT.get(kind, {})
    missing = [
        name
        for name in names
        if name not in absent and not hasattr(place, name) and name not in script.FIELDS.get(kind, {})
    ]
    assert missing == []


@pytest.mark.parametrize("kind", sorted(script.FIELDS))
def test_fields_exist(kind):
    """Attributes that objects have from their beginning on."""
    made = {
        "SparseJacobian": (),
        "AABB": ((0, 0, 0), (1, 1, 1)), "Visuals": ("ball", "sphere", (1.0,), (1, 1, 1, 1), ()),
        "PolyLine": ("line",), "PointCloud": ("cloud",),
    }.get(kind, ())  # fmt: skip
    item = getattr(raisimpy, kind)(*made)
    assert [name for name in script.FIELDS[kind] if not hasattr(item, name)] == []


def test_a_name_that_is_not_there_is_refused_with_its_reason():
    world = raisimpy.World()
    for name in ABSENT["World"]:
        for spelled in (name, snake(name)):
            with pytest.raises(AttributeError, match="is not there: "):
                getattr(world, spelled)
    with pytest.raises(AttributeError, match="addSphere"):
        world.addSpher  # noqa: B018


OWNERS = {
    "world": tribo.World, "robot": tribo.ArticulatedSystem, "contact": tribo.Contact, "viewer": tribo.Viewer,
    "object": tribo.Object, "body": tribo.SingleBody,
}  # fmt: skip
OWN = {  # whose attributes stand without an owner
    "SingleBodyObject": tribo.SingleBody, "ArticulatedSystem": tribo.ArticulatedSystem,
    "HeightMap": tribo.HeightMap, "LengthConstraint": tribo.Wire, "CompliantLengthConstraint": tribo.Wire,
    "CustomLengthConstraint": tribo.Wire, "Contact": tribo.Contact, "JointRef": Joint, "LinkRef": Link,
    "CollisionDefinition": tribo.CollisionBody, "RayCollisionItem": tribo.RayHit,
}  # fmt: skip


BUILT_IN = ("len", "print")


def has(kind, name):
    annotated = {word for base in kind.__mro__ for word in getattr(base, "__annotations__", {})}
    return hasattr(kind, name) or name in annotated


def test_what_rows_name_in_tribo_exists():
    missing = []
    for kind, text in SECTIONS.items():
        for answer in re.findall(r"^\| `\w+` \|.*\| ([^|]*) \|$", text, re.MULTILINE):
            for snippet in re.findall(r"`([^`]+)`", answer):
                for owner, name in re.findall(r"(?<![\w.])(\w+)\.(\w+)", snippet):
                    if owner in OWNERS and name != "…" and not has(OWNERS[owner], name.rstrip("_")):
                        if not any(key.startswith(name) for key in dir(OWNERS[owner])):
                            missing.append(f"{kind}: {snippet}")
                first = re.match(r"([a-z_]+)(?![\w.=])", snippet)
                if kind in OWN and first and first[1] not in BUILT_IN and not has(OWN[kind], first[1]):
                    missing.append(f"{kind}: {snippet}")
    assert missing == []


def test_the_two_scripts_side_by_side_give_the_same_numbers():
    text = (ROOT / "docs/howto/raisim.md").read_text("utf-8")
    table = text.partition("<table>")[2].partition("</table>")[0]
    theirs, ours = re.findall(r"^```python\n(.*?)^```", table, re.DOTALL | re.MULTILINE)
    assert len(theirs.splitlines()) == len(ours.splitlines())
    found, expected = {}, {}
    exec(theirs, found)
    exec(ours, expected)
    assert found["height"] == expected["height"] > 0.4
    assert found["point"].tolist() == expected["point"].tolist()


def test_switches_that_the_page_says_the_layer_sets():
    """The third column is `tribo.World`; the fourth names what the layer sets instead."""
    text = (ROOT / "docs/howto/raisim.md").read_text("utf-8")
    switches = re.findall(r'`it\.(\w+) = ("?[\w.]+"?)`, set by the layer', text)
    assert len(switches) >= 4
    it = raisimpy.World().tribo
    for name, value in switches:
        assert repr(getattr(it, name)) == value.replace('"', "'")
        assert getattr(tribo.World(), name) != getattr(it, name)
