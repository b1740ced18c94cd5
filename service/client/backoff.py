"""How often a client tries, and how long it waits in between."""

from random import SystemRandom

import msgspec

__all__ = ["Backoff"]


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """Bounded exponential backoff with jitter, so that not all clients come at once."""

    max_attempts: int = 6
    """How often a request is sent, and how often the first connection of a socket is tried."""
    initial_wait_s: float = 0.25
    """The longest wait before the second try; doubled for each one after it."""
    max_wait_s: float = 30.0
    """Bounds every wait. A service that asks for more patience is not asked again."""
    timeout_s: float = 20.0
    """How long one try may take."""

    def wait_s(self, failures: int) -> float:
        """A wait after so many failures, the first being 0: between a half and the whole of what doubles."""
        bound = min(self.initial_wait_s * 2.0 ** min(failures, 30), self.max_wait_s)
        return _RANDOM.uniform(bound / 2, bound)


_RANDOM = SystemRandom()
