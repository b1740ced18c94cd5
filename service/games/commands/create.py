"""Creating a game.

Setting up a new game: players, shuffle, the bots' first moves, and its id, tokens and access record.
"""

import secrets
from collections.abc import Iterable, Sequence
from hashlib import sha256

from schemas.lobby import Created, CreateGame, SeatRequest, SeatToken
from schemas.player_names import name_key, unique_name
from schemas.vocabulary import COLORS
from service.engine import Game, Player, build_view, set_up
from service.games import repository
from service.games.access import (
    OWNER,
    SALT_BYTES,
    SPECTATOR,
    AccessRecord,
    SeatTag,
    derive_token,
    hash_token,
    seat_role,
)
from service.games.automatic_turns import play_bots
from service.games.commands.execute import ClientCharge, retry
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import Conflict, UnknownBot, UnknownTileSet
from service.games.idempotency import (
    ReplayableResult,
    idempotency_scope,
    new_record,
    read_record,
    token_secret,
)
from service.games.legal_moves import list_legal_moves
from service.games.ports import StoredDiff, StoredGame
from service.games.queries import check_external_users, creator_hash, load_digest
from service.games.tilesets import (
    DEFAULT_TILESET,
    RANDOM_SEED_BYTES,
    LoadedTileSet,
    commitment,
    first_seat,
    shuffled_bag,
    shuffled_ships,
)
from service.games.webhooks.owner import attach_to_key
from service.i18n import ENGLISH, Language

ID_LENGTH = 12
ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


async def set_up_game(
    context: Context,
    body: CreateGame,
    tileset: LoadedTileSet,
    game_id: str,
    *,
    previous_game: str | None = None,
    creator: bytes = b"",
) -> tuple[Game, list[StoredDiff]]:
    """Set up the requested game, and play its bots' first moves. Raises Conflict for two persons of the same name."""
    index = tileset.index
    seed = body.seed or secrets.token_hex(RANDOM_SEED_BYTES)
    game, events = set_up(
        index,
        game_id=game_id,
        edition=body.edition or "international",
        players=_make_players(body),
        first_seat=first_seat(seed, len(body.players)) if body.first_seat is None else body.first_seat,
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=body.seed is not None,
        commitment=commitment(game_id, seed, tileset.hash),
        created_at=context.now(),
        turn_timeout_s=body.turn_timeout_s,
        on_timeout=(body.on_timeout or "pass") if body.turn_timeout_s is not None else None,
    )
    game.previous_game = previous_game
    game.creator = creator
    first = record_change(index, game, events, game.created_at)
    return game, [first, *await play_bots(context, index, game)]


def new_access_record(
    body: CreateGame, secret: bytes, creator: bytes | None, api_key: str | None = None
) -> AccessRecord:
    """Return an access record with tokens derived from a secret, for the owner, the spectators and the filled seats.

    `creator` is the hash of the creator's key, under which the game and its external users are indexed; so is the game
    under the API key of this name.
    """
    salt = secrets.token_bytes(SALT_BYTES)
    owner_seats = [seat for seat, player in enumerate(body.players) if not player.open and player.bot is None]
    return AccessRecord(
        visibility=body.visibility or "public",
        salt=salt,
        owner=hash_token(derive_token(secret, salt, OWNER)),
        spectator=hash_token(derive_token(secret, salt, SPECTATOR)),
        seats=[
            hash_token(derive_token(secret, salt, seat_role(seat))) if seat in owner_seats else None
            for seat in range(len(body.players))
        ],
        owner_seats=owner_seats,
        creator=creator,
        tags=[
            SeatTag(creator, player.external_user) if creator is not None and seat in owner_seats else None
            for seat, player in enumerate(body.players)
        ],
        api_key=api_key,
    )


