"""Policies within the call: bit for bit what the same actions do by hand, to rounding what NumPy computes."""

import copy
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scenes import STANCE, empty_world, ground_world, standing_quadruped

import tribo
from tribo.gym.rotations import turned_back
from tribo.gym.simulation import Simulation
from tribo.gym.tasks import biped, quadruped
from tribo.learn import Policy

ROOT = Path(__file__).parents[3]

WORLDS = 5
RATE = 1.7  # [1/s]


def random_network(inputs, outputs, *, hidden=(7, 9), activation="elu", seed=0, **options):
    """Return a network with weights that leave no activation idle."""
    rng = np.random.default_rng(seed)
    widths = [inputs, *hidden, outputs]
    layers = [(rng.normal(0, 1.5 / np.sqrt(n), (m, n)), rng.normal(0, 0.3, m)) for n, m in pairwise(widths)]
    return tribo.Network(layers, activation, **options)


def dog_world():
    """Return a robot in its stance, its drives on, and a ball."""
    world = ground_world(dt=0.002, friction=0.7)
    standing_quadruped(world, kp=60.0, kd=1.5, name="dog")
    world.add_sphere(0.1, mass=1.0, name="ball", position=(1, 0, 2), angular_velocity=(1, 2, 3))
    return world


SEEN = (
    tribo.Seen("linear_velocity"),
    tribo.Seen("angular_velocity", scale=0.25),
    tribo.Seen("down"),
    tribo.Seen("command", width=2),
    tribo.Seen("clock", frequency=RATE),
    tribo.Seen("joint_coordinates", shift=STANCE),
    tribo.Seen("joint_velocities", scale=0.05),
    tribo.Seen("joint_coordinates", joints=["RH_KFE", "LF_HAA"], scale=[2.0, 3.0]),
    tribo.Seen("action"),
    tribo.Seen("linear_velocity", of="ball", axes="world"),
    tribo.Seen("angular_velocity", of="ball"),
    tribo.Seen("position", of="ball", shift=(1.0, 0.0, 1.0)),
    tribo.Seen("coordinates", of="ball"),
    tribo.Seen("velocities", of="dog", scale=0.1),
)
WIDTH = 3 + 3 + 3 + 2 + 2 + 12 + 12 + 2 + 12 + 3 + 3 + 3 + 7 + 18


def by_numpy(batch, policy, action):
    """Return what `SEEN` is, from the state of the batch."""
    dog, ball = batch["dog"], batch["ball"]
    q, v = dog.generalized_coordinate, dog.generalized_velocity
    p, w = ball.generalized_coordinate, ball.generalized_velocity
    down = np.broadcast_to([0.0, 0.0, -1.0], (len(q), 3))
    angle = 2 * np.pi * (RATE * batch.time + policy.phase[:, 0])
    places = [dog.joint_names.index(name) for name in ("RH_KFE", "LF_HAA")]
    parts = (
        turned_back(q[:, 3:7], v[:, :3]), 0.25 * turned_back(q[:, 3:7], v[:, 3:6]),
        turned_back(q[:, 3:7], down), policy.command, np.stack([np.sin(angle), np.cos(angle)], 1),
        q[:, 7:] - STANCE, 0.05 * v[:, 6:], q[:, 7:][:, places] * [2.0, 3.0], action,
        w[:, :3], turned_back(p[:, 3:7], w[:, 3:6]), p[:, :3] - [1.0, 0.0, 1.0], p, 0.1 * v,
    )  # fmt: skip
    return np.concatenate(parts, axis=1)


def with_policy(world, *, threads=1, every=4, seed=0, worlds=WORLDS, **options):
    """Return a batch of worlds that differ, and its policy."""
    batch = tribo.Batch(world, worlds, threads=threads)
    network = random_network(WIDTH, 12, seed=seed, high=1.0, low=-1.0, farthest=5.0, **options)
    commanded = tribo.Commanded("dog", shift=STANCE, scale=0.2)
    policy = batch.set_policy(network, SEEN, commanded, steps_per_action=every)
    rng = np.random.default_rng(3)
    policy.command, policy.phase = rng.normal(0, 1, (worlds, 2)), rng.uniform(0, 1, (worlds, 1))
    batch["dog"].generalized_velocity[:, 6:] = rng.normal(0, 1, (worlds, 12))
    return batch, policy


