"""Every event has a sentence in every language."""

from itertools import product
from random import Random
from typing import get_args

import msgspec
import pytest

from schemas import events
from schemas.game import Reason
from schemas.tileset import Cost
from schemas.vocabulary import COLORS, Cell, Wares
from service.engine.tileset_index import FISH, pack_cell
from service.i18n import ENGLISH, LANGUAGES, EventNarrator, describe_status, get_translator
from service.i18n.phrases import ship_cost
from tests.engine.random_games import archipelago_index, new_game, play_randomly

TABLES = archipelago_index()
NONE = Wares(bananas=0, shells=0, fish=0)
THREE_FISH = Wares(bananas=0, shells=0, fish=3)
REASONS = get_args(Reason)[1].examples


def evaluated(kind: str, cause: str, winners: list[int], wares: Wares) -> events.FeatureEvaluated:
    return events.FeatureEvaluated(
        kind=kind,
        cause=cause,
        cells=[Cell(x=0, y=0)],
        islanders=[events.IslanderCount(seat=seat, count=1) for seat in winners],
        winners=winners,
        wares=wares,
    )


SAID: list[tuple[events.AnyEvent, str, str, str]] = [
    (
        events.GameCreated(),
        "A new game: the start tile is in place, the first ships are turned up.",
        "Nouvelle partie\u00a0: la tuile de départ est posée, les premiers navires sont dévoilés.",
        "Ein neues Spiel: Die Startkarte liegt, die ersten Schiffe sind aufgedeckt.",
    ),
    (
        events.PlayerJoined(seat=1, name="Bo", color="blue"),
        "Bo joins (blue).",
        "Bo rejoint la partie (bleu).",
        "Bo spielt mit (blau).",
    ),
    (
        events.PlayerLeft(seat=1, name="Cy"),
        "Cy leaves: the seat is open again.",
        "Cy quitte la partie\u00a0: la place est de nouveau libre.",
        "Cy verlässt das Spiel: Der Platz ist wieder frei.",
    ),
    (
        events.GameStarted(seat=0),
        "The game begins, Ana goes first.",
        "La partie commence, Ana joue en premier.",
        "Das Spiel beginnt, Ana fängt an.",
    ),
    (events.TurnStarted(number=2, seat=1), "It is Bo's turn.", "C'est à Bo de jouer.", "Bo ist am Zug."),
    (
        events.TileDiscarded(tile="atoll"),
        "This tile fits nowhere and leaves the game: islet (1 banana, 2 fish, boat).",
        "Cette tuile ne peut être posée et quitte la partie\u00a0: îlot (1 banane, 2 poissons, bateau).",
        "Diese Karte passt nirgends und kommt aus dem Spiel: Inselchen (1 Banane, 2 Fische, Boot).",
    ),
    (
        events.TileDrawn(tile="atoll"),
        "Tile drawn: islet (1 banana, 2 fish, boat).",
        "Tuile piochée\u00a0: îlot (1 banane, 2 poissons, bateau).",
        "Gezogene Karte: Inselchen (1 Banane, 2 Fische, Boot).",
    ),
    (
        events.TilePlaced(seat=0, tile="start", x=0, y=0, rotation=0),
        "Ana places a tile at (0, 0): island tip with a bridge (1 banana, 1 shell, 1 fish).",
        "Ana pose une tuile en (0, 0)\u00a0: pointe d'île avec un pont (1 banane, 1 coquillage, 1 poisson).",
        "Ana legt eine Karte auf (0, 0): Inselspitze mit Steg (1 Banane, 1 Muschel, 1 Fisch).",
    ),
    (
        events.IslanderPlaced(seat=0, x=0, y=0, segment=1),
        "Ana places a shell collector on the bridge.",
        "Ana place un collecteur de coquillages sur le pont.",
        "Ana setzt einen Muschelsammler auf den Steg.",
    ),
    (
        events.IslanderRetrieved(seat=1, x=0, y=0, segment=1),
        "Bo retrieves the shell collector from (0, 0).",
        "Bo reprend le collecteur de coquillages placé en (0, 0).",
        "Bo nimmt den Muschelsammler von (0, 0) zurück.",
    ),
    (
        events.IslanderReturned(seat=1, x=0, y=0, segment=1),
        "The shell collector at (0, 0) returns to Bo.",
        "Bo récupère le collecteur de coquillages placé en (0, 0).",
        "Der Muschelsammler auf (0, 0) kehrt zu Bo zurück.",
    ),
    (
        evaluated("sea", "boat", [0], THREE_FISH),
        "A fishing boat comes in at (0, 0): Ana receives 3 fish.",
        "Un bateau de pêche arrive en (0, 0)\u00a0: Ana reçoit 3 poissons.",
        "Ein Fischerboot läuft bei (0, 0) ein: Ana erhält 3 Fische.",
    ),
    (
        evaluated("island", "completed", [0, 1], Wares(bananas=4, shells=0, fish=0)),
        "Island completed at (0, 0): Ana and Bo receive 4 bananas each.",
        "Île complétée en (0, 0)\u00a0: Ana et Bo reçoivent 4 bananes par personne.",
        "Insel bei (0, 0) abgeschlossen: Ana und Bo erhalten je 4 Bananen.",
    ),
    (
        evaluated("bridge", "final", [1], NONE),
        "Incomplete bridge at (0, 0): nothing for Bo.",
        "Pont incomplet en (0, 0)\u00a0: rien pour Bo.",
        "Unfertiger Steg bei (0, 0): nichts für Bo.",
    ),
    (
        events.FishCovered(x=0, y=0, segment=0, group=0, fish=1),
        "The boat covers 1 fish at (0, 0).",
        "Le bateau recouvre 1 poisson en (0, 0).",
        "Das Boot verdeckt 1 Fisch auf (0, 0).",
    ),
    (
        events.ShipTaken(seat=1, ship="s01", points=6, by="delivery", paid=THREE_FISH),
        "Bo delivers 3 fish to a ship worth {points} points.",
        "Bo livre 3 poissons à un navire valant {points} points.",
        "Bo liefert 3 Fische an ein Schiff ({points} Punkte).",
    ),
    (
        events.ShipTaken(seat=0, ship="s01", points=6, by="market", paid=None),
        "The market brings Ana a ship worth {points} points.",
        "Le marché rapporte à Ana un navire valant {points} points.",
        "Der Markt bringt Ana ein Schiff ({points} Punkte).",
    ),
    (
        events.TurnTimedOut(seat=1, policy="pass"),
        "Time is up for Bo: the clock plays.",
        "Le temps est écoulé pour Bo\u00a0: l'horloge joue.",
        "Die Zeit von Bo ist abgelaufen: Die Uhr spielt.",
    ),
    (
        events.TurnTimedOut(seat=1, policy="bot"),
        "Time is up for Bo.",
        "Le temps est écoulé pour Bo.",
        "Die Zeit von Bo ist abgelaufen.",
    ),
    (
        events.PlayerReplaced(seat=1, bot="greedy"),
        "The bot Greedy stands in for Bo.",
        "Le robot Greedy remplace Bo.",
        "Der Bot Greedy springt für Bo ein.",
    ),
    (events.PlayerReturned(seat=1), "Bo is back.", "Bo est de retour.", "Bo ist zurück."),
    (
        events.PlayerResigned(seat=1),
        "Bo resigns; all islanders of this player go home.",
        "Bo abandonne\u00a0; tous ses insulaires quittent le plateau.",
        "Bo gibt auf; alle eigenen Insulaner kommen vom Plan.",
    ),
    (
        events.MoveUndone(seat=0, move="p0.-1.2"),
        "Ana takes the tile back from (0, -1).",
        "Ana reprend la tuile posée en (0, -1).",
        "Ana nimmt die Karte von (0, -1) wieder weg.",
    ),
    (
        events.MoveUndone(seat=0, move="i2"),
        "Ana takes the islander back.",
        "Ana annule le placement de l'insulaire.",
        "Ana nimmt den gesetzten Insulaner wieder weg.",
    ),
    (
        events.MoveUndone(seat=0, move="r1.0.2"),
        "Ana puts the islander back at (1, 0).",
        "Ana replace l'insulaire en (1, 0).",
        "Ana stellt den Insulaner wieder auf (1, 0).",
    ),
    (
        events.MoveUndone(seat=0, move="d.s01.1.2.0"),
        "Ana takes the delivery back.",
        "Ana annule sa livraison.",
        "Ana macht die Lieferung rückgängig.",
    ),
    (
        events.MoveUndone(seat=0, move="pass.islander"),
        "Ana undoes the last action.",
        "Ana annule sa dernière action.",
        "Ana macht die letzte Aktion rückgängig.",
    ),
    (
        events.RematchCreated(game="k7m2x9qd4t1w"),
        "The same players play again, in the game k7m2x9qd4t1w.",
        "Les mêmes joueurs rejouent, dans la partie k7m2x9qd4t1w.",
        "Dieselben Spieler spielen noch einmal, im Spiel k7m2x9qd4t1w.",
    ),
    (
        events.GameFinished(reason="last_ship", winners=[0]),
        "The game is over: the last ship has been taken. Ana wins.",
        "La partie est terminée\u00a0: le dernier navire est acquis. Ana gagne.",
        "Das Spiel ist zu Ende: Das letzte Schiff ist vergeben. Ana gewinnt.",
    ),
    (
        events.GameFinished(reason="bag_exhausted", winners=[0]),
        "The game is over: none of the last tiles could be placed. Ana wins.",
        "La partie est terminée\u00a0: aucune des dernières tuiles n'a pu être posée. Ana gagne.",
        "Das Spiel ist zu Ende: Keine der letzten Karten passte. Ana gewinnt.",
    ),
    (
        events.GameFinished(reason="resigned", winners=[0]),
        "The game is over: the other player has resigned. Ana wins.",
        "La partie est terminée\u00a0: l'adversaire a abandonné. Ana gagne.",
        "Das Spiel ist zu Ende: Die Gegenseite hat aufgegeben. Ana gewinnt.",
    ),
    (
        events.GameAborted(),
        "The game was aborted.",
        "La partie a été annulée.",
        "Das Spiel wurde abgebrochen.",
    ),
]


