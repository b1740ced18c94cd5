"""Removing a player from a seat, and replacing a seat's token.

Both revoke a token. The commit says so: no instance acts on a cached access record after it, and subscribers with that
token are dropped. The webhooks that were registered with the token end before it.

Joining a game: taking its next open seat.
"""

from schemas.commands import IncludeQuery
from schemas.events import AnyEvent
from schemas.game import GameView
from schemas.lobby import Joined, JoinGame, ReplaceToken, SeatToken
from schemas.vocabulary import COLORS
from service.engine import Game, Message, TileSetIndex, build_view, next_open_seat, take_seat, vacate_seat
from service.games import access as rights
from service.games.automatic_turns import play_bots
from service.games.commands.create import check_name_free
from service.games.commands.execute import Attempt, Command, GameRequest, TokenRequest, respond_with_game
from service.games.diffs import record_change
from service.games.errors import Conflict, GameNotActive, NoOpenSeat, NoSuchSeat, WrongSeat
from service.games.idempotency import ReplayableResult
from service.games.legal_moves import list_legal_moves
from service.games.ports import StoredDiff
from service.games.queries import check_external_users, tag_seat
from service.games.repository import Context
from service.games.webhook_owner import remove_webhooks_of_seat
from service.i18n import ENGLISH, Language


class RemovalRequest(GameRequest, frozen=True, kw_only=True):
    """A request to remove a player."""

    seat: int


async def remove_player(context: Context, request: RemovalRequest) -> tuple[GameView, str]:
    """Empty a joined seat of a waiting game for its owner or its player, and return GAME and its digest.

    The owner may repeat it; the player's token is revoked. Raises WrongSeat, NoSuchSeat, GameNotActive (it is over),
    Conflict (it has started, or the seat was filled at creation).
    """
    return (await _REMOVAL.run(context, request)).response


async def _remove(attempt: Attempt[RemovalRequest]) -> list[StoredDiff] | None:
    """Empty the seat unless it is open already."""
    context, stored, seat = attempt.context, attempt.stored, attempt.request.seat
    game, access = stored.game, stored.access
    if game.players[seat].kind == "open":
        return None
    await remove_webhooks_of_seat(context.store.webhooks, stored, seat)
    attempt.revoked, access.seats[seat], access.tags[seat] = access.seats[seat], None, None
    return [record_change(attempt.index, game, vacate_seat(game, seat), context.now())]


def _check_is_removable(attempt: Attempt[RemovalRequest]) -> None:
    game, seat, principal = attempt.stored.game, attempt.request.seat, attempt.principal
    if principal.role != rights.OWNER and principal.seat != seat:
        raise WrongSeat(seat)
    if seat >= len(game.players):
        raise NoSuchSeat(seat)
    if game.status == "active":
        raise Conflict(Message("the game has started: players can no longer be removed"))
    if game.status != "waiting":
        raise GameNotActive(game.status)
    if seat in attempt.stored.access.owner_seats or game.players[seat].kind == "bot":
        raise Conflict(Message("this seat was filled at creation"))


_REMOVAL = Command(
    "/v1/games/{0.id}/seats/{0.seat}", _remove, respond_with_game, check=_check_is_removable, changes_access=True
)


class ReplacementRequest(TokenRequest, frozen=True, kw_only=True):
    """A request for another token of a seat."""

    seat: int
    body: ReplaceToken = ReplaceToken()


async def _replace_token(attempt: Attempt[ReplacementRequest]) -> list[StoredDiff]:
    """Give a seat a new token, which revokes the old one: for that seat's player, or the owner of their own seats.

    Stores the new one's hash in the old one's place. A retry shows what its first request revoked. Raises WrongSeat,
    IdempotencyKeyReused, Malformed, and what `authorize_action` does.
    """
    stored, request, seats = attempt.stored, attempt.request, attempt.stored.access.seats
    seat, principal = request.seat, rights.authorize_action(stored.access, stored.id, request.token)
    rights.resolve_seat(stored.access, principal, seat, seat)
    await remove_webhooks_of_seat(attempt.context.store.webhooks, stored, seat)
    attempt.revoked, seats[seat] = seats[seat], rights.hash_token((await _show_token(attempt)).token)
    return []


async def _show_token(attempt: Attempt[ReplacementRequest]) -> SeatToken:
    seat, secret = attempt.request.seat, attempt.secret
    return SeatToken(
        seat=seat, token=rights.derive_token(secret, attempt.stored.access.salt, f"{rights.seat_role(seat)}.replaced")
    )


replace_token = Command(
    "/v1/games/{0.id}/seats/{0.seat}/token", _replace_token, _show_token, authorize=None, changes_access=True
).run


class JoinRequest(TokenRequest, frozen=True, kw_only=True):
    """A request for an open seat; the token opens a private game."""

    body: JoinGame
    query: IncludeQuery = IncludeQuery()
    language: Language = ENGLISH


async def join(context: Context, request: JoinRequest) -> ReplayableResult[Joined]:
    """Take the next open seat, and let bots answer where that starts the game. Whoever reads a game may join it.

    Raises NoSuchGame, NoOpenSeat, Conflict (colour or name), IdempotencyKeyReused, Malformed.
    """
    check_external_users(request.body, request.creator_key)
    return await _JOINING.run(context, request)


async def _join(attempt: Attempt[JoinRequest]) -> list[StoredDiff]:
    """Seat the player with a token of their own."""
    context, stored, request, index = attempt.context, attempt.stored, attempt.request, attempt.index
    game, access = stored.game, stored.access
    seat, events = _take_seat(index, game, request.body)
    attempt.detail = seat
    if access.visibility == "public" and request.charge is not None:
        await request.charge.charge_join()
    access.seats[seat] = rights.hash_token(rights.derive_token(attempt.secret, access.salt, rights.seat_role(seat)))
    tag_seat(access, seat, request.creator_key, request.body.external_user)
    return [record_change(index, game, events, context.now()), *await play_bots(context, index, game)]


async def _respond_to_join(attempt: Attempt[JoinRequest]) -> Joined:
    """Return the seat and its token, with the current game."""
    request, index, game, seat = attempt.request, attempt.index, attempt.stored.game, attempt.detail or 0
    include = request.query.include
    return Joined(
        seat=seat,
        token=rights.derive_token(attempt.secret, attempt.stored.access.salt, rights.seat_role(seat)),
        game=build_view(index, game),
        digest=await attempt.load_digest(),
        legal_moves=None if include is None else list_legal_moves(index, game, language=request.language),
    )


_JOINING = Command("/v1/games/{0.id}/seats", _join, _respond_to_join, rights.authorize_read, changes_access=True)


def _take_seat(index: TileSetIndex, game: Game, body: JoinGame) -> tuple[int, list[AnyEvent]]:
    """Seat a player on the next open seat. Raises NoOpenSeat, Conflict."""
    seat = next_open_seat(game)
    if seat is None:
        raise NoOpenSeat
    check_name_free(game, body.name)
    taken = {player.color for player in game.players if player.color is not None}
    if body.color in taken:
        raise Conflict(Message("{color} is taken", color=Message(body.color)))
    color = body.color if body.color is not None else next(color for color in COLORS if color not in taken)
    return seat, take_seat(index, game, seat, body.name, color)
