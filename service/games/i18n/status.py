"""The state of a game in a sentence: what is waited for, or how it ended."""

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


def describe_status(speech: Translator, index: TileSetIndex, game: Game) -> str:
    """What is waited for, with the deadline where there is one; or who won."""
    match game.status:
        case "waiting":
            missing = sum(player.name is None for player in game.players)
            return speech.ngettext("Waiting for {number} more player.", "Waiting for {number} more players.", missing)
        case "active":
            return _describe_decision(speech, game)
        case "finished":
            return _describe_result(speech, index, game)
        case "aborted":
            return translate_sentence(speech, "game_aborted")


def _describe_decision(speech: Translator, game: Game) -> str:
    player = player_names(speech, game)[game.decider]
    if game.deadline is None:
        return speech.gettext(_DECISIONS[game.phase], player=player)
    return speech.gettext(
        _DECISIONS_WITH_DEADLINE[game.phase], player=player, time=_format_time(game.deadline, game.updated_at)
    )


def _format_time(deadline: str, now: str) -> str:
    """A time of the contract as people write it, with its day where that is another one.

    >>> _time("2026-11-22T21:30:00Z", "2026-11-22T21:00:00Z"), _time("2026-11-23T09:00:00Z", "2026-11-22T21:00:00Z")
    ('21:30 UTC', '2026-11-23 09:00 UTC')
    """
    day, _, clock = deadline.partition("T")
    return f"{clock[:5]} UTC" if now.startswith(day) else f"{day} {clock[:5]} UTC"


def _describe_result(speech: Translator, index: TileSetIndex, game: Game) -> str:
    called = player_names(speech, game)
    totals = [(player, final_score(index, game, seat).total) for seat, player in enumerate(called)]
    best_first = sorted(totals, key=lambda total: -total[1])
    return speech.gettext(
        "{winning} The scores: {scores}.",
        winning=winner_sentence(speech, [called[seat] for seat in winning_seats(index, game)]),
        scores=", ".join(f"{player} {total}" for player, total in best_first),
    )
