"""Parse XML that nobody vouches for, into plain nodes that know their file and line.

Design note: a document type declaration is refused as a whole. It is the door to entity bombs and
external files, and no URDF or RaiSim file needs one.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from tribo.description.trees import DescriptionError
from tribo.formats.nodes import Node, file_bytes, short
from tribo.formats.report import Report

MAX_BYTES = 64 * 1024 * 1024
MAX_TAGS = 500_000
PROLOG_BYTES = 4000  # in which an encoding is looked for: files begin with comments
MAX_ATTRIBUTES = 1000  # of one element

_DECLARATION = re.compile(r"<\?xml\s")
_ENCODING = re.compile(r"""<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_ENCODINGS = {
    "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "iso-8859-1", "latin-1", "windows-1252",
}  # fmt: skip


ROOTS = {  # by their outermost element: what files are, and what reads them
    "raisim": ("a RaiSim world", "World.load reads it"),
    "mujoco": ("a scene or robot of MuJoCo (MJCF)", "World.load reads it"),
    "sdf": ("a model or world of Gazebo (SDF)", "World.load reads it"),
    "robot": ("a robot (URDF)", "World.add_articulated_system reads it"),
}
OTHER_ROOTS = {  # what is not read at all, or by other calls
    "COLLADA": ("a mesh (COLLADA)", "world.add_mesh reads it if its name ends with .dae"),
    "OpenSimDocument": ("a model of OpenSim", "convert it to MJCF"),
    "skel": ("a file of DART", "write a URDF or SDF of it"),
    "launch": ("a launch file of ROS", "give the robot's URDF"),
    "package": ("the package.xml of a ROS package", "give the robot's URDF"),
    "mujocoinclude": ("a part that scenes of MuJoCo include", "give the file that includes it"),
    "html": ("a web page", "download the file itself, not the page that shows it"),
    "svg": ("a picture (SVG)", "give a robot or world"),
}
REMEDIES = {  # of what the parser says
    "XML declaration allowed only": "a second <?xml …?> stands inside the file, as if two files were put "
    "into one: remove it",
    "Extra content at the end": "only one outermost element may be there: put the rest into it, or into a "
    "file of its own",
    "tag mismatch": "close the tag that is named",
    "Premature end": "the end is missing: close the open tags",
    "Document is empty": "there is no element in it",
    "Start tag expected": "there is no XML in it",
}
ODD_DECLARATION = "<?xml …?> belongs once at the very start of a file; it was read as if it stood there"
MAX_NESTING = 256  # libxml's own limits, without the option that lifts them
MAX_STRING = 10_000_000
TAIL = "text after the outermost element means nothing; it is passed over"


