"""Creating a game."""

from schemas.lobby import Created, CreateGame
from service.games import repository
from service.games.commands.execute import ClientCharge, retry
from service.games.commands.game_setup import (
    check_bots,
    created_response,
    derive_game_id,
    new_access_record,
    random_game_id,
    replay_created,
    set_up_game,
)
from service.games.context import Context, GameSession
from service.games.errors import UnknownTileSet
from service.games.idempotency import (
    ReplayableResult,
    idempotency_scope,
    new_record,
    read_record,
    token_secret,
)
from service.games.queries.my_games import check_external_users, creator_hash
from service.games.repository import read_access
from service.games.tilesets import DEFAULT_TILESET
from service.games.webhooks.updates import attach_to_key
from service.i18n import ENGLISH, Language


async def create(  # noqa: PLR0913  what a request says, each by name
    context: Context,
    body: CreateGame,
    *,
    key: str | None,
    include_moves: bool,
    creator: str | None = None,
    api_key: str | None = None,
    client: bytes = b"",
    language: Language = ENGLISH,
    charge: ClientCharge | None = None,
) -> ReplayableResult[Created]:
    """Create a game; it starts at once when no seat is open.

    With a key the game's id is derived from it, so that a retry loads that game and its idempotency record. `creator`
    is the creator's key, `api_key` the name of the API key. `client` identifies the requester
    (`priority.hash_creator`), whose games' bots take turns.
    Raises UnknownTileSet, UnknownBot, IdempotencyKeyReused, Malformed.
    """
    scope = idempotency_scope(key, "/v1/games", None, body)
    secret = token_secret(scope)
    check_external_users(body, creator)
    tileset = context.tilesets.get(body.tileset or DEFAULT_TILESET, UnknownTileSet)
    check_bots(context, body)
    language_of_moves = language if include_moves else None
    expired_ids = 0

    async def attempt() -> ReplayableResult[Created] | None:
        nonlocal expired_ids
        game_id = random_game_id() if scope is None else derive_game_id(scope.key_hash, expired_ids)
        stored = None if scope is None else await context.store.load(game_id, scope.key_hash)
        if stored is None:
            if charge is not None:
                await charge.charge_new_game(body)
            game, diffs = await set_up_game(context, body, tileset, game_id, creator=client)
            session = GameSession(game, new_access_record(body, secret, creator_hash(creator), api_key), tileset)
            created = created_response(session, secret, game.digest, language_of_moves)
            record = new_record(scope, context.clock(), game.version)
            if not await repository.commit(context, session, diffs, store_access=True, idempotency=record):
                return None
            await attach_to_key(context, session)
            return ReplayableResult(created, game.version)
        if (first := read_record(scope, stored.idempotency_record, context.clock())) is not None:
            session = repository.open_session(context, stored, read_access(stored))
            await attach_to_key(context, session)
            return await replay_created(context, session, secret, first.version, language_of_moves)
        expired_ids += 1  # a game of an expired record has this id
        return None

    return await retry(attempt)
