"""A server for the browser from its start to its end, whatever it shows."""

from __future__ import annotations

import contextlib
import html
import io
import logging
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

import rich

from tribo.checks import check
from tribo.checks.sealed import Answering
from tribo.viewer import inputs
from tribo.viewer.access import check_address, guarded, own_names, token_for, unheard
from tribo.viewer.messages import Gate

logger = logging.getLogger("tribo")

OF_BATCHES = "; several worlds of a batch are shown by tribo.viewer.BatchViewer and SideBySide"
NOTEBOOK = 520  # [pixels] height of a page below a cell
FOG = (12.0, 30.0)  # [m] where the ground begins to fade, and where it is gone


def start(host: str, port: int, hosts: Sequence[str] = (), token: str | None = None) -> tuple[Any, str]:
    """Start a viser server that answers its own pages only and cannot be published by a click.

    Args:
        host: Address to listen on.
        port: Port to listen on; the next free one if it is taken.
        hosts: Names of this machine besides those it knows of, for a browser that comes by another one.
        token: The token of browsers; None: nothing on loopback, elsewhere a new one.

    Returns:
        The server and its token.
    """
    check_address(host, port)
    secret = token_for(host, token)
    names = own_names(host, hosts)
    return _started(guarded(names, secret), host, port), secret


def start_unheard() -> Any:
    """Start a viser server that opens no port, to write a page."""
    return _started(unheard(), "127.0.0.1", 0)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let viser print nothing: on a terminal by standard output, in a notebook by a way of rich's own."""
    console = rich.get_console()
    was = console.quiet
    console.quiet = True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = was


def _started(access: AbstractContextManager[Gate], host: str, port: int) -> Any:
    """Start a server while something decides who may talk to it."""
    with check.needed('the viewer needs viser: pip install "tribo[viewer]"'):
        import viser

    class Server(viser.ViserServer):
        tribo_gate: Gate

        def request_share_url(self, verbose: bool = True) -> str | None:
            """Refuse: viser would open a tunnel to a public server."""
            logger.warning("a browser asked for a public address; refused")
            return None

    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # browsers come and go
    with _quiet(), access as gate:  # a banner
        server = Server(host=host, port=port, label="tribo", verbose=False)
    controls = server.gui._gui_input_handle_from_uuid  # noqa: SLF001 — viser has no public way
    gate.value_of = lambda name: getattr(controls.get(name), "value", None)
    server.tribo_gate = gate
    server.scene.configure_environment_map(environment_intensity=0.35)
    server.scene.configure_fog(*FOG)
    return server


def end_of_run(duration: float | None) -> float:
    """Return the time of `time.perf_counter` at which a run ends [s]; without a duration never.

    Raises:
        ValueError, TypeError: It is negative, not finite or no number.
    """
    if duration is None:
        return math.inf
    return time.perf_counter() + check.number(duration, "duration", minimum=0.0)


def stop(server: Any) -> None:
    """Stop a server, which would say so on the terminal."""
    inputs.settle(server)
    with _quiet():
        server.stop()


def check_open(*, is_open: bool) -> None:
    """Refuse to add something to a viewer that is closed.

    Raises:
        ValueError: It is closed.
    """
    if not is_open:
        raise ValueError("this viewer is closed and shows nothing any more; make a new one")


class Session(Answering):
    """The common base of `Viewer` and `Player`: an address, and an end."""

    _called = "viewer"

    _server: Any
    _is_open: bool
    _token: str

    @property
    def address(self) -> str:
        """Where to look, e.g. ``http://127.0.0.1:8080``; with its token where other machines can reach it."""
        place = f"http://{self._server.get_host()}:{self._server.get_port()}"
        return f"{place}/?token={self._token}" if self._token else place

    def _repr_html_(self) -> str:
        """Return the page as a notebook embeds it."""
        if not self._is_open:
            return "<i>this viewer is closed</i>"
        self._server.tribo_gate.is_framed = True
        return (
            f'<iframe src="{html.escape(self.address, quote=True)}" width="100%" height="{NOTEBOOK}" '
            'style="border: 1px solid #ccc"></iframe>'
        )

    def close(self) -> None:
        """Stop the server."""
        if self._is_open:
            self._is_open = False
            stop(self._server)

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.close()
