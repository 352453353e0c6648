"""Every public name is explained and listed in the docs."""

import importlib.util
import inspect
import re

import pytest
from house.repository import ROOT

import tribo
from tribo import objects
from tribo.batch.constraints import ConstraintBatch
from tribo.batch.objects import ObjectBatch, SingleBodyBatch

SPEC = importlib.util.spec_from_file_location("api_pages", ROOT / "docs/api_pages.py")
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)


def test_public_names_have_docstrings():
    bare = []
    for name in tribo.__all__:
        value = getattr(tribo, name)
        if inspect.isclass(value):
            members = {f"{name}.{key}": item for key, item in vars(value).items() if key[0] != "_"}
            explained = {name: value} | {
                key: item
                for key, item in members.items()
                if callable(item) or isinstance(item, property | classmethod | staticmethod)
            }
            bare += [key for key, item in explained.items() if not inspect.getdoc(item)]
        elif callable(value) and not inspect.getdoc(value):
            bare.append(name)
    assert bare == []


@pytest.mark.parametrize("kind", [tribo.World, tribo.Motor, tribo.Wire], ids=lambda k: k.__name__)
def test_properties_of_a_kind_of_their_own_have_their_own_docstring(kind):
    """Python 3.11 shows the docstring of the class where a kind of property is derived from `property`."""
    made = [made for _, made in inspect.getmembers(kind) if isinstance(made, property)]
    own = [one for one in made if type(one) is not property]
    assert own
    assert [one for one in own if one.__doc__ == type(one).__doc__] == []


def test_public_names_are_in_the_reference():
    page = (ROOT / "docs/reference/api.md").read_text("utf-8")
    listed = {entry.name for entry in pages.entries(page)}
    assert [name for name in tribo.__all__ if f"tribo.{name}" not in listed] == []


def test_a_page_of_the_reference_has_each_member_once_under_a_subject():
    groups = pages.grouped(tribo.World, None)
    shown = [name for members in groups.values() for name in members]
    assert len(set(shown)) == len(shown)
    public = {name for name in dir(tribo.World) if name[0] != "_"} - tribo.World._inner
    assert public == {name for name in shown if name[0] != "_"}
    assert "Members" not in groups
    assert list(groups)[-1] == "Special methods"
    for members in list(groups.values())[:-1]:
        read = [pages.is_property(tribo.World, name) for name in members]
        assert read == sorted(read, reverse=True), "properties first"


def test_a_page_shows_no_signature_that_nobody_can_call():
    made_by_calls = (tribo.SingleBody, tribo.ArticulatedSystem, tribo.Wire, objects.Joint)
    assert [pages.shown_signature("class", one, "(world)") for one in made_by_calls] == [""] * 4
    assert pages.shown_signature("class", tribo.World, "(time_step)") == "(time_step)"
    assert pages.shown_signature("method", tribo.World.step, "(n)") == "(n)"


HANDLES = (
    tribo.ArticulatedSystem, tribo.SingleBody, tribo.HeightMap, tribo.CollisionBody, tribo.Batch,
    tribo.Constraint, tribo.Motor, tribo.Wire, objects.Evaluation, objects.Frame,
    objects.Joint, objects.Link, ObjectBatch, SingleBodyBatch, ConstraintBatch,
)  # fmt: skip
SHAPE = re.compile(r"\((\d|n|N|dof|worlds|nq|ny|k|bodies)\b|shape of")
UNIT = re.compile(r"\[[^\]]+\]|[Uu]nit|[Rr]otation")


def answers(kind):
    """Yield name, docstring and signature of all public properties and methods of a class."""
    for name, item in inspect.getmembers(kind):
        getter = item.fget if isinstance(item, property) else item
        if name[0] != "_" and callable(getter):
            yield name, inspect.getdoc(item) or "", inspect.signature(getter), item


@pytest.mark.parametrize("kind", HANDLES, ids=lambda kind: kind.__name__)
def test_numbers_have_shape_and_unit(kind):
    """What returns arrays says their shape, numbers their unit, what takes values their names."""
    lacking = []
    for name, doc, signature, item in answers(kind):
        returned = str(signature.return_annotation)
        if returned == "np.ndarray" and not SHAPE.search(doc):
            lacking.append(f"{name}: shape")
        if returned in {"np.ndarray", "float", "float | np.ndarray"} and not UNIT.search(doc):
            lacking.append(f"{name}: unit")
        if not isinstance(item, property):
            taken = [p for p in signature.parameters if p not in ("self", "name", "n", "what")]
            unnamed = [p for p in taken if not re.search(rf"\b{p}\b", doc)]
            if unnamed and name not in ("attach", "records_of"):  # for the engine, not for users
                lacking.append(f"{name}: {', '.join(unnamed)}")
    assert lacking == []


ROBOTS = (
    tribo.ArticulatedSystem, tribo.SingleBody, tribo.Constraint, tribo.Motor, tribo.Wire,
    objects.Evaluation, objects.Frame, objects.Joint, objects.Link, ObjectBatch, SingleBodyBatch,
    ConstraintBatch, tribo.LinkDescription,
)  # fmt: skip
ENGINE = (
    "attach",
    "tie",
    "check_editable",
    "take_state",
    "last_wrench",
    "loads",
    "wrench",
)  # for the engine, not for users
VECTOR = re.compile(r"\((?:N, |worlds, )?3\)")
FRAME = re.compile(r"world|frame|axes|axis|body|parent|joint|dof|wire|link")
ERRORS = re.compile(r"Raises:|[Ee]rrors as `|as in `|as `[\w.]+` does")


@pytest.mark.parametrize("kind", ROBOTS, ids=lambda kind: kind.__name__)
def test_vectors_have_a_frame_and_arguments_errors(kind):
    """What returns vectors says in which axes; what takes values says what it refuses."""
    lacking = []
    for name, doc, signature, item in answers(kind):
        if str(signature.return_annotation) == "np.ndarray" and VECTOR.search(doc):
            if not FRAME.search(doc):
                lacking.append(f"{name}: frame")
        taken = len(signature.parameters) > 1 and not isinstance(item, property)
        if taken and name not in ENGINE and not ERRORS.search(doc):
            lacking.append(f"{name}: errors")
    assert lacking == []


@pytest.mark.parametrize(
    "kind",
    [tribo.ArticulatedSystem, tribo.LinkDescription, tribo.World, tribo.Batch, ObjectBatch],
    ids=lambda kind: kind.__name__,
)
def test_what_users_begin_with_has_an_example(kind):
    assert ">>>" in (kind.__doc__ or "")
