"""Removing a player from a seat, and replacing a seat's token.

Both revoke a token. The commit says so: no instance acts on a cached access record after it, and subscribers with that
token are dropped. The webhooks that were registered with the token end before it: the commit conflicts with others.

Joining a game: taking its next open seat.
"""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.events import AnyEvent
from schemas.game import GameView
from schemas.lobby import Joined, JoinGame, ReplaceToken, SeatToken
from schemas.vocabulary import COLORS
from service.engine import TileSetIndex, build_view, next_open_seat, take_seat, vacate_seat
from service.games import repository
from service.games.access import (
    OWNER,
    AccessRecord,
    Principal,
    authorize_action,
    authorize_read,
    derive_token,
    hash_token,
    index_key,
    resolve_seat,
    seat_role,
)
from service.games.automatic_turns import play_bots
from service.games.commands.create import check_name_free
from service.games.commands.execute import ClientCharge, check_if_match, execute
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import Conflict, GameNotActive, NoOpenSeat, NoSuchSeat, WrongSeat
from service.games.idempotency import (
    FirstResponse,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.legal_moves import list_legal_moves
from service.games.ports import Revision, StoredGame
from service.games.queries import check_external_users, load_digest, tag_seat
from service.games.repository import open_game
from service.games.webhooks.owner import remove_webhooks_of_seat
from service.i18n import ENGLISH, Language


async def remove_player(
    context: Context, game_id: str, seat: int, *, token: str | None, if_match: Sequence[Revision] | None
) -> tuple[GameView, str]:
    """Empty a joined seat of a waiting game for its owner or its player, and return GAME and its digest.

    The owner may repeat it; the player's token is revoked. Raises WrongSeat, NoSuchSeat, GameNotActive (it is over),
    Conflict (it has started, or the seat was filled at creation).
    """

    async def attempt(stored: StoredGame, principal: Principal) -> tuple[GameView, str] | None:
        """Empty the seat unless it is open already."""
        if principal.role != OWNER and principal.seat != seat:
            raise WrongSeat(seat)
        index, game = open_game(context.tilesets, stored)
        access = stored.access
        _check_is_removable(stored, seat)
        check_if_match(stored.revision, if_match)
        if game.players[seat].kind != "open":
            if await remove_webhooks_of_seat(context.store.webhooks, stored, seat):
                return None
            revoked, access.seats[seat] = access.seats[seat], None
            access.tags[seat] = None
            diffs = [record_change(index, game, vacate_seat(game, seat), context.now())]
            if not await repository.commit(context, stored, diffs, stores_access=True, revokes_token=True):
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

    async def attempt(stored: StoredGame, _nobody: Principal) -> ReplayableResult[SeatToken] | None:
        """Store the new token's hash in the old one's place."""
        access, game = stored.access, stored.game
        resolve_seat(access, authorize_action(access, game_id, token), seat, seat)
        if await remove_webhooks_of_seat(context.store.webhooks, stored, seat):
            return None
        new_token = derive_new_token(access)
        revoked, access.seats[seat] = access.seats[seat], hash_token(new_token)
        record = new_record(scope, context.clock(), game.version, seat)
        if not await repository.commit(context, stored, [], stores_access=True, revokes_token=True, idempotency=record):
            return None
        await _unindex_token(context, game_id, revoked)
        return ReplayableResult(SeatToken(seat=seat, token=new_token), game.version)

    async def replay(stored: StoredGame, _first: FirstResponse) -> ReplayableResult[SeatToken]:
        replaced = SeatToken(seat=seat, token=derive_new_token(stored.access))
        return ReplayableResult(replaced, stored.game.version, replayed=True)

    return await execute(context, game_id, token, _admit_everyone, attempt, scope=scope, replay=replay)


def _admit_everyone(_access: AccessRecord, _game: str, _token: str | None) -> Principal:
    """Return nobody: a retry shows the token that its first request revoked, so the attempt authorizes."""
    return Principal(None)


def _check_is_removable(stored: StoredGame, seat: int) -> None:
    game = stored.game
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict("the game has started: players can no longer be removed")
    if game.status != "waiting":
        raise GameNotActive(game.status)
    if seat in stored.access.owner_seats or game.players[seat].kind == "bot":
        raise Conflict(f"seat {seat} was filled at creation")


async def _unindex_token(context: Context, game_id: str, revoked: bytes | None) -> None:
    """Take the game out of the index of a revoked token."""
    if revoked is not None:
        await context.store.unindex([index_key(revoked, None)], game_id)


class JoinRequest(NamedTuple):
    """What a request to join says beside its body."""

    token: str | None
    """Opens a private game."""
    key: str | None
    """The idempotency key."""
    creator: str | None = None
    """The creator's key, by which they list the game later."""
    include_moves: bool = False
    language: Language = ENGLISH
    charge: ClientCharge | None = None


async def join(context: Context, game_id: str, body: JoinGame, request: JoinRequest) -> ReplayableResult[Joined]:
    """Take the next open seat, and let bots answer where that starts the game. Whoever reads a game may join it.

    Raises NoSuchGame, NoOpenSeat, Conflict (colour or name), IdempotencyKeyReused, Malformed.
    """
    scope = idempotency_scope(request.key, f"/v1/games/{game_id}/seats", request.token, body)
    secret = token_secret(scope)
    check_external_users(body, request.creator)

    def respond(stored: StoredGame, seat: int, digest: str) -> Joined:
        index, game = open_game(context.tilesets, stored)
        return Joined(
            seat=seat,
            token=derive_token(secret, stored.access.salt, seat_role(seat)),
            game=build_view(index, game),
            digest=digest,
            legal_moves=list_legal_moves(index, game, language=request.language) if request.include_moves else None,
        )

    async def attempt(stored: StoredGame, _reader: Principal) -> ReplayableResult[Joined] | None:
        index, game = open_game(context.tilesets, stored)
        access = stored.access
        seat, events = _take_seat(index, stored, body)
        if access.visibility == "public" and request.charge is not None:
            await request.charge.charge_join()
        diffs = [record_change(index, game, events, context.now())]
        diffs += await play_bots(context, index, game)
        access.seats[seat] = hash_token(derive_token(secret, access.salt, seat_role(seat)))
        tag_seat(access, seat, request.creator, body.external_user)
        joined = respond(stored, seat, game.digest)
        record = new_record(scope, context.clock(), game.version, seat)
        is_committed = await repository.commit(context, stored, diffs, stores_access=True, idempotency=record)
        return ReplayableResult(joined, joined.game.version) if is_committed else None

    async def replay(stored: StoredGame, first: FirstResponse) -> ReplayableResult[Joined]:
        """Return the same seat and token, with the current game."""
        digest = await load_digest(context, game_id, first.version)
        return ReplayableResult(respond(stored, first.detail, digest), first.version, replayed=True)

    return await execute(context, game_id, request.token, authorize_read, attempt, scope=scope, replay=replay)


def _take_seat(index: TileSetIndex, stored: StoredGame, body: JoinGame) -> tuple[int, list[AnyEvent]]:
    """Seat a player on the next open seat. Raises NoOpenSeat, Conflict."""
    game = stored.game
    seat = next_open_seat(game)
    if seat is None:
        raise NoOpenSeat
    check_name_free(game, body.name)
    taken = {player.color for player in game.players if player.color is not None}
    if body.color in taken:
        raise Conflict(f"{body.color} is taken")
    color = body.color if body.color is not None else next(color for color in COLORS if color not in taken)
    return seat, take_seat(index, game, seat, body.name, color)
