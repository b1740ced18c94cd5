"""Measures one engine in its own process, which imports only the standard library and that engine.

A line `{"seconds": S}` on standard input requests a round; the response is a line of JSON on standard output.
"""

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any, Protocol

POSITIONS = 24
"""The number of games whose middle is measured."""
STEPS = 8
"""The number of actions measured in each, so that each kind of action occurs as often as in whole games."""
Steps = Sequence[tuple[Any, Any]]
"""States, each with an action."""
Round = dict[str, float]
"""`games` and `actions` per second; µs of `apply`, `list`, `copy`, `encode`, `decode`; `bytes` of a stored state."""


class Engine(Protocol):
    """One game of an engine, with the engine's own type of state."""

    def new(self, seed: int) -> Any:
        """Create a game."""

    def over(self, state: Any) -> bool:
        """Return whether the game has ended."""

    def legal(self, state: Any) -> Sequence[Any]:
        """Return the legal actions, which the engine may have cached."""

    def listed(self, state: Any) -> Sequence[Any]:
        """Compute the legal actions without a cache."""

    def apply(self, state: Any, action: Any) -> None:
        """Apply an action to the state."""

    def copy(self, state: Any) -> Any:
        """Return an independent copy."""

    def encode(self, state: Any) -> bytes | str:
        """Encode the state for storage."""

    def decode(self, data: Any) -> Any:
        """Decode a stored state."""


def serve(engine: Engine, about: dict[str, str], more: Mapping[str, Steps] | None = None) -> None:
    """Print `about`, then run a round for each line; measurements of `more` steps have the name as a suffix."""
    steps = {"": mid_game_steps(engine)} | {f".{name}": named for name, named in (more or {}).items()}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        print(json.dumps(run_round(engine, steps, json.loads(line)["seconds"])), flush=True)


def run_round(engine: Engine, steps: Mapping[str, Steps], seconds: float) -> Round:
    """Spend half of the time on whole random games, the rest on single calls."""
    result = _measure_games(engine, seconds / 2)
    for suffix, named in steps.items():
        times = _measure_calls(engine, named, seconds / 2 / len(steps), mixed=not suffix)
        result |= {f"{name}{suffix}": time for name, time in times.items()}
    return result


def _measure_calls(engine: Engine, steps: Steps, seconds: float, *, mixed: bool) -> Round:
    """Return the µs of each call: the average over all steps of the median of many passes, less that of an empty call.

    Mixed steps have all kinds of actions, as often as they occur. Before listing, an action is applied, since some
    engines cache the list.
    """
    data = [(engine.encode(state),) for state, _ in steps]
    passes: dict[str, list[list[float]]] = {}
    started_at = perf_counter()
    while not passes or perf_counter() - started_at < seconds:
        for name, call, arguments in (
            ("empty", lambda *_: None, 2),
            ("list", engine.listed, 1),
            ("apply", engine.apply, 2),
            ("encode", engine.encode, 1),
            ("copy", engine.copy, 1),
            ("decode", engine.decode, 0),
        ):
            # New copies, which have no cached results, and are in the processor's caches.
            copies = [(engine.copy(state), action) for state, action in steps]
            if mixed and name == "list":
                _time_calls(engine.apply, copies)
            passes.setdefault(name, []).append(
                _time_calls(call, [step[:arguments] for step in copies] if arguments else data)
            )
    average = mean if mixed else median
    times_us = {name: average(map(median, zip(*times, strict=True))) * 1e6 for name, times in passes.items()}
    empty = times_us.pop("empty")
    return {name: time - empty for name, time in times_us.items()} | {"bytes": mean(len(one) for (one,) in data)}


def _time_calls(call: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> list[float]:
    """Return the seconds of each call."""
    times = []
    for one in arguments:
        started_at = perf_counter()
        call(*one)
        times.append(perf_counter() - started_at)
    return times


def mid_game_steps(engine: Engine) -> list[tuple[Any, Any]]:
    """Play to about the middle of random games, and return states, each with an action that does not end the game."""
    steps = []
    for seed in range(POSITIONS):
        length = _play(engine, engine.new(seed), random.Random(seed))
        rng = random.Random(seed)
        state = engine.new(seed)
        _play(engine, state, rng, length // 2)
        for _ in range(STEPS):
            action = rng.choice(engine.legal(state))
            after = engine.copy(state)
            engine.apply(after, action)
            if engine.over(after):
                break
            steps.append((state, action))
            state = after
    return steps


def _play(engine: Engine, state: Any, rng: random.Random, max_moves: float = float("inf")) -> int:
    """Play random actions to the end, at most `max_moves`, and return their number."""
    actions = 0
    while actions < max_moves and not engine.over(state):
        engine.apply(state, rng.choice(engine.legal(state)))
        actions += 1
    return actions


def _measure_games(engine: Engine, seconds: float) -> Round:
    """Return games and actions a second of processor time, without the creation of games."""
    games, actions, cpu_s = 0, 0, 0.0
    while cpu_s < seconds:
        state, rng = engine.new(games), random.Random(games)
        started_at = process_time()
        actions += _play(engine, state, rng)
        cpu_s += process_time() - started_at
        games += 1
    return {"games": games / cpu_s, "actions": actions / cpu_s}
