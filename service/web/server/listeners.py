"""The sockets that an instance listens on."""

import errno
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack

from service.web.server.serving import BACKLOG, StartFailed

ALL_ADDRESSES = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}  # noqa: S104  bound only where a setting asks for it
LOOPBACK_ADDRESSES = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}

BOTH_FAMILIES = {"": ALL_ADDRESSES, "::": ALL_ADDRESSES, "localhost": LOOPBACK_ADDRESSES}
"""The addresses of hosts that mean IPv4 and IPv6 alike, whatever the machine's resolver has for them."""

NO_SUCH_FAMILY = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
"""Errors of an address whose family the machine does not have."""

MAX_KERNEL_UNSENT_BYTES = 65_536
"""Bytes that the kernel buffers per connection before it takes no more; by default megabytes, which nobody counts."""

Address = tuple[socket.AddressFamily, str]


def bind(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of the host that the machine has, all on one port; 0 is any free one.

    Raises StartFailed.
    """
    with ExitStack() as opened:
        bound: list[socket.socket] = []
        missing: OSError | None = None
        try:
            for family, address in _resolve(host, port):
                address_and_port = address, bound[0].getsockname()[1] if bound else port
                try:
                    listener = opened.enter_context(
                        socket.create_server(address_and_port, family=family, backlog=BACKLOG)
                    )
                except OSError as error:
                    if error.errno not in NO_SUCH_FAMILY:
                        raise
                    missing = error
                    continue
                if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # Linux and macOS; accepted connections have it too
                    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_KERNEL_UNSENT_BYTES)
                bound.append(listener)
            if missing is not None and not bound:
                raise missing
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                reason = f"{os.strerror(error.errno)}; choose another --port"
            raise StartFailed(f"cannot listen on {host}:{port}: {reason}") from error
        opened.pop_all()
    return bound


def format_listening_url(sockets: Sequence[socket.socket], host: str) -> str:
    """Return the URL of the listeners for clients on this machine, with the real port."""
    first = sockets[0]
    address, port = first.getsockname()[:2]
    if host in BOTH_FAMILIES or address == ALL_ADDRESSES[first.family]:
        host = LOOPBACK_ADDRESSES[first.family]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolve(host: str, port: int) -> list[Address]:
    if host in BOTH_FAMILIES:
        return [*BOTH_FAMILIES[host].items()]
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, str(address[0])) for family, *_, address in results))
