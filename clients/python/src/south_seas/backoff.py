"""Retries: their number and the waits between them."""

from random import SystemRandom

import msgspec

__all__ = ["MAX_BACKOFF_S", "Backoff"]

MAX_BACKOFF_S = 4
"""Whoever waits has the service back within 2 s in the median, however long it was away."""


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff with an upper bound, and with jitter, so that clients do not retry at the same time."""

    max_attempts: int | None = 6
    """The attempts for a request, and for the first connection of a subscription; None for any number."""
    initial_wait_s: float = 0.25
    """The longest wait before the second attempt; it doubles for each further one, up to 4 s."""
    max_wait_s: float = 30.0
    """The upper bound of the wait that a response asks for (`Retry-After`), which is added to that of the backoff.

    A request whose response asks for more fails with RetryableError, unless it has any number of attempts. A
    subscription reconnects after this time.
    """
    timeout_s: float = 20.0
    """The timeout of one attempt."""

    def is_exhausted(self, failures: int) -> bool:
        """Return whether there is no further attempt."""
        return self.max_attempts is not None and failures >= self.max_attempts

    def wait_s(self, failures: int) -> float:
        """Return the wait after `failures` earlier failures: a random value from half the bound to the bound."""
        bound = min(self.initial_wait_s * 2.0 ** min(failures, 30), MAX_BACKOFF_S, self.max_wait_s)
        return _RANDOM.uniform(bound / 2, bound)


_RANDOM = SystemRandom()
