"""Subscribers, and a store that can fail, for the tests of the hub."""

import asyncio
from collections.abc import Sequence
from typing import Any

from service.engine import encode_snapshot
from service.games.access import AccessRecord
from service.games.channel import ChannelMessage, DiffsMessage, MessageBatch, SnapshotMessage
from service.games.errors import GameError
from service.games.hub import Hub
from service.games.ports import Change, Revision, StoredDiff, StoredGame, StoreUnavailable
from service.games.tilesets import load_catalogue
from service.store.game_store import RedisStore
from tests.games.game_logs import new_game
from tests.polling import TIMEOUT_S, wait_until
from tests.store.commits import creation, diff, digest, load_record

TILESETS = load_catalogue(None)


OUT_OF_ORDER = -1_000_000


class VersionSubscriber:
    """A subscriber whose version is no more what a test expects once diffs do not continue it.

    An exception would only be logged, as a failure of a connection.
    """

    def __init__(self, since: int = 1) -> None:
        self.version = since
        self.deliveries = 0
        self.errors: list[GameError] = []
        self.received = asyncio.Event()
        self.has_rechecked = asyncio.Event()

    def deliver(self, message: ChannelMessage) -> None:
        self.deliveries += 1
        for part in message.messages if isinstance(message, MessageBatch) else [message]:
            assert isinstance(part, DiffsMessage)
            for one in part.diffs:
                self.version = self.version + 1 if one == diff(self.version + 1) else OUT_OF_ORDER
        self.received.set()

    def end_subscription(self, game: str, error: GameError) -> None:
        del game
        self.errors.append(error)
        self.received.set()

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        del game, access
        self.has_rechecked.set()

    async def wait_for_error(self) -> GameError:
        """Wait until the subscription has ended."""
        await wait_until(lambda: self.errors)
        return self.errors[0]

    async def wait_for_version(self, version: int) -> None:
        """Wait until this version was received."""
        async with asyncio.timeout(TIMEOUT_S):
            while self.version < version:
                self.received.clear()
                await self.received.wait()
        assert self.version == version


class UnreliableStore(RedisStore):
    """A store that counts reads of streams, and can fail, or lose all notifications."""

    reads = 0
    failures = 0
    is_deaf = False
    notification_failures = 0
    stale_answers = 0
    """How often it answers with a version too few, as a primary does that was promoted before it had every commit."""

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        self.reads += 1
        self._check()
        return await super().load_diffs(game, since, limit)

    async def load(self, game: str, key: str | None = None) -> StoredGame | None:
        self._check()
        return await super().load(game, key)

    async def load_since(self, game: str, since: int) -> StoredGame | None:
        self._check()
        return await super().load_since(game, since)

    async def load_versions(self, games: Sequence[str]) -> list[tuple[Revision, str] | None]:
        self._check()
        versions = await super().load_versions(games)
        if self.stale_answers:
            self.stale_answers -= 1
            return [
                None if one is None else (Revision(one[0].version - 1, digest(one[0].version - 1)), one[1])
                for one in versions
            ]
        return versions

    async def notifications(self) -> Any:
        if self.notification_failures:
            self.notification_failures -= 1
            raise StoreUnavailable("no hints")
        if self.is_deaf:
            await asyncio.Event().wait()
        async for game in super().notifications():
            yield game

    def _check(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("out of reach")


async def commit_and_publish(hub: Hub, store: RedisStore, commit: Change) -> None:
    """Commit to the game `g` as the hub's own instance does."""
    await store.commit(commit)
    hub.publish_commit(commit)


async def subscribe(hub: Hub, store: RedisStore, game: str = "g", since: int | None = None) -> VersionSubscriber:
    """Subscribe from this version on, or from the game's current one."""
    loaded = await load_record(store, game, since=since)
    position = loaded.revision if since is None else loaded.since
    assert position is not None
    subscriber = VersionSubscriber(position.version)
    await hub.subscribe(subscriber, game, position)
    return subscriber


class SnapshotSubscriber(VersionSubscriber):
    """A subscriber that takes snapshots, too."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshots: list[SnapshotMessage] = []

    def deliver(self, message: ChannelMessage) -> None:
        if isinstance(message, SnapshotMessage):
            self.snapshots.append(message)
        self.received.set()


async def store_game(store: RedisStore) -> str:
    """Store a real game and return its id."""
    game, log = new_game("whole")
    await store.commit(creation(game.id, snapshot=encode_snapshot(game), diffs=log))
    return game.id