def bits(batch):
    """Return all states, without what the policy remembers."""
    return {name: a.tobytes() for name, a in batch.engine.state.arrays.items() if "warm" not in name}


@pytest.mark.parametrize("activation", ["elu", "tanh", "relu", "none"])
@pytest.mark.parametrize("with_motors", [False, True])
def test_it_is_the_loop_in_numpy(activation, with_motors):
    """The numbers seen and the actions to 1e-12, and what these actions do, bit for bit."""
    world = dog_world()
    options = {"mean": np.linspace(-0.1, 0.1, WIDTH), "deviation": np.linspace(0.5, 2.0, WIDTH),
               "middle": 0.05, "span": np.linspace(0.5, 1.0, 12), "output_activation": "tanh"}  # fmt: skip
    batch, policy = with_policy(world, activation=activation, **options)
    by_hand = tribo.Batch(world, WORLDS, threads=1)
    by_hand["dog"].generalized_velocity[:] = batch["dog"].generalized_velocity
    if with_motors:
        for one in (batch, by_hand):
            one["dog"].set_motors(delay=0.006, time_constant=0.01)
    action, moved = np.zeros((WORLDS, 12)), []
    for _ in range(30):
        expected = by_numpy(by_hand, policy, action)
        batch.step(4)
        np.testing.assert_allclose(policy.seen, expected, rtol=0, atol=1e-12)
        action = policy.action
        np.testing.assert_allclose(action, policy.network(expected), rtol=0, atol=1e-12)
        moved.append(action)
        by_hand["dog"].pd_target[:, 7:] = STANCE + 0.2 * action
        by_hand.step(4)
        assert bits(batch) == bits(by_hand)
    assert np.ptp(moved, axis=0).max() > 0.1
    assert np.ptp(moved, axis=1).max() > 0.1


def test_threads_and_calls_do_not_matter():
    """One call of 60 steps, sixty of one, three of uneven length, a rollout: the same bits."""
    world = dog_world()
    pushes = {"dog": np.zeros((WORLDS, 30, 12))}
    made = {}
    for threads in (1, 2, 3):
        for calls in ([60], [1] * 60, [7, 50, 3]):
            batch, _ = with_policy(world, threads=threads)
            for n in calls:
                batch.step(n)
            made[threads, len(calls)] = batch.hash()
        batch, _ = with_policy(world, threads=threads)
        batch.rollout(forces=pushes, steps_per_control=2)
        made[threads, "rollout"] = batch.hash()
    assert len(set(map(tuple, made.values()))) == 1
    assert len(set(made[1, 1])) == WORLDS


def test_the_task_of_a_walker_says_the_same():
    """What a policy sees in the call is what the task of the quadruped observes."""
    task = quadruped.task()
    task.randomisations.clear()
    sims = [Simulation(task, 4, threads=1) for _ in range(2)]
    for sim in sims:
        sim.draws.seed(np.arange(4), [1, 2, 3, 4])
        sim.begin(np.arange(4))
    sim, other = sims
    walker = quadruped.WALKER
    network = random_network(50, 12, hidden=(16,), low=-1.0, high=1.0)
    policy = other.batch.set_policy(network, **walker.within_batch(), steps_per_action=4)
    policy.command, policy.phase = sim.remember("command", 3), sim.remember("phase", 1)
    for _ in range(25):
        observed = sim.observe(np.arange(4))
        other.batch.step(4)
        np.testing.assert_allclose(policy.seen, observed, rtol=0, atol=1e-12)
        sim.step(policy.action)
    assert bits(sim.batch) == bits(other.batch)
    with pytest.raises(ValueError, match="do more than follow"):
        biped.WALKER.within_batch()


def counting(world, name, worlds=2, every=1, threads=1):
    """Return a batch with a policy whose action is the number of its actions."""
    batch = tribo.Batch(world, worlds, threads=threads)
    network = tribo.Network([(np.eye(1), np.ones(1))])
    commanded = tribo.Commanded(name, "forces", scale=0.0)
    return batch, batch.set_policy(network, [tribo.Seen("action")], commanded, steps_per_action=every)


