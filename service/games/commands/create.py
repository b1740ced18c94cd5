"""Creating a game: players, shuffle, the bots' first moves, and its id, tokens and access record; and a rematch.

A rematch has the same players again, the next seat first, for the owner or any player. Two games change, each in a
commit of its own: the rematch is created, then the game before it gets one more version that names it. The rematch's id
is derived from the game before, so a retry after a crash between the commits completes the same rematch. All tokens of
the game before are valid in the rematch, since it has the same hashes.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256

import msgspec

from schemas.commands import IncludeQuery
from schemas.events import AnyEvent, RematchCreated
from schemas.lobby import Created, CreateGame, Rematch, Rematched, SeatRequest, SeatToken
from schemas.player_names import name_key, unique_name
from schemas.vocabulary import COLORS, RequestedTimeoutPolicy
from service.engine import Game, Message, Player, build_view, is_finished, set_up
from service.games import access as rights
from service.games import errors, tilesets
from service.games.api_key import ApiKey
from service.games.automatic_turns import play_bots
from service.games.commands.execute import Attempt, Command, GameRequest, TokenRequest
from service.games.diffs import record_change
from service.games.idempotency import IdempotencyScope, ReplayableResult, read_record
from service.games.legal_moves import list_legal_moves
from service.games.ports import StoredDiff, StoredGame
from service.games.queries import check_external_users, creator_hash, load_digest
from service.games.repository import Context, load_game, open_game
from service.i18n import ENGLISH, Language

ID_LENGTH = 12
ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


def check_bots(context: Context, body: CreateGame) -> None:
    """Raise UnknownBot for a bot that this service does not have."""
    for seat, player in enumerate(body.players):
        if player.bot is not None and player.bot not in context.bots:
            known = [bot.name for bot in context.bots.list_bots()]
            raise errors.UnknownBot(player.bot, seat, errors.suggest(player.bot, known))


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
            text = Message("the name {name} is taken: a player of this game is {other}", name=name, other=other)
            raise errors.Conflict(text)


class CreationRequest(TokenRequest, frozen=True, kw_only=True):
    """A request for a new game."""

    id: str = ""
    """None: the game's id is random or derived from the idempotency key."""
    body: CreateGame
    query: IncludeQuery = IncludeQuery()
    client: bytes = b""
    """Identifies the requester (`lifecycle.hash_creator`), whose games' bots take turns."""
    language: Language = ENGLISH
    """Of the legal moves' texts."""
    previous_game: str | None = None
    """That which this one is a rematch of."""
    access_record: rights.AccessRecord | None = None
    """By default a new one."""


async def create(context: Context, request: CreationRequest) -> ReplayableResult[Created]:
    """Create a game; it starts at once when no seat is open.

    With a key the game's id is derived from it, so that a retry loads that game and its idempotency record.
    Raises UnknownTileSet, UnknownBot, IdempotencyKeyReused, Malformed.
    """
    check_external_users(request.body, request.creator_key)
    context.tilesets.get(request.body.tileset or tilesets.DEFAULT_TILESET, errors.UnknownTileSet)
    check_bots(context, request.body)
    return await _CREATION.run(context, request)


async def _find(context: Context, _request: CreationRequest, scope: IdempotencyScope | None) -> StoredGame:
    """Return the game that the idempotency key has created, or a new one; that of an expired record is skipped."""
    if scope is None:
        return StoredGame(random_game_id())

    def is_own(stored: StoredGame) -> bool:
        return read_record(scope, stored.idempotency_record, context.clock()) is not None

    return await _find_derived(context, scope.key_hash, scope.key_hash, is_own)


async def _find_derived(
    context: Context, source: str, key: str | None, is_own: Callable[[StoredGame], bool]
) -> StoredGame:
    """Return the first game with an id derived from `source` that is one's own, or a new one."""
    number = 0
    while (stored := await context.store.load(game_id := derive_game_id(source, number), key)) is not None:
        if is_own(stored):
            return stored
        number += 1
    return StoredGame(game_id)


async def create_game(attempt: Attempt[CreationRequest]) -> list[StoredDiff] | None:
    """Set up the game and its access record, unless it exists."""
    stored, request = attempt.stored, attempt.request
    if stored.revision.version:
        return None
    if request.charge is not None:
        await request.charge.charge_new_game(request.body)
    stored.game, diffs = await _set_up_game(attempt.context, request, stored.id)
    stored.access = request.access_record or _new_access_record(request, attempt.secret)
    return diffs


async def _set_up_game(context: Context, request: CreationRequest, game_id: str) -> tuple[Game, list[StoredDiff]]:
    """Set up the requested game, and play its bots' first moves. Raises Conflict for two persons of the same name."""
    body = request.body
    tileset = context.tilesets.get(body.tileset or tilesets.DEFAULT_TILESET, errors.UnknownTileSet)
    index = tileset.index
    seed = body.seed or tilesets.random_seed()
    game, events = set_up(
        index,
        game_id=game_id,
        edition=body.edition or "international",
        players=_make_players(body),
        first_seat=tilesets.first_seat(seed, len(body.players)) if body.first_seat is None else body.first_seat,
        bag=tilesets.shuffled_bag(index, seed),
        ships=tilesets.shuffled_ships(index, seed),
        seed=seed,
        seed_chosen=body.seed is not None,
        commitment=tilesets.commitment(game_id, seed, tileset.hash),
        created_at=context.now(),
        turn_timeout_s=body.turn_timeout_s,
        on_timeout=(body.on_timeout or "pass") if body.turn_timeout_s is not None else None,
    )
    game.previous_game, game.creator = request.previous_game, request.client
    first = record_change(index, game, events, game.created_at)
    return game, [first, *await play_bots(context, index, game)]


