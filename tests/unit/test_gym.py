"""Environments over a batch: resets, masks, terms, random streams."""

import copy
import dataclasses
import itertools
import pickle
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from scipy import stats

import tribo
from tribo.gym import Actions, Draws, Env, Task, VectorEnv, load, randomisation, register, rendering
from tribo.gym.simulation import Simulation
from tribo.gym.tasks import quadruped
from tribo.gym.tasks.quadruped import WALKER
from tribo.tools.demo import ASSETS

ALL = np.arange(4)


def envs(mode="NextStep", length=5, **options):
    return VectorEnv(load("CartPole"), 4, threads=1, autoreset_mode=mode, max_episode_steps=length, **options)


def still(n=4):
    return np.zeros((n, 1))


# -- episodes ------------------------------------------------------------------------------------
def test_next_step_begins_anew_one_step_later_without_reward():
    made = envs("NextStep")
    made.reset(seed=0)
    for _ in range(4):
        assert not made.step(still())[3].any()
    last, rewards, _, cut, _ = made.step(still())
    assert cut.all()
    assert (rewards == 1.0).all()
    first, rewards, ended, cut, infos = made.step(np.ones((4, 1)))
    assert not rewards.any()
    assert not ended.any()
    assert not cut.any()
    assert not infos["_failed"].any()
    assert (np.abs(first) <= 0.05).all()
    assert not np.array_equal(first, last)
    assert (made.simulation.steps == 0).all()


def test_same_step_returns_both_the_last_and_the_first_observation():
    same, other = envs("SameStep"), envs("NextStep")
    same.reset(seed=0)
    other.reset(seed=0)
    for _ in range(5):
        seen, _, _, cut, infos = same.step(still())
        last = other.step(still())[0]
    assert cut.all()
    assert infos["_final_obs"].all()
    assert np.array_equal(np.stack(infos["final_obs"]), last)
    assert np.array_equal(seen, other.step(still())[0])
    assert (infos["final_info"]["reward_upright"] == 1.0).all()


def test_disabled_resets_by_mask_alone():
    made = envs("Disabled")
    start, _ = made.reset(seed=0)
    for _ in range(5):
        seen, _, _, cut, _ = made.step(still())
    mask = np.array([True, False, False, True])
    fresh, infos = made.reset(options={"reset_mask": mask})
    assert cut.all()
    assert np.array_equal(fresh[~mask], seen[~mask])
    assert (np.abs(fresh[mask]) <= 0.05).all()
    assert not np.array_equal(fresh[mask], start[mask])  # the streams go on
    assert infos == {}
    assert made.step(still())[3].tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("mask", "kind"),
    [
        ([True] * 4, TypeError),
        (np.ones(4), TypeError),
        (np.ones(3, bool), ValueError),
        (np.zeros(4, bool), ValueError),
    ],
)  # fmt: skip
def test_masks_that_are_none_are_refused(mask, kind):
    with pytest.raises(kind, match="reset_mask"):
        envs().reset(options={"reset_mask": mask})


def test_seeds_may_be_given_one_by_one():
    a = envs().reset(seed=[3, 4, 5, 6])[0]
    assert np.array_equal(a, envs().reset(seed=3)[0])
    with pytest.raises(ValueError, match="seeds must be 4"):
        envs().reset(seed=[1, 2])


def test_without_a_seed_streams_go_on():
    made = envs()
    first, second = made.reset(seed=0)[0], made.reset()[0]
    assert not np.array_equal(first, second)
    assert not np.array_equal(envs().reset()[0], envs().reset()[0])


def test_bad_actions_change_nothing():
    made = envs()
    made.reset(seed=0)
    before = made.simulation.batch.snapshot()["state"]["q"]
    for wrong, message in ((np.zeros((3, 1)), r"shape \(4, 1\)"), (np.full((4, 1), np.nan), "world 0")):
        with pytest.raises(ValueError, match=message):
            made.step(wrong)
    assert np.array_equal(before, made.simulation.batch.snapshot()["state"]["q"])


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        envs().step(still())


def test_actions_are_limited():
    a, b = envs(), envs()
    a.reset(seed=1)
    b.reset(seed=1)
    assert np.array_equal(a.step(np.full((4, 1), 7.0))[0], b.step(np.ones((4, 1)))[0])


