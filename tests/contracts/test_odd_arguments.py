"""What `make fuzz` found once: arguments that were refused without words, or by a library below."""

import numpy as np
import pytest

import tribo
from tribo import spatial
from tribo.tools.demo import ASSETS


@pytest.fixture
def batch():
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, name="ball")
    return tribo.Batch(world, 3, threads=1)


@pytest.mark.parametrize("worlds", [1 << 63, -(1 << 64), True, False, np.False_])
def test_numbers_without_a_world_are_refused_in_words(batch, worlds):
    with pytest.raises(ValueError, match="worlds must be an index, a slice or a mask of 3 worlds"):
        batch.pool(worlds)
    with pytest.raises(ValueError, match="worlds must be an index"):
        batch.set_material_pair("a", "b", friction=0.1, worlds=worlds)


@pytest.mark.parametrize("none", [np.zeros(3, bool), np.zeros(0, int), slice(0, 0)])
def test_no_world_at_all_is_an_empty_pool(batch, none):
    before = batch.hash()
    assert len(batch.pool(none)) == 0
    assert batch.hash() == before


def test_rays_ignore_names_only(batch):
    with pytest.raises(TypeError, match=r"ignore must be names of objects, got 1\.5"):
        batch.ray_test_batch((0, 0, 5), (0, 0, -1), ignore=1.5)


@pytest.mark.parametrize("damping", [np.array([1.0, 2.0]), [1.0], "soft", float("nan"), -1.0])
def test_the_damping_of_a_wire_is_a_number(damping):
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0)
    before = world.hash()
    with pytest.raises((ValueError, TypeError), match="damping must be"):
        world.add_wire(ball, second_point=(0, 0, 1), damping=damping, stiffness=10.0)
    with pytest.raises((ValueError, TypeError), match="damping must be"):
        world.add_wire(ball, second_point=(0, 0, 1), damping=damping, tension=10.0)
    assert world.hash() == before
    assert world.constraints == ()


def test_a_name_that_is_too_long_for_a_file_is_said_so():
    world = tribo.World()
    with pytest.raises(ValueError, match="File name too long"):
        world.save("x" * 3000)
    pytest.importorskip("zarr")
    with pytest.raises(ValueError, match="File name too long"):
        world.record("x" * 3000)


