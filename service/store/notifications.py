"""Announcements that games have changed: each game has a channel, heard by the instances on which it is watched.

So a commit costs nothing to those who do not watch that game, however many games and instances there are. On a Cluster
the channel is of the game's slot, and the announcement stays on that primary. Redis announces a commit only where
somebody else listens: whoever commits knows what it did, and hearing it once more takes some 20 us of every action.
"""

import asyncio
from collections.abc import AsyncGenerator

from service.games.ports import ChangeNotification
from service.store import keys
from service.store.connection.errors import CONNECTION_ERRORS
from service.store.connection.topology import Topology
from service.store.pubsub import Subscriber

__all__ = ["Notifications"]

MAX_UNREAD = 10_000
"""So many hints wait for whoever listens."""


class Notifications:
    """Listens to announcements of the games that this process follows, over a connection to each primary."""

    def __init__(self, topology: Topology, *, ping_interval_s: float = 1.0, silence_timeout_s: float = 3.0) -> None:
        self._topology = topology
        self._ping_interval_s = ping_interval_s
        self._silence_timeout_s = silence_timeout_s
        self._games: set[str] = set()
        self._subscribers: dict[str, Subscriber] = {}
        self._unread: asyncio.Queue[ChangeNotification] = asyncio.Queue()
        self._assigned_generation = -1
        self._reassign = asyncio.Event()
        """A connection was lost, or a primary says that a slot is not its own."""

    def subscribe(self, game: str) -> None:
        """Hear of this game from now on, if anybody listens. Once it is heard, a hint says so."""
        self._games.add(game)
        if (subscriber := self._subscriber_for(game)) is not None:
            subscriber.subscribe(game)

    def unsubscribe(self, game: str) -> None:
        """Hear of it no more."""
        self._games.discard(game)
        if (subscriber := self._subscriber_for(game)) is not None:
            subscriber.unsubscribe(game)

    def count_own_subscribers(self, game: str) -> int:
        """How many of those who hear of this game are of this process."""
        subscriber = self._subscriber_for(game)
        return int(subscriber is not None and game in subscriber.subscribed)

    @property
    def is_up(self) -> bool:
        """Whether every primary is listened to."""
        return bool(self._subscribers) and all(subscriber.is_up for subscriber in self._subscribers.values())

    async def listen(self) -> AsyncGenerator[ChangeNotification]:
        """Which games others have changed, for ever; what is announced while a connection is made anew is lost."""
        async with self._topology.supervisor.running("pubsub", self._maintain_subscribers):
            while True:
                yield await self._unread.get()

    async def _maintain_subscribers(self) -> None:
        """Have a connection to each primary, and each game at the one that announces it."""
        try:
            while True:
                try:
                    await self._assign_games()
                except CONNECTION_ERRORS:
                    await asyncio.sleep(self._ping_interval_s / 4)
                    continue
                try:
                    async with asyncio.timeout(self._ping_interval_s):
                        await self._reassign.wait()
                except TimeoutError:
                    continue
                await asyncio.sleep(
                    self._ping_interval_s / 4
                )  # else a primary that is gone would be asked for all the time
        finally:
            subscribers, self._subscribers, self._assigned_generation = self._subscribers, {}, -1
            await asyncio.gather(*(subscriber.aclose() for subscriber in subscribers.values()))

    async def _assign_games(self) -> None:
        """Where primaries changed, give every game to the one that announces it now. Raises one of LOST."""
        if self._assigned_generation == self._topology.generation and not self._reassign.is_set():
            return
        if self._reassign.is_set() or not self._topology.primaries():
            await self._topology.refresh()
        primaries = {*self._topology.primaries()}
        for primary in primaries - self._subscribers.keys():
            self._subscribers[primary] = Subscriber(
                self._topology,
                primary,
                self._push,
                self._reassign,
                ping_interval_s=self._ping_interval_s,
                silence_timeout_s=self._silence_timeout_s,
            )
        gone = [self._subscribers.pop(primary) for primary in self._subscribers.keys() - primaries]
        await asyncio.gather(*(subscriber.aclose() for subscriber in gone))
        self._reassign.clear()
        self._assigned_generation = self._topology.generation
        shares: dict[str, set[str]] = {primary: set() for primary in self._subscribers}
        for game in self._games:
            announced_by = self._topology.primary_for_key(keys.channel(game))
            if announced_by in shares:
                shares[announced_by].add(game)
        for primary, share in shares.items():
            self._subscribers[primary].set_games(share)

    def _subscriber_for(self, game: str) -> Subscriber | None:
        return self._subscribers.get(self._topology.primary_for_key(keys.channel(game)) or "")

    def _push(self, hint: ChangeNotification) -> None:
        if self._unread.qsize() < MAX_UNREAD:  # else it is lost, as any may be, and the sweep finds the game
            self._unread.put_nowait(hint)
