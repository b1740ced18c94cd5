"""Run a bot and validate its choice."""

import msgspec

from schemas.actions import Action
from service.engine import Game, TileSetIndex, apply_action, copy_game
from service.games.bots.interface import Bot, GameState
from service.games.shuffle import SeededRNG, bot_seed


class BotFailed(Exception):
    """A bot raised an error, chose an illegal move, or did not decide in time."""

    def __init__(self, bot: str, reason: str) -> None:
        super().__init__(bot, reason)
        self.bot = bot
        self.reason = reason

    def __str__(self) -> str:
        return f"the bot {self.bot} {self.reason}"


def choose_legal_action(bot: Bot, state: GameState, rng: SeededRNG) -> Action:
    """Return the bot's move, validated and completed by the engine. Raises BotFailed."""
    index, game = state
    try:
        choice = bot.choose(GameState(index, copy_game(game)), rng)
        action, _ = apply_action(index, copy_game(game), _strictly_typed(choice))
    except Exception as error:  # a plugin may raise anything; the caller logs BotFailed
        raise BotFailed(bot.name, f"failed: {type(error).__name__}: {error}") from error
    return action


def run_bot(bot: Bot, index: TileSetIndex, game: Game) -> Action:
    """Return the bot's move in a game, decided in this process. Raises BotFailed."""
    return choose_legal_action(bot, *redact(bot, index, game))


def _strictly_typed(choice: Action) -> Action:
    """Return an equal action, after checking the type of every field."""
    return _DECODER.decode(msgspec.msgpack.encode(choice))


_DECODER: msgspec.msgpack.Decoder[Action] = msgspec.msgpack.Decoder(Action)


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
