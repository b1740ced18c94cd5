"""Change notifications: each game has a channel, to which the instances subscribe on which the game is watched.

It is named as the game's key.

So a commit costs nothing to instances that do not watch that game, however many games and instances there are. In a
Cluster the channel belongs to the game's slot, and its messages stay on that primary. A commit publishes only if
somebody else is subscribed: the committing instance knows the change, and a message of its own would cost 20 us.

A connection for the change notifications of one primary, by redis-py's PubSub.

Its ClusterPubSub is not used: it does not ping each node, and a subscription whose move failed stays there until slots
move once more.

redis-py annotates only part of its asyncio functions, hence `# type: ignore[no-untyped-call]`.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from redis.asyncio.client import PubSub

from service.games.ports import ChangeNotification
from service.store import keys
from service.store.connection import CONNECTION_ERRORS, error_code, to_store_error
from service.store.log_entries import decode_notification
from service.store.topology import Topology
from service.supervision import spawn

logger = logging.getLogger(__name__)

PING_INTERVAL_S = 1.0
SILENCE_TIMEOUT_S = 3.0
"""How long a connection may be without a message or a reply to a ping before it is replaced."""
RECONNECT_DELAY_S = 0.25


@dataclass(eq=False)
class PubSubConnection:
    """A subscribing connection to one primary, which it replaces whenever it is lost or silent."""

    topology: Topology
    primary: str
    on_notification: Callable[[ChangeNotification], None]
    reassign: asyncio.Event

    def __post_init__(self) -> None:
        self.subscribed: set[str] = set()
        """Games whose subscription Redis has confirmed."""
        self.is_up = False
        """Whether there is a connection."""
        self._is_denied = False
        """Whether Redis has denied its user a subscription."""
        self._games: set[str] = set()
        self._requests: asyncio.Queue[tuple[bool, str]] = asyncio.Queue()
        """Whether to subscribe or to unsubscribe, and the game."""
        self._task = self.topology.supervisor.start("pubsub-connection", self._run)

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
        await self.topology.supervisor.stop(self._task)

    async def _run(self) -> None:
        while True:
            pubsub = self.topology.client_for(self.primary).pubsub()
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
            self.reassign.set()
            await asyncio.sleep(RECONNECT_DELAY_S)

    async def _read_messages(self, pubsub: PubSub) -> None:
        """Handle messages until the connection is lost or silent. Raise one of CONNECTION_ERRORS."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(SILENCE_TIMEOUT_S) as silence:
            await pubsub.connect()  # type: ignore[no-untyped-call]
            self.is_up = True
            self._requests = asyncio.Queue()
            for game in self._games:
                self._request(game, subscribe=True)
            sending = spawn("pubsub-subscribe", self._send_requests(pubsub, self._requests), expected=CONNECTION_ERRORS)
            try:
                while not sending.done():
                    message = await pubsub.get_message(timeout=PING_INTERVAL_S)
                    if message is None:
                        await pubsub.ping()
                    else:
                        silence.reschedule(loop.time() + SILENCE_TIMEOUT_S)
                        self._handle_message(message)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)

    async def _send_requests(self, pubsub: PubSub, requests: "asyncio.Queue[tuple[bool, str]]") -> None:
        """Send requests, one channel at a time: a Cluster rejects one SSUBSCRIBE for channels of several slots."""
        is_sharded = self.topology.is_sharded
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
                    self.on_notification(decode_notification(_game(message), message["data"]))
            case "subscribe" | "ssubscribe":
                self.subscribed.add(game := _game(message))
                self.on_notification(ChangeNotification(game))
            case "unsubscribe" | "sunsubscribe":
                self._handle_unsubscribed(_game(message))
            case _:
                pass

    def _handle_unsubscribed(self, game: str) -> None:
        """Handle the end of a subscription: it was requested, or the slot has left this primary."""
        self.subscribed.discard(game)
        if game in self._games:
            self._games.discard(game)
            self.reassign.set()


