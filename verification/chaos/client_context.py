"""What all clients of a run share."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import aiohttp

from south_seas import Backoff
from verification.chaos.history import History

RETRIES = Backoff(initial_wait_s=0.05, max_wait_s=1.5, max_attempts=None, timeout_s=4.0)
"""Gives up a request after 4 s, and retries it with the same key until the outcome is known."""

NO_RETRIES = Backoff(max_attempts=1, timeout_s=20.0)
"""Sends each request once, so that a failed request is a violation."""

HEARTBEAT_S = 1.0
"""How often sockets are pinged that may be of a paused instance. One without a pong within half of this is closed."""


class ThinkTime:
    """How long players think before an action."""

    def __init__(self, max_s: float) -> None:
        self.max_s = max_s

    async def sleep(self, rng: random.Random) -> None:
        """Sleep for a random time up to `max_s`."""
        await asyncio.sleep(rng.uniform(0, self.max_s))


class GameEnd:
    """Which end of a game its players have seen.

    A failover may undo what was not acknowledged, even the end of the game. So players stop only once all of them have
    seen the same end.
    """

    def __init__(self) -> None:
        self.players: set[str] = set()
        """The clients that play over a WebSocket, and so see the actions of others."""
        self.digests: dict[str, str] = {}
        """By client without an open action: the digest of the end that it has seen."""
        self.is_over = False
        """Whether all players have stopped."""

    @property
    def is_agreed(self) -> bool:
        """Whether all players have seen the same end."""
        return {*self.digests} == self.players and len({*self.digests.values()}) == 1


class ClientContext(NamedTuple):
    """A service at `url`, and how its clients behave."""

    url: str
    history: History
    """The history of one game, or of what belongs to no game."""
    session: aiohttp.ClientSession
    seed: int
    think_time: ThinkTime
    backoff: Backoff
    is_ending: asyncio.Event
    """Once set, no new game is created."""

    @property
    def heartbeat_s(self) -> float | None:
        """How often sockets are pinged: not at all by clients that only the service may disconnect."""
        return None if self.backoff.max_attempts == 1 else HEARTBEAT_S

    def create_rng(self, client: str) -> random.Random:
        """Return the random numbers of a client, which the run's seed determines."""
        return random.Random(f"{self.seed}-{client}")


@asynccontextmanager
async def client_context(
    url: str, seed: int, max_think_time_s: float, backoff: Backoff = RETRIES
) -> AsyncIterator[ClientContext]:
    """Create the context of a new run."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        yield ClientContext(url, History(), session, seed, ThinkTime(max_think_time_s), backoff, asyncio.Event())
