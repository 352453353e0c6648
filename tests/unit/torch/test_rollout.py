"""`tribo.torch.Rollout`: both modes against `torch.autograd.gradcheck`, central differences of 1e-6."""

import numpy as np
import pytest

import tribo
from tribo.identification import body

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tribo[torch]'")


def thrown_robot():
    """A box on a hinge of a floating base: quaternions, velocities in body and world axes, one motor."""
    world = tribo.World(time_step=0.002)
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.1, 0.1), mass=1.0, collides=False)
    tail = root.add_child("tail", "revolute", axis=(0, 1, 0), joint_name="tail")
    tail.add_shape("box", (0.3, 0.05, 0.05), mass=0.4, position=(0.2, 0, 0), collides=False)
    cat = world.add_articulated_system(root, name="cat", position=(2, 0, 1))
    cat.generalized_velocity = [0.1, 0, 0.2, 0.5, 0.4, -0.3, 1.0]
    return world


def inputs(function, worlds=2, horizon=2):
    generator = np.random.default_rng(1)
    q, v = function.start()
    given = (
        generator.normal(size=(worlds, horizon, len(function.command_names))),
        np.tile(q, (worlds, 1)) + 0.1 * generator.normal(size=(worlds, len(q))),
        np.tile(v, (worlds, 1)) + 0.1 * generator.normal(size=(worlds, len(v))),
        function.parameters(),
    )
    return tuple(torch.tensor(one, requires_grad=True) for one in given)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # PyTorch's, of its own
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_modes_are_differences():
    """Coordinates are within 3, so rounding of a difference is 1e-9; steps that were differenced add that."""
    import tribo.torch

    rollout = tribo.torch.Rollout(
        thrown_robot(), forces={"cat": ["tail"]}, parameters=body("cat", "tail", mass=(0.1, 1.0)),
        steps_per_control=2, threads=1,
    )  # fmt: skip
    torch.autograd.gradcheck(
        rollout, inputs(rollout.function), eps=1e-6, atol=1e-6, rtol=1e-6, check_forward_ad=True,
        check_batched_grad=False, nondet_tol=0.0,
    )  # fmt: skip


def test_a_start_for_all_worlds_collects_their_derivatives():
    import tribo.torch

    rollout = tribo.torch.Rollout(thrown_robot(), forces={"cat": ["tail"]}, threads=1)
    q, v = (torch.tensor(one, requires_grad=True) for one in rollout.function.start())
    end_q, end_v = rollout(torch.zeros(3, 2, 1, dtype=torch.float64), q, v)
    end_v[:, -1, 0].sum().backward()
    assert torch.allclose(v.grad[0], torch.tensor(3.0, dtype=torch.float64), atol=1e-8)
    assert end_q.shape == (3, 2, 8)
    single = torch.zeros(2, 1)  # float32, one world
    assert rollout(single)[0].dtype == torch.float32
    with pytest.raises(TypeError, match="tensor"):
        rollout(np.zeros((3, 2, 1)))


def test_a_push_is_found_by_gradient_descent():
    """A ball of mass m that is pushed for T: half the squared miss falls by Newton's step at once."""
    import tribo.torch

    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    rollout = tribo.torch.Rollout(world, forces={"ball": None}, steps_per_control=10, threads=1)
    push = torch.zeros(1, 1, 6, dtype=torch.float64, requires_grad=True)
    q, _ = rollout(push)
    (0.5 * (q[0, -1, 0] - 0.3) ** 2).backward()
    by_push = 0.1**2 / (2 * 2.0)  # t²/2m
    assert np.isclose(float(push.grad[0, 0, 0]), -0.3 * by_push, rtol=1e-7)
    better = push.detach().clone()
    better[0, 0, 0] = 0.3 / by_push
    assert np.isclose(float(rollout(better)[0][0, -1, 0]), 0.3, rtol=1e-9)


def test_whole_numbers_are_taken_as_numbers():
    """Commands, coordinates and velocities alike; what is no list of commands is refused in words."""
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=2.0, name="ball")
    rollout = tribo.torch.Rollout(world, forces={"ball": None}, threads=1)
    pushes = torch.ones(5, 6, dtype=torch.int64)
    q, v = rollout(pushes, v=torch.tensor([1, 0, 0, 0, 0, 0]))
    assert q.dtype == v.dtype == torch.get_default_dtype()
    assert np.isclose(float(v[0, -1, 0]), 1.0 + 5 * 0.01 / 2.0)
    start = torch.tensor([0.5, 0, 0, 0, 0, 0], requires_grad=True)
    rollout(pushes, v=start)[1][0, -1, 0].backward()
    assert float(start.grad[0]) == 1.0
    for wrong in (torch.tensor(1.0), torch.zeros(6), torch.zeros(0, 5, 6), torch.zeros(5, 3)):
        with pytest.raises(ValueError, match=r"\(worlds, T, 6\)"):
            rollout(wrong)
    with pytest.raises(ValueError, match="v must have shape"):
        rollout(torch.zeros(5, 6), v=torch.tensor(1.0))
    with pytest.raises(TypeError, match="real"):
        rollout(torch.zeros(5, 6, dtype=torch.complex64))