def test_a_world_that_fails_is_terminated_and_the_others_go_on():
    made = envs("SameStep", length=100)
    made.reset(seed=0)
    made.step(still())
    made.simulation.object("cart_pole").generalized_velocity[2] = np.inf
    seen, rewards, ended, _, infos = made.step(still())
    assert ended.tolist() == [False, False, True, False]
    assert infos["final_info"]["failed"].tolist() == ended.tolist()
    assert np.isfinite(seen).all()
    assert np.isfinite(rewards).all()
    assert not made.step(still())[2].any()


def test_pictures():
    assert envs().render() is None
    env = Env(load("CartPole"), render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert first.shape == (320, 480, 3)
    assert first.std() > 1.0
    for _ in range(20):
        env.step(np.ones(1))
    assert not np.array_equal(first, env.render())
    with pytest.raises(ValueError, match="render_mode"):
        Env(load("CartPole"), render_mode="ansi")


def test_the_first_world_is_shown_in_the_browser(monkeypatch, capsys):
    """After the reset and each step, in real time; poses are those of world 0."""
    pytest.importorskip("viser")
    from tribo import viewer

    clock = SimpleNamespace(now=0.0)  # it goes on while somebody sleeps and at no other time
    clock.perf_counter = lambda: clock.now
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds)
    monkeypatch.setattr(rendering, "time", clock)
    shown = []

    class Noting(viewer.Viewer):
        def update(self):
            shown.append(clock.now)

    monkeypatch.setattr(viewer, "Viewer", Noting)
    made = VectorEnv(load("CartPole"), 2, render_mode="human", threads=1)
    made.reset(seed=0)
    for _ in range(4):
        made.step(np.full((2, 1), 1.0))
    assert made.render() is None
    assert len(shown) == 5
    assert "in a browser" in capsys.readouterr().out
    np.testing.assert_allclose(np.diff(shown), made.simulation.control_step, rtol=1e-12)
    here = made.simulation.world["cart_pole"].generalized_coordinate
    assert np.array_equal(here, made.simulation.object("cart_pole").generalized_coordinate[0])
    made.close()
    made.close()


def test_gymnasium_makes_both_forms():
    one = gymnasium.make("tribo/CartPole-v0", max_episode_steps=3)
    one.reset(seed=0)
    assert [one.step(np.zeros(1, np.float32))[3] for _ in range(3)] == [False, False, True]
    many = gymnasium.make_vec("tribo/CartPole-v0", num_envs=2, threads=1)
    assert many.observation_space.shape == (2, 4)
    assert isinstance(many.unwrapped, VectorEnv)
    with pytest.raises(KeyError, match="CartPole"):
        load("CartPol")


# -- terms ---------------------------------------------------------------------------------------
def test_terms_can_be_added_and_are_weighted():
    task = load("CartPole")
    task.rewards["calm"] = -0.5, lambda sim: np.abs(sim.action[:, 0])
    task.observations["last action"] = lambda sim: sim.action
    task.infos["angle"] = lambda sim: sim.object("cart_pole").generalized_coordinate[:, 1]
    made = VectorEnv(task, 2, threads=1)
    made.reset(seed=0)
    seen, rewards, _, _, infos = made.step(np.array([[0.5], [3.0]]))
    assert rewards.tolist() == [0.75, -0.5]
    assert infos["reward_calm"].tolist() == [-0.25, -1.5]
    assert seen[:, 4].tolist() == [0.5, 3.0]
    assert np.array_equal(infos["angle"], seen[:, 1])


def test_terms_of_a_wrong_shape_are_named():
    task = load("CartPole")
    task.rewards["all"] = 1.0, lambda sim: 1.0
    made = VectorEnv(task, 2, threads=1)
    made.reset(seed=0)
    with pytest.raises(ValueError, match="reward 'all' must have shape"):
        made.step(still(2))
    task = load("CartPole")
    task.observations["all"] = lambda sim: np.zeros(3)
    with pytest.raises(ValueError, match="observation 'all' must have shape"):
        VectorEnv(task, 2, threads=1)


def test_tasks_that_cannot_be_played_are_refused():
    with pytest.raises(ValueError, match="no observations"):
        VectorEnv(Task("empty", load("CartPole").make_world, load("CartPole").actions), 1)
    task = load("CartPole")
    task.noise["stat"] = 0.1
    with pytest.raises(KeyError, match="state"):
        VectorEnv(task, 1)
    with pytest.raises(ValueError, match="below high"):
        Actions([1.0], [1.0], lambda sim, actions: None)


