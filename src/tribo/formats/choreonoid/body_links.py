"""Links of a body file, with those of the files that it takes in as parts (SubBody)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tribo.formats.choreonoid import track_links
from tribo.formats.choreonoid.elements import ElementReader, typed
from tribo.formats.choreonoid.keys import Angles, check_keys, choice, value, word
from tribo.formats.choreonoid.links import KNOWN as LINK_KEYS
from tribo.formats.choreonoid.links import BodyLink, LinkReader
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.nodes import known_hint
from tribo.formats.other_kinds import BODY_ENDINGS
from tribo.formats.pose import Pose
from tribo.formats.yaml_nodes import YamlNode, parse
from tribo.materials import MaterialLibrary

KNOWN = (
    "format", "format_version", "angle_unit", "name", "root_link", "links", "collision_detection",
    "collision_detection_rules", "extra_joints", "standard_pose", "link_groups", "body_handlers",
    "ik_interface", "analytic_ik", "custom_joint_paths", "possible_ik_interface_links",
    "default_ik_interface_link", "linked_joints", "foot_links", "title",
)  # fmt: skip
SUB_KEYS = ("uri", "prefix", "suffix", "device_prefix", "joint_id_offset")
NOT_OF_PARTS = ("collision_detection", "collision_detection_rules", "extra_joints")
NEWEST = 2.1
MAX_LINKS = 10_000
MAX_NESTED = 8  # body files within one another


class BodyReader:
    """Reads the links of a body file and of those that it names."""

    def __init__(
        self, package_dirs: Sequence[Path], materials: MaterialLibrary | None,
        *, is_fixed: bool | None = None, gives_way: bool = False,
    ) -> None:  # fmt: skip
        """Take where files are looked up, the materials, and what takes notes.

        `is_fixed`: whether the root stands; None: as the file says. `gives_way`: as `LinkReader`.
        """
        self._gives_way = gives_way
        self._dirs = package_dirs
        self._is_fixed = is_fixed
        self._materials = materials
        self._count = 0
        self.chains: list[track_links.Chain] = []
        self._parsed: dict[Path, YamlNode] = {}

    @staticmethod
    def name_of(root: YamlNode, path: Path | None) -> str:
        """Return what a body is called: by itself, else after its file."""
        return word(root, "name") or (path.stem if path is not None else "body")

    def read(
        self, root: YamlNode, path: Path | None, above: tuple[Path, ...] = (), *, is_part: bool = False
    ) -> tuple[dict[str, BodyLink], BodyLink]:
        """Return the links of a file by name, and its root link.

        Args:
            root: The file.
            path: Where it is; None: it is a text.
            above: Files that take it in as a part, the outermost first.
            is_part: Whether one does.

        Raises:
            DescriptionError: A link is wrong; the message says where.
        """
        check_header(root)
        if path is not None:
            above = (*above, path.resolve())
        angles = Angles(degrees=word(root, "angle_unit", "degree") != "radian")
        elements = ElementReader(angles, path, self._dirs)
        reader = LinkReader(
            angles, elements, self._materials, self.name_of(root, path), gives_way=self._gives_way
        )
        listed = root.get("links")
        if listed is None:
            raise root.error("has no links; a body needs at least one")
        if listed.kind == "list":
            items = [node.need("mapping", "a link") for node in listed.items]
            nodes = [(word(node, "type", "Link"), node) for node in items]
        else:
            nodes = typed(listed)
        links: dict[str, BodyLink] = {}
        for kind, node in nodes:
            if kind == "Skip":
                continue
            if kind == "SubBody":
                made = self._part(node, path, above, reader)
            elif kind == track_links.KIND:
                if is_part:
                    raise node.error(f"a {kind} in a SubBody is not supported; write it into this file")
                made, chain = track_links.read(node, reader, angles)
                self.chains.append(chain)
                self._count += len(made)
            elif kind == "Link":
                is_root = not is_part and node.get("parent") is None
                made = [reader.read(node, is_root=is_root, is_fixed=self._is_fixed)]
                self._count += 1
            else:
                raise node.error(f"{kind[:60]} among the links is not supported; write its links out")
            if self._count > MAX_LINKS:
                raise node.error(f"more than {MAX_LINKS} links; split the body")
            for link in made:
                if link.name in links:
                    first = links[link.name].node.place
                    raise node.error(f"a link named {link.name!r} stands in {first} already; rename one")
                links[link.name] = link
        if not links:
            raise listed.error("has no link; a body needs at least one")
        return links, base_of(root, links)

    def _part(
        self, node: YamlNode, path: Path | None, above: tuple[Path, ...], reader: LinkReader
    ) -> list[BodyLink]:
        """Read a file that is a part of this one; its root hangs where the part says."""
        check_keys(node, (*SUB_KEYS, *LINK_KEYS), "a SubBody", is_open=True)
        reference = word(node, "uri")
        if not reference.lower().endswith(BODY_ENDINGS):
            raise node.error(f"a SubBody needs uri: FILE.body, got {reference!r}")
        found, reason = MeshFinder(path, self._dirs).look_up(reference)
        if found is None:
            raise node.error(f"SubBody {reference!r}: {reason}")
        if found in above or len(above) >= MAX_NESTED:
            raise node.error(f"SubBody {reference!r} contains itself, or {MAX_NESTED} others in one another")
        if found not in self._parsed:
            parsed = parse(found, "body file", node.report)
            self._parsed[found] = parsed.need("mapping", "a body file")
        root = self._parsed[found]
        links, base = self.read(root, found, above, is_part=True)
        for key in NOT_OF_PARTS:
            if value(root, key) is not None:
                node.doubt(f"{key} of {reference} is left out: write it into this file")
        prefix, suffix = word(node, "prefix"), word(node, "suffix")
        for link in links.values():
            link.joint = replace(link.joint, name=f"{prefix}{link.joint.name}{suffix}")
            link.name = f"{prefix}{link.name}{suffix}"
            link.parent = f"{prefix}{link.parent}{suffix}" if link.parent else ""
        own = reader.angles.pose(node)
        base.pose = Pose(
            own.position if node.get("translation") is not None else base.pose.position,
            own.quaternion if node.get("rotation") is not None else base.pose.quaternion,
        )
        base.parent = word(node, "parent")
        if value(node, "joint_type") is not None:
            base.joint = reader.joint(node, base.joint.name, base.pose)
            base.start = reader.start(node, base.joint)
        base.joint.position, base.joint.quaternion = base.pose.position, base.pose.quaternion
        return list(links.values())


def check_header(root: YamlNode) -> None:
    """Refuse what is no body file, or too new; note unknown keys."""
    kind = root.get("format")
    if kind is None or kind.word() != "ChoreonoidBody":
        if root.get("modelFile", "model_file") is not None:
            raise root.error("is a wrapper around another file (modelFile); load that file")
        raise root.error("is no body file of Choreonoid: it must begin with format: ChoreonoidBody")
    version = value(root, "format_version")
    if version is not None and version.number() >= NEWEST:
        raise version.error(f"format version {version.text} is not read; the newest that is read is 2.0")
    choice(root, "angle_unit", ("degree", "radian"), "degree")
    check_keys(root, KNOWN, "a body", is_open=True)


def base_of(root: YamlNode, links: dict[str, BodyLink]) -> BodyLink:
    """Return the root link; every other one must hang on it."""
    label = value(root, "root_link")
    base = next(iter(links.values()))
    if label is not None:
        if label.word() not in links:
            raise label.error(f"rootLink {label.shown()} does not exist{known_hint(label.word(), links)}")
        base = links[label.word()]
    if base.parent:
        raise base.node.error(f"is the root link and hangs on {base.parent!r}; take its parent away")
    for link in links.values():
        if link is not base and link.parent not in links:
            what = f"parent {link.parent!r} does not exist" if link.parent else "has no parent"
            hint = known_hint(link.parent, links) if link.parent else f"; the root is {base.name!r}"
            raise link.node.error(f"link {link.name!r}: {what}{hint}")
    try:
        TopologicalSorter({link.name: {link.parent} for link in links.values()}).prepare()
    except CycleError as error:
        link = links[error.args[1][0]]
        raise link.node.error(f"link {link.name!r} is part of a loop of parents; cut it") from None
    return base