def _game(message: dict[str, Any]) -> str:
    return keys.game_of(message["channel"].decode()) or ""


ASSIGN_INTERVAL_S = 0.75
"""How often the primaries are checked for changes, with the pause of RECONNECT_DELAY_S that follows."""

MAX_UNREAD = 10_000
"""The number of notifications that wait for `listen`; more are dropped."""


class ChangeNotifications:
    """The notifications of the games that this process has subscribed to, with a PubSubConnection for each primary."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._games: set[str] = set()
        self._connections: dict[str, PubSubConnection] = {}
        self._unread: asyncio.Queue[ChangeNotification] = asyncio.Queue()
        self._assigned_generation: int | None = None
        """The generation of the topology for which each game was assigned to a connection."""
        self._reassign = asyncio.Event()
        """Set when a connection was lost, or a primary has dropped a subscription because the slot moved."""

    def subscribe(self, game: str) -> None:
        """Subscribe to a game. Once Redis confirms, `listen` yields a notification without a version."""
        self._games.add(game)
        if (connection := self._connection_for(game)) is not None:
            connection.subscribe(game)

    def unsubscribe(self, game: str) -> None:
        """Unsubscribe from a game."""
        self._games.discard(game)
        if (connection := self._connection_for(game)) is not None:
            connection.unsubscribe(game)

    def count_own_subscribers(self, game: str) -> int:
        """Return how many of the channel's subscribers belong to this process: 0 or 1."""
        if game not in self._games:
            return 0
        connection = self._connection_for(game)
        return int(connection is not None and game in connection.subscribed)

    @property
    def is_up(self) -> bool:
        """Whether there is a connection to every primary."""
        return bool(self._connections) and all(connection.is_up for connection in self._connections.values())

    async def listen(self) -> AsyncGenerator[ChangeNotification]:
        """Yield notifications forever. Messages that are published during a reconnect are lost."""
        async with self._topology.supervisor.running("pubsub", self._maintain_connections):
            while True:
                yield await self._unread.get()

    async def _maintain_connections(self) -> None:
        """Keep a connection to each primary, and each game assigned to the primary that serves its channel."""
        try:
            while True:
                try:
                    await self._assign_games()
                except CONNECTION_ERRORS:
                    self._reassign.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(ASSIGN_INTERVAL_S):
                        await self._reassign.wait()
                await asyncio.sleep(RECONNECT_DELAY_S)  # do not refresh in a loop while a primary is away
        finally:
            connections, self._connections, self._assigned_generation = self._connections, {}, None
            await asyncio.gather(*(connection.aclose() for connection in connections.values()))

    async def _assign_games(self) -> None:
        """Assign every game to its primary's connection, if primaries have changed. Raise one of CONNECTION_ERRORS."""
        if self._assigned_generation == self._topology.generation and not self._reassign.is_set():
            return
        if self._reassign.is_set() or not self._topology.primaries():
            await self._topology.refresh()
        primaries = {*self._topology.primaries()}
        for primary in primaries - self._connections.keys():
            self._connections[primary] = PubSubConnection(self._topology, primary, self._push, self._reassign)
        former = [self._connections.pop(primary) for primary in self._connections.keys() - primaries]
        await asyncio.gather(*(connection.aclose() for connection in former))
        self._reassign.clear()
        self._assigned_generation = self._topology.generation
        assigned: defaultdict[str | None, set[str]] = defaultdict(set)
        for game in self._games:
            assigned[self._topology.primary_for_key(keys.game(game))].add(game)
        for primary, connection in self._connections.items():
            connection.set_games(assigned[primary])

    def _connection_for(self, game: str) -> PubSubConnection | None:
        return self._connections.get(self._topology.primary_for_key(keys.game(game)) or "")

    def _push(self, notification: ChangeNotification) -> None:
        if self._unread.qsize() < MAX_UNREAD:  # a lost notification is made up for by the hub's sweep
            self._unread.put_nowait(notification)
