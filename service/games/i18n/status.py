"""The status of a game in a sentence: whose decision it is, or how the game ended."""

from schemas.vocabulary import Phase
from service.engine import Game, TileSetIndex
from service.engine.final_scoring import final_score, winning_seats
from service.games.i18n.catalogue import Translator, gettext_noop
from service.games.i18n.events import winner_sentence
from service.games.i18n.phrases import player_names
from service.games.i18n.sentences import translate_sentence

_DECISIONS: dict[Phase, str] = {
    "place_tile": gettext_noop("It is {player}'s turn to place a tile."),
    "islander": gettext_noop("It is {player}'s turn to place or retrieve an islander."),
    "take_ship": gettext_noop("It is {player}'s turn to choose a ship."),
    "deliver": gettext_noop("It is {player}'s turn to deliver to a ship."),
}
_DECISIONS_WITH_DEADLINE: dict[Phase, str] = {
    "place_tile": gettext_noop("It is {player}'s turn to place a tile, by {time}."),
    "islander": gettext_noop("It is {player}'s turn to place or retrieve an islander, by {time}."),
    "take_ship": gettext_noop("It is {player}'s turn to choose a ship, by {time}."),
    "deliver": gettext_noop("It is {player}'s turn to deliver to a ship, by {time}."),
}


def describe_status(translator: Translator, index: TileSetIndex, game: Game) -> str:
    """Return whose decision it is, with the deadline if there is one; or who won."""
    match game.status:
        case "waiting":
            missing = sum(player.name is None for player in game.players)
            return translator.ngettext(
                "Waiting for {number} more player.", "Waiting for {number} more players.", missing
            )
        case "active":
            return _describe_decision(translator, game)
        case "finished":
            return _describe_result(translator, index, game)
        case "aborted":
            return translate_sentence(translator, "game_aborted")


def _describe_decision(translator: Translator, game: Game) -> str:
    player = player_names(translator, game)[game.decider]
    if game.deadline is None:
        return translator.gettext(_DECISIONS[game.phase], player=player)
    return translator.gettext(
        _DECISIONS_WITH_DEADLINE[game.phase], player=player, time=_format_time(game.deadline, game.updated_at)
    )


def _format_time(deadline: str, now: str) -> str:
    """Format a timestamp of the API, with its date if that is not today's.

    >>> _format_time("2026-11-22T21:30:00Z", "2026-11-22T21:00:00Z")
    '21:30 UTC'
    >>> _format_time("2026-11-23T09:00:00Z", "2026-11-22T21:00:00Z")
    '2026-11-23 09:00 UTC'
    """
    day, _, clock = deadline.partition("T")
    return f"{clock[:5]} UTC" if now.startswith(day) else f"{day} {clock[:5]} UTC"


def _describe_result(translator: Translator, index: TileSetIndex, game: Game) -> str:
    player_list = player_names(translator, game)
    totals = [(player, final_score(index, game, seat).total) for seat, player in enumerate(player_list)]
    best_first = sorted(totals, key=lambda total: -total[1])
    return translator.gettext(
        "{winning} The scores: {scores}.",
        winning=winner_sentence(translator, [player_list[seat] for seat in winning_seats(index, game)]),
        scores=", ".join(f"{player} {total}" for player, total in best_first),
    )
