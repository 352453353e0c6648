"""Access to a viewer: only for pages that it has sent itself, under a name of its own, with its token.

A browser lets every page open a connection to 127.0.0.1, so a page from the internet could steer a world.
Two headers tell such a page apart. `Host` is the name in the browser's address line: a name that somebody
else made point to this machine (DNS rebinding) is refused. `Origin` is where a page came from: one that came
from anywhere else than the address in `Host` is refused. Programs that are no browsers send no `Origin`.

Where other machines can reach the viewer, a token is needed as well. The address that the viewer says has it
(``/?token=…``); the page then gets a cookie, so that the token does not stay in the browser's address line.
"""

from __future__ import annotations

import gzip
import hmac
import http
import ipaddress
import secrets
import socket
import string
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tribo.checks import check
from tribo.viewer.messages import LARGEST, Door, Gate

# viser has no setting for it: the head of its sheet is pressed once, as soon as there are controls.
SCRIPT = b"""<script>(() => { if (!matchMedia('(max-width: 36em)').matches) return
const end = Date.now() + 60000
const timer = setInterval(() => { const head = [...document.querySelectorAll('div')]
  .find(e => e.children.length === 0 && e.textContent.trim() === 'tribo')
if (!document.querySelector('.mantine-Slider-root')) return
if (head) head.click()
if (head || Date.now() > end) clearInterval(timer) }, 200) })()</script>"""
END = b"</body>"


def folding(response: Any) -> Any:
    """Return the answer to a request with the script in it, if it is a page; others stay as they are."""
    if response is None or not response.body:
        return response
    is_packed = response.headers.get("Content-Encoding") == "gzip"
    body = gzip.decompress(response.body) if is_packed else response.body
    end = body.rfind(END)
    if end < 0 or not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = body[:end] + SCRIPT + body[end:]
    response.body = gzip.compress(body, 1) if is_packed else body
    if "Content-Length" in response.headers:
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))
    return response


LARGEST_PORT = 65535
SHORTEST_TOKEN = 8
TOKEN_LETTERS = string.ascii_letters + string.digits + "-_"
_LOCK = threading.Lock()  # servers are started one after the other


def check_address(host: Any, port: Any) -> None:
    """Refuse an address on which nobody can listen.

    Raises:
        TypeError, ValueError: The port is no number from 1 to 65535, or the host no text.
        OSError: The host is no address of this machine.
    """
    if check.integer(port, "port", 1) > LARGEST_PORT:
        raise ValueError(f"port must be ≤ {LARGEST_PORT}, got {port}")
    check.instance(host, str, "host must be text, as '127.0.0.1'")
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
        check.instance(name, str, "hosts must be names, as 'my-proxy.example'")
    return frozenset(
        name.rstrip(".").lower()
        for name in ("localhost", socket.gethostname(), socket.getfqdn(), host, *hosts)
    )


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        return False


def token_for(host: str, token: str | None) -> str:
    """Return the token that a viewer asks for: a given one, none on loopback, otherwise a new one.

    Raises:
        TypeError, ValueError: It is no text of at least 8 letters, digits, "-" or "_".
    """
    if token is None:
        return "" if is_loopback(host) else secrets.token_urlsafe(24)
    check.name(token, "token")
    if len(token) < SHORTEST_TOKEN or not set(token) <= set(TOKEN_LETTERS):
        raise ValueError(
            f"token must be at least {SHORTEST_TOKEN} letters, digits, '-' or '_'; None makes one"
        )
    return token


def has_token(request: Any, token: str, cookie: str) -> bool:
    """Tell whether a request brings the token, in its address or as a cookie."""
    given = parse_qs(urlsplit(request.path).query).get("token", [])
    for line in request.headers.get_all("Cookie"):
        given += [part.partition("=")[2] for part in line.split("; ") if part.partition("=")[0] == cookie]
    return any(hmac.compare_digest(one.encode(errors="surrogateescape"), token.encode()) for one in given)


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


class _Nowhere:
    """Stands for a server of sockets that has none: nobody can connect to it."""

    def __init__(self) -> None:
        self.server, self.sockets = self, ()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave; there is nothing to close."""


@contextmanager
def unheard() -> Iterator[Gate]:
    """Let the server that is started meanwhile listen nowhere: it only writes a page."""
    import websockets.asyncio.server as sockets

    serve = sockets.serve
    with _LOCK:
        sockets.serve = lambda *_, **__: _Nowhere()  # type: ignore[assignment, misc]
        try:
            yield Gate()
        finally:
            sockets.serve = serve  # type: ignore[misc]


@contextmanager
def guarded(names: frozenset[str], token: str = "") -> Iterator[Gate]:
    """Let the server that is started meanwhile refuse foreign requests: viser has no switch for that.

    Args:
        names: Names of this machine.
        token: The token of every request; empty: nothing.

    Yields:
        Name and version of the server.
    """
    import websockets.asyncio.server as sockets
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    serve, gate = sockets.serve, Gate()

    def respond(status: http.HTTPStatus, text: str, **more: str) -> Any:
        body = text.encode()
        head = Headers({"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))})
        for name, value in more.items():
            head[name.replace("_", "-")] = value
        return Response(status, status.phrase, head, body)

    def framed(response: Any) -> Any:
        """Tell browsers that no other page may hold this one in a frame, to have it clicked unseen."""
        if response is not None and not gate.is_framed:
            response.headers["Content-Security-Policy"] = "frame-ancestors 'none'"
            response.headers["X-Frame-Options"] = "DENY"
        return response

    def refusing(answer: Callable[..., Any]) -> Callable[..., Any]:
        def answer_own(connection: Any, request: Any) -> Any:
            why = refusal(request.headers, names)
            cookie = f"tribo_{connection.local_address[1]}"  # cookies do not tell ports apart
            if not why and token and not has_token(request, token, cookie):
                why = "open the address that the program says, with its token"
            if why:
                return respond(http.HTTPStatus.FORBIDDEN, f"refused: {why}\n")
            is_page = request.headers.get("Upgrade") is None
            if token and is_page and "token" in parse_qs(urlsplit(request.path).query):
                return respond(
                    http.HTTPStatus.SEE_OTHER, "", Location="/",
                    Set_Cookie=f"{cookie}={token}; HttpOnly; SameSite=Strict; Path=/",
                )  # fmt: skip
            return framed(folding(answer(connection, request)))

        return answer_own

    def guarded_serve(handler: Any, *places: Any, process_request: Any, **options: Any) -> Any:
        options["max_size"] = LARGEST
        return serve(Door(handler, gate), *places, process_request=refusing(process_request), **options)

    with _LOCK:
        sockets.serve = guarded_serve  # type: ignore[assignment, misc]
        try:
            yield gate
        finally:
            sockets.serve = serve  # type: ignore[misc]
