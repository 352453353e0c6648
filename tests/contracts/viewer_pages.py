"""What pages of a viewer say to it, and how they connect."""

import viser
from websockets.sync.client import connect

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0, 0, 0], "position": [1.0, 2, 3], "fov": 0.8,
    "near": 0.01, "far": 1e3, "image_height": 600, "image_width": 800, "look_at": [0.0, 0, 0],
    "up_direction": [0.0, 0, 1],
}  # fmt: skip
GIZMO = {
    "type": "TransformControlsUpdateMessage", "name": "/touch/gizmo", "wxyz": [1.0, 0, 0, 0],
    "position": [0.0, 0, 0], "owner": "",
}  # fmt: skip


def opened(viewer, path="", **more):
    """Connect as a page does; one that is closed does not read what was sent to it before the farewell."""
    address = viewer.address.partition("/?")[0].replace("http://", "ws://")
    address = address.replace("0.0.0.0", "127.0.0.1")
    return connect(
        address + path, subprotocols=[f"viser-v{viser.__version__}"], compression=None, max_size=None,
        close_timeout=0.2, **more,
    )  # fmt: skip
