"""The status of a game in a sentence."""

import pytest

from schemas.vocabulary import Phase
from service.engine import Game, Player, next_open_seat
from service.games.i18n import LANGUAGES, describe_status, get_translator
from tests.engine.random_games import archipelago_index, new_game

TABLES = archipelago_index()


def describe_in_all_languages(game: Game) -> list[str]:
    return [describe_status(get_translator(language), TABLES, game) for language in LANGUAGES]


def make_game() -> Game:
    game = new_game(TABLES, 2)
    game.players[0].name, game.players[1].name = "Ana", "Bo"
    return game


@pytest.mark.parametrize(
    ("phase", "english", "french", "german"),
    (
        (
            "place_tile",
            "It is Ana's turn to place a tile",
            "C'est à Ana de poser une tuile",
            "Ana legt eine Landschaftskarte",
        ),
        (
            "islander",
            "It is Ana's turn to place or retrieve an islander",
            "C'est à Ana de placer ou de reprendre un insulaire",
            "Ana setzt einen Insulaner oder nimmt einen zurück",
        ),
        ("take_ship", "It is Bo's turn to choose a ship", "C'est à Bo de choisir un navire", "Bo wählt ein Schiff"),
        (
            "deliver",
            "It is Ana's turn to deliver to a ship",
            "C'est à Ana de livrer des marchandises à un navire",
            "Ana beliefert ein Schiff",
        ),
    ),
)
def test_the_status_names_decider_phase_and_deadline(phase: Phase, english: str, french: str, german: str) -> None:
    """R5.10: the chooser of a ship may not be the player whose turn it is."""
    game = make_game()
    game.phase = phase
    game.ships_owed = [1] if phase == "take_ship" else []
    assert describe_in_all_languages(game) == [f"{english}.", f"{french}.", f"{german}."]
    game.deadline = "2026-11-21T21:30:00Z"
    assert describe_in_all_languages(game) == [
        f"{english}, by 21:30 UTC.",
        f"{french}, avant 21:30 UTC.",
        f"{german}, bis 21:30 UTC.",
    ]
    game.deadline = "2026-11-22T09:05:00Z"
    assert describe_in_all_languages(game)[0] == f"{english}, by 2026-11-22 09:05 UTC."


def test_the_status_counts_open_seats() -> None:
    game = make_game()
    game.status = "waiting"
    game.players[1] = Player(name=None, color=None, kind="open")
    assert next_open_seat(game) == 1
    assert describe_in_all_languages(game) == [
        "Waiting for 1 more player.",
        "En attente de 1 joueur.",
        "Es fehlt noch 1 Spieler.",
    ]
    game.players.append(Player(name=None, color=None, kind="open"))
    assert describe_in_all_languages(game) == [
        "Waiting for 2 more players.",
        "En attente de 2 joueurs.",
        "Es fehlen noch 2 Spieler.",
    ]


def test_the_status_names_winners_and_scores() -> None:
    game = make_game()
    game.status = "finished"
    game.end_reason = "last_tile"
    game.players[1].wares = [3, 3, 0]
    assert describe_in_all_languages(game) == [
        "Bo wins. The scores: Bo 2, Ana 0.",
        "Bo gagne. Score final\u00a0: Bo 2, Ana 0.",
        "Bo gewinnt. Endstand: Bo 2, Ana 0.",
    ]
    game.players[0].wares = [6, 0, 0]
    assert describe_in_all_languages(game)[0] == "Ana and Bo share the win. The scores: Ana 2, Bo 2."
    game.status = "aborted"
    assert describe_in_all_languages(game)[0] == "The game was ended before its end."