def test_noise_has_its_deviation_and_leaves_the_state():
    task = load("CartPole")
    task.noise["state"] = 0.5
    sim = Simulation(task, 2000, threads=1)
    sim.draws.seed(np.arange(2000), range(2000))
    seen = sim.observe(np.arange(2000))
    assert stats.kstest(seen.ravel() / 0.5, "norm").pvalue > 1e-4
    assert not sim.object("cart_pole").generalized_coordinate.any()


def test_events_come_when_they_are_due():
    task = load("CartPole")
    seen = []
    task.events["mark"] = 0.06, lambda sim, rows: seen.append((int(sim.steps[0]), rows.tolist()))
    made = VectorEnv(task, 2, threads=1)
    made.reset(seed=0)
    for _ in range(7):
        made.step(still(2))
    assert seen == [(3, [0, 1]), (6, [0, 1])]


# -- randomisation -------------------------------------------------------------------------------
def dog():
    made = tribo.World(time_step=0.002)
    made.add_ground(material="floor")
    robot = made.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 1))
    robot.set_pd_gains(10.0, 1.0)
    return made


def test_randomisation_stays_within_its_bounds_and_does_not_pile_up():
    task = Task("dog", dog, Actions([-1.0], [1.0], lambda sim, actions: None))
    task.observations["height"] = lambda sim: sim.object("dog").position[:, 2]
    task.rewards["none"] = 0.0, lambda sim: np.zeros(len(sim))
    task.randomisations = {
        "mass": randomisation.mass("dog", "trunk", 0.5, 1.5),
        "friction": randomisation.friction("floor", "rubber", 0.3, 0.9),
        "gains": randomisation.gains("dog", 0.8, 1.2),
        "size": randomisation.size("dog", 0.8, 1.2, "LF_FOOT/0"),
        "gravity": randomisation.gravity(0.1),
        "push": randomisation.push("dog", 0.5),
    }
    sim = Simulation(task, 4, threads=1)
    sim.draws.seed(ALL, range(4))
    robot = sim.object("dog")
    nominal, inertia = sim.world["dog"].link("trunk").mass, sim.world["dog"].link("trunk").inertia
    for _ in range(5):
        sim.begin(ALL)
        mass = np.array(robot.link("trunk").mass)
        assert ((mass >= 0.5 * nominal) & (mass <= 1.5 * nominal)).all()
        assert np.allclose(robot.link("trunk").inertia, inertia * (mass / nominal)[:, None, None])
        rubbing = sim.batch.material_pair("floor", "rubber")["friction"]
        assert ((rubbing >= 0.3) & (rubbing <= 0.9)).all()
        assert ((robot.kp[:, 6:] >= 8.0) & (robot.kp[:, 6:] <= 12.0)).all()
        radius = (
            sim.batch.shape_size("dog", "LF_FOOT/0") / sim.world["dog"].collision_body("LF_FOOT/0").size[0]
        )
        assert ((radius >= 0.8) & (radius <= 1.2)).all()
        assert np.abs(sim.batch.gravity - [0, 0, -9.81]).max() < 1.0
        assert 0.0 < np.abs(robot.generalized_velocity[:, :2]).max() <= 0.5
    kept = np.array(robot.link("trunk").mass)
    sim.begin(np.array([1]))
    assert (np.array(robot.link("trunk").mass) != kept).tolist() == [False, True, False, False]


def test_masses_of_one_world_leave_the_bits_of_the_others():
    """A batch that is given the masses that it has goes on as if it had not been asked."""
    made = dog()
    a, b = tribo.Batch(made, 2, threads=1), tribo.Batch(made, 2, threads=1)
    for batch in (a, b):
        batch["dog"].generalized_velocity[:, 3:6] = 1.0, 2.0, 3.0
        batch.step(7)
    a["dog"].link("trunk").mass = [6.8, 9.0]
    for batch in (a, b):
        batch.step(20)
    assert np.array_equal(a["dog"].generalized_coordinate[0], b["dog"].generalized_coordinate[0])
    assert not np.array_equal(a["dog"].generalized_coordinate[1], b["dog"].generalized_coordinate[1])


