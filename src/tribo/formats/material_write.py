"""Write material files as Choreonoid reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.files import to_write
from tribo.checks.replacing import write_whole
from tribo.formats.material_keys import CONTACT_KEYS, MATERIAL_KEYS
from tribo.materials import ContactMaterial, Material, MaterialLibrary
from tribo.materials.parameters import given

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
    if not isinstance(library, MaterialLibrary):
        raise TypeError(f"write_materials takes a MaterialLibrary, got {check.shown(library)}")
    file = to_write(check.path(path, "path"))
    try:
        import yaml
    except ImportError:
        raise ImportError('YAML files need PyYAML: pip install "tribo[yaml]"') from None
    made: dict[str, list[dict[str, Any]]] = {}
    materials = [library.material(name) for name in library.given_names]
    if materials:
        made["materials"] = [{"name": one.name} | _values(one, MATERIAL_KEYS) for one in materials]
    pairs = [
        {"materials": [pair.first, pair.second]} | _values(pair.law, CONTACT_KEYS)
        for pair in library
        if pair.is_explicit
    ]
    if pairs:
        made["contact_materials"] = pairs
    text = yaml.safe_dump(
        made, sort_keys=False, allow_unicode=True, default_flow_style=None, width=WIDE
    )
    write_whole(file, text.encode())


def _values(item: Material | ContactMaterial, keys: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return what was given of a material or pair, by its first key."""
    own = given(item) - {LEFT_OUT}
    return {
        spellings[0]: _plain(getattr(item, name)) for name, spellings in keys.items() if name in own
    }


def _plain(value: Any) -> Any:
    """Return a value as the writer of YAML takes it."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return float(value) if isinstance(value, float) else value
