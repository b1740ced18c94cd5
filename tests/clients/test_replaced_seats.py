"""Seats that their players lost: `play` ends and says so, or takes a seat back that a bot plays."""

import asyncio
from pathlib import Path

import pytest

from south_seas import Client, SeatReplacedError, SeatResignedError
from south_seas.models import CreateGame, GameView, Move, PlayerReturned, SeatRequest
from tests.clients.test_typescript import run_script


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


async def test_python_after_a_resignation(service_url: str) -> None:
    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=[SeatRequest(name=name) for name in ("Ana", "Bo", "Cy")]))
        game, (ana, bo, _) = created.game.id, (client.with_token(seat.token) for seat in created.seats)
        others = asyncio.create_task(bo.play(game, 1, first_move, start=created))
        playing = asyncio.create_task(ana.play(game, 0, first_move, start=created))
        await ana.resign(game)
        for play in (playing, ana.play(game, 0, first_move)):
            with pytest.raises(SeatResignedError, match="seat 0") as resigned:
                await asyncio.wait_for(play, 10)
            assert resigned.value.seat == 0
        await client.with_token(created.seats[2].token).resign(game)
        final = await others  # the last player has won
        assert final.result is not None
        assert final.result.reason == "resigned"
        assert await ana.play(game, 0, first_move) == final


def first_move(moves: list[Move], _: GameView) -> Move:
    return moves[0]


async def test_typescript(node: str, built: Path, service_url: str) -> None:
    received = await run_script("replaced.mjs", node, built, service_url)
    assert received == {
        "replaced": "greedy",
        "again": 0,
        "status": "finished",
        "returns": 1,
        "resigned": [0, 0],
        "reason": "resigned",
    }
