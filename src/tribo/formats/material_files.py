"""Read material files as Choreonoid has them, several over one another, and write them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.check import LARGEST
from tribo.checks.errors import DescriptionError
from tribo.checks.files import to_write
from tribo.checks.replacing import write_whole
from tribo.formats import raisim_xml
from tribo.formats.material_keys import CONTACT_KEYS, LISTS, MATERIAL_KEYS, OTHER_ENGINES
from tribo.formats.nodes import known_hint
from tribo.formats.report import Report
from tribo.formats.yaml_nodes import YamlNode, is_text, parse
from tribo.materials import ContactMaterial, EffectivePair, Material, MaterialLibrary, MaterialTable
from tribo.materials.contact_material import friction_model, reduction_mode
from tribo.materials.material import canonical_name
from tribo.materials.pair_properties import DEFAULT_MATERIAL, PairProperties
from tribo.materials.parameters import Parameter, given, parameters
from tribo.materials.table import Law

ENDINGS = (".yaml", ".yml")
EMPTY = "; all pairs have standard values. Is it the right file?"
MAX_NAMES = 200  # in one entry: 20 000 pairs
MAX_PAIRS = 100_000  # that are set in a world
SHOWN = 20  # lines of a message
_WORDS = {"friction_model": friction_model, "contact_reduction_mode": reduction_mode}


@answered_call
def read_materials(*sources: str | Path, strict: bool = False) -> MaterialLibrary:
    """Read material files of Choreonoid's AGX Dynamics plugin; later ones are put over earlier ones.

    Keys may be spelt ``youngs_modulus`` or ``youngsModulus``, both in one entry too (the first wins). A
    list of three or more names in a contact material sets every pair among them. Keys that are unknown or
    misspelt and values that are no numbers are left out; `MaterialLibrary.doubts` says so, with line,
    column and the nearest known key.

    Args:
        sources: YAML files (or texts of several lines), the default table first.
        strict: Make such doubts errors.

    Raises:
        DescriptionError: Not readable, too large, or a value out of range; the message says where.
        ImportError: PyYAML is missing (``pip install "tribo[yaml]"``).

    Example:
        >>> library = read_materials('''
        ... materials:
        ...   - { name: steel, roughness: 0.3 }
        ... contactMaterials:
        ...   - { materials: [ steel, rubber ], friction: 0.9, youngsModulus: 1e7 }
        ... ''')
        >>> library.pair("rubber", "steel").law.youngs_modulus
        10000000.0
        >>> library.doubts
        ("<material file>:5:27: material 'rubber' is not in materials: it has standard values",)
    """
    library = MaterialLibrary()
    for source in sources:
        library.merge(_read_one(source, library, strict=strict))
    return library


def _read_one(source: str | Path, below: MaterialLibrary, *, strict: bool) -> MaterialLibrary:
    report = Report(strict=strict)
    root = parse(source, "material file", report).need("mapping", "a material file")
    made = MaterialLibrary()
    for name, (key, _) in root.entries.items():
        known = [word for words in LISTS.values() for word in words]
        hint = "" if name in known else known_hint(name, known)
        if hint:  # what is not near to a list is where files park anchors
            key.doubt(f"{key.shown()} is unknown here, ignored{hint}")
    seen: dict[str, YamlNode] = {}
    wrong: list[DescriptionError] = []  # of entries: all of them are read before the first is said
    for node in _entries(root, "materials"):
        try:
            material = _material(node)
        except DescriptionError as error:
            wrong.append(error)
            continue
        if material is None:
            continue
        if material.name in seen:
            node.doubt(
                f"material {material.name!r} stands in line {seen[material.name].line} already; the last one "
                "counts"
            )
        seen[material.name] = node
        made.add(material)
    found = _entries(root, "contact_materials")
    given: dict[tuple[str, str], int] = {}
    all_known = not wrong  # a name may be that of a material that could not be read
    for node in found:
        try:
            names = _names(node)
            law = _contact(node)
        except DescriptionError as error:
            wrong.append(error)
            continue
        for name, at in names:
            if all_known and name not in made and name not in below:
                near = check.nearest(name, [*seen, *below.names])
                near = near if "did you mean" in near else ""
                said = f"material {name!r} is not in materials: it has standard values{near}"
                at.doubt(said)
        plain = [name for name, _ in names]
        distinct = list(dict.fromkeys(plain))
        own = [name for name in distinct if plain.count(name) > 1]
        for pair in (*combinations(distinct, 2), *((name, name) for name in own)):
            made.set_pair(*pair, law)
            both = (min(pair), max(pair))
            if both in given:
                node.doubt(
                    f"the pair {both[0]!r}, {both[1]!r} stands in line {given[both]} already; the last one "
                    "counts"
                )
            given[both] = node.line
    if wrong:
        raise DescriptionError(_together([str(error) for error in wrong], report.doubts))
    if not seen and not found and not report.doubts:
        root.doubt(f"holds no material and no pair{EMPTY}")
    made.take_notes(report.notes, report.doubts)
    return made


def _together(errors: Sequence[str], doubts: Sequence[str]) -> str:
    """Return one message about all that is wrong in a file, errors first."""
    lines = [*errors, *(f"also: {doubt}" for doubt in doubts)]
    more = len(lines) - SHOWN
    return "\n".join(lines[:SHOWN]) + (f"\n… and {more} more" if more > 0 else "")


def _entries(root: YamlNode, name: str) -> list[YamlNode]:
    """Return the mappings of a list; today's spelling of its key wins."""
    found = [root.entries[key] for key in LISTS[name] if key in root.entries]
    for key, _ in found[1:]:
        key.doubt(f"{key.shown()} is ignored: {found[0][0].shown()} stands there too; keep one")
    if not found or found[0][1].is_null:
        return []
    nodes = found[0][1].need("list", name).items
    return [node.need("mapping", f"an entry of {name}") for node in nodes]


