"""Reading one game: its record, scores (R8.2, R8.3) and tiles left (R8.1)."""

from schemas.scores import Scores, TileLeft, TilesLeft
from service.engine import Game, TileSetIndex
from service.engine.queries import islander_values, player_scores, tiles_left
from service.games.access import authorize_read
from service.games.context import Context
from service.games.i18n import Language, tile_names
from service.games.ports.game_store import GameRecord
from service.games.repository import load_game


async def load_for_reader(context: Context, game: str, token: str | None) -> tuple[GameRecord, bool]:
    """Load a game, still encoded, and return it and whether it is private. Raises NoSuchGame, Unauthorized."""
    loaded, access = await load_game(context, game)
    authorize_read(access, game, token)
    return loaded, access.visibility == "private"


def compute_scores(index: TileSetIndex, game: Game) -> Scores:
    """Return the scores if the game ended now (R8.3), and what each islander is worth (R8.4)."""
    return Scores(version=game.version, players=player_scores(index, game), islanders=islander_values(index, game))


def count_tiles_left(index: TileSetIndex, game: Game, language: Language) -> TilesLeft:
    """Return the tiles left in the bag (R8.1)."""
    counts = zip(tiles_left(index, game), tile_names(language, index), strict=True)
    tiles = [TileLeft(tile=count.tile, text=name.full, left=count.left) for count, name in counts]
    return TilesLeft(version=game.version, language=language, bag=len(game.bag), tiles=tiles)
