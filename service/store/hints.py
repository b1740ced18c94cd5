"""Announcements that games have changed: each game has a channel, heard by the instances on which it is watched.

So a commit costs nothing to those who do not watch that game, however many games and instances there are. On a Cluster
the channel is of the game's slot, and the announcement stays on that primary. Redis announces a commit only where
somebody else listens: whoever commits knows what it did, and hearing it once more takes some 20 us of every action.
"""

import asyncio
from collections.abc import AsyncGenerator

from service.games.port import Hint
from service.store import keys
from service.store.ear import Ear
from service.store.link import LinkLost
from service.store.refusals import Refused
from service.store.routes import Routes
from service.store.slots import key_slot
from service.store.where import Place

__all__ = ["Hints"]

MAX_UNREAD = 10_000
"""So many hints wait for whoever listens."""


class Hints:
    """Listens to announcements of the games that this process follows, over a connection to each primary."""

    def __init__(self, routes: Routes, *, ping_s: float = 1.0, silence_s: float = 3.0) -> None:
        self._routes = routes
        self._ping_s = ping_s
        self._silence_s = silence_s
        self._followed: set[str] = set()
        self._ears: dict[Place, Ear] = {}
        self._heard: asyncio.Queue[Hint] = asyncio.Queue()
        self._arranged = -1
        self._moved = asyncio.Event()
        """A connection was lost, or a primary says that a slot is not its own."""

    def follow(self, game: str) -> None:
        """Hear of this game from now on, if anybody listens. Once it is heard, a hint says so."""
        self._followed.add(game)
        if (ear := self._ear(game)) is not None:
            ear.add(game)

    def unfollow(self, game: str) -> None:
        """Hear of it no more."""
        self._followed.discard(game)
        if (ear := self._ear(game)) is not None:
            ear.remove(game)

    def hears(self, game: str) -> int:
        """How many of those who hear of this game are of this process."""
        ear = self._ear(game)
        return int(ear is not None and game in ear.confirmed)

    @property
    def up(self) -> bool:
        """Whether every primary is listened to."""
        return bool(self._ears) and all(ear.up for ear in self._ears.values())

    async def listen(self) -> AsyncGenerator[Hint]:
        """Which games others have changed, for ever; what is announced while a connection is made anew is lost."""
        async with self._routes.terms.supervisor.running("pubsub", self._tend):
            while True:
                yield await self._heard.get()

    async def _tend(self) -> None:
        """Have a connection to each primary, and each game at the ear where it is announced."""
        try:
            while True:
                try:
                    await self._arrange()
                except (LinkLost, Refused):
                    await asyncio.sleep(self._ping_s / 4)
                    continue
                try:
                    async with asyncio.timeout(self._ping_s):
                        await self._moved.wait()
                except TimeoutError:
                    continue
                await asyncio.sleep(self._ping_s / 4)  # else a primary that is gone would be asked for all the time
        finally:
            ears, self._ears, self._arranged = self._ears, {}, -1
            await asyncio.gather(*(ear.aclose() for ear in ears.values()))

    async def _arrange(self) -> None:
        """Where primaries changed, give every game to the one that announces it now. Raises LinkLost or Refused."""
        if self._arranged == self._routes.changes and not self._moved.is_set():
            return
        places = {*await self._routes.primaries(anew=self._moved.is_set())}
        for place in places - self._ears.keys():
            self._ears[place] = Ear(
                self._routes, place, self._push, self._moved, ping_s=self._ping_s, silence_s=self._silence_s
            )
        gone = [self._ears.pop(place) for place in self._ears.keys() - places]
        await asyncio.gather(*(ear.aclose() for ear in gone))
        self._moved.clear()
        self._arranged = self._routes.changes
        shares: dict[Place, set[str]] = {place: set() for place in self._ears}
        for game in self._followed:
            announced_by = self._routes.place_of(self._slot(game))
            if announced_by in shares:
                shares[announced_by].add(game)
        for place, share in shares.items():
            self._ears[place].share(share)

    def _ear(self, game: str) -> Ear | None:
        place = self._routes.place_of(self._slot(game))
        return None if place is None else self._ears.get(place)

    def _slot(self, game: str) -> int:
        return key_slot(keys.hints(game).encode()) if self._routes.sharded else 0

    def _push(self, hint: Hint) -> None:
        if self._heard.qsize() < MAX_UNREAD:  # else it is lost, as any may be, and the sweep finds the game
            self._heard.put_nowait(hint)