def created_response(
    context: Context, stored: StoredGame, secret: bytes, digest: str, language: Language | None
) -> Created:
    """Return the response with the tokens, which are stored nowhere, and the legal moves in a language."""
    index, game = repository.open_game(context.tilesets, stored)
    access = stored.access
    salt = access.salt
    return Created(
        game=build_view(index, game),
        digest=digest,
        owner_token=derive_token(secret, salt, OWNER),
        spectator_token=derive_token(secret, salt, SPECTATOR),
        seats=[SeatToken(seat=seat, token=derive_token(secret, salt, seat_role(seat))) for seat in access.owner_seats],
        legal_moves=None if language is None else list_legal_moves(index, game, language=language),
    )


async def replay_created(
    context: Context, stored: StoredGame, secret: bytes, version: int, language: Language | None
) -> ReplayableResult[Created]:
    """Return the response again to a request that made this version: the same tokens, and the current game."""
    digest = await load_digest(context, stored.game.id, version)
    return ReplayableResult(created_response(context, stored, secret, digest, language), version, replayed=True)


def check_bots(context: Context, body: CreateGame) -> None:
    """Raise UnknownBot for a bot that this service does not have."""
    for seat, player in enumerate(body.players):
        if player.bot is not None and player.bot not in context.bots:
            raise UnknownBot(player.bot, seat)


def random_game_id() -> str:
    """Return an id of 62 random bits."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


def derive_game_id(source: str, number: int) -> str:
    """Return the id with this number that is derived from `source`, which it does not reveal."""
    rest = int.from_bytes(sha256(b"%b.%d" % (source.encode(), number)).digest())
    digits = []
    for _ in range(ID_LENGTH):
        rest, digit = divmod(rest, len(ID_ALPHABET))
        digits.append(ID_ALPHABET[digit])
    return "".join(digits)


def _make_players(body: CreateGame) -> list[Player]:
    """Return the players; those without a colour get the first free one of red, blue, green, yellow, black.

    Raises Conflict for two persons of the same name.
    """
    taken = {player.color for player in body.players}
    free = iter([color for color in COLORS if color not in taken])
    players = []
    for player, name in zip(body.players, assign_names(body.players), strict=True):
        kind = "open" if player.open else "human" if player.bot is None else "bot"
        color = None if player.open else player.color or next(free)
        players.append(Player(name=name, color=color, kind=kind, bot=player.bot))
    return players


def check_name_free(game: Game, name: str) -> None:
    """Raise Conflict if a player of the game has this name."""
    _check_differs(name, (player.name for player in game.players if player.name is not None))


def assign_names(players: Sequence[SeatRequest]) -> list[str | None]:
    """Return the name of each seat, None for an open one. Raises Conflict for two persons of the same name.

    A bot without a name gets that of its kind. Any bot's name gets the first number that makes it unique.
    """
    taken: list[str] = []
    for player in players:
        if player.name is not None and player.bot is None:
            _check_differs(player.name, taken)
            taken.append(player.name)
    return [_seat_name(player, taken) for player in players]


def _seat_name(player: SeatRequest, taken: list[str]) -> str | None:
    """Return a seat's name, and add a bot's to those taken."""
    if player.bot is None:
        return player.name
    name = unique_name(player.name or player.bot.capitalize(), taken)
    taken.append(name)
    return name


def _check_differs(name: str, others: Iterable[str]) -> None:
    key = name_key(name)
    for other in others:
        if name_key(other) == key:
            raise Conflict(f"the name {name} is taken: a player of this game is {other}")


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
            stored = StoredGame(game_id)
            stored.game, diffs = await set_up_game(context, body, tileset, game_id, creator=client)
            stored.access = new_access_record(body, secret, creator_hash(creator), api_key)
            game = stored.game
            created = created_response(context, stored, secret, game.digest, language_of_moves)
            record = new_record(scope, context.clock(), game.version)
            if not await repository.commit(context, stored, diffs, stores_access=True, idempotency=record):
                return None
            await attach_to_key(context, stored)
            return ReplayableResult(created, game.version)
        if (first := read_record(scope, stored.idempotency_record, context.clock())) is not None:
            await attach_to_key(context, stored)
            return await replay_created(context, stored, secret, first.version, language_of_moves)
        expired_ids += 1  # a game of an expired record has this id
        return None

    return await retry(attempt)