# -- random streams ------------------------------------------------------------------------------
def test_streams_are_their_own():
    many, one = Draws(4), Draws(1)
    many.seed(ALL, [7, 8, 9, 10])
    one.seed(ALL[:1], [9])
    many.uniform(np.array([0, 3]), 0.0, 1.0, 5)
    assert np.array_equal(many.normal(ALL, 2.0, 3)[2], one.normal(ALL[:1], 2.0, 3)[0])


def test_bits_are_those_of_splitmix64():
    """Values of the reference implementation (Vigna, splitmix64.c) for the state 1234567."""
    draws = Draws(1)
    draws.keys[:] = 1234567
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert draws.bits(np.arange(1), 4)[0].tolist() == expected


def test_draws_have_their_distributions():
    draws = Draws(1000)
    rows = np.arange(1000)
    draws.seed(rows, range(1000))
    assert stats.kstest(draws.uniform(rows, -1.0, 3.0, 20).ravel(), "uniform", (-1.0, 4.0)).pvalue > 1e-4
    assert stats.kstest(draws.normal(rows, 1.0, 20).ravel(), "norm").pvalue > 1e-4
    counts = np.bincount(np.concatenate([draws.integers(rows, 5) for _ in range(5)]), minlength=5)
    assert stats.chisquare(counts).pvalue > 1e-4


def cart_poles(**options):
    return VectorEnv(load("CartPole"), 4, threads=1, **options)


@pytest.mark.parametrize(
    ("seed", "kind"),
    [(1.5, TypeError), ("a", TypeError), (True, TypeError), (-1, ValueError), (2**70, ValueError),
     ([1, 2, 3, -4], ValueError), ([1, 2, 3, 4.0], TypeError), ([1, 2], ValueError)],
)  # fmt: skip
def test_seeds_that_are_none_are_refused_and_change_nothing(seed, kind):
    envs, other = cart_poles(), cart_poles()
    for one in (envs, other):
        one.reset(seed=3)
    with pytest.raises(kind, match="seed"):
        envs.reset(seed=seed)
    assert np.array_equal(envs.reset()[0], other.reset()[0])


@pytest.mark.parametrize(
    ("options", "words"),
    [("x", "options must be a mapping"), ({"resetmask": 1}, "did you mean 'reset_mask'")],
)
def test_options_that_are_none_are_refused(options, words):
    envs = cart_poles()
    with pytest.raises((TypeError, KeyError), match=words):
        envs.reset(seed=1, options=options)


@pytest.mark.parametrize("actions", ["abc", np.zeros((4, 1), complex), [[object()]] * 4])
def test_actions_that_are_no_numbers_are_refused(actions):
    envs = cart_poles()
    envs.reset(seed=1)
    before = envs.simulation.batch.hash()
    with pytest.raises(TypeError, match="actions must be numbers"):
        envs.step(actions)
    assert envs.simulation.batch.hash() == before


def test_a_closed_environment_does_nothing_more():
    """Closing twice is no error, as in Gymnasium."""
    envs = cart_poles(render_mode="rgb_array")
    envs.reset(seed=1)
    for _ in range(2):
        envs.close()
    for call in (lambda: envs.step(np.zeros((4, 1))), lambda: envs.reset(seed=1), envs.render):
        with pytest.raises(ClosedEnvironmentError, match="make a new one"):
            call()


def test_terms_that_are_not_finite_are_named():
    """In a world that goes on; what failed is over, and its numbers mean nothing."""
    task = load("CartPole")
    task.observations["far"] = lambda sim: np.where(np.arange(len(sim)) == 2, np.nan, 1.0)
    with pytest.raises(ValueError, match=r"observation 'far' is not finite in world 2: \[nan\]"):
        VectorEnv(task, 4, threads=1).reset(seed=1)
    task = load("CartPole")
    task.rewards["far"] = 1.0, lambda sim: np.where(np.arange(len(sim)) == 1, np.inf, 1.0)
    envs = VectorEnv(task, 4, threads=1)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="reward 'far' is not finite in world 1"):
        envs.step(np.zeros((4, 1)))


def test_an_environment_takes_the_name_of_a_task():
    named, made = VectorEnv("CartPole", 2, threads=1), VectorEnv(load("CartPole"), 2, threads=1)
    assert np.array_equal(named.reset(seed=1)[0], made.reset(seed=1)[0])
    assert Env("tribo/CartPole-v0").task.name == "CartPole"