def cart_world():
    """Return a cart on a rail, without forces."""
    world = empty_world(dt=0.01, gravity=(0, 0, 0))
    rail = tribo.LinkDescription("rail")
    cart = rail.add_child("cart", "prismatic", axis=(1, 0, 0))
    cart.add_shape("box", (0.4, 0.2, 0.2), mass=1.0, collides=False)
    world.add_articulated_system(rail, name="robot", fixed_base=True)
    return world


def test_it_acts_every_few_steps_whatever_the_calls():
    batch, policy = counting(cart_world(), "robot", every=4)
    seen = []
    for n in (1, 2, 1, 1, 3, 0, 9):
        batch.step(n)
        seen.append(int(policy.action[0, 0]))
    assert seen == [1, 1, 1, 2, 2, 2, 5]  # before steps 0, 4, 8, 12, 16 of 17


def test_steps_that_are_made_again_have_one_action():
    """Tables that are too small stop a step; enlarged, the step goes on with the action it had."""
    world = ground_world(friction=0.6)
    rail = tribo.LinkDescription("rail")
    rail.add_child("cart", "prismatic", axis=(1, 0, 0)).add_shape("sphere", (0.1,), mass=1.0)
    world.add_articulated_system(rail, name="robot", fixed_base=True, position=(0, 0, 9))
    for k in range(60):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.3 * k, 3, 0.1 + 0.0005 * k))
    batch, policy = counting(world, "robot")
    before = batch.engine.capacity
    batch.step(120)
    assert batch.engine.capacity != before
    assert policy.action[:, 0].tolist() == [120.0, 120.0]


def test_a_world_that_fails_stops_alone():
    world = dog_world()
    batch, _ = with_policy(world)
    alike, _ = with_policy(world)
    batch["dog"].generalized_velocity[2, 0] = np.inf
    made_it = batch.step(40)
    alike.step(40)
    assert made_it.tolist() == [True, True, False, True, True]
    others = [0, 1, 3, 4]
    assert batch.hash(others) == alike.hash(others)


# -- snapshots, pools, copies ----------------------------------------------------------------------
def test_snapshots_and_pools_hold_what_the_policy_remembers():
    """Taken between two actions, so that the action and the steps left to the next one count."""
    batch, policy = with_policy(dog_world())
    batch.step(6)
    saved, starts, command = batch.snapshot(), batch.pool(), policy.command.copy()
    batch.step(21)
    expected = batch.hash()
    policy.command = 0.0
    batch.restore(saved)
    assert np.array_equal(policy.command, command)
    batch.step(21)
    assert batch.hash() == expected
    batch.reset(starts, entries=np.arange(WORLDS))
    batch.step(21)
    assert batch.hash() == expected
    batch.reset(starts, worlds=[0, 1], entries=[3, 2])
    batch.copy_worlds([0, 1], targets=[4, 3])
    batch.step(21)
    assert batch.hash([0, 1]) == [expected[3], expected[2]] == batch.hash([4, 3])


def test_states_from_before_it_let_it_begin_anew():
    """So do pools of a policy of another width; nothing is written beside its arrays."""
    world = cart_world()
    batch = tribo.Batch(world, 2, threads=1)
    saved, starts = batch.snapshot(), batch.pool()
    wide = tribo.Network([(np.eye(1, 9), np.zeros(1))])
    numbers = [tribo.Seen("command", width=8), tribo.Seen("action")]
    batch.set_policy(wide, numbers, tribo.Commanded("robot", "forces"))
    of_wide = batch.pool()
    network = tribo.Network([(np.eye(1), np.ones(1))])
    commanded = tribo.Commanded("robot", "forces")
    policy = batch.set_policy(network, [tribo.Seen("action")], commanded, steps_per_action=3)
    for back in (
        lambda: batch.reset(starts),
        lambda: batch.restore(saved),
        lambda: batch.reset(of_wide),
        policy.restart,
        lambda: batch.set_from_world(world),
    ):
        batch.step(5)
        assert policy.action[:, 0].tolist() == [2.0, 2.0]
        back()
        assert policy.action[:, 0].tolist() == [0.0, 0.0]
    batch.step(5)
    mine = batch.snapshot()
    batch.clear_policy()
    assert batch.policy is None
    batch.restore(mine)
    batch.reset(of_wide)
    force = batch["robot"].generalized_force.copy()
    batch.step(5)
    assert np.array_equal(batch["robot"].generalized_force, force)
    mine["pilot"]["left"][1] = -1
    batch.set_policy(network, [tribo.Seen("action")], commanded)
    with pytest.raises(ValueError, match="left of the snapshot is out of its range"):
        batch.restore(mine)


