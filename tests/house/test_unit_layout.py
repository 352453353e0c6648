"""tests/unit mirrors the package: the path of a test says which module or folder it is about.

``tests/unit/formats/test_urdf.py`` is about ``src/tribo/formats/urdf.py``. Several files about one module add
their subject: ``test_core_ellipsoid.py`` is about ``core.py``. Tests of other things live in other folders.
"""

import pytest
from house.repository import PACKAGE, ROOT

UNIT = ROOT / "tests" / "unit"
FILES = sorted(path for path in UNIT.rglob("*.py") if path.name != "conftest.py")


def subject_of(path):
    """Return the module or package that a file of tests is about, None if there is none."""
    folder = PACKAGE / path.parent.relative_to(UNIT)
    words = path.stem.split("_")
    if words[0] != "test":
        return None
    for count in range(len(words), 1, -1):
        place = folder / "_".join(words[1:count])
        if place.with_suffix(".py").is_file() or (place / "__init__.py").is_file():
            return place
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(UNIT)))
def test_a_file_of_tests_names_what_it_is_about(path):
    assert subject_of(path) is not None


def test_a_file_about_nothing_is_found():
    assert subject_of(UNIT / "formats" / "test_review_findings.py") is None
    assert subject_of(UNIT / "nowhere" / "test_urdf.py") is None
