"""Creating and joining a game. Source: api.md, "Creating, joining, starting"."""

import secrets
from hashlib import sha256

import msgspec

from schemas.base import encode
from schemas.lobby import Created, CreateGame, Joined, JoinGame, SeatToken
from schemas.vocabulary import COLORS
from service.engine import Game, Player, open_seat, set_up, take_seat, view
from service.games import context as desk
from service.games.access import (
    OWNER,
    SALT_BYTES,
    SPECTATOR,
    Access,
    check_read,
    decode_access,
    mint,
    seat_role,
    token_hash,
)
from service.games.context import Context, Table
from service.games.diffs import record
from service.games.errors import Conflict, NoOpenSeat
from service.games.idempotency import Idempotency, check_secret, keep, replay, scope
from service.games.opponents import due_at, play_bots
from service.games.port import Answered, Committed, Lost, StoredDiff
from service.games.read import all_legal_moves
from service.games.shuffle import (
    RANDOM_SEED_BYTES,
    commitment,
    first_seat,
    shuffled_bag,
    shuffled_ships,
)
from service.games.tilesets import DEFAULT, LoadedTileSet

ID_LENGTH = 12
ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
ID_TRIES = 20
KEY_BYTES = 32
CREATE_PATH = "/v1/games"


async def create(context: Context, asked: CreateGame, *, key: str | None, include_moves: bool) -> Created:
    """Create a game; it starts at once when no seat is open. Raises UnknownTileSet, KeyReused, Malformed.

    With a key the game's id follows from it, so that a retry finds the game, and with it the answer that it kept.
    """
    idempotency = scope(key, CREATE_PATH, None, asked)
    check_secret(idempotency)
    tileset = context.tilesets.chosen(asked.tileset or DEFAULT)
    expired = 0
    for _ in range(ID_TRIES):
        game_id = _derived_id(idempotency, expired) if idempotency else _random_id()
        if idempotency and (loaded := await context.store.load(game_id, idempotency.stored_key)) is not None:
            if (answer := replay(idempotency, loaded.answer)) is None:
                expired += 1
                continue
            access = decode_access(loaded.access)
            return _with_tokens(msgspec.json.decode(answer, type=Created), idempotency.key, access)
        created = await _try_create(context, asked, tileset, game_id, idempotency, include_moves=include_moves)
        if created is not None:
            return created
    raise Conflict("no id could be found for the new game")


async def join(
    context: Context, game_id: str, asked: JoinGame, *, token: str | None, key: str | None, include_moves: bool
) -> Joined:
    """Take the next open seat. Raises NoSuchGame, NoOpenSeat, Conflict (the colour is taken), KeyReused, Malformed."""
    idempotency = scope(key, f"/v1/games/{game_id}/seats", token, asked)
    check_secret(idempotency)
    while True:
        loaded, access = await desk.load(context, game_id, idempotency and idempotency.stored_key)
        check_read(access, game_id, token)
        if idempotency and (answer := replay(idempotency, loaded.answer)) is not None:
            return _with_token(msgspec.json.decode(answer, type=Joined), idempotency.key, access)
        table = desk.open_table(context, loaded, access)
        joined = await _try_join(context, table, asked, idempotency, include_moves=include_moves)
        if joined is not None:
            return joined


async def _try_create(
    context: Context,
    asked: CreateGame,
    tileset: LoadedTileSet,
    game_id: str,
    idempotency: Idempotency | None,
    *,
    include_moves: bool,
) -> Created | None:
    """One attempt; None where the id is taken, or a retry of the same request was first."""
    key = idempotency.key if idempotency else secrets.token_bytes(KEY_BYTES)
    game, diffs = await _new_game(context, asked, tileset, game_id)
    access = _new_access(asked, key)
    created = Created(
        game=view(tileset.tables, game),
        digest=game.digest,
        owner_token="",
        spectator_token="",
        seats=[SeatToken(seat=seat, token="") for seat in access.owned],
        legal_moves=all_legal_moves(tileset.tables, game) if include_moves else None,
    )
    outcome = await desk.commit(
        context,
        game,
        diffs,
        access=access,
        before=None,
        was=None,
        store_access=True,
        keep=keep(idempotency, encode(created)),
        due_at=due_at(context, game),
    )
    match outcome:
        case Committed():
            context.committed(game_id, diffs)
            return _with_tokens(created, key, access)
        case Lost() | Answered():
            return None


