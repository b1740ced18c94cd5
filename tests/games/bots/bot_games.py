"""Games between bots, set up as the service does."""

from collections.abc import Sequence

from schemas.actions import Action
from schemas.vocabulary import COLORS, Edition
from service.engine import Game, Player, apply_action, is_finished
from service.engine.final_scoring import final_score
from service.games.bots.interface import Bot
from service.games.bots.registry import run_bot
from service.games.tilesets import load_catalogue
from tests.engine.new_games import start_game as set_up_game
from tests.rules.rules_game import Table

LAGOON = load_catalogue(None).get("lagoon").index


def start_game(seed: str, players: int = 2, edition: Edition = "international") -> Game:
    """Return a new game in which seat 0 decides."""
    bots = [Player(name=color.title(), color=color, kind="bot") for color in COLORS[:players]]
    return set_up_game(LAGOON, bots, seed=seed, game_id=f"game-{seed}", edition=edition)[0]


def act_once(game: Game, bot: Bot) -> Action:
    """Let a bot make one decision."""
    game.version += 1
    action = run_bot(bot, LAGOON, game)
    apply_action(LAGOON, game, action)
    return action


def play_to_end(game: Game, bots: Sequence[Bot]) -> list[int]:
    """Play a game to its end, one bot a seat; return the points by seat."""
    while not is_finished(game):
        act_once(game, bots[game.decider])
    return [final_score(LAGOON, game, seat).total for seat in range(len(bots))]


def decide_at(bot: Bot, table: Table) -> Action:
    """Let a bot make one decision on a drawn board."""
    action = run_bot(bot, table.index, table.game)
    table.act(action)
    return action
