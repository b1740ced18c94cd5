"""A slot of a fair queue, as `async with`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.games.bots.fair_queue import Claim, FairQueue


@asynccontextmanager
async def slot(queue: FairQueue, claim: Claim) -> AsyncIterator[None]:
    """Have a slot. Raises QueueFull."""
    began = await queue.acquire(claim)
    try:
        yield
    finally:
        queue.release(claim, began)
