"""A world that can be touched, and a person at its page who does so."""

import threading
import time

from contracts import browser

import tribo

ARM = """<robot name="arm"><link name="world"/><link name="bar"><inertial><origin xyz="0 0 -0.2"/>
<mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.1 0.1 0.4"/></geometry><origin xyz="0 0 -0.2"/></visual></link>
<joint name="swing" type="revolute"><parent link="world"/><child link="bar"/><origin xyz="1.2 0 0.8"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="100" velocity="100"/></joint></robot>"""


SMALL = (760, 500)  # a small picture is drawn sooner: there is no GPU


def touchable_world():
    world = tribo.World()
    world.add_ground(material="steel", name="ground")
    world.add_sphere(0.3, 1.0, "rubber", name="ball", position=(0.0, 0.0, 0.3))
    arm = world.add_articulated_system(ARM, name="arm")
    arm.set_pd_gains([40.0], [4.0])
    return world


def serve(viewer, script, folder, size=SMALL, sign="real-time factor", scale=0.5):
    """Let a viewer or player run while a script plays the person at its page; raise what it raises.

    sign: a text of the page, once it is there. scale: see `browser.opened`; 1 if pixels are looked at.
    """
    trouble = []

    def person():
        try:
            with browser.opened(viewer.address, folder, size, scale) as page:
                page.wait_for(sign)
                # Until a page has said where its camera is, viser hears no click of it.
                until(viewer._server.get_clients, "the page is a client")
                script(page)
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=person)
    thread.start()
    while thread.is_alive():
        viewer.run(0.1)
    thread.join()
    if trouble:
        raise trouble[0]


def press(page, text, is_so, what):
    """Press a button until it has its effect: a page that is being drawn anew loses a press now and then."""
    end = time.monotonic() + browser.PATIENCE
    while True:
        page.click(text)
        again = time.monotonic() + browser.PATIENCE / 8
        while time.monotonic() < again:
            if is_so():
                return
            time.sleep(0.05)
        assert time.monotonic() < end, what


def until(is_so, what):
    end = time.monotonic() + browser.PATIENCE
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.05)
