"""What clients can read: a game, its scores, diffs and story, the lobby, and their own games.

A creator, such as a chat bot, chooses one secret key and sends it when it creates or joins games. Only the key's hash
is stored: with the game, and with each of its seats beside the creator's name for that user. The store indexes games
under the hashes of tokens and keys (`access.index_keys`). The index may be stale, so the access record decides.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import msgspec
from msgspec.structs import asdict

from schemas.diffs import Diffs
from schemas.game import GameSummary, GameView
from schemas.lobby import CreateGame, GameListQuery, Games, JoinGame, MyGame, MyGameListQuery, MyGames, MySeat
from schemas.scores import BoardFeature, BoardFeatures, BoardSegment, Scores, TileLeft, TilesLeft
from schemas.story import Story
from schemas.vocabulary import STATUSES, Status
from service import i18n
from service.engine import Game, TileSetIndex, build_view, is_finished, queries
from service.engine.segments import feature_segments, locate_segment
from service.engine.tileset_index import pack_cell
from service.games import access as rights
from service.games.due_work import record_failure
from service.games.errors import Malformed, NoOwnGames, TileSetMissing
from service.games.ports import GameOfLaterRelease, Page, StoredDiff, StoredGame, StoreUnavailable, UnreadableGame
from service.games.repository import Context, load_game, open_game
from service.i18n.events import PatchedTurn, decode_change, decode_turn, narrate_story


async def load_for_reader(context: Context, game: str, token: str | None, since: int | None = None) -> StoredGame:
    """Load a game. Raises NoSuchGame, Unauthorized.

    The revision at version `since` comes with it.
    """
    loaded = await load_game(context, game, since=since)
    rights.authorize_read(loaded.access, game, token)
    return loaded


def compute_scores(index: TileSetIndex, game: Game) -> Scores:
    """Return the scores if the game ended now (R8.3), and what each islander is worth (R8.4)."""
    return Scores(
        version=game.version, players=queries.player_scores(index, game), islanders=queries.islander_values(index, game)
    )


def count_tiles_left(index: TileSetIndex, game: Game, language: i18n.Language) -> TilesLeft:
    """Return the tiles left in the bag (R8.1)."""
    counts = zip(queries.tiles_left(index, game).items(), i18n.tile_names(language, index), strict=True)
    tiles = [TileLeft(tile=tile, text=name.full, left=left) for (tile, left), name in counts]
    return TilesLeft(version=game.version, language=language, bag=len(game.bag), tiles=tiles)


def list_features(
    index: TileSetIndex, game: Game, language: i18n.Language, x: int | None, y: int | None
) -> BoardFeatures:
    """Return the features on the tiles with this x and this y, and what each is worth (R8.4)."""
    translator = i18n.get_translator(language)
    names = i18n.player_names(translator, game)
    features = []
    for label in queries.feature_labels_at(index, game, x, y):
        value = queries.feature_value(index, game, label)
        located = [locate_segment(game, segment) for segment in sorted(feature_segments(game, label))]
        segments = [BoardSegment(x=x, y=y, segment=segment) for x, y, segment in located]
        evaluated = queries.is_evaluated(game, value)
        text = i18n.describe_occupied_feature(translator, names, value, evaluated=evaluated, over=is_finished(game))
        features.append(BoardFeature(**asdict(value), segments=segments, text=text))
    return BoardFeatures(version=game.version, language=language, features=features)


async def is_valid_token(context: Context, game: str | None, token: str) -> bool:
    """Return whether a token is one of a game's, or, without a game, whether any game is indexed under it."""
    if game is None:
        return await is_known_secret(context, [rights.hash_token(token)])
    loaded = await context.store.load(game)
    if loaded is None:
        return False
    return rights.authenticate(loaded.access, token) is not None


async def is_known_secret(context: Context, hashes: Sequence[bytes]) -> bool:
    """Return whether any game is indexed under one of these hashes."""
    return bool((await context.store.list_by_keys([rights.index_key(one, None) for one in hashes], 1, None)).games)


MAX_DIFFS = 1000


async def load_digest(context: Context, game: str, version: int) -> str:
    """Load the digest of a version from the log, as clients get it. Raises UnreadableGame."""
    (diff,) = await _load_diffs(context, game, version - 1, 1)
    return diff.digest.hex()


async def _load_diffs(context: Context, game: str, since: int, number: int) -> list[StoredDiff]:
    """Load so many diffs after version `since`. Raises UnreadableGame where the log has fewer."""
    diffs = await context.store.load_diffs(game, since, number) if number > 0 else []
    if len(diffs) < number:
        raise UnreadableGame(f"its log does not hold version {since + len(diffs) + 1}")
    return diffs


async def list_diffs(context: Context, loaded: StoredGame, game: str, since: int, limit: int) -> Diffs[msgspec.Raw]:
    """Return the diffs after version `since`, up to the loaded version."""
    number = min(limit, loaded.revision.version - since)
    entries = await _load_diffs(context, game, since, number)
    version, digest = loaded.revision
    return Diffs(version=version, digest=digest.hex(), diffs=[msgspec.Raw(entry.data) for entry in entries])