def test_restart_of_some_worlds():
    batch, policy = counting(cart_world(), "robot", worlds=3, every=3)
    batch.step(4)
    policy.restart([True, False, False])
    batch.step(1)
    assert policy.action[:, 0].tolist() == [1.0, 2.0, 2.0]


def test_other_weights():
    """Widths stay, commands and the last action too."""
    batch, policy = counting(cart_world(), "robot")
    batch.step(3)
    policy.set_network(tribo.Network([(2.0 * np.eye(1), np.zeros(1))]))
    batch.step(2)
    assert policy.action[0, 0] == 12.0
    assert policy.network.layers[0][0].tolist() == [[2.0]]
    with pytest.raises(ValueError, match="as wide as before"):
        policy.set_network(random_network(1, 1))
    with pytest.raises(TypeError, match=r"tribo\.Network"):
        policy.set_network(lambda seen: seen)


@pytest.mark.parametrize("what", ["forces", "targets", "velocity_targets"])
def test_kinds_of_commands(what):
    batch = tribo.Batch(cart_world(), 2, threads=1)
    robot = batch["robot"]
    network = tribo.Network([([[1.0]], [0.0])])
    commanded = tribo.Commanded("robot", what, shift=0.5, scale=2.0)
    policy = batch.set_policy(network, [tribo.Seen("command")], commanded)
    policy.command = [[1.0], [-1.0]]
    batch.step()
    written = {"forces": robot.generalized_force, "targets": robot.pd_target,
               "velocity_targets": robot.pd_velocity_target}  # fmt: skip
    for name, array in written.items():
        assert array[:, 0].tolist() == ([2.5, -1.5] if name == what else [0.0, 0.0])


# -- what is refused -------------------------------------------------------------------------------
def layer(outputs, inputs):
    return np.zeros((outputs, inputs)), np.zeros(outputs)


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (lambda: tribo.Network([]), ValueError, "at least one layer"),
        (lambda: tribo.Network([layer(3, 2), layer(1, 4)]), ValueError, "3 numbers come from the layer"),
        (lambda: tribo.Network([(np.zeros((3, 2)), np.zeros(2))]), ValueError, r"bias of layer 0.*\(3,\)"),
        (lambda: tribo.Network([(np.zeros(3), np.zeros(3))]), ValueError, r"\(out, in\)"),
        (lambda: tribo.Network([(np.full((1, 1), np.nan), np.zeros(1))]), ValueError, "finite"),
        (lambda: tribo.Network([(["a"], [0.0])]), TypeError, "numbers"),
        (lambda: tribo.Network(3), TypeError, "layers of a network"),
        (lambda: tribo.Network([layer(1, 1)], "swish"), ValueError, "'tanh', 'relu', 'elu'"),
        (lambda: tribo.Network([layer(1, 2)], deviation=[1.0, 0.0]), ValueError, "deviation.*> 0"),
        (lambda: tribo.Network([layer(1, 2)], mean=[1.0]), ValueError, r"shape \(2,\)"),
        (lambda: tribo.Network([layer(1, 2)], low=1.0, high=0.0), ValueError, "low.*≤ high"),
        (lambda: tribo.Network([layer(1, 2)], high=np.nan), ValueError, "finite"),
        (lambda: tribo.Network([layer(1, 2)], farthest=0.0), ValueError, "farthest"),
        (lambda: tribo.Network([layer(1, 2)], farthest=np.ones(2)), TypeError, "farthest.*a number"),
        (lambda: tribo.Network([layer(1, 2)], deviation=1e-320), ValueError, "deviation.*at least 1e-15"),
        (lambda: tribo.Network([layer(1, 2)], high=-np.inf), ValueError, "finite action.*-inf"),
        (lambda: tribo.Network(layer(1, 2)), ValueError, "layer 0.*weights and bias, got 1 entries"),
        (lambda: tribo.Network([3.0]), TypeError, "layer 0.*list of two arrays, weights and bias"),
        (lambda: tribo.Network([layer(1, 2)])(np.zeros(3)), ValueError, "takes 2 numbers"),
        (lambda: tribo.Network([layer(1, 2)])("no"), TypeError, "what the network sees must be numbers"),
        (lambda: tribo.Seen("height"), ValueError, "what is seen"),
        (lambda: tribo.Seen("down", joints=["a"]), ValueError, "takes no joints"),
        (lambda: tribo.Seen("clock", of="dog"), ValueError, "leave out 'of'"),
        (lambda: tribo.Seen("command", width=0), ValueError, "width"),
        (lambda: tribo.Seen("linear_velocity", axes="foot"), ValueError, "axes"),
        (lambda: tribo.Commanded("dog", "torques"), ValueError, "what is commanded"),
    ],
)  # fmt: skip
def test_what_is_no_description(made, error, says):
    with pytest.raises(error, match=says):
        made()


