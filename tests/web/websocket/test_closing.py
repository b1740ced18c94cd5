"""How a socket ends: refused, silent, slow, vanished, or sent away (api.md, "WebSocket"; operations.md, "Stopping")."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import pairwise
from typing import Any, Self

import pytest
from aiohttp import ClientSession, WSMsgType

from service.games.errors import GameError
from service.games.ports import Commit, CommitOutcome, GameRecord, StoredDiff, StoreUnavailable
from service.games.realtime.channel import Channel
from service.games.realtime.messages import ChannelMessage
from service.games.realtime.stream_position import StreamPosition
from service.store.game_store import RedisStore
from service.web.app_keys import DRAINING, HUB
from service.web.limits import Limits
from service.web.routes.websocket import close_streams
from service.web.websocket import connection
from service.web.websocket.connection import WebSocketConnection
from service.web.websocket.streams import STREAMS
from tests.web.app_server import Client, serve
from tests.web.http_game import Table, new_table
from tests.web.watcher_client import Line, connected, watching

NOBODYS = "x" * 43

SLOW = Limits(max_unsent_bytes=1_000_000, sweep_interval_s=1000)


async def emptied(client: Client) -> None:
    """Nobody is connected, and nothing is watched."""
    async with asyncio.timeout(5):
        while len(client.app[HUB]) + len(client.app[STREAMS]):  # noqa: ASYNC110  neither gives an event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("path", "token", "code"),
    (
        ("/v1/games/none/ws", None, 4404),
        ("/v1/games/UPPER/ws", None, 4404),
        ("/v1/games/{public}/ws", NOBODYS, 4401),
        ("/v1/games/{public}/ws", "no token at all", 4401),
        ("/v1/ws", "no token at all", 4401),
        ("/v1/games/{private}/ws", None, 4404),
        ("/v1/games/{private}/ws", NOBODYS, 4404),
        ("/v1/games/{public}/ws?since=x", None, 4400),
        ("/v1/games/{public}/ws?since=-1", None, 4400),
        ("/v1/games/{public}/ws?since=1&since=2", None, 4400),
        ("/v1/games/{public}/ws?since=1&digest=x", None, 4400),
    ),
)
async def test_what_the_upgrade_asks_is_refused_after_it(
    client: Client, path: str, token: str | None, code: int
) -> None:
    public = await new_table(client)
    private = await new_table(client, visibility="private")
    async with connected(client, path.format(public=public.id, private=private.id), token) as line:
        assert await line.closed() == code
    await emptied(client)


async def test_a_token_on_the_shared_path_is_refused_nowhere(client: Client) -> None:
    """Which game it is for shows only later."""
    async with connected(client, token=NOBODYS) as line:
        await line.subscribe((await new_table(client)).id)


async def test_a_client_that_answers_pings_stays(store: RedisStore) -> None:
    async with serve(store, Limits(ping_interval_s=0.5)) as client, connected(client) as line:
        assert (await line.ask({"type": "ping"}, "pong"))["id"] is None
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await line.socket.receive()
        await line.nothing()


async def test_a_client_that_answers_no_ping_is_closed(store: RedisStore) -> None:
    async with (
        serve(store, Limits(ping_interval_s=1.0)) as client,
        client.ws_connect("/v1/ws", autoping=False) as socket,
    ):
        heard = [await socket.receive() for _ in range(3)]
        assert [message.type for message in heard] == [WSMsgType.TEXT, WSMsgType.PING, WSMsgType.CLOSE]
        assert socket.close_code == 4408
        await emptied(client)


class Gated(RedisStore):
    """A store that may be held up, or be out of reach."""

    gate: asyncio.Event
    log_gate: asyncio.Event
    unavailable = False

    async def load(self, game: str, key: str | None = None) -> GameRecord | None:
        """The game, in its time."""
        await self.gate.wait()
        if self.unavailable:
            raise StoreUnavailable("out of reach", 2)
        return await super().load(game, key)

    async def commit(self, commit: Commit) -> CommitOutcome:
        """Change the game, in its time."""
        await self.gate.wait()
        return await super().commit(commit)

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log, in its time."""
        await self.log_gate.wait()
        return await super().load_diffs(game, since, limit)


@pytest.fixture
async def gated(store: RedisStore) -> Gated:
    found = Gated(store._client)
    found.gate, found.log_gate = asyncio.Event(), asyncio.Event()
    found.gate.set()
    found.log_gate.set()
    return found


