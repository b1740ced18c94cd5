"""Work beside a test."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

__all__ = ["in_background"]


@asynccontextmanager
async def in_background(*works: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Run coroutines while the block does, and cancel them at its end."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
