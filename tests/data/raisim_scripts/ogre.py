"""The first Python package: snake_case, OgreVis, callbacks."""

import numpy as np
import raisimpy as raisim


def setup_callback():
    vis = raisim.OgreVis.get()
    light = vis.get_light()
    light.set_diffuse_color(1, 1, 1)
    light.set_cast_shadows(True)
    light.set_direction([-0.7, -0.7, -0.1])
    vis.set_camera_speed(300)
    vis.add_resource_directory("material")
    vis.load_material_file("testMaterial.material")
    vis.set_shadow_technique(0)
    manager = vis.get_scene_manager()
    manager.set_sky_box(True, "Examples/StormySkyBox", 500)


calls = []


def control_callback():
    calls.append(world.get_world_time())


world = raisim.World()
world.set_time_step(0.002)
vis = raisim.OgreVis.get()
vis.set_world(world)
vis.set_window_size(1800, 1200)
vis.set_default_callbacks()
vis.set_setup_callback(setup_callback)
vis.set_control_callback(control_callback)
vis.set_anti_aliasing(2)
vis.set_desired_fps(50)
vis.init_app()

ground = world.add_ground()
ground.set_name("checkerboard")
vis.create_graphical_object(ground, dimension=20, name="floor", material="checkerboard_green")
world.set_erp(0, 0)
world.set_default_material(0.8, 0.0, 0.0)
world.set_material_pair_properties("steel", "default", friction=0.5, restitution=0.2, threshold=0.01)
sphere = world.add_sphere(0.2, 0.8, material="steel")
vis.create_graphical_object(sphere, "ball", "copper")
sphere.set_position(0, 2, 1)
vis.add_visual_object("marker", "sphereMesh", "red", [0.1, 0.1, 0.1])
anymal = world.add_articulated_system(URDF)
shown = vis.create_graphical_object(anymal, "ANYmal")
q = np.array([0, 0, 0.54, 1, 0, 0, 0] + [0.0, 0.5, -1.0] * 2 + [0.0, -0.5, 1.0] * 2)
anymal.set_generalized_coordinates(q)
anymal.set_generalized_velocities(np.zeros(anymal.get_dof()))
anymal.set_generalized_forces(np.zeros(anymal.get_dof()))
anymal.set_control_mode(raisim.ControlMode.PD_PLUS_FEEDFORWARD_TORQUE)
anymal.set_pd_gains(200 * np.ones(18), 3 * np.ones(18))
anymal.set_pd_targets(q, np.zeros(18))
vis.select(shown[0], False)
vis.get_camera_man().set_yaw_pitch_dist(0.0, -1.0, 10.0)
vis.run(0.5)
assert len(calls) == 250
base = anymal.get_base_rotation_matrix()
assert base.shape == (3, 3)
assert anymal.get_base_quaternion().shape == (4,)
foot = anymal.get_body_index("LF_SHANK")
v = anymal.get_dense_linear_jacobian(foot) @ anymal.get_generalized_velocities()
assert np.allclose(v, anymal.get_world_linear_velocity(foot))
w = anymal.get_dense_rotational_jacobian(foot) @ anymal.get_generalized_velocities()
assert np.allclose(w, anymal.get_world_angular_velocity(foot))
assert anymal.get_world_position(foot, [0, 0, -0.1]).shape == (3,)
assert anymal.get_frame_world_position(anymal.get_frame_idx_by_name("LF_SHANK_TO_FOOT")).shape == (3,)
states = anymal.get_states()
anymal.set_states(*states)
for contact in anymal.get_contacts():
    assert contact.get_impulse().shape == (3,)
    assert contact.get_depth() < 0.01
    contact.is_objectA()
    contact.get_pair_object_index()
assert sphere.get_world_position()[2] < 1.0
assert sphere.get_linear_velocity().shape == (3,)
assert len(world.get_object_list()) == 3
vis.close_app()
