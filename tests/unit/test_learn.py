"""Training: it learns, is killed and goes on with the same curve, and what it keeps says the same."""

import csv
import dataclasses
import io
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tribo.gym import load
from tribo.tools.cli import main

torch = pytest.importorskip("torch", reason='needs the extra "learn"')
reference = pytest.importorskip("onnx.reference", reason='needs the extra "learn"')

from tribo.learn import Policy, Settings, play, preset, settings_of, train  # noqa: E402 — torch first
from tribo.learn import checkpoint as checkpoints  # noqa: E402
from tribo.learn.network import ActorCritic  # noqa: E402
from tribo.learn.ppo import Learner  # noqa: E402
from tribo.learn.training import CHECKPOINT, CLOCKED, CURVE  # noqa: E402

SMALL = Settings(worlds=8, horizon=16, iterations=6, threads=1, checkpoint_every=2, hidden=(16,))


def curve(folder):
    """Return the curve of a run without what depends on the clock."""
    with (Path(folder) / CURVE).open() as file:
        return [{k: v for k, v in row.items() if k not in CLOCKED} for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run that nothing interrupts."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train("CartPole", folder, SMALL)
    return folder


# -- it learns -----------------------------------------------------------------------------------
def test_cart_pole_is_learnt(tmp_path):
    """From 20 steps of balance at random to 500, the most that there are, by the updates of the preset."""
    before, _ = play(random_policy(), 3)
    train("CartPole", tmp_path, preset("CartPole", seed=1, threads=1), onnx=False)
    after, _ = play(tmp_path, 5, seed=100)
    assert max(before) < 100.0
    assert min(after) == 500.0


def random_policy():
    task = load("CartPole")
    return ActorCritic(4, task.actions.low, task.actions.high, (8,), 1.0, 0).policy("CartPole")


# -- it goes on ----------------------------------------------------------------------------------
def test_a_run_that_is_resumed_has_the_curve_of_one_that_never_stopped(run, tmp_path):
    first = Settings(**{**SMALL.as_dict(), "iterations": 4})
    train("CartPole", tmp_path, first, onnx=False)
    train("CartPole", tmp_path, SMALL, resume=True, onnx=False)
    assert curve(tmp_path) == curve(run)
    a, b = Policy.load(tmp_path / "policy.npz"), Policy.load(run / "policy.npz")
    for (weight, bias), (other, its_bias) in zip(a.layers, b.layers, strict=True):
        assert np.array_equal(weight, other)
        assert np.array_equal(bias, its_bias)


def test_a_run_that_is_killed_goes_on_with_the_same_curve(run, tmp_path):
    """SIGKILL as soon as there is a checkpoint: nothing can be tidied up."""
    program = (
        "import sys, time; from tribo.learn import Settings, train\n"
        f"train('CartPole', sys.argv[1], Settings(**{SMALL.as_dict()}), onnx=False,"
        " report=lambda line: time.sleep(0.05))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env=environment) as process:
        while not (tmp_path / CHECKPOINT).is_file():
            assert process.poll() is None, "it ended before its first checkpoint"
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.returncode == -signal.SIGKILL
    (tmp_path / ".checkpoint.pt.1.part").write_bytes(b"half of one")  # as if killed while it wrote
    train("CartPole", tmp_path, resume=True, onnx=False)
    assert curve(tmp_path) == curve(run)
    assert not list(tmp_path.glob("*.part"))
    assert not list(tmp_path.glob(".*.part"))


def test_checkpoints_hold_every_kind_of_array_and_execute_nothing(tmp_path):
    state = {
        "a": np.arange(6, dtype=np.uint64).reshape(2, 3) + np.uint64(2**63), "b": np.array(True),
        "c": [np.zeros((0, 3)), 1.5, "text"], "d": {"e": np.arange(3, dtype=np.int32)}, "f": torch.ones(2),
    }  # fmt: skip
    checkpoints.save(tmp_path / "c.pt", state)
    back = checkpoints.load(tmp_path / "c.pt")
    for a, b in ((state["a"], back["a"]), (state["b"], back["b"]), (state["c"][0], back["c"][0])):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert np.array_equal(a, b)
    assert back["c"][1:] == [1.5, "text"]
    torch.save({"a": Path}, tmp_path / "bad.pt")
    with pytest.raises(ValueError, match="no checkpoint"):
        checkpoints.load(tmp_path / "bad.pt")
    (tmp_path / "bad.pt").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no checkpoint"):
        checkpoints.load(tmp_path / "bad.pt")


def test_runs_are_not_overwritten_or_mixed_up(run, tmp_path):
    with pytest.raises(FileExistsError, match="--resume"):
        train("CartPole", run, SMALL)
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        train("CartPole", tmp_path, SMALL, resume=True)
    with pytest.raises(ValueError, match="training of CartPole"):
        train("Reach", run, SMALL, resume=True)


def test_a_file_in_place_of_the_folder_is_said(tmp_path, capsys):
    (tmp_path / "taken").write_text("mine")
    assert main(["train", "CartPole", "--out", str(tmp_path / "taken")]) == 1
    assert "taken: is a file; a training is kept in a folder" in capsys.readouterr().err
    assert (tmp_path / "taken").read_text() == "mine"


def test_what_is_resumed_keeps_its_settings(run, tmp_path):
    """Others were ignored without a word. Threads leave the numbers as they are."""
    first = dataclasses.replace(SMALL, iterations=4)
    train("CartPole", tmp_path, first, onnx=False)
    for name, value in (("worlds", 16), ("seed", 3), ("discount", 0.5), ("hidden", (8,))):
        with pytest.raises(ValueError, match=f"with {name} "):
            train("CartPole", tmp_path, dataclasses.replace(SMALL, **{name: value}), resume=True)
    with pytest.raises(ValueError, match="4 updates"):
        train("CartPole", tmp_path, dataclasses.replace(SMALL, iterations=2), resume=True)
    more = dataclasses.replace(SMALL, threads=2, checkpoint_every=5)
    train("CartPole", tmp_path, more, resume=True, onnx=False)
    assert curve(tmp_path) == curve(run)
    assert settings_of(tmp_path) == more


def test_a_curve_that_a_kill_kept_from_being_written_is_written(run, tmp_path):
    """A kill between the last checkpoint and curve.csv left a run whose curve ended early, for good."""
    train("CartPole", tmp_path, SMALL, onnx=False)
    (tmp_path / CURVE).unlink()
    (tmp_path / "policy.npz").unlink()
    train("CartPole", tmp_path, resume=True, onnx=False)
    assert curve(tmp_path) == curve(run)
    assert (tmp_path / "policy.npz").is_file()


def test_two_processes_do_not_train_in_one_folder(run, tmp_path):
    """They wrote over one another's files: what was resumed while it still ran, for instance."""
    keeps = (
        "import sys; from tribo.learn.checkpoint import held\n"
        "with held(sys.argv[1]): print('kept', flush=True); input()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shutil.copytree(run, tmp_path / "run")
    with subprocess.Popen(
        [sys.executable, "-c", keeps, str(tmp_path / "run")],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == b"kept\n"
        with pytest.raises(BlockingIOError, match="another process"):
            train("CartPole", tmp_path / "run", resume=True, onnx=False)
        process.kill()
    train("CartPole", tmp_path / "run", resume=True, onnx=False)
    with pytest.raises(KeyError, match="Nothing"):
        train("Nothing", tmp_path / "none")
    assert not (tmp_path / "none").exists()


# -- what it keeps -------------------------------------------------------------------------------
def test_policies_of_numpy_onnx_and_torch_are_the_same(run):
    policy = Policy.load(run / "policy.npz")
    seen = np.random.default_rng(0).normal(0.0, 2.0, (50, 4)).astype(np.float32)
    session = reference.ReferenceEvaluator(str(run / "policy.onnx"))
    assert np.allclose(session.run(None, {"observation": seen})[0], policy(seen), atol=1e-5)
    assert np.allclose(policy(seen[3]), policy(seen)[3], atol=1e-6)
    learner = Learner(load("CartPole"), SMALL)
    learner.set_state(checkpoints.load(run / CHECKPOINT)["learner"])
    networks = learner.networks
    with torch.no_grad():
        middle = networks.actor(networks.scaled(torch.from_numpy(seen)))
    expected = np.clip((networks.middle + networks.range * middle).numpy(), -1.0, 1.0)
    assert np.allclose(expected, policy(seen), atol=1e-5)


def test_files_that_are_no_policy_are_refused(run, tmp_path):
    policy = Policy.load(run / "policy.npz")
    with pytest.raises(ValueError, match="4 observations"):
        policy(np.zeros((2, 5)))
    path = tmp_path / "p.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no policy"):
        Policy.load(path)
    np.savez(path, mean=np.zeros(3))
    with pytest.raises(ValueError, match="no policy"):
        Policy.load(path)
    np.savez(path, mean=np.array([Path], dtype=object))
    with pytest.raises(ValueError, match="no array of numbers or text"):
        Policy.load(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mean.npy", bytes(300 << 20))
    with pytest.raises(ValueError, match="bytes of arrays"):
        Policy.load(path)


def test_a_policy_imports_nothing(run, tmp_path, monkeypatch, capsys):
    """A file that names a module and a function is refused until the user names them, too."""
    (tmp_path / "trap_tasks.py").write_text(
        "from tribo.gym import load\ndef mine():\n    return load('CartPole')\n"
    )
    monkeypatch.chdir(tmp_path)
    policy = dataclasses.replace(Policy.load(run / "policy.npz"), task="trap_tasks:mine")
    policy.save("p.npz")
    assert main(["play", "p.npz"]) == 1
    assert "--task trap_tasks:mine" in capsys.readouterr().err
    assert "trap_tasks" not in sys.modules
    assert main(["play", "p.npz", "--task", "trap_tasks:mine"]) == 0
    assert play("p.npz", task=load("CartPole"))[0] == play(run)[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean", np.full(4, np.nan)),
        ("deviation", np.zeros(4)),
        ("mean", np.zeros((4, 1))),
        ("low", np.array(["a"])),
    ],
)
def test_numbers_that_are_none_are_refused(run, tmp_path, name, value):
    policy = dataclasses.replace(Policy.load(run / "policy.npz"), **{name: value})
    policy.save(tmp_path / "p.npz")
    with pytest.raises(ValueError, match="the policy"):
        Policy.load(tmp_path / "p.npz")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"form": np.array(99)}, "form is 99, this version reads 1"),
        ({"task": np.array([1, 2])}, "task is no name"),
        ({"low": np.ones(1), "high": -np.ones(1)}, "lower limits"),
        ({"mean": np.array([Path], dtype=object)}, "no array of numbers"),
    ],
)
def test_files_of_policies_are_refused_by_name(run, tmp_path, change, says):
    """The form was not read, and limits the wrong way round gave the upper one whatever was seen."""
    path = tmp_path / "p.npz"
    np.savez(path, **{**np.load(run / "policy.npz"), **change})
    with pytest.raises(ValueError, match=f"p.npz: is no policy.*{says}"):
        Policy.load(path)


