"""A seat whose player goes, by the owner's will, and a seat whose token is replaced.

What a token opened ends with it: the commit says so, so that no instance acts on an access record that it still holds,
and whoever watches by that token is sent away. Source: api.md, "Creating, joining, starting".
"""

from collections.abc import Sequence
from functools import partial

from schemas.game import GameView
from schemas.lobby import ReplaceToken, SeatToken
from service.engine import build_view, vacate_seat
from service.games import repository
from service.games.access import (
    AccessRecord,
    authorize_action,
    authorize_owner,
    derive_token,
    hash_token,
    index_key,
    resolve_seat,
    seat_role,
)
from service.games.cache import GameSession
from service.games.commands.execute import ExpectedVersion, check_version
from service.games.commands.retry import until_committed
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import Conflict, GameNotActive, NoSuchSeat
from service.games.idempotency import FirstResponse, ReplayableResult, idempotency_scope, new_record, token_secret

__all__ = ["remove_player", "replace_token"]


async def remove_player(
    context: Context, game_id: str, seat: int, *, token: str | None, if_match: Sequence[ExpectedVersion] | None
) -> tuple[GameView, str]:
    """Empty a joined seat of a game that waits, for its owner; gives GAME and its digest. Repeatable.

    Raises NoSuchSeat, NotActive (it is over), Conflict (it has started, or the seat was filled at creation).
    """

    async def attempt(table: GameSession, _owner: None) -> tuple[GameView, str] | None:
        game, access, index = table.game, table.access, table.tileset.index
        _check_removable(table, seat)
        check_version(table.revision, if_match)
        if game.players[seat].kind != "open":
            ended, access.seats[seat] = access.seats[seat], None
            if seat < len(access.tags):
                access.tags[seat] = None
            diffs = [record_change(index, game, vacate_seat(game, seat), at=context.now())]
            if not await repository.commit(context, table, diffs, store_access=True, revokes_token=True):
                return None
            await _forget(context, game_id, ended)
        return build_view(index, game), game.digest

    return await until_committed(context, game_id, partial(authorize_owner, game=game_id, token=token), attempt)


async def replace_token(
    context: Context, game_id: str, seat: int, asked: ReplaceToken, *, token: str | None, key: str | None
) -> ReplayableResult[SeatToken]:
    """Give a seat a new token, which ends the old one: for that seat's player, or the owner where the seat is theirs.

    Raises WrongSeat, KeyReused, Malformed, and what `check_act` does.
    """
    idempotency = idempotency_scope(key, f"/v1/games/{game_id}/seats/{seat}/token", token, asked)
    secret = token_secret(idempotency)

    def new_token(access: AccessRecord) -> str:
        return derive_token(secret, access.salt, f"{seat_role(seat)}.replaced")

    async def attempt(table: GameSession, new: str) -> ReplayableResult[SeatToken] | None:
        access, game = table.access, table.game
        resolve_seat(access, authorize_action(access, game_id, token), seat, seat, None)
        ended, access.seats[seat] = access.seats[seat], hash_token(new)
        kept = new_record(idempotency, context.clock(), game.version, seat)
        if not await repository.commit(context, table, [], store_access=True, revokes_token=True, idempotency=kept):
            return None
        await _forget(context, game_id, ended)
        return ReplayableResult(SeatToken(seat=seat, token=new), game.version)

    async def replay(table: GameSession, _before: FirstResponse) -> ReplayableResult[SeatToken]:
        """The same; whether the token shown is good is not asked, as it has ended with it."""
        return ReplayableResult(SeatToken(seat=seat, token=new_token(table.access)), table.game.version, replayed=True)

    return await until_committed(context, game_id, new_token, attempt, idempotency, replay)


def _check_removable(table: GameSession, seat: int) -> None:
    game = table.game
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict("the game has started: whoever sits there stays")
    if game.status != "waiting":
        raise GameNotActive(game.status)
    if seat in table.access.owner_seats or game.players[seat].kind == "bot":
        raise Conflict(f"seat {seat} was filled at creation")


async def _forget(context: Context, game_id: str, ended: bytes | None) -> None:
    """Let the game be found by a token no more."""
    if ended is not None:
        await context.store.unindex([index_key(ended, None)], game_id)
