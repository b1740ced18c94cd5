"""Subscriptions across closed connections, gaps and forks, and messages of newer services."""

import asyncio

import pytest
from aiohttp import web

from south_seas import Backoff, Client, Connected, Disconnected
from south_seas.decoding import Unknown, convert
from south_seas.models import Diff, GameView, Snapshot, TilePlaced
from tests.clients.connection_scripts import read_versions, send_and_close, send_and_stay
from tests.clients.scripted_service import ConnectionScript, ScriptedService, ServerSocket
from tests.games.game_logs import decode_log, play_game, rechain


async def test_each_connection_resumes_from_the_replica(script: ScriptedService, scripted_client: Client) -> None:
    codes = (1000, 1001, 1011, 1012, 4408, 4429)
    script.connections.extend(send_and_close(at, at + 1, code) for at, code in enumerate(codes, start=1))
    script.connections.append(send_and_stay(7, 9))
    async with scripted_client.subscribe("g") as game:
        assert game.version == 1
        assert await read_versions(game, 9) == [*range(2, 10)]
        assert game.view == convert(script.state(9), GameView)
        assert game.is_connected
    first, *others = script.requests
    assert not first.query
    assert [dict(one.query) for one in others] == [
        {"since": str(at), "digest": script.digest(at)} for at in range(2, 8)
    ]


async def test_a_start_state_is_resumed_from(script: ScriptedService, scripted_client: Client) -> None:
    script.connections.append(send_and_stay(5, 7))
    start = Snapshot(digest=script.digest(5), game=convert(script.state(5), GameView))
    async with scripted_client.subscribe("g", start=start) as game:
        assert await read_versions(game, 7) == [6, 7]
    assert dict(script.requests[-1].query) == {"since": "5", "digest": script.digest(5)}


async def test_the_iteration_ends_with_the_game(script: ScriptedService, scripted_client: Client) -> None:
    last = len(script.log)
    script.connections.extend([send_and_stay(1, last), send_and_stay(1, last)])
    async with scripted_client.subscribe("g") as game:
        assert [diff.version async for diff in game] == [*range(2, last + 1)]
        assert game.is_over
        assert [diff async for diff in game] == []
    async with scripted_client.subscribe("g", past_end=True) as game:
        assert await read_versions(game, last) == [*range(2, last + 1)]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await anext(game)


@pytest.mark.parametrize("code", (1000, 1001, 1002, 1009, 4404))
async def test_it_reconnects_after_the_wait_of_a_closing_message(
    script: ScriptedService, scripted_client: Client, code: int
) -> None:
    """Whatever the code: a proxy may send another one."""
    script.connections.append(send_and_close(1, 2, code, type="closing", retry_after_ms=300))
    script.connections.append(send_and_stay(2, 3))
    async with scripted_client.subscribe("g") as game:
        received = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in received] == [Diff, Disconnected, Connected, Diff]
        missing = received[1]
        assert isinstance(missing, Disconnected)
        assert 0.3 <= missing.wait_s < 0.4
        assert str(code) in missing.reason


async def test_a_gap_is_filled_from_the_log(script: ScriptedService, scripted_client: Client) -> None:
    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_diffs(2, 3)
        await socket.send_diffs(5, 6)
        assert await socket.receive_message() == {"type": "sync", "game": "g"}
        await socket.send_diffs(7, 7)
        await socket.send_snapshot(7)
        await socket.send_diffs(7, 9)
        await socket.wait_until_closed()

    script.connections.append(connection)
    async with scripted_client.subscribe("g") as game:
        assert await read_versions(game, 9) == [*range(2, 10)]


async def test_a_gap_is_filled_after_the_log_was_unavailable(script: ScriptedService) -> None:
    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_diffs(3, 3)
        await socket.receive_message()
        await socket.send_snapshot(3)
        await socket.wait_until_closed()

    async def next_connection(socket: ServerSocket) -> None:
        assert socket.query["since"] == "1"
        await socket.send_subscribed(4, recovered=True)
        await socket.send_diffs(2, 4)
        await socket.wait_until_closed()

    script.connections.extend([connection, next_connection])
    script.responses.append(web.Response(status=503))
    async with (
        Client(script.url, backoff=Backoff(max_attempts=1, initial_wait_s=0.01)) as client,
        client.subscribe("g") as game,
    ):
        assert await read_versions(game, 4) == [2, 3, 4]