def test_layers_that_do_not_fit_are_refused(run, tmp_path):
    policy = Policy.load(run / "policy.npz")
    policy.layers[0] = (policy.layers[0][0][:, :3], policy.layers[0][1])
    policy.save(tmp_path / "p.npz")
    with pytest.raises(ValueError, match="layer 0"):
        Policy.load(tmp_path / "p.npz")


# -- its parts -----------------------------------------------------------------------------------
def test_settings_are_checked():
    with pytest.raises(ValueError, match="horizon"):
        Settings(horizon=0)
    with pytest.raises(ValueError, match="minibatches"):
        Settings(worlds=1, horizon=2, minibatches=3)
    with pytest.raises(TypeError, match="worlds"):
        preset("CartPole", world=3)
    assert preset("CartPole", worlds=7, seed=None).worlds == 7
    with pytest.raises(TypeError, match="hidden must be a list of widths"):
        Settings(hidden=64)
    with pytest.raises(ValueError, match="torch_threads must be ≤ 1024"):  # the process ended
        Settings(torch_threads=10**6)
    with pytest.raises(ValueError, match="horizon must be ≥ 2"):  # all became NaN
        Settings(worlds=1, horizon=1, minibatches=1)


def test_networks_that_no_memory_holds_are_refused():
    settings = dataclasses.replace(SMALL, hidden=(10**6, 10**6))
    with pytest.raises(ValueError, match="a policy has at most"):
        Learner(load("CartPole"), settings)


