"""Decisions that every good bot makes, on drawn boards."""

import pytest

from schemas.actions import Deliver, PlaceIslander, PlaceTile
from service.games.bots import expert, greedy
from service.games.bots.interface import Bot
from tests.games.bots.fake_bots import decide_at
from tests.rules.rules_game import BOARDS, RED, Table, paid, ship

pytestmark = pytest.mark.parametrize("bot", (greedy.BOT, expert.BOT), ids=["greedy", "expert"])


def test_it_completes_a_bridge_and_takes_its_shells_in_one_turn(bot: Bot) -> None:
    table = Table(BOARDS["bridge of two shells"])
    table.play(None, None)
    assert decide_at(bot, table) == PlaceTile(2, 0, 0)
    assert decide_at(bot, table) == PlaceIslander(table.segment(3, "bridge"))
    assert table.wares(RED) == {"shells": 2}


def test_in_the_last_turn_it_takes_the_most_valuable_feature(bot: Bot) -> None:
    table = Table(BOARDS["sea and island"], spares=0)
    assert isinstance(decide_at(bot, table), PlaceTile)
    assert decide_at(bot, table) == PlaceIslander(table.segment(1, "island"))
    assert table.wares(RED) == {"bananas": 2}


def test_it_delivers_to_the_ship_that_is_worth_more(bot: Bot) -> None:
    ships = [ship("two", 2, choice=3), ship("four", 4, choice=3), ship("three", 3, choice=3)]
    table = Table(BOARDS["sea and island"], ships=ships)
    table.give(RED, fish=3)
    table.lay(RED)
    assert decide_at(bot, table) == Deliver("four", paid(fish=3))
