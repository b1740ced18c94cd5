"""Commits for tests, each with a few bytes in place of a game."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any

from msgspec.structs import replace

from schemas.vocabulary import Status, Visibility
from service.engine import Game
from service.games.access import AccessRecord, SeatTag
from service.games.diffs import next_digest, prepend_digest
from service.games.idempotency import IdempotencyRecord
from service.games.ports import (
    NO_REVISION,
    Change,
    CommitOutcome,
    GameStore,
    Revision,
    StoredDiff,
    StoredGame,
    StoreUnavailable,
)
from service.telemetry.clock import timestamp
from tests.games.game_logs import new_game
from tests.polling import TIMEOUT_S

_ids = count()


def creation(game: str = "g", **changes: Any) -> Change:
    """Return a change that creates the game at version 1."""
    fields = {
        "expected": NO_REVISION,
        "snapshot": b"snapshot 1",
        "access": b"access 1",
        "diffs": [diff(1)],
        "status": "waiting",
        "previous_status": None,
    }
    return _change(game, **{**fields, **changes})


def action(version: int, game: str = "g", *, count: int = 1, **changes: Any) -> Change:
    """Return a change on `version` with `count` further versions."""
    fields = {
        "expected": Revision(version, digest(version)),
        "snapshot": f"snapshot {version + count}".encode(),
        "access": None,
        "diffs": [diff(version + 1 + i) for i in range(count)],
        "status": "active",
        "previous_status": "active",
    }
    return _change(game, **{**fields, **changes})


def _change(
    game: str,
    *,
    expected: Revision,
    access: bytes | None,
    diffs: Sequence[StoredDiff],
    status: Status,
    previous_status: Status | None,
    expected_webhooks: Sequence[str] = (),
    expected_revocation: str = "",
    is_public: bool = True,
    created_at: int = 1_700_000_000,
    owner: bytes = b"\xee",
    seats: Sequence[bytes] = (),
    tags: Sequence[SeatTag] = (),
    **fields: Any,
) -> Change:
    stored = StoredGame(
        game, expected, webhooks=expected_webhooks, last_revocation=expected_revocation, status=previous_status
    )
    version, own = (diffs[-1].version, diffs[-1].digest) if diffs else expected
    stored.game = replace(
        _template(), id=game, version=version, digest=own, status=status, created_at=timestamp(created_at)
    )
    visibility: Visibility = "public" if is_public else "private"
    stored.access = AccessRecord(visibility, b"", owner, b"", [*seats], [], [*tags])
    common = {"ttl_s": 1000, "index_ttl_s": 1000, "due_at": None, "id": f"{next(_ids):014x}"}
    return Change(stored=stored, access_record=access, diffs=diffs, **{**common, **fields})


@cache
def _template() -> Game:
    return new_game("commits")[0]


def diff(version: int, mark: str = "") -> StoredDiff:
    """Return the diff to `version`."""
    previous, body = digest(version - 1), f'{{"diff": {version}{mark}}}'.encode()
    own = next_digest(previous, body)
    return StoredDiff(version, own, previous, timestamp(version), prepend_digest(own, body))


@cache
def digest(version: int) -> bytes:
    """Return the digest of `version`; empty before the first."""
    return diff(version).digest if version else b""


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
) -> StoredGame:
    """Load a game that exists, with an idempotency record or its revision at version `since`."""
    loaded = await (store.load(game, key) if since is None else store.load_since(game, since))
    assert loaded is not None
    return loaded


async def commit_until_answered(store: GameStore, commit: Change) -> CommitOutcome:
    """Repeat a commit until there is an outcome."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            with suppress(StoreUnavailable):
                return await store.commit(commit)