def test_a_training_that_diverges_says_so_and_leaves_its_last_checkpoint(tmp_path):
    """It ended in an error of PyTorch about a normal distribution."""
    wild = dataclasses.replace(SMALL, learning_rate=1e10, checkpoint_every=1)
    with pytest.raises(RuntimeError, match=r"diverged in update 1: .* smaller learning_rate"):
        train("CartPole", tmp_path, wild, onnx=False)
    assert not (tmp_path / CHECKPOINT).exists()


def test_actions_without_limits_cannot_be_learnt():
    """The first actions were NaN, and the error spoke of the actions that somebody gave."""
    task = load("CartPole")
    task.actions.high[:] = np.inf
    with pytest.raises(ValueError, match="finite to be learnt"):
        Learner(task, SMALL)


def test_running_means_are_those_of_all_that_was_seen():
    networks = ActorCritic(3, np.array([-1.0]), np.array([1.0]), (4,), 0.5, 0)
    seen = torch.from_numpy(np.random.default_rng(0).normal(5.0, 3.0, (900, 3)).astype(np.float32))
    for part in seen.split([100, 500, 300]):
        networks.watch(part)
    assert torch.allclose(networks.mean, seen.double().mean(dim=0), rtol=1e-5)
    assert torch.allclose(networks.square, seen.double().var(dim=0, unbiased=False), rtol=1e-4)