T = TypeVar("T")

MAX_GAMES_SCANNED = 200
"""Games that one request for a list loads; with a narrow filter its page may be short."""


async def list_games(context: Context, status: Status | None, limit: int, cursor: str | None) -> tuple[Games, int]:
    """Return a page of public games, newest first, and how many were loaded.

    The store's list may be stale: games without this status are skipped and removed from it, so a page may be short.
    """
    statuses = (status,) if status else STATUSES
    read_page, show = partial(context.store.list_by_status, statuses), partial(_load_summary, context, statuses)
    games, next_cursor, scanned = await collect_page(read_page, show, limit, cursor)
    return Games(games=games, next_cursor=next_cursor), scanned


async def collect_page(
    read_page: Callable[[int, str | None], Awaitable[Page]],
    show: Callable[[str], Awaitable[T | None]],
    limit: int,
    cursor: str | None,
) -> tuple[list[T], str | None, int]:
    """Return what `show` returns for the games of a list, without None, up to `limit` of them.

    Return also the cursor of the next page, and how many games were loaded. Raises StoreUnavailable, and
    GameOfLaterRelease where the page would be empty because this instance is too old for its games.
    """
    entries: list[T] = []
    scanned, too_new = 0, None
    while True:
        page = await read_page(limit - len(entries), cursor)
        cursor, scanned = page.next_cursor, scanned + len(page.games)
        for shown in await asyncio.gather(*(_await_entry(game, show(game)) for game in page.games)):
            if isinstance(shown, GameOfLaterRelease):
                too_new = shown
            elif shown is not None:
                entries.append(shown)
        if len(entries) >= limit or cursor is None or scanned >= MAX_GAMES_SCANNED:
            if too_new and not entries:
                raise too_new
            return entries, cursor, scanned


async def _await_entry(game: str, reading: Awaitable[T | None]) -> T | GameOfLaterRelease | None:
    """Await a game's entry in a list; return why, or None, if it cannot be shown. Raises StoreUnavailable."""
    try:
        return await reading
    except GameOfLaterRelease as error:
        return error
    except (TileSetMissing, UnreadableGame):
        return None
    except StoreUnavailable:
        raise
    except Exception as error:  # noqa: BLE001  one game that cannot be shown must not hide all others
        record_failure("lists", game, error, "is omitted from a list")
        return None


async def _load_summary(context: Context, statuses: Sequence[Status], game: str) -> GameSummary | None:
    """Return a listed game, or None for one that is private or has none of these statuses; that is then unlisted.

    It is loaded again after that, and listed again if a commit has brought one of the statuses meanwhile.
    """
    for is_unlisted in (False, True):
        loaded = await context.store.load(game)
        if loaded is not None and not loaded.is_private and loaded.game.status in statuses:
            if is_unlisted:
                await context.store.list_game(loaded.game)
            return summarize(build_view(*open_game(context.tilesets, loaded)))
        if not is_unlisted:
            await asyncio.gather(*(context.store.unlist(game, status) for status in statuses))
    return None


def summarize(whole: GameView) -> GameSummary:
    """Return a game's entry in lists."""
    return GameSummary(**{name: getattr(whole, name) for name in GameSummary.__struct_fields__})


async def list_api_key_games(context: Context, key: str, wanted: GameListQuery) -> tuple[Games, int]:
    """Return a page of the games of a key, by its name, newest first, private ones too, and how many were loaded.

    Raises Malformed for an invalid cursor.
    """
    read_page = partial(context.store.list_by_keys, [rights.subject_of_key(key)])
    show = partial(_load_summary_of_key, context, key, wanted.status)
    games, next_cursor, scanned = await collect_page(read_page, show, wanted.limit, wanted.cursor)
    return Games(games=games, next_cursor=next_cursor), scanned


async def _load_summary_of_key(context: Context, key: str, status: Status | None, game_id: str) -> GameSummary | None:
    """Load an indexed game; None if it is not the key's, or not requested: the index may be stale."""
    loaded = await context.store.load(game_id)
    if loaded is None or loaded.access.api_key != key:
        return None
    view = build_view(*open_game(context.tilesets, loaded))
    return summarize(view) if status in (None, view.status) else None


def creator_hash(creator: str | None) -> bytes | None:
    """Return the hash of a creator's key, as it is stored."""
    return None if creator is None else rights.hash_token(creator)


def check_external_users(body: CreateGame | JoinGame, creator: str | None) -> None:
    """Raise Malformed for an `external_user` without a creator's key, under which it would be indexed."""
    seats = (
        {"$": body} if isinstance(body, JoinGame) else {f"$.players[{n}]": one for n, one in enumerate(body.players)}
    )
    for path, seat in seats.items() if creator is None else ():
        if seat.external_user is not None:
            detail = "a user's games are listed by the creator's key: send it in the header Creator-Key"
            raise Malformed(detail, f"{path}.external_user")