def test_what_is_no_task_is_refused():
    with pytest.raises(TypeError, match=r"tribo\.gym\.load"):
        VectorEnv(3, 2)
    with pytest.raises(KeyError, match="unknown task 'CartPol'; did you mean 'CartPole'"):
        VectorEnv("CartPol", 2)
    with pytest.raises(ValueError, match="max_episode_steps"):
        cart_poles(max_episode_steps=0)
    with pytest.raises(TypeError, match="name of a task"):
        load(None)
    with pytest.raises(TypeError, match="takes nothing and returns"):
        load("math:pi")


def test_walkers_whose_numbers_do_not_belong_together_are_refused():
    """Feet that are fixed to a link are found; what is no link is named."""
    for what, value in (
        ("late", np.zeros(3)),
        ("commands", np.zeros((2, 2))),
        ("stance", np.zeros((2, 6))),
        ("stance", np.full(12, np.nan)),
        ("height", np.nan),
        ("scale", 0.0),
        ("strides", -1.0),
        ("standing", 1.5),
        ("commands", np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
    ):
        with pytest.raises(ValueError, match=f"{what} of the walker dog"):
            dataclasses.replace(WALKER, **{what: value})
    feet = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
    made, names = [], (WALKER.feet, feet, ("LF_FOOD", *feet[1:]))
    for name in names[:2]:
        walker = dataclasses.replace(WALKER, feet=name)
        envs = VectorEnv(walker.task("Walker", quadruped.world), 2, threads=1)
        envs.reset(seed=1)
        made.append(envs.step(np.zeros((2, 12)))[1])
    assert np.array_equal(*made)
    walker = dataclasses.replace(WALKER, feet=names[2])
    envs = VectorEnv(walker.task("Walker", quadruped.world), 2, threads=1)
    envs.reset(seed=1)
    with pytest.raises(KeyError, match="LF_FOOT"):
        envs.step(np.zeros((2, 12)))
    walker = dataclasses.replace(WALKER, stance=np.zeros(8))
    with pytest.raises(ValueError, match=r"8 angles, its joints are 12: LF_HAA"):
        VectorEnv(walker.task("Walker", quadruped.world), 2, threads=1)


def same_from_here(a, b, actions):
    """Tell whether two environments do the same for some actions."""
    return all(np.array_equal(a.step(x)[0], b.step(x)[0]) for x in actions)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_copies_go_on_bit_for_bit_and_apart(copied, mode):
    """Both said that a world cannot be copied, or that a function cannot be pickled."""
    task = load("CartPole")
    task.randomisations["mass"] = randomisation.mass("cart_pole", "pole", 0.5, 2.0)
    envs = VectorEnv(task, 3, threads=1, autoreset_mode=mode, max_episode_steps=6)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (12, 3, 1))
    for given in actions[:4]:
        envs.step(given)
    other = copied(envs)
    assert (other.num_envs, other.episode_steps, other.autoreset_mode) == (3, 6, envs.autoreset_mode)
    other.step(-actions[0])  # the first one does not feel it
    assert same_from_here(envs, copied(envs), actions[4:])
    assert not copied(VectorEnv(task, 1))._is_seeded
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        copied(envs).reset()


def test_one_world_and_wrappers_are_copied_too():
    env = gymnasium.make("tribo/CartPole-v0", max_episode_steps=5)
    env.reset(seed=3)
    env.step(np.array([0.5], np.float32))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.spec.id == "tribo/CartPole-v0"
        assert same_from_here(copy.deepcopy(env), other, np.full((3, 1), 0.2, np.float32))


def test_tasks_of_ones_own_are_registered(tmp_path, monkeypatch):
    (tmp_path / "registered_tasks.py").write_text(
        "from tribo.gym import load\ndef mine():\n    task = load('CartPole')\n"
        "    task.episode_steps = 3\n    return task\n"
    )
    monkeypatch.chdir(tmp_path)
    register("own/ByName-v0", "registered_tasks:mine")
    register("own/ByFunction-v0", lambda: load("registered_tasks:mine"))
    for name in ("own/ByName-v0", "own/ByFunction-v0"):
        env = gymnasium.make(name)
        env.reset(seed=0)
        assert [env.step(np.zeros(1, np.float32))[3] for _ in range(3)] == [False, False, True]
        assert gymnasium.make_vec(name, num_envs=2, threads=1).reset(seed=0)[0].shape == (2, 4)
    for wrong in ((None, "a:b"), ("own/Wrong-v0", None), ("own/Wrong-v0", 3), (3, "a:b")):
        with pytest.raises(TypeError):
            register(*wrong)
    register("own/Nothing-v0", lambda: 3)
    with pytest.raises(TypeError, match="must return"):
        gymnasium.make("own/Nothing-v0")