def test_advantages_are_the_sums_of_their_definition():
    """Â_t = Σ (γλ)^k δ_{t+k}, up to where an episode ends; then of mean 0 and deviation 1."""
    learner = Learner(load("CartPole"), SMALL)
    rollout = learner.player.play()
    settings, values = learner.settings, rollout.values.numpy().astype(float)
    with torch.no_grad():
        seen = torch.from_numpy(learner.player.seen.astype(np.float32))
        last = learner.networks.value(learner.networks.scaled(seen))
    after = np.concatenate([values[1:], last.numpy()[None]])
    goes_on = 1.0 - rollout.ended.numpy()
    error = rollout.rewards.numpy() + settings.discount * goes_on * after - values
    expected = np.zeros_like(values)
    for t in range(settings.horizon):
        weight = np.ones(settings.worlds)
        for k in range(t, settings.horizon):
            expected[t] += weight * error[k]
            weight *= settings.discount * settings.trace * goes_on[k]
    found, targets = learner._advantages(rollout)
    assert np.allclose(targets.numpy(), expected + values, atol=1e-4)
    assert np.allclose(found.numpy(), (expected - expected.mean()) / expected.std(ddof=1), atol=1e-3)


# -- the command ---------------------------------------------------------------------------------
def test_the_command_trains_resumes_and_plays(tmp_path, capsys):
    run = tmp_path / "run"
    short = ["--worlds", "4", "--horizon", "8", "--threads", "1", "--checkpoint-every", "1"]
    assert main(["train", "CartPole", "--out", str(run), "--iterations", "2", *short]) == 0
    assert main(["train", "CartPole", "--out", str(run)]) == 1
    assert "--resume" in capsys.readouterr().err
    assert main(["train", "CartPole", "--out", str(run), "--resume", "--worlds", "9"]) == 1
    assert "with worlds 4, not 9" in capsys.readouterr().err
    assert main(["train", "CartPole", "--out", str(run), "--resume", "--iterations", "3"]) == 0
    assert len(curve(run)) == 3
    (run / "settings.json").write_text("[]")
    assert main(["train", "CartPole", "--out", str(run), "--resume"]) == 1
    assert "no file of settings" in capsys.readouterr().err
    assert main(["play", str(run), "--episodes", "2"]) == 0
    assert "mean return of 2" in capsys.readouterr().out
    assert main(["play", str(tmp_path / "none")]) == 1
    assert "no such policy" in capsys.readouterr().err