def narrator(language: str) -> EventNarrator:
    game = new_game(TABLES, 1)
    game.players[0].name, game.players[1].name = "Ana", "Bo"
    return EventNarrator.of(get_translator(next(one for one in LANGUAGES if one == language)), TABLES, game)


@pytest.mark.parametrize(("event", "english", "french", "german"), SAID, ids=lambda case: type(case).__name__)
def test_events_have_these_sentences(event: events.AnyEvent, english: str, french: str, german: str) -> None:
    points = TABLES.ships[TABLES.ship_numbers["s01"]].points
    output = [narrator(language).narrate_event(event) for language in LANGUAGES]
    assert output == [text.format(points=points) for text in (english, french, german)]


def test_every_event_has_a_sentence() -> None:
    output = {type(event) for event, *_ in SAID} | {events.ShipRevealed}
    assert output == set(get_args(events.AnyEvent))


def test_features_of_one_change_are_told_apart_by_their_islanders() -> None:
    """Two seas of one tile have that cell in common, but no two islanders have."""
    seas = [
        events.FeatureEvaluated(
            kind="sea",
            cause="final",
            cells=[Cell(x=0, y=0), Cell(x=x, y=0)],
            islanders=[events.IslanderCount(seat=1, count=1)],
            winners=[1],
            wares=Wares(bananas=0, shells=0, fish=fish),
        )
        for x, fish in ((1, 1), (2, 3))
    ]
    received = narrator("en")
    received.oriented_tiles.update({pack_cell(x, 0): 4 * TABLES.tile_numbers["atoll"] for x in (1, 2)})
    home = [events.IslanderReturned(seat=1, x=x, y=0, segment=_sea_segment("atoll")) for x in (1, 2)]
    assert received.narrate_change([seas[0], home[0], seas[1], home[1]]) == (
        "Incomplete sea region at (1, 0): Bo receives 1 fish. Incomplete sea region at (2, 0): Bo receives 3 fish."
    )


