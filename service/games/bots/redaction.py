"""Redaction: what a bot sees of a game, which is what the players know."""

from service.engine import Game, TileSetIndex, copy_game
from service.games.bots.interface import Bot, GameState
from service.games.shuffle import SeededRNG, bot_seed


def redact(bot: Bot, index: TileSetIndex, game: Game) -> tuple[GameState, SeededRNG]:
    """Return the state for a bot, and its random number generator.

    Bag and ship pile are sorted and then shuffled by the generator, so their order reveals nothing. The game's seed,
    which decides that order, is removed; the generator knows only a hash of it.
    """
    rng = SeededRNG(bot_seed(game.seed, bot.name, bot.version), game.version)
    redacted = copy_game(game)
    redacted.seed = ""
    for hidden in (redacted.bag, redacted.ship_pile):
        hidden.sort()
        rng.shuffle(hidden)
    return GameState(index, redacted), rng
