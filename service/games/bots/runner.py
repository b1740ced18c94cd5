"""Asking a bot, and believing nothing that it says before it is checked."""

import msgspec

from schemas.actions import Action
from service.engine import Game, TileSetIndex, apply_action, copy_game
from service.games.bots.interface import Bot, GameState
from service.games.bots.redaction import redact
from service.games.shuffle import SeededRNG


class BotFailed(Exception):
    """A bot raised an error, answered what is no legal move, or did not answer."""

    def __init__(self, bot: str, reason: str) -> None:
        super().__init__(bot, reason)
        self.bot = bot
        self.reason = reason

    def __str__(self) -> str:
        return f"the bot {self.bot} {self.reason}"


def choose_legal_action(bot: Bot, position: GameState, chance: SeededRNG) -> Action:
    """A bot's legal move, in full; raises BotFailed."""
    index, game = position
    try:
        answer = bot.choose(GameState(index, copy_game(game)), chance)
        action, _ = apply_action(index, copy_game(game), _exactly(answer))
    except Exception as error:  # whatever a bot that is not ours may raise: it ends as BotFailed, never unnoticed
        raise BotFailed(bot.name, f"failed: {type(error).__name__}: {error}") from error
    return action


def run_bot(bot: Bot, index: TileSetIndex, game: Game) -> Action:
    """What a bot does in a game, decided here and now; raises BotFailed."""
    return choose_legal_action(bot, *redact(bot, index, game))


def _exactly(answer: Action) -> Action:
    """The same action, every field of which is of its type."""
    return _DECODER.decode(msgspec.msgpack.encode(answer))


_DECODER: msgspec.msgpack.Decoder[Action] = msgspec.msgpack.Decoder(Action)
