"""What is asked of every engine, in a process of its own that has nothing but the standard library and that engine.

A round is asked for by a line `{"seconds": S}` on standard input, and told as a line of JSON.
"""

import json
import random
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import starmap
from time import perf_counter, process_time
from typing import Any, Protocol

POSITIONS = 24
"""Games that are looked at in their middle."""
STEPS = 8
"""Actions that follow there: enough of them to meet every kind as often as it comes up."""
Steps = Sequence[tuple[Any, Any]]
"""States, each with an action."""
Round = dict[str, float]
"""`games` and `actions` per second; µs of `apply`, `list`, `copy`, `encode`, `decode`; `bytes` of a stored state."""


class Subject(Protocol):
    """One game of an engine. A state is whatever the engine makes it."""

    def new(self, seed: int) -> Any:
        """Begin a game."""

    def over(self, state: Any) -> bool:
        """Tell whether it has ended."""

    def legal(self, state: Any) -> Sequence[Any]:
        """List what may be done now, as the engine offers it while a game is played."""

    def listed(self, state: Any) -> Sequence[Any]:
        """Do the same, worked out now; no answer kept from before."""

    def apply(self, state: Any, action: Any) -> None:
        """Change the state."""

    def copy(self, state: Any) -> Any:
        """Make an independent state."""

    def encode(self, state: Any) -> bytes | str:
        """Write the state as it would be stored."""

    def decode(self, data: Any) -> Any:
        """Read a stored state."""


def serve(subject: Subject, about: dict[str, str], more: Mapping[str, Steps] | None = None) -> None:
    """Tell what is measured, then a round for each line asked; of `more` steps the questions come with their name."""
    steps = {"": middle(subject)} | {f".{name}": those for name, those in (more or {}).items()}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        print(json.dumps(one_round(subject, steps, json.loads(line)["seconds"])), flush=True)


def one_round(subject: Subject, steps: Mapping[str, Steps], seconds: float) -> Round:
    """Spend half of the time on whole random games, the rest on the single questions."""
    told = _games(subject, seconds / 2)
    for name, those in steps.items():
        answers = _questions(subject, those, seconds / 2 / len(steps))
        told |= {f"{question}{name}": answer for question, answer in answers.items()}
    return told


def _questions(subject: Subject, steps: Steps, seconds: float) -> Round:
    """Mean µs of processor time; the copies that are worked on, which remember nothing, are not counted."""
    states, data = [state for state, _ in steps], [subject.encode(state) for state, _ in steps]
    spent = dict.fromkeys(("list", "apply", "encode", "copy", "decode"), 0.0)
    times = 0
    begin = perf_counter()
    while perf_counter() - begin < seconds:
        fresh = [*map(subject.copy, states)]
        changed = [(subject.copy(state), action) for state, action in steps]
        times += len(steps)
        for name, work in (
            ("list", map(subject.listed, fresh)),
            ("apply", starmap(subject.apply, changed)),
            ("encode", (subject.encode(state) for state, _ in changed)),
            ("copy", map(subject.copy, states)),
            ("decode", map(subject.decode, data)),
        ):
            start = process_time()
            deque(work, 0)
            spent[name] += process_time() - start
    told = {name: own / times * 1e6 for name, own in spent.items()}
    return told | {"bytes": sum(map(len, data)) / len(data)}


def middle(subject: Subject) -> list[tuple[Any, Any]]:
    """Play to about the middle of random games: states, each with an action that does not end the game."""
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
    """Games and actions a second of this core's processor time."""
    games = actions = 0
    begin = process_time()
    while (took := process_time() - begin) < seconds:
        actions += _play(subject, subject.new(games), random.Random(games))
        games += 1
    return {"games": games / took, "actions": actions / took}
