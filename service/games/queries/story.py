"""The story: what happened in a game, in sentences."""

import msgspec

from schemas.story import Story
from service.engine import Game, TileSetIndex
from service.engine.tileset_index import pack_cell
from service.games.context import Context
from service.games.ports.game_store import GameRecord, StoredDiff, UnreadableGame
from service.games.queries.games import MAX_DIFFS
from service.games.repository import decode_with_index
from service.i18n import EventNarrator, Language, describe_status, get_translator
from service.i18n.story import PatchedTurn, decode_change, decode_turn, narrate_story


async def build_story(context: Context, loaded: GameRecord, since: int, limit: int, language: Language) -> Story:
    """Return the diffs after version `since` in sentences, up to the loaded version.

    Version `since` itself is read too: its patch says which turn it was, and where that turn's tile lay, which may have
    been taken back since.
    """
    index, game = decode_with_index(context.tilesets, loaded)
    translator = get_translator(language)
    narrator, turn = EventNarrator.of(translator, index, game), None
    preceding, number = min(since, 1), min(limit, MAX_DIFFS, loaded.revision.version - since)
    log = await context.store.load_diffs(game.id, since - preceding, preceding + number) if number > 0 else []
    try:
        if log and preceding:
            turn = _turn_at(narrator, index, game, log[0])
        changes = [decode_change(entry.data) for entry in log[preceding:]]
    except msgspec.DecodeError as error:
        raise UnreadableGame(f"its log cannot be read: {error}") from error
    return Story(
        version=loaded.revision.version,
        digest=loaded.revision.digest,
        language=language,
        lines=[*narrate_story(narrator, changes, turn)],
        now=describe_status(translator, index, game),
    )


def _turn_at(narrator: EventNarrator, index: TileSetIndex, game: Game, diff: StoredDiff) -> int | None:
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
