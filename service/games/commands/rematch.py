"""A rematch: the same players again, the next seat first, for the owner or any player.

Two games change, each in a commit of its own: the rematch is created, then the game before it gets one more version
that names it. The rematch's id is derived from the game before, so a retry after a crash between the commits completes
the same rematch. All tokens of the game before are valid in the rematch, since it has the same hashes.
"""

import secrets

import msgspec

from schemas.events import AnyEvent, RematchCreated
from schemas.lobby import CreateGame, Rematch, Rematched, SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import build_view, is_finished
from service.games.access import SALT_BYTES, AccessRecord, authorize_owner_or_player
from service.games.api_key import ApiKey
from service.games.commands.create import CreationRequest, create_game, derive_game_id
from service.games.commands.execute import Attempt, Command, GameRequest, run
from service.games.diffs import record_change
from service.games.errors import GameNotFinished, RematchExists
from service.games.idempotency import IdempotencyScope, ReplayableResult
from service.games.ports import StoredDiff, StoredGame
from service.games.queries import load_digest
from service.games.repository import Context, load_game, open_game


class RematchRequest(GameRequest, frozen=True, kw_only=True):
    """A request for a rematch."""

    body: Rematch = Rematch()
    client: bytes = b""
    """Identifies the requester, as in `create`."""
    api_key: ApiKey | None = None


async def rematch(context: Context, request: RematchRequest) -> ReplayableResult[Rematched]:
    """Create the rematch of a finished or aborted game, for its owner or a player, then name it in the game before.

    Raises GameNotFinished, RematchExists, TileSetMissing, IdempotencyKeyReused, and what `authorize_owner_or_player`
    does.
    """
    return await run(context, _REMATCH, request)


async def _name_rematch(attempt: Attempt[RematchRequest]) -> list[StoredDiff]:
    """Name the rematch in the game before, after it has been created."""
    context, before, game = attempt.context, attempt.stored, attempt.stored.game
    if game.next_game is not None:
        raise RematchExists(game.next_game)
    if not is_finished(game):
        raise GameNotFinished(game.status)
    index, request = attempt.index, attempt.request
    creation = CreationRequest(
        body=_same_again(before, request.body),
        previous_game=game.id,
        access_record=_same_access(before.access, request.api_key),
        client=request.client,
        charge=request.charge,
    )
    created, attempt.version, _ = await run(context, _CREATION, creation)
    game.next_game, events = created, list[AnyEvent]([RematchCreated(game=created)])
    return [record_change(index, game, events, context.now())]


async def _respond(attempt: Attempt[RematchRequest]) -> Rematched:
    """Return the rematch as it is now."""
    before, context = attempt.stored.game, attempt.context
    index, game = open_game(context.tilesets, await load_game(context, before.next_game or before.id))
    return Rematched(game=build_view(index, game), digest=await load_digest(context, game.id, attempt.version))


_REMATCH = Command("/v1/games/{0.id}/rematch", _name_rematch, _respond, authorize_owner_or_player)


async def _find(context: Context, request: CreationRequest, _scope: IdempotencyScope | None) -> StoredGame:
    """Return the rematch where an earlier request has created it, or a new game; another game's id is skipped."""
    number, source = 0, f"rematch.{request.previous_game}"
    while (stored := await context.store.load(game_id := derive_game_id(source, number))) is not None:
        if stored.game.previous_game == request.previous_game:
            return stored
        number += 1
    return StoredGame(game_id)


async def _return_id(attempt: Attempt[CreationRequest]) -> str:
    return attempt.stored.id


_CREATION = Command("", create_game, _return_id, authorize=None, changes_access=True, find=_find)


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
        turn_timeout_s=game.turn_timeout_s,
        on_timeout=msgspec.convert(game.on_timeout, RequestedTimeoutPolicy | None),
    )


def _same_access(before: AccessRecord, api_key: ApiKey | None) -> AccessRecord:
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
        api_key=before.api_key if api_key is None else api_key.name,
    )
