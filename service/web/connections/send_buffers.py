"""Budgets for unsent bytes: per address, per IPv6 /48 network, and in total.

The connection that has not been read from for the longest is dropped first; a client that reads is soon out of here.
"""

import logging
from collections.abc import Iterable
from typing import Literal, Protocol

from service.telemetry.metrics import SLOW_READERS_DROPPED
from service.web.buckets import AddressCounter
from service.web.client_ip import get_site_network

__all__ = ["BufferedWriter", "SendBufferBudget"]

LOG = logging.getLogger(__name__)


class BufferedWriter(Protocol):
    """A connection with a send buffer."""

    address: str
    """The client that it writes to."""

    @property
    def kind(self) -> Literal["response", "socket", "stream"]:
        """Return what it writes."""

    def unsent_bytes(self) -> int:
        """Return the bytes in its send buffer."""

    def drop(self) -> None:
        """Close it, and discard unsent bytes."""


class SendBufferBudget:
    """The send buffers of all connections of an instance."""

    def __init__(self, per_address: int | None, per_network: int | None, in_all: int) -> None:
        self._max_per_address = per_address
        self._max_per_network = per_network
        self._max_total = in_all
        self._writers: dict[str, dict[BufferedWriter, int]] = {}
        """The connections of each address, the longest blocked first."""
        self._bytes = AddressCounter()
        """Unsent bytes of each address and each IPv6 /48 network."""
        self._addresses: dict[BufferedWriter, str] = {}
        self.total = 0
        self.dropped = 0
        """Connections dropped since the start."""

    def record(self, writer: BufferedWriter, size: int) -> None:
        """Record the unsent bytes of a connection; drop others if a budget is exceeded."""
        address = self._addresses.setdefault(writer, writer.address)
        network = get_site_network(address)
        self._set(address, writer, size)
        if self._max_per_address is not None and self._bytes[address] > self._max_per_address:
            self._drop_slow_writers((address,), self._bytes[address] - _target(self._max_per_address), writer)
        if self._max_per_network is not None and self._bytes[network] > self._max_per_network:
            addresses = [other for other in self._writers if get_site_network(other) == network]
            self._drop_slow_writers(addresses, self._bytes[network] - _target(self._max_per_network), writer)
        if self.total > self._max_total:
            self._drop_slow_writers(self._writers, self.total - _target(self._max_total), writer)

    def forget(self, writer: BufferedWriter) -> None:
        """Remove a connection whose send buffer is empty."""
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
        self._bytes.add(address, change)

    def _drop_slow_writers(self, addresses: Iterable[str], too_much: int, latest: BufferedWriter) -> None:
        """Drop connections of these addresses, those with the most bytes first, until `too_much` bytes are freed.

        Connections that were read meanwhile are removed first. The latest one stays, even if it exceeds the budget
        alone: its client had no time to read.
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
        """Return the unsent bytes of the address's network, and then its own."""
        network = get_site_network(address)
        return self._bytes[network], network, self._bytes[address]

    def _drop(self, address: str, writer: BufferedWriter) -> None:
        SLOW_READERS_DROPPED.labels(writer.kind).inc()
        self.dropped += 1
        if self.dropped % 1_000 == 1:
            LOG.warning(
                "%s does not read its responses: %d unsent bytes are discarded", address, self._writers[address][writer]
            )
        self.forget(writer)
        writer.drop()


def _target(budget: int) -> int:
    """Return the bytes to leave: less than the budget, so that the next response needs no room again."""
    return budget * 7 // 8
