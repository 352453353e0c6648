"""A motion on the compliant ground as frames, pictures, plots and in the player."""

import numpy as np
import pytest

from tribo import spatial
from tribo.ground import Ground, simulate
from tribo.viewer import draw, ground_plot
from tribo.viewer.player import Player
from tribo.viewer.take import Take

pytest.importorskip("trimesh")


@pytest.fixture(scope="module")
def disc_motion():
    x = [1, 0, 0, 0, 0, 0, 0.06, 0, 3.0, 0, 0.15, 0, 0]
    return simulate(spatial.rollingdisc(8), Ground(1e6, 2000.0), 0.2, xfb=x)


@pytest.fixture(scope="module")
def arm_motion():
    arm = spatial.planar(2)
    arm.gravity = np.array([0.0, -9.81])
    arm.gc = spatial.GroundContact([1], [[1.0], [0.0]])
    return simulate(arm, Ground(1e4, 100.0), 0.5, q=[0.3, 0.2])


def test_frames_are_the_motion(disc_motion):
    take = Take.of(disc_motion, rate=100)
    assert len(take.time) == 21
    assert take.time[[0, -1]].tolist() == [0.0, 0.2]
    at = disc_motion.at(take.time)
    assert np.allclose(take.position[:, 1], take.scale * at.xfb[:, 4:7], atol=1e-14)
    for q, rotation in zip(at.xfb[:, :4], take.rotation[:, 1], strict=True):
        assert np.allclose(spatial.rq(q).T, rotation, atol=1e-12)
    touching = int(np.argmax(np.linalg.norm(take.force, axis=2).max(axis=1)))
    shown = take.forces(touching)
    assert len(shown.point) == (at.contact[touching] > 0).sum()
    assert np.linalg.norm(shown.force, axis=1).max() * take.arrow <= 0.4 + 1e-12
    # A disc of 5 cm is drawn enlarged, a metre as it is.
    assert take.scale > 3.0


def test_planar_models_stand_upright(arm_motion):
    take = Take.of(arm_motion, rate=20)
    assert take.scale == 1.0
    elbow = np.stack([np.cos(arm_motion.at(take.time).q[:, 0]), np.sin(arm_motion.at(take.time).q[:, 0])])
    assert np.allclose(take.position[:, 2], np.stack([elbow[0], 0 * elbow[0], elbow[1]], 1), atol=1e-12)
    assert np.allclose(np.linalg.det(take.rotation), 1.0)


def test_drawing_instructions():
    """Every instruction draws something; colours set in a scope stay there."""
    model = spatial.rollingdisc(4)
    red, blue = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    model.appearance.body[5] = [
        ["colour", [red]],
        [["colour", [blue]], ["sphere", [0, 0, 0], 0.1]],
        ["box", [[0, 0, 0], [0.1, 0.2, 0.3]]],
        ["cyl", [[0, 0, 0], [0, 0.2, 0]], 0.02],
        ["line", [[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0]]],
        ["vertices", [[0, 0, 0], [1, 0, 0], [0, 1, 0]]],
        ["facets", 24],
        ["triangles", [[0, 1, 2]]],
    ]
    x = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    take = Take.of(simulate(model, Ground(1e6, 2000.0), 0.05, xfb=x), scale=1.0)
    items = take.scene.visual.items
    assert [d.color for d in items] == [tuple(blue)] + [tuple(red)] * 5
    assert items[1].size == pytest.approx((0.05, 0.1, 0.15))
    assert items[1].position == pytest.approx([0.05, 0.1, 0.15])
    assert np.allclose(items[2].rotation[:, 2], [0, 1, 0])
    assert len(items[5].mesh.faces) == 1


def test_pictures_and_plots(disc_motion, tmp_path):
    take = Take.of(disc_motion, rate=20)
    style = draw.Style(64, 48, samples=1, force_scale=take.arrow)
    pictures = list(take.pictures(style=style))
    assert [p.shape for p in pictures] == [(48, 64, 3)] * 5
    assert (pictures[0] != pictures[-1]).any()
    pytest.importorskip("matplotlib")
    ground_plot.plot(disc_motion, tmp_path / "plot.png", "title")
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_player_plays_scrubs_and_turns_back(disc_motion):
    pytest.importorskip("viser")
    take = Take.of(disc_motion, rate=50)
    with Player(take, port=8431) as player:
        assert player.address.startswith("http://127.0.0.1:")
        player.show(0.1)
        assert player.time == pytest.approx(0.1)
        player.show(9.0)
        assert player.time == pytest.approx(0.2)
        assert player._after(0.1) == 0.0  # from the end it begins again
        player._set_speed(-2.0)
        player._repeats = False
        player.show(0.05)
        player.run(0.3)
        assert player.time == 0.0  # played backwards to the start, and stopped
        assert not player._is_playing
        player._set_forces(False)
        player._set_speed("fast")
        assert player._speed == -2.0
        with pytest.raises(ValueError, match="finite"):
            player.show(np.nan)
