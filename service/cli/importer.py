"""`south-seas import`: games into a Redis, each from its document, whole or not at all."""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from schemas.vocabulary import ENDED_STATUSES
from service.cli.progress import Progress, report_failure
from service.engine import Game
from service.games.access import AccessRecord, encode_access, index_keys
from service.games.archive.document import GameDocument, InvalidDocument, decode_document
from service.games.archive.port import RestoreRequest
from service.games.archive.validation import ValidatedDocument, validate_document
from service.games.bots.priority import bot_on_turn
from service.games.context import Retention
from service.games.lifecycle import overdue_at
from service.games.ports import Commit
from service.games.timestamps import unix_seconds
from service.store.game_store import RedisStore

__all__ = ["import_files", "make_restore"]

_HASH_BYTES = 32
_SALT_BYTES = 16


async def import_files(
    store: RedisStore, files: Iterable[Path], retention: Retention, *, replace: bool
) -> Counter[str]:
    """Store the game of each file; counts `imported`, `skipped` (it is there already) and `refused`.

    Raises StoreUnavailable.
    """
    progress, counts = Progress("imported"), Counter[str]()
    for file in files:
        outcome = "refused"
        with report_failure(str(file)):
            document = decode_document(await asyncio.to_thread(file.read_bytes))
            outcome = await _import(store, document, retention, replace=replace)
        counts[outcome] += 1
        progress.count()
    return counts


async def _import(store: RedisStore, document: GameDocument, retention: Retention, *, replace: bool) -> str:
    """Store one game; gives what came of it. Raises BadDocument, StoreUnavailable."""
    if not replace and await store.load_versions([document.game]) != [None]:
        return "skipped"
    stored = await store.transfer.restore(make_restore(document, retention, replace=replace))
    return "imported" if stored else "skipped"


def make_restore(document: GameDocument, retention: Retention, *, replace: bool) -> RestoreRequest:
    """What is stored of a document; raises BadDocument."""
    proven = validate_document(document)
    commit = _commit(document, proven, proven.access or _make_inaccessible(document, proven.game), retention)
    return RestoreRequest(commit, document.webhooks, replace)


def _make_inaccessible(document: GameDocument, game: Game) -> AccessRecord:
    """An access record that no token opens, for a game that came without; raises BadDocument where that is no use."""
    if document.status not in ENDED_STATUSES:
        raise InvalidDocument("it has no access record, so that nobody could play on")
    if document.visibility == "private":
        raise InvalidDocument("it is the archive of a private game, which has no tokens: nobody could read it")
    return AccessRecord(
        visibility=document.visibility,
        salt=secrets.token_bytes(_SALT_BYTES),
        owner=secrets.token_bytes(_HASH_BYTES),
        spectator=secrets.token_bytes(_HASH_BYTES),
        seats=[None] * len(game.players),
        owner_seats=[],
    )


def _commit(document: GameDocument, proven: ValidatedDocument, access: AccessRecord, retention: Retention) -> Commit:
    """The game as if it were created now with its whole log; it is kept as if it had changed now."""
    game = proven.game
    due_at = int(time.time()) if bot_on_turn(game) is not None else overdue_at(game)
    return Commit(
        game=game.id,
        id=f"import-{secrets.token_hex(_SALT_BYTES)}",
        expected=None,
        snapshot=document.snapshot,
        access=document.access or encode_access(access),
        diffs=proven.diffs,
        idempotency=None,
        status=game.status,
        previous_status=None,
        is_public=access.visibility == "public",
        created_at=unix_seconds(game.created_at),
        ttl_s=retention.ttl_s(game.status),
        due_at=due_at,
        index_keys=partial(index_keys, access),
        index_ttl_s=retention.index_ttl_s(),
    )
