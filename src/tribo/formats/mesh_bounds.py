"""Bounds on mesh files: the size of their parts is computed before any of them is made."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from typing import Any

MAX_FACES = 2_000_000
MAX_NUMBERS = 20 * MAX_FACES  # entries of all arrays of a file, each as often as it is used
MAX_PLACES = 100_000  # where parts of a file are placed
MAX_PIXELS = 1 << 26  # of all pictures of a file together
MAX_DEPTH = 200  # of nodes within nodes
MAX_LETTERS = 128 << 20  # of the indices of a COLLADA file, each as often as it is placed
_BOMS = (  # longest first: one is the beginning of another
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"),
)  # fmt: skip
_WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


class MeshError(ValueError):
    """A mesh cannot be drawn; the message says why."""


class NoReaderError(MeshError, ImportError):
    """The package that reads meshes is missing."""


# -- COLLADA --------------------------------------------------------------------------------------
def plain_collada(data: bytes) -> bytes:
    """Return a COLLADA document as UTF-8 without a declaration, checked after it was decoded.

    Raises:
        MeshError: It is no UTF-8, UTF-16 or UTF-32, no plain XML (an archive, say), has a document type
            or entities, or places its meshes too often.
    """
    from tribo.formats.xml import without_declaration  # with lxml, which few meshes need

    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding).lstrip("\ufeff")
    except UnicodeDecodeError:
        raise MeshError("it is no XML in UTF-8, UTF-16 or UTF-32; archives are not read") from None
    if not text.lstrip().startswith("<") or any(chr(k) in text for k in range(32) if k not in (9, 10, 13)):
        raise MeshError("it is no XML: archives and other binary files are not read")
    text = without_declaration(text)
    if "<!" in text.replace("<!--", ""):
        raise MeshError("it declares XML entities or a document type")
    content = text.encode("utf-8", "surrogatepass")
    _check_instances(content)
    return content


def _check_instances(content: bytes) -> None:
    """Refuse nodes that place nodes that place meshes … more often than any machine could."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise MeshError(f"it is not well-formed XML: {error}") from None
    nodes: dict[str, Any] = {}
    letters: dict[str, int] = {}
    for element in root.iter("{*}node"):
        nodes.setdefault(element.get("id", ""), element)
    for element in root.iter("{*}geometry", "{*}controller"):
        long = sum(len(p.text or "") for p in element.iter("{*}p", "{*}v", "{*}vcount"))
        letters[element.get("id", "")] = long
    known: dict[Any, tuple[int, int]] = {}

    def weigh(element: Any, depth: int) -> tuple[int, int]:
        """Return how many meshes a node places, and the length of all their indices."""
        if element in known:
            return known[element]
        if depth > MAX_DEPTH:
            raise MeshError(f"its nodes stand in one another more than {MAX_DEPTH} deep, or in themselves")
        places = total = 0
        for child in element:
            tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            url = child.get("url", "").removeprefix("#") if tag.startswith("instance_") else ""
            found = (0, 0)
            if tag == "instance_node" and url in nodes:
                found = weigh(nodes[url], depth + 1)
            elif tag in {"node", "visual_scene", "library_visual_scenes"}:
                found = weigh(child, depth + 1)
            elif tag in {"instance_geometry", "instance_controller"}:
                found = (1, letters.get(url, 0))
            places, total = places + found[0], total + found[1]
        known[element] = places, total
        return places, total

    for scene in root.iter("{*}visual_scene"):
        places, total = weigh(scene, 0)
        if places > MAX_PLACES or total > MAX_LETTERS:
            raise MeshError(f"it places its meshes {places} times, {total >> 20} MiB of indices in all")


# -- glTF -----------------------------------------------------------------------------------------
def check_gltf(data: bytes, ending: str) -> None:
    """Refuse lengths beyond the file, arrays announced or used without measure, and pictures too large."""
    text, binary = _parts_of(data) if ending == ".glb" else (data, b"")
    content = json.loads(text)
    if not isinstance(content, dict):
        raise MeshError("its description is no object")
    accessors = [_numbers_of(item) for item in content.get("accessors", ())]
    if sum(accessors) > MAX_NUMBERS:
        raise MeshError(f"its accessors announce {sum(accessors)} entries, more than {MAX_NUMBERS}")
    used = []
    for mesh in content.get("meshes", ()):
        parts = mesh["primitives"]
        names = [k for part in parts for k in (*part.get("attributes", {}).values(), part.get("indices"))]
        own = sum(accessors[k] for k in names if type(k) is int and 0 <= k < len(accessors))
        used.append(len(parts) + own)  # each part gets copies of the arrays that it names
    placed = sum(used) + sum(
        used[node["mesh"]] for node in content.get("nodes", ()) if isinstance(node.get("mesh"), int)
    )
    if placed > 2 * MAX_NUMBERS:
        raise MeshError(f"its parts use {placed} entries of its arrays, more than {2 * MAX_NUMBERS}")
    _check_tree(content)
    _check_pictures(content, binary)


def _parts_of(data: bytes) -> tuple[bytes, bytes]:
    """Return description and binary part of a GLB file."""
    parts: list[bytes] = []
    place = 12
    while place + 8 <= len(data):
        length = int.from_bytes(data[place : place + 4], "little")
        place += 8
        if length > len(data) - place:
            raise MeshError(f"it announces a part of {length} bytes and has {len(data) - place}")
        parts.append(data[place : place + length])
        place += length
    parts += [b"", b""]
    return parts[0], parts[1]


def _numbers_of(accessor: Mapping[str, Any]) -> int:
    """Return how many numbers an accessor announces."""
    count = accessor["count"]
    if type(count) is not int or count < 0:
        raise MeshError("the counts of its accessors must be whole numbers ≥ 0")
    return count * _WIDTH.get(accessor.get("type", "SCALAR"), 16)


def _check_tree(content: Mapping[str, Any]) -> None:
    """Refuse nodes that stand below several others, or below themselves: the scene would grow without end."""
    nodes = content.get("nodes", ())
    children = [child for node in nodes for child in node.get("children", ())]
    if len(nodes) > MAX_PLACES or len(children) != len(set(children)):
        raise MeshError(f"its nodes are no tree of at most {MAX_PLACES}: one stands below two others")


def _check_pictures(content: Mapping[str, Any], binary: bytes) -> None:
    """Refuse pictures that are too large together."""
    views, pixels = content.get("bufferViews", ()), 0
    for picture in content.get("images", ()):
        if "bufferView" in picture:
            view = views[picture["bufferView"]]
            start = int(view.get("byteOffset", 0))
            pixels += pixels_of(binary[start : start + int(view["byteLength"])])
        elif str(picture.get("uri", "")).startswith("data:"):
            import base64

            pixels += pixels_of(base64.b64decode(picture["uri"].partition(",")[2]))
        if pixels > MAX_PIXELS:
            raise MeshError(f"its pictures have more than {MAX_PIXELS >> 20} million pixels together")


def pixels_of(data: bytes) -> int:
    """Return how many pixels a picture has, from its first bytes; 0 if it is none that can be read."""
    try:
        from PIL import Image
    except ImportError:  # then nobody unpacks them
        return 0
    try:
        with Image.open(io.BytesIO(data)) as picture:
            return math.prod(picture.size)
    except Image.DecompressionBombError:
        return MAX_PIXELS + 1
    except Exception:  # a broken picture is nobody's business here: it is not drawn
        return 0
