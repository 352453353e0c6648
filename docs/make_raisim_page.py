"""Write the tables of docs/reference/raisim.md from the layer itself: ``python docs/make_raisim_page.py``."""

import inspect
from pathlib import Path

from tribo import raisimpy
from tribo.raisimpy.absent import ABSENT
from tribo.raisimpy.fields import FIELDS

PAGE = Path(__file__).parent / "reference" / "raisim.md"
BEGIN, END = "<!-- names: begin -->", "<!-- names: end -->"


def said(item: object) -> str:
    """Return the first line of a docstring, as Markdown."""
    text = inspect.getdoc(item) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|")


def own_rows(kind: type) -> list[tuple[str, str, str]]:
    """Return RaiSim's name, its other spellings and tribo's, of what a class has of its own."""
    fields = FIELDS.get(kind.__name__, {})
    others = getattr(kind, "spellings", {})
    aliases = {other for many in others.values() for other in many}
    rows = [
        (name, ", ".join(f"`{x}`" for x in others.get(name, ())), text.replace("``", "`"))
        for name, text in fields.items()
    ]
    members = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("tribo.raisimpy") and base.__name__ in (
            kind.__name__, *PARTS.get(kind.__name__, ()),
        ):  # fmt: skip
            members |= vars(base)
    for name, given in members.items():
        if name[0] == "_" or name in aliases or name in fields or name in INNER:
            continue
        item = given.__func__ if isinstance(given, classmethod | staticmethod) else given
        if isinstance(item, type):
            text = f"`tribo.raisimpy.{item.__name__}`"
        elif inspect.isfunction(item) or isinstance(item, property):
            text = said(item)
        else:
            text = f"`{item.value}`" if hasattr(item, "value") else ""
        rows.append((name, ", ".join(f"`{x}`" for x in others.get(name, ())), text))
    for name, reason in ABSENT.get(kind.__name__, {}).items():
        rows.append((name, "", f"not there: {reason}"))
    return rows


# Classes of the layer that make one of RaiSim's up, and names that are the layer's own.
PARTS = {
    "World": ("WorldParts",), "ArticulatedSystem": ("RobotParts",), "JointRef": ("_Placed",),
    "LinkRef": ("_Placed",), "Visuals": ("_Placed",), "VisualMesh": ("_Placed",),
}  # fmt: skip
INNER = {"spellings", "tribo", "wrap", "push", "show", "law", "of", "field", "part", "body_of",
         "make_viewer", "colors", "viewer", "extra", "with_traceback"}  # fmt: skip


def kinds() -> list[type]:
    """Return the classes of the layer, in the order of its modules."""
    found = {
        item.__name__: item
        for name, item in vars(raisimpy).items()
        if name[0].isupper() and isinstance(item, type)
    }
    order = ["World", "Object", "SingleBodyObject", "ArticulatedSystem", "RaisimServer"]
    return [found[name] for name in order] + [
        item for name, item in sorted(found.items()) if name not in order
    ]


def tables() -> str:
    """Return all tables."""
    lines = []
    for kind in kinds():
        rows = own_rows(kind)
        lines += [f"## {kind.__name__}", "", said(kind), ""]
        if rows:
            lines += ["| RaiSim | also | tribo |", "| --- | --- | --- |"]
            lines += [f"| `{name}` | {other} | {text} |" for name, other, text in rows]
            lines.append("")
    for name in ("DeformableObject", "GranularSystem"):
        rows = [(key, "", f"not there: {text}") for key, text in ABSENT[name].items()]
        lines += [f"## {name}", "", "| RaiSim | also | tribo |", "| --- | --- | --- |"]
        lines += [f"| `{key}` | {other} | {text} |" for key, other, text in rows]
        lines.append("")
    lines += ["## Functions", "", "| RaiSim | tribo |", "| --- | --- |"]
    for name, item in vars(raisimpy).items():
        if inspect.isfunction(item) and name != "install":
            lines.append(f"| `{name}` | {said(item)} |")
    lines.append(
        "| `raisimpy.contact`, `raisimpy.constraints` | the same modules in `tribo.raisimpy` |"
    )
    return "\n".join(lines)


def page() -> str:
    """Return the page with its tables renewed."""
    text = PAGE.read_text("utf-8")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n\n{tables()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
