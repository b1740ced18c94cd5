"""What is told: sentences of events, and the examples in the docstrings."""

import doctest
from importlib import import_module

import pytest

from examples.terminal.sentences import Teller
from examples.terminal.words import cost_in_words
from schemas.base import encode
from schemas.events import (
    AnyEvent,
    FeatureEvaluated,
    FishCovered,
    GameFinished,
    IslanderCount,
    IslanderReturned,
    ShipTaken,
    TileDiscarded,
    TurnStarted,
)
from schemas.tileset import Cost
from schemas.vocabulary import Wares
from service.client.decoding import decode
from tests.examples.drawn import MARKET, START
from tests.examples.known import GAME, SHIPS

TELLER = Teller(GAME, {"start": START, "market": MARKET}, SHIPS)


def told(*events: AnyEvent) -> list[str]:
    return [*TELLER.tell(events)]


def evaluated(kind: str, cause: str, wares: Wares, counts: dict[int, int], winners: list[int]) -> FeatureEvaluated:
    islanders = [IslanderCount(seat=seat, count=count) for seat, count in counts.items()]
    return FeatureEvaluated(kind=kind, cause=cause, cells=[], islanders=islanders, winners=winners, wares=wares)


def test_a_collector_comes_home_with_shells() -> None:
    shells = Wares(bananas=0, shells=3, fish=0)
    returned = IslanderReturned(seat=0, x=0, y=0, segment=1)
    assert told(evaluated("bridge", "completed", shells, {0: 1}, [0]), returned) == [
        "Ana's shell collector comes home with 3 shells."
    ]


def test_whoever_is_outnumbered_comes_home_with_nothing() -> None:
    bananas = Wares(bananas=1, shells=0, fish=0)
    assert told(evaluated("island", "completed", bananas, {0: 2, 1: 1}, [0])) == [
        "Ana's banana pickers come home with 1 banana and Klaus' banana picker comes home with nothing."
    ]


def test_a_boat_sails_in_and_covers() -> None:
    fish = Wares(bananas=0, shells=0, fish=5)
    covered = FishCovered(x=0, y=0, segment=2, group=0, fish=2)
    assert told(evaluated("sea", "boat", fish, {1: 2}, [1]), covered) == [
        "A boat sails in: Klaus' fishermen come home with 5 fish.",
        "A boat covers 2 fish at (0, 0).",
    ]


def test_the_end_is_told() -> None:
    fish = Wares(bananas=0, shells=0, fish=4)
    end = GameFinished(reason="last_tile", winners=[0, 1])
    assert told(evaluated("sea", "final", fish, {0: 1, 1: 1}, [0, 1]), end) == [
        "At the end Ana's fisherman brings 4 fish and Klaus' fisherman brings 4 fish.",
        "The game is over, as the last tile is placed: Ana and Klaus share the win.",
    ]


def test_merchants_and_deliveries_take_ships() -> None:
    paid = Wares(bananas=1, shells=2, fish=1)
    assert told(
        IslanderReturned(seat=2, x=1, y=0, segment=0),
        ShipTaken(seat=2, ship="s1", points=5, by="market", paid=None),
        ShipTaken(seat=0, ship="s1", points=5, by="delivery", paid=paid),
    ) == [
        "Cy's merchant comes home from (1, 0).",
        "Cy's merchant takes the ship worth 5 (1 banana + 2 shells + 1 fish), free of charge.",
        "Ana delivers 1 banana, 2 shells and 1 fish and takes the ship worth 5 (1 banana + 2 shells + 1 fish).",
    ]


def test_what_is_not_known_or_says_nothing_is_left_out() -> None:
    silent, discarded = TurnStarted(number=1, seat=0), TileDiscarded(tile="start")
    unknown = {"type": "volcano_erupted", "x": 0}
    events = decode(encode([silent, unknown, discarded]), list[AnyEvent])
    assert told(*events) == ["start fits nowhere and leaves the game."]


@pytest.mark.parametrize(
    ("cost", "text"),
    (
        (Cost(bananas=0, shells=0, fish=0, any=6, same=()), "6 of any"),
        (Cost(bananas=0, shells=0, fish=0, any=0, same=(4,)), "4 alike"),
        (Cost(bananas=0, shells=0, fish=0, any=0, same=()), "nothing"),
    ),
)
def test_costs_are_told(cost: Cost, text: str) -> None:
    assert cost_in_words(cost) == text


@pytest.mark.parametrize("name", ("keys", "palette", "words"))
def test_docstrings_are_right(name: str) -> None:
    result = doctest.testmod(import_module(f"examples.terminal.{name}"))
    assert result.attempted
    assert not result.failed