def is_text(source: str | Path) -> bool:
    """Return whether a source is XML text rather than a path."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def path_of(source: str | Path, kind: str) -> Path | None:
    """Return the path that a source is, None for XML text; refuse what is neither."""
    if not isinstance(source, (str, Path)):
        raise TypeError(f"{kind}: expected a path or XML text, got {short(repr(source))}")
    if is_text(source):
        return None
    if source == "":
        raise DescriptionError(f"the path of the {kind} file is empty")
    text = str(source)
    if len(text) > 4096 or any(ord(letter) < 32 for letter in text):
        raise DescriptionError(
            f"{short(text)}: cannot read it as {kind}: XML text starts with '<', a path has one line"
        )
    return Path(source)


def without_declaration(text: str) -> str:
    """Return XML text without ``<?xml …?>``: text has no encoding. Lines keep their numbers."""
    return _plain(text)[0]


def _plain(text: str) -> tuple[str, str]:
    """Return XML text without declarations, and a note if they do not stand once, at the very start.

    Files have them behind a comment or a blank, or twice.
    """
    pieces = list(_prolog(text.lstrip("\ufeff")))
    at = [k for k, piece in enumerate(pieces[:-1]) if _DECLARATION.match(piece)]
    for k in at:
        pieces[k] = "\n" * pieces[k].count("\n")
    return "".join(pieces), "" if at in ([], [0]) else ODD_DECLARATION


def _prolog(text: str) -> Iterator[str]:
    """Iterate over what stands before the first element, piece by piece, and the rest."""
    at = 0
    while found := _PROLOG.match(text, at):
        yield found.group()
        at = found.end()
    yield text[at:]


def parse(
    source: str | Path, kind: str, report: Report, *, largest: float = math.inf, nesting: int = MAX_NESTING
) -> Node:  # fmt: skip
    """Parse a file or XML text; `kind` names it in messages ("URDF"), larger numbers are refused when read.

    Elements may stand in one another `nesting` deep. `report` takes remarks on them, first on what was
    passed over to read the file at all.

    Raises:
        DescriptionError: Not readable, too large, not well-formed, or with a document type
            declaration; the message gives file and line.
    """
    text, name = _text_of(source, kind)
    text, note = _plain(text)
    end = text.rfind(">") + 1
    text, tail = (text[:end], TAIL) if end and text[end:].strip() else (text, "")
    root, tolerated = _parsed(text, name, report, largest, nesting)
    notes = [one for one in (note, tail, tolerated) if one]
    if notes:
        root.note("; ".join(notes))
    return root


def parse_fragment(source: str | Path, kind: str, root: str, report: Report) -> Node:
    """Parse elements that stand in no other, or in one called `root`; return that element.

    Raises:
        DescriptionError: As `parse`.
    """
    text, name = _text_of(source, kind)
    text = without_declaration(text)
    whole = text if _first_tag(text) == root else f"<{root}>{text}</{root}>"
    return _parsed(whole, name, report)[0]


def _text_of(source: str | Path, kind: str) -> tuple[str, str]:
    """Return the text of a file, or text itself, and what to call it."""
    path = path_of(source, kind)
    if path is not None and os.path.isdir(path):  # unlike `is_dir`, no error of the system
        raise DescriptionError(f"{path}: is a folder; give the {kind} file in it")
    if path is not None:
        return _decode(file_bytes(path, f"{kind} file", MAX_BYTES), str(path)), str(path)
    name, text = f"<{kind} text>", str(source)
    if len(text) > MAX_BYTES:
        raise DescriptionError(f"{name}: {len(text)} characters, at most {MAX_BYTES} are read")
    return text, name


def _parsed(
    text: str, name: str, report: Report, largest: float = math.inf, nesting: int = MAX_NESTING
) -> tuple[Node, str]:
    """Parse text that came from a file of this name; return it, and a note on what was passed over."""
    _refuse_declarations(text, name)
    if text.count("<") > MAX_TAGS:
        raise DescriptionError(f"{name}: more than {MAX_TAGS} tags; split the file")
    try:
        root, note = _tolerant(text, is_deep=nesting > MAX_NESTING)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        detail = re.sub(r",? line \d+, column \d+.*$", "", error.msg or "not XML")
        if "Excessive depth" in detail:
            raise _too_deep(name, line, nesting) from None
        if "XML_PARSE_HUGE" in detail:
            raise DescriptionError(
                f"{name}:{line}: an attribute or a text has more than {MAX_STRING} characters; put what is "
                "so large into a file of its own"
            ) from None
        remedy = next((what for said, what in REMEDIES.items() if said in detail), "mend it there")
        raise DescriptionError(f"{name}:{line}:{column}: not well-formed XML: {detail}; {remedy}") from None
    except (UnicodeEncodeError, ValueError) as error:
        raise DescriptionError(f"{name}: not XML text: {error}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise DescriptionError(f"{name}: has a document type declaration; remove it")
    return _nodes(root, name, report, largest, nesting), note


def _too_deep(name: str, line: int, nesting: int) -> DescriptionError:
    return DescriptionError(
        f"{name}:{line}: elements stand in one another more than {nesting} deep, which no file "
        "of this kind needs; take out what repeats itself"
    )


def outermost(source: str | Path, kind: str) -> str:
    """Return the tag of the outermost element of a file or text, "" if there is none; nothing is parsed.

    Raises:
        DescriptionError: The file cannot be read.
    """
    return _first_tag(without_declaration(_text_of(source, kind)[0]))


def kind_of(source: str | Path) -> str:
    """Return the outermost element of a world, scene or robot: "raisim", "mujoco" or "robot".

    Raises:
        DescriptionError: It is none of them, or no XML, or cannot be read.
    """
    tag = outermost(source, "XML")
    if tag in ROOTS:
        return tag
    # What is wrong with it counts more than what it is called.
    root = parse(source, "XML", Report(strict=False))
    if root.tag in OTHER_ROOTS:
        raise root.error("is {}; {}".format(*OTHER_ROOTS[root.tag]))
    known = ", ".join(f"<{tag}> is {what}" for tag, (what, _) in ROOTS.items())
    raise root.error(f"is not the outermost element of a world or robot: {known}")


def wrong_root(root: Node, wanted: str) -> DescriptionError:
    """Return the error of a file that is of another kind than wanted, a tag of `ROOTS`."""
    what = ROOTS[wanted][0]
    if root.tag in ROOTS or root.tag in OTHER_ROOTS:
        own, reader = (ROOTS | OTHER_ROOTS)[root.tag]
        return root.error(f"is {own}, not {what}; {reader}")
    return root.error(f"is not {what}; the outermost element must be <{wanted}>")


def _first_tag(text: str) -> str:
    *_, rest = _prolog(text)
    tag = re.match(r"<([\w.:-]{1,100})", rest[:110])
    return tag.group(1) if tag else ""


def _decode(data: bytes, name: str) -> str:
    encoding = "utf-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        found = _ENCODING.search(data[:PROLOG_BYTES].decode("latin-1"))
        if found:
            encoding = found.group(1).lower()
    if encoding not in _ENCODINGS:
        raise DescriptionError(f"{name}: encoding {encoding!r} is not read; save the file as UTF-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DescriptionError(
            f"{name}:{line}: byte {error.object[error.start]:#04x} is not {encoding}; save the file as UTF-8"
        ) from None


def _refuse_declarations(text: str, name: str) -> None:
    """Refuse a document type declaration: it stands before the first element or nowhere."""
    *_, rest = _prolog(text)
    if rest[:9].upper() == "<!DOCTYPE":
        line = text.count("\n", 0, len(text) - len(rest)) + 1
        raise DescriptionError(
            f"{name}:{line}: <!DOCTYPE …> is refused, it can pull in files or take all memory; remove it"
        )


def _nodes(root: etree._Element, name: str, report: Report, largest: float, nesting: int) -> Node:
    """Convert a tree without recursion, so that depth costs nothing."""
    top = _node(root, name, report, largest)
    todo = [(root, top, 1)]
    while todo:
        element, node, depth = todo.pop()
        if depth > nesting:
            raise _too_deep(name, node.line, nesting)
        for child in element:
            made = _node(child, name, report, largest)
            node.children.append(made)
            todo.append((child, made, depth + 1))
    return top


def _node(element: Any, name: str, report: Report, largest: float) -> Node:
    line = int(element.sourceline or 0)
    if not isinstance(element.tag, str):  # lxml's stubs do not know entities as children
        raise DescriptionError(f"{name}:{line}: {short(str(element))} is refused; write it out")
    tag = _plain_name(element.tag, element.prefix)
    if len(element.attrib) > MAX_ATTRIBUTES:  # lxml reads them in quadratic time
        raise DescriptionError(f"{name}:{line}: <{tag}> has more than {MAX_ATTRIBUTES} attributes")
    attributes = {_plain_name(str(key), None): str(value) for key, value in element.attrib.items()}
    content = (element.text or "").strip()
    return Node(tag, name, line, report, attributes, largest=largest, content=content)


def _plain_name(name: str, prefix: str | None) -> str:
    """Turn {namespace}tag into prefix:tag."""
    if not name.startswith("{"):
        return name
    space, _, local = name[1:].partition("}")
    return f"{prefix or space.rpartition('/')[2]}:{local}"


MAX_PREFIXES = 20  # that are declared for a file
_UNDECLARED = re.compile(r"Namespace prefix ([\w.-]{1,60}) (?:for \S+ )?on \S+ is not defined")
_FIRST_TAG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w:.-]+(?=[\s/>])", re.DOTALL)


def _tolerant(text: str, *, is_deep: bool) -> tuple[etree._Element, str]:
    """Return the outermost element of a text, and a note on what was passed over; empty: nothing.

    Args:
        text: XML.
        is_deep: Whether elements may stand in one another deeper than libxml's own limit.

    Raises:
        etree.XMLSyntaxError: It is not well-formed otherwise.
        ValueError: It has characters that XML does not have.
    """
    notes: list[str] = []
    prefixes: set[str] = set()
    while True:
        try:
            return etree.fromstring(text.encode("utf-8"), _parser(is_deep)), "; ".join(notes)
        except etree.XMLSyntaxError as error:
            found = _UNDECLARED.search(error.msg or "")
            if found and found[1] not in prefixes and len(prefixes) < MAX_PREFIXES:
                prefixes.add(found[1])
                notes.append(f"prefix {found[1]}: is not declared; it was read as if it were")
                text = _declared(text, found[1])
                continue
            raise


def _parser(is_deep: bool) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=is_deep,
        remove_comments=True,
        remove_pis=True,
    )


def _declared(text: str, prefix: str) -> str:
    """Return a text whose first element declares a prefix; lines keep their numbers."""
    found = _FIRST_TAG.match(text)
    if found is None:
        return text
    return f'{text[: found.end()]} xmlns:{prefix}="undeclared:/{prefix}"{text[found.end() :]}'
