"""Removing a player from a seat, and replacing a seat's token.

Both revoke a token. The commit says so: no instance acts on a cached access record after it, and subscribers with that
token are dropped. The webhooks that were registered with the token end before it: the commit conflicts with others.
"""

from collections.abc import Sequence

from schemas.game import GameView
from schemas.lobby import ReplaceToken, SeatToken
from service.engine import build_view, vacate_seat
from service.games import repository
from service.games.access import (
    OWNER,
    AccessRecord,
    Principal,
    authorize_action,
    derive_token,
    hash_token,
    index_key,
    resolve_seat,
    seat_role,
)
from service.games.commands.execute import check_if_match, execute
from service.games.context import Context, GameSession
from service.games.diffs import record_change
from service.games.errors import Conflict, GameNotActive, NoSuchSeat, WrongSeat
from service.games.idempotency import (
    FirstResponse,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.ports.game_store import Revision
from service.games.webhooks.updates import remove_webhooks_of_seat

__all__ = ["remove_player", "replace_token"]


async def remove_player(
    context: Context, game_id: str, seat: int, *, token: str | None, if_match: Sequence[Revision] | None
) -> tuple[GameView, str]:
    """Empty a joined seat of a waiting game for its owner or its player, and return GAME and its digest.

    The owner may repeat it; the player's token is revoked. Raises WrongSeat, NoSuchSeat, GameNotActive (it is over),
    Conflict (it has started, or the seat was filled at creation).
    """

    async def attempt(session: GameSession, principal: Principal) -> tuple[GameView, str] | None:
        """Empty the seat unless it is open already."""
        if principal.role != OWNER and principal.seat != seat:
            raise WrongSeat(seat)
        game, access, index = session.game, session.access, session.tileset.index
        _check_is_removable(session, seat)
        check_if_match(session.revision, if_match)
        if game.players[seat].kind != "open":
            if await remove_webhooks_of_seat(context.store.webhooks, session, seat):
                return None
            revoked, access.seats[seat] = access.seats[seat], None
            access.tags[seat] = None
            diffs = [record_change(index, game, vacate_seat(game, seat), context.now())]
            if not await repository.commit(context, session, diffs, store_access=True, revokes_token=True):
                return None
            await _unindex_token(context, game_id, revoked)
        return build_view(index, game), game.digest

    return await execute(context, game_id, token, authorize_action, attempt)


async def replace_token(
    context: Context, game_id: str, seat: int, body: ReplaceToken, *, token: str | None, key: str | None
) -> ReplayableResult[SeatToken]:
    """Give a seat a new token, which revokes the old one: for that seat's player, or the owner of their own seats.

    Raises WrongSeat, IdempotencyKeyReused, Malformed, and what `authorize_action` does.
    """
    scope = idempotency_scope(key, f"/v1/games/{game_id}/seats/{seat}/token", token, body)
    secret = token_secret(scope)

    def derive_new_token(access: AccessRecord) -> str:
        return derive_token(secret, access.salt, f"{seat_role(seat)}.replaced")

    async def attempt(session: GameSession, _nobody: Principal) -> ReplayableResult[SeatToken] | None:
        """Store the new token's hash in the old one's place."""
        access, game = session.access, session.game
        resolve_seat(access, authorize_action(access, game_id, token), seat, seat)
        if await remove_webhooks_of_seat(context.store.webhooks, session, seat):
            return None
        new_token = derive_new_token(access)
        revoked, access.seats[seat] = access.seats[seat], hash_token(new_token)
        record = new_record(scope, context.clock(), game.version, seat)
        if not await repository.commit(context, session, [], store_access=True, revokes_token=True, idempotency=record):
            return None
        await _unindex_token(context, game_id, revoked)
        return ReplayableResult(SeatToken(seat=seat, token=new_token), game.version)

    async def replay(session: GameSession, _first: FirstResponse) -> ReplayableResult[SeatToken]:
        replaced = SeatToken(seat=seat, token=derive_new_token(session.access))
        return ReplayableResult(replaced, session.game.version, replayed=True)

    return await execute(context, game_id, token, _admit_everyone, attempt, scope=scope, replay=replay)


def _admit_everyone(_access: AccessRecord, _game: str, _token: str | None) -> Principal:
    """Return nobody: a retry shows the token that its first request revoked, so the attempt authorizes."""
    return Principal(None)


def _check_is_removable(session: GameSession, seat: int) -> None:
    game = session.game
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict("the game has started: players can no longer be removed")
    if game.status != "waiting":
        raise GameNotActive(game.status)
    if seat in session.access.owner_seats or game.players[seat].kind == "bot":
        raise Conflict(f"seat {seat} was filled at creation")


async def _unindex_token(context: Context, game_id: str, revoked: bytes | None) -> None:
    """Take the game out of the index of a revoked token."""
    if revoked is not None:
        await context.store.unindex([index_key(revoked, None)], game_id)
