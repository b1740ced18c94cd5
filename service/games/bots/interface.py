"""The interface for bot authors: `Bot`, and the `GameState` and `SeededRNG` that it decides from."""

from typing import NamedTuple, Protocol

from schemas.actions import Action
from schemas.game import GameView
from service.engine import Game, TileSetIndex, apply_action, build_view, copy_game, legal_moves
from service.games.tilesets import SeededRNG

__all__ = ["Action", "Bot", "GameState", "SeededRNG"]


class GameState(NamedTuple):
    """A game that waits for a decision, limited to what the players know. The bot owns it and may change it.

    `game.bag` and `game.ship_pile` hold the tiles and ships that are left, shuffled by the bot's own generator.
    `game.seed` is empty.
    """

    tileset_index: TileSetIndex
    """The engine's look-up tables of the tile set."""
    game: Game
    """The engine's own Struct: `service.engine.game`."""

    @property
    def seat(self) -> int:
        """Return the seat that decides: the bot's own."""
        return self.game.decider

    def legal_moves(self) -> list[Action]:
        """Return every action that is legal now; never empty."""
        return legal_moves(self.tileset_index, self.game)

    def after(self, action: Action) -> "GameState":
        """Return the state after an action; this one does not change. Tiles are drawn from the shuffled bag."""
        game = copy_game(self.game)
        apply_action(self.tileset_index, game, action)
        return GameState(self.tileset_index, game)

    def view(self) -> GameView:
        """Return the game as clients see it."""
        return build_view(self.tileset_index, self.game)


class Bot(Protocol):
    """An opponent played by the service. It must decide from the state and the generator alone, to be reproducible."""

    name: str
    """The name that a new game asks for: 1 to 32 characters of a-z, 0-9 and -."""
    version: str
    """Raise it when the bot's decisions change; the generator is seeded with it."""
    description: str
    """For people, at most 200 characters."""
    heavy: bool
    """Whether a decision takes more than a few milliseconds; a heavy bot runs in a separate process."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        """Return one of the state's legal moves."""
        ...