def _material(node: YamlNode) -> Material | None:
    if "name" not in node.entries:
        node.doubt("a material without name is left out; give it one")
        return None
    label = node.entries["name"][1]
    name = canonical_name("" if label.is_null else label.word())
    owner = f"material {name!r}"
    _check_keys(node, MATERIAL_KEYS, ("name", *OTHER_ENGINES["material"]), owner)
    _note_others(node, OTHER_ENGINES["material"])
    values = _numbers(node, MATERIAL_KEYS, parameters(Material), owner)
    if "poisson_ratio" in values:
        at = _value(node, MATERIAL_KEYS["poisson_ratio"], owner)
        (at or node).doubt(f"poissonRatio of {owner} has no effect: deprecated; leave it out")
        del values["poisson_ratio"]
    return Material(name, **values)


def _names(node: YamlNode) -> list[tuple[str, YamlNode]]:
    """Return the names of a contact material, at least two."""
    value = node.get("materials")
    if value is None:
        raise node.error(
            f"a contact material needs materials: [ NAME, NAME ]{known_hint('materials', node.entries)}"
        )
    names = [(canonical_name(item.word()), item) for item in value.need("list", "materials").items]
    if len(names) < 2:
        raise value.error(
            f"a contact material joins two materials or more, got {len(names)}; of one material with itself "
            "write its name twice"
        )
    if len(names) > MAX_NAMES:
        raise value.error(f"{len(names)} names are more than {MAX_NAMES}; split the entry")
    return names


def _contact(node: YamlNode) -> ContactMaterial:
    owner = "a contact material"
    _check_keys(node, CONTACT_KEYS, ("materials", *OTHER_ENGINES["contact"]), owner)
    _note_others(node, OTHER_ENGINES["contact"])
    known = parameters(ContactMaterial)
    known |= dict.fromkeys(("static_friction", "dynamic_friction"), known["friction"])
    known["constant_normal_force"] = Parameter("N")
    values: dict[str, Any] = _numbers(node, CONTACT_KEYS, known, owner)
    if "static_friction" in values:
        values["friction"] = values.pop("static_friction")
    dynamic = values.pop("dynamic_friction", None)
    if dynamic is not None and dynamic != values.get("friction"):
        at = _value(node, CONTACT_KEYS["dynamic_friction"], owner) or node
        at.doubt("dynamic friction is ignored: a contact material has one coefficient")
    for name, translate in _WORDS.items():
        value = _value(node, CONTACT_KEYS[name], owner)
        if value is not None:
            words = [item.text for item in value.items] if value.kind == "list" else value.text
            try:
                values[name] = translate(words)
            except ValueError as error:
                value.doubt(f"{error}; the default is used")
    for name in ("reference_body", "reference_link"):
        value = _value(node, CONTACT_KEYS[name], owner)
        if value is not None:
            values[name] = value.word()
    direction = _value(node, CONTACT_KEYS["primary_direction"], owner)
    if direction is not None:
        values["primary_direction"] = direction.numbers(3)
    bins = _value(node, CONTACT_KEYS["contact_reduction_bin_resolution"], owner)
    if bins is not None:
        count = bins.number()
        if not count.is_integer():
            raise bins.error(f"contactReductionBinResolution must be a whole number, got {bins.shown()}")
        values["contact_reduction_bin_resolution"] = int(count)
    try:
        return ContactMaterial(**values)
    except ValueError as error:
        raise node.error(str(error)) from None


