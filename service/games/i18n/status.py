"""The status of a game in a sentence: whose decision it is, or how the game ended."""

from service.engine import Game, TileSetIndex
from service.engine.final_scoring import final_score, winning_seats
from service.games.i18n.catalogue import Translator, gettext_noop
from service.games.i18n.events import winner_sentence
from service.games.i18n.moves import IslanderOptions, islander_options
from service.games.i18n.phrases import player_names
from service.games.i18n.sentences import translate_sentence

_ISLANDER_DECISIONS: dict[IslanderOptions, str] = {
    "place": gettext_noop("{player} may place an islander."),
    "retrieve": gettext_noop("{player} may retrieve an islander."),
    "place or retrieve": gettext_noop("{player} may place or retrieve an islander."),
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
            return _describe_decision(translator, index, game)
        case "finished":
            return _describe_result(translator, index, game)
        case "aborted":
            return translate_sentence(translator, "game_aborted")


def _describe_decision(translator: Translator, index: TileSetIndex, game: Game) -> str:
    decision = translator.gettext(_decision(index, game), player=player_names(translator, game)[game.decider])
    if game.deadline is None:
        return decision
    time = _format_time(game.deadline, game.updated_at)
    return translator.gettext("{decision} There is time until {time}.", decision=decision, time=time)


def _decision(index: TileSetIndex, game: Game) -> str:
    match game.phase:
        case "place_tile":
            return gettext_noop("It is {player}'s turn to place a tile.")
        case "islander":
            return _ISLANDER_DECISIONS[islander_options(index, game)]
        case "take_ship":
            return gettext_noop("{player} must choose a ship.")
        case "deliver":
            return gettext_noop("{player} may deliver to a ship.")


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
        "{winning} Final scores: {scores}.",
        winning=winner_sentence(translator, [player_list[seat] for seat in winning_seats(index, game)]),
        scores=", ".join(f"{player} {total}" for player, total in best_first),
    )
