"""The status of a game in a sentence."""

import pytest

from schemas.actions import PlaceIslander
from schemas.vocabulary import Edition, Phase
from service.engine import Game, Player, next_open_seat
from service.engine.islanders import place_islander
from service.i18n import LANGUAGES, describe_status, get_translator
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
            "It is Ana's turn to place a tile.",
            "C'est à Ana de poser une tuile.",
            "Ana ist am Zug und muss eine Karte legen.",
        ),
        (
            "islander",
            "Ana may place an islander.",
            "Ana peut placer un insulaire.",
            "Ana darf einen Insulaner setzen.",
        ),
        ("take_ship", "Bo must choose a ship.", "Bo doit choisir un navire.", "Bo muss ein Schiff auswählen."),
        (
            "deliver",
            "Ana may deliver to a ship.",
            "Ana peut livrer des marchandises à un navire.",
            "Ana darf ein Schiff beliefern.",
        ),
    ),
)
def test_the_status_names_decider_phase_and_deadline(phase: Phase, english: str, french: str, german: str) -> None:
    """R5.10: the chooser of a ship may not be the player whose turn it is."""
    game = make_game()
    game.phase = phase
    game.ships_owed = [1] if phase == "take_ship" else []
    assert describe_in_all_languages(game) == [english, french, german]
    game.deadline = "2026-11-21T21:30:00Z"
    assert describe_in_all_languages(game) == [
        f"{english} There is time until 21:30 UTC.",
        f"{french} Temps de réflexion\u00a0: jusqu'à 21\u00a0h\u00a030 (UTC).",
        f"{german} Zeit bis 21:30 UTC.",
    ]
    game.deadline = "2026-11-22T09:05:00Z"
    assert describe_in_all_languages(game) == [
        f"{english} There is time until 22 November 2026, 09:05 UTC.",
        f"{french} Temps de réflexion\u00a0: jusqu'au 22 novembre 2026 à 09\u00a0h\u00a005 (UTC).",
        f"{german} Zeit bis 22. November 2026, 09:05 UTC.",
    ]
    game.deadline = "2026-12-01T09:05:00Z"
    assert "jusqu'au 1er décembre 2026 à" in describe_in_all_languages(game)[1]


@pytest.mark.parametrize(("edition", "supply"), (("international", 0), ("german", 0), ("german", 2)))
def test_what_is_not_possible_is_not_offered(edition: Edition, supply: int) -> None:
    """R4.4: nobody retrieves with all islanders at home; nobody places without one there."""
    game = make_game()
    game.edition, game.phase = edition, "islander"
    assert describe_in_all_languages(game)[0] == "Ana may place an islander."
    place_islander(TABLES, game, PlaceIslander(1))
    game.players[0].supply = supply
    assert describe_in_all_languages(game) == (
        [
            "Ana may place or retrieve an islander.",
            "Ana peut placer ou reprendre un insulaire.",
            "Ana darf einen Insulaner setzen oder zurücknehmen.",
        ]
        if supply
        else [
            "Ana may retrieve an islander.",
            "Ana peut reprendre un insulaire.",
            "Ana darf einen Insulaner zurücknehmen.",
        ]
    )


def test_the_status_counts_open_seats() -> None:
    game = make_game()
    game.status = "waiting"
    game.players[1] = Player(name=None, color=None, kind="open")
    assert next_open_seat(game) == 1
    assert describe_in_all_languages(game) == [
        "Waiting for 1 more player.",
        "Il reste 1 place libre.",
        "Es ist noch 1 Platz frei.",
    ]
    game.players.append(Player(name=None, color=None, kind="open"))
    assert describe_in_all_languages(game) == [
        "Waiting for 2 more players.",
        "Il reste 2 places libres.",
        "Es sind noch 2 Plätze frei.",
    ]


def test_the_status_names_winners_and_scores() -> None:
    game = make_game()
    game.status = "finished"
    game.end_reason = "last_tile"
    game.players[1].wares = [3, 3, 0]
    assert describe_in_all_languages(game) == [
        "Bo wins. Final scores: Bo 2 (ships 0, wares 2), Ana 0 (ships 0, wares 0).",
        "Bo gagne. Score final\u00a0: Bo 2 (navires 0, marchandises 2), Ana 0 (navires 0, marchandises 0).",
        "Bo gewinnt. Endstand: Bo 2 (Schiffe 0, Waren 2), Ana 0 (Schiffe 0, Waren 0).",
    ]
    game.players[0].wares = [6, 0, 0]
    scores = "Ana 2 (ships 0, wares 2), Bo 2 (ships 0, wares 2)"
    assert describe_in_all_languages(game)[0] == f"Ana and Bo share the win. Final scores: {scores}."
    game.players[0].wares = [9, 0, 0]
    game.players[0].resigned = True
    french = "Bo 2 (navires 0, marchandises 2)"
    assert describe_in_all_languages(game) == [
        "Bo wins. Final scores: Bo 2 (ships 0, wares 2), Ana 3 (ships 0, wares 3; resigned).",
        f"Bo gagne. Score final\u00a0: {french}, Ana 3 (navires 0, marchandises 3\u00a0; abandon).",
        "Bo gewinnt. Endstand: Bo 2 (Schiffe 0, Waren 2), Ana 3 (Schiffe 0, Waren 3; aufgegeben).",
    ]
    game.status = "aborted"
    assert describe_in_all_languages(game)[0] == "The game was aborted."
