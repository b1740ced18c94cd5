"""What is asked of every engine, in a process of its own that has nothing but the standard library and that engine.

A round is asked for by a line `{"seconds": S}` on standard input, and told as a line of JSON.
"""

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median
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
    steps = {"": mid_game_positions(subject)} | {f".{name}": those for name, those in (more or {}).items()}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        print(json.dumps(one_round(subject, steps, json.loads(line)["seconds"])), flush=True)


def one_round(subject: Subject, steps: Mapping[str, Steps], seconds: float) -> Round:
    """Spend half of the time on whole random games, the rest on the single questions."""
    received = _games(subject, seconds / 2)
    for name, those in steps.items():
        answers = _measure_calls(subject, those, seconds / 2 / len(steps), mixed=not name)
        received |= {f"{question}{name}": answer for question, answer in answers.items()}
    return received


def _measure_calls(subject: Subject, steps: Steps, seconds: float, *, mixed: bool) -> Round:
    """µs of each question: the average over all steps of the median of many passes, less that of an empty call.

    Mixed steps are of all kinds, as often as they come up. After them is listed, as some engines keep the list.
    """
    data = [(subject.encode(state),) for state, _ in steps]
    passes: dict[str, list[list[float]]] = {}
    begin = perf_counter()
    while not passes or perf_counter() - begin < seconds:
        for name, ask, arguments in (
            ("empty", lambda *_: None, 2),
            ("list", subject.listed, 1),
            ("apply", subject.apply, 2),
            ("encode", subject.encode, 1),
            ("copy", subject.copy, 1),
            ("decode", subject.decode, 0),
        ):
            # Copies, as they remember nothing, and of this moment, as they are in the processor's caches.
            copies = [(subject.copy(state), action) for state, action in steps]
            if mixed and name == "list":
                _time_calls(subject.apply, copies)
            passes.setdefault(name, []).append(
                _time_calls(ask, [one[:arguments] for one in copies] if arguments else data)
            )
    average = mean if mixed else median
    received = {name: average(map(median, zip(*times, strict=True))) * 1e6 for name, times in passes.items()}
    empty = received.pop("empty")
    return {name: each - empty for name, each in received.items()} | {"bytes": mean(len(one) for (one,) in data)}


def _time_calls(call: Callable[..., object], of: Sequence[tuple[Any, ...]]) -> list[float]:
    """Seconds of each call."""
    times = []
    for question in of:
        begin = perf_counter()
        call(*question)
        times.append(perf_counter() - begin)
    return times


def mid_game_positions(subject: Subject) -> list[tuple[Any, Any]]:
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


def _play(subject: Subject, state: Any, chance: random.Random, max_moves: float = float("inf")) -> int:
    """Random actions to the end or `most` of them; how many they were."""
    actions = 0
    while actions < max_moves and not subject.over(state):
        subject.apply(state, chance.choice(subject.legal(state)))
        actions += 1
    return actions


def _games(subject: Subject, seconds: float) -> Round:
    """Games and actions a second of this core's processor time, without the making of a game."""
    games, actions, spent = 0, 0, 0.0
    while spent < seconds:
        state, chance = subject.new(games), random.Random(games)
        begin = process_time()
        actions += _play(subject, state, chance)
        spent += process_time() - begin
        games += 1
    return {"games": games / spent, "actions": actions / spent}
