"""Redaction: a bot cannot infer the order of the bag and the pile."""

from random import Random

import pytest

from service.engine import Game, copy_game, encode_snapshot, is_finished
from service.games.bots import expert, greedy, random
from service.games.bots.interface import Bot
from service.games.bots.registry import redact, run_bot
from tests.games.bots.bot_games import LAGOON, act_once, start_game
from tests.games.bots.fake_bots import READING, load_fake_bot

BOTS = (random.BOT, greedy.BOT, expert.BOT, READING)


def reordered(game: Game, whim: Random) -> Game:
    """Return an equal game for the players, with bag and pile shuffled."""
    other = copy_game(game)
    whim.shuffle(other.bag)
    whim.shuffle(other.ship_pile)
    return other


def test_bag_and_pile_are_shuffled_by_the_bots_generator() -> None:
    game = start_game("hidden")
    position, chance = redact(READING, LAGOON, game)
    assert (sorted(position.game.bag), sorted(position.game.ship_pile)) == (sorted(game.bag), sorted(game.ship_pile))
    assert position.game.bag != game.bag
    assert position.game.ship_pile != game.ship_pile
    twin, _ = redact(READING, LAGOON, reordered(game, Random(1)))
    assert encode_snapshot(twin.game) == encode_snapshot(position.game)
    assert chance.below(2**40) == redact(READING, LAGOON, game)[1].below(2**40)


def test_the_state_does_not_contain_the_seed() -> None:
    game = start_game("a-seed-that-would-tell-everything")
    position, chance = redact(READING, LAGOON, game)
    game_id = position.game.id
    position.game.id = ""
    assert game_id.endswith(game.seed)
    assert game.seed.encode() not in encode_snapshot(position.game)
    assert game.seed not in repr(vars(chance))


def test_every_bot_version_and_turn_has_its_own_generator() -> None:
    game = start_game("chance")
    numbers = [redact(bot, LAGOON, game)[1].below(2**40) for bot in BOTS]
    game.version += 1
    numbers.append(redact(READING, LAGOON, game)[1].below(2**40))
    game.version -= 1
    newer = load_fake_bot("reading").bot
    newer.version = "2"
    numbers.append(redact(newer, LAGOON, game)[1].below(2**40))
    newer.version = "1"
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_no_bot_depends_on_the_hidden_order(bot: Bot) -> None:
    whim, game = Random(1), start_game("hidden")
    compared = 0
    while not is_finished(game):
        if game.version % (40 if bot.heavy and bot is not READING else 1) == 0:
            assert run_bot(bot, LAGOON, game) == run_bot(bot, LAGOON, reordered(game, whim))
            compared += 1
        act_once(game, greedy.BOT)
    assert compared >= 2


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_a_bot_does_not_change_the_game(bot: Bot) -> None:
    game = start_game("thinking")
    before = encode_snapshot(game)
    run_bot(bot, LAGOON, game)
    assert encode_snapshot(game) == before
