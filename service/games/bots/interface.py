"""What a bot is, and what it is shown: all that whoever writes one needs."""

from typing import NamedTuple, Protocol

from schemas.actions import Action
from schemas.game import GameView
from service.engine import Game, TileSetIndex, apply_action, build_view, copy_game, legal_moves
from service.games.shuffle import SeededRNG

__all__ = ["Action", "Bot", "GameState", "SeededRNG"]


class GameState(NamedTuple):
    """A game that waits for a decision, as far as the players know it; the bot's own, to do with as it likes.

    `game.bag` and `game.pile` hold what is really left, in an order that the bot's chance has made up; `game.seed` is
    empty.
    """

    tileset_index: TileSetIndex
    """What follows from the tile set alone."""
    game: Game
    """The engine's own Struct."""

    @property
    def seat(self) -> int:
        """The seat that decides."""
        return self.game.decider

    def legal_moves(self) -> list[Action]:
        """Every action that is accepted now; never empty."""
        return legal_moves(self.tileset_index, self.game)

    def after(self, action: Action) -> "GameState":
        """The position after an action, this one being left as it is; what it draws is as the bot's chance has it."""
        game = copy_game(self.game)
        apply_action(self.tileset_index, game, action)
        return GameState(self.tileset_index, game)

    def view(self) -> GameView:
        """GAME, as clients see it."""
        return build_view(self.tileset_index, self.game)


class Bot(Protocol):
    """An opponent. It decides from the position and its chance alone, so that a game can be played again."""

    name: str
    """What a new game asks for: 1 to 32 of a-z, 0-9 and -."""
    version: str
    """Raise it when the bot decides otherwise than before; its chance follows from it."""
    description: str
    """For people, at most 200 characters."""
    heavy: bool
    """Whether a decision takes more than a few milliseconds: then it is made in a process of its own."""

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        """One of the position's legal moves."""
        ...
