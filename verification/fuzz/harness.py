"""How the fuzzers run Hypothesis, and what they count."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import HealthCheck, seed, settings


class Budget(NamedTuple):
    """The size and the seed of one round of a fuzzer."""

    examples: int
    """The number of examples of each property or operation, and of sequences of steps."""
    seed: int | None
    """The seed of the examples; None: the same examples each time."""


Counts = Counter[str]
"""The numbers of requests, messages and examples, by name."""


def hypothesis_settings(budget: Budget, steps: int = 1) -> settings:
    """Return Hypothesis's settings, without deadlines, as a slow machine is no finding; a sequence has `steps`."""
    return settings(
        max_examples=budget.examples,
        deadline=None,
        database=None,
        derandomize=budget.seed is None,
        suppress_health_check=[*HealthCheck],
        stateful_step_count=steps,
    )


def run_property(check: Callable[[], None], budget: Budget) -> None:
    """Run a test that `given` has decorated. Raise the failure of its smallest counterexample."""
    seeded = check if budget.seed is None else seed(budget.seed)(check)
    hypothesis_settings(budget)(seeded)()