async def test_a_client_whose_message_takes_long_is_not_taken_for_silent(gated: Gated) -> None:
    async with serve(gated, Limits(ping_interval_s=0.5)) as client:
        table = await new_table(client)
        async with connected(client) as line:
            gated.gate.clear()
            await line.say({"type": "subscribe", "game": table.id})
            hearing = asyncio.create_task(line.hear("subscribed"))
            await asyncio.sleep(1.2)
            gated.gate.set()
            await hearing


async def test_a_socket_that_is_closed_while_it_subscribes_leaves_nothing_behind(gated: Gated) -> None:
    async with serve(gated, Limits(sweep_interval_s=1000)) as client:
        table = await new_table(client)
        other, far = StreamPosition(1, "another past"), Far()
        feed = client.app[HUB]._registry.channels[table.id] = Channel(table.id, other)
        feed.subscribers.add(far)
        async with connected(client) as line:
            gated.log_gate.clear()
            await line.subscribe(table.id)
            (wire,) = client.app[STREAMS]._streams
            assert isinstance(wire, WebSocketConnection)
            wire.close(4408, "no_pong")
            gated.log_gate.set()
            assert await line.closed() == 4408
        async with asyncio.timeout(5):
            while len(client.app[STREAMS]):  # noqa: ASYNC110  it gives no event
                await asyncio.sleep(0.01)
        assert [*feed.subscribers] == [far]
        client.app[HUB].unsubscribe(far, table.id)


class Far:
    """A watcher that hears nothing."""

    def deliver(self, message: ChannelMessage) -> None:
        """Nothing."""

    def end_subscription(self, game: str, error: GameError) -> None:
        """Nothing."""


async def test_a_socket_that_cannot_begin_is_sent_away_to_come_back(gated: Gated) -> None:
    gated.unavailable = True
    async with serve(gated) as client, connected(client, "/v1/games/some/ws") as line:
        assert (await line.hear("closing"))["retry_after_ms"] == 2000
        assert await line.closed() == 1012


class Filler:
    """Fills connections with diffs that only this instance's feed knows, each of 400 KB."""

    def __init__(self, client: Client, table: Table) -> None:
        self._watch = client.app[HUB]
        self._game = table.id
        self._last = StoredDiff(1, table.created["digest"], "", b"")

    def tell(self) -> None:
        """Tell all watchers the next one."""
        version, previous = self._last.version + 1, self._last.digest
        text = b'{"type":"diff","version":%d,"filling":"%b"}' % (version, b"x" * 400_000)
        self._last = StoredDiff(version, f"{version:032x}", previous, text)
        self._watch.publish_commit(self._game, [self._last])


class Stuck:
    """A client that reads nothing until it is told to."""

    def __init__(self, client: Client, table: Table) -> None:
        self._session = ClientSession(read_bufsize=1024)
        self._url = client.make_url(f"/v1/games/{table.id}/ws?since=1")

    async def __aenter__(self) -> Self:
        self.socket = await self._session.ws_connect(self._url, max_msg_size=0, autoclose=False, autoping=False)
        connection = self.socket._response.connection
        assert connection is not None
        assert connection.transport is not None
        self.transport = connection.transport
        for _ in range(2):
            await self.socket.receive()
        self.transport.pause_reading()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.transport.abort()
        await self._session.close()

    async def closed(self) -> int | None:
        """Read on; gives the code of the close."""
        self.transport.resume_reading()
        async with asyncio.timeout(8):
            while (await self.socket.receive()).type is WSMsgType.TEXT:
                pass
        return self.socket.close_code


async def test_a_client_that_cannot_keep_up_is_closed_and_delays_nobody(store: RedisStore) -> None:
    async with serve(store, SLOW) as client:
        table = await new_table(client)
        filler = Filler(client, table)
        async with connected(client, f"/v1/games/{table.id}/ws?since=1", max_msg_size=0) as quick:
            await quick.hear("subscribed")
            async with Stuck(client, table) as slow:
                told, feed = 0, client.app[HUB]._channels[table.id]
                while len(feed.subscribers) == 2 and told < 100:
                    filler.tell()
                    told += 1
                    async with asyncio.timeout(1):
                        await quick.socket.receive()
                assert 2 < told < 100
                assert await slow.closed() == 4429
            await quick.nothing()
        await emptied(client)


