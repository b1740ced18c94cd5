"""A new game before it is stored: players, shuffle, the first moves of bots, and its id, tokens and access record."""

import secrets
from hashlib import sha256

from schemas.lobby import Created, CreateGame, SeatToken
from schemas.vocabulary import COLORS
from service.engine import Game, Player, build_view, set_up
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
from service.games.bot_turns import play_bots
from service.games.cache import GameSession
from service.games.commands.player_names import assign_names
from service.games.context import Context
from service.games.diffs import record_change
from service.games.errors import UnknownBot
from service.games.i18n import Language
from service.games.idempotency import ReplayableResult
from service.games.ports import StoredDiff
from service.games.queries.games import list_legal_moves, load_digest
from service.games.shuffle import (
    RANDOM_SEED_BYTES,
    commitment,
    first_seat,
    shuffled_bag,
    shuffled_ships,
)
from service.games.tilesets import LoadedTileSet

ID_LENGTH = 12
ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


async def set_up_game(
    context: Context,
    asked: CreateGame,
    tileset: LoadedTileSet,
    game_id: str,
    *,
    previous_game: str | None = None,
    creator: bytes = b"",
) -> tuple[Game, list[StoredDiff]]:
    """The game that was asked for, with its bots' first moves. Raises Conflict where names look alike."""
    index = tileset.index
    seed = asked.seed or secrets.token_hex(RANDOM_SEED_BYTES)
    game, events = set_up(
        index,
        game_id=game_id,
        edition=asked.edition or "international",
        players=_players(asked),
        first_seat=first_seat(seed, len(asked.players)) if asked.first_seat is None else asked.first_seat,
        bag=shuffled_bag(index, seed),
        ships=shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=asked.seed is not None,
        commitment=commitment(game_id, seed, tileset.hash),
        created_at=context.now(),
        turn_timeout_s=asked.turn_timeout_s,
        on_timeout=(asked.on_timeout or "pass") if asked.turn_timeout_s is not None else None,
    )
    game.previous_game = previous_game
    game.creator = creator
    first = record_change(index, game, events, at=game.created_at)
    return game, [first, *await play_bots(context, index, game)]


def new_access_record(asked: CreateGame, key: bytes, creator: bytes | None) -> AccessRecord:
    """Who may do what: tokens that follow from the key for everybody who sits there from the start.

    `creator` is the hash of the creator's key, by which the game and its users are found.
    """
    salt = secrets.token_bytes(SALT_BYTES)
    owned = [seat for seat, player in enumerate(asked.players) if not player.open and player.bot is None]
    return AccessRecord(
        visibility=asked.visibility or "public",
        salt=salt,
        owner=hash_token(derive_token(key, salt, OWNER)),
        spectator=hash_token(derive_token(key, salt, SPECTATOR)),
        seats=[
            hash_token(derive_token(key, salt, seat_role(seat))) if seat in owned else None
            for seat in range(len(asked.players))
        ],
        owner_seats=owned,
        creator=creator,
        tags=[
            SeatTag(creator, player.external_user) if creator is not None and seat in owned else None
            for seat, player in enumerate(asked.players)
        ],
    )


def created_response(table: GameSession, key: bytes, digest: str, language: Language | None) -> Created:
    """The answer, with the tokens that follow from the key, which are nowhere stored; legal moves in a language."""
    game, access, index = table.game, table.access, table.tileset.index
    salt = access.salt
    return Created(
        game=build_view(index, game),
        digest=digest,
        owner_token=derive_token(key, salt, OWNER),
        spectator_token=derive_token(key, salt, SPECTATOR),
        seats=[SeatToken(seat=seat, token=derive_token(key, salt, seat_role(seat))) for seat in access.owner_seats],
        legal_moves=None if language is None else list_legal_moves(index, game, language=language),
    )


async def replay_created(
    context: Context, table: GameSession, key: bytes, version: int, language: Language | None
) -> ReplayableResult[Created]:
    """The answer once more for a game that had this version then: the same tokens, and the game as it is now."""
    digest = await load_digest(context, table.game.id, version)
    return ReplayableResult(created_response(table, key, digest, language), version, replayed=True)


def check_bots(context: Context, asked: CreateGame) -> None:
    """Raise UnknownBot for one that this service does not have."""
    for seat, player in enumerate(asked.players):
        if player.bot is not None and player.bot not in context.bots:
            raise UnknownBot(player.bot, seat)


def random_game_id() -> str:
    """An id of 62 random bits."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


def derive_game_id(source: str, number: int) -> str:
    """An id that follows from `source` and does not tell it; there is one for each `number`."""
    rest = int.from_bytes(sha256(b"%b.%d" % (source.encode(), number)).digest())
    digits = []
    for _ in range(ID_LENGTH):
        rest, digit = divmod(rest, len(ID_ALPHABET))
        digits.append(ID_ALPHABET[digit])
    return "".join(digits)


def _players(asked: CreateGame) -> list[Player]:
    """Seats with their colours: those asked for, then red, blue, green, yellow, black by seat, skipping those taken.

    Raises Conflict where names look alike.
    """
    taken = {player.color for player in asked.players}
    free = iter([color for color in COLORS if color not in taken])
    players = []
    for player, name in zip(asked.players, assign_names(asked.players), strict=True):
        kind = "open" if player.open else "human" if player.bot is None else "bot"
        color = None if player.open else player.color or next(free)
        players.append(Player(name=name, color=color, kind=kind, bot=player.bot))
    return players
