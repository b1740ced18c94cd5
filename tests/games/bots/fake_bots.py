"""Bots for tests, most of them faulty, importable by `EntryPoint` and other processes."""

import os
import time

from schemas.actions import Action, TakeShip
from service.games.bots.interface import GameState
from service.games.bots.registry import LoadedBot, load_bot
from service.games.tilesets import SeededRNG


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
