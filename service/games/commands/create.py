"""Creating a game. Source: api.md, "Creating, joining, starting"."""

from schemas.lobby import Created, CreateGame
from service.games import repository
from service.games.bot_turns import next_due_at
from service.games.cache import GameSession
from service.games.commands.game_setup import (
    check_bots,
    created_response,
    derive_game_id,
    new_access_record,
    random_game_id,
    replay_created,
    set_up_game,
)
from service.games.commands.retry import retry_on_conflict
from service.games.context import Context
from service.games.i18n import ENGLISH, Language
from service.games.idempotency import (
    ReplayableResult,
    idempotency_scope,
    new_record,
    read_record,
    token_secret,
)
from service.games.queries.my_games import check_external_users, creator_hash
from service.games.repository import read_access
from service.games.tilesets import DEFAULT


async def create(  # noqa: PLR0913 (all that a request says, each by name)
    context: Context,
    asked: CreateGame,
    *,
    key: str | None,
    include_moves: bool,
    creator: str | None = None,
    client: bytes = b"",
    language: Language = ENGLISH,
) -> ReplayableResult[Created]:
    """Create a game; it starts at once when no seat is open. Raises UnknownTileSet, UnknownBot, KeyReused, Malformed.

    `client` stands for who asks (`attendance.creator_of`): all games of one client have one turn among bots' games.
    With a key the game's id follows from it, so that a retry finds the game, and with it the key's record.
    """
    idempotency = idempotency_scope(key, "/v1/games", None, asked)
    secret = token_secret(idempotency)
    check_external_users(asked, creator)
    tileset = context.tilesets.get_for_new_game(asked.tileset or DEFAULT)
    check_bots(context, asked)
    tagged, shown_in = creator_hash(creator), language if include_moves else None
    expired = 0

    async def attempt(_number: int) -> ReplayableResult[Created] | None:
        """Give None where the id is taken, or a retry of the same request was first."""
        nonlocal expired
        game_id = derive_game_id(idempotency.stored_key, expired) if idempotency else random_game_id()
        if idempotency and (loaded := await context.store.load(game_id, idempotency.stored_key)) is not None:
            if (before := read_record(idempotency, loaded.record, context.clock())) is not None:
                table = repository.open_session(context, loaded, read_access(loaded))
                return await replay_created(context, table, secret, before.version, shown_in)
            expired += 1
            return None
        game, diffs = await set_up_game(context, asked, tileset, game_id, creator=client)
        table = GameSession(game, new_access_record(asked, secret, tagged), tileset)
        created = created_response(table, secret, game.digest, shown_in)
        kept = new_record(idempotency, context.clock(), game.version)
        due = next_due_at(context, game)
        is_committed = await repository.commit(context, table, diffs, store_access=True, idempotency=kept, due_at=due)
        return ReplayableResult(created, game.version) if is_committed else None

    return await retry_on_conflict(attempt)
