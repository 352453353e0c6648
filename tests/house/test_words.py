"""The field's words: names that only this project used are found nowhere in the sources and the pages.

A reader who knows Featherstone, Box2D and MuJoCo must recognise every name. CHANGELOG.md keeps what it said.
"""

import re

import pytest
from house.repository import kept_text

# An old word as a pattern, and the field's word for it.
OLD = {
    r"blows?": "impact",
    r"hands?_on": "event-driven impact",
    r"compan(?:y|ies)": "constrained group",
    r"what is tied together|hold_together": "constrained group",
    r"calm\w*": "energy limiter",
    r"settle_rounds": "fixed-point iteration of the bias force",
    r"polish\w*": "Newton refinement",
    r"pile_start": "scratch with a name of its own",
    r"closure": "constraint velocity bound, position projection",
    r"recovery": "penetration correction",
    r"(?:contact|way)_bend": "J̇v drift",
    r"swift|turns_far": "fast rotation",
    r"whipped": "accelerated strongly",
    r"sights?": "shape filter",
    r"blamed?": "diagnostics",
    r"complaints?": "warnings",
    r"yield_u": "tangential displacement",
    r"free trees?": "unconstrained tree",
    r"stirred|drowsy": "awake flag, sleep candidate",
    r"pass(?:ed)?_over": "suppress",
    r"packets?": "lane group",
    r"loose_(?:row|dof|rows|contacts)": "free body",
    r"tied_\w+|tie_of|TIE_SLOTS": "constrained, constraint",
    r"set_row_rates": "penalty",
    r"triangle_fold|ring_part": "dihedral angle, vertex neighbours",
}
# Where a word is another one: of a linker all that a function reaches, of a soft ground its time, warnings
# of a table of materials.
LEFT: dict[str, tuple[str, ...]] = {}
LEFT["closure"] = ("src/tribo/compiler/",)
LEFT["recovery"] = ("src/tribo/ground/",)
LEFT["complaints?"] = ("src/tribo/materials/", "src/tribo/tools/", "src/tribo/viewer/film.py")
LEFT[r"polish\w*"] = ("src/tribo/identification/search.py",)  # an argument of SciPy
PAGES = [
    (name, text)
    for name, text in kept_text()
    if name.startswith(("src/tribo/", "docs/")) or name in ("README.md", "ARCHITECTURE.md")
]


def found(word, text):
    """Return the lines of a text in which a word stands, as a word or as part of a name."""
    pattern = re.compile(rf"(?:\b|_)(?:{word})(?:\b|_)", re.IGNORECASE)
    return [number for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


@pytest.mark.parametrize("word", OLD)
def test_an_old_word_is_gone(word):
    allowed = LEFT.get(word, ())
    left = [
        f"{name}:{lines[0]}"
        for name, text in PAGES
        if not name.startswith(allowed or "\0") and (lines := found(word, text))
    ]
    assert left == [], f"say {OLD[word]!r}"


def test_words_are_found_in_names_and_sentences():
    assert found("blows?", "x\nwork.contact_blow[c]\nblow_shift") == [2, 3]
    assert found("recovery", "No recovery here.") == [1]
    assert found("swift|turns_far", "SwiftUI, turns_farther") == []
