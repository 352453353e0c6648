"""Rows of bodies with many contacts are taken from the whitened axes of their chain."""

import numpy as np

import tribo
from tribo.contact.problem import contact_rows

CATERPILLAR = """<mujoco><option timestep="0.002"/><worldbody>
<geom type="plane" size="5 5 0.1"/>
<body pos="0 0 0.0999"><freejoint/><geom type="box" size="0.1 0.1 0.1"/>
<body pos="0.25 0 0"><joint type="hinge" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1"/>
<body pos="0.25 0 0"><joint type="hinge" axis="0 0 1"/><joint type="slide" axis="1 0 0"/>
<geom type="box" size="0.1 0.1 0.1"/></body></body></body>
</worldbody></mujoco>"""


def test_rows_from_the_axes_of_a_chain_are_those_of_each_contact_alone(tmp_path):
    """Three boxes in a row that lie on the ground and slide: twelve contacts, four on each body.

    (Before, each contact was whitened by itself: for twelve contacts three times as many multiplications.)
    """
    path = tmp_path / "caterpillar.xml"
    path.write_text(CATERPILLAR)
    world = tribo.World()
    world.load_mjcf(path)
    robot = next(o for o in world.objects if isinstance(o, tribo.ArticulatedSystem))
    robot.generalized_velocity = [0.3, 0.2, 0.0, 0.0, 0.0, 0.5, 0.0, 0.4, -0.3]
    world.step()
    model, work = world.engine.model, world.engine.work
    seen = 0
    for c in range(work.contact_count[0]):
        for side in range(2):
            body, first = int(work.contact_body[c, side]), int(work.contact_row[c, side])
            if work.contact_len[c, side] == 0:
                continue
            assert work.body_sides[body] == -1
            rows = work.row[first : first + 3 * model.body_chain_len[body]]
            taken, speed = rows.copy(), np.zeros_like(work.contact_vel)
            contact_rows.write_force_rows(model, work, c, side, first)
            contact_rows.add_product(model, work, body, first, work.kick_v, speed, c)
            contact_rows.whiten(model, work, body, first)
            np.testing.assert_allclose(taken, rows, atol=1e-13 * np.abs(rows).max())
            np.testing.assert_allclose(work.contact_vel[c], speed[c], atol=1e-14)
            seen += 1
    assert seen == 12
