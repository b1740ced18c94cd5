"""Announcements of one primary, by redis-py's PubSub.

Not by its ClusterPubSub: that has no sign of life for each node, and a subscription whose move failed waits there until
slots move once more.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from redis.asyncio.client import PubSub

from service.games.ports import Hint
from service.store import keys
from service.store.connection.errors import LOST, LOST_WRITING, is_refusal, told
from service.store.connection.topology import Topology
from service.supervision import spawn

__all__ = ["Subscriber"]

_PAUSE_S = 0.25
"""Between attempts at a connection."""


class Subscriber:
    """Listens at one primary, asks for a sign of life each `ping_s`, and hangs up after `silence_s` without one."""

    def __init__(
        self,
        topology: Topology,
        primary: str,
        heard: Callable[[Hint], None],
        moved: asyncio.Event,
        *,
        ping_s: float,
        silence_s: float,
    ) -> None:
        self.confirmed: set[str] = set()
        """Games whose announcements are heard."""
        self.up = False
        """Whether there is a connection, which has given signs of life."""
        self._topology = topology
        self._primary = primary
        self._heard = heard
        self._moved = moved
        self._ping_s = ping_s
        self._silence_s = silence_s
        self._games: set[str] = set()
        self._wishes: asyncio.Queue[tuple[bool, str]] = asyncio.Queue()
        """Whether to subscribe, and to which game."""
        self._loop = asyncio.get_running_loop()
        self._task = topology.supervisor.start("pubsub-connection", self._listen)

    def add(self, game: str) -> None:
        """Hear of this game."""
        self._games.add(game)
        self._wish(game, subscribe=True)

    def remove(self, game: str) -> None:
        """Hear of it no more."""
        self._games.discard(game)
        self._wish(game, subscribe=False)

    def share(self, games: set[str]) -> None:
        """Hear of these games and no others."""
        for game in games - self._games:
            self.add(game)
        for game in self._games - games:
            self.remove(game)

    async def aclose(self) -> None:
        """Hang up."""
        await self._topology.supervisor.stop(self._task)

    async def _listen(self) -> None:
        while True:
            pubsub = self._topology.client(self._primary).pubsub()
            try:
                await self._stay(pubsub)
            except LOST as error:
                if is_refusal(error):
                    told(error)
            finally:
                self.up = False
                self.confirmed.clear()
                with suppress(*LOST):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]
            self._moved.set()
            await asyncio.sleep(_PAUSE_S)

    async def _stay(self, pubsub: PubSub) -> None:
        """Listen until the connection is lost or silent. Raises one of LOST."""
        async with asyncio.timeout(self._silence_s):
            await pubsub.connect()  # type: ignore[no-untyped-call]
        self.up = True
        self._wishes = asyncio.Queue()
        for game in self._games:
            self._wish(game, subscribe=True)
        subscribing = spawn("pubsub-subscribe", self._subscribe(pubsub, self._wishes), expected=LOST_WRITING)
        try:
            heard_at = self._loop.time()
            while self._loop.time() - heard_at < self._silence_s and not subscribing.done():
                async with asyncio.timeout(self._silence_s):
                    message = await pubsub.get_message(timeout=self._ping_s)
                    if message is None:
                        await pubsub.ping()
                if message is not None:
                    heard_at = self._loop.time()
                    self._take(message)
        finally:
            subscribing.cancel()
            await asyncio.gather(subscribing, return_exceptions=True)

    async def _subscribe(self, pubsub: PubSub, wishes: "asyncio.Queue[tuple[bool, str]]") -> None:
        """Say what is wished, one channel at a time: those of several slots are refused together."""
        sharded = self._topology.sharded
        on = pubsub.ssubscribe if sharded else pubsub.subscribe
        off = pubsub.sunsubscribe if sharded else pubsub.unsubscribe
        while True:
            subscribe, game = await wishes.get()
            await (on if subscribe else off)(keys.hints(game))

    def _wish(self, game: str, *, subscribe: bool) -> None:
        if self.up:  # else all of `_games` is subscribed to when there is a connection
            self._wishes.put_nowait((subscribe, game))

    def _take(self, message: dict[str, Any]) -> None:
        """What the primary says: announcements, and that channels are heard or not any more."""
        match message["type"]:
            case "message" | "smessage":
                version, _, ends_tokens = message["data"].partition(b" ")
                if version.isdigit():
                    self._heard(Hint(_game(message), int(version), bool(ends_tokens)))
            case "subscribe" | "ssubscribe":
                self.confirmed.add(game := _game(message))
                self._heard(Hint(game, None))
            case "unsubscribe" | "sunsubscribe":
                self._lost(_game(message))
            case _:
                pass

    def _lost(self, game: str) -> None:
        """As was asked for, or because its slot has left this primary."""
        self.confirmed.discard(game)
        if game in self._games:
            self._games.discard(game)
            self._moved.set()


def _game(message: dict[str, Any]) -> str:
    return keys.hinted(message["channel"].decode())
