"""Points, rotations, inertias and models that would come out wrong are refused in words."""

from pathlib import Path

import numpy as np
import pytest

from tribo import spatial

TURNED = np.arange(12.0).reshape(4, 3)  # points as rows, which is what Python's users have
HOLE = np.where(np.eye(3, 4, 1) > 0.0, np.nan, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: spatial.Xpt(np.eye(6), TURNED), r"Xpt .*columns of \(3, n\).*rows: give points\.T"),
        (lambda: spatial.Xpt(np.eye(3), TURNED), r"Xpt .*columns of \(2, n\)"),
        (lambda: spatial.Vpt(np.ones(6), TURNED), r"Vpt .*rows: give points\.T"),
        (lambda: spatial.Vpt(np.ones((6, 2)), TURNED.T), r"one for each point, got shapes \(6, 2\)"),
        (lambda: spatial.Vpt(np.ones(5), TURNED.T), r"6 or 3 numbers, got shape \(5,\)"),
        (lambda: spatial.Fpt(TURNED, TURNED), r"Fpt .*2 or 3 rows"),
        (lambda: spatial.Fpt(TURNED.ravel(), TURNED.ravel()), r"Fpt .*2 or 3 rows"),
        (lambda: spatial.Xpt(np.eye(6), HOLE), "Xpt: points must be finite, entry or column 1"),
        (lambda: spatial.Vpt(np.ones(6), HOLE), "Vpt: points must be finite, entry or column 1"),
        (lambda: spatial.Fpt(HOLE, TURNED.T), "Fpt: forces must be finite, entry or column 1"),
        (lambda: spatial.mcI(-1.0, np.zeros(3), np.eye(3)), "mcI: mass must be ≥ 0"),
        (lambda: spatial.mcI(1.0, np.zeros(3), -np.eye(3)), "mcI: I .*the least is -1"),
        (lambda: spatial.mcI(1.0, np.zeros(2), -1.0), "mcI: inertia of a planar body must be ≥ 0"),
        (lambda: spatial.mcI(1.0, np.zeros(3), np.ones(3)), "mcI: I must be 3×3"),
        (lambda: spatial.rv(2.0 * np.eye(3)), "rv: E must be a rotation.*differs from 1 by 3"),
        (lambda: spatial.rq(np.diag([1.0, 1.0, -1.0])), "rq: .*mirror image"),
        (lambda: spatial.rq(np.full((3, 3), np.nan)), "rq: E must be a rotation"),
        (lambda: spatial.plux(2.0 * np.eye(3), np.zeros(3)), "plux: E must be a rotation"),
        (lambda: spatial.plux(spatial.xlt([1, 2, 3]).T), "plux: X must be a transform of motion"),
        (lambda: spatial.pluho(2.0 * np.eye(4)), "plux: E must be a rotation"),
        (lambda: spatial.plnr(0.0, [1.0, 2.0, 3.0]), r"plnr .*\(2,\), got \(3,\)"),
        (lambda: spatial.GroundContact([0.5], np.zeros((3, 1))), "gc.body must be whole numbers"),
        (lambda: spatial.expandLambda([-1, 0], [1, 1.5]), "nf must be whole numbers"),
    ],
)  # fmt: skip
def test_what_would_come_out_wrong_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_models_that_are_none_are_refused():
    good = spatial.autoTree(2)
    with pytest.raises(ValueError, match=r"parent must be whole numbers, got \[-1\.0, 0\.5\]"):
        spatial.Model([-1, 0.5], good.jtype, good.Xtree, good.I)
    with pytest.raises(ValueError, match="parent must be whole numbers"):
        spatial.Model([-1, np.nan], good.jtype, good.Xtree, good.I)
    with pytest.raises(ValueError, match=r"I\[1\] must be the inertia of a body"):
        spatial.Model([-1, 0], good.jtype, good.Xtree, [good.I[0], -good.I[1]])
    for points, words in (
        (np.zeros((2, 3)), r"each of the 2 bodies .*\(2, 3\), of rows"),
        (np.full((3, 2), np.nan), "finite"),
        (np.zeros((3, 3)), r"the 2 bodies .*shape \(3, 3\)$"),
    ):
        with pytest.raises(ValueError, match=words):
            spatial.Model([-1, 0], good.jtype, good.Xtree, good.I, gc=spatial.GroundContact([0, 1], points))


def test_rotations_of_four_digits_pass():
    """A matrix from a table: each of three products of a row is off by at most 2 · 5e-5."""
    typed = spatial.rx(0.3).round(4)
    assert np.allclose(spatial.rv(typed), [0.3, 0.0, 0.0], rtol=0, atol=1.5e-4)


def test_forces_of_points_are_joined_column_by_column():
    """MATLAB's F(:) goes down the columns; `ravel()` alone would go along the rows."""
    model = spatial.rollingdisc(3)
    forces = spatial.Fpt(np.random.default_rng(3).normal(size=(3, 6)), model.gc.point)
    start = np.concatenate([[1.0], np.zeros(12)])
    joined = spatial.gcFD(model, "FDfb", np.concatenate([start, forces.ravel(order="F")]))
    f_ext = [None] * 5 + [forces.sum(axis=1)]
    assert np.allclose(joined, spatial.FDfb(model, start, [], [], [], f_ext)[0], rtol=1e-12)


def test_the_page_names_the_traps_of_porting():
    page = (Path(__file__).parents[3] / "docs/reference/spatial.md").read_text("utf-8")
    _, traps = page.split("## Traps when porting")
    rows = [line for line in traps.split("##")[0].splitlines() if line.startswith("| ")][2:]
    text = "\n".join(rows)
    assert len(rows) >= 8
    for trap in ('ravel(order="F")', "from 0", ".T", "@", "np.linalg.solve", ".copy()", "hinged_rods"):
        assert trap in text, trap
