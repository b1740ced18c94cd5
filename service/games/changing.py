"""One change of an active game, asked for by somebody: what acting, undoing, resigning and returning have in common.

Checks come in this order: shape, token, answered key, `not_active`, `If-Match`, seat, rule. Bots answer in the same
commit. Without If-Match a lost race is tried again. Source: api.md, "Acting".
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw

from schemas.acting import Acted
from schemas.base import encode
from service.engine import view
from service.games import context as desk
from service.games.access import OWNER, Reader, check_act
from service.games.context import Context, Table
from service.games.errors import Conflict, NotActive, VersionMismatch
from service.games.idempotency import Idempotency, keep, replay, scope
from service.games.opponents import due_at, play_bots
from service.games.port import Answered, Committed, Loaded, StoredDiff
from service.games.read import all_legal_moves, next_decision
from service.games.texts import ENGLISH, Language

B = TypeVar("B")

TRIES = 100
"""How often a lost race is tried again: each loss is somebody else's success."""

Change = Callable[[Table, Reader], Awaitable[list[StoredDiff]]]
"""Changes the table's game, or puts another in its place; gives the diffs, or raises what is refused."""


class Expected(NamedTuple):
    """An If-Match: a version, and perhaps its digest."""

    version: int
    digest: str | None


class Asked(NamedTuple, Generic[B]):
    """A whole request to change a game."""

    body: B
    token: str | None
    if_match: Sequence[Expected] | None = None
    """Any of them must be the game's version; None expects nothing."""
    key: str | None = None
    include_moves: bool = False
    include_game: bool = False
    language: Language = ENGLISH
    """Of the legal moves' texts."""


async def change(context: Context, game_id: str, what: str, asked: Asked[Any], make: Change) -> Acted[Raw]:
    """Make a change of an active game, let bots answer, and store it all at once; `what` is the end of its path."""
    idempotency = scope(asked.key, f"/v1/games/{game_id}/{what}", asked.token, asked.body)
    for _ in range(TRIES):
        loaded, access = await desk.load(context, game_id, idempotency and idempotency.stored_key)
        reader = check_act(access, game_id, asked.token)
        if (answer := replay(idempotency, loaded.answer)) is not None:
            return msgspec.json.decode(answer, type=Acted[Raw])
        table = desk.open_table(context, loaded, access)
        if table.game.status != "active":
            raise NotActive(table.game.status)
        check_version(loaded, asked.if_match)
        diffs = await make(table, reader)
        acted = await _commit(context, table, diffs, asked, idempotency)
        if acted is not None:
            return acted
    raise Conflict("others kept changing the game")


def check_version(loaded: Loaded, if_match: Sequence[Expected] | None) -> None:
    """Raise VersionMismatch unless the game has one of the expected versions."""
    if if_match is None:
        return
    for expected in if_match:
        if expected.version == loaded.version and expected.digest in (None, loaded.digest):
            return
    raise VersionMismatch(loaded.version, loaded.digest)


def decided_by(reader: Reader) -> str:
    """As whom a token decides, for a diff's `by`."""
    return "owner" if reader.role == OWNER else "seat"


async def _commit(
    context: Context, table: Table, diffs: list[StoredDiff], asked: Asked[Any], idempotency: Idempotency | None
) -> Acted[Raw] | None:
    """Let bots answer, and store everything; None where somebody else changed the game in between."""
    game, tables = table.game, table.tileset.tables
    if game.status == "active":
        diffs += await play_bots(context, tables, game)
    acted = Acted(
        version=game.version,
        digest=game.digest,
        diffs=[Raw(diff.data) for diff in diffs],
        game=view(tables, game) if asked.include_game else None,
        next=next_decision(game),
        legal_moves=all_legal_moves(tables, game, language=asked.language) if asked.include_moves else None,
    )
    outcome = await desk.commit(
        context,
        game,
        diffs,
        access=table.access,
        before=table.loaded,
        was="active",
        keep=keep(idempotency, encode(acted)) if idempotency else None,
        due_at=due_at(context, game),
    )
    match outcome:
        case Committed():
            context.committed(game.id, diffs)
            return acted
        case Answered(answer):
            return msgspec.json.decode(replay(idempotency, answer) or b"", type=Acted[Raw])
        case _:
            return None
