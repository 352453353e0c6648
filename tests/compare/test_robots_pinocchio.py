"""Every robot of example-robot-data that loads, in random states, against Pinocchio's own reading of it.

Two programs that sum the same products in another order differ by round-off. Relative to the largest entry
that is 1e-10 at most, except where M⁻¹ enlarges it: forward dynamics and M⁻¹ are compared to
1e-10 or 2 ε κ(M), whichever is larger; and inverse dynamics takes the accelerations back to τ.
"""

import numpy as np
import pytest
from robots import robot_files, robot_folder

import tribo
from tribo.compiler.jit import DISABLED
from tribo.description.trees import DescriptionError
from tribo.formats import urdf

pytest.importorskip("pinocchio", reason="the peer, Pinocchio, is not installed")
from pinocchio_peer import Peer, random_states
from pinocchio_robots import ALL, GRAVITY, Case

STATES = 2 if DISABLED else 100


@pytest.fixture(scope="module", params=robot_files(), ids=lambda f: f.relative_to(robot_folder()).as_posix())
def case(request):
    """Return robot, peer, states and random numbers."""
    try:
        tree = urdf.read(request.param)
    except DescriptionError as error:
        pytest.skip(f"does not load: {error}")
    robot = tribo.World(gravity=GRAVITY).add_articulated_system(tree)
    rng = np.random.default_rng(len(request.param.name))
    states = random_states(robot.description, rng, STATES)
    peer = Peer(request.param, robot.description, GRAVITY)
    if not peer.is_physical:
        pytest.skip("has inertias below zero, which tribo replaces with a word")
    return Case(robot, peer, states, rng)


@pytest.mark.parametrize("quantities", ALL, ids=lambda function: function.__name__)
def test_agrees(case, quantities):
    """Each quantity of the group, for each state."""
    count = 0
    for difference in quantities(case):
        assert difference.relative <= difference.allowed, difference.what
        count += 1
    assert count > 0 or case.robot.dof == 0
