"""Joining a game: taking its next open seat. Source: api.md, "Creating, joining, starting"."""

from functools import partial
from typing import NamedTuple

from schemas.events import AnyEvent
from schemas.lobby import Joined, JoinGame
from schemas.vocabulary import COLORS
from service.engine import build_view, next_open_seat, take_seat
from service.games import repository
from service.games.access import authorize_read, derive_token, hash_token, seat_role
from service.games.bot_turns import next_due_at, play_bots
from service.games.cache import GameSession
from service.games.commands.player_names import check_name_free
from service.games.commands.retry import until_committed
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import Conflict, NoOpenSeat
from service.games.i18n import ENGLISH, Language
from service.games.idempotency import (
    FirstResponse,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.queries.games import list_legal_moves, load_digest
from service.games.queries.my_games import check_external_users, tag_seat


class JoinRequest(NamedTuple):
    """Who joins: the token that opens a private game, the key for retries, and the creator's key that finds them."""

    token: str | None
    key: str | None
    creator: str | None = None
    include_moves: bool = False
    language: Language = ENGLISH


async def join(context: Context, game_id: str, asked: JoinGame, joiner: JoinRequest) -> ReplayableResult[Joined]:
    """Take the next open seat. Raises NoSuchGame, NoOpenSeat, Conflict (colour or name), KeyReused, Malformed."""
    idempotency = idempotency_scope(joiner.key, f"/v1/games/{game_id}/seats", joiner.token, asked)
    secret = token_secret(idempotency)
    check_external_users(asked, joiner.creator)

    async def attempt(table: GameSession, _reader: object) -> ReplayableResult[Joined] | None:
        """Give None where somebody else changed the game in between."""
        game, access = table.game, table.access
        seat, events = _take_seat(table, asked)
        diffs = [record_change(table.tileset.index, game, events, at=context.now())]
        diffs += await play_bots(context, table.tileset.index, game)
        access.seats[seat] = hash_token(derive_token(secret, access.salt, seat_role(seat)))
        tag_seat(access, seat, joiner.creator, asked.external_user)
        joined = _joined(table, seat, secret, game.digest, joiner)
        kept, due = new_record(idempotency, context.clock(), game.version, seat), next_due_at(context, game)
        is_committed = await repository.commit(context, table, diffs, store_access=True, idempotency=kept, due_at=due)
        return ReplayableResult(joined, joined.game.version) if is_committed else None

    async def replay(table: GameSession, before: FirstResponse) -> ReplayableResult[Joined]:
        digest = await load_digest(context, game_id, before.version)
        return ReplayableResult(_joined(table, before.detail, secret, digest, joiner), before.version, replayed=True)

    check = partial(authorize_read, game=game_id, token=joiner.token)
    return await until_committed(context, game_id, check, attempt, idempotency, replay)


def _take_seat(table: GameSession, asked: JoinGame) -> tuple[int, list[AnyEvent]]:
    """Seat a player on the next open seat. Raises NoOpenSeat, Conflict."""
    game = table.game
    seat = next_open_seat(game)
    if seat is None:
        raise NoOpenSeat
    check_name_free(game, asked.name)
    taken = {player.color for player in game.players if player.color is not None}
    if asked.color in taken:
        raise Conflict(f"{asked.color} is taken")
    color = asked.color if asked.color is not None else next(color for color in COLORS if color not in taken)
    return seat, take_seat(table.tileset.index, game, seat, asked.name, color)


def _joined(table: GameSession, seat: int, key: bytes, digest: str, joiner: JoinRequest) -> Joined:
    """The answer, with the token that follows from the key."""
    game, index = table.game, table.tileset.index
    return Joined(
        seat=seat,
        token=derive_token(key, table.access.salt, seat_role(seat)),
        game=build_view(index, game),
        digest=digest,
        legal_moves=list_legal_moves(index, game, language=joiner.language) if joiner.include_moves else None,
    )
