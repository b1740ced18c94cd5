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

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        del chance
        return position.legal_moves()[0]


class Raising(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        raise LookupError(f"nothing to say of turn {position.game.turn_number}, {chance.below(1)}")


class Illegal(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        del position, chance
        return TakeShip("none")


class Nonsense(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        del position, chance
        return "pass"  # type: ignore[return-value]  # as a bot without types might


class Endless(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        while True:
            try:
                chance.below(len(position.legal_moves()))
            except Exception:  # noqa: BLE001, S112 (it holds on to its turn as hard as it can)
                continue


class Deaf(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        while True:
            try:
                chance.below(len(position.legal_moves()))
            except BaseException:  # noqa: BLE001, S112 (not even the interruption ends it)
                continue


class Ending(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        del position, chance
        os._exit(3)


class Thoughtful(Plugged):
    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        time.sleep(0.3)
        return super().choose(position, chance)


class Reading(Plugged):
    """Answers with what it was shown."""

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        del chance
        moves = position.legal_moves()
        return moves[(sum(position.game.bag[-3:]) + sum(position.game.ship_pile[-3:])) % len(moves)]


class Meddling(Plugged):
    """Changes what it was shown."""

    def choose(self, position: GameState, chance: SeededRNG) -> Action:
        action = super().choose(position, chance)
        position.game.players[position.seat].wares[0] += 20
        position.game.frontier.clear()
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