def broken(part, name, entry):
    def change(task):
        getattr(task, part)[name] = entry

    return change


def two(sim):
    return np.zeros((len(sim), 2))


counted = itertools.count(1)
BROKEN = {
    "no function": (broken("observations", "a", 3.0), TypeError, "observations.'a'. .* function"),
    "no weight": (broken("rewards", "a", two), TypeError, "reward 'a' .* a weight and a function"),
    "text as weight": (broken("rewards", "a", ("1", two)), TypeError, "weight of reward 'a'"),
    "weight that is none": (broken("rewards", "a", (np.nan, two)), ValueError, "weight of reward 'a'"),
    "no period": (broken("events", "a", two), TypeError, "event 'a' .* seconds and a function"),
    "no end": (broken("terminations", "a", None), TypeError, "terminations.'a'."),
    "noise that is none": (broken("noise", "state", np.nan), ValueError, "noise of observation 'state'"),
    "negative noise": (broken("noise", "state", -1.0), ValueError, "noise .* ≥ 0"),
    "noise of another width": (broken("noise", "state", [0.1] * 5), ValueError, r"\(4,\), got \(5,\)"),
    "text": (broken("observations", "a", lambda sim: np.array(["b"] * 2)), TypeError, "'a' must be numbers"),
    "complex": (broken("observations", "a", lambda sim: two(sim) + 1j), TypeError, "'a' must be numbers"),
    "growing": (broken("observations", "a", lambda sim: np.zeros((2, next(counted)))), ValueError, "'a' had"),
    "world": (lambda task: setattr(task, "make_world", None), TypeError, "make_world"),
    "actions": (lambda task: setattr(task, "actions", None), TypeError, "tribo.gym.Actions"),
    "commands": (lambda task: setattr(task.actions, "apply", None), TypeError, "apply of the actions"),
    "name": (lambda task: setattr(task, "name", None), TypeError, "name of a task"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_terms_that_are_none_are_named(case):
    """Python's own words did not say which term it was; noise of NaN and complex numbers went on."""
    change, error, words = BROKEN[case]
    task = load("CartPole")
    change(task)
    with pytest.raises(error, match=words):
        VectorEnv(task, 2, threads=1).reset(seed=0)


def test_limits_of_actions_are_numbers():
    with pytest.raises(TypeError, match="low of actions"):
        Actions(["a"], [1.0], two)
    with pytest.raises(ValueError, match="below high"):
        Actions([np.nan], [1.0], two)


# -- what is said at once --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda: randomisation.mass("a", "b", -1.0, 2.0), ValueError, "mass of b must be ≥ 0"),
        (lambda: randomisation.mass("a", "b", 2.0, 1.0), ValueError, "least to the largest"),
        (lambda: randomisation.mass("a", "b", 0.0, 1.0), ValueError, "mass of b must be > 0"),
        (lambda: randomisation.size("a", np.nan, 1.0), ValueError, "size of a must be finite"),
        (lambda: randomisation.friction("a", "b", -1.0, 1.0), ValueError, "friction of a and b"),
        (lambda: randomisation.gains("a", -2.0, -1.0), ValueError, "gains of a must be ≥ 0"),
        (lambda: randomisation.gravity(-1.0), ValueError, "deviation of gravity must be ≥ 0"),
        (lambda: randomisation.motors("a", delay=(-1.0, 1.0)), ValueError, "delay of a must be ≥ 0"),
        (lambda: randomisation.motors("a", delay=0.1), ValueError, "delay of a must be a pair"),
        (lambda: randomisation.motors("a", dlay=(0.0, 0.1)), KeyError, "did you mean 'delay'"),
        (lambda: randomisation.push("a", -1.0), ValueError, "push of a must be ≥ 0"),
        (lambda: randomisation.start("a", np.nan, 0.1), ValueError, "coordinate of the start of a"),
        (lambda: randomisation.start("a", 0.1, -0.1), ValueError, "velocity of the start of a"),
    ],
)
def test_ranges_that_are_none_are_refused_before_a_training_begins(make, kind, says):
    """A mass of −1 … 2 times the nominal one was refused when a negative number was drawn, hours later."""
    with pytest.raises(kind, match=says):
        make()


