"""A joint with a spring and a damper comes to rest at the spring's reference."""

import raisimpy as raisim

LEVER = """
<robot name="lever">
  <link name="world"/>
  <joint name="foot" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 1"/></joint>
  <link name="base"/>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="100" velocity="100"/>
  </joint>
  <link name="arm">
    <inertial><origin xyz="0.2 0 0"/><mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
</robot>"""

world = raisim.World()
robot = world.addArticulatedSystem(LEVER)
body = robot.getBodyIdx("arm")
robot.addSpring(raisim.SpringElement(body, 20.0, 0.3))
robot.setJointDamping([1.0])
for _ in range(1000):
    world.integrate()
assert abs(robot.getJoint("hinge").getJointAngle() - 0.3) < 1e-3
(spring,) = robot.getSprings()
assert (spring.stiffness, spring.q_ref) == (20.0, 0.3)
assert robot.getMovableJointNames() == ["hinge"]
