"""The pages of an instance, for tests that read them."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from service.games.ports import GameStore
from tests.web.served import serve


@pytest.fixture
async def site(store: GameStore) -> AsyncIterator[ClientSession]:
    """A client of one instance, for what is in no document that describes it."""
    async with serve(store) as client, ClientSession(client.make_url("/"), auto_decompress=False) as session:
        yield session
