"""A client session for the documentation site."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from service.games.ports import GameStore
from tests.web.app_server import serve


@pytest.fixture
async def site(store: GameStore) -> AsyncIterator[ClientSession]:
    """Return a session with the base URL of a running instance."""
    async with serve(store) as client, ClientSession(client.make_url("/"), auto_decompress=False) as session:
        yield session
