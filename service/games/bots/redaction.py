"""What a bot is shown of a game: nothing that the players could not know."""

from service.engine import Game, TileSetIndex, copy_game
from service.games.bots.interface import Bot, GameState
from service.games.shuffle import SeededRNG, bot_seed


def redact(bot: Bot, index: TileSetIndex, game: Game) -> tuple[GameState, SeededRNG]:
    """The position for a bot, and its chance.

    Bag and pile are sorted and then shuffled by the chance, so that nothing of their order is left; the seed, from
    which it follows, is taken out, and the chance knows only a number that was made of it.
    """
    chance = SeededRNG(bot_seed(game.seed, bot.name, bot.version), game.version)
    known = copy_game(game)
    known.seed = ""
    for hidden in (known.bag, known.ship_pile):
        hidden.sort()
        chance.shuffle(hidden)
    return GameState(index, known), chance
