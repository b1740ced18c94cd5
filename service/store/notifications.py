"""Change notifications: each game has a channel, to which the instances subscribe on which the game is watched.

It is named as the game's key.

So a commit costs nothing to instances that do not watch that game, however many games and instances there are. In a
Cluster the channel belongs to the game's slot, and its messages stay on that primary. A commit publishes only if
somebody else is subscribed: the committing instance knows the change, and a message of its own would cost 20 us.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import suppress

from service.games.ports.game_store import ChangeNotification
from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS
from service.store.connection.topology import Topology
from service.store.pubsub import RECONNECT_DELAY_S, PubSubConnection

__all__ = ["ChangeNotifications"]

ASSIGN_INTERVAL_S = 0.75
"""How often the primaries are checked for changes, with the pause of RECONNECT_DELAY_S that follows."""

MAX_UNREAD = 10_000
"""The number of notifications that wait for `listen`; more are dropped."""


class ChangeNotifications:
    """The notifications of the games that this process has subscribed to, with a PubSubConnection for each primary."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._games: set[str] = set()
        self._subscribers: dict[str, PubSubConnection] = {}
        self._unread: asyncio.Queue[ChangeNotification] = asyncio.Queue()
        self._assigned_generation: int | None = None
        """The generation of the topology for which each game was assigned to a subscriber."""
        self._reassign = asyncio.Event()
        """Set when a connection was lost, or a primary has dropped a subscription because the slot moved."""

    def subscribe(self, game: str) -> None:
        """Subscribe to a game. Once Redis confirms, `listen` yields a notification without a version."""
        self._games.add(game)
        if (subscriber := self._subscriber_for(game)) is not None:
            subscriber.subscribe(game)

    def unsubscribe(self, game: str) -> None:
        """Unsubscribe from a game."""
        self._games.discard(game)
        if (subscriber := self._subscriber_for(game)) is not None:
            subscriber.unsubscribe(game)

    def count_own_subscribers(self, game: str) -> int:
        """Return how many of the channel's subscribers belong to this process: 0 or 1."""
        if game not in self._games:
            return 0
        subscriber = self._subscriber_for(game)
        return int(subscriber is not None and game in subscriber.subscribed)

    @property
    def is_up(self) -> bool:
        """Whether there is a connection to every primary."""
        return bool(self._subscribers) and all(subscriber.is_up for subscriber in self._subscribers.values())

    async def listen(self) -> AsyncGenerator[ChangeNotification]:
        """Yield notifications forever. Messages that are published during a reconnect are lost."""
        async with self._topology.supervisor.running("pubsub", self._maintain_subscribers):
            while True:
                yield await self._unread.get()

    async def _maintain_subscribers(self) -> None:
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
            subscribers, self._subscribers, self._assigned_generation = self._subscribers, {}, None
            await asyncio.gather(*(subscriber.aclose() for subscriber in subscribers.values()))

    async def _assign_games(self) -> None:
        """Assign every game to its primary's subscriber, if primaries have changed. Raise one of CONNECTION_ERRORS."""
        if self._assigned_generation == self._topology.generation and not self._reassign.is_set():
            return
        if self._reassign.is_set() or not self._topology.primaries():
            await self._topology.refresh()
        primaries = {*self._topology.primaries()}
        for primary in primaries - self._subscribers.keys():
            self._subscribers[primary] = PubSubConnection(self._topology, primary, self._push, self._reassign)
        former = [self._subscribers.pop(primary) for primary in self._subscribers.keys() - primaries]
        await asyncio.gather(*(subscriber.aclose() for subscriber in former))
        self._reassign.clear()
        self._assigned_generation = self._topology.generation
        assigned: defaultdict[str | None, set[str]] = defaultdict(set)
        for game in self._games:
            assigned[self._topology.primary_for_key(keys.game(game))].add(game)
        for primary, subscriber in self._subscribers.items():
            subscriber.set_games(assigned[primary])

    def _subscriber_for(self, game: str) -> PubSubConnection | None:
        return self._subscribers.get(self._topology.primary_for_key(keys.game(game)) or "")

    def _push(self, notification: ChangeNotification) -> None:
        if self._unread.qsize() < MAX_UNREAD:  # a lost notification is made up for by the hub's sweep
            self._unread.put_nowait(notification)