COMMANDED = tribo.Commanded("dog")


@pytest.mark.parametrize(
    ("seen", "commanded", "error", "says"),
    [
        ([tribo.Seen("action")], tribo.Commanded("cat"), KeyError, "unknown object 'cat'"),
        ([tribo.Seen("action")], tribo.Commanded("floor"), ValueError, "static"),
        ([tribo.Seen("action")], tribo.Commanded("ball"), ValueError, "no joint"),
        ([tribo.Seen("action")], tribo.Commanded("dog", joints=["LF_KF"]), KeyError, "did you mean"),
        ([tribo.Seen("action")], tribo.Commanded("dog", joints="LF_KFE"), TypeError, "list of names"),
        ([tribo.Seen("action")], [COMMANDED, COMMANDED], ValueError, "given twice"),
        ([tribo.Seen("action")], [], ValueError, "commanded is empty"),
        ([tribo.Seen("action")], "dog", TypeError, "Commanded"),
        ([tribo.Seen("action")], tribo.Commanded("dog", joints=["LF_KFE"]), ValueError, "gives 12"),
        ([tribo.Seen("action")], tribo.Commanded("dog", scale=[1.0, 2.0]), ValueError, r"\(12,\)"),
        ([tribo.Seen("down")], COMMANDED, ValueError, "seen has 3 numbers, the network takes 12"),
        ([], COMMANDED, ValueError, "seen has 0 numbers"),
        (["action"], COMMANDED, TypeError, r"tribo\.Seen"),
        ([tribo.Seen("down", of="arm")], COMMANDED, ValueError, "fixed base"),
        ([tribo.Seen("action", scale=np.nan)], COMMANDED, ValueError, "finite"),
        ([tribo.Seen("joint_coordinates", of="ball")], COMMANDED, ValueError, "no joint"),
        ([tribo.Seen("joint_velocities", joints=[])], COMMANDED, ValueError, "joints of dog is empty"),
        ([tribo.Seen("command", width=10**12)], COMMANDED, ValueError, "width of command is 10{12}, the"),
    ],
)  # fmt: skip
def test_what_does_not_fit_changes_nothing(seen, commanded, error, says):
    world = ground_world(friction=0.7)
    standing_quadruped(world, kp=60.0, kd=1.5, name="dog")
    world.add_sphere(0.1, mass=1.0, name="ball", position=(1, 0, 2))
    world.add_box((1, 1, 1), 1.0, name="floor", position=(5, 0, 0), body_type=tribo.STATIC)
    arm = tribo.LinkDescription("base")
    arm.add_child("link", "revolute").add_shape("sphere", (0.1,), mass=1.0)
    world.add_articulated_system(arm, name="arm", fixed_base=True, position=(9, 0, 3))
    batch = tribo.Batch(world, 2, threads=1)
    with pytest.raises(error, match=says):
        batch.set_policy(tribo.Network([layer(12, 12)]), seen, commanded)
    assert batch.policy is None
    with pytest.raises(TypeError, match=r"tribo\.Network"):
        batch.set_policy(print, [tribo.Seen("action")], COMMANDED)
    with pytest.raises(ValueError, match="steps_per_action"):
        batch.set_policy(
            tribo.Network([layer(12, 12)]), [tribo.Seen("action")], COMMANDED, steps_per_action=0
        )


