"""Looking up the names in strangers' URLs, apart from all other look-ups of the process.

The event loop's own `getaddrinfo` uses a few threads: names that do not answer would keep Redis' names waiting, and
the process from ending. Here c-ares asks, without a thread for each name: within a bounded time, so many at once, so
many of a site, and nothing of it outlives a cancellation or `close`.

What goes wrong with a name looks the same from outside: a name that is not there, one whose server does not answer and
one that leads only inside all fail in the same way after the same time. So nobody learns by a webhook which names there
are in the network here.
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

from service.games.webhooks.sites import site_of_host
from service.web.outbound.ssrf import is_public

__all__ = ["LOOKUP_TIMEOUT_S", "NameResolutionFailed", "WebhookResolver"]

logger = logging.getLogger(__name__)

LOOKUP_TIMEOUT_S = 2.5
"""How long a look-up may take, and a failed one always takes."""

MAX_LOOKUPS = 192
"""Look-ups at once: more than there are deliveries, so that names that hang keep no others waiting."""

MAX_LOOKUPS_PER_SITE = 4

MAX_ADDRESSES = 4
"""Addresses of a name that are tried: a name may lead to any number of other people's."""

MAX_CACHED_LOOKUPS = 1_000
"""Look-ups after which all answers are forgotten: c-ares keeps each for as long as the name's owner says."""

QUERY_TIMEOUT_S, MAX_QUERIES = 1.0, 4
"""More than LOOKUP_TIMEOUT_S together."""

FLAGS = pycares.ARES_FLAG_EDNS | pycares.ARES_FLAG_IGNTC | pycares.ARES_FLAG_NOSEARCH
"""No answer is longer than a datagram, so that it takes neither long to read nor much memory; names are whole."""


class NameResolutionFailed(OSError):
    """A name leads to no server of the public internet; why is told to nobody outside."""


class WebhookResolver(AbstractResolver):
    """Looks up names for webhooks; with `nameservers`, `ADDRESS` or `ADDRESS:PORT`, at these and not the system's."""

    def __init__(
        self, *, allow_private: bool, nameservers: Sequence[str] = (), timeout_s: float = LOOKUP_TIMEOUT_S
    ) -> None:
        self._allow_private = allow_private
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        # Without `lookups`, which pycares 5.2 hands over in memory that is free by then: now and then nothing is asked.
        self._channel = pycares.Channel(
            # Inside names are for those who work inside.
            flags=FLAGS & ~pycares.ARES_FLAG_NOSEARCH if allow_private else FLAGS,
            timeout=QUERY_TIMEOUT_S,
            tries=MAX_QUERIES,
            servers=nameservers or None,
        )
        self._lookup_slots = asyncio.Semaphore(MAX_LOOKUPS)
        self._sites: dict[str, asyncio.Semaphore] = {}
        self._site_users: Counter[str] = Counter()
        """How many look up something of a site, or wait for their turn."""
        self._lookups_since_reset = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look up a name: the addresses that may be connected to. Raises NameFailed."""
        until = self._loop.time() + self._timeout_s
        try:
            async with asyncio.timeout_at(until):
                found = await self._look_up(host, family)
        except (TimeoutError, pycares.AresError, UnicodeError, ValueError) as error:
            logger.debug("a webhook's name could not be looked up: %r: %r", host, error)
            found = []
        usable = self._select_addresses(host, found)
        if not usable:
            await asyncio.sleep(until - self._loop.time())
            raise NameResolutionFailed(None, "the name leads to no server of the public internet")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
            for family, address in usable
        ]

    async def close(self) -> None:
        """End all look-ups."""
        self._channel.cancel()
        self._channel.close()

    async def _look_up(self, host: str, family: socket.AddressFamily) -> list[tuple[socket.AddressFamily, str]]:
        """All addresses of a name, in its turn."""
        async with self._site_slot(site_of_host(host)), self._lookup_slots:
            found = await self._query(host, family)
        return [(socket.AddressFamily(node.family), node.addr[0].decode()) for node in found.nodes]

    @asynccontextmanager
    async def _site_slot(self, where: str) -> AsyncIterator[None]:
        """One of the look-ups that a site may have under way."""
        self._site_users[where] += 1
        try:
            async with self._sites.setdefault(where, asyncio.Semaphore(MAX_LOOKUPS_PER_SITE)):
                yield
        finally:
            self._site_users[where] -= 1
            if not self._site_users[where]:
                del self._site_users[where], self._sites[where]

    async def _query(self, host: str, family: socket.AddressFamily) -> pycares.AddrInfoResult:
        """Ask c-ares, whose thread answers. Raises AresError."""
        self._lookups_since_reset += 1
        if self._lookups_since_reset > MAX_CACHED_LOOKUPS:
            self._lookups_since_reset = 0
            self._channel.reinit()
        answered: asyncio.Future[pycares.AddrInfoResult] = self._loop.create_future()
        self._channel.getaddrinfo(
            host, None, family=family, type=socket.SOCK_STREAM, callback=partial(self._resolve_from_thread, answered)
        )
        return await answered

    def _resolve_from_thread(
        self, answered: asyncio.Future[pycares.AddrInfoResult], found: pycares.AddrInfoResult, errno: int | None
    ) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_resolve_future, answered, found, errno)

    def _select_addresses(
        self, host: str, found: Sequence[tuple[socket.AddressFamily, str]]
    ) -> list[tuple[socket.AddressFamily, str]]:
        if self._allow_private:
            return [*found[:MAX_ADDRESSES]]
        public = [(family, address) for family, address in found if is_public(ip_address(address))]
        if len(public) < len(found):
            logger.debug("a webhook's name leads to an address that is not public: %r", host)
        return public[:MAX_ADDRESSES]


def _resolve_future(
    answered: asyncio.Future[pycares.AddrInfoResult], found: pycares.AddrInfoResult, errno: int | None
) -> None:
    if answered.done():
        return
    if errno is None:
        answered.set_result(found)
    else:
        answered.set_exception(pycares.AresError(errno, pycares.errno.strerror(errno)))
