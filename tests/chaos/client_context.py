"""What all clients of a run share."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import aiohttp

from south_seas import Backoff
from tests.chaos.attempts import attempt_tracing
from tests.chaos.history import History

__all__ = ["IMPATIENT", "PATIENT", "ClientContext", "Pace", "SessionState", "client_context"]

PATIENT = Backoff(initial_wait_s=0.05, max_wait_s=1.5, max_attempts=2_000, timeout_s=4.0)
"""A good client: it gives a try 4 s, and asks again with the same key until it knows."""

IMPATIENT = Backoff(max_attempts=1, timeout_s=20.0)
"""A client that asks once: whatever fails is a failed request."""


class Pace:
    """How long players think."""

    def __init__(self, longest_s: float) -> None:
        self.longest_s = longest_s

    async def think(self, chance: random.Random) -> None:
        """Sleep for a random moment, or not at all."""
        await asyncio.sleep(chance.uniform(0, self.longest_s))


class SessionState:
    """One game's players and watchers.

    A failover may take back what nobody was promised, the end of the game too: so nobody leaves before all players
    know at once that it is over.
    """

    def __init__(self) -> None:
        self.players: set[str] = set()
        """Who plays over sockets, and sees what others do."""
        self.satisfied: dict[str, str] = {}
        """Those of them who have seen an end, and have no action open; by the digest of that end."""
        self.over = False

    @property
    def is_agreed(self) -> bool:
        """Whether all of them have seen the same end."""
        return {*self.satisfied} == self.players and len({*self.satisfied.values()}) == 1


class ClientContext(NamedTuple):
    """A service behind `url`, and what becomes of it."""

    url: str
    history: History
    """Of one game, or what belongs to none."""
    session: aiohttp.ClientSession
    chance: random.Random
    pace: Pace
    backoff: Backoff
    over: asyncio.Event
    """No new game is begun."""


@asynccontextmanager
async def client_context(
    url: str, seed: int, pace_s: float, backoff: Backoff = PATIENT
) -> AsyncIterator[ClientContext]:
    """Create the context of a new run."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, trace_configs=[attempt_tracing()]) as session:
        yield ClientContext(url, History(), session, random.Random(seed), Pace(pace_s), backoff, asyncio.Event())
