"""A DNS server for tests, with fixed replies or none."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any, NamedTuple, cast

HEADER = struct.Struct("!HHHHHH")
A, AAAA = 1, 28
ANSWER, NO_SUCH_NAME = 0x8180, 0x8183

Answers = Callable[[str], list[str] | None]
"""The addresses of a name, none where it is not there; None for no answer at all."""


class NameServer(NamedTuple):
    """A running DNS server."""

    address: str
    """The address, in the form of the setting."""
    queried_names: list[str]
    """The names of the queries for IPv4 addresses."""


@asynccontextmanager
async def run_name_server(answers: Answers) -> AsyncIterator[NameServer]:
    """Run a DNS server on localhost."""
    queried_names: list[str] = []
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Protocol(answers, queried_names), local_addr=("127.0.0.1", 0)
    )
    try:
        yield NameServer(f"127.0.0.1:{transport.get_extra_info('sockname')[1]}", queried_names)
    finally:
        transport.close()


def no_reply(_: str) -> None:
    """Give no reply."""


class _Protocol(asyncio.DatagramProtocol):
    def __init__(self, answers: Answers, queried_names: list[str]) -> None:
        self._answers = answers
        self._queried_names = queried_names

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)  # Python's own does not derive from it

    def datagram_received(self, data: bytes, address: tuple[Any, ...]) -> None:
        number = HEADER.unpack_from(data)[0]
        name, kind, end = _parse_question(data)
        if kind == A:
            self._queried_names.append(name)
        addresses_of_name = self._answers(name)
        if addresses_of_name is None:
            return
        question = data[HEADER.size : end]
        addresses = [ip_address(one).packed for one in addresses_of_name]
        records = [one for one in addresses if len(one) == {A: 4, AAAA: 16}.get(kind)]
        head = HEADER.pack(number, ANSWER if addresses_of_name else NO_SUCH_NAME, 1, len(records), 0, 0)
        answer = b"".join(struct.pack("!HHHIH", 0xC00C, kind, 1, 300, len(one)) + one for one in records)
        self._transport.sendto(head + question + answer, address)


def _parse_question(data: bytes) -> tuple[str, int, int]:
    """Return name, type and end of the question."""
    labels, at = [], HEADER.size
    while length := data[at]:
        labels.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels).lower(), struct.unpack_from("!H", data, at + 1)[0], at + 5
