"""Subscriptions across closed and rejected connections, gaps and forks, and messages of newer services."""

import re
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import msgspec
import pytest
from aiohttp import ClientSession, web

from schemas.problems import problem
from service.store.game_store import RedisStore
from service.web.app import HUB
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from south_seas import (
    APIError,
    Backoff,
    BadRequestError,
    Client,
    Connected,
    Disconnected,
    InvalidResponseError,
    NotFoundError,
    UnauthorizedError,
)
from south_seas.decoding import Unknown, convert, decode
from south_seas.models import CreateGame, Diff, GameView, SeatRequest, Snapshot, TilePlaced
from tests.clients.conftest import QUICK
from tests.clients.node_programs import run_script
from tests.clients.scripted_service import (
    GAME_ID,
    ScriptedService,
    ServerSocket,
    close_without_welcome,
    problem_response,
    read_versions,
    report_unavailable,
    send_and_close,
    send_and_stay,
)
from tests.games.game_logs import decode_log, play_game, rechain
from tests.polling import wait_until
from tests.web.app_server import serve


async def test_each_connection_resumes_from_the_replica(script: ScriptedService, scripted_client: Client) -> None:
    codes = (1000, 1001, 1011, 1012, 4408, 4429)
    script.connections.extend(send_and_close(at, at + 1, code) for at, code in enumerate(codes, start=1))
    script.connections.append(send_and_stay(7, 9))
    async with scripted_client.subscribe(GAME_ID) as game:
        assert game.version == 1
        assert await read_versions(game, 9) == [*range(2, 10)]
        assert game.view == convert(script.state(9), GameView)
        assert game.is_connected
    first, *others = [{name: one[name] for name in one if name != "id"} for one in script.subscriptions]
    assert first == {"type": "subscribe", "game": GAME_ID}
    assert others == [{**first, "since": at, "digest": script.digest(at)} for at in range(2, 8)]


async def test_the_iteration_ends_with_the_game(script: ScriptedService, scripted_client: Client) -> None:
    last = len(script.log)
    script.connections.extend([send_and_stay(1, last), send_and_close(1, last, 1000), send_and_stay(last, last)])
    async with scripted_client.subscribe(GAME_ID) as game:
        assert [diff.version async for diff in game] == [*range(2, last + 1)]
        assert game.is_over
        assert [diff async for diff in game] == []
    async with scripted_client.subscribe(GAME_ID, past_end=True) as game:
        assert await read_versions(game, last) == [*range(2, last + 1)]
        assert [type(await game.next_event()) for _ in range(2)] == [Disconnected, Connected]


@pytest.mark.parametrize("code", (1000, 1001, 1002, 1009, 4404))
async def test_it_reconnects_when_it_is_told_to(script: ScriptedService, scripted_client: Client, code: int) -> None:
    """Whatever the code: a proxy may send another one."""
    script.connections.append(send_and_close(1, 2, code, type="closing", retry_after_ms=300))
    script.connections.append(send_and_stay(2, 3))
    async with scripted_client.subscribe(GAME_ID) as game:
        received = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in received] == [Diff, Disconnected, Connected, Diff]
        missing = received[1]
        assert isinstance(missing, Disconnected)
        assert 0.3 <= missing.wait_s < 0.4
        assert str(code) in missing.reason


async def test_a_gap_is_filled_from_the_log(script: ScriptedService, scripted_client: Client) -> None:
    rest: list[list[str]] = []

    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_diffs(2, 3)
        await socket.send_diffs(5, 6)
        assert await socket.receive_message() == {"type": "sync", "game": GAME_ID}
        await socket.send_diffs(7, 7)
        game.apply_diffs([convert(diff, Diff) for diff in script.log[3:9]])  # the snapshot would go back behind them
        await socket.send_snapshot(7)
        await socket.send_diffs(7, 10)
        rest.append([message.data async for message in socket])

    script.connections.append(connection)
    async with (game := scripted_client.subscribe(GAME_ID)):
        assert await read_versions(game, 10) == [*range(2, 11)]
    await wait_until(lambda: rest)
    assert rest == [[]]


async def test_a_gap_is_filled_after_the_log_was_unavailable(script: ScriptedService) -> None:
    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_diffs(3, 3)
        await socket.receive_message()
        await socket.send_snapshot(3)
        await socket.send_subscribed(4, recovered=True)
        assert script.subscriptions[-1]["since"] == 1
        await socket.send_diffs(2, 4)
        await socket.wait_until_closed()

    script.connections.append(connection)
    script.responses.append(web.Response(status=503))
    async with (
        Client(script.url, backoff=Backoff(max_attempts=1, initial_wait_s=0.01)) as client,
        client.subscribe(GAME_ID) as game,
    ):
        assert await read_versions(game, 4) == [2, 3, 4]


