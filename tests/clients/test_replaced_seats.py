"""A seat that a bot took over because its player was late: `play` ends and says so, or takes the seat back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from south_seas import Client, SeatReplacedError
from south_seas.models import CreateGame, GameView, Move, PlayerReturned, SeatRequest
from tests.clients.test_typescript import built, run_script
from tests.server_process import start_server

__all__ = ["built"]


@pytest.fixture
async def service_url(tmp_path: Path, redis_url: str) -> AsyncIterator[str]:
    """Return the URL of a service that processes deadlines."""
    async with start_server(tmp_path, redis_url) as service:
        yield service.url


async def test_python(service_url: str) -> None:
    players = [SeatRequest(name="Ana"), SeatRequest(bot="greedy")]
    waits_s = [3.0]

    async def choose(moves: list[Move], game: GameView) -> Move:
        assert game.players[0].bot is None
        await asyncio.sleep(waits_s.pop() if waits_s else 0)
        return moves[0]

    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=players, first_seat=0, turn_timeout_s=1, on_timeout="bot"))
        game, ana = created.game.id, client.with_token(created.seats[0].token)
        for start in (created, None):
            with pytest.raises(SeatReplacedError, match="greedy plays seat 0") as replaced:
                await ana.play(game, 0, choose, start=start)
            assert (replaced.value.seat, replaced.value.bot) == (0, "greedy")
        assert (await ana.play(game, 0, choose, return_when_replaced=True)).status == "finished"
        events = [event for page in [await ana.diffs(game)] for diff in page.diffs for event in diff.events]
        assert [event.seat for event in events if isinstance(event, PlayerReturned)] == [0]


async def test_typescript(node: str, built: Path, service_url: str) -> None:
    received = await run_script("replaced.mjs", node, built, service_url)
    assert received == {"replaced": "greedy", "again": 0, "status": "finished", "returns": 1}
