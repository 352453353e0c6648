"""Training on several processes: the same numbers as in one, whoever dies."""

import csv
import os
import signal
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ray")

from tribo import learn  # noqa: E402
from tribo.gym import load  # noqa: E402
from tribo.learn import Settings  # noqa: E402
from tribo.learn.ppo import Learner  # noqa: E402
from tribo.scale import sweep, train  # noqa: E402
from tribo.scale.players import RemotePlayers  # noqa: E402
from tribo.scale.ray_extra import connected  # noqa: E402

SMALL = Settings(worlds=8, horizon=16, iterations=3, threads=1, checkpoint_every=1)
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def cluster():
    """Processes of this machine, begun once."""
    with connected(None, 8) as ray:  # processors that Ray believes in
        yield ray


def learner(runners):
    make = partial(RemotePlayers, name="CartPole", runners=runners)
    return Learner(load("CartPole"), SMALL, make)


def weights(made):
    return [p.detach().numpy().copy() for p in made.networks.parameters()]


def test_worlds_are_those_of_one_process(cluster):
    """The first observations are those of worlds with the same seeds; shapes are those of all worlds."""
    remote, local = learner(2), Learner(load("CartPole"), SMALL)
    seen = remote.player.play().seen
    assert seen.shape == (16, 8, 4)
    assert np.array_equal(seen[0].numpy(), local.player.seen.astype(np.float32))
    assert remote.player.seen.shape == (8, 4)


def test_a_runner_that_is_killed_is_replaced_and_nothing_is_lost(cluster):
    whole, broken = learner(2), learner(2)
    for k in range(3):
        whole.iterate()
        if k == 1:
            process = broken.player.processes[1]
            pid = cluster.get(process.__ray_call__.remote(lambda self: os.getpid()))
            os.kill(pid, signal.SIGKILL)
        broken.iterate()
    assert broken.player.replaced == 1
    assert all(map(np.array_equal, weights(whole), weights(broken)))
    assert list(whole.player.returns) == list(broken.player.returns)


def test_a_run_that_is_resumed_has_the_curve_of_one_that_never_stopped(cluster, tmp_path):
    def curve(folder):
        with (folder / "curve.csv").open() as file:
            return [{k: v for k, v in line.items() if "second" not in k} for line in csv.DictReader(file)]

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train("CartPole", whole, SMALL, runners=1, onnx=False)
    short = Settings(**{**SMALL.as_dict(), "iterations": 1})
    train("CartPole", parts, short, runners=1, onnx=False)
    train("CartPole", parts, SMALL, runners=1, onnx=False, resume=True)
    assert curve(whole) == curve(parts)
    with pytest.raises(ValueError, match="--runners 1"):
        learn.train("CartPole", parts, SMALL, onnx=False, resume=True)


def test_sweeps_train_every_combination_once(cluster, tmp_path):
    values = {"seed": [0, 1], "learning_rate": [1e-3]}
    numbers = {"worlds": 4, "horizon": 8, "iterations": 2}
    table = sweep("CartPole", tmp_path, values, **numbers)
    assert [row["seed"] for row in table] == [0, 1]
    assert all(row["iteration"] == 2.0 for row in table)
    text = (tmp_path / "sweep.csv").read_text()
    assert text.count("\n") == 3
    when = [(tmp_path / row["folder"] / "checkpoint.pt").stat().st_mtime for row in table]
    sweep("CartPole", tmp_path, values, **numbers)
    assert (tmp_path / "sweep.csv").read_text() == text
    assert when == [(tmp_path / row["folder"] / "checkpoint.pt").stat().st_mtime for row in table]
    with pytest.raises(TypeError, match="learning_rate"):
        sweep("CartPole", tmp_path, {"learning_rat": [1e-3]})


def test_what_cannot_be_shared_out_is_refused(cluster):
    with pytest.raises(ValueError, match="multiple of the runners"):
        learner(3)
    with pytest.raises(ValueError, match="processors are needed"), connected(None, 10**6):
        pass
