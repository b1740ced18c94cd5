"""Commits for tests, each with a few bytes in place of a game."""

import asyncio
from contextlib import suppress
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any

from msgspec.structs import replace

from schemas.diffs import next_digest
from service.games.idempotency import IdempotencyRecord
from service.games.ports import Commit, CommitOutcome, GameRecord, GameStore, Revision, StoredDiff, StoreUnavailable

_ids = count()


def creation(game: str = "g", **changes: Any) -> Commit:
    """Return a commit that creates the game at version 1."""
    created = _commit(
        game,
        expected=None,
        snapshot=b"snapshot 1",
        access=b"access 1",
        diffs=[diff(1)],
        status="waiting",
        previous_status=None,
    )
    return replace(created, **changes)


def action(version: int, game: str = "g", *, count: int = 1, **changes: Any) -> Commit:
    """Return a commit on `version` with `count` further versions."""
    acted = _commit(
        game,
        expected=Revision(version, digest(version)),
        snapshot=f"snapshot {version + count}".encode(),
        access=None,
        diffs=[diff(version + 1 + i) for i in range(count)],
        status="active",
        previous_status="active",
    )
    return replace(acted, **changes)


def _commit(game: str, **fields: Any) -> Commit:
    common = {"idempotency": None, "is_public": True, "created_at": 1_700_000_000, "ttl_s": 1000, "due_at": None}
    return Commit(game=game, id=f"{next(_ids):014x}", **{**common, **fields})


def diff(version: int, mark: str = "") -> StoredDiff:
    """Return the diff to `version`."""
    previous, body = digest(version - 1), f'{{"diff": {version}{mark}}}'.encode()
    own = next_digest(previous, body)
    return StoredDiff(version, own, previous, b'{"digest":"%b",%b' % (own.encode(), body[1:]))


@cache
def digest(version: int) -> str:
    """Return the digest of `version`; empty before the first."""
    return diff(version).digest if version else ""


def idempotency(key: str, mark: int = 0, at: int = 1_800_000_000, holder: int = 7) -> IdempotencyRecord:
    """Return an idempotency record stored `at` a time for the token `holder`."""
    return IdempotencyRecord(key_hash(key), record(mark, at, holder))


def record(mark: int = 0, at: int = 1_800_000_000, holder: int = 7) -> bytes:
    """Return the bytes of the record that `idempotency` returns."""
    return bytes([1, holder]) + at.to_bytes(4) + mark.to_bytes(14)


def key_hash(key: str) -> str:
    """Return the hash of an idempotency key."""
    return sha256(key.encode()).hexdigest()


async def load_record(
    store: GameStore, game: str = "g", key: str | None = None, since: int | None = None
) -> GameRecord:
    """Load a game that exists, with an idempotency record or its revision at version `since`."""
    loaded = await (store.load(game, key) if since is None else store.load_since(game, since))
    assert loaded is not None
    return loaded


async def commit_until_answered(store: GameStore, commit: Commit) -> CommitOutcome:
    """Repeat a commit until there is an outcome."""
    async with asyncio.timeout(30):
        while True:
            with suppress(StoreUnavailable):
                return await store.commit(commit)
