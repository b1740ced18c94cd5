"""Announcements of one primary, over a connection of their own."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from service.games.port import Hint
from service.store import keys
from service.store.link import Link, LinkLost, pack
from service.store.refusals import Refused, told
from service.store.routes import Routes
from service.store.where import Place

__all__ = ["Ear"]

_PAUSE_S = 0.25
"""Between attempts at a connection."""

_PING = pack("PING")


class Ear:
    """Listens at one primary, asks for a sign of life each `ping_s`, and hangs up after `silence_s` without one."""

    def __init__(
        self,
        routes: Routes,
        place: Place,
        heard: Callable[[Hint], None],
        moved: asyncio.Event,
        *,
        ping_s: float,
        silence_s: float,
    ) -> None:
        self.confirmed: set[str] = set()
        """Games whose announcements are heard."""
        self._routes = routes
        self._place = place
        self._heard = heard
        self._moved = moved
        self._ping_s = ping_s
        self._silence_s = silence_s
        self._games: set[str] = set()
        self._loop = asyncio.get_running_loop()
        self._heard_at = 0.0
        self._link: Link | None = None
        self._say = ("SSUBSCRIBE", "SUNSUBSCRIBE") if routes.sharded else ("SUBSCRIBE", "UNSUBSCRIBE")
        self._task = routes.terms.supervisor.start("pubsub-connection", self._listen)

    @property
    def up(self) -> bool:
        """Whether there is a connection, which has given signs of life."""
        return self._link is not None

    def add(self, game: str) -> None:
        """Hear of this game."""
        self._games.add(game)
        self._subscribe([game])

    def remove(self, game: str) -> None:
        """Hear of it no more."""
        self._games.discard(game)
        self._unsubscribe([game])

    def share(self, games: set[str]) -> None:
        """Hear of these games and no others."""
        more, fewer = games - self._games, self._games - games
        self._games = games
        self._subscribe(more)
        self._unsubscribe(fewer)

    async def aclose(self) -> None:
        """Hang up."""
        await self._routes.terms.supervisor.stop(self._task)

    async def _listen(self) -> None:
        while True:
            try:
                link = await self._routes.listen_at(self._place, self._pushed)
            except (LinkLost, Refused):
                self._moved.set()
                await asyncio.sleep(_PAUSE_S)
                continue
            try:
                await self._stay(link)
            finally:
                self._link = None
                self.confirmed.clear()
                link.abort("no sign of life")
            self._moved.set()
            await asyncio.sleep(_PAUSE_S)

    async def _stay(self, link: Link) -> None:
        """Return when the connection is lost or silent."""
        lost = asyncio.Event()
        link.closed = lambda _: lost.set()
        self._link, self._heard_at = link, self._loop.time()
        self._subscribe(self._games)
        while link.open and self._loop.time() - self._heard_at < self._silence_s:
            link.write([_PING])
            try:
                async with asyncio.timeout(self._ping_s):
                    await lost.wait()
            except TimeoutError:
                continue

    def _subscribe(self, games: Iterable[str]) -> None:
        self._tell(self._say[0], games)

    def _unsubscribe(self, games: Iterable[str]) -> None:
        self._tell(self._say[1], games)

    def _tell(self, word: str, games: Iterable[str]) -> None:
        """One command for each: channels of several slots are refused together."""
        if self._link is not None and (packed := [pack(word, keys.hints(game)) for game in games]):
            self._link.write(packed)

    def _pushed(self, reply: Any) -> None:
        """What the primary says of its own: announcements, and answers to what `_tell` and `_stay` say."""
        self._heard_at = self._loop.time()
        match reply:
            case [b"message" | b"smessage", channel, version]:
                version, _, ends_tokens = version.partition(b" ")
                if version.isdigit():
                    self._heard(Hint(keys.hinted(channel.decode()), int(version), bool(ends_tokens)))
            case [b"subscribe" | b"ssubscribe", channel, _]:
                self.confirmed.add(game := keys.hinted(channel.decode()))
                self._heard(Hint(game, None))
            case [b"unsubscribe" | b"sunsubscribe", bytes() as channel, _]:
                self._lost(keys.hinted(channel.decode()))
            case Refused():
                self._refused(reply)
            case _:
                pass

    def _lost(self, game: str) -> None:
        """As was asked for, or because its slot has left this primary."""
        self.confirmed.discard(game)
        if game in self._games:
            self._games.discard(game)
            self._moved.set()

    def _refused(self, refusal: Refused) -> None:
        """A subscription: the slot is elsewhere, or the user may not."""
        told(refusal)
        if self._link is not None:
            self._link.abort(str(refusal))
