"""The story: what happened in a game, in sentences."""

import msgspec

from schemas.story import Story
from service.engine import Game, TileSetIndex
from service.engine.tileset_index import pack_cell
from service.games.context import Context
from service.games.i18n import EventNarrator, Language, describe_status, get_translator
from service.games.i18n.story import decode_change, decode_turn, narrate_story
from service.games.ports import GameRecord, UnreadableGame
from service.games.queries.games import MAX_DIFFS, decode_with_index


async def build_story(context: Context, loaded: GameRecord, since: int, limit: int, language: Language) -> Story:
    """Return the diffs after version `since` in sentences, up to the loaded version.

    Version `since` itself is read too: its patch says which turn it was, and where that turn's tile lay, which may have
    been taken back since.
    """
    index, game = decode_with_index(context, loaded)
    translator = get_translator(language)
    narrator, turn = EventNarrator.of(translator, index, game), None
    preceding, number = min(since, 1), min(limit, MAX_DIFFS, loaded.version - since)
    log = await context.store.load_diffs(game.id, since - preceding, preceding + number) if number > 0 else []
    try:
        if log and preceding:
            turn = _turn_at(narrator, index, game, log[0].data)
        changes = [decode_change(entry.data) for entry in log[preceding:]]
    except msgspec.DecodeError as error:
        raise UnreadableGame(f"its log cannot be read: {error}") from error
    return Story(
        version=loaded.version,
        digest=loaded.digest,
        language=language,
        lines=[*narrate_story(narrator, changes, turn)],
        now=describe_status(translator, index, game),
    )


def _turn_at(narrator: EventNarrator, index: TileSetIndex, game: Game, diff: bytes) -> int | None:
    """Return the number of the turn after a diff, and tell the narrator where that turn's tile lay."""
    turn_change = decode_turn(diff)
    if turn_change is None:
        return None
    if turn_change.turn is None:  # finished, so it was the last turn; or only created
        return game.turn_number if turn_change.version > 1 and game.turn_number else None
    if turn_change.turn.placed is not None:
        cell = pack_cell(turn_change.turn.placed.x, turn_change.turn.placed.y)
        narrator.tiles[cell] = index.tile_numbers[turn_change.turn.tile]
    return turn_change.turn.number