def tag_seat(access: rights.AccessRecord, seat: int, creator: str | None, user: str | None) -> None:
    """Tag a seat with its creator and user."""
    access.tags[seat] = None if creator is None else rights.SeatTag(rights.hash_token(creator), user)


async def collect_my_games(context: Context, secrets: Sequence[str], wanted: MyGameListQuery) -> tuple[MyGames, int]:
    """Return a page of the games of these tokens and creators' keys, and how many were loaded.

    Raises Malformed for an invalid cursor, NoOwnGames.
    """
    hashes = [rights.hash_token(secret) for secret in dict.fromkeys(secrets)]
    under = [rights.index_key(one, wanted.external_user) for one in hashes]
    read_page, show = partial(context.store.list_by_keys, under), partial(_load_entry, context, wanted, hashes)
    games, next_cursor, scanned = await collect_page(read_page, show, wanted.limit, wanted.cursor)
    if not games and not await is_known_secret(context, hashes):
        raise NoOwnGames(missing=False)
    return MyGames(games=games, next_cursor=next_cursor), scanned


async def _load_entry(
    context: Context, wanted: MyGameListQuery, hashes: Sequence[bytes], game_id: str
) -> MyGame | None:
    """Load an indexed game and return its entry; None if it is not the client's, or not requested.

    Raises TileSetMissing, UnreadableGame.
    """
    loaded = await context.store.load(game_id)
    if loaded is None:
        return None
    index, game = open_game(context.tilesets, loaded)
    seats = _own_seats(loaded.access, game, hashes, wanted.external_user)
    if seats is None or wanted.status not in (None, game.status):
        return None
    waiting = any(seat.waiting for seat in seats)
    if wanted.waiting not in (None, waiting):
        return None
    return MyGame(game=summarize(build_view(index, game)), digest=game.digest.hex(), seats=seats, waiting=waiting)


def _own_seats(
    access: rights.AccessRecord, game: Game, hashes: Sequence[bytes], user: str | None
) -> list[MySeat] | None:
    """Return the client's seats in a game; None if it has no part in the game."""
    known = False
    mine = {
        seat: tag.user
        for seat, tag in enumerate(access.tags)
        if tag is not None and user in {None, tag.user} and _contains_hash(tag.creator, hashes)
    }
    if user is None:
        owner, creator = _contains_hash(access.owner, hashes), _contains_hash(access.creator, hashes)
        by_token = [seat for seat, stored in enumerate(access.seats) if _contains_hash(stored, hashes)]
        mine = dict.fromkeys([*(access.owner_seats if owner else ()), *by_token]) | mine
        known = owner or creator
    if not (known or mine):
        return None
    waiting = game.decider if game.status == "active" and game.players[game.decider].bot is None else None
    return [MySeat(seat=seat, external_user=mine[seat], waiting=seat == waiting) for seat in sorted(mine)]


def _contains_hash(digest: bytes | None, hashes: Sequence[bytes]) -> bool:
    return digest is not None and sum(hmac.compare_digest(digest, one) for one in hashes) > 0


async def build_story(context: Context, loaded: StoredGame, since: int, limit: int, language: i18n.Language) -> Story:
    """Return the diffs after version `since` in sentences, up to the loaded version.

    Version `since` itself is read too: its patch says which turn it was, and where that turn's tile lay, which may have
    been taken back since.
    """
    index, game = open_game(context.tilesets, loaded)
    translator = i18n.get_translator(language)
    narrator, turn = i18n.EventNarrator.of(translator, index, game), None
    preceding, number = min(since, 1), min(limit, loaded.revision.version - since)
    log = await _load_diffs(context, game.id, since - preceding, preceding + number) if number > 0 else []
    try:
        if log and preceding:
            turn = _turn_at(narrator, index, game, log[0])
        changes = [decode_change(entry.data) for entry in log[preceding:]]
    except msgspec.DecodeError as error:
        raise UnreadableGame(f"its log cannot be read: {error}") from error
    return Story(
        version=loaded.revision.version,
        digest=loaded.revision.digest.hex(),
        language=language,
        lines=[*narrate_story(narrator, changes, turn)],
        now=i18n.describe_status(translator, index, game),
    )


def _turn_at(narrator: i18n.EventNarrator, index: TileSetIndex, game: Game, diff: StoredDiff) -> int | None:
    """Return the number of the turn after a diff, and tell the narrator where that turn's tile lay."""
    match decode_turn(diff.data):
        case [None] if diff.version > 1:  # the game is over, so it was the last turn
            return game.turn_number or None
        case [PatchedTurn() as turn]:
            if turn.placed is not None:
                cell, tile = pack_cell(turn.placed.x, turn.placed.y), index.tile_numbers[turn.tile]
                if narrator.oriented_tiles.get(cell, -1) >> 2 != tile:  # taken back since, so its rotation is unknown
                    narrator.oriented_tiles[cell] = tile << 2
            return turn.number
        case _:
            return None