@pytest.mark.parametrize(("part", "error"), [("ball", TypeError), (3, TypeError), (None, TypeError)])
def test_contacts_are_asked_for_by_object(part, error):
    """What is no object has no contacts; an empty list would hide a slip of the pen."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(error, match="contacts_of takes an object"):
        world.contacts_of(part)


def test_contacts_of_an_object_of_another_world_are_refused():
    stranger = tribo.World().add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(ValueError, match="ball is no object of this world"):
        tribo.World().contacts_of(stranger)


READERS = {
    "height text": tribo.HeightField.from_text,
    "height picture": lambda source: tribo.HeightField.from_image(source, (1, 1), scale=1.0),
    "model": spatial.load,
    "state": lambda source: tribo.World().load_state(source),
    "materials": lambda source: tribo.World().load_materials(source),
}


@pytest.mark.parametrize("source", [None, 5, ["a.txt"], np.zeros(3)])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_path_is_said_by_every_reader(reader, source):
    with pytest.raises(TypeError, match="path"):
        READERS[reader](source)
    with pytest.raises(TypeError) as caught:
        READERS[reader](source)
    assert "os.PathLike" not in str(caught.value)  # the words of a library below


@pytest.mark.parametrize("reader", ["height text", "height picture", "model", "state"])
def test_a_file_that_is_not_there_is_said_with_a_remedy(reader, tmp_path):
    missing = tmp_path / "missing.json"
    with pytest.raises(FileNotFoundError, match=r"missing\.json: there is no such file; mend the path"):
        READERS[reader](missing)
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        READERS[reader]("~/missing.json")
    with pytest.raises(ValueError, match="must be the path of a file"):
        READERS[reader]("a\0b.json")
    with pytest.raises(OSError, match="File name too long"):
        READERS[reader]("x" * 3000 + ".json")


@pytest.mark.parametrize("given", [[1], "m=2", 3, {"m": [1]}, {"m": True}, {2: 1.0}])
def test_parameters_of_a_world_file_are_a_mapping_to_numbers_or_text(given, tmp_path):
    source = '<raisim version="2.0"><gravity value="0 0 -@@m"/></raisim>'
    with pytest.raises(tribo.DescriptionError, match="parameter"):
        tribo.World.load(source, parameters=given)
    scene = tmp_path / "scene.xml"
    scene.write_text("<mujoco><worldbody/></mujoco>")
    with pytest.raises(tribo.DescriptionError, match="parameter"):
        tribo.World.load(scene, parameters=given)


def test_numbers_of_parameters_keep_all_digits():
    source = '<raisim version="2.0"><gravity value="0 0 {-@@g}"/></raisim>'
    world = tribo.World.load(source, parameters={"@@g": np.float64(0.1) + 0.2})
    assert world.gravity[2] == -(0.1 + 0.2)


@pytest.mark.parametrize("lam", [["a", 0, 1], None, "abc", [[-1], [0, 1]], {1}])
def test_parents_that_are_no_numbers_are_said_in_words(lam):
    with pytest.raises((ValueError, TypeError), match="lam must be"):
        spatial.LTL(np.eye(3), lam)


@pytest.mark.parametrize("name", ["vee", "singlebody", "scissor"])
def test_sample_models_of_the_toolbox_say_what_is_there_instead(name):
    with pytest.raises(
        AttributeError, match=rf"{name}.*not published.*(hinged_rods|tumbling_box|crossed_rods)"
    ):
        getattr(spatial, name)
    with pytest.raises(AttributeError, match="has no attribute 'veee'"):
        spatial.veee  # noqa: B018


def test_a_number_beyond_the_objects_says_how_many_there_are():
    world = tribo.World()
    world.add_ground()
    with pytest.raises(IndexError, match="there is no object 3; there are 1"):
        world.objects[3]
    with pytest.raises(IndexError, match="there is no object 0; there are 0"):
        tribo.World().objects[0]


ROBOT = "<robot name='r'><link name='world'/></robot>"
SCENE = "<mujoco><worldbody/><keyframe><key name='home'/><key name='end'/></keyframe></mujoco>"
GRID = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        *[
            (lambda x=x: tribo.World().add_articulated_system(ROBOT, modules=x), "modules must be")
            for x in (None, 3, [1, 2], GRID, True)
        ],
        *[
            (lambda x=x: tribo.World().add_articulated_system(ROBOT, joint_order=x), "joint_order")
            for x in (None, 3, GRID, np.array(["a", "b"]))
        ],
        *[
            (lambda x=x: tribo.World().load_mjcf(SCENE, keyframe=x), "keyframe must be")
            for x in (0.5, [], {}, True, GRID)
        ],
        *[
            (lambda x=x: tribo.HeightField.fractal(samples=x), "samples must be")
            for x in (None, 10, [], (3, 3, 3), "ab", {})
        ],
        *[
            (lambda x=x: tribo.HeightField.fractal(seed=x), "seed must be")
            for x in (None, -1, "x", 0.5, GRID)
        ],
        *[(lambda x=x: tribo.HeightField.fractal(z_scale=x), "z_scale") for x in (None, "x", GRID)],
        *[
            (lambda x=x: tribo.LinkDescription("a").add_shape(x, 0.1), "(?s)shape .* is unknown")
            for x in ([], {}, None, GRID)
        ],
    ],
)
def test_what_a_second_trial_found_is_said_in_words(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call()


@pytest.mark.parametrize("hold", [np.array([1, 2, 3]), "no", 1, None])
@pytest.mark.parametrize("batched", [False, True])
def test_whether_gains_hold_the_base_is_true_or_false(hold, batched):
    world = tribo.World()
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog")
    owner = tribo.Batch(world, 2, threads=1)["dog"] if batched else robot
    with pytest.raises(TypeError, match="hold_base of dog must be True or False"):
        owner.set_pd_gains(3.0, 1.0, hold_base=hold)
    assert (np.asarray(owner.kp) == 0.0).all()


def test_lists_of_different_lengths_are_no_triangles():
    with pytest.raises(ValueError, match=r"triangles of .* must be \(m, 3\) integers, got \[1, \[2, 3\]\]"):
        tribo.World().add_surface(np.zeros((3, 3)), [1, [2, 3]])


def test_the_axis_of_a_magnet_is_a_vector():
    world = tribo.World()
    ball, other = (world.add_sphere(0.1, mass=1.0) for _ in range(2))
    with pytest.raises(TypeError, match="first_axis must be 3 numbers"):
        world.add_magnet(ball, other, catch_distance=0.1, first_axis=len)
    assert world.constraints == ()


def test_the_range_of_an_imu_is_a_number():
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0)
    with pytest.raises(TypeError, match="max_acceleration must be a number"):
        world.add_imu(ball, max_acceleration=np.zeros(3))


def test_a_spring_of_no_time_is_refused():
    body = '<body><joint name="j" springdamper="1e-200 1e-200"/><geom size=".1" mass="1"/></body>'
    with pytest.raises(ValueError, match="springdamper: a time constant so short has no stiffness"):
        tribo.World().load_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