def _numbers(
    node: YamlNode, keys: Mapping[str, tuple[str, ...]], kinds: Mapping[str, Parameter], owner: str
) -> dict[str, Any]:
    """Return the numbers that stand in an entry; what is none is left out with a doubt."""
    values: dict[str, Any] = {}
    for name, kind in kinds.items():
        value = _value(node, keys[name], owner)
        if value is None:
            continue
        number = value.as_number()
        if number is None:
            value.doubt(f"{name} of {owner} is no number ({value.shown()}): the standard value is used")
        elif kind.unit == "Pa" and LARGEST <= kind.most < number < math.inf:
            value.note(
                f"{name} of {owner} is {value.shown()}, more than a double solves with: it is "
                f"taken as {kind.most:g}",
                f"{value.place} limit",
            )
            values[name] = kind.most
        elif not kind.least <= number <= kind.most or (kind.is_open and number == kind.least):
            sign = ">" if kind.is_open else "≥"
            is_usual = kind.most >= LARGEST and number <= kind.most
            most = "" if is_usual else f" and ≤ {kind.most:g}"
            unit = "" if kind.unit == "–" else f" {kind.unit}"
            raise value.error(
                f"{name} of {owner} must be {sign} {kind.least:g}{most}{unit}, got {value.shown()}"
            )
        else:
            values[name] = number
    return values


def _value(node: YamlNode, keys: tuple[str, ...], owner: str) -> YamlNode | None:
    """Return the value of a parameter, None if it is not there or empty; its first spelling wins."""
    found = [node.entries[key] for key in keys if key in node.entries]
    for key, value in found:
        if value.is_null:
            text = f"{key.text} of {owner} has no value: the standard value is used"
            value.doubt(text, f"{value.place} empty")
    filled = [entry for entry in found if not entry[1].is_null]
    for key, value in filled[1:]:
        if value.text != filled[0][1].text or value.kind != "scalar":
            text = f"{key.text} of {owner} is ignored: {filled[0][0].text} stands there too; keep one"
            key.doubt(text, f"{key.place} twice")
    return filled[0][1] if filled else None


def _check_keys(
    node: YamlNode, keys: Mapping[str, tuple[str, ...]], also: tuple[str, ...], owner: str
) -> None:
    known = [*(word for words in keys.values() for word in words), *also]
    for name, (key, _) in node.entries.items():
        if name not in known:
            key.doubt(f"{key.shown()} of {owner} is unknown, ignored{known_hint(name, known)}",
                      f"{key.place} unknown")  # fmt: skip


def _note_others(node: YamlNode, names: tuple[str, ...]) -> None:
    for name in names:
        if name in node.entries:
            node.entries[name][0].note(f"{name} is for another engine", f"other {name}")


# -- into the table of a world ---------------------------------------------------------------------
def fill_table(table: MaterialTable, source: str | Path | MaterialLibrary, *, rigid: bool) -> tuple[str, ...]:
    """Set the default pair and the pairs of a material table from a file or library; return its doubts.

    Args:
        table: It stays as it was if anything is wrong.
        source: XML or YAML file, or a library.
        rigid: Take of contact materials what a rigid pair has.

    Raises:
        DescriptionError: The file cannot be read, or a rigid pair cannot be what it says.
        TypeError: It is none of these.
    """
    if not isinstance(source, MaterialLibrary):
        check.instance(
            source,
            (str, Path),
            "load_materials takes a path, XML or YAML text, or what read_materials returned",
        )
        if not (is_text(source) or Path(source).suffix.lower() in ENDINGS):
            if rigid:
                raise DescriptionError(f"{source}: rigid=True is for YAML; pairs in XML say it themselves")
            default, pairs, origins = raisim_xml.read_materials(source)
            table.default = default
            for key, properties in pairs.items():
                table.take_pair(*key, properties, origins[key])
            is_empty = not pairs and default == PairProperties()
            return (f"{source}: sets no pair of materials{EMPTY}",) if is_empty else ()
        source = read_materials(source)
    laws = _laws(source, rigid=rigid)
    table.default = laws.pop((DEFAULT_MATERIAL, DEFAULT_MATERIAL))[0]
    for (first, second), (properties, origin) in laws.items():
        table.take_pair(first, second, properties, origin)
    return source.doubts


