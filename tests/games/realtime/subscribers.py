"""Watchers and a store for the tests of who is told what."""

import asyncio
from collections.abc import Sequence
from typing import Any

from service.engine import encode_snapshot
from service.games.errors import GameError
from service.games.ports import GameRecord, StoredDiff, StoreUnavailable
from service.games.realtime.hub import Hub
from service.games.realtime.messages import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage
from service.games.realtime.recovery import resolve_position
from service.games.tilesets import load_catalogue
from service.store.game_store import RedisStore
from tests.games.logs import new_game
from tests.store.commits import creation, diff, digest

TILESETS = load_catalogue(None)


class VersionSubscriber:
    """A watcher that fails where what it is told does not continue."""

    def __init__(self, since: int = 1) -> None:
        self.version = since
        self.lost: list[GameError] = []
        self.heard = asyncio.Event()

    def deliver(self, message: ChannelMessage) -> None:
        """Take diffs."""
        for part in message.messages if isinstance(message, MessageBatch) else [message]:
            assert isinstance(part, DiffsMessage)
            for one in part.diffs:
                assert one == diff(self.version + 1)
                self.version += 1
        self.heard.set()

    def end_subscription(self, game: str, error: GameError) -> None:
        """Take the end."""
        del game
        self.lost.append(error)
        self.heard.set()

    async def reach(self, version: int) -> None:
        """Wait for a version."""
        async with asyncio.timeout(5):
            while self.version < version:
                self.heard.clear()
                await self.heard.wait()
        assert self.version == version


class FailingSubscriber:
    """A watcher whose connection raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def deliver(self, message: ChannelMessage) -> None:
        """Fail."""
        del message
        raise self.error

    def end_subscription(self, game: str, error: GameError) -> None:
        """Fail."""
        del game, error
        raise self.error


class UnreliableStore(RedisStore):
    """A store that counts what is read of it, and may be deaf or out of reach."""

    reads = 0
    failures = 0
    deaf = False
    hint_failures = 0
    behind = 0
    """So often it says that games have one version less, as a primary does that was promoted before it had all."""

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log."""
        self.reads += 1
        self._check()
        return await super().load_diffs(game, since, limit)

    async def load(self, game: str, key: str | None = None) -> GameRecord | None:
        """The game."""
        self._check()
        return await super().load(game, key)

    async def load_versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """The versions."""
        self._check()
        versions = await super().load_versions(games)
        if self.behind:
            self.behind -= 1
            return [None if one is None else (one[0] - 1, digest(one[0] - 1)) for one in versions]
        return versions

    async def notifications(self) -> Any:
        """Announcements, unless it is deaf."""
        if self.hint_failures:
            self.hint_failures -= 1
            raise StoreUnavailable("no hints")
        if self.deaf:
            await asyncio.Event().wait()
        async for game in super().notifications():
            yield game

    def _check(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("out of reach")


async def subscribe(hub: Hub, store: RedisStore, game: str = "g", since: int | None = None) -> VersionSubscriber:
    """A watcher from this version on, or from the game's version now."""
    loaded = await store.load(game)
    assert loaded is not None
    version = loaded.version if since is None else since
    position = await resolve_position(store, game, loaded, version, None)
    assert position is not None
    follower = VersionSubscriber(version)
    await hub.subscribe(follower, game, position)
    return follower


class SnapshotSubscriber(VersionSubscriber):
    """A watcher that takes a whole game, too."""

    def __init__(self) -> None:
        super().__init__()
        self.whole: list[SnapshotMessage] = []

    def deliver(self, message: ChannelMessage) -> None:
        """Take anything."""
        if isinstance(message, SnapshotMessage):
            self.whole.append(message)
        self.heard.set()


async def stored_game(store: RedisStore) -> str:
    """A real game; gives its id."""
    game, log = new_game("whole")
    await store.commit(creation(game.id, snapshot=encode_snapshot(game), diffs=log))
    return game.id