def test_the_command_says_how_a_task_of_ones_own_is_played(tmp_path, monkeypatch, capsys):
    """It proposed a command that was refused."""
    (tmp_path / "balance_tasks.py").write_text(
        "from tribo.gym import load\ndef mine():\n    return load('CartPole')\n"
    )
    monkeypatch.chdir(tmp_path)
    short = ["--worlds", "4", "--horizon", "8", "--threads", "1", "--iterations", "1"]
    assert main(["train", "balance_tasks:mine", "--out", "run", *short]) == 0
    said = capsys.readouterr().out
    command = said[said.index("'tribo play") :].strip("'\n").split()
    assert command == ["tribo", "play", "run", "--task", "balance_tasks:mine"]
    assert main(command[1:]) == 0


def test_a_command_that_is_stopped_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    """Ctrl-C, before and after the first checkpoint."""
    short = ["--worlds", "4", "--horizon", "8", "--threads", "1", "--checkpoint-every", "2"]
    iterate = Learner.iterate

    def stopped_at(count):
        def stopped(learner):
            if learner.iteration == count:
                raise KeyboardInterrupt
            return iterate(learner)

        return stopped

    for count, words in ((1, "nothing was kept yet"), (3, "--resume'")):
        monkeypatch.setattr(Learner, "iterate", stopped_at(count))
        assert main(["train", "CartPole", "--out", str(tmp_path / "run"), *short]) == 130
        said = capsys.readouterr().out
        assert words in said
    monkeypatch.undo()
    command = said[said.index("'tribo train") :].strip("'\n").split()
    assert main([*command[1:], "--iterations", "4"]) == 0
    assert len(curve(tmp_path / "run")) == 4


def test_episodes_can_be_cut_short(run, capsys):
    """A step of the cart-pole gives 1."""
    assert main(["play", str(run), "--episodes", "2", "--steps", "5"]) == 0
    assert "mean return of 2: 5" in capsys.readouterr().out
    with pytest.raises(ValueError, match="steps"):
        play(run, steps=0)


