"""A rematch: the same players again, the next seat first. Source: api.md, "Creating, joining, starting".

Two games are changed, each by a commit of its own: the rematch is created, then the game before it gets one more
version that names it. The rematch's id follows from the game before, and its tokens from that game's owner token. So
whoever asks again after a rematch that was left half done completes the same one, and gets the same tokens.
"""

import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

import msgspec

from schemas.events import RematchCreated
from schemas.lobby import Created, CreateGame, Rematch, SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import is_finished
from service.games import repository
from service.games.access import AccessRecord, authorize_owner
from service.games.bot_turns import next_due_at
from service.games.cache import GameSession
from service.games.commands.game_setup import (
    created_response,
    derive_game_id,
    new_access_record,
    replay_created,
    set_up_game,
)
from service.games.commands.retry import retry_on_conflict, until_committed
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import GameNotFinished, RematchExists
from service.games.i18n import ENGLISH, Language
from service.games.idempotency import (
    FirstResponse,
    IdempotencyScope,
    ReplayableResult,
    idempotency_scope,
    new_record,
    token_secret,
)
from service.games.repository import decode_game, read_access

TOKEN_PURPOSE = b"rematch"


class RematchRequest(NamedTuple):
    """A whole request for a rematch."""

    rematch: Rematch
    token: str | None
    key: str | None
    include_moves: bool = False
    client: bytes = b""
    """Stands for who asks, as in `create`."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    charge_bots: Callable[[CreateGame], Awaitable[None]] | None = None
    """Called with what the rematch will be, before it is made; what it raises refuses it."""


async def rematch(context: Context, game_id: str, asked: RematchRequest) -> ReplayableResult[Created]:
    """Make the rematch of a game that is over, for its owner.

    Raises NotOver, RematchExists, TileSetMissing, KeyReused, Malformed, and what `check_owner` does.
    """
    idempotency = idempotency_scope(asked.key, f"/v1/games/{game_id}/rematch", asked.token, asked.rematch)
    token_secret(idempotency)  # the tokens follow from another one, but what is asked of the key is the same
    minting = hmac.digest((asked.token or "").encode(), TOKEN_PURPOSE, "sha256")
    shown_in = asked.language if asked.include_moves else None

    async def attempt(table: GameSession, _owner: None) -> ReplayableResult[Created] | None:
        if table.game.next_game is not None:
            raise RematchExists(table.game.next_game)
        if not is_finished(table.game):
            raise GameNotFinished(table.game.status)
        made = await _make(context, table, asked, minting)
        if not await _link(context, table, made, idempotency):
            return None
        return ReplayableResult(created_response(made, minting, made.game.digest, shown_in), made.game.version)

    async def replay(table: GameSession, before: FirstResponse) -> ReplayableResult[Created]:
        loaded, access = await repository.load_game(context, table.game.next_game or table.game.id)
        made = repository.open_session(context, loaded, access)
        return await replay_created(context, made, minting, before.version, shown_in)

    check = partial(authorize_owner, game=game_id, token=asked.token)
    return await until_committed(context, game_id, check, attempt, idempotency, replay)


async def _make(context: Context, table: GameSession, asked: RematchRequest, minting: bytes) -> GameSession:
    """Create the rematch, or find it where it has been created before."""
    before = table.game.id

    async def attempt(number: int) -> GameSession | None:
        game_id = derive_game_id(f"rematch.{before}", number)
        loaded = await context.store.load(game_id)
        if loaded is None and (made := await _create(context, table, asked, game_id, minting)) is not None:
            return made
        loaded = loaded or await context.store.load(game_id)
        if loaded is None or (game := decode_game(loaded)).previous_game != before:
            return None
        return GameSession(game, read_access(loaded), table.tileset)

    return await retry_on_conflict(attempt)


async def _create(
    context: Context, table: GameSession, asked: RematchRequest, game_id: str, minting: bytes
) -> GameSession | None:
    """One attempt; None where the id is taken."""
    wanted = _same_again(table, asked.rematch)
    if asked.charge_bots is not None:
        await asked.charge_bots(wanted)
    game, diffs = await set_up_game(
        context, wanted, table.tileset, game_id, previous_game=table.game.id, creator=asked.client
    )
    made = GameSession(game, _access(wanted, table.access, minting), table.tileset)
    is_committed = await repository.commit(context, made, diffs, store_access=True, due_at=next_due_at(context, game))
    return made if is_committed else None


async def _link(context: Context, table: GameSession, made: GameSession, idempotency: IdempotencyScope | None) -> bool:
    """Let the game before name its rematch; False where somebody else has changed that game."""
    game, index = table.game, table.tileset.index
    game.next_game = made.game.id
    diffs = [record_change(index, game, [RematchCreated(game=made.game.id)], at=context.now())]
    return await repository.commit(
        context, table, diffs, idempotency=new_record(idempotency, context.clock(), made.game.version)
    )


def _same_again(table: GameSession, asked: Rematch) -> CreateGame:
    """The game as somebody would ask for it: who has left to a bot or resigned plays again, an open seat is open."""
    game = table.game
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
        seed=asked.seed,
        visibility=table.access.visibility,
        turn_timeout_s=game.turn_timeout_s,
        on_timeout=msgspec.convert(game.on_timeout, RequestedTimeoutPolicy | None),
    )


def _access(wanted: CreateGame, before: AccessRecord, minting: bytes) -> AccessRecord:
    """New tokens for the owner, the spectators and the owner's seats; whoever had joined keeps theirs.

    Who was found by a creator's key before is so again.
    """
    fresh = new_access_record(wanted, minting, before.creator)
    joined = [seat for seat in fresh.owner_seats if seat not in before.owner_seats]
    for seat in joined:
        fresh.seats[seat] = before.seats[seat]
    return msgspec.structs.replace(
        fresh, owner_seats=[seat for seat in fresh.owner_seats if seat not in joined], tags=[*before.tags]
    )
