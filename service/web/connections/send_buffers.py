"""Bytes that were written and not read yet: a budget for each address, for each network of IPv6, and one for all.

Whoever has read nothing for the longest is cut off first: a client that reads is never long in here.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from typing import Literal, Protocol

from service.telemetry.metrics import SLOW_READERS_DROPPED
from service.web.connections.client_ip import site_network

__all__ = ["BufferedWriter", "SendBufferBudget"]

LOG = logging.getLogger(__name__)


class BufferedWriter(Protocol):
    """A connection."""

    address: str
    """The client that it writes to."""

    @property
    def kind(self) -> Literal["answer", "socket", "stream"]:
        """What it writes."""

    def unsent_bytes(self) -> int:
        """Bytes that the client has not read, as far as this process has them."""

    def drop(self) -> None:
        """Close it, and drop what is unread."""


class SendBufferBudget:
    """What all connections of an instance hold."""

    def __init__(self, per_address: int | None, per_network: int | None, in_all: int) -> None:
        self._max_per_address = per_address
        self._max_per_network = per_network
        self._max_total = in_all
        self._writers: dict[str, dict[BufferedWriter, int]] = {}
        """The connections of each address, the one first that has held something for the longest."""
        self._bytes: Counter[str] = Counter()
        """Their sum, and that of each network of IPv6."""
        self._addresses: dict[BufferedWriter, str] = {}
        self.total = 0
        self.dropped = 0
        """Connections that were cut off, since the start."""

    def record(self, writer: BufferedWriter, size: int) -> None:
        """Note what a connection holds now; cuts off others, if that is too much."""
        address = self._addresses.setdefault(writer, writer.address)
        network = site_network(address)
        self._set(address, writer, size)
        if self._max_per_address is not None and self._bytes[address] > self._max_per_address:
            self._drop_slow_writers((address,), self._bytes[address] - _target(self._max_per_address), writer)
        if self._max_per_network is not None and self._bytes[network] > self._max_per_network:
            addresses = [one for one in self._writers if site_network(one) == network]
            self._drop_slow_writers(addresses, self._bytes[network] - _target(self._max_per_network), writer)
        if self.total > self._max_total:
            self._drop_slow_writers(self._writers, self.total - _target(self._max_total), writer)

    def forget(self, writer: BufferedWriter) -> None:
        """Note that a connection holds nothing any more."""
        address = self._addresses.pop(writer, None)
        if address is None:
            return
        writers = self._writers[address]
        self._add(address, -writers.pop(writer))
        if not writers:
            del self._writers[address]

    def _set(self, address: str, writer: BufferedWriter, size: int) -> None:
        writers = self._writers.setdefault(address, {})
        self._add(address, size - writers.get(writer, 0))
        writers[writer] = size

    def _add(self, address: str, change: int) -> None:
        self.total += change
        for one in {address, site_network(address)}:
            self._bytes[one] += change
            if not self._bytes[one]:
                del self._bytes[one]

    def _drop_slow_writers(self, addresses: Iterable[str], too_much: int, latest: BufferedWriter) -> None:
        """Cut off connections of these addresses, until they hold so much less, where most is held first.

        What was read since is looked at first. The latest stays, though it may hold too much alone: nobody has had the
        time to read it.
        """
        aim = self.total - too_much
        for address in sorted(addresses, key=self._sort_key, reverse=True):
            if self.total <= aim:
                return
            for writer in [*self._writers[address]]:
                if (size := writer.unsent_bytes()) == 0:
                    self.forget(writer)
                else:
                    self._set(address, writer, size)
            for writer in [*self._writers.get(address, ())]:
                if self.total <= aim:
                    return
                if writer is not latest:
                    self._drop(address, writer)

    def _sort_key(self, address: str) -> tuple[int, str, int]:
        """What the network of an address holds, and then itself."""
        network = site_network(address)
        return self._bytes[network], network, self._bytes[address]

    def _drop(self, address: str, writer: BufferedWriter) -> None:
        SLOW_READERS_DROPPED.labels(writer.kind).inc()
        self.dropped += 1
        if self.dropped % 1_000 == 1:
            LOG.warning(
                "%s does not read what it is sent: %d bytes are dropped", address, self._writers[address][writer]
            )
        self.forget(writer)
        writer.drop()


def _target(most: int) -> int:
    """What is to be left: somewhat less than there may be, lest the next answer has to make room again."""
    return most * 7 // 8
