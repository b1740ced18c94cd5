"""What is asked of every engine, in a process of its own that has nothing but the standard library and that engine.

A round is asked for by a line `{"seconds": S}` on standard input, and told as a line of JSON.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol

POSITIONS = 24
"""Games that are looked at in their middle."""
STEPS = 8
"""Actions that follow there: enough of them to meet every kind as often as it comes up."""
QUESTIONS = 3
"""What is asked beside whole games: a step, copying, reading."""

Round = dict[str, float]
"""`games` and `actions` per second; µs of `apply`, `list`, `copy`, `encode`, `decode`; `bytes` of a stored state."""


class Subject(Protocol):
    """One game of an engine. A state is whatever the engine makes it."""

    def new(self, seed: int) -> Any:
        """A game's beginning."""

    def over(self, state: Any) -> bool:
        """Whether it has ended."""

    def legal(self, state: Any) -> Sequence[Any]:
        """What may be done now, as the engine offers it while a game is played."""

    def listed(self, state: Any) -> Sequence[Any]:
        """The same, worked out now; no answer kept from before."""

    def apply(self, state: Any, action: Any) -> None:
        """Change the state."""

    def copy(self, state: Any) -> Any:
        """An independent state."""

    def encode(self, state: Any) -> bytes | str:
        """The state as it would be stored."""

    def decode(self, data: Any) -> Any:
        """A stored state."""


def serve(subject: Subject, about: dict[str, str]) -> None:
    """Tell what is measured, then a round for each line asked."""
    steps = middle(subject)
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        print(json.dumps(one_round(subject, steps, json.loads(line)["seconds"])), flush=True)


def one_round(subject: Subject, steps: Sequence[tuple[Any, Any]], seconds: float) -> Round:
    """Half of the time whole random games, the rest the single questions."""
    told = _games(subject, seconds / 2)
    each = seconds / 2 / QUESTIONS
    told |= _step(subject, steps, each)
    states = [state for state, _ in steps]
    told["copy"] = _micros(subject.copy, states, each)
    data = [subject.encode(state) for state in states]
    told["decode"] = _micros(subject.decode, data, each)
    told["bytes"] = sum(map(len, data)) / len(data)
    return told


def middle(subject: Subject) -> list[tuple[Any, Any]]:
    """States about the middle of random games, each with an action that does not end the game."""
    steps = []
    for seed in range(POSITIONS):
        length = _play(subject, subject.new(seed), random.Random(seed))
        chance = random.Random(seed)
        state = subject.new(seed)
        _play(subject, state, chance, length // 2)
        for _ in range(STEPS):
            action = chance.choice(subject.legal(state))
            after = subject.copy(state)
            subject.apply(after, action)
            if subject.over(after):
                break
            steps.append((state, action))
            state = after
    return steps


def _play(subject: Subject, state: Any, chance: random.Random, most: float = float("inf")) -> int:
    """Random actions to the end or `most` of them; how many they were."""
    actions = 0
    while actions < most and not subject.over(state):
        subject.apply(state, chance.choice(subject.legal(state)))
        actions += 1
    return actions


def _games(subject: Subject, seconds: float) -> Round:
    games = actions = 0
    begin = perf_counter()
    while (took := perf_counter() - begin) < seconds:
        actions += _play(subject, subject.new(games), random.Random(games))
        games += 1
    return {"games": games / took, "actions": actions / took}


def _step(subject: Subject, steps: Sequence[tuple[Any, Any]], seconds: float) -> Round:
    """Mean µs of applying, of the first listing after it, and of encoding; the copy they work on is not counted."""
    applying = listing = encoding = 0.0
    times = 0
    begin = perf_counter()
    while perf_counter() - begin < seconds:
        for state, action in steps:
            fresh = subject.copy(state)
            start = perf_counter()
            subject.apply(fresh, action)
            applied = perf_counter()
            subject.listed(fresh)
            listed = perf_counter()
            subject.encode(fresh)
            encoding += perf_counter() - listed
            listing += listed - applied
            applying += applied - start
        times += len(steps)
    return {name: spent / times * 1e6 for name, spent in (("apply", applying), ("list", listing), ("encode", encoding))}


def _micros(question: Callable[[Any], object], of: Sequence[Any], seconds: float) -> float:
    """Mean µs."""
    times = 0
    begin = perf_counter()
    while (took := perf_counter() - begin) < seconds:
        for one in of:
            question(one)
        times += len(of)
    return took / times * 1e6
