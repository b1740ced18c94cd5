"""Removing a player from a seat, and replacing a seat's token.

Both revoke a token. The commit says so: no instance acts on a cached access record after it, and subscribers with that
token are dropped. The webhooks that were registered with the token end before it.

Joining a game: taking its next open seat.
"""

from collections.abc import Sequence

from schemas.commands import IncludeQuery
from schemas.events import AnyEvent
from schemas.game import GameView
from schemas.lobby import Joined, JoinGame, ReplaceToken, SeatToken
from schemas.vocabulary import COLORS
from service.engine import TileSetIndex, build_view, next_open_seat, take_seat, vacate_seat
from service.games.access import (
    OWNER,
    AccessRecord,
    Principal,
    authorize_action,
    authorize_read,
    derive_token,
    hash_token,
    resolve_seat,
    seat_role,
)
from service.games.automatic_turns import play_bots
from service.games.commands.create import check_name_free
from service.games.commands.execute import (
    Applied,
    Command,
    GameRequest,
    TokenRequest,
    respond_with_game,
    run,
    with_secret,
)
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import Conflict, GameNotActive, NoOpenSeat, NoSuchSeat, WrongSeat
from service.games.idempotency import FirstResponse, ReplayableResult
from service.games.legal_moves import list_legal_moves
from service.games.ports import StoredDiff, StoredGame
from service.games.queries import check_external_users, load_digest, tag_seat
from service.games.repository import open_game
from service.games.webhooks.owner import remove_webhooks_of_seat
from service.i18n import ENGLISH, Language


class RemovalRequest(GameRequest, frozen=True, kw_only=True):
    """A request to remove a player."""

    seat: int


async def remove_player(context: Context, request: RemovalRequest) -> tuple[GameView, str]:
    """Empty a joined seat of a waiting game for its owner or its player, and return GAME and its digest.

    The owner may repeat it; the player's token is revoked. Raises WrongSeat, NoSuchSeat, GameNotActive (it is over),
    Conflict (it has started, or the seat was filled at creation).
    """
    return (await run(context, _REMOVAL, request)).response


async def _remove(
    context: Context, stored: StoredGame, _principal: Principal, request: RemovalRequest
) -> Applied | None:
    """Empty the seat unless it is open already."""
    index, game = open_game(context.tilesets, stored)
    access, seat = stored.access, request.seat
    if game.players[seat].kind == "open":
        return None
    await remove_webhooks_of_seat(context.store.webhooks, stored, seat)
    revoked, access.seats[seat], access.tags[seat] = access.seats[seat], None, None
    return Applied([record_change(index, game, vacate_seat(game, seat), context.now())], revoked=revoked)


def _check_is_removable(stored: StoredGame, principal: Principal, request: RemovalRequest) -> None:
    game, seat = stored.game, request.seat
    if principal.role != OWNER and principal.seat != seat:
        raise WrongSeat(seat)
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict("the game has started: players can no longer be removed")
    if game.status != "waiting":
        raise GameNotActive(game.status)
    if seat in stored.access.owner_seats or game.players[seat].kind == "bot":
        raise Conflict(f"seat {seat} was filled at creation")


_REMOVAL = Command(
    "/v1/games/{0.id}/seats/{0.seat}", _remove, respond_with_game, check=_check_is_removable, changes_access=True
)


class ReplacementRequest(TokenRequest, frozen=True, kw_only=True):
    """A request for another token of a seat."""

    seat: int
    body: ReplaceToken = ReplaceToken()


async def replace_token(context: Context, request: ReplacementRequest) -> ReplayableResult[SeatToken]:
    """Give a seat a new token, which revokes the old one: for that seat's player, or the owner of their own seats.

    Raises WrongSeat, IdempotencyKeyReused, Malformed, and what `authorize_action` does.
    """
    return await run(context, _REPLACEMENT, with_secret(request))


async def _replace_token(
    context: Context, stored: StoredGame, _nobody: Principal, request: ReplacementRequest
) -> Applied:
    """Store the new token's hash in the old one's place. A retry shows what its first request revoked."""
    access, seat = stored.access, request.seat
    resolve_seat(access, authorize_action(access, stored.id, request.token), seat, seat)
    await remove_webhooks_of_seat(context.store.webhooks, stored, seat)
    revoked, access.seats[seat] = access.seats[seat], hash_token(_new_token(access, request))
    return Applied([], seat, revoked=revoked)


def _new_token(access: AccessRecord, request: ReplacementRequest) -> str:
    return derive_token(request.secret, access.salt, f"{seat_role(request.seat)}.replaced")


async def _show_token(
    _context: Context,
    stored: StoredGame,
    request: ReplacementRequest,
    _first: FirstResponse,
    _diffs: Sequence[StoredDiff],
) -> SeatToken:
    return SeatToken(seat=request.seat, token=_new_token(stored.access, request))


_REPLACEMENT = Command(
    "/v1/games/{0.id}/seats/{0.seat}/token", _replace_token, _show_token, authorize=None, changes_access=True
)


class JoinRequest(TokenRequest, frozen=True, kw_only=True):
    """A request for an open seat; the token opens a private game."""

    body: JoinGame
    query: IncludeQuery = IncludeQuery()
    creator_key: str | None = None
    """By which the creator lists the game later."""
    language: Language = ENGLISH


async def join(context: Context, request: JoinRequest) -> ReplayableResult[Joined]:
    """Take the next open seat, and let bots answer where that starts the game. Whoever reads a game may join it.

    Raises NoSuchGame, NoOpenSeat, Conflict (colour or name), IdempotencyKeyReused, Malformed.
    """
    request = with_secret(request)
    check_external_users(request.body, request.creator_key)
    return await run(context, _JOINING, request)


async def _join(context: Context, stored: StoredGame, _reader: Principal, request: JoinRequest) -> Applied:
    """Seat the player with a token of their own."""
    index, game = open_game(context.tilesets, stored)
    access = stored.access
    seat, events = _take_seat(index, stored, request.body)
    if access.visibility == "public" and request.charge is not None:
        await request.charge.charge_join()
    diffs = [record_change(index, game, events, context.now()), *await play_bots(context, index, game)]
    access.seats[seat] = hash_token(derive_token(request.secret, access.salt, seat_role(seat)))
    tag_seat(access, seat, request.creator_key, request.body.external_user)
    return Applied(diffs, seat)


async def _respond_to_join(
    context: Context, stored: StoredGame, request: JoinRequest, first: FirstResponse, diffs: Sequence[StoredDiff]
) -> Joined:
    """Return the seat and its token, with the current game."""
    index, game = open_game(context.tilesets, stored)
    include = request.query.include
    return Joined(
        seat=first.detail,
        token=derive_token(request.secret, stored.access.salt, seat_role(first.detail)),
        game=build_view(index, game),
        digest=diffs[-1].digest if diffs else await load_digest(context, game.id, first.version),
        legal_moves=None if include is None else list_legal_moves(index, game, language=request.language),
    )


_JOINING = Command("/v1/games/{0.id}/seats", _join, _respond_to_join, authorize_read, changes_access=True)


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
