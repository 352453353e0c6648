"""<attach>: bodies of another model, which <asset><model> names, with a prefix to all names in it.

A body brings along the elements of its model that speak of it and of nothing beside it: joints'
actuators, equalities, pairs, excludes. They keep the rules of their own file: its <compiler>, its default
classes, and where it looks for meshes.
Source: MuJoCo's XML reference, body/attach and asset/model; compared with MuJoCo 4 in tests/compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tribo.formats.mjcf import replicate
from tribo.formats.mjcf.compiler import MAIN
from tribo.formats.mjcf.defaults import ACTUATORS
from tribo.formats.mjcf.replicate import REFERENCES, names_in
from tribo.formats.mjcf.source import Rules, Source, load
from tribo.formats.nodes import Node, known_hint, walk
from tribo.formats.report import Report
from tribo.formats.xml import MAX_TAGS

MODEL = frozenset({"name", "file", "content_type"})
ATTACH = frozenset({"model", "body", "prefix"})
MAX_DEPTH = 32  # of models within models
# Attributes that name something of the model, besides the `REFERENCES`: they get its prefix, too.
NAMES = frozenset(("name", "class", "childclass", "mesh", "material", "texture", "hfield"))
BROUGHT = ("contact", "equality", "actuator")  # sections whose elements speak of bodies
CLASSED = ACTUATORS | {"connect", "weld", "joint", "pair", "mesh", "material"}


def attach_models(source: Source, package_dirs: Sequence[Path], above: tuple[Path, ...] = ()) -> None:
    """Put what is attached in the place of every <attach>, and its sections at the end of the model.

    Raises:
        DescriptionError: A model or body is missing, or a model is not MJCF, contains itself or is too large.
    """
    models = {
        _name_of(node, source, package_dirs): node
        for section in source.sections("asset")
        for node in section.all("model")
    }
    todo = list(source.sections("worldbody"))
    while todo:
        node = todo.pop()
        for k, child in enumerate(node.children):
            if child.tag == "attach":
                node.children[k] = _attached(child, source, models, package_dirs, above)
            elif child.tag in {"body", "frame", "replicate"}:
                todo.append(child)


def _name_of(node: Node, source: Source, package_dirs: Sequence[Path]) -> str:
    """Return the name of a model asset: its own, or that of the model in its file."""
    node.check_attributes(MODEL)
    given = node.word("name")
    if given:
        return given
    root = load(source.locate(node), Report(strict=False), package_dirs).root
    return root.word("model") or Path(node.text("file")).stem


def _attached(
    node: Node, source: Source, models: dict[str, Node], package_dirs: Sequence[Path],
    above: tuple[Path, ...],
) -> Node:  # fmt: skip
    """Return a <frame> with what an <attach> asks for; its sections are added to the source."""
    node.check(ATTACH)
    name, prefix = node.text("model"), node.attributes.get("prefix", "")
    path = source.locate(node.named("model", models, "among the assets"))
    if source.path is not None:
        above = (*above, source.path.resolve())
    if path in above:
        raise node.error(f"{path} attaches itself; take one of them out")
    if len(above) > MAX_DEPTH:
        raise node.error(f"more than {MAX_DEPTH} models stand in one another")
    child = load(path, node.report, package_dirs)
    attach_models(child, package_dirs, above)
    replicate.expand(child)
    source.tags += child.tags
    if source.tags > MAX_TAGS:
        raise node.error(f"with all that is attached there are more than {MAX_TAGS} elements")
    content, childclass = _content(node, child)
    known = names_in(content) if "body" in node.attributes else None
    made = Rules(child.rules.compiler, child.path, f"{prefix}{MAIN}" if prefix else f"{name}/{MAIN}")
    for section in child.sections("default"):
        if section.attributes.get("class", MAIN).strip() != MAIN:
            raise section.error(f"the outermost <default> is class {MAIN!r}")
        for inner in section.children:
            _rename(inner, prefix, MAIN, made.main)
        made.defaults.append(replace(section, attributes={}))
    for item in content:
        _rename(item, prefix, MAIN, made.main)
    wrapper = node.made("frame", children=content)
    wrapper.attributes["childclass"] = made.main if childclass == MAIN else prefix + childclass
    source.attached[id(wrapper)] = (wrapper, made)
    for section in child.root.children:
        if section.tag == "keyframe" and section.children:
            section.doubt("keyframes of a model that is attached are not read", "attached keyframe")
        if section.tag == "asset" or section.tag in BROUGHT:
            brought = _brought(section, known, prefix, made.main)
            source.root.children.append(brought)
            rules = child.rules_of(section)
            source.attached[id(brought)] = (brought, made if rules is child.rules else rules)
    for rules in {id(rules): rules for _, rules in child.attached.values()}.values():
        rules.main = prefix + rules.main
        for section in rules.defaults:
            for item in section.children:
                _rename(item, prefix, rules.main, rules.main)
    source.attached |= {k: found for k, found in child.attached.items() if found[0].tag == "frame"}
    return wrapper


def _brought(section: Node, known: dict[str, set[str]] | None, prefix: str, main: str) -> Node:
    """Return what a section brings along: assets, and elements that speak of `known` (None: of anything)."""
    made = replace(section)
    if known is not None and section.tag != "asset":
        made.children = [item for item in section.children if _speaks_of(item, known)]
    for item in made.children:
        if item.tag == "mesh" and "name" not in item.attributes and "file" in item.attributes:
            item.attributes["name"] = Path(item.text("file").replace("\\", "/")).stem
        _rename(item, prefix, MAIN, main)
        if item.tag in CLASSED:
            item.attributes.setdefault("class", main)
    return made


def _content(node: Node, child: Source) -> tuple[list[Node], str]:
    """Return what an <attach> takes of a model, and the default class that it has there."""
    if "body" not in node.attributes:
        found = [item for section in child.sections("worldbody") for item in section.children]
        return found, MAIN
    name = node.text("body")
    todo = [(section, section.attributes.get("childclass", MAIN)) for section in child.sections("worldbody")]
    bodies = []
    while todo:
        parent, childclass = todo.pop()
        for item in parent.children:
            if item.tag == "body" and item.word("name") == name:
                return [item], childclass
            if item.tag in {"body", "frame"}:
                bodies.append(item.attributes.get("name", ""))
                todo.append((item, item.attributes.get("childclass", childclass)))
    raise node.error(
        f"body={name!r} is not in {child.path}{known_hint(name, [body for body in bodies if body])}"
    )


def _speaks_of(item: Node, known: dict[str, set[str]]) -> bool:
    """Tell whether an element speaks of what is attached, or of the world, and of nothing beside it."""
    given = [
        value.strip() in known[kind] or _is_world(kind, value)
        for word, value in item.attributes.items()
        if (kind := REFERENCES.get(word.rstrip("12")))
    ]
    return bool(given) and all(given)


def _is_world(kind: str, value: str) -> bool:
    return kind == "body" and value.strip() == "world"


def _rename(top: Node, prefix: str, main: str, main_here: str) -> None:
    """Put a prefix before all names in an element; the world and a model's main class keep theirs."""
    for item in walk(top):
        for word, value in item.attributes.items():
            kind, name = REFERENCES.get(word.rstrip("12"), ""), value.strip()
            if word in {"class", "childclass"} and name == main:
                item.attributes[word] = main_here
            elif name and (kind or word in NAMES) and not _is_world(kind, name):
                item.attributes[word] = prefix + name
