"""Subscriptions across closed connections, gaps and forks, and messages of newer services."""

import asyncio

import pytest
from aiohttp import web

from south_seas import (
    Backoff,
    Client,
    Connected,
    Disconnected,
)
from south_seas.decoding import Unknown, convert
from south_seas.models import Diff, GameView, Snapshot, TilePlaced
from tests.clients.connection_scripts import closing, staying, versions
from tests.clients.scripted_service import Line, Scripted, Socket
from tests.games.game_logs import decode_log, play_game, rechain


async def test_it_goes_on_where_it_was(script: Scripted, scripted_client: Client) -> None:
    codes = (1000, 1001, 1011, 1012, 4408, 4429)
    script.lines.extend(closing(at, at + 1, code) for at, code in enumerate(codes, start=1))
    script.lines.append(staying(7, 9))
    async with scripted_client.subscribe("g") as game:
        assert game.version == 1
        assert await versions(game, 9) == [*range(2, 10)]
        assert game.view == convert(script.state(9), GameView)
        assert game.is_connected
    first, *others = script.asked
    assert not first.query
    assert [dict(one.query) for one in others] == [
        {"since": str(at), "digest": script.digest(at)} for at in range(2, 8)
    ]


async def test_it_begins_with_a_state_that_is_known(script: Scripted, scripted_client: Client) -> None:
    script.lines.append(staying(5, 7))
    start = Snapshot(digest=script.digest(5), game=convert(script.state(5), GameView))
    async with scripted_client.subscribe("g", start=start) as game:
        assert await versions(game, 7) == [6, 7]
    assert dict(script.asked[-1].query) == {"since": "5", "digest": script.digest(5)}


async def test_it_ends_with_the_game(script: Scripted, scripted_client: Client) -> None:
    last = len(script.log)
    script.lines.extend([staying(1, last), staying(1, last)])
    async with scripted_client.subscribe("g") as game:
        assert [diff.version async for diff in game] == [*range(2, last + 1)]
        assert game.is_over
        assert [diff async for diff in game] == []
    async with scripted_client.subscribe("g", past_end=True) as game:
        assert await versions(game, last) == [*range(2, last + 1)]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await anext(game)


async def test_it_comes_back_when_it_is_told_to(script: Scripted, scripted_client: Client) -> None:
    script.lines.append(closing(1, 2, 1012, type="closing", retry_after_ms=300))
    script.lines.append(staying(2, 3))
    async with scripted_client.subscribe("g") as game:
        received = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in received] == [Diff, Disconnected, Connected, Diff]
        missing = received[1]
        assert isinstance(missing, Disconnected)
        assert 0.3 <= missing.wait_s < 0.4
        assert "1012" in missing.reason


async def test_a_gap_is_filled_from_the_log(script: Scripted, scripted_client: Client) -> None:
    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.diffs(2, 3)
        await socket.diffs(5, 6)
        assert await socket.heard() == {"type": "sync", "game": "g"}
        await socket.diffs(7, 7)
        await socket.snapshot(7)
        await socket.diffs(7, 9)
        await socket.stay()

    script.lines.append(line)
    async with scripted_client.subscribe("g") as game:
        assert await versions(game, 9) == [*range(2, 10)]


async def test_a_gap_waits_for_a_log_that_is_away(script: Scripted) -> None:
    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.diffs(3, 3)
        await socket.heard()
        await socket.snapshot(3)
        await socket.stay()

    async def next_line(socket: Socket) -> None:
        assert socket.query["since"] == "1"
        await socket.subscribed(4, recovered=True)
        await socket.diffs(2, 4)
        await socket.stay()

    script.lines.extend([line, next_line])
    script.answers.append(web.Response(status=503))
    async with (
        Client(script.url, backoff=Backoff(max_attempts=1, initial_wait_s=0.01)) as client,
        client.subscribe("g") as game,
    ):
        assert await versions(game, 4) == [2, 3, 4]


async def test_another_past_is_taken_whole(script: Scripted, scripted_client: Client) -> None:
    """A store that lost what it had acknowledged goes on from before: the diffs that were told never happened."""
    other = decode_log(play_game("script"))
    other[2]["at"] = "2026-11-22T00:00:00Z"
    script.lines.append(closing(1, 4, 1012))
    script.lines.append(staying(1, 4))
    async with scripted_client.subscribe("g") as game:
        assert await versions(game, 4) == [2, 3, 4]
        script.log = rechain(other)
        script.lines[0] = whole(6, 7)
        changes = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in changes] == [Disconnected, Connected, Snapshot, Diff]
        assert game.version == 7


def whole(at: int, last: int) -> Line:
    """Return a script that cannot recover the missed diffs."""

    async def line(socket: Socket) -> None:
        await socket.subscribed(at, recovered=False)
        await socket.diffs(at + 1, last)
        await socket.stay()

    return line


async def test_a_patch_that_does_not_apply_is_replaced_by_the_whole(script: Scripted, scripted_client: Client) -> None:
    good = script.log
    bad = decode_log(play_game("script"))
    bad[2]["patch"].append({"op": "replace", "path": "/version", "value": 3})
    script.log = rechain(bad)

    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.diffs(2, 3)
        await socket.heard()
        await socket.say(type="snapshot", digest=script.digest(3), game=state)
        await socket.diffs(4, 4)
        await socket.stay()

    state = Scripted(good).state(3)
    script.lines.append(line)
    async with scripted_client.subscribe("g") as game:
        assert (await anext(game)).version == 2
        assert isinstance(await game.next_event(), Snapshot)
        assert await versions(game, 4) == [4]


async def test_what_a_newer_service_tells_does_no_harm(script: Scripted, scripted_client: Client) -> None:
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

    async def line(socket: Socket) -> None:
        await socket.subscribed(1, recovered=False)
        await socket.say(type="advertisement", text="new tiles!")
        await socket.diffs(2, last)
        await socket.stay()

    script.lines.append(line)
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


async def test_answers_are_taken_at_once(script: Scripted, scripted_client: Client) -> None:
    script.lines.append(staying(1, 1))
    diffs = (await scripted_client.diffs("g", 1, limit=5)).diffs
    async with scripted_client.subscribe("g") as game:
        game.apply_diffs(diffs[1:3])  # not the next: left to the socket
        assert not game.has_pending
        game.apply_diffs(diffs[:3])
        game.apply_diffs(diffs[:4])
        assert await versions(game, 5) == [2, 3, 4, 5]
