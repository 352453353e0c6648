"""Every public name is explained and listed in the docs."""

import inspect

from house.repository import ROOT

import tribo


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


def test_public_names_are_in_the_reference():
    page = (ROOT / "docs/reference/api.md").read_text("utf-8")
    assert [name for name in tribo.__all__ if f"tribo.{name}\n" not in page] == []
