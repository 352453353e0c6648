"""The words under which people look things up stand in the pages, so that their search finds them."""

import json
import re

import pytest
from house.repository import ROOT

WORDS = """
domain randomization | domain randomisation
self collision | self-collision
inverse kinematics | inverse dynamics | forward dynamics | Jacobian
MJCF tendon | MJCF | URDF | SRDF | ROS | Choreonoid | RaiSim | MuJoCo | PyBullet
quaternion | rpy | Euler angles | rotation matrix | SciPy
friction coefficient | rolling friction | coefficient of restitution | static friction | Coulomb
height map | stairs | stepping stones | terrain generator
gravity compensation | effort limit | torque limit | joint limits | PD gains | armature | dry friction
mass matrix | center of mass | centre of mass | angular momentum
contact force | ground reaction | penetration | slip
lidar | depth camera | IMU | force-torque | ray
snapshot | reset | deterministic | time step | integrator
GPU | soft body | gradients | licence | batch | Gymnasium | reinforcement learning | ONNX | Stable-Baselines3
conveyor | cable | spring | hinge | weld | kinematic | density | mesh | convex hull
headless | video | screenshot | notebook | viewer
actuator lag | latency | sleeping | units
"""


def plain(text):
    """Return text as a search compares it: lower case, dashes and line ends as blanks."""
    return re.sub(r"[\s\-–_*`]+", " ", text.lower())


PAGES = plain("\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))))
ASKED = [word.strip() for line in WORDS.strip().splitlines() for word in line.split("|")]


def test_they_are_sixty():
    assert len(set(ASKED)) >= 60


@pytest.mark.parametrize("word", ASKED)
def test_a_page_has_it(word):
    assert re.search(rf"\b{re.escape(plain(word))}", PAGES)


@pytest.fixture(scope="module")
def index():
    """Return which pages of the built documentation have a word, by its stem, and the stemmer."""
    built = ROOT / "docs/_build/html/searchindex.js"
    if not built.is_file():
        pytest.skip("the pages are not built: make docs")
    english = pytest.importorskip("sphinx.search.en").SearchEnglish({})
    text = built.read_text("utf-8")
    kept = json.loads(text[text.index("{") : text.rindex("}") + 1])
    pages = {}
    for place in ("terms", "titleterms"):
        for stem, found in kept[place].items():
            pages.setdefault(stem, set()).update([found] if isinstance(found, int) else found)
    return pages, english


@pytest.mark.parametrize("word", ASKED)
def test_the_search_of_the_built_pages_finds_it(index, word):
    pages, english = index
    stems = [english.stem(part.lower()) for part in english.split(word) if part != "of"]
    common = set.intersection(*(pages.get(stem, set()) for stem in stems))
    assert common, f"no page has {stems}"
