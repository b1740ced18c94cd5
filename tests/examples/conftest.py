"""A running service, as programs see it: its URL, and a client."""

from collections.abc import AsyncIterator

import pytest

from south_seas import Client
from tests.clients.conftest import url

__all__ = ["client", "url"]


@pytest.fixture
async def client(url: str) -> AsyncIterator[Client]:
    """Create a client of it."""
    async with Client(url) as connected:
        yield connected