async def test_a_forked_history_is_replaced_by_the_snapshot(script: ScriptedService, scripted_client: Client) -> None:
    """The store lost acknowledged changes and continues from an earlier version."""
    other = decode_log(play_game("script"))
    other[2]["at"] = "2026-11-22T00:00:00Z"
    script.connections.append(send_and_close(1, 4, 1012))
    script.connections.append(send_and_stay(1, 4))
    async with scripted_client.subscribe(GAME_ID) as game:
        assert await read_versions(game, 4) == [2, 3, 4]
        script.log = rechain(other)
        script.connections[0] = send_and_stay(6, 7, is_recovered=False)
        changes = [await game.next_event() for _ in range(4)]
        assert [type(one) for one in changes] == [Disconnected, Connected, Snapshot, Diff]
        assert game.version == 7


async def test_a_snapshot_replaces_a_patch_that_does_not_fit(script: ScriptedService, scripted_client: Client) -> None:
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
    async with scripted_client.subscribe(GAME_ID) as game:
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
    script.connections.extend((send_and_close(1, 1, 1000, type="advertisement"), send_and_stay(1, last)))
    async with scripted_client.subscribe(GAME_ID) as game:
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
    diffs = (await scripted_client.diffs(GAME_ID, 1, limit=5)).diffs
    async with scripted_client.subscribe(GAME_ID) as game:
        game.apply_diffs(diffs[1:3])  # not the next: left to the socket
        assert not game.has_pending
        game.apply_diffs(diffs[:3])
        game.apply_diffs(diffs[:4])
        assert await read_versions(game, 5) == [2, 3, 4, 5]


async def test_a_missing_game_raises_every_time(script: ScriptedService, scripted_client: Client) -> None:
    gone = problem("not_found", "it is gone")
    script.connections.append(send_and_stay(1, 1, type="error", id=None, game=GAME_ID, problem=gone))
    async with scripted_client.subscribe(GAME_ID) as game:
        for _ in range(2):
            with pytest.raises(NotFoundError, match="gone"):
                await anext(game)


async def test_a_start_state_is_resumed_from_and_an_error_of_an_earlier_subscription_ends_no_later_one(
    script: ScriptedService, scripted_client: Client
) -> None:
    """It subscribes again on the same connection, since others follow their games on it."""
    script.connections.append(partial(report_unavailable, []))
    stored = msgspec.json.encode(Snapshot(digest=script.digest(9), game=convert(script.state(9), GameView)))
    async with scripted_client.with_token("t").subscribe(GAME_ID, start=decode(stored, Snapshot)) as game:
        assert await read_versions(game, 11) == [10, 11]
    assert [(one["since"], one["digest"]) for one in script.subscriptions] == [
        (at, script.digest(at)) for at in (9, 10)
    ]


@pytest.mark.parametrize(
    ("code", "kind"),
    ((4404, NotFoundError), (4401, UnauthorizedError), (4413, BadRequestError), (1008, BadRequestError)),
)
async def test_some_close_codes_are_final(
    script: ScriptedService, scripted_client: Client, code: int, kind: type[APIError]
) -> None:
    script.connections.append(send_and_close(1, 1, code))
    with pytest.raises(kind, match=str(code)):
        async with scripted_client.subscribe(GAME_ID) as game:
            await anext(game)


