"""The state of a game in a sentence: what is waited for, or how it ended."""

from schemas.vocabulary import Phase
from service.engine import Game, Tables
from service.engine.final_scoring import score, winners
from service.games.i18n.catalogue import Speech, mark
from service.games.i18n.events import winning
from service.games.i18n.sentences import tell
from service.games.i18n.words import names

_DECIDING: dict[Phase, str] = {
    "place_tile": mark("It is {player}'s turn to place a tile."),
    "islander": mark("It is {player}'s turn to place or retrieve an islander."),
    "take_ship": mark("It is {player}'s turn to choose a ship."),
    "deliver": mark("It is {player}'s turn to deliver to a ship."),
}
_DECIDING_BY: dict[Phase, str] = {
    "place_tile": mark("It is {player}'s turn to place a tile, by {time}."),
    "islander": mark("It is {player}'s turn to place or retrieve an islander, by {time}."),
    "take_ship": mark("It is {player}'s turn to choose a ship, by {time}."),
    "deliver": mark("It is {player}'s turn to deliver to a ship, by {time}."),
}


def situation(speech: Speech, tables: Tables, game: Game) -> str:
    """What is waited for, with the deadline where there is one; or who won."""
    match game.status:
        case "waiting":
            missing = sum(player.name is None for player in game.players)
            return speech.count("Waiting for {number} more player.", "Waiting for {number} more players.", missing)
        case "active":
            return _deciding(speech, game)
        case "finished":
            return _ended(speech, tables, game)
        case "aborted":
            return tell(speech, "game_aborted")


def _deciding(speech: Speech, game: Game) -> str:
    player = names(speech, game)[game.decider]
    if game.deadline is None:
        return speech.say(_DECIDING[game.phase], player=player)
    return speech.say(_DECIDING_BY[game.phase], player=player, time=_time(game.deadline, game.updated_at))


def _time(deadline: str, now: str) -> str:
    """A time of the contract as people write it, with its day where that is another one.

    >>> _time("2026-11-22T21:30:00Z", "2026-11-22T21:00:00Z"), _time("2026-11-23T09:00:00Z", "2026-11-22T21:00:00Z")
    ('21:30 UTC', '2026-11-23 09:00 UTC')
    """
    day, _, clock = deadline.partition("T")
    return f"{clock[:5]} UTC" if now.startswith(day) else f"{day} {clock[:5]} UTC"


def _ended(speech: Speech, tables: Tables, game: Game) -> str:
    called = names(speech, game)
    totals = [(player, score(tables, game, seat).total) for seat, player in enumerate(called)]
    best_first = sorted(totals, key=lambda total: -total[1])
    return speech.say(
        "{winning} The scores: {scores}.",
        winning=winning(speech, [called[seat] for seat in winners(tables, game)]),
        scores=", ".join(f"{player} {total}" for player, total in best_first),
    )
