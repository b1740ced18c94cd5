"""One connection to a Redis server: commands go out packed, replies come back in their order.

hiredis packs and parses. redis-py's connections were 20 us a command slower: a task, two time-outs and a lock for each.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, cast

import hiredis

from service.store.refusals import Refused
from service.store.where import Login, Place, Where

__all__ = ["Awaited", "Link", "LinkLost", "open_link", "pack"]

CONNECT_S = 1.0
"""For the connection, and again for TLS and the greeting."""

NAME = "south-seas"
"""What `CLIENT LIST` calls our connections."""

_NOTHING = object()


class LinkLost(Exception):
    """The connection broke, or none could be made."""


class Awaited(Protocol):
    """Who waits for a reply."""

    def answer(self, reply: Any) -> None:
        """Here it is; a Refused where Redis did not do it."""

    def lost(self, reason: str) -> None:
        """The connection broke before: it may have been done."""

    def late(self, now: float) -> bool:
        """Whether it has waited for too long by now; who asked is told then."""


class Link(asyncio.Protocol):
    """A connection. Made by `open_link`."""

    def __init__(self, unasked: Callable[[Any], None] | None = None) -> None:
        self.expected: deque[Awaited] = deque()
        """Who waits for the next replies."""
        self.closed: Callable[[str], None] = _ignore
        """Told once when the connection is lost, after all who waited."""
        self._heard = True
        self._heard_at = 0.0
        self._unasked = unasked
        self._reader = hiredis.Reader(replyError=Refused, notEnoughData=_NOTHING)
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def open(self) -> bool:
        """Whether it can be written to."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        self._transport = cast("asyncio.Transport", transport)

    def write(self, packed: list[bytes]) -> None:
        """Send commands; their `Awaited` must be in `expected` already."""
        if self._transport is not None:
            self._transport.writelines(packed)

    def data_received(self, data: bytes) -> None:
        """Give all replies to who waits for them."""
        self._heard = True
        reader = self._reader
        try:
            reader.feed(data)
            while (reply := reader.gets()) is not _NOTHING:
                if type(reply) is hiredis.PushNotification or not self.expected:
                    self._push(reply)
                else:
                    self.expected.popleft().answer(reply)
        except hiredis.ProtocolError as error:
            self.abort(f"not Redis's protocol: {error}")

    def _push(self, reply: Any) -> None:
        if self._unasked is None:
            self.abort("a reply to nothing")
            return
        self._unasked(reply)

    def silent_since(self, now: float) -> float:
        """For how long nothing has come, to be asked now and then; nothing is missed while nothing is expected."""
        if self._heard or not self.expected:
            self._heard, self._heard_at = False, now
        return now - self._heard_at

    def connection_lost(self, error: Exception | None) -> None:
        """It is gone."""
        self.abort(str(error) if error else "the server closed the connection")

    def abort(self, reason: str) -> None:
        """Break it, and tell all who wait."""
        transport, self._transport = self._transport, None
        if transport is None:
            return
        transport.abort()
        waiting, self.expected = self.expected, deque()
        for awaited in waiting:
            awaited.lost(reason)
        self.closed(reason)

    async def ask(self, *command: str | int) -> Any:
        """The reply to one command. Raises Refused, LinkLost, or TimeoutError after CONNECT_S."""
        waiting = _Asking(self._loop.create_future())
        self.expected.append(waiting)
        self.write([pack(*command)])
        async with asyncio.timeout(CONNECT_S):
            return await waiting.future


class _Asking:
    """Waits for the reply to one command."""

    def __init__(self, future: asyncio.Future[Any]) -> None:
        self.future = future

    def answer(self, reply: Any) -> None:
        if self.future.done():
            return
        if isinstance(reply, Refused):
            self.future.set_exception(reply)
        else:
            self.future.set_result(reply)

    def lost(self, reason: str) -> None:
        if not self.future.done():
            self.future.set_exception(LinkLost(reason))

    def late(self, now: float) -> bool:
        del now
        return self.future.done()


def _ignore(reason: str) -> None:
    del reason


def pack(*command: bytes | str | int) -> bytes:
    """A command as it goes over a connection."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub says a tuple of one
    return packed


async def open_link(
    where: Where,
    place: Place,
    *,
    login: Login | None = None,
    database: int = 0,
    unasked: Callable[[Any], None] | None = None,
) -> tuple[Link, str]:
    """A connection to this server, greeted, and the server's role (`master`, `replica` or `sentinel`).

    `login` None is that of `where`; what is unasked are announcements. Raises LinkLost, or Refused by the greeting.
    """
    link = Link(unasked)
    try:
        async with asyncio.timeout(CONNECT_S):
            await _connect(link, where, place)
        async with asyncio.timeout(CONNECT_S):
            role = await _greet(link, where.login if login is None else login, database)
    except TimeoutError:
        link.abort("no answer")
        raise LinkLost(f"{place} does not answer within {CONNECT_S} s") from None
    except (OSError, LinkLost, UnicodeError) as error:  # a name that no host can have is a UnicodeError
        link.abort("not connected")
        raise LinkLost(f"{place}: {error}") from error
    except BaseException:
        link.abort("not connected")
        raise
    return link, role


async def _connect(link: Link, where: Where, place: Place) -> None:
    loop = asyncio.get_running_loop()
    if place.port:
        name = place.host if where.tls is not None else None
        await loop.create_connection(lambda: link, place.host, place.port, ssl=where.tls, server_hostname=name)
    else:
        await loop.create_unix_connection(lambda: link, place.host)


async def _greet(link: Link, login: Login, database: int) -> str:
    auth = ("AUTH", login.user or "default", login.password) if login.password or login.user else ()
    greeted = await link.ask("HELLO", 3, *auth, "SETNAME", NAME)
    if database:
        await link.ask("SELECT", database)
    if not isinstance(greeted, dict):
        raise LinkLost("greets as no Redis does")
    return (b"sentinel" if greeted.get(b"mode") == b"sentinel" else greeted.get(b"role", b"")).decode()
