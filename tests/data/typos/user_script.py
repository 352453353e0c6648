"""A user's script with typos: `mypy --strict` must name each line that is marked."""

import tribo

world = tribo.World()
ground = world.add_ground(material="steel")
ball = world.add_sphere(0.1, mass=1.0, material="rubber", position=(0.0, 0.0, 1.0), body_type="dynamic")
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
world.show(prt=8080)  # typo
view = world.viewer(host="127.0.0.1", tokn="secret")  # typo
spot = tribo.robots.load("spot", world, fixed_bse=True)  # typo
left = tribo.robots.load("spot", world, name="left", fixed_base=True)
batch.set_settings(worlds=[0], time_stp=0.002)  # typo
batch["ball"].set_link("ball", mas=2.0)  # typo
batch["robot"].set_motors(dely=0.01)  # typo
batch["robot"].set_motors(delay=0.01, worlds=[1, 2])
batch.set_material_pair("steel", "rubber", fricton=[0.1, 0.2, 0.3, 0.4])  # typo
cart = tribo.LinkDescription("cart")
cart.add_child("pole", "revolute", dampng=0.1)  # typo
