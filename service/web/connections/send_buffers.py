"""Bytes that were written and not read yet: a budget for each address, for each network of IPv6, and one for all.

Whoever has read nothing for the longest is cut off first: a client that reads is never long in here.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from typing import Literal, Protocol

from service.telemetry.metrics import DROPPED
from service.web.connections.client_ip import network_of

__all__ = ["UnreadBudget", "Writer"]

LOG = logging.getLogger(__name__)


class Writer(Protocol):
    """A connection."""

    address: str
    """The client that it writes to."""

    @property
    def kind(self) -> Literal["answer", "socket", "stream"]:
        """What it writes."""

    def unread(self) -> int:
        """Bytes that the client has not read, as far as this process has them."""

    def cut_off(self) -> None:
        """Close it, and drop what is unread."""


class UnreadBudget:
    """What all connections of an instance hold."""

    def __init__(self, per_address: int | None, per_network: int | None, in_all: int) -> None:
        self._per_address = per_address
        self._per_network = per_network
        self._in_all = in_all
        self._of: dict[str, dict[Writer, int]] = {}
        """The connections of each address, the one first that has held something for the longest."""
        self._bytes: Counter[str] = Counter()
        """Their sum, and that of each network of IPv6."""
        self._address: dict[Writer, str] = {}
        self.total = 0
        self.dropped = 0
        """Connections that were cut off, since the start."""

    def record(self, writer: Writer, size: int) -> None:
        """Note what a connection holds now; cuts off others, if that is too much."""
        address = self._address.setdefault(writer, writer.address)
        network = network_of(address)
        self._note(address, writer, size)
        if self._per_address is not None and self._bytes[address] > self._per_address:
            self._relieve((address,), self._bytes[address] - _aim(self._per_address), writer)
        if self._per_network is not None and self._bytes[network] > self._per_network:
            addresses = [one for one in self._of if network_of(one) == network]
            self._relieve(addresses, self._bytes[network] - _aim(self._per_network), writer)
        if self.total > self._in_all:
            self._relieve(self._of, self.total - _aim(self._in_all), writer)

    def forget(self, writer: Writer) -> None:
        """Note that a connection holds nothing any more."""
        address = self._address.pop(writer, None)
        if address is None:
            return
        writers = self._of[address]
        self._count(address, -writers.pop(writer))
        if not writers:
            del self._of[address]

    def _note(self, address: str, writer: Writer, size: int) -> None:
        writers = self._of.setdefault(address, {})
        self._count(address, size - writers.get(writer, 0))
        writers[writer] = size

    def _count(self, address: str, change: int) -> None:
        self.total += change
        for one in {address, network_of(address)}:
            self._bytes[one] += change
            if not self._bytes[one]:
                del self._bytes[one]

    def _relieve(self, addresses: Iterable[str], too_much: int, latest: Writer) -> None:
        """Cut off connections of these addresses, until they hold so much less, where most is held first.

        What was read since is looked at first. The latest stays, though it may hold too much alone: nobody has had the
        time to read it.
        """
        aim = self.total - too_much
        for address in sorted(addresses, key=self._held, reverse=True):
            if self.total <= aim:
                return
            for writer in [*self._of[address]]:
                if (size := writer.unread()) == 0:
                    self.forget(writer)
                else:
                    self._note(address, writer, size)
            for writer in [*self._of.get(address, ())]:
                if self.total <= aim:
                    return
                if writer is not latest:
                    self._drop(address, writer)

    def _held(self, address: str) -> tuple[int, str, int]:
        """What the network of an address holds, and then itself."""
        network = network_of(address)
        return self._bytes[network], network, self._bytes[address]

    def _drop(self, address: str, writer: Writer) -> None:
        DROPPED.labels(writer.kind).inc()
        self.dropped += 1
        if self.dropped % 1_000 == 1:
            LOG.warning("%s does not read what it is sent: %d bytes are dropped", address, self._of[address][writer])
        self.forget(writer)
        writer.cut_off()


def _aim(most: int) -> int:
    """What is to be left: somewhat less than there may be, lest the next answer has to make room again."""
    return most * 7 // 8
