"""The sockets that an instance listens on."""

import socket
from collections.abc import Sequence
from contextlib import ExitStack

from service.web.server import BACKLOG, StartFailed

WILDCARD_HOSTS = ("0.0.0.0", "")  # noqa: S104  compared, not bound

MAX_KERNEL_UNSENT_BYTES = 65_536
"""Bytes that the system takes of what it cannot send yet; by itself it takes megabytes, which nobody counts."""

Address = tuple[socket.AddressFamily, tuple[str, int]]


def bind(host: str, port: int) -> list[socket.socket]:
    """One socket for each address of the host, all on one port; 0 is any free one. Raises StartFailed."""
    with ExitStack() as opened:
        bound: list[socket.socket] = []
        try:
            for family, (address, _) in _resolve(host, port):
                place = address, bound[0].getsockname()[1] if bound else port
                one = opened.enter_context(socket.create_server(place, family=family, backlog=BACKLOG))
                if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # Linux and macOS; accepted connections have it too
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_KERNEL_UNSENT_BYTES)
                bound.append(one)
        except OSError as error:
            raise StartFailed(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
        opened.pop_all()
    return bound


def listening_url(sockets: Sequence[socket.socket], host: str) -> str:
    """Where they listen really: the port may have been chosen by the system."""
    return f"http://{url_host(host)}:{sockets[0].getsockname()[1]}"


def url_host(host: str) -> str:
    """The host as it stands in a URL: one that this machine can reach."""
    return "127.0.0.1" if host in WILDCARD_HOSTS else f"[{host}]" if ":" in host else host


def _resolve(host: str, port: int) -> list[Address]:
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, (str(address[0]), int(address[1]))) for family, *_, address in found))
