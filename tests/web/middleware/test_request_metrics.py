"""Metrics of requests: ids, routes, durations."""

from collections.abc import AsyncIterator
from time import perf_counter

import pytest

from service.games.ports import GameStore
from service.web.limits import Limits
from service.web.middleware.request_metrics import IN_FLIGHT
from tests.polling import wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, serve

COUNT = "http_request_duration_seconds_count"
NEW_GAME = {"players": [{"name": "Ana"}, {"name": "Bo"}]}


@pytest.fixture
async def client(store: GameStore) -> AsyncIterator[Client]:
    async with serve(store, Limits(sse_comment_interval_s=0.1)) as served:
        yield served


async def test_every_response_has_the_clients_request_id_or_its_own(client: Client) -> None:
    made = [(await client.get("/v1/bots")).headers["X-Request-Id"] for _ in range(2)]
    assert made[0] != made[1]
    values = await client.get("/v1/games/nothing", headers={"X-Request-Id": "from.outside_1"})
    assert (values.status, values.headers["X-Request-Id"]) == (404, "from.outside_1")
    for bad in ("a b", 'a"b', "x" * 65, ""):
        assert (await client.get("/v1/bots", headers={"X-Request-Id": bad})).headers["X-Request-Id"] != bad
    assert "X-Request-Id" in values.headers["Access-Control-Expose-Headers"]


async def test_requests_are_counted_by_route_template(client: Client) -> None:
    before = read_samples()
    for path in ("/v1/games/aaa", "/v1/games/bbb", "/nowhere", "/else/where", "/v1/games/A_B"):
        assert (await client.get(path)).status == 404
    assert (await client.request("PROPFIND", "/v1/bots")).status == 405
    added = {labels for name, labels in read_samples().keys() - before.keys() if name == f"south_seas_{COUNT}"}
    assert {dict(labels)["route"] for labels in added} <= {"/v1/games/{id}", "unmatched"}
    assert grown(before, COUNT, route="/v1/games/{id}", status="4xx") == 2
    assert grown(before, COUNT, route="unmatched", status="4xx") == 4
    assert grown(before, COUNT, method="other") == 1
    assert grown(before, "problems_total", code="not_found", via="http") == 5


async def test_the_duration_of_a_request_is_recorded(client: Client) -> None:
    before, started_at = read_samples(), perf_counter()
    assert (await client.get("/v1/bots")).status == 200
    assert 0 < grown(before, "http_request_duration_seconds_sum") < perf_counter() - started_at


async def test_requests_in_flight_are_counted_one_by_one(client: Client) -> None:
    game = (await (await client.post("/v1/games", json=NEW_GAME)).json())["game"]["id"]
    for number in (1, 2):
        stream = await client.get(f"/v1/games/{game}/diffs", headers={"Accept": "text/event-stream"})
        assert await stream.content.readline()
        assert IN_FLIGHT.count == number


async def test_sockets_and_streams_are_counted_as_connections(client: Client) -> None:
    game = (await (await client.post("/v1/games", json=NEW_GAME)).json())["game"]["id"]
    before = read_samples()
    async with client.ws_connect(f"/v1/games/{game}/ws") as socket:
        assert [(await socket.receive_json())["type"] for _ in range(3)] == ["welcome", "subscribed", "snapshot"]
        await socket.send_str("{")
        assert (await socket.receive_json())["problem"]["code"] == "malformed"
        await socket.send_json({"type": "ping"})
        assert (await socket.receive_json())["type"] == "pong"
    stream = await client.get(f"/v1/games/{game}/diffs", headers={"Accept": "text/event-stream"})
    assert await stream.content.readline()
    assert stream.headers["X-Request-Id"]
    assert IN_FLIGHT.count == 1
    stream.close()
    await wait_until(lambda: not IN_FLIGHT.count)
    assert grown(before, COUNT) == 0
    assert (
        grown(before, "connections_opened_total", kind="socket")
        == grown(before, "connections_opened_total", kind="stream")
        == 1
    )
    assert grown(before, "sockets_closed_total", code="1000") == 1
    assert grown(before, "socket_messages_received_total", type="malformed") == 1
    assert grown(before, "socket_messages_received_total", type="ping") == 1
    assert grown(before, "problems_total", code="malformed", via="socket") == 1


async def test_an_internal_error_is_counted_and_has_an_id(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    assert client.app is not None
    monkeypatch.setattr("service.store.game_store.RedisStore.list_by_status", broken)
    before = read_samples()
    answer = await client.get("/v1/games", headers={"X-Request-Id": "the-broken-one"})
    assert (answer.status, (await answer.json())["code"]) == (500, "internal")
    assert answer.headers["X-Request-Id"] == "the-broken-one"
    assert (grown(before, COUNT, route="/v1/games", status="5xx"), IN_FLIGHT.count) == (1, 0)


async def test_a_waiting_game_is_created_and_not_started(client: Client) -> None:
    before = read_samples()
    players = [{"name": "Ana"}, {"open": True}]
    assert (await client.post("/v1/games", json={"players": players})).status == 201
    assert grown(before, "games_total") == grown(before, "games_total", event="created") == 1


async def test_the_events_of_a_game_are_counted(client: Client) -> None:
    before = read_samples()
    created = await (await client.post("/v1/games?include=legal_moves", json=NEW_GAME)).json()
    path = f"/v1/games/{created['game']['id']}"
    headers = {"Authorization": f"Bearer {created['owner_token']}"}
    move = created["legal_moves"]["moves"][0]["id"]
    assert (await client.post(f"{path}/actions", json={"move": move}, headers=headers)).status == 200
    assert (await client.post(f"{path}/actions", json={"move": move}, headers=headers)).status == 422
    assert (await client.delete(path, headers=headers)).status == 200
    events = ("created", "started", "aborted", "finished")
    assert [grown(before, "games_total", event=event) for event in events] == [1, 1, 1, 0]
    assert (grown(before, "actions_total", by="owner"), grown(before, "actions_total")) == (1, 1)
    assert grown(before, "commits_total", outcome="committed") == 3
    assert grown(before, "game_cache_misses_total") == 0
    assert grown(before, "problems_total", code="illegal_move") == 1