def _new_access_record(request: CreationRequest, secret: bytes) -> rights.AccessRecord:
    """Return an access record with tokens derived from a secret, for the owner, the spectators and the filled seats.

    The game is indexed under its creator's key, as are its external users, and under its API key.
    """
    body, creator, api_key = request.body, creator_hash(request.creator_key), request.api_key
    salt = secrets.token_bytes(rights.SALT_BYTES)

    def token_hash(role: str) -> bytes:
        return rights.hash_token(rights.derive_token(secret, salt, role))

    owner_seats = [seat for seat, player in enumerate(body.players) if not player.open and player.bot is None]
    return rights.AccessRecord(
        visibility=body.visibility or "public",
        salt=salt,
        owner=token_hash(rights.OWNER),
        spectator=token_hash(rights.SPECTATOR),
        seats=[
            token_hash(rights.seat_role(seat)) if seat in owner_seats else None for seat in range(len(body.players))
        ],
        owner_seats=owner_seats,
        creator=creator,
        tags=[
            rights.SeatTag(creator, player.external_user) if creator is not None and seat in owner_seats else None
            for seat, player in enumerate(body.players)
        ],
        api_key=None if api_key is None else api_key.name,
    )


async def _respond(attempt: Attempt[CreationRequest]) -> Created:
    """Return the current game with its tokens, which are stored nowhere."""
    request, index, game, access = attempt.request, attempt.index, attempt.stored.game, attempt.stored.access
    include, derive = request.query.include, partial(rights.derive_token, attempt.secret, access.salt)
    return Created(
        game=build_view(index, game),
        digest=await attempt.load_digest(),
        owner_token=derive(rights.OWNER),
        spectator_token=derive(rights.SPECTATOR),
        seats=[SeatToken(seat=seat, token=derive(rights.seat_role(seat))) for seat in access.owner_seats],
        legal_moves=None if include is None else list_legal_moves(index, game, language=request.language),
    )


_CREATION = Command("/v1/games", create_game, _respond, authorize=None, changes_access=True, find=_find)


class RematchRequest(GameRequest, frozen=True, kw_only=True):
    """A request for a rematch."""

    body: Rematch = Rematch()
    client: bytes = b""
    """Identifies the requester, as in `create`."""
    api_key: ApiKey | None = None


async def _name_rematch(attempt: Attempt[RematchRequest]) -> list[StoredDiff]:
    """Create the rematch of a finished or aborted game, for its owner or a player, then name it in the game before.

    Raises GameNotFinished, RematchExists, TileSetMissing, IdempotencyKeyReused, and what `authorize_owner_or_player`
    does.
    """
    context, before, game = attempt.context, attempt.stored, attempt.stored.game
    if game.next_game is not None:
        raise errors.RematchExists(game.next_game)
    if not is_finished(game):
        raise errors.GameNotFinished(game.status)
    index, request = attempt.index, attempt.request
    creation = CreationRequest(
        body=_same_again(before, request.body),
        previous_game=game.id,
        access_record=_same_access(before.access, request.api_key),
        client=request.client,
        charge=request.charge,
    )
    created, attempt.version, _ = await _REMATCH_CREATION.run(context, creation)
    game.next_game, events = created, list[AnyEvent]([RematchCreated(game=created)])
    return [record_change(index, game, events, context.now())]


async def _show_rematch(attempt: Attempt[RematchRequest]) -> Rematched:
    """Return the rematch as it is now."""
    before, context = attempt.stored.game, attempt.context
    index, game = open_game(context.tilesets, await load_game(context, before.next_game or before.id))
    return Rematched(game=build_view(index, game), digest=await load_digest(context, game.id, attempt.version))


rematch = Command("/v1/games/{0.id}/rematch", _name_rematch, _show_rematch, rights.authorize_owner_or_player).run


async def _find_rematch(context: Context, request: CreationRequest, _scope: IdempotencyScope | None) -> StoredGame:
    """Return the rematch where an earlier request has created it, or a new game; another game's id is skipped."""

    def is_own(stored: StoredGame) -> bool:
        return stored.game.previous_game == request.previous_game

    return await _find_derived(context, f"rematch.{request.previous_game}", None, is_own)


async def _return_id(attempt: Attempt[CreationRequest]) -> str:
    return attempt.stored.id


_REMATCH_CREATION = Command("", create_game, _return_id, authorize=None, changes_access=True, find=_find_rematch)


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


def _same_access(before: rights.AccessRecord, api_key: ApiKey | None) -> rights.AccessRecord:
    """Return an access record with the same tokens, for the same creators' keys.

    The API key is the request's, else the one of the game before: a player's request leaves the game with its host. The
    salt is new, so that a key used in both games replaces a seat's token by another one in each.
    """
    return msgspec.structs.replace(
        before,
        salt=secrets.token_bytes(rights.SALT_BYTES),
        seats=[*before.seats],
        owner_seats=[*before.owner_seats],
        tags=[*before.tags],
        api_key=before.api_key if api_key is None else api_key.name,
    )
