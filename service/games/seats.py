"""A seat whose player goes, by the owner's will, and a seat whose token is replaced.

What a token opened ends with it: the commit says so, so that no instance acts on an access record that it still holds,
and whoever watches by that token is sent away. Source: api.md, "Creating, joining, starting".
"""

import secrets
from collections.abc import Sequence

from schemas.game import GameView
from schemas.lobby import ReplaceToken, SeatToken
from service.engine import empty_seat, view
from service.games import desk
from service.games.access import acting_seat, check_act, check_owner, mint, name, seat_role, token_hash
from service.games.changing import Expected, check_version
from service.games.context import Context
from service.games.create import KEY_BYTES
from service.games.diffs import record
from service.games.errors import Conflict, NoSuchSeat, NotActive
from service.games.held import Table
from service.games.idempotency import Idempotency, Result, check_secret, find, keep, scope
from service.games.port import Committed
from service.games.retrying import GAVE_UP, Attempts

__all__ = ["remove_player", "replace_token"]


async def remove_player(
    context: Context, game_id: str, seat: int, *, token: str | None, if_match: Sequence[Expected] | None
) -> tuple[GameView, str]:
    """Empty a joined seat of a game that waits, for its owner; gives GAME and its digest. Repeatable.

    Raises NoSuchSeat, NotActive (it is over), Conflict (it has started, or the seat was filled at creation).
    """
    async for _ in Attempts():
        loaded, access = await desk.load(context, game_id)
        check_owner(access, game_id, token)
        table = desk.open_table(context, loaded, access)
        game, tables = table.game, table.tileset.tables
        _check_removable(table, seat)
        check_version(table.stored, if_match)
        if game.players[seat].kind == "open":
            return view(tables, game), game.digest
        ended, access.seats[seat] = access.seats[seat], None
        if seat < len(access.tags):
            access.tags[seat] = None
        diffs = [record(tables, game, empty_seat(game, seat), at=context.now())]
        outcome = await desk.commit(context, table, diffs, store_access=True, ends_tokens=True)
        if isinstance(outcome, Committed):
            await _forget(context, game_id, ended)
            return view(tables, game), game.digest
    raise Conflict(GAVE_UP)


async def replace_token(
    context: Context, game_id: str, seat: int, asked: ReplaceToken, *, token: str | None, key: str | None
) -> Result[SeatToken]:
    """Give a seat a new token, which ends the old one: for that seat's player, or the owner where the seat is theirs.

    Raises WrongSeat, KeyReused, Malformed, and what `check_act` does.
    """
    idempotency = scope(key, f"/v1/games/{game_id}/seats/{seat}/token", token, asked)
    check_secret(idempotency)
    secret = idempotency.key if idempotency else secrets.token_bytes(KEY_BYTES)
    async for _ in Attempts():
        loaded, access = await desk.load(context, game_id, idempotency and idempotency.stored_key)
        new = mint(secret, access.salt, f"{seat_role(seat)}.replaced")
        if find(idempotency, loaded.record, context.clock()) is not None:  # the token shown has ended with it
            return Result(SeatToken(seat=seat, token=new), loaded.version, replayed=True)
        acting_seat(access, check_act(access, game_id, token), seat, seat, None)
        table = desk.open_table(context, loaded, access)
        if await _store_token(context, table, seat, new, idempotency):
            return Result(SeatToken(seat=seat, token=new), loaded.version)
    raise Conflict(GAVE_UP)


async def _store_token(context: Context, table: Table, seat: int, new: str, idempotency: Idempotency | None) -> bool:
    """Store the new token; False where somebody else changed the game in between."""
    access, game = table.access, table.game
    ended, access.seats[seat] = access.seats[seat], token_hash(new)
    record_kept = keep(idempotency, context.clock(), game.version, seat)
    outcome = await desk.commit(context, table, [], store_access=True, ends_tokens=True, keep=record_kept)
    if not isinstance(outcome, Committed):
        return False
    await _forget(context, game.id, ended)
    return True


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
