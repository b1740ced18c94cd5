"""What a bot is shown of a game: nothing that the players could not know."""

from service.engine import Game, Tables, copy
from service.games.bots.interface import Bot, GameState
from service.games.shuffle import SeededRNG, bot_seed


def redact(bot: Bot, tables: Tables, game: Game) -> tuple[GameState, SeededRNG]:
    """The position for a bot, and its chance.

    Bag and pile are sorted and then shuffled by the chance, so that nothing of their order is left; the seed, from
    which it follows, is taken out, and the chance knows only a number that was made of it.
    """
    chance = SeededRNG(bot_seed(game.seed, bot.name, bot.version), game.version)
    known = copy(game)
    known.seed = ""
    for hidden in (known.bag, known.pile):
        hidden.sort()
        chance.shuffle(hidden)
    return GameState(tables, known), chance
