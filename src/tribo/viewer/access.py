"""Who may talk to a viewer: pages that the viewer itself has sent, under a name that is its own.

A browser lets every page open a connection to 127.0.0.1, so a page from the internet could steer a world.
Two headers tell such a page apart. `Host` is the name in the browser's address line: a name that somebody
else made point to this machine (DNS rebinding) is refused. `Origin` is where a page came from: one that came
from anywhere else than the address in `Host` is refused. Programs that are no browsers send no `Origin`.
"""

from __future__ import annotations

import http
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tribo.checks import check

LARGEST_PORT = 65535
_LOCK = threading.Lock()  # servers are started one after the other


def check_address(host: Any, port: Any) -> None:
    """Refuse an address on which nobody can listen.

    Raises:
        TypeError, ValueError: The port is no number from 1 to 65535, or the host no text.
        OSError: The host is no address of this machine.
    """
    if check.integer(port, "port", 1) > LARGEST_PORT:
        raise ValueError(f"port must be ≤ {LARGEST_PORT}, got {port}")
    if not isinstance(host, str):
        raise TypeError(f"host must be text, as '127.0.0.1', got {check.shown(host)}")
    try:
        family = socket.getaddrinfo(host or None, 0, flags=socket.AI_PASSIVE)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((host, 0))
    except (OSError, UnicodeError) as error:
        raise OSError(
            f"host {check.shown(host)} is no address of this machine ({error}); '127.0.0.1' can be reached "
            "from this machine only, '0.0.0.0' from the whole network"
        ) from None


def is_own(name: str | None, names: Iterable[str]) -> bool:
    """Tell whether a host name is one of this machine's: an IP address, or a known name."""
    if not name:
        return False
    try:
        ipaddress.ip_address(name.split("%")[0])
    except ValueError:
        return name.rstrip(".").lower() in names
    return True  # nobody can make an IP address point elsewhere


def own_names(host: str, hosts: Iterable[str]) -> frozenset[str]:
    """Return the names under which a browser may ask for the viewer, in lower case.

    Raises:
        TypeError: `hosts` are no names.
    """
    hosts = [hosts] if isinstance(hosts, str) else list(hosts)
    for name in hosts:
        if not isinstance(name, str):
            raise TypeError(f"hosts must be names, as 'my-proxy.example', got {check.shown(name)}")
    return frozenset(
        name.rstrip(".").lower()
        for name in ("localhost", socket.gethostname(), socket.getfqdn(), host, *hosts)
    )


def refusal(headers: Any, names: frozenset[str]) -> str:
    """Return why a request is refused, or nothing."""
    address = headers.get_all("Host")
    origin = headers.get_all("Origin")
    if len(address) != 1 or len(origin) > 1:
        return "a request needs one Host and at most one Origin"
    try:
        name = urlsplit(f"//{address[0]}").hostname
        asks = urlsplit(origin[0]).netloc if origin else address[0]
    except ValueError:
        return "Host or Origin is no address"
    if not is_own(name, names):
        return (
            f"{check.shown(name)} is not known as a name of this machine; if it is one, "
            "say so: Viewer(world, hosts=[name])"
        )
    if asks.lower() != address[0].lower():
        return "a page from elsewhere may not talk to this viewer"
    return ""


@contextmanager
def guarded(names: frozenset[str]) -> Iterator[None]:
    """Let the server that is started meanwhile refuse foreign requests: viser has no switch for that."""
    import websockets.asyncio.server as sockets
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    serve = sockets.serve

    def refusing(answer: Callable[..., Any]) -> Callable[..., Any]:
        def answer_own(connection: Any, request: Any) -> Any:
            why = refusal(request.headers, names)
            if not why:
                return answer(connection, request)
            text = f"refused: {why}\n".encode()
            head = Headers(
                {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text))}
            )
            return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", head, text)

        return answer_own

    def guarded_serve(*places: Any, process_request: Any, **options: Any) -> Any:
        return serve(*places, process_request=refusing(process_request), **options)

    with _LOCK:
        sockets.serve = guarded_serve  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            sockets.serve = serve  # type: ignore[misc]
