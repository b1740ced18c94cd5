"""A slot of a fair queue, as a context manager."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.fair_queue import FairQueue, Requester


@asynccontextmanager
async def acquired_slot(queue: FairQueue, claim: Requester) -> AsyncIterator[None]:
    """Hold a slot within the block. Raises QueueFull."""
    started_at = await queue.acquire(claim)
    try:
        yield
    finally:
        queue.release(claim, started_at)
