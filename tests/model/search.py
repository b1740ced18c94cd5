"""Tries all that can happen, the shortest ways first: the first loss that is found has the shortest story."""

from collections import deque
from typing import NamedTuple

from tests.model.state import Failures, Settings, State, initial
from tests.model.steps import steps

__all__ = ["Verdict", "search"]


class Verdict(NamedTuple):
    """What a search has shown."""

    story: tuple[str, ...]
    """The shortest way to lose an acknowledged commit; empty where there is none."""
    states: int
    """How many different states were looked at."""
    acknowledged: int
    """The most commits that were acknowledged in any of them."""


def search(settings: Settings, failures: Failures) -> Verdict:
    """Look for a way to lose an acknowledged commit; without one, every state within the bounds was looked at."""
    begin = initial(settings, failures)
    previous: dict[State, tuple[State, str] | None] = {begin: None}
    waiting = deque([begin])
    acknowledged = 0
    while waiting:
        state = waiting.popleft()
        acknowledged = max(acknowledged, len(state.acknowledged(settings)))
        if state.lost_commits(settings):
            return Verdict(_shortest_path(previous, state), len(previous), acknowledged)
        for step in steps(state, settings, failures):
            if step.state not in previous:
                previous[step.state] = (state, step.words)
                waiting.append(step.state)
    return Verdict((), len(previous), acknowledged)


def _shortest_path(came: dict[State, tuple[State, str] | None], state: State) -> tuple[str, ...]:
    words: list[str] = []
    while (before := came[state]) is not None:
        state = before[0]
        words.append(before[1])
    return tuple(reversed(words))
