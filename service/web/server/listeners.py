"""The sockets that an instance listens on."""

import errno
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack

from service.web.server.serving import BACKLOG, StartFailed

LOOPBACK_HOSTS = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104  looked up, not bound
"""The address of this machine by which clients on it reach what listens on all addresses."""

MAX_KERNEL_UNSENT_BYTES = 65_536
"""Bytes that the kernel buffers per connection before it takes no more; by default megabytes, which nobody counts."""

Address = tuple[socket.AddressFamily, tuple[str, int]]


def bind(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of the host, all on one port; 0 is any free one.

    Raises StartFailed.
    """
    with ExitStack() as opened:
        bound: list[socket.socket] = []
        try:
            for family, (address, _) in _resolve(host, port):
                address_and_port = address, bound[0].getsockname()[1] if bound else port
                listener = opened.enter_context(socket.create_server(address_and_port, family=family, backlog=BACKLOG))
                if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # Linux and macOS; accepted connections have it too
                    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_KERNEL_UNSENT_BYTES)
                bound.append(listener)
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                reason = f"{os.strerror(error.errno)}; choose another --port"
            raise StartFailed(f"cannot listen on {host}:{port}: {reason}") from error
        opened.pop_all()
    return bound


def format_listening_url(sockets: Sequence[socket.socket], host: str) -> str:
    """Return the URL of the listeners, with the real port."""
    return f"http://{format_url_host(host)}:{sockets[0].getsockname()[1]}"


def format_url_host(host: str) -> str:
    """Return the host for a URL on this machine."""
    host = LOOPBACK_HOSTS.get(host, host)
    return f"[{host}]" if ":" in host else host


def _resolve(host: str, port: int) -> list[Address]:
    results = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, (str(address[0]), int(address[1]))) for family, *_, address in results))