async def test_a_client_that_never_reads_is_cut_off(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CLOSE_TIMEOUT_S", 0.2)
    async with serve(store, SLOW) as client:
        table = await new_table(client)
        filler = Filler(client, table)
        async with Stuck(client, table):
            while len(client.app[HUB]):
                filler.tell()
                await asyncio.sleep(0)
            await emptied(client)


async def test_a_client_that_never_answers_a_close_is_cut_off(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_TIMEOUT_S", 0.2)
    async with (
        serve(store, Limits(ping_interval_s=1.0)) as client,
        client.ws_connect("/v1/ws", autoping=False, autoclose=False) as socket,
    ):
        while (await socket.receive()).type is not WSMsgType.CLOSE:
            pass
        await emptied(client)


@pytest.fixture
async def quick(store: RedisStore) -> AsyncIterator[Client]:
    """An instance that stops within 0.2 s."""
    async with serve(store, Limits(close_window_s=0.2)) as client:
        yield client


async def test_an_instance_that_stops_sends_all_away_bit_by_bit(quick: Client) -> None:
    table = await new_table(quick)
    loop = asyncio.get_running_loop()

    async def sent_away(line: Line) -> tuple[float, int]:
        closing = await line.hear("closing")
        at = loop.time()
        assert await line.closed() == 1012
        return at, closing["retry_after_ms"]

    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(watching(quick, table.id)) for _ in range(10)]
        async with asyncio.TaskGroup() as group:
            leaving = [group.create_task(sent_away(line)) for line in lines]
            group.create_task(close_streams(quick.app))
        times, retries = zip(*sorted(task.result() for task in leaving), strict=True)
        assert times[-1] - times[0] > 0.1
        assert all(one < other for one, other in pairwise(retries))
        assert not len(quick.app[STREAMS])
        assert not len(quick.app[HUB])
        await close_streams(quick.app)


async def test_who_comes_late_is_sent_away_too(quick: Client) -> None:
    await close_streams(quick.app)
    async with connected(quick) as line:
        await line.hear("closing")
        assert await line.closed() == 1012


async def test_those_who_come_late_are_not_told_to_come_back_all_at_once(quick: Client) -> None:
    await close_streams(quick.app)
    hints = set()
    for _ in range(10):
        async with connected(quick) as line:
            hints.add((await line.hear("closing"))["retry_after_ms"])
    assert len(hints) > 1


async def test_an_instance_that_will_stop_still_takes_sockets_since_a_proxy_may_not_know_it_yet(quick: Client) -> None:
    quick.app[DRAINING].set()
    async with connected(quick) as line:
        closing = asyncio.create_task(close_streams(quick.app))
        await line.hear("closing")
        assert await line.closed() == 1012
        await closing


async def test_what_a_client_has_asked_is_done_before_it_is_sent_away(gated: Gated) -> None:
    async with serve(gated, Limits(close_window_s=0)) as client:
        table = await new_table(client)
        move = (await table.moves())[0]["id"]
        async with watching(client, table.id, token=table.owner) as line:
            gated.gate.clear()
            await line.say({"type": "act", "id": "last", "game": table.id, "move": move})
            await line.say({"type": "ping"})
            await asyncio.sleep(0.05)
            closing = asyncio.create_task(close_streams(client.app))
            await asyncio.sleep(0.05)
            gated.gate.set()
            heard: list[dict[str, Any]] = [await line.hear() for _ in range(3)]
            assert [message["type"] for message in heard] == ["diff", "ack", "closing"]
            assert await line.closed() == 1012
            await closing


@pytest.mark.parametrize(
    ("frame", "code"),
    (
        (b"\x81\x82\0\0\0\0\xff\xfe", 1007),  # not UTF-8
        (b"\x83\x80\0\0\0\0", 1002),  # a kind of frame that there is not
        (b"\xc1\x80\0\0\0\0", 1002),  # compressed, which was not agreed
        (b"\x80\x80\0\0\0\0", 1002),  # the continuation of nothing
    ),
)
async def test_frames_of_a_wrong_form_close_the_socket(client: Client, frame: bytes, code: int) -> None:
    async with connected(client) as line:
        connection = line.socket._response.connection
        assert connection is not None
        assert connection.transport is not None
        connection.transport.write(frame)
        assert await line.closed() == code
    await emptied(client)
