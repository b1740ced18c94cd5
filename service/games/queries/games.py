"""Reading a game, its scores and its diffs, and checking tokens."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import asdict

from schemas.diffs import Diffs
from schemas.scores import BoardFeature, BoardFeatures, BoardSegment, Scores, TileLeft, TilesLeft
from service.engine import Game, TileSetIndex, is_finished
from service.engine.queries import (
    feature_labels_at,
    feature_value,
    is_evaluated,
    islander_values,
    player_scores,
    tiles_left,
)
from service.engine.segments import feature_segments, locate_segment
from service.games.access import authenticate, authorize_read, hash_token, index_key
from service.games.context import Context
from service.games.ports.game_store import GameRecord, UnreadableGame
from service.games.repository import load_game, read_access
from service.i18n import Language, describe_occupied_feature, get_translator, player_names, tile_names


async def load_for_reader(
    context: Context, game: str, token: str | None, since: int | None = None
) -> tuple[GameRecord, bool]:
    """Load a game, still encoded, and return it and whether it is private. Raises NoSuchGame, Unauthorized.

    The revision at version `since` comes with it.
    """
    loaded, access = await load_game(context, game, since=since)
    authorize_read(access, game, token)
    return loaded, access.visibility == "private"


def compute_scores(index: TileSetIndex, game: Game) -> Scores:
    """Return the scores if the game ended now (R8.3), and what each islander is worth (R8.4)."""
    return Scores(version=game.version, players=player_scores(index, game), islanders=islander_values(index, game))


def count_tiles_left(index: TileSetIndex, game: Game, language: Language) -> TilesLeft:
    """Return the tiles left in the bag (R8.1)."""
    counts = zip(tiles_left(index, game).items(), tile_names(language, index), strict=True)
    tiles = [TileLeft(tile=tile, text=name.full, left=left) for (tile, left), name in counts]
    return TilesLeft(version=game.version, language=language, bag=len(game.bag), tiles=tiles)


def list_features(index: TileSetIndex, game: Game, language: Language, x: int | None, y: int | None) -> BoardFeatures:
    """Return the features on the tiles with this x and this y, and what each is worth (R8.4)."""
    translator = get_translator(language)
    names = player_names(translator, game)
    features = []
    for label in feature_labels_at(index, game, x, y):
        value = feature_value(index, game, label)
        located = [locate_segment(game, segment) for segment in sorted(feature_segments(game, label))]
        segments = [BoardSegment(x=x, y=y, segment=segment) for x, y, segment in located]
        evaluated = is_evaluated(game, value)
        text = describe_occupied_feature(translator, names, value, evaluated=evaluated, over=is_finished(game))
        features.append(BoardFeature(**asdict(value), segments=segments, text=text))
    return BoardFeatures(version=game.version, language=language, features=features)


async def is_valid_token(context: Context, game: str | None, token: str) -> bool:
    """Return whether a token is one of a game's, or, without a game, whether any game is indexed under it."""
    if game is None:
        return await is_known_secret(context, [hash_token(token)])
    loaded = await context.store.load(game)
    if loaded is None:
        return False
    return authenticate(read_access(loaded), token) is not None


async def is_known_secret(context: Context, hashes: Sequence[bytes]) -> bool:
    """Return whether any game is indexed under one of these hashes."""
    return bool((await context.store.list_by_keys([index_key(one, None) for one in hashes], 1, None)).games)


MAX_DIFFS = 1000


async def load_digest(context: Context, game: str, version: int) -> str:
    """Load the digest of a version from the log. Raises UnreadableGame."""
    diffs = await context.store.load_diffs(game, version - 1, 1)
    if not diffs or diffs[0].version != version:
        raise UnreadableGame(f"its log does not hold version {version}")
    return diffs[0].digest


async def list_diffs(context: Context, loaded: GameRecord, game: str, since: int, limit: int) -> Diffs[msgspec.Raw]:
    """Return the diffs after version `since`, up to the loaded version."""
    number = min(limit, MAX_DIFFS, loaded.revision.version - since)
    entries = await context.store.load_diffs(game, since, number) if number > 0 else []
    version, digest = loaded.revision
    return Diffs(version=version, digest=digest, diffs=[msgspec.Raw(entry.data) for entry in entries])