def test_what_can_be_gone_through_once_will_do():
    """(Before, commands from a generator were "not subscriptable".)"""
    batch = tribo.Batch(cart_world(), 2, threads=1)
    commanded = (tribo.Commanded("robot", "forces") for _ in range(1))
    seen = (tribo.Seen("joint_velocities") for _ in range(1))
    width = len(batch["robot"].joint_names)
    policy = batch.set_policy(tribo.Network([layer(width, width)]), seen, commanded)
    batch.step(1)
    assert policy.seen.shape == policy.action.shape == (2, width)


def test_commands_are_checked():
    _, policy = with_policy(dog_world())
    with pytest.raises(ValueError, match=r"shape \(5, 2\) or \(2,\)"):
        policy.command = np.zeros((5, 3))
    with pytest.raises(ValueError, match="finite"):
        policy.command = [np.nan, 0.0]
    policy.command = [1.0, 2.0]
    assert policy.command[4].tolist() == [1.0, 2.0]
    with pytest.raises(AttributeError):
        policy.commands = 0.0
    with pytest.raises(ValueError, match="read-only"):
        policy.action[0] = 1.0


def test_what_acts_cannot_become_another_unnoticed():
    """Weights are checked once, so none can be written; a network that is assigned would act in no world."""
    weight = np.ones((1, 2))
    network = tribo.Network([(weight, np.zeros(1))], mean=0.5)
    weight[0] = np.nan
    assert network([1.0, 2.0]).tolist() == [2.0]
    for one in (network, copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        for array in (one.layers[0][0], one.layers[0][1], one.mean, one.high):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = np.nan
        assert isinstance(one.layers, tuple)
        assert one([1.0, 2.0]).tolist() == [2.0]
    _, policy = counting(cart_world(), "robot")
    for name, value in (("network", policy.network), ("steps_per_action", 7)):
        with pytest.raises(AttributeError, match=f"{name} of BatchPolicy cannot be assigned"):
            setattr(policy, name, value)


def test_layers_are_scratch_of_a_thread():
    """Two threads share what belongs to worlds, and nothing of what a network computes on the way."""
    batch, policy = with_policy(dog_world(), threads=2)
    batch.step(8)
    ((_, other, _),) = batch.engine._others
    own = batch.engine.pilot
    assert other.arrays["action"] is own.arrays["action"]
    assert policy.action is not own.arrays["action"]
    assert not np.shares_memory(other.arrays["hidden"], own.arrays["hidden"])


def test_a_policy_that_was_taken_out_is_said_to_be():
    """What is written into it would reach nothing."""
    batch, old = counting(cart_world(), "robot")
    batch.set_policy(old.network, [tribo.Seen("action")], tribo.Commanded("robot", "forces"))
    for edit in (lambda: setattr(old, "phase", 0.5), lambda: old.set_network(old.network), old.restart):
        with pytest.raises(tribo.EditError, match="batch has no more"):
            edit()
    batch.policy.phase = 0.5
    assert batch.policy.phase.tolist() == [[0.5], [0.5]]


def test_a_learnt_policy_is_the_same_to_float32():
    """`Policy` computes in float32; within the call it is float64."""
    learnt = Policy.load(ROOT / "examples" / "quadruped_policy.npz")
    seen = np.random.default_rng(0).normal(learnt.mean, 3.0 * learnt.deviation, (200, 50))
    actions = learnt.network()(seen)
    np.testing.assert_allclose(actions, learnt(seen), rtol=0, atol=1e-5)
    assert 0.05 < (np.abs(actions) == 1.0).mean() < 0.95


def test_what_was_learnt_says_where_its_network_is():
    class Learnt:
        def network(self):
            raise AssertionError("it is for the user to call")

    with pytest.raises(TypeError, match=r"must be a tribo\.Network.*; its network\(\) is one"):
        tribo.Batch(tribo.World(), 1).set_policy(Learnt(), [], [])
