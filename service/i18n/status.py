"""The status of a game in a sentence: whose decision it is, or how the game ended; and the title of a link to it."""

from collections.abc import Sequence

from service.engine import Game, TileSetIndex
from service.engine.final_scoring import final_score, winning_seats
from service.i18n.events import winner_sentence
from service.i18n.moves import islander_options
from service.i18n.phrases import Translator, player_names, score_parts


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
            return translator.text("game_aborted")


def title_game(translator: Translator, names: Sequence[str]) -> str:
    """Return the title of a link to a game of these players; without any, of one of which nothing may be said."""
    if not names:
        return translator.gettext("A game of Carcassonne: South Seas")
    return translator.gettext("{players} · South Seas", players=translator.join_list(names))


def describe_hidden_game(translator: Translator) -> str:
    """Return a sentence of a game of which nothing may be said, not even that it exists."""
    return translator.gettext("Open the link to play, or to watch.")


def _describe_decision(translator: Translator, game: Game) -> str:
    options = f".{islander_options(game)}" if game.phase == "islander" else ""
    player = player_names(translator, game)[game.decider]
    decision = translator.text(f"decision.{game.phase}{options}", player=player)
    if game.paused:
        return f"{decision} {translator.text('game_paused')}"
    return decision if game.deadline is None else f"{decision} {_time_left(translator, game.deadline, game.updated_at)}"


def _time_left(translator: Translator, deadline: str, now: str) -> str:
    """Return until when there is time, with the date if that is not today's; both are timestamps of the API."""
    day, _, clock = deadline.partition("T")
    hour, minute = clock.split(":")[:2]
    if now.startswith(day):
        return translator.gettext("There is time until {hour}:{minute} UTC.", hour=hour, minute=minute)
    year, month, number = map(int, day.split("-"))
    date = translator.ngettext(
        "{number} {month} {year}",
        "{number} {month} {year}",
        number,
        month=translator.text("months").split()[month - 1],
        year=year,
    )
    return translator.gettext("There is time until {date}, {hour}:{minute} UTC.", date=date, hour=hour, minute=minute)


def _describe_result(translator: Translator, index: TileSetIndex, game: Game) -> str:
    names = player_names(translator, game)
    scores = [final_score(index, game, seat) for seat, _ in enumerate(names)]
    best_first = sorted(scores, key=lambda score: (game.players[score.seat].resigned, -score.total))
    texts = [
        f"{names[score.seat]} {score.total} "
        f"({score_parts(translator, score, resigned=game.players[score.seat].resigned)})"
        for score in best_first
    ]
    return translator.gettext(
        "{winning} Final scores: {scores}.",
        winning=winner_sentence(translator, [names[seat] for seat in winning_seats(index, game)]),
        scores=", ".join(texts),
    )