async def test_a_forked_history_is_replaced_by_the_snapshot(script: ScriptedService, scripted_client: Client) -> None:
    """The store lost acknowledged changes and continues from an earlier version."""
    other = decode_log(play_game("script"))
    other[2]["at"] = "2026-11-22T00:00:00Z"
    script.connections.append(send_and_close(1, 4, 1012))
    script.connections.append(send_and_stay(1, 4))
    async with scripted_client.subscribe("g") as game:
        assert await read_versions(game, 4) == [2, 3, 4]
        script.log = rechain(other)
        script.connections[0] = send_without_recovery(6, 7)
        changes = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in changes] == [Disconnected, Connected, Snapshot, Diff]
        assert game.version == 7


def send_without_recovery(at: int, last: int) -> ConnectionScript:
    """Return a script that cannot recover the missed diffs."""

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(at, recovered=False)
        await socket.send_diffs(at + 1, last)
        await socket.wait_until_closed()

    return connection


async def test_a_snapshot_replaces_a_patch_that_does_not_apply(
    script: ScriptedService, scripted_client: Client
) -> None:
    good = script.log
    bad = decode_log(play_game("script"))
    bad[2]["patch"].append({"op": "replace", "path": "/version", "value": 3})
    script.log = rechain(bad)

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_diffs(2, 3)
        await socket.receive_message()
        await socket.send_message(type="snapshot", digest=script.digest(3), game=state)
        await socket.send_diffs(4, 4)
        await socket.wait_until_closed()

    state = ScriptedService(good).state(3)
    script.connections.append(connection)
    async with scripted_client.subscribe("g") as game:
        assert (await anext(game)).version == 2
        assert isinstance(await game.next_event(), Snapshot)
        assert await read_versions(game, 4) == [4]


async def test_content_of_a_newer_service_is_accepted(script: ScriptedService, scripted_client: Client) -> None:
    """Unknown fields, events, values and messages."""
    grown = script.log
    placed = next(diff for diff in grown if any(event["type"] == "tile_placed" for event in diff["events"]))
    placed["events"] += [{"type": "volcano_erupted", "x": 0}]
    placed["events"][0]["weather"] = "fine"
    placed["by"] = "weather"
    placed["mood"] = {"calm": True}
    placed["patch"] += [
        {"op": "add", "path": "/edition", "value": "lunar"},
        {"op": "add", "path": "/tide", "value": [1, 2]},
        {"op": "add", "path": "/players/0/mood", "value": "calm"},
    ]
    rechain(grown)
    last = placed["version"] + 2

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_message(type="advertisement", text="new tiles!")
        await socket.send_diffs(2, last)
        await socket.wait_until_closed()

    script.connections.append(connection)
    async with scripted_client.subscribe("g") as game:
        diffs = []
        async for diff in game:
            diffs.append(diff)
            if diff.version == last:
                break
        assert game.view.edition == "lunar"
    assert [diff.version for diff in diffs] == [*range(2, last + 1)]
    events = next(diff for diff in diffs if diff.version == placed["version"]).events
    assert any(isinstance(event, TilePlaced) for event in events)
    assert repr(events[-1]) == repr(Unknown("volcano_erupted", {"type": "volcano_erupted", "x": 0}))


async def test_diffs_of_a_response_are_applied_at_once(script: ScriptedService, scripted_client: Client) -> None:
    script.connections.append(send_and_stay(1, 1))
    diffs = (await scripted_client.diffs("g", 1, limit=5)).diffs
    async with scripted_client.subscribe("g") as game:
        game.apply_diffs(diffs[1:3])  # not the next: left to the socket
        assert not game.has_pending
        game.apply_diffs(diffs[:3])
        game.apply_diffs(diffs[:4])
        assert await read_versions(game, 5) == [2, 3, 4, 5]