def test_a_start_of_what_has_rotations_is_refused_in_words():
    task = tribo.gym.load("Quadruped")
    task.resets["start"] = randomisation.start("dog", 0.1, 0.1)
    with pytest.raises(ValueError, match="rotations among its coordinates"):
        VectorEnv(task, num_envs=2, threads=1).reset(seed=0)
    task = tribo.gym.load("CartPole")
    task.resets["start"] = randomisation.start("cart_pole", [0.1, 0.1, 0.1], 0.1)
    with pytest.raises(ValueError, match=r"start of cart_pole must be a number or have shape \(2,\)"):
        VectorEnv(task, num_envs=2, threads=1).reset(seed=0)


@pytest.mark.parametrize("name", ["os:", ":", "..x:y", "a:b:c", "a b:c"])
def test_names_of_functions_that_are_none_are_refused_in_words(name):
    with pytest.raises(ImportError, match="must be module:function of a task"):
        tribo.gym.load(name)


def test_unknown_modes_of_autoreset_list_those_there_are():
    with pytest.raises(ValueError, match="autoreset_mode must be one of 'NextStep'"):
        VectorEnv(tribo.gym.load("CartPole"), num_envs=1, autoreset_mode="same")
    with pytest.raises(TypeError, match="autoreset_mode must be one of"):
        VectorEnv(tribo.gym.load("CartPole"), num_envs=1, autoreset_mode=3)


@pytest.mark.parametrize("value", [[1j, 0.0], ["a", "b"], [None, 1.0]])
def test_rewards_that_are_no_numbers_are_named(value):
    task = tribo.gym.load("CartPole")
    task.rewards["odd"] = 1.0, lambda sim: np.array(value)
    envs = VectorEnv(task, num_envs=2, threads=1)
    envs.reset(seed=0)
    with pytest.raises(TypeError, match="reward 'odd' must be numbers"):
        envs.step(np.zeros((2, 1)))


def test_terminations_are_truth_values():
    """NaN counted as the end of an episode, in every step."""
    task = tribo.gym.load("CartPole")
    task.terminations["odd"] = lambda sim: np.full(2, np.nan)
    envs = VectorEnv(task, num_envs=2, threads=1)
    envs.reset(seed=0)
    with pytest.raises(TypeError, match="termination 'odd' must be True or False"):
        envs.step(np.zeros((2, 1)))


@pytest.mark.parametrize("camera", [3, ((0, 0, 1),), ((0, 0, 1), (0, 0)), ((0, 0, np.nan), (0, 0, 0))])
def test_cameras_that_are_none_are_refused(camera):
    task = tribo.gym.load("CartPole")
    task.camera = camera
    with pytest.raises((TypeError, ValueError), match=r"camera of task|of the camera"):
        VectorEnv(task, num_envs=1, threads=1)


def test_limits_of_actions_that_no_float32_holds_are_refused():
    """They became infinite, with a warning of NumPy."""
    with pytest.raises(ValueError, match="limits of actions must be at most 1e"):
        Actions([-1e300], [1e300], lambda sim, actions: None)


def test_worlds_get_what_an_identification_left_uncertain():
    """A draw is the world's own: it does not depend on the other worlds."""

    class Known:
        names = ("m",)

        def draw(self, count, generator=None):
            return self.of_normal(generator.standard_normal((count, 1)))

        def of_normal(self, normal):
            return np.clip(0.1 + 0.01 * normal, 0.05, 0.2)

        def set_in_batch(self, batch, values, worlds):
            batch["cart_pole"].set_link("pole", worlds, mass=values[:, 0])

    task = load("CartPole")
    task.randomisations["pole"] = randomisation.identified(Known())
    masses = []
    for worlds in (2, 3):
        sim = Simulation(task, worlds, threads=1)
        sim.draws.seed(np.arange(worlds), [1, 2, 3][:worlds])
        sim.begin(np.arange(worlds))
        masses.append(np.asarray(sim.batch["cart_pole"].link("pole").mass)[:2])
    assert np.array_equal(*masses)
    assert masses[0][0] != masses[0][1]
    with pytest.raises(TypeError, match=r"what tribo\.identify returns"):
        randomisation.identified({"friction": 0.5})
