"""What a socket is asked and answers, message by message (api.md, "WebSocket")."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import WSMsgType
from redis.asyncio import Redis

from service.store import keys
from service.store.game_store import RedisStore
from service.web.app_keys import HUB
from service.web.limits import Limits
from tests.web.app_server import Client, serve
from tests.web.http_game import Table, bearer, new_table, refused
from tests.web.watcher_client import Line, connected, watching

DIGEST = "0" * 32


@pytest.fixture
async def table(client: Client) -> Table:
    return await new_table(client)


@pytest.fixture
async def line(client: Client) -> AsyncIterator[Line]:
    async with connected(client) as opened:
        yield opened


async def test_the_welcome_tells_the_limits(client: Client) -> None:
    async with client.ws_connect("/v1/ws") as socket:
        welcome = await Line(socket).hear("welcome")
    assert (welcome["ping_interval_ms"], welcome["max_message_bytes"]) == (20_000, 65_536)
    assert welcome["now"].endswith("Z")


async def test_a_subscription_begins_with_a_snapshot_and_goes_on_with_every_diff(table: Table, line: Line) -> None:
    subscribed = await line.subscribe(table.id, id="s1")
    assert subscribed["id"] == "s1"
    assert (subscribed["version"], subscribed["digest"]) == (1, line.keeper(table.id).digest)
    for _ in range(5):
        acted = await table.do()
        assert await line.hear("diff") == acted["diffs"][0]
    assert line.keeper(table.id).game == await table.json()


async def test_the_path_implies_a_subscription(client: Client, table: Table) -> None:
    async with watching(client, table.id) as line:
        await table.do()
        await line.hear("diff")
        assert line.keeper(table.id).game == await table.json()


@pytest.mark.parametrize("with_digest", (True, False))
@pytest.mark.parametrize("since", (1, 2, 4))
async def test_a_socket_resumes_where_the_log_has_its_state(
    client: Client, table: Table, since: int, with_digest: bool
) -> None:
    async with watching(client, table.id) as line:
        before = line.keeper(table.id)
        for _ in range(since - 1):
            await table.do()
            await line.hear("diff")
    for _ in range(4 - since):
        await table.do()
    query = f"?since={since}" + (f"&digest={before.digest}" if with_digest else "")
    async with connected(client, f"/v1/games/{table.id}/ws{query}") as line:
        line.kept[table.id] = before
        subscribed = await line.hear("subscribed")
        assert subscribed["recovered"] is True
        assert subscribed["version"] == 4
        await line.reach(table.id, 4)
        assert before.digest == subscribed["digest"]
        assert before.game == await table.json()
        await line.nothing()
        await table.do()
        await line.hear("diff")


async def test_from_version_0_the_log_builds_the_game(client: Client, table: Table) -> None:
    await table.do()
    async with connected(client, f"/v1/games/{table.id}/ws?since=0") as line:
        assert (await line.hear("subscribed"))["recovered"] is True
        kept = await line.reach(table.id, 2)
        assert (kept.versions, kept.snapshots) == ([1, 2], 0)
        assert kept.game == await table.json()


@pytest.mark.parametrize("query", (f"?since=1&digest={DIGEST}", f"?since=3&digest={DIGEST}", "?since=99", ""))
async def test_a_socket_begins_anew_where_its_state_is_unknown(client: Client, table: Table, query: str) -> None:
    for _ in range(2):
        await table.do()
    async with watching(client, table.id, query) as line:
        kept = line.keeper(table.id)
        assert (kept.snapshots, kept.version) == (1, 3)
        await line.nothing()
        await table.do()
        await line.hear("diff")


async def test_a_socket_begins_anew_where_the_log_does_not_reach_back(
    client: Client, table: Table, redis: Redis
) -> None:
    for _ in range(3):
        await table.do()
    await redis.xtrim(keys.log(table.id), minid="3", approximate=False)
    async with watching(client, table.id, "?since=1") as line:
        assert line.keeper(table.id).snapshots == 1
    async with connected(client, f"/v1/games/{table.id}/ws?since=2") as line:
        assert (await line.hear("subscribed"))["recovered"] is True


async def test_subscribing_again_begins_anew_and_repeats_nothing(table: Table, line: Line) -> None:
    await line.subscribe(table.id)
    await table.do()
    await line.hear("diff")
    await line.subscribe(table.id)
    assert (await line.subscribe(table.id, since=2))["recovered"] is True
    await table.do()
    await line.hear("diff")
    await line.nothing()


async def test_a_snapshot_is_told_when_asked_for(table: Table, line: Line) -> None:
    await line.ask({"type": "sync", "game": table.id}, "snapshot")
    await table.do()
    await line.nothing()
    await line.subscribe(table.id)
    await table.do()
    await line.hear("diff")
    await line.ask({"type": "sync", "game": table.id, "id": "y"}, "snapshot")
    await table.do()
    await line.hear("diff")
    assert line.keeper(table.id).game == await table.json()


async def test_snapshots_and_diffs_keep_their_order_while_the_game_goes_on(table: Table, line: Line) -> None:
    await line.subscribe(table.id)
    for _ in range(30):
        await line.say({"type": "sync", "game": table.id})
    for _ in range(20):
        await table.do()
    kept = line.keeper(table.id)
    while kept.snapshots < 31 or kept.version < 21:
        await line.hear()
    assert kept.versions == sorted(set(kept.versions))
    assert kept.game == await table.json()


async def test_after_unsubscribe_comes_nothing(table: Table, line: Line) -> None:
    await line.subscribe(table.id)
    ack = await line.ask({"type": "unsubscribe", "game": table.id, "id": "u"}, "ack")
    assert ack == {"type": "ack", "id": "u", "game": table.id, "version": None, "digest": None, "legal_moves": None}
    await table.do()
    await line.nothing()
    assert (await line.ask({"type": "unsubscribe", "game": table.id}, "ack"))["id"] is None


async def test_one_socket_watches_many_games(client: Client, line: Line) -> None:
    tables = [await new_table(client) for _ in range(20)]
    for table in tables:
        await line.subscribe(table.id)
    for table in [*tables, *reversed(tables)]:
        await table.do()
        assert (await line.hear("diff"))["game"] == table.id
    assert len(client.app[HUB]) == 20
    for table in tables:
        assert line.keeper(table.id).game == await table.json()
        await line.ask({"type": "unsubscribe", "game": table.id}, "ack")
    assert len(client.app[HUB]) == 0


async def test_a_socket_has_so_many_games_and_tokens_and_no_more(store: RedisStore) -> None:
    async with serve(store, Limits(max_subscriptions=2)) as client, connected(client) as line:
        tables = [await new_table(client) for _ in range(3)]
        for table in tables[:2]:
            await line.subscribe(table.id)
            await line.ask({"type": "auth", "game": table.id, "token": table.owner}, "ack")
        for kind, more in (("subscribe", {}), ("auth", {"token": tables[2].owner})):
            error = await line.refused({"type": kind, "game": tables[2].id, "id": kind, **more}, "rate_limited")
            assert (error["id"], error["game"]) == (kind, tables[2].id)
        await line.subscribe(tables[1].id)
        await line.ask({"type": "auth", "game": tables[1].id, "token": tables[1].spectator}, "ack")
        await line.ask({"type": "unsubscribe", "game": tables[0].id}, "ack")
        await line.subscribe(tables[2].id)


async def test_pings_are_answered_in_turn(table: Table, line: Line) -> None:
    for number in range(10):
        await line.say({"type": "sync", "game": table.id})
        await line.say({"type": "ping", "id": str(number)})
    for number in range(10):
        await line.hear("snapshot")
        assert await line.hear("pong") == {"type": "pong", "id": str(number)}
    assert await line.ask({"type": "ping"}, "pong") == {"type": "pong", "id": None}


async def test_a_protocol_ping_is_answered(client: Client) -> None:
    async with client.ws_connect("/v1/ws", autoping=False) as socket:
        await socket.receive()
        await socket.ping(b"x" * 125)
        answer = await socket.receive()
        assert (answer.type, answer.data) == (WSMsgType.PONG, b"x" * 125)


async def test_a_game_that_ends_leaves_the_socket_open(client: Client, line: Line) -> None:
    table = await new_table(client, [{"bot": "random"}, {"bot": "random"}])
    await line.subscribe(table.id)
    if line.keeper(table.id).game["status"] == "active":
        await client.delete(table.path, headers=bearer(table.owner))
        await line.hear("diff")
    assert line.keeper(table.id).game["status"] in {"finished", "aborted"}
    await line.nothing()


async def test_a_game_that_disappears_ends_its_subscription(store: RedisStore, redis: Redis) -> None:
    async with serve(store, Limits(sweep_interval_s=0.05)) as client, connected(client) as line:
        table, other = await new_table(client), await new_table(client)
        await line.subscribe(table.id)
        await line.subscribe(other.id)
        await redis.delete(keys.game(table.id), keys.log(table.id))
        error = await line.hear("error")
        assert (error["id"], error["game"], error["problem"]["code"]) == (None, table.id, "not_found")
        assert len(client.app[HUB]) == 1
        await other.do()
        await line.hear("diff")


@pytest.mark.parametrize("path", ("/v1/ws", "/v1/games/none/ws"))
async def test_what_asks_for_no_upgrade_is_malformed(client: Client, path: str) -> None:
    await refused(await client.get(path), 400, "malformed")
    await refused(await client.post(path), 405, "method_not_allowed")
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "12"}
    await refused(await client.get(path, headers=headers), 400, "malformed")


async def test_any_origin_may_connect(client: Client) -> None:
    async with client.ws_connect("/v1/ws", origin="https://elsewhere.example") as socket:
        await Line(socket).hear("welcome")
