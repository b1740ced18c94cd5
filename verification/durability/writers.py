"""Writers that commit continually and record acknowledged commits, and the count of those that are lost."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NamedTuple

from service.games.ports import Change, Committed, Revision, StoredDiff, StoreUnavailable, VersionConflict
from service.store.game_store import RedisStore
from tests.store.commits import action, creation

RETRY_DELAY_S = 0.05
SNAPSHOT = bytes(8000)
"""As large as the snapshot of a game half-way through."""

AT, DATA = "2026-11-25T21:00:00Z", b"x" * 700
"""As large as a typical diff."""

READ_BATCH_SIZE = 1000


class Acknowledged(NamedTuple):
    """An acknowledged commit."""

    game: str
    digest: bytes
    """Unique to the commit."""
    at: float
    """`time.monotonic()` of the acknowledgement."""


class Writers:
    """Writers, each with its own game, which retry a commit with an unknown outcome."""

    def __init__(self, store: RedisStore, number: int, pause_s: float) -> None:
        self._store = store
        self._pause_s = pause_s
        self._number = number
        self._tasks: list[asyncio.Task[None]] = []
        self.games = [f"writer-{secrets.token_hex(6)}" for _ in range(number)]
        self.acknowledged: list[Acknowledged] = []
        self.failures = 0
        """Number of requests that the store did not answer in time, or rejected."""

    def start(self) -> None:
        """Start all writers."""
        self._tasks = [asyncio.create_task(self._write(game)) for game in self.games]

    async def stop(self) -> None:
        """Cancel all writers, even during a commit."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def wait_for(self, commits: int, within_s: float) -> None:
        """Wait until this number of commits is acknowledged. Raise TimeoutError."""
        await self._wait_until(lambda: len(self.acknowledged) >= commits, within_s)

    async def wait_for_all(self, within_s: float) -> None:
        """Wait until each game has one more acknowledged commit. Raise TimeoutError."""
        before = len(self.acknowledged)
        await self._wait_until(
            lambda: {commit.game for commit in self.acknowledged[before:]} == {*self.games}, within_s
        )

    async def _wait_until(self, condition: Callable[[], bool], within_s: float) -> None:
        async with asyncio.timeout(within_s):
            while not condition():
                for task in self._tasks:
                    if task.done():
                        task.result()  # raises the exception of a writer
                await asyncio.sleep(0.05)

    def longest_pause(self, since: float) -> float:
        """Return the longest time in seconds that ended after `since` without an acknowledged commit of some game."""
        longest, last = 0.0, dict[str, float]()
        for commit in self.acknowledged:
            if commit.at > since:
                longest = max(longest, commit.at - last.get(commit.game, commit.at))
            last[commit.game] = commit.at
        return longest

    async def _write(self, game: str) -> None:
        stored: Revision | None = None
        while True:
            commit = _next_commit(game, stored)
            stored = await self._commit(commit)
            await asyncio.sleep(self._pause_s)

    async def _commit(self, commit: Change) -> Revision | None:
        """Commit, with retries until the outcome is known, and return the game's revision; None if there is no game."""
        while True:
            try:
                outcome = await self._store.commit(commit)
            except StoreUnavailable:
                self.failures += 1
                await asyncio.sleep(RETRY_DELAY_S)
                continue
            if isinstance(outcome, Committed):
                (diff,) = commit.diffs
                self.acknowledged.append(Acknowledged(commit.stored.id, diff.digest, time.monotonic()))
                return Revision(diff.version, diff.digest)
            assert isinstance(outcome, VersionConflict), outcome
            return await self._load_revision(commit.stored.id)

    async def _load_revision(self, game: str) -> Revision | None:
        while True:
            try:
                (stored,) = await self._store.load_versions([game])
            except StoreUnavailable:
                self.failures += 1
                await asyncio.sleep(RETRY_DELAY_S)
                continue
            return None if stored is None else stored[0]


def _next_commit(game: str, stored: Revision | None) -> Change:
    """Return the next commit of a game, or its creation."""
    version, previous = (1, b"") if stored is None else (stored.version + 1, stored.digest)
    diffs = [StoredDiff(version, secrets.token_bytes(16), previous, AT, DATA)]
    if stored is None:
        return creation(game, diffs=diffs, is_public=False, status="active", snapshot=SNAPSHOT, ttl_s=100_000)
    return action(stored.version, game, expected=stored, diffs=diffs, is_public=False, snapshot=SNAPSHOT, ttl_s=100_000)


class Losses(NamedTuple):
    """The number of acknowledged commits, and which of them are missing."""

    acknowledged: int
    lost_commits: list[Acknowledged]
    duplicates: int
    """The number of commits that are in a log more than once."""
    gaps: int
    """How often a log has a gap, or an entry that does not follow from the one before."""


async def count_losses(store: RedisStore, writers: Writers) -> Losses:
    """Compare the acknowledged commits with the stored logs."""
    digests: list[bytes] = []
    broken = 0
    for game in writers.games:
        log = [diff async for diff in _read_log(store, game)]
        digests += (diff.digest for diff in log)
        broken += sum(_iter_gaps(log))
    stored_digests = {*digests}
    lost_commits = [commit for commit in writers.acknowledged if commit.digest not in stored_digests]
    return Losses(len(writers.acknowledged), lost_commits, len(digests) - len(stored_digests), broken)


async def _read_log(store: RedisStore, game: str) -> AsyncIterator[StoredDiff]:
    since = 0
    while page := await store.load_diffs(game, since, READ_BATCH_SIZE):
        for diff in page:
            yield diff
        since = page[-1].version


def _iter_gaps(log: list[StoredDiff]) -> Iterator[bool]:
    previous, version = b"", 0
    for diff in log:
        yield (diff.version, diff.previous) != (version + 1, previous)
        previous, version = diff.digest, diff.version
