"""Messages that browsers may send: a few kinds, each with fields of the right shape; others are dropped.

viser hands what arrives to its handlers nearly as it is. A message could set any attribute of a control, or
bring NaN, a camera of two numbers or a megabyte of nested lists to code that expects none of them. So every
message is looked at before viser sees it. A dropped message has no effect and ends no connection.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from typing import Any

logger = logging.getLogger("tribo")

LARGEST = 1 << 18  # [bytes] of a message; the largest that a page sends is below 1 KiB
PER_SECOND = 400  # messages of one connection that are taken without a pause
MAX_CLIENTS = 64
FARTHEST = 1e9  # largest number of any field
LONGEST = 200  # characters of a name

Check = Callable[[Any], bool]


def _number(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and abs(value) <= FARTHEST


def _vector(length: int) -> Check:
    def is_vector(value: Any) -> bool:
        return isinstance(value, list) and len(value) == length and all(map(_number, value))

    return is_vector


def _unit(value: Any) -> bool:
    return _vector(4)(value) and math.hypot(*value) > 1e-6


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _index(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31)


def _pixels(value: Any) -> bool:
    return _number(value) and 1 <= value <= 1 << 15


def _angle(value: Any) -> bool:
    return _number(value) and 1e-4 < value < math.pi


def _modifier(value: Any) -> bool:
    return value is None or _text(value)


def _plain(value: Any) -> bool:
    """Tell whether a value is one that a control can have."""
    if isinstance(value, bool) or _number(value):
        return True
    if isinstance(value, str):  # viser makes numbers of texts: "nan" would get in
        return len(value) <= LONGEST and value.strip().lower().lstrip("+-") not in NOT_FINITE
    return False  # no control of ours has a list


def _updates(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"value"} and _plain(value["value"])


NOT_FINITE = {"nan", "inf", "infinity"}
_NODE: dict[str, Check] = {"name": _text, "owner": _text}
ALLOWED: dict[str, dict[str, Check]] = {
    "ViewerCameraMessage": {
        "wxyz": _unit, "position": _vector(3), "fov": _angle, "near": _number, "far": _number,
        "image_height": _pixels, "image_width": _pixels, "look_at": _vector(3),
        "up_direction": _vector(3),
    },
    "GuiUpdateMessage": {"uuid": _text, "updates": _updates},
    "CommandTriggerMessage": {"uuid": _text},
    "SceneNodeClickMessage": _NODE | {
        "instance_index": _index, "ray_origin": _vector(3), "ray_direction": _vector(3),
        "screen_pos": _vector(2), "modifier": _modifier,
    },
    "SceneNodeDragMessage": _NODE | {
        "phase": lambda value: value in ("start", "update", "end"), "instance_index": _index,
        "start_position": _vector(3), "start_screen_pos": _vector(2), "end_position": _vector(3),
        "end_screen_pos": _vector(2), "modifier": _modifier,
        "button": lambda value: value in ("left", "middle", "right"),
    },
    "TransformControlsUpdateMessage": _NODE | {"wxyz": _unit, "position": _vector(3)},
    "TransformControlsDragStartMessage": _NODE,
    "TransformControlsDragEndMessage": _NODE,
}  # fmt: skip
OPTIONAL = {"owner"}


def is_allowed(raw: Any, value_of: Callable[[str], Any] | None = None) -> bool:
    """Tell whether bytes from a browser are one of the messages that it may send.

    Args:
        raw: The bytes.
        value_of: Returns the value of a control by its name, None if there is none: a browser may set it to
            a value of the same kind.
    """
    message = _decoded(raw)
    if message is None or not _is_complete(message):
        return False
    if value_of is None or "updates" not in message:
        return True
    return _is_like(message["updates"]["value"], value_of(message["uuid"]))


def _is_like(value: Any, old: Any) -> bool:
    """Tell whether viser can make a control's new value of it."""
    if isinstance(old, bool) or isinstance(value, bool):
        return isinstance(old, bool) and isinstance(value, bool)
    return (isinstance(old, str) and isinstance(value, str)) or (_number(old) and _number(value))


def _decoded(raw: Any) -> dict[Any, Any] | None:
    import msgspec

    if not isinstance(raw, bytes) or len(raw) > LARGEST:
        return None
    try:
        message = msgspec.msgpack.decode(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError, UnicodeDecodeError):
        return None
    return message if isinstance(message, dict) else None


def _is_complete(message: dict[Any, Any]) -> bool:
    """Tell whether a message is of a known kind and has its fields."""
    kind = message.pop("type", None)
    fields = ALLOWED.get(kind) if isinstance(kind, str) else None
    if fields is None or not set(message) <= set(fields):
        return False
    return set(fields) - OPTIONAL <= set(message) and all(
        fields[name](value) for name, value in message.items()
    )


class Gate:
    """Facts on a server for the checks of its requests and of its messages."""

    def __init__(self) -> None:
        """Know no control; no page of others may hold ours in a frame."""
        self.value_of: Callable[[str], Any] | None = None
        self.is_framed = False  # the program itself shows the page in a notebook


class Door:
    """Lets connections of one server in, and of what they send only what is allowed."""

    def __init__(self, answer: Callable[[Any], Any], gate: Gate) -> None:
        """Take the server's own handler of a connection."""
        self._answer, self._gate = answer, gate
        self._inside = 0

    async def __call__(self, connection: Any) -> None:
        """Serve a connection; beyond the 64th it is closed at once."""
        if self._inside >= MAX_CLIENTS:
            await connection.close(1013, "too many pages are open")
            return
        connection.recv = self._filtered(connection.recv)
        self._inside += 1
        try:
            await self._answer(connection)
        finally:
            self._inside -= 1

    def _filtered(self, receive: Callable[[], Any]) -> Callable[[], Any]:
        """Return a way to receive that gives allowed messages only, and not too many at once."""
        budget, last = float(PER_SECOND), time.monotonic()

        async def receive_allowed() -> bytes:
            nonlocal budget, last
            while True:
                raw: bytes = await receive()
                now = time.monotonic()
                budget = min(budget + (now - last) * PER_SECOND, PER_SECOND) - 1.0
                last = now
                if budget < 0.0:  # whoever sends faster waits: the socket fills, not the memory
                    await asyncio.sleep(-budget / PER_SECOND)
                if is_allowed(raw, self._gate.value_of):
                    return raw
                logger.debug("a message from a browser was dropped")

        return receive_allowed
