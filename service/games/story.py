"""Reading what happened in sentences."""

from schemas.story import Story
from service.games.context import Context
from service.games.port import Loaded
from service.games.read import MAX_DIFFS, opened
from service.games.texts import Language, Teller, situation, speech
from service.games.texts.story import Change, read_change, tell

LEAD = 16
"""How many versions before the first are read at a time, to find the beginning of its turn."""


async def story(context: Context, loaded: Loaded, since: int, limit: int, language: Language) -> Story:
    """The log after version `since` up to the game as it was loaded, in sentences."""
    tables, game = opened(context, loaded)
    spoken = speech(language)
    changes = await _changes(context, game.id, since, min(limit, MAX_DIFFS, loaded.version - since))
    return Story(
        version=loaded.version,
        digest=loaded.digest,
        language=language,
        lines=[*tell(Teller.of(spoken, tables, game), changes, since)],
        now=situation(spoken, tables, game),
    )


async def _changes(context: Context, game: str, since: int, number: int) -> list[Change]:
    """`number` versions after `since`, and before them all from the beginning of the turn that was played then.

    The turn's tile may have been taken back since: only the log knows where it lay when an islander stood on it.
    """
    if number <= 0:
        return []
    begin = max(0, since - LEAD)
    changes = await _read(context, game, begin, since - begin + number)
    while begin > 0 and not any(change.starts for change in changes if change.version <= since):
        end, begin = begin, max(0, begin - LEAD)
        changes = await _read(context, game, begin, end - begin) + changes
    return changes


async def _read(context: Context, game: str, since: int, number: int) -> list[Change]:
    return [read_change(entry.data) for entry in await context.store.diffs(game, since, number)]
