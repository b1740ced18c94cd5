"""A slot of a fair queue, as `async with`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.games.bots.fair_queue import FairQueue, Requester


@asynccontextmanager
async def slot(queue: FairQueue, claim: Requester) -> AsyncIterator[None]:
    """Have a slot. Raises QueueFull."""
    began = await queue.acquire(claim)
    try:
        yield
    finally:
        queue.release(claim, began)
