"""A rematch: the same players again, the next seat first, for the owner or any player.

Two games change, each in a commit of its own: the rematch is created, then the game before it gets one more version
that names it. The rematch's id is derived from the game before, so a retry after a crash between the commits completes
the same rematch. All tokens of the game before are valid in the rematch, since it has the same hashes.
"""

import secrets
from typing import NamedTuple

import msgspec

from schemas.events import AnyEvent, RematchCreated
from schemas.lobby import CreateGame, Rematch, Rematched, SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import build_view, is_finished
from service.games import repository
from service.games.access import (
    SALT_BYTES,
    AccessRecord,
    Principal,
    authorize_owner_or_player,
)
from service.games.commands.create import derive_game_id, set_up_game
from service.games.commands.execute import ClientCharge, execute, retry
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import GameNotFinished, RematchExists
from service.games.idempotency import FirstResponse, ReplayableResult, idempotency_scope, new_record
from service.games.ports import StoredGame
from service.games.queries import load_digest
from service.games.repository import open_game
from service.games.webhooks.owner import attach_to_key


class RematchRequest(NamedTuple):
    """A whole request for a rematch."""

    rematch: Rematch
    token: str | None
    key: str | None
    """The idempotency key."""
    client: bytes = b""
    """Identifies the requester, as in `create`."""
    api_key: str | None = None
    """Name of the API key."""
    charge: ClientCharge | None = None


async def rematch(context: Context, game_id: str, request: RematchRequest) -> ReplayableResult[Rematched]:
    """Create the rematch of a finished or aborted game, for its owner or a player, then name it in the game before.

    Raises GameNotFinished, RematchExists, TileSetMissing, IdempotencyKeyReused, and what `authorize_owner_or_player`
    does.
    """
    scope = idempotency_scope(request.key, f"/v1/games/{game_id}/rematch", request.token, request.rematch)

    async def attempt(before: StoredGame, _player: Principal) -> ReplayableResult[Rematched] | None:
        game = before.game
        if game.next_game is not None:
            raise RematchExists(game.next_game)
        if not is_finished(game):
            raise GameNotFinished(game.status)
        created = await _load_or_create(context, before, request)
        await attach_to_key(context, created)
        game.next_game = created.game.id
        events: list[AnyEvent] = [RematchCreated(game=created.game.id)]
        diffs = [record_change(open_game(context.tilesets, before)[0], game, events, context.now())]
        record = new_record(scope, context.clock(), created.game.version)
        if not await repository.commit(context, before, diffs, idempotency=record):
            return None
        return ReplayableResult(_response(context, created, created.game.digest), created.game.version)

    async def replay(before: StoredGame, first: FirstResponse) -> ReplayableResult[Rematched]:
        """Return the same rematch, as it is now."""
        created = await repository.load_game(context, before.game.next_game or before.id)
        digest = await load_digest(context, created.game.id, first.version)
        return ReplayableResult(_response(context, created, digest), first.version, replayed=True)

    return await execute(
        context, game_id, request.token, authorize_owner_or_player, attempt, scope=scope, replay=replay
    )


async def _load_or_create(context: Context, before: StoredGame, request: RematchRequest) -> StoredGame:
    """Create the rematch, or load it where an earlier request did; another game's id is skipped."""
    number = 0

    async def attempt() -> StoredGame | None:
        nonlocal number
        game_id = derive_game_id(f"rematch.{before.game.id}", number)
        created = await context.store.load(game_id)
        if created is None:
            return await _create(context, before, request, game_id)
        if created.game.previous_game == before.id:
            return created
        number += 1
        return None

    return await retry(attempt)


async def _create(context: Context, before: StoredGame, request: RematchRequest, game_id: str) -> StoredGame | None:
    """Create the rematch under an id; return None where the id is taken."""
    body = _same_again(before, request.rematch)
    if request.charge is not None:
        await request.charge.charge_new_game(body)
    created = StoredGame(game_id)
    created.game, diffs = await set_up_game(
        context,
        body,
        context.tilesets.get(before.game.tileset),
        game_id,
        previous_game=before.game.id,
        creator=request.client,
    )
    created.access = _same_access(before.access, request.api_key)
    return created if await repository.commit(context, created, diffs, stores_access=True) else None


def _response(context: Context, created: StoredGame, digest: str) -> Rematched:
    return Rematched(game=build_view(*open_game(context.tilesets, created)), digest=digest)


def _same_again(before: StoredGame, body: Rematch) -> CreateGame:
    """Return the request for the same game again: who resigned or is played by a bot plays, an open seat is open."""
    game = before.game
    return CreateGame(
        players=[
            SeatRequest(open=True)
            if player.kind == "open"
            else SeatRequest(name=player.name, color=player.color, bot=player.bot if player.kind == "bot" else None)
            for player in game.players
        ],
        edition=game.edition,
        first_seat=(game.first_seat + 1) % len(game.players),
        tileset=game.tileset,
        seed=body.seed,
        visibility=before.access.visibility,
        turn_timeout_s=game.turn_timeout_s,
        on_timeout=msgspec.convert(game.on_timeout, RequestedTimeoutPolicy | None),
    )


def _same_access(before: AccessRecord, api_key: str | None) -> AccessRecord:
    """Return an access record with the same tokens, for the same creators' keys.

    The API key is the request's, else the one of the game before: a player's request leaves the game with its host. The
    salt is new, so that a key used in both games replaces a seat's token by another one in each.
    """
    return msgspec.structs.replace(
        before,
        salt=secrets.token_bytes(SALT_BYTES),
        seats=[*before.seats],
        owner_seats=[*before.owner_seats],
        tags=[*before.tags],
        api_key=api_key or before.api_key,
    )
