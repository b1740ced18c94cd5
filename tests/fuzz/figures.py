"""How much is tried, and how much was."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import HealthCheck, seed, settings


class Effort(NamedTuple):
    """How much one round of a fuzzer tries."""

    examples: int
    """Of each property or operation; as many sequences of steps."""
    seed: int | None
    """What the examples are made from; None for always the same ones."""


Figures = Counter[str]
"""What was tried, by its name: requests, messages, examples."""


def settings_of(effort: Effort, steps: int = 1) -> settings:
    """Hypothesis's settings for it: what is slow on a busy machine is no finding; `steps` of each sequence."""
    return settings(
        max_examples=effort.examples,
        deadline=None,
        database=None,
        derandomize=effort.seed is None,
        suppress_health_check=[*HealthCheck],
        stateful_step_count=steps,
    )


def run_property(check: Callable[[], None], effort: Effort) -> None:
    """Run what `given` has made; raises what it finds, in its smallest form."""
    seeded = check if effort.seed is None else seed(effort.seed)(check)
    settings_of(effort)(seeded)()