Laws = dict[tuple[str, str], tuple[Law, dict[str, str]]]


def _laws(library: MaterialLibrary, *, rigid: bool) -> Laws:
    """Return the law of every two materials, and where its values come from."""
    if len(library) > MAX_PAIRS:
        raise DescriptionError(
            f"{len(library.names)} materials make {len(library)} pairs, more than {MAX_PAIRS}; leave out "
            "what no shape has"
        )
    return {
        (pair.first, pair.second): _rigid_law(pair) if rigid else (pair.law, _origins(pair))
        for pair in library
    }


def _origins(pair: EffectivePair) -> dict[str, str]:
    """Return where each value of a pair comes from, with the terms of its formula."""
    return {
        name: f"{origin}: {pair.detail[name]}" if pair.detail.get(name) else origin
        for name, origin in pair.origin.items()
    }


def _rigid_law(pair: EffectivePair) -> tuple[Law, dict[str, str]]:
    """Return what of a pair a rigid one has, and where that comes from."""
    try:
        made = pair.law.rigid()
    except ValueError as error:
        raise DescriptionError(
            f"pair {pair.first!r}, {pair.second!r}: {error}; or load library.subset(…) without them"
        ) from None
    origin = {name: text for name, text in _origins(pair).items() if name in {"friction", "restitution"}}
    origin["static_friction"] = "equal to friction (a contact material has one coefficient)"
    return made, origin


WIDE = 1000  # letters of a line: an entry stays in one
LEFT_OUT = "poisson_ratio"  # nothing reads it


@answered_call
def write_materials(library: MaterialLibrary, path: str | Path) -> None:
    """Write a library as a material file; `read_materials` returns the same from it.

    Of each material and pair what was given is written, in today's keys; what has its standard value is not.
    Comments, anchors and merges of a file that it was read from are gone.

    Args:
        library: As `read_materials` returns it.
        path: Of the file; it is replaced.

    Raises:
        TypeError, ValueError: It is no `MaterialLibrary`, or the path is none.
        OSError: The file cannot be written.
        ImportError: PyYAML is missing (``pip install "tribo[yaml]"``).

    Example:
        >>> import tempfile
        >>> library = MaterialLibrary()
        >>> library.add(Material("ice", roughness=0.1))
        >>> library.set_pair("ice", "steel", ContactMaterial(youngs_modulus=1e10, friction=0.02))
        >>> path = Path(tempfile.mkdtemp()) / "materials.yaml"
        >>> write_materials(library, path)
        >>> print(path.read_text().strip())
        materials:
        - {name: ice, roughness: 0.1}
        contact_materials:
        - materials: [ice, steel]
          youngs_modulus: 10000000000.0
          friction: 0.02
    """
    check.instance(library, MaterialLibrary, "write_materials takes a MaterialLibrary")
    file = to_write(check.path(path, "path"))
    with check.needed('YAML files need PyYAML: pip install "tribo[yaml]"'):
        import yaml
    made: dict[str, list[dict[str, Any]]] = {}
    materials = [library.material(name) for name in library.given_names]
    if materials:
        made["materials"] = [{"name": one.name} | _written(one, MATERIAL_KEYS) for one in materials]
    pairs = [
        {"materials": [pair.first, pair.second]} | _written(pair.law, CONTACT_KEYS)
        for pair in library
        if pair.is_explicit
    ]
    if pairs:
        made["contact_materials"] = pairs
    text = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, default_flow_style=None, width=WIDE)
    write_whole(file, text.encode())


def _written(item: Material | ContactMaterial, keys: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return what was given of a material or pair, by its first key."""
    own = given(item) - {LEFT_OUT}
    return {
        spellings[0]: _plain_value(getattr(item, name)) for name, spellings in keys.items() if name in own
    }


def _plain_value(value: Any) -> Any:
    """Return a value as the writer of YAML takes it."""
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    return float(value) if isinstance(value, float) else value
