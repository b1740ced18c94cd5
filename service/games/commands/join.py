"""Joining a game: taking its next open seat."""

from typing import NamedTuple

from schemas.events import AnyEvent
from schemas.lobby import Joined, JoinGame
from schemas.vocabulary import COLORS
from service.engine import build_view, next_open_seat, take_seat
from service.games import repository
from service.games.access import Principal, authorize_read, derive_token, hash_token, seat_role
from service.games.bot_turns import play_bots
from service.games.commands.execute import ClientCharge, execute
from service.games.commands.game_setup import check_name_free
from service.games.context import Context, GameSession
from service.games.diffs import record_change
from service.games.errors import Conflict, NoOpenSeat
from service.games.idempotency import (
    FirstResponse,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.queries.games import load_digest
from service.games.queries.legal_moves import list_legal_moves
from service.games.queries.my_games import check_external_users, tag_seat
from service.i18n import ENGLISH, Language


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

    def respond(session: GameSession, seat: int, digest: str) -> Joined:
        game, index = session.game, session.tileset.index
        return Joined(
            seat=seat,
            token=derive_token(secret, session.access.salt, seat_role(seat)),
            game=build_view(index, game),
            digest=digest,
            legal_moves=list_legal_moves(index, game, language=request.language) if request.include_moves else None,
        )

    async def attempt(session: GameSession, _reader: Principal) -> ReplayableResult[Joined] | None:
        game, access, index = session.game, session.access, session.tileset.index
        seat, events = _take_seat(session, body)
        if access.visibility == "public" and request.charge is not None:
            await request.charge.charge_join()
        diffs = [record_change(index, game, events, context.now())]
        diffs += await play_bots(context, index, game)
        access.seats[seat] = hash_token(derive_token(secret, access.salt, seat_role(seat)))
        tag_seat(access, seat, request.creator, body.external_user)
        joined = respond(session, seat, game.digest)
        record = new_record(scope, context.clock(), game.version, seat)
        is_committed = await repository.commit(context, session, diffs, store_access=True, idempotency=record)
        return ReplayableResult(joined, joined.game.version) if is_committed else None

    async def replay(session: GameSession, first: FirstResponse) -> ReplayableResult[Joined]:
        """Return the same seat and token, with the current game."""
        digest = await load_digest(context, game_id, first.version)
        return ReplayableResult(respond(session, first.detail, digest), first.version, replayed=True)

    return await execute(context, game_id, request.token, authorize_read, attempt, scope=scope, replay=replay)


def _take_seat(session: GameSession, body: JoinGame) -> tuple[int, list[AnyEvent]]:
    """Seat a player on the next open seat. Raises NoOpenSeat, Conflict."""
    game = session.game
    seat = next_open_seat(game)
    if seat is None:
        raise NoOpenSeat
    check_name_free(game, body.name)
    taken = {player.color for player in game.players if player.color is not None}
    if body.color in taken:
        raise Conflict(f"{body.color} is taken")
    color = body.color if body.color is not None else next(color for color in COLORS if color not in taken)
    return seat, take_seat(session.tileset.index, game, seat, body.name, color)
