"""Announcements of one primary, by redis-py's PubSub.

Not by its ClusterPubSub: that has no sign of life for each node, and a subscription whose move failed waits there until
slots move once more.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from redis.asyncio.client import PubSub

from service.games.ports import ChangeNotification
from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS, WRITE_ERRORS, is_error_reply, to_store_error
from service.store.connection.topology import Topology
from service.supervision import spawn

__all__ = ["Subscriber"]

_RECONNECT_DELAY_S = 0.25
"""Between attempts at a connection."""


class Subscriber:
    """Listens at one primary, asks for a sign of life each `ping_s`, and hangs up after `silence_s` without one."""

    def __init__(
        self,
        topology: Topology,
        primary: str,
        on_notification: Callable[[ChangeNotification], None],
        reassign: asyncio.Event,
        *,
        ping_interval_s: float,
        silence_timeout_s: float,
    ) -> None:
        self.subscribed: set[str] = set()
        """Games whose announcements are heard."""
        self.is_up = False
        """Whether there is a connection, which has given signs of life."""
        self._topology = topology
        self._primary = primary
        self._on_notification = on_notification
        self._reassign = reassign
        self._ping_interval_s = ping_interval_s
        self._silence_timeout_s = silence_timeout_s
        self._games: set[str] = set()
        self._requests: asyncio.Queue[tuple[bool, str]] = asyncio.Queue()
        """Whether to subscribe, and to which game."""
        self._loop = asyncio.get_running_loop()
        self._task = topology.supervisor.start("pubsub-connection", self._run)

    def subscribe(self, game: str) -> None:
        """Hear of this game."""
        self._games.add(game)
        self._request(game, subscribe=True)

    def unsubscribe(self, game: str) -> None:
        """Hear of it no more."""
        self._games.discard(game)
        self._request(game, subscribe=False)

    def set_games(self, games: set[str]) -> None:
        """Hear of these games and no others."""
        for game in games - self._games:
            self.subscribe(game)
        for game in self._games - games:
            self.unsubscribe(game)

    async def aclose(self) -> None:
        """Hang up."""
        await self._topology.supervisor.stop(self._task)

    async def _run(self) -> None:
        while True:
            pubsub = self._topology.client_for(self._primary).pubsub()
            try:
                await self._read_messages(pubsub)
            except CONNECTION_ERRORS as error:
                if is_error_reply(error):
                    to_store_error(error)
            finally:
                self.is_up = False
                self.subscribed.clear()
                with suppress(*CONNECTION_ERRORS):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]
            self._reassign.set()
            await asyncio.sleep(_RECONNECT_DELAY_S)

    async def _read_messages(self, pubsub: PubSub) -> None:
        """Listen until the connection is lost or silent. Raises one of LOST."""
        async with asyncio.timeout(self._silence_timeout_s):
            await pubsub.connect()  # type: ignore[no-untyped-call]
        self.is_up = True
        self._requests = asyncio.Queue()
        for game in self._games:
            self._request(game, subscribe=True)
        subscribing = spawn("pubsub-subscribe", self._send_requests(pubsub, self._requests), expected=WRITE_ERRORS)
        try:
            heard_at = self._loop.time()
            while self._loop.time() - heard_at < self._silence_timeout_s and not subscribing.done():
                async with asyncio.timeout(self._silence_timeout_s):
                    message = await pubsub.get_message(timeout=self._ping_interval_s)
                    if message is None:
                        await pubsub.ping()
                if message is not None:
                    heard_at = self._loop.time()
                    self._handle_message(message)
        finally:
            subscribing.cancel()
            await asyncio.gather(subscribing, return_exceptions=True)

    async def _send_requests(self, pubsub: PubSub, wishes: "asyncio.Queue[tuple[bool, str]]") -> None:
        """Say what is wished, one channel at a time: those of several slots are refused together."""
        sharded = self._topology.is_sharded
        on = pubsub.ssubscribe if sharded else pubsub.subscribe
        off = pubsub.sunsubscribe if sharded else pubsub.unsubscribe
        while True:
            subscribe, game = await wishes.get()
            await (on if subscribe else off)(keys.channel(game))

    def _request(self, game: str, *, subscribe: bool) -> None:
        if self.is_up:  # else all of `_games` is subscribed to when there is a connection
            self._requests.put_nowait((subscribe, game))

    def _handle_message(self, message: dict[str, Any]) -> None:
        """What the primary says: announcements, and that channels are heard or not any more."""
        match message["type"]:
            case "message" | "smessage":
                version, _, ends_tokens = message["data"].partition(b" ")
                if version.isdigit():
                    self._on_notification(ChangeNotification(_game(message), int(version), bool(ends_tokens)))
            case "subscribe" | "ssubscribe":
                self.subscribed.add(game := _game(message))
                self._on_notification(ChangeNotification(game, None))
            case "unsubscribe" | "sunsubscribe":
                self._handle_unsubscribed(_game(message))
            case _:
                pass

    def _handle_unsubscribed(self, game: str) -> None:
        """As was asked for, or because its slot has left this primary."""
        self.subscribed.discard(game)
        if game in self._games:
            self._games.discard(game)
            self._reassign.set()


def _game(message: dict[str, Any]) -> str:
    return keys.game_of_channel(message["channel"].decode())