def test_a_film_is_written(run, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    assert main(["play", str(run), "--film", str(tmp_path / "a.mp4")]) == 0
    assert (tmp_path / "a.mp4").stat().st_size > 1000


def test_the_viewer_shows_it(run, capsys):
    pytest.importorskip("viser")
    assert main(["play", str(run), "--view", "--port", "8397"]) == 0
    assert "in a browser" in capsys.readouterr().out


def test_tasks_of_ones_own_are_found(tmp_path, monkeypatch):
    (tmp_path / "own_tasks.py").write_text(
        "from tribo.gym import load\ndef mine():\n    task = load('CartPole')\n"
        "    task.name = 'mine'\n    return task\ndef none():\n    return 3\n"
    )
    monkeypatch.chdir(tmp_path)
    assert load("own_tasks:mine").name == "mine"
    with pytest.raises(TypeError, match="must return"):
        load("own_tasks:none")
    with pytest.raises(ImportError, match="module:function"):
        load("own_tasks:nothing")


@pytest.mark.parametrize(("place", "bit"), [(8, 1), (10, 8), (-6, 1)])
def test_a_flipped_bit_of_the_table_is_said(tmp_path, place, bit):
    """It looks like a password, another compression, or a table that begins before the file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a/data.pkl", bytes(50))
    flipped, path = bytearray(stream.getvalue()), tmp_path / CHECKPOINT
    flipped[place if place < 0 else flipped.index(b"PK\x01\x02") + place] ^= bit
    path.write_bytes(bytes(flipped))
    with pytest.raises(ValueError, match="no checkpoint"):
        checkpoints.load(path)


class Trap:
    """A pickle of this makes a folder where it is read."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (self.place,)


def test_a_checkpoint_that_would_run_code_is_refused_without_bad_advice(run, tmp_path):
    """PyTorch's error says how to execute it; ours says that nothing was."""
    shutil.copytree(run, tmp_path / "run")
    torch.save({"task": Trap(str(tmp_path / "made"))}, tmp_path / "run" / CHECKPOINT)
    with pytest.raises(ValueError, match="nothing of it was executed") as caught:
        train("CartPole", tmp_path / "run", resume=True, onnx=False)
    assert "weights_only" not in str(caught.value)
    assert not (tmp_path / "made").exists()


def test_damaged_checkpoints_are_refused(tmp_path):
    """A flipped bit in the middle of the numbers too, cut files, parts that are missing or do not fit."""
    short = Settings(**{**SMALL.as_dict(), "iterations": 1})
    train("CartPole", tmp_path, short, onnx=False)
    path = tmp_path / CHECKPOINT
    whole = path.read_bytes()
    weights = checkpoints.load(path)["learner"]["networks"]["actor"]["0.weight"].numpy().tobytes()
    flipped = bytearray(whole)
    flipped[whole.index(weights) + len(weights) // 2] ^= 1
    path.write_bytes(bytes(flipped))
    with pytest.raises(ValueError, match="was damaged"):
        train("CartPole", tmp_path, SMALL, resume=True, onnx=False)
    for damaged in (b"", whole[: len(whole) // 2], whole[:-20], bytes(2000)):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="no checkpoint"):
            train("CartPole", tmp_path, SMALL, resume=True, onnx=False)
    path.write_bytes(whole)
    good = checkpoints.load(path)
    for part in good:
        checkpoints.save(path, {name: value for name, value in good.items() if name != part})
        with pytest.raises(ValueError, match=f"has no '{part}'"):
            train("CartPole", tmp_path, SMALL, resume=True, onnx=False)
    checkpoints.save(path, [1, 2])
    with pytest.raises(ValueError, match="has no 'task'"):
        train("CartPole", tmp_path, SMALL, resume=True, onnx=False)


STRANGE = {
    "weights": (("learner", "networks", "actor", "0.weight"), torch.zeros(3, 3)),
    "NaN": (("learner", "networks", "critic", "0.bias"), torch.full((16,), float("nan"))),
    "means": (("learner", "networks", "mean"), torch.zeros(1).double()),
    "count": (("learner", "networks", "count"), -1.0),
    "moments": (("learner", "optimizer", "state", 0, "exp_avg"), torch.zeros(1)),
    "rate": (("learner", "optimizer", "param_groups", 0, "lr"), "fast"),
    "iteration": (("learner", "iteration"), None),
    "contacts": (("learner", "envs", "simulation", "batch", "state", "warm_count"), np.full((8, 1), 10**6)),
    "returns": (("learner", "running"), np.zeros((0, 8))),
    "worlds": (("settings", "worlds"), "many"),
    "settings": (("settings",), 3),
    "line": (("curve", 0), {"iteration": "first"}),
    "curve": (("curve",), None),
}


@pytest.mark.parametrize("case", STRANGE)
def test_checkpoints_with_strange_parts_are_refused_in_words(run, tmp_path, case):
    """Their check sums are right: somebody wrote them so. Some went on, some ended in an error of PyTorch."""
    state = checkpoints.load(run / CHECKPOINT)
    *way, last = STRANGE[case][0]
    place = state
    for step in way:
        place = place[step]
    place[last] = STRANGE[case][1]
    checkpoints.save(tmp_path / CHECKPOINT, state)
    with pytest.raises(ValueError, match=r"does not fit the task|its settings are none"):
        train("CartPole", tmp_path, resume=True, onnx=False)
