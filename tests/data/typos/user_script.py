"""A user's script with typos: `mypy --strict` must name each line that is marked."""

import tribo

world = tribo.World()
ground = world.add_ground(material="steel")
ball = world.add_sphere(
    0.1, mass=1.0, material="rubber", position=(0.0, 0.0, 1.0), body_type="dynamic"
)
box = world.add_box((1.0, 1.0, 1.0), mass=1.0, positon=(0, 0, 1))  # typo
stone = world.add_sphere(0.1, mass=1.0, body_type="dynamc")  # typo
world.stepp(10)  # typo
world.step(10)
height = ball.positon[2]  # typo
readings = (ball.position, world.contact_data["depth"], tribo.quaternion(rpy=(0.0, 0.0, 1.0)))
other = tribo.Wrold()  # typo
world.set_material_pair("steel", "rubber", frction=0.8)  # typo
world.set_material_pair("steel", "rubber", friction=0.8)
robot = world.add_articulated_system("robot.urdf", fixd_base=True)  # typo
batch = tribo.Batch(world, 4)
batch.stepp()  # typo
