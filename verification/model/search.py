"""Explores all states breadth-first, so that the first counterexample is the shortest one."""

from collections import deque
from typing import NamedTuple

from verification.model.state import Failures, Settings, State, initial_state
from verification.model.steps import steps


class Verdict(NamedTuple):
    """The result of a search."""

    counterexample: tuple[str, ...]
    """The shortest sequence of steps that loses an acknowledged commit; empty if there is none."""
    states: int
    """The number of states that were explored."""
    acknowledged: int
    """The maximum number of acknowledged commits in a state."""


def search(settings: Settings, failures: Failures) -> Verdict:
    """Search for a loss of an acknowledged commit. Without one, all states within the bounds are explored."""
    start = initial_state(settings, failures)
    previous: dict[State, tuple[State, str] | None] = {start: None}
    queue = deque([start])
    acknowledged = 0
    while queue:
        state = queue.popleft()
        acknowledged = max(acknowledged, len(state.acknowledged(settings)))
        if state.lost_commits(settings):
            return Verdict(_shortest_path(previous, state), len(previous), acknowledged)
        for step in steps(state, settings, failures):
            if step.state not in previous:
                previous[step.state] = (state, step.description)
                queue.append(step.state)
    return Verdict((), len(previous), acknowledged)


def _shortest_path(previous: dict[State, tuple[State, str] | None], state: State) -> tuple[str, ...]:
    """Return the descriptions of the steps from the initial state to this one."""
    descriptions: list[str] = []
    while (step := previous[state]) is not None:
        state, description = step
        descriptions.append(description)
    return tuple(reversed(descriptions))
