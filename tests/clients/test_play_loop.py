"""Whole games through the play loops of both clients on the real service, and seats that their players lost."""

import asyncio
import random
from pathlib import Path

import pytest

from south_seas import Client, SeatReplacedError, SeatResignedError
from south_seas.http import HttpClient, HttpRequest
from south_seas.models import Created, CreateGame, GameView, JoinGame, Move, MoveUndone, PlayerReturned, SeatRequest
from tests.clients.node_programs import run_script
from tests.polling import wait_until
from tests.tcp_proxy import Proxy

ANA, BO, GREEDY = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(bot="greedy")
CHANCE = random.Random(1)


def choose(moves: list[Move], game: GameView) -> Move:
    assert game.turn is not None
    return CHANCE.choice(moves)


async def choose_slowly(moves: list[Move], game: GameView) -> Move:
    await asyncio.sleep(0)
    return choose(moves, game)


async def watch(client: Client, created: Created) -> tuple[list[int], GameView]:
    versions = []
    async with client.subscribe(created.game.id, start=created) as game:
        async for diff in game:
            assert (game.version, game.digest) == (diff.version, diff.digest)
            versions.append(diff.version)
        return versions, game.view


async def test_two_players_a_bot_and_a_watcher_over_an_unreliable_network(client: Client, proxy: Proxy) -> None:
    created = await client.create(CreateGame(players=[ANA, BO, GREEDY]))
    ana, bo = (client.with_token(seat.token) for seat in created.seats)
    proxy.cut_every = 40
    played, also, (versions, watched) = await asyncio.gather(
        ana.play(created.game.id, 0, choose),
        bo.play(created.game.id, 1, choose_slowly, start=created),
        watch(client, created),
    )
    assert proxy.cuts > 3
    assert played.status == "finished"
    assert played == also == watched
    assert played == await client.game(created.game.id)
    assert versions == [*range(created.game.version + 1, played.version + 1)]
    assert [diff["version"] async for diff in client.log(created.game.id)] == [*range(1, played.version + 1)]
    assert played == await ana.play(created.game.id, 0, choose)


async def test_a_move_for_an_earlier_version_is_chosen_again(client: Client) -> None:
    created = await client.create(CreateGame(players=[ANA, GREEDY], first_seat=0))
    owner = client.with_token(created.owner_token)
    late: list[Move] = []

    async def choose_late(moves: list[Move], game: GameView) -> Move:
        if not late:
            late.append(moves[0])
            await owner.act(game.id, moves[-1])
        return moves[0]

    ana = client.with_token(created.seats[0].token)
    assert (await ana.play(created.game.id, 0, choose_late)).status == "finished"
    assert late


async def test_create_join_act_undo_resign_and_rematch(client: Client) -> None:
    table = CreateGame(players=[ANA, SeatRequest(open=True)], visibility="private", first_seat=0)
    created = await client.create(table, include_legal_moves=True)
    game, invited = created.game.id, client.with_token(created.spectator_token)
    joined = await invited.join(game, JoinGame(name="Bo"), include_legal_moves=True)
    legal = await invited.legal_moves(game)
    assert joined.legal_moves == legal
    ana, owner = client.with_token(created.seats[0].token), client.with_token(created.owner_token)
    acted = await ana.act(game, [legal.moves[0].action], return_game=True)
    assert acted.game == await ana.game(game)
    assert (await ana.diffs(game, acted.version - 1)).diffs == acted.diffs
    assert isinstance((await ana.undo(game)).diffs[0].events[0], MoveUndone)
    assert (await client.with_token(joined.token).resign(game, return_game=True)).game is not None
    again = await owner.rematch(game)
    assert (again.game.previous_game, (await ana.game(game)).next_game) == (game, again.game.id)
    assert "Bo" in (await ana.story(game)).lines[-2].text


async def test_python(service_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the player returns, another program of hers sends each command first."""
    players = [SeatRequest(name="Ana"), SeatRequest(bot="greedy")]

    async def choose(moves: list[Move], game: GameView) -> Move:
        assert game.players[0].bot is None
        if not replaced_at:
            await wait_until(is_replaced)
        return moves[0]

    replaced_at: list[int] = []

    async def is_replaced() -> bool:
        now = await client.game(game)
        replaced_at.extend([now.version] * (now.players[0].bot is not None))
        return bool(replaced_at)

    async def send_second(http: HttpClient, request: HttpRequest, headers: dict[str, str]) -> bytes:
        if (key := headers.get("Idempotency-Key")) is not None:
            await send(http, request, headers | {"Idempotency-Key": f"{key}-first"})
        return await send(http, request, headers)

    send = HttpClient._send
    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=players, first_seat=0, turn_timeout_s=1, on_timeout="bot"))
        game, ana = created.game.id, client.with_token(created.seats[0].token)
        for start in (created, None):
            with pytest.raises(SeatReplacedError, match="greedy plays seat 0") as replaced:
                await ana.play(game, 0, choose, start=start)
            assert (replaced.value.seat, replaced.value.bot) == (0, "greedy")
        monkeypatch.setattr(HttpClient, "_send", send_second)
        assert (await ana.play(game, 0, choose, return_when_replaced=True)).status == "finished"
        events = [event for page in [await ana.diffs(game)] for diff in page.diffs for event in diff.events]
        assert {event.seat for event in events if isinstance(event, PlayerReturned)} == {0}


async def test_python_resumes_a_paused_game(service_url: str) -> None:
    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=[ANA, BO], first_seat=0, turn_timeout_s=1))
        owner, game, bo = client.with_token(created.owner_token), created.game.id, created.seats[1].token

        async def has_said(event: str) -> bool:
            return any(event in line.text for line in (await client.story(game)).lines)

        await wait_until(lambda: has_said("paused until a player acts"))
        playing = asyncio.create_task(client.with_token(bo).play(game, 1, first_move))
        await wait_until(lambda: has_said("goes on"))
        await owner.abort(game)
        assert (await playing).status == "aborted"


async def test_python_after_a_resignation(service_url: str) -> None:
    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=[SeatRequest(name=name) for name in ("Ana", "Bo", "Cy")]))
        game, (ana, bo, _) = created.game.id, (client.with_token(seat.token) for seat in created.seats)
        others = asyncio.create_task(bo.play(game, 1, first_move, start=created))
        playing = asyncio.create_task(ana.play(game, 0, first_move, start=created))
        await ana.resign(game)
        for play in (playing, ana.play(game, 0, first_move)):
            with pytest.raises(SeatResignedError, match="seat 0") as resigned:
                await play
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
