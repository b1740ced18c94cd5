"""Posting messages to webhooks: to the public internet only; no redirect is followed, no answer read."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

from service.games.errors import UrlRefused
from service.games.webhooks.delivering import Send, Sent
from service.web.addresses import AddressRefused, check_url, public_socket
from service.web.limits import Limits

USER_AGENT = "south-seas-webhooks"
MOST_HEADER_BYTES = 8190
MOST_ANSWER_BYTES = 32_768
"""No more of an answer is read: its head is smaller, and its body does not matter."""

FAILURES = (aiohttp.ClientError, OSError, RuntimeError, UrlRefused, ValueError)
"""What sending may raise; where other loops raise OSError, uvloop may raise RuntimeError."""


class _Brief(ResponseHandler):
    """A connection on which an answer's beginning is read and no more.

    Else a server that sends provisional answers (RFC 9110, 15.2) without end would keep everybody waiting: aiohttp
    reads on for the final one, as fast as they come.
    """

    _left = MOST_ANSWER_BYTES

    def data_received(self, data: bytes) -> None:
        """Take what may still be read, and stop the sender after that."""
        read = data[: self._left]
        self._left -= len(read)
        if read:
            super().data_received(read)
        if not self._left and self.transport is not None and not self.transport.is_closing():
            self.transport.pause_reading()


def _brief(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return _Brief(loop)


class _Connector(aiohttp.TCPConnector):
    """Makes such connections."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_brief, loop=self._loop)


@asynccontextmanager
async def posting(limits: Limits, resolver: aiohttp.abc.AbstractResolver | None = None) -> AsyncIterator[Send]:
    """What posts a body with headers to a URL; connections are not kept."""
    connector = _Connector(
        force_close=True,
        limit=0,
        use_dns_cache=False,
        resolver=resolver,
        socket_factory=None if limits.webhooks_allow_private else public_socket,
    )
    async with aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=limits.webhook_timeout_s),
        headers={"User-Agent": USER_AGENT},
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        max_line_size=MOST_HEADER_BYTES,
        max_field_size=MOST_HEADER_BYTES,
    ) as session:

        async def send(url: str, headers: Mapping[str, str], body: bytes) -> Sent:
            began = time.perf_counter()
            status: int | None = None
            try:
                check_url(url, allow_private=limits.webhooks_allow_private)
                async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                    status = response.status
                    response.close()
                failure = _judge(status)
            except FAILURES as error:
                failure = _why(error)
            return Sent(status, failure, int((time.perf_counter() - began) * 1000))

        yield send


def _judge(status: int) -> str | None:
    """Why an answer is none of success; None where it is."""
    if 200 <= status < 300:
        return None
    return "redirect" if 300 <= status < 400 else "status"


def _why(error: Exception) -> str:
    """Why nothing was answered, in a word that tells nothing of the network here."""
    match error:
        case UrlRefused() | AddressRefused() | aiohttp.ClientConnectorError(os_error=AddressRefused()):
            return "refused_address"
        case TimeoutError():
            return "timeout"
        case aiohttp.ClientConnectorDNSError():
            return "dns"
        case aiohttp.ClientSSLError():
            return "tls"
        case aiohttp.ClientConnectorError():
            return "connect"
        case _:
            return "broken"
