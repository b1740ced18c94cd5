"""The store of games in Redis."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any

from redis.asyncio import Redis

from schemas.vocabulary import Status
from service.games.port import (
    Answered,
    Commit,
    Committed,
    Hint,
    Loaded,
    Lost,
    Outcome,
    Page,
    StoredDiff,
    StoreUnavailable,
)
from service.games.webhooks.port import HookStore
from service.store import keys
from service.store.batch import Batches, Value
from service.store.due import Due
from service.store.finding import Finding
from service.store.hints import Hints
from service.store.hooks import RedisHooks, ids
from service.store.listing import Listing
from service.store.script import Script

__all__ = ["RedisStore"]


class RedisStore:
    """`service.games.port.Store` on Redis 6.2 or later, or Valkey."""

    def __init__(self, redis: Redis, batches: Batches) -> None:
        self._batches = batches
        self._commit = Script(batches, "commit.lua")
        self._listing = Listing(batches)
        self._finding = Finding(batches)
        self._due = Due(batches)
        self._redis = redis
        self._hints = Hints(redis)
        self.webhooks: HookStore = RedisHooks(batches)

    async def load(self, game: str, key: str | None = None) -> Loaded | None:
        """The game as it is now, with the answer kept under `key`; None where there is no such game."""
        stored = self._batches.send("HMGET", keys.game(game), "version", "digest", "snapshot", "access", "hooks")
        if key is None:
            (version, digest, snapshot, access, hooks), answer = await stored, None
        else:
            kept = self._batches.send("GET", keys.answer(game, key))
            (version, digest, snapshot, access, hooks), answer = await asyncio.gather(stored, kept)
        if version is None:
            return None
        return Loaded(int(version), digest.decode(), snapshot, access or b"", answer, tuple(ids(hooks)))

    async def commit(self, commit: Commit) -> Outcome:
        """Change everything that `commit` says at once, if its version is still the game's."""
        listed = commit.listed and commit.status != commit.was
        if listed:
            await self._listing.add(commit.game, commit.status, commit.created_at)
        if commit.access is not None:
            await self._finding.before(commit)
        if commit.expected is not None and commit.expected.hooks:
            await self.webhooks.promise(commit.game, commit.expected.hooks, int(time.time()))
        early = commit.due_at is not None and not await self._due.promise(commit.game, commit.due_at)
        beside = self._finding.beside(commit)
        game_keys = [keys.game(commit.game), keys.log(commit.game), _answer_key(commit)]
        outcome = _outcome(await self._commit.run(game_keys, *_arguments(commit, self._hints.listening)))
        if isinstance(outcome, Committed):
            with suppress(StoreUnavailable):  # it is stored: what follows mends itself when others read
                if listed:
                    await self._list_after(commit)
                if early:
                    await self._due.settle(commit.game, commit.due_at)
        if beside is not None:
            await beside
        return outcome

    async def _list_after(self, commit: Commit) -> None:
        await self._listing.add(commit.game, commit.status, commit.created_at)
        if commit.was is not None:
            await self._listing.remove(commit.game, commit.was)

    async def diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log after version `since`, oldest first, at most `limit` entries; empty where there is no such game."""
        entries = await self._batches.send("XRANGE", keys.log(game), since + 1, "+", "COUNT", limit)
        return [_diff(entry, fields) for entry, fields in entries]

    async def versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """Version and digest of each game now; None where there is no such game."""
        found = await asyncio.gather(
            *(self._batches.send("HMGET", keys.game(game), "version", "digest") for game in games)
        )
        return [None if version is None else (int(version), digest.decode()) for version, digest in found]

    async def listed(self, statuses: Sequence[Status], limit: int, after: str | None) -> Page:
        """Public games that have, or lately had, one of these statuses; raises ValueError for a foreign `after`."""
        return await self._listing.page(statuses, limit, after)

    async def unlist(self, game: str, status: Status) -> None:
        """Mend the list: the game does not have this status (any more)."""
        await self._listing.remove(game, status)

    async def found(self, names: Sequence[str], limit: int, after: str | None) -> Page:
        """Games that may be found by any of these names; raises ValueError for a foreign `after`."""
        return await self._finding.page(names, limit, after)

    async def lose(self, names: Sequence[str], game: str) -> None:
        """Mend what is found by these names: there is no such game, unless it is being created right now."""
        await self._finding.lose(names, game)

    async def due(self, now: int, limit: int) -> list[str]:
        """Games whose `due_at` has come, the oldest first, until `settle`; after a lost race some come early."""
        return await self._due.due(now, limit)

    async def settle(self, game: str, until: int | None) -> None:
        """Move a game's `due_at` (None: nothing is due any more); the game may come up once more, a little later."""
        await self._due.settle(game, until)

    def hints(self) -> AsyncGenerator[Hint]:
        """Which games others have changed, as Redis announces it. A hint may be lost: the log is the truth."""
        return self._hints.listen()

    async def ping(self) -> None:
        """Raise StoreUnavailable unless Redis answers and takes writes."""
        await self._batches.send("SET", keys.PROBE, "", "EX", 60)


def _answer_key(commit: Commit) -> str:
    return keys.answer(commit.game, commit.keep.key if commit.keep else "")


def _arguments(commit: Commit, listening: int) -> list[Value]:
    """ARGV of commit.lua; `listening` of those who hear announcements are of this process, which knows what it does."""
    version, digest, hooks = commit.expected or ("", "", ())
    keep: tuple[Value, Value] = (commit.keep.answer, commit.keep.seconds) if commit.keep else ("", "")
    arguments: list[Value] = [commit.id, version, digest, ",".join(hooks), commit.snapshot, commit.access or b""]
    arguments += commit.expire_s, keys.HINTS, f"{commit.game} {commit.diffs[-1].version}", listening, *keep
    for diff in commit.diffs:
        arguments += diff.version, diff.digest, diff.previous, diff.data
    return arguments


def _outcome(reply: Any) -> Outcome:
    """What commit.lua returned."""
    match reply:
        case int():
            return Committed()
        case bytes():
            return Answered(reply)
        case [version, digest]:
            return Lost(int(version), digest.decode())
        case _:
            return Lost(None, None)


def _diff(entry: bytes, fields: dict[bytes, bytes]) -> StoredDiff:
    version = int(entry.partition(b"-")[0])
    return StoredDiff(version, fields[b"digest"].decode(), fields[b"previous"].decode(), fields[b"data"])