async def _try_join(
    context: Context, table: Table, asked: JoinGame, idempotency: Idempotency | None, *, include_moves: bool
) -> Joined | None:
    """One attempt; None where somebody else changed the game in between."""
    game, access, tables = table.game, table.access, table.tileset.tables
    was = game.status
    seat = open_seat(game)
    if seat is None:
        raise NoOpenSeat
    taken = {player.color for player in game.players if player.color is not None}
    if asked.color in taken:
        raise Conflict(f"{asked.color} is taken")
    color = asked.color if asked.color is not None else next(color for color in COLORS if color not in taken)
    events = take_seat(tables, game, seat, asked.name, color)
    diffs = [record(tables, game, events, at=context.now()), *await play_bots(context, tables, game)]
    key = idempotency.key if idempotency else secrets.token_bytes(KEY_BYTES)
    access.seats[seat] = token_hash(mint(key, access.salt, seat_role(seat)))
    joined = Joined(
        seat=seat,
        token="",
        game=view(tables, game),
        digest=game.digest,
        legal_moves=all_legal_moves(tables, game) if include_moves else None,
    )
    outcome = await desk.commit(
        context,
        game,
        diffs,
        access=access,
        before=table.loaded,
        was=was,
        store_access=True,
        keep=keep(idempotency, encode(joined)),
        due_at=due_at(context, game),
    )
    match outcome:
        case Committed():
            context.committed(game.id, diffs)
            return _with_token(joined, key, access)
        case Lost() | Answered():
            return None


async def _new_game(
    context: Context, asked: CreateGame, tileset: LoadedTileSet, game_id: str
) -> tuple[Game, list[StoredDiff]]:
    """The game that was asked for, with its bots' first moves."""
    tables = tileset.tables
    seed = asked.seed or secrets.token_hex(RANDOM_SEED_BYTES)
    game, events = set_up(
        tables,
        game_id=game_id,
        edition=asked.edition or "international",
        players=_players(asked),
        first_seat=first_seat(seed, len(asked.players)) if asked.first_seat is None else asked.first_seat,
        bag=shuffled_bag(tables, seed),
        ships=shuffled_ships(tables, seed),
        seed=seed,
        seed_chosen=asked.seed is not None,
        commitment=commitment(game_id, seed, tileset.hash),
        created_at=context.now(),
    )
    first = record(tables, game, events, at=game.created_at)
    return game, [first, *await play_bots(context, tables, game)]


def _players(asked: CreateGame) -> list[Player]:
    """Seats with their colours: those asked for, then red, blue, green, yellow, black by seat, skipping those taken."""
    taken = {player.color for player in asked.players}
    free = iter([color for color in COLORS if color not in taken])
    players = []
    for player in asked.players:
        if player.open:
            players.append(Player(name=None, color=None, kind="open"))
            continue
        color = player.color if player.color is not None else next(free)
        if player.bot is not None:
            name = player.name or player.bot.capitalize()
            players.append(Player(name=name, color=color, kind="bot", bot=player.bot))
        else:
            players.append(Player(name=player.name, color=color, kind="human"))
    return players


def _new_access(asked: CreateGame, key: bytes) -> Access:
    salt = secrets.token_bytes(SALT_BYTES)
    owned = [seat for seat, player in enumerate(asked.players) if not player.open and player.bot is None]
    return Access(
        visibility=asked.visibility or "public",
        salt=salt,
        owner=token_hash(mint(key, salt, OWNER)),
        spectator=token_hash(mint(key, salt, SPECTATOR)),
        seats=[
            token_hash(mint(key, salt, seat_role(seat))) if seat in owned else None
            for seat in range(len(asked.players))
        ],
        owned=owned,
    )


def _with_tokens(created: Created, key: bytes, access: Access) -> Created:
    """The answer with the tokens that follow from the key; they are nowhere stored."""
    salt = access.salt
    return msgspec.structs.replace(
        created,
        owner_token=mint(key, salt, OWNER),
        spectator_token=mint(key, salt, SPECTATOR),
        seats=[SeatToken(seat=one.seat, token=mint(key, salt, seat_role(one.seat))) for one in created.seats],
    )


def _with_token(joined: Joined, key: bytes, access: Access) -> Joined:
    return msgspec.structs.replace(joined, token=mint(key, access.salt, seat_role(joined.seat)))


def _random_id() -> str:
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


def _derived_id(idempotency: Idempotency, expired: int) -> str:
    """An id that follows from the key and does not tell it; `expired` earlier games have lost the answer they kept."""
    number = int.from_bytes(sha256(b"%b.%d" % (idempotency.stored_key.encode(), expired)).digest())
    digits = []
    for _ in range(ID_LENGTH):
        number, digit = divmod(number, len(ID_ALPHABET))
        digits.append(ID_ALPHABET[digit])
    return "".join(digits)
