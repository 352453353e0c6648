"""`dir(world)` and completion show what users may call, and nothing raises NotImplementedError."""

import re

import pytest
from house.repository import PACKAGE, ROOT, kept_modules

import tribo
from tribo.batch.batch import GONE as GONE_OF_BATCHES
from tribo.world.gone_names import GONE

# Sealed compiled arrays tell Numba so what they do not do; Numba asks for this error.
COMPILER = {"compiler/field_array.py"}
PAGES = "\n".join(
    path.read_text("utf-8")
    for folder in ("docs", "examples", "benchmarks", "tests")
    for path in sorted((ROOT / folder).rglob("*.*"))
    if path.suffix in {".md", ".py"}
)


def public_names(thing):
    return [name for name in dir(thing) if name[0] != "_"]


def test_there_are_no_stubs():
    stubs = [
        path.relative_to(PACKAGE).as_posix()
        for path in kept_modules()
        if "raise NotImplementedError" in path.read_text("utf-8")
    ]
    assert {*stubs} <= COMPILER


@pytest.mark.parametrize("make", [tribo.World, lambda: tribo.Batch(tribo.World(), 2, threads=1)])
def test_what_completion_shows_is_used_and_explained_somewhere(make):
    """A name that no page, example, benchmark or test calls is none that users may call."""
    thing = make()
    unused = [name for name in public_names(thing) if not re.search(rf"\.{name}\b", PAGES)]
    assert unused == []
    kinds = (getattr(type(thing), name, None) for name in public_names(thing))
    assert all(kind is None or kind.__doc__ for kind in kinds)


@pytest.mark.parametrize("name", GONE)
def test_an_internal_name_of_old_says_what_to_use(name):
    world = tribo.World()
    assert name not in dir(world)
    with pytest.warns(DeprecationWarning, match=re.escape(GONE[name][0])):
        assert getattr(world, name) is not None


@pytest.mark.parametrize("name", GONE_OF_BATCHES)
def test_an_internal_name_of_batches_says_what_to_use(name):
    batch = tribo.Batch(tribo.World(), 2, threads=1)
    assert name not in dir(batch)
    with pytest.warns(DeprecationWarning, match=re.escape(GONE_OF_BATCHES[name])):
        assert getattr(batch, name) is not None


@pytest.mark.parametrize("make", [tribo.World, lambda: tribo.Batch(tribo.World(), 2, threads=1)])
def test_a_name_that_never_was_is_an_error(make):
    with pytest.raises(AttributeError, match="no attribute 'stepp'"):
        make().stepp()
