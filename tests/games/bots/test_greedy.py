"""The bot `greedy`: its strength and its payments."""

from service.games.bots import greedy, random
from tests.games.bots.bot_games import decide_at, play_to_end, start_game
from tests.rules.board_parser import BOARDS
from tests.rules.rules_game import RED, Table, ship


def test_it_beats_random_in_19_of_20_games() -> None:
    won = 0
    for number in range(20):
        seat = number % 2
        points = play_to_end(start_game(f"against-{number}"), [random.BOT, greedy.BOT][:: 1 if seat else -1])
        won += points[seat] > points[1 - seat]
    assert won >= 19


def test_it_pays_with_what_the_other_ships_do_not_ask_for() -> None:
    ships = [ship("any", 5, choice=3), ship("fish", 4, fish=3)]
    table = Table(BOARDS["sea and island"], ships=ships)
    table.give(RED, fish=3, shells=3)
    table.lay(RED)
    decide_at(greedy.BOT, table)
    assert table.ships(RED) == ["any"]
    assert table.wares(RED) == {"fish": 3}
