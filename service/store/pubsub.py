"""A connection for the change notifications of one primary, by redis-py's PubSub.

Its ClusterPubSub is not used: it does not ping each node, and a subscription whose move failed stays there until slots
move once more.

redis-py annotates only part of its asyncio functions, hence `# type: ignore[no-untyped-call]`.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from redis.asyncio.client import PubSub

from service.games.ports.game_store import ChangeNotification
from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS, error_code, to_store_error
from service.store.connection.topology import Topology
from service.store.notices import decode_notification
from service.supervision import spawn

__all__ = ["RECONNECT_DELAY_S", "PubSubConnection"]

logger = logging.getLogger(__name__)

PING_INTERVAL_S = 1.0
SILENCE_TIMEOUT_S = 3.0
"""How long a connection may be without a message or a reply to a ping before it is replaced."""
RECONNECT_DELAY_S = 0.25


class PubSubConnection:
    """A subscribing connection to one primary, which it replaces whenever it is lost or silent."""

    def __init__(
        self,
        topology: Topology,
        primary: str,
        on_notification: Callable[[ChangeNotification], None],
        reassign: asyncio.Event,
    ) -> None:
        self.subscribed: set[str] = set()
        """Games whose subscription Redis has confirmed."""
        self.is_up = False
        """Whether there is a connection."""
        self._is_denied = False
        """Whether Redis has denied its user a subscription."""
        self._topology = topology
        self._primary = primary
        self._on_notification = on_notification
        self._reassign = reassign
        self._games: set[str] = set()
        self._requests: asyncio.Queue[tuple[bool, str]] = asyncio.Queue()
        """Whether to subscribe or to unsubscribe, and the game."""
        self._task = topology.supervisor.start("pubsub-connection", self._run)

    def subscribe(self, game: str) -> None:
        """Subscribe to a game."""
        self._games.add(game)
        self._request(game, subscribe=True)

    def unsubscribe(self, game: str) -> None:
        """Unsubscribe from a game."""
        self._games.discard(game)
        self._request(game, subscribe=False)

    def set_games(self, games: set[str]) -> None:
        """Subscribe to these games and no others."""
        for game in games - self._games:
            self.subscribe(game)
        for game in self._games - games:
            self.unsubscribe(game)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._topology.supervisor.stop(self._task)

    async def _run(self) -> None:
        while True:
            pubsub = self._topology.client_for(self._primary).pubsub()
            try:
                await self._read_messages(pubsub)
            except CONNECTION_ERRORS as error:
                if error_code(error) == "NOPERM" and not self._is_denied:  # commands meet all other errors too
                    self._is_denied = True
                    logger.warning("%s. This is logged once", to_store_error(error))
            finally:
                self.is_up = False
                self.subscribed.clear()
                with suppress(*CONNECTION_ERRORS):
                    await pubsub.aclose()  # type: ignore[no-untyped-call]
            self._reassign.set()
            await asyncio.sleep(RECONNECT_DELAY_S)

    async def _read_messages(self, pubsub: PubSub) -> None:
        """Handle messages until the connection is lost or silent. Raise one of CONNECTION_ERRORS."""
        async with asyncio.timeout(SILENCE_TIMEOUT_S):
            await pubsub.connect()  # type: ignore[no-untyped-call]
        self.is_up = True
        self._requests = asyncio.Queue()
        for game in self._games:
            self._request(game, subscribe=True)
        sending = spawn("pubsub-subscribe", self._send_requests(pubsub, self._requests), expected=CONNECTION_ERRORS)
        try:
            last_message_at = monotonic()
            while monotonic() - last_message_at < SILENCE_TIMEOUT_S and not sending.done():
                async with asyncio.timeout(SILENCE_TIMEOUT_S):
                    message = await pubsub.get_message(timeout=PING_INTERVAL_S)
                    if message is None:
                        await pubsub.ping()
                if message is not None:
                    last_message_at = monotonic()
                    self._handle_message(message)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_requests(self, pubsub: PubSub, requests: "asyncio.Queue[tuple[bool, str]]") -> None:
        """Send requests, one channel at a time: a Cluster rejects one SSUBSCRIBE for channels of several slots."""
        is_sharded = self._topology.is_sharded
        subscribe = pubsub.ssubscribe if is_sharded else pubsub.subscribe
        unsubscribe = pubsub.sunsubscribe if is_sharded else pubsub.unsubscribe
        while True:
            is_subscribe, game = await requests.get()
            await (subscribe if is_subscribe else unsubscribe)(keys.game(game))

    def _request(self, game: str, *, subscribe: bool) -> None:
        if self.is_up:  # otherwise the next connection subscribes to all of `_games`
            self._requests.put_nowait((subscribe, game))

    def _handle_message(self, message: dict[str, Any]) -> None:
        """Handle a notification, or the confirmation of a request."""
        match message["type"]:
            case "message" | "smessage":
                with suppress(ValueError):  # whoever may publish there: the sweep finds what is missed
                    self._on_notification(decode_notification(_game(message), message["data"]))
            case "subscribe" | "ssubscribe":
                self.subscribed.add(game := _game(message))
                self._on_notification(ChangeNotification(game, None))
            case "unsubscribe" | "sunsubscribe":
                self._handle_unsubscribed(_game(message))
            case _:
                pass

    def _handle_unsubscribed(self, game: str) -> None:
        """Handle the end of a subscription: it was requested, or the slot has left this primary."""
        self.subscribed.discard(game)
        if game in self._games:
            self._games.discard(game)
            self._reassign.set()


def _game(message: dict[str, Any]) -> str:
    return keys.game_of(message["channel"].decode()) or ""
