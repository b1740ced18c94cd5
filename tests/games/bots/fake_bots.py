"""Bots for tests, most of them faulty, importable by `EntryPoint` and other processes, and games between them."""

import os
import time
from collections.abc import Sequence

from schemas.actions import Action, TakeShip
from schemas.vocabulary import COLORS, Edition
from service.engine import Game, Player, apply_action, is_finished
from service.engine.final_scoring import final_score
from service.games.bots.interface import Bot, GameState
from service.games.bots.registry import LoadedBot, load_bot, run_bot
from service.games.tilesets import SeededRNG, load_catalogue
from tests.engine.lockstep import start_game as set_up_game
from tests.rules.rules_game import Table


class FakeBot:
    """Plays its first legal move; its faulty subclasses decide otherwise."""

    version = "1"
    description = "For tests."
    heavy = True

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del rng
        return state.legal_moves()[0]


class Raising(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        raise LookupError(f"nothing to say of turn {state.game.turn_number}, {rng.below(1)}")


class Illegal(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        return TakeShip("none")


class Nonsense(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        return "pass"  # type: ignore[return-value]  # as a bot without types might


class Endless(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        while True:
            try:
                rng.below(len(state.legal_moves()))
            except Exception:  # noqa: BLE001, S112  the interruption is none
                continue


class Deaf(Endless):
    """Goes on when it is interrupted, which happens once."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        try:
            return super().choose(state, rng)
        except BaseException:  # noqa: BLE001  that is its fault
            return super().choose(state, rng)


class ExitsProcess(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        os._exit(3)


class Slow(FakeBot):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        time.sleep(0.3)
        return super().choose(state, rng)


class OrderReading(FakeBot):
    """Decides by the order of the bag and the pile."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del rng
        moves = state.legal_moves()
        return moves[(sum(state.game.bag[-3:]) + sum(state.game.ship_pile[-3:])) % len(moves)]


class StateChanging(FakeBot):
    """Changes the state that it gets."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        action = super().choose(state, rng)
        state.game.players[state.seat].wares[0] += 20
        state.game.frontier.clear()
        return action


NAMELESS = object()
RENAMED = FakeBot("another")
VERSIONLESS = FakeBot("versionless")
VERSIONLESS.version = "1 2"
SPEECHLESS = type("Speechless", (), {"name": "speechless", "version": "1", "description": "", "heavy": False})()

FIRST = FakeBot("first")
RAISING = Raising("raising")
ILLEGAL = Illegal("illegal")
NONSENSE = Nonsense("nonsense")
ENDLESS = Endless("endless")
DEAF = Deaf("deaf")
ENDING = ExitsProcess("ending")
THOUGHTFUL = Slow("thoughtful")
READING = OrderReading("reading")
MEDDLING = StateChanging("meddling")


def load_fake_bot(name: str) -> LoadedBot:
    """Load one of these bots as the service loads plugins."""
    return load_bot(name, f"tests.games.bots.fake_bots:{name.upper()}")


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
