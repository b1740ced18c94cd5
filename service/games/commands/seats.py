"""A seat whose player goes, by the owner's will, and a seat whose token is replaced.

What a token opened ends with it: the commit says so, so that no instance acts on an access record that it still holds,
and whoever watches by that token is sent away. Source: api.md, "Creating, joining, starting".
"""

from collections.abc import Sequence
from functools import partial

from schemas.game import GameView
from schemas.lobby import ReplaceToken, SeatToken
from service.engine import empty_seat, view
from service.games import repository
from service.games.access import Access, acting_seat, check_act, check_owner, mint, name, seat_role, token_hash
from service.games.cache import Table
from service.games.commands.execute import Expected, check_version
from service.games.commands.retry import until_committed
from service.games.context import Context
from service.games.diffs import record
from service.games.errors import Conflict, NoSuchSeat, NotActive
from service.games.idempotency import KeyRecord, Result, keep, scope, token_secret

__all__ = ["remove_player", "replace_token"]


async def remove_player(
    context: Context, game_id: str, seat: int, *, token: str | None, if_match: Sequence[Expected] | None
) -> tuple[GameView, str]:
    """Empty a joined seat of a game that waits, for its owner; gives GAME and its digest. Repeatable.

    Raises NoSuchSeat, NotActive (it is over), Conflict (it has started, or the seat was filled at creation).
    """

    async def attempt(table: Table, _owner: None) -> tuple[GameView, str] | None:
        game, access, tables = table.game, table.access, table.tileset.tables
        _check_removable(table, seat)
        check_version(table.stored, if_match)
        if game.players[seat].kind != "open":
            ended, access.seats[seat] = access.seats[seat], None
            if seat < len(access.tags):
                access.tags[seat] = None
            diffs = [record(tables, game, empty_seat(game, seat), at=context.now())]
            if not await repository.commit(context, table, diffs, store_access=True, ends_tokens=True):
                return None
            await _forget(context, game_id, ended)
        return view(tables, game), game.digest

    return await until_committed(context, game_id, partial(check_owner, game=game_id, token=token), attempt)


async def replace_token(
    context: Context, game_id: str, seat: int, asked: ReplaceToken, *, token: str | None, key: str | None
) -> Result[SeatToken]:
    """Give a seat a new token, which ends the old one: for that seat's player, or the owner where the seat is theirs.

    Raises WrongSeat, KeyReused, Malformed, and what `check_act` does.
    """
    idempotency = scope(key, f"/v1/games/{game_id}/seats/{seat}/token", token, asked)
    secret = token_secret(idempotency)

    def new_token(access: Access) -> str:
        return mint(secret, access.salt, f"{seat_role(seat)}.replaced")

    async def attempt(table: Table, new: str) -> Result[SeatToken] | None:
        access, game = table.access, table.game
        acting_seat(access, check_act(access, game_id, token), seat, seat, None)
        ended, access.seats[seat] = access.seats[seat], token_hash(new)
        kept = keep(idempotency, context.clock(), game.version, seat)
        if not await repository.commit(context, table, [], store_access=True, ends_tokens=True, keep=kept):
            return None
        await _forget(context, game_id, ended)
        return Result(SeatToken(seat=seat, token=new), game.version)

    async def replay(table: Table, _before: KeyRecord) -> Result[SeatToken]:
        """The same; whether the token shown is good is not asked, as it has ended with it."""
        return Result(SeatToken(seat=seat, token=new_token(table.access)), table.game.version, replayed=True)

    return await until_committed(context, game_id, new_token, attempt, idempotency, replay)


def _check_removable(table: Table, seat: int) -> None:
    game = table.game
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict("the game has started: whoever sits there stays")
    if game.status != "waiting":
        raise NotActive(game.status)
    if seat in table.access.owned or game.players[seat].kind == "bot":
        raise Conflict(f"seat {seat} was filled at creation")


async def _forget(context: Context, game_id: str, ended: bytes | None) -> None:
    """Let the game be found by a token no more."""
    if ended is not None:
        await context.store.forget([name(ended, None)], game_id)
