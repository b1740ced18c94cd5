"""Bots that others might plug in, most of them bad ones, where `EntryPoint` and other processes find them."""

import os
import time

from schemas.actions import Action, TakeShip
from service.games.bots.interface import GameState, SeededRNG
from service.games.bots.plugins import LoadedBot, load_bot


class Plugged:
    """Plays its first legal move; the bad ones differ in how they decide."""

    version = "1"
    description = "For tests."
    heavy = True

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del rng
        return state.legal_moves()[0]


class Raising(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        raise LookupError(f"nothing to say of turn {state.game.turn_number}, {rng.below(1)}")


class Illegal(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        return TakeShip("none")


class Nonsense(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        return "pass"  # type: ignore[return-value]  # as a bot without types might


class Endless(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        while True:
            try:
                rng.below(len(state.legal_moves()))
            except Exception:  # noqa: BLE001, S112 (it holds on to its turn as hard as it can)
                continue


class Deaf(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        while True:
            try:
                rng.below(len(state.legal_moves()))
            except BaseException:  # noqa: BLE001, S112 (not even the interruption ends it)
                continue


class Ending(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del state, rng
        os._exit(3)


class Thoughtful(Plugged):
    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        time.sleep(0.3)
        return super().choose(state, rng)


class Reading(Plugged):
    """Answers with what it was shown."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        del rng
        moves = state.legal_moves()
        return moves[(sum(state.game.bag[-3:]) + sum(state.game.ship_pile[-3:])) % len(moves)]


class Meddling(Plugged):
    """Changes what it was shown."""

    def choose(self, state: GameState, rng: SeededRNG) -> Action:
        action = super().choose(state, rng)
        state.game.players[state.seat].wares[0] += 20
        state.game.frontier.clear()
        return action


NAMELESS = object()
RENAMED = Plugged("another")
VERSIONLESS = Plugged("versionless")
VERSIONLESS.version = "1 2"
SPEECHLESS = type("Speechless", (), {"name": "speechless", "version": "1", "description": "", "heavy": False})()

FIRST = Plugged("first")
RAISING = Raising("raising")
ILLEGAL = Illegal("illegal")
NONSENSE = Nonsense("nonsense")
ENDLESS = Endless("endless")
DEAF = Deaf("deaf")
ENDING = Ending("ending")
THOUGHTFUL = Thoughtful("thoughtful")
READING = Reading("reading")
MEDDLING = Meddling("meddling")


def plugged(name: str) -> LoadedBot:
    """One of them, as the service would find it."""
    return load_bot(name, f"tests.games.bots.plugged:{name.upper()}")