async def test_a_rejected_upgrade_is_retried_and_logged(
    script: ScriptedService, scripted_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    text = web.Response(status=503, text="no JSON", content_type="application/problem+json")
    many = problem_response(problem("rate_limited", "too many streams", retry_after_s=0))
    script.upgrade_responses.extend([text, web.Response(status=502), many])
    script.connections.append(send_and_stay(1, 2))
    async with scripted_client.subscribe(GAME_ID) as game:
        assert await read_versions(game, 2) == [2]
    reasons = ("503: Invalid response status", "502: Invalid response status", "429: too many streams")
    for message, reason in zip(caplog.messages, reasons, strict=True):
        assert re.fullmatch(
            rf"reconnecting to {script.url}/v1/ws in \d\.\d s: the upgrade failed with {reason}", message
        )


async def test_a_socket_without_a_welcome_is_an_outage(script: ScriptedService, scripted_client: Client) -> None:
    script.greetings.extend(({"type": "hello"}, None))
    script.connections.extend((close_without_welcome, close_without_welcome, send_and_stay(1, 2)))
    async with scripted_client.subscribe(GAME_ID) as game:
        assert await read_versions(game, 2) == [2]


async def test_without_a_socket_the_log_is_read_until_one_connects(
    script: ScriptedService, scripted_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """A firewall refuses all upgrades."""
    script.upgrade_responses.extend(web.Response(status=403, text="<html>") for _ in range(3))
    script.responses.extend(web.json_response({"bots": []}) for _ in range(2))
    log, script.log = script.log, script.log[:5]
    script.connections.append(send_and_stay(5, 7))
    async with scripted_client.subscribe(GAME_ID) as game:
        assert game.version == 5
        script.log = log
        assert await read_versions(game, 7) == [6, 7]
    assert script.subscriptions[0]["since"] == 5
    assert caplog.messages[-1].endswith("; games are read by HTTP meanwhile")


SERVICE = {"Content-Type": "application/problem+json"}


@pytest.mark.parametrize(
    ("status", "headers", "least_s"),
    (
        (503, {"Retry-After": "60"}, 4),
        (503, {**SERVICE, "Retry-After": "60"}, 60),
        (429, {**SERVICE, "RateLimit": '"streams";r=0;t=60'}, 60),
        (503, {**SERVICE, "Retry-After": "86400"}, 90),
        (503, {**SERVICE, "Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}, 90),
        (503, {**SERVICE, "Retry-After": "Fri, 31 Dec 2100 23:59:59 -0000"}, 90),
        (503, {**SERVICE, "RateLimit": '"streams";r=0;t=60'}, 0),
        (503, {"Retry-After": "9" * 5000}, 0),
    ),
    ids=lambda value: str(value)[:60],
)
async def test_a_rejected_upgrade_sets_the_wait_before_reconnecting_within_a_bound(
    script: ScriptedService, status: int, headers: dict[str, str], least_s: float
) -> None:
    """With at most 1 s of backoff; a number of too many digits is ignored."""
    script.upgrade_responses.append(web.Response(status=status, headers=headers))
    start = Snapshot(digest=script.digest(1), game=msgspec.convert(script.state(1), GameView))
    backoff = Backoff(initial_wait_s=0.01, max_wait_s=90)
    async with Client(script.url, backoff=backoff) as client, client.subscribe(GAME_ID, start=start) as game:
        event = await game.next_event()
    assert isinstance(event, Disconnected)
    assert least_s <= event.wait_s <= least_s + 1


@pytest.mark.parametrize("text", ("<html>", "[1]", '{"type": "diff"}', '{"type": "error", "problem": 7}'))
async def test_an_invalid_message_raises(script: ScriptedService, scripted_client: Client, text: str) -> None:
    async def connection(socket: ServerSocket) -> None:
        await socket.send_subscribed(1, recovered=False)
        await socket.send_str(text)
        await socket.wait_until_closed()

    script.connections.append(connection)
    with pytest.raises(InvalidResponseError):
        async with scripted_client.subscribe(GAME_ID) as game:
            await anext(game)


async def test_the_state_is_available_within_the_context_only(scripted_client: Client) -> None:
    game = scripted_client.subscribe(GAME_ID)
    for name in ("view", "digest"):
        with pytest.raises(RuntimeError, match="async with"):
            getattr(game, name)


async def test_subscriptions_share_sockets_within_the_services_limit(store: RedisStore) -> None:
    """Two games fit on each, none twice; all are followed on after their connections are lost."""
    async with serve(store, Limits(max_subscriptions=2)) as service, AsyncExitStack() as stack:
        session = await stack.enter_async_context(ClientSession())
        client = await stack.enter_async_context(Client(str(service.make_url("/")), session=session, backoff=QUICK))
        players = [SeatRequest(name="Ana"), SeatRequest(name="Bo")]
        games = [await client.create(CreateGame(players=players, first_seat=0)) for _ in range(3)]
        owners = [client.with_token(game.owner_token) for game in games]
        connections = service.app[CONNECTION_LIMITER].connections
        followed = [
            await stack.enter_async_context(reader.subscribe(game.game.id))
            for game, owner in zip(games, owners, strict=True)
            for reader in (client, owner)
        ]
        assert sum(connection.kind == "socket" for connection in connections) == 4
        for connection in [*connections]:
            connection.drop()
        for game, owner in zip(games, owners, strict=True):
            moves = (await owner.legal_moves(game.game.id)).moves
            await owner.act(game.game.id, moves[0], seat=0)
        assert [(await anext(subscription)).version for subscription in followed] == [2] * 6
        await followed[0].close()
        await wait_until(lambda: service.app[HUB].count_subscribers(games[0].game.id) == 1)
        await client.close()
        await wait_until(lambda: len(connections) <= 1)


async def test_typescript_shares_sockets_within_the_services_limit(store: RedisStore, node: str, built: Path) -> None:
    async with serve(store, Limits(max_subscriptions=2)) as service:
        received = await run_script("shared_sockets.mjs", node, built, str(service.make_url("/")))
    assert received == {"subscribed": 4, "followed": 4, "left": ["connected"] * 5}
