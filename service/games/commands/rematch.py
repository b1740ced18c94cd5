"""A rematch: the same players again, the next seat first. Source: api.md, "Creating, joining, starting".

Two games change, each in a commit of its own: the rematch is created, then the game before it gets one more version
that names it. The rematch's id is derived from the game before, and its tokens from that game's owner token. So a retry
after a crash between the commits completes the same rematch with the same tokens.
"""

import hmac
from typing import NamedTuple

import msgspec

from schemas.events import AnyEvent, RematchCreated
from schemas.lobby import Created, CreateGame, Rematch, SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import is_finished
from service.games import repository
from service.games.access import AccessRecord, Principal
from service.games.cache import GameSession
from service.games.commands.execute import ClientCharge, OwnerCommand, execute, retry
from service.games.commands.game_setup import (
    created_response,
    derive_game_id,
    new_access_record,
    replay_created,
    set_up_game,
)
from service.games.context import Context
from service.games.diffs.change import Change
from service.games.diffs.record import record_change
from service.games.errors import GameNotFinished, RematchExists
from service.games.i18n import ENGLISH, Language
from service.games.idempotency import (
    FirstResponse,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.repository import decode_game, read_access
from service.games.webhooks.updates import attach_to_key

TOKEN_PURPOSE = b"rematch"


class RematchRequest(NamedTuple):
    """A whole request for a rematch."""

    rematch: Rematch
    token: str | None
    key: str | None
    """The idempotency key."""
    include_moves: bool = False
    client: bytes = b""
    """Identifies the requester, as in `create`."""
    api_key: str | None = None
    """Name of the API key."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge: ClientCharge | None = None


async def rematch(context: Context, game_id: str, request: RematchRequest) -> ReplayableResult[Created]:
    """Create the rematch of a finished or aborted game, for its owner.

    Raises GameNotFinished, RematchExists, TileSetMissing, IdempotencyKeyReused, Malformed, and what `authorize_owner`
    does.
    """
    return await execute(RematchCommand(context, game_id, request))


class RematchCommand(OwnerCommand[ReplayableResult[Created]]):
    """The owner's request for a rematch."""

    def __init__(self, context: Context, game_id: str, request: RematchRequest) -> None:
        scope = idempotency_scope(request.key, f"/v1/games/{game_id}/rematch", request.token, request.rematch)
        super().__init__(context, game_id, request.token, scope=scope)
        self._request = request
        token_secret(scope)  # the tokens are derived from another secret, but the key must be as strong
        self._secret = hmac.digest((request.token or "").encode(), TOKEN_PURPOSE, "sha256")
        self._language = request.language if request.include_moves else None

    async def attempt(self, session: GameSession, _owner: Principal) -> ReplayableResult[Created] | None:
        """Create the rematch, then name it in the game before."""
        game = session.game
        if game.next_game is not None:
            raise RematchExists(game.next_game)
        if not is_finished(game):
            raise GameNotFinished(game.status)
        created = await self._load_or_create(session)
        await attach_to_key(self.context, created)
        if not await self._link(session, created):
            return None
        response = created_response(created, self._secret, created.game.digest, self._language)
        return ReplayableResult(response, created.game.version)

    async def replay(self, session: GameSession, first: FirstResponse) -> ReplayableResult[Created]:
        """Return the same tokens, with the current game."""
        record, access = await repository.load_game(self.context, session.game.next_game or session.game.id)
        created = repository.open_session(self.context, record, access)
        return await replay_created(self.context, created, self._secret, first.version, self._language)

    async def _load_or_create(self, before: GameSession) -> GameSession:
        """Create the rematch, or load it where an earlier request did; another game's id is skipped."""
        number = 0

        async def attempt() -> GameSession | None:
            nonlocal number
            game_id = derive_game_id(f"rematch.{before.game.id}", number)
            record = await self.context.store.load(game_id)
            if record is None:
                return await self._create(before, game_id)
            game = decode_game(record)
            if game.previous_game == before.game.id:
                return GameSession(game, read_access(record), before.tileset)
            number += 1
            return None

        return await retry(attempt)

    async def _create(self, before: GameSession, game_id: str) -> GameSession | None:
        """Create the rematch under an id; return None where the id is taken."""
        context, request = self.context, self._request
        body = _same_again(before, request.rematch)
        if request.charge is not None:
            await request.charge.charge_new_game(body)
        game, diffs = await set_up_game(
            context, body, before.tileset, game_id, previous_game=before.game.id, creator=request.client
        )
        created = GameSession(game, _access(body, before.access, self._secret, request.api_key), before.tileset)
        return created if await repository.commit(context, created, diffs, store_access=True) else None

    async def _link(self, before: GameSession, created: GameSession) -> bool:
        """Name the rematch in the game before; return False after a version conflict."""
        context, game = self.context, before.game
        game.next_game = created.game.id
        events: list[AnyEvent] = [RematchCreated(game=created.game.id)]
        diffs = [record_change(before.tileset.index, game, Change(events, context.now()))]
        record = new_record(self.scope, context.clock(), created.game.version)
        return await repository.commit(context, before, diffs, idempotency=record)


def _same_again(before: GameSession, body: Rematch) -> CreateGame:
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


def _access(body: CreateGame, before: AccessRecord, secret: bytes, api_key: str | None) -> AccessRecord:
    """Return an access record with new tokens for the owner, the spectators and the owner's seats.

    Players who had joined keep their tokens, and creators' keys list the rematch as they did the game before.
    """
    fresh = new_access_record(body, secret, before.creator, api_key)
    joined = [seat for seat in fresh.owner_seats if seat not in before.owner_seats]
    for seat in joined:
        fresh.seats[seat] = before.seats[seat]
    return msgspec.structs.replace(
        fresh, owner_seats=[seat for seat in fresh.owner_seats if seat not in joined], tags=[*before.tags]
    )
