"""Resolving the host names of webhooks, apart from all other lookups of the process.

The event loop's `getaddrinfo` uses a few threads: host names that never resolve would block those of Redis, and the
end of the process. c-ares needs no thread per lookup. Lookups are limited in time and number, in total and per site,
and end when they are cancelled or the resolver is closed.

All failures look the same from outside: unknown names, silent name servers and private addresses fail with the same
error after the same time. So nobody can use webhooks to discover names in the internal network.
"""

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address

import pycares
from aiohttp.abc import AbstractResolver, ResolveResult

from service.games.webhooks.delivery_slots import site_of_host
from service.web.outbound.ssrf import is_public

__all__ = ["LOOKUP_TIMEOUT_S", "NameResolutionFailed", "WebhookResolver"]

logger = logging.getLogger(__name__)

LOOKUP_TIMEOUT_S = 2.5
"""Timeout of a lookup; a failed one always takes that long."""

MAX_LOOKUPS = 192
"""Concurrent lookups: more than there are deliveries, so that names that never resolve block no others."""

MAX_LOOKUPS_PER_SITE = 4

MAX_ADDRESSES = 4
"""Addresses of a name that are tried; its owner may list any number of other people's."""

MAX_CACHED_LOOKUPS = 1_000
"""Lookups after which the cache is emptied; c-ares caches each answer for as long as its TTL says."""

QUERY_TIMEOUT_S, MAX_QUERIES = 1.0, 4
"""Together more than LOOKUP_TIMEOUT_S."""

FLAGS = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_IGNTC | pycares.ARES_FLAG_NOSEARCH
"""Answers fit a datagram, so they are small and quick to read; no search domains are tried."""


class NameResolutionFailed(OSError):
    """A name has no public address; clients are not told why."""


class WebhookResolver(AbstractResolver):
    """A resolver for webhooks, with its own `nameservers` (`ADDRESS` or `ADDRESS:PORT`) or the system's."""

    def __init__(
        self, *, allow_private: bool, nameservers: Sequence[str] = (), timeout_s: float = LOOKUP_TIMEOUT_S
    ) -> None:
        self._allow_private = allow_private
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        # Without `lookups`: pycares 5.2 passes c-ares memory that it has freed, and then lookups fail now and then.
        self._channel = pycares.Channel(
            # Search domains are allowed where private addresses are.
            flags=FLAGS & ~pycares.ARES_FLAG_NOSEARCH if allow_private else FLAGS,
            timeout=QUERY_TIMEOUT_S,
            tries=MAX_QUERIES,
            servers=nameservers or None,
        )
        self._lookup_slots = asyncio.Semaphore(MAX_LOOKUPS)
        self._sites: dict[str, asyncio.Semaphore] = {}
        self._site_users: Counter[str] = Counter()
        """Running and waiting lookups of each site."""
        self._lookups_since_reset = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a name that may be connected to. Raises NameResolutionFailed."""
        until = self._loop.time() + self._timeout_s
        try:
            async with asyncio.timeout_at(until):
                addresses = await self._query_addresses(host, family)
        except (TimeoutError, pycares.AresError, UnicodeError, ValueError) as error:
            logger.debug("the host name of a webhook could not be resolved: %r: %r", host, error)
            addresses = []
        usable = self._select_addresses(host, addresses)
        if not usable:
            await asyncio.sleep(until - self._loop.time())
            raise NameResolutionFailed(None, "the name has no public address")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
            for family, address in usable
        ]

    async def close(self) -> None:
        """Cancel all lookups."""
        self._channel.cancel()
        self._channel.close()

    async def _query_addresses(self, host: str, family: socket.AddressFamily) -> list[tuple[socket.AddressFamily, str]]:
        """Return all addresses of a name, once lookups of its site and in total allow it."""
        async with self._site_slot(site_of_host(host)), self._lookup_slots:
            result = await self._query(host, family)
        return [(socket.AddressFamily(node.family), node.addr[0].decode()) for node in result.nodes]

    @asynccontextmanager
    async def _site_slot(self, site: str) -> AsyncIterator[None]:
        """Occupy one of the lookups of a site."""
        self._site_users[site] += 1
        try:
            async with self._sites.setdefault(site, asyncio.Semaphore(MAX_LOOKUPS_PER_SITE)):
                yield
        finally:
            self._site_users[site] -= 1
            if not self._site_users[site]:
                del self._site_users[site], self._sites[site]

    async def _query(self, host: str, family: socket.AddressFamily) -> pycares.AddrInfoResult:
        """Query c-ares, which answers in a thread. Raises AresError."""
        self._lookups_since_reset += 1
        if self._lookups_since_reset > MAX_CACHED_LOOKUPS:
            self._lookups_since_reset = 0
            self._channel.reinit()
        future: asyncio.Future[pycares.AddrInfoResult] = self._loop.create_future()
        self._channel.getaddrinfo(
            host, None, family=family, type=socket.SOCK_STREAM, callback=partial(self._resolve_from_thread, future)
        )
        return await future

    def _resolve_from_thread(
        self, future: asyncio.Future[pycares.AddrInfoResult], result: pycares.AddrInfoResult, errno: int | None
    ) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_resolve_future, future, result, errno)

    def _select_addresses(
        self, host: str, addresses: Sequence[tuple[socket.AddressFamily, str]]
    ) -> list[tuple[socket.AddressFamily, str]]:
        if self._allow_private:
            return [*addresses[:MAX_ADDRESSES]]
        public = [(family, address) for family, address in addresses if is_public(ip_address(address))]
        if len(public) < len(addresses):
            logger.debug("the host name of a webhook resolves to a private address: %r", host)
        return public[:MAX_ADDRESSES]


def _resolve_future(
    future: asyncio.Future[pycares.AddrInfoResult], result: pycares.AddrInfoResult, errno: int | None
) -> None:
    if future.done():
        return
    if errno is None:
        future.set_result(result)
    else:
        future.set_exception(pycares.AresError(errno, pycares.errno.strerror(errno)))