def test_all_others_resign_where_there_are_several() -> None:
    game = new_game(TABLES, 1, 3)
    received = EventNarrator.of(get_translator("en"), TABLES, game)
    over = received.narrate_event(events.GameFinished(reason="resigned", winners=[]))
    assert over == "The game is over: all others have resigned. Nobody wins."


def _sea_segment(tile: str) -> int:
    return TABLES.tiles[TABLES.tile_numbers[tile]].kinds.index(FISH)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_variant_has_a_sentence(language: str) -> None:
    received = narrator(language)
    endings = [received.narrate_event(events.GameFinished(reason=reason, winners=[0, 1])) for reason in REASONS]
    assert len(set(endings)) == len(endings) == 4
    assert len({received.narrate_event(events.PlayerJoined(seat=0, name="Ana", color=color)) for color in COLORS}) == 5
    cases = [*product(("island", "bridge", "sea"), ("completed", "final")), ("sea", "boat")]
    assert len({received.narrate_event(evaluated(kind, cause, [0], THREE_FISH)) for kind, cause in cases}) == 7
    assert received.narrate_event(events.GameFinished(reason="resigned", winners=[]))


@pytest.mark.parametrize(
    ("asked", "english", "french", "german"),
    (
        (
            {"bananas": 1, "shells": 2, "fish": 1},
            "1 banana, 2 shells and 1 fish",
            "1 banane, 2 coquillages et 1 poisson",
            "1 Banane, 2 Muscheln und 1 Fisch",
        ),
        ({"any": 6}, "6 wares of any kind", "6 marchandises au choix", "6 beliebige Waren"),
        ({"same": (4,)}, "4 identical wares", "4 marchandises identiques", "4 gleiche Waren"),
        (
            {"same": (3, 1)},
            "3 wares of one kind and 1 ware of another kind",
            "3 marchandises d'un type et 1 marchandise d'un autre type",
            "3 Waren einer Sorte und 1 Ware einer anderen Sorte",
        ),
        (
            {"same": (2, 2, 1)},
            "2 wares of one kind, 2 wares of another kind and 1 ware of a third kind",
            "2 marchandises d'un type, 2 marchandises d'un autre type et 1 marchandise d'un troisième type",
            "2 Waren einer Sorte, 2 Waren einer anderen Sorte und 1 Ware einer dritten Sorte",
        ),
        ({}, "nothing", "rien", "nichts"),
    ),
)
def test_costs_are_described(asked: dict[str, int], english: str, french: str, german: str) -> None:
    """R6.3, with the rulebooks' examples."""
    price = msgspec.convert({"bananas": 0, "shells": 0, "fish": 0, "any": 0, "same": (), **asked}, Cost)
    assert [ship_cost(get_translator(language), price) for language in LANGUAGES] == [english, french, german]


@pytest.mark.parametrize("seed", range(4))
def test_whole_games_are_narrated(seed: int) -> None:
    """The return of a merchant has a sentence of its own; other returns follow from the evaluation."""
    game = new_game(TABLES, seed, 2 + seed)
    tellers = [EventNarrator.of(get_translator(language), TABLES, game) for language in LANGUAGES]
    for change in play_randomly(TABLES, game, Random(seed)):
        paragraphs = [narrator.narrate_change(change) for narrator in tellers]
        assert all(paragraphs) or not change
        assert all("{" not in text for text in paragraphs)
        situations = {describe_status(get_translator(language), TABLES, game) for language in LANGUAGES}
        assert len(situations) == len(LANGUAGES)
    assert "Final scores" in describe_status(get_translator(ENGLISH), TABLES, game)
