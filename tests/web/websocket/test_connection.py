"""How a WebSocket is closed: rejected, silent, slow, disconnected, or at shutdown."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, Self
from unittest.mock import AsyncMock, Mock

import pytest
import uvloop
from aiohttp import ClientSession, WSMessage, WSMsgType

from schemas.messages import Pong
from service.games.channel import Channel
from service.games.ports import Revision, StoredDiff, StoreUnavailable
from service.store.game_store import RedisStore
from service.supervision import EventLoop
from service.web.app import DRAINING, HUB
from service.web.limits import Limits
from service.web.streams import STREAMS
from service.web.websocket import close_streams
from service.web.websocket_connection import WebSocketConnection
from tests.polling import TIMEOUT_S, run_ready_tasks, wait_until
from tests.redis_servers import connect
from tests.store.commits import action
from tests.web.app_server import Client, serve, wait_until_no_streams
from tests.web.http_game import GatedStore, HTTPGame, create_game
from tests.web.watcher_client import client_transport, connect_watcher, only_stream, watch_game

NOBODYS = "x" * 43

SLOW = Limits(max_unsent_bytes=1_000_000, sweep_interval_s=1000)


@pytest.mark.parametrize(
    ("path", "token", "code"),
    (
        ("/v1/games/none/ws", None, 4404),
        ("/v1/games/UPPER/ws", None, 4404),
        ("/v1/games/{public}/ws", NOBODYS, 4401),
        ("/v1/games/{public}/ws", "no token at all", 4401),
        *(("/v1/ws", "no token at all", 4401), ("/v1/games/{private}/ws", None, 4404)),
        *(("/v1/games/{private}/ws", NOBODYS, 4404), ("/v1/games/{public}/ws?since=x", None, 4400)),
        ("/v1/games/{public}/ws?since=-1", None, 4400),
        ("/v1/games/{public}/ws?since=1&since=2", None, 4400),
        ("/v1/games/{public}/ws?since=1&digest=x", None, 4400),
    ),
)
async def test_a_rejected_upgrade_is_closed_with_the_code_of_its_problem(
    client: Client, http_game: HTTPGame, path: str, token: str | None, code: int
) -> None:
    private = await create_game(client, visibility="private")
    async with connect_watcher(client, path.format(public=http_game.id, private=private.id), token) as watcher:
        assert await watcher.receive_close() == code
    await wait_until_no_streams(client)


async def test_a_refusal_says_why(client: Client) -> None:
    private = await create_game(client, visibility="private")
    async with client.ws_connect(f"/v1/games/{private.id}/ws") as socket:
        await socket.receive_json(timeout=TIMEOUT_S)  # the welcome
        closed = await socket.receive(TIMEOUT_S)
    assert str(closed.extra).startswith(f"not_found: there is no game {private.id}, or it is private and opens with")


async def test_any_token_is_accepted_on_the_shared_path(client: Client) -> None:
    """Only later messages show which game it is for."""
    async with connect_watcher(client, token=NOBODYS) as watcher:
        await watcher.subscribe((await create_game(client)).id)


async def test_a_client_is_closed_when_it_no_longer_answers_pings(store: RedisStore) -> None:
    async with (
        serve(store, Limits(ping_interval_s=1.0)) as client,
        client.ws_connect("/v1/ws", autoping=False) as socket,
    ):
        assert (await socket.receive()).type is WSMsgType.TEXT
        answered = await socket.receive()
        assert answered.type is WSMsgType.PING
        await socket.pong(answered.data)
        assert [(await socket.receive()).type for _ in range(2)] == [WSMsgType.PING, WSMsgType.CLOSE]
        assert socket.close_code == 4408
        await wait_until_no_streams(client)


async def test_a_client_that_answered_within_the_resolution_of_the_clock_is_not_closed(client: Client) -> None:
    loop = asyncio.get_running_loop()
    async with connect_watcher(client) as watcher:
        opened = only_stream(client)
        opened._ping_timer.cancel()
        due = opened._ping_timer = loop.call_later(0, opened._check_pong, opened._last_received_at, 1)
        await wait_until(lambda: opened._ping_timer is not due)
        await watcher.subscribe((await create_game(client)).id)


@pytest.mark.parametrize("pause_s", (0.15, 0.38, 1.5))
async def test_a_client_is_not_closed_for_an_answer_that_came_during_a_pause(redis_url: str, pause_s: float) -> None:
    """However short the time is from the end of the pause to the time-out of the ping, which is 0.4 s."""

    async def answer_late() -> None:
        async with (
            connect(redis_url) as store,
            serve(store, Limits(ping_interval_s=1.0)) as client,
            client.ws_connect("/v1/ws", autoping=False) as socket,
        ):
            assert (await socket.receive()).type is WSMsgType.TEXT
            for _ in range(2):
                ping = await socket.receive()
                assert ping.type is WSMsgType.PING
                await socket.pong(ping.data)
                time.sleep(pause_s)  # noqa: ASYNC251  nothing of this event loop goes on

    await asyncio.to_thread(uvloop.run, answer_late(), loop_factory=EventLoop)


async def test_a_socket_holds_no_more_than_it_needs(client: Client) -> None:
    """Its timer would hold a closed one for ever."""
    async with connect_watcher(client):
        opened = only_stream(client)
        assert not opened.socket.headers  # they were sent
    await wait_until_no_streams(client)
    assert opened._ping_timer.cancelled()


@pytest.fixture
async def gated(store: RedisStore) -> GatedStore:
    gated_store = GatedStore(store.client)
    gated_store.game_gate, gated_store.log_gate = asyncio.Event(), asyncio.Event()
    gated_store.game_gate.set()
    gated_store.log_gate.set()
    return gated_store


async def test_a_client_is_not_closed_while_its_message_is_handled(gated: GatedStore) -> None:
    async with serve(gated) as client:
        http_game = await create_game(client)
        async with connect_watcher(client) as watcher:
            opened = only_stream(client)
            gated.game_gate.clear()
            before = gated.arrivals
            await watcher.send({"type": "subscribe", "game": http_game.id})
            await wait_until(lambda: gated.arrivals > before)
            opened._ping_timer.cancel()
            opened._check_pong(opened._last_received_at + 1, 1)  # the ping times out meanwhile
            gated.game_gate.set()
            await watcher.receive("subscribed")


async def test_a_message_that_arrives_as_the_socket_is_to_close_is_handled_to_its_end(
    gated: GatedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(gated) as client:
        http_game = await create_game(client)
        async with connect_watcher(client) as watcher:
            opened = only_stream(client)
            receive = opened.socket.receive

            async def reconnect_meanwhile() -> WSMessage:
                message = await receive()
                opened.request_reconnect(100)
                return message

            monkeypatch.setattr(opened.socket, "receive", reconnect_meanwhile)
            gated.game_gate.clear()
            await watcher.send({"type": "subscribe", "game": http_game.id})
            await wait_until(lambda: opened._is_handling)
            await run_ready_tasks()
            gated.game_gate.set()
            for kind in ("subscribed", "snapshot", "closing"):
                await watcher.receive(kind)


async def test_a_socket_that_is_closed_while_it_subscribes_leaves_nothing_behind(gated: GatedStore) -> None:
    async with serve(gated, Limits(sweep_interval_s=1000)) as client:
        http_game = await create_game(client)
        other, silent = Revision(1, b"another past"), Mock()
        channel = client.app[HUB].channels[http_game.id] = Channel(http_game.id, other)
        channel.subscribers.add(silent)
        async with connect_watcher(client) as watcher:
            gated.log_gate.clear()
            await watcher.subscribe(http_game.id)
            opened = only_stream(client)
            opened.close(4408, "no_pong")
            gated.log_gate.set()
            assert await watcher.receive_close() == 4408
        await wait_until(lambda: not len(client.app[STREAMS]))
        assert [*channel.subscribers] == [silent]
        client.app[HUB].unsubscribe(silent, http_game.id)


async def test_a_socket_that_cannot_subscribe_for_now_is_told_to_reconnect(gated: GatedStore) -> None:
    gated.unavailable = True
    async with serve(gated) as client, connect_watcher(client, "/v1/games/some/ws") as watcher:
        assert (await watcher.receive("closing"))["retry_after_ms"] == 2000
        assert await watcher.receive_close() == 1001


async def test_a_subscription_that_cannot_be_read_gets_an_error_and_is_told_to_reconnect(
    client: Client, http_game: HTTPGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.app[HUB], "subscribe", AsyncMock(side_effect=StoreUnavailable("out of reach", 3)))
    async with connect_watcher(client) as watcher:
        await watcher.request({"type": "subscribe", "id": "s1", "game": http_game.id, "since": 0}, "subscribed")
        error = await watcher.receive("error")
        assert (error["id"], error["problem"]["code"]) == ("s1", "store_unavailable")
        assert (await watcher.receive("closing"))["retry_after_ms"] == 3000
        assert await watcher.receive_close() == 1001


class LargeDiffPublisher:
    """Publishes diffs of 400 KB that only this instance's channel has."""

    def __init__(self, client: Client, http_game: HTTPGame) -> None:
        self._hub = client.app[HUB]
        self._game = http_game.id
        self._last = StoredDiff(1, bytes.fromhex(http_game.created["digest"]), b"", "", b"")

    def publish(self) -> None:
        version, previous = self._last.version + 1, self._last.digest
        text = b'{"type":"diff","version":%d,"filling":"%b"}' % (version, b"x" * 400_000)
        self._last = StoredDiff(version, version.to_bytes(16), previous, "", text)
        self._hub.publish_commit(action(version - 1, self._game, diffs=[self._last]))


class StalledClient:
    """A client that reads nothing until `resume_until_close`."""

    def __init__(self, client: Client, http_game: HTTPGame) -> None:
        self._session = ClientSession(read_bufsize=1024)
        self._url = client.make_url(f"/v1/games/{http_game.id}/ws?since=1")

    async def __aenter__(self) -> Self:
        self.socket = await self._session.ws_connect(self._url, max_msg_size=0, autoclose=False, autoping=False)
        self.transport = client_transport(self.socket)
        for _ in range(2):
            await self.socket.receive()
        self.transport.pause_reading()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.transport.abort()
        await self._session.close()

    async def resume_until_close(self) -> int | None:
        """Read on, and return the close code."""
        self.transport.resume_reading()
        async with asyncio.timeout(TIMEOUT_S):
            while (await self.socket.receive()).type is WSMsgType.TEXT:
                pass
        return self.socket.close_code


async def test_a_slow_consumer_is_closed_and_delays_no_other(store: RedisStore) -> None:
    async with serve(store, SLOW) as client:
        http_game = await create_game(client)
        filler = LargeDiffPublisher(client, http_game)
        async with connect_watcher(client, f"/v1/games/{http_game.id}/ws?since=1", max_msg_size=0) as quick:
            await quick.receive("subscribed")
            async with StalledClient(client, http_game) as slow:
                published, channel = 0, client.app[HUB].channels[http_game.id]
                while len(channel.subscribers) == 2 and published < 100:
                    filler.publish()
                    published += 1
                    async with asyncio.timeout(TIMEOUT_S):
                        await quick.socket.receive()
                assert 2 < published < 100
                assert await slow.resume_until_close() == 4429
            await quick.expect_nothing()
        await wait_until_no_streams(client)


async def test_nothing_is_sent_after_a_close(client: Client, http_game: HTTPGame) -> None:
    async with watch_game(client, http_game.id) as watcher:
        (subscriber,) = client.app[HUB].channels[http_game.id].subscribers
        assert isinstance(subscriber, WebSocketConnection)
        subscriber.close(4400, "test")
        subscriber.send(Pong(id=None))
        message = await watcher.socket.receive()
        assert (message.type, message.data) == (WSMsgType.CLOSE, 4400)


async def test_a_client_that_never_reads_is_dropped(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.websocket_connection.CLOSE_TIMEOUT_S", 0.2)
    async with serve(store, SLOW) as client:
        http_game = await create_game(client)
        filler = LargeDiffPublisher(client, http_game)
        async with StalledClient(client, http_game):
            while len(client.app[HUB]):
                filler.publish()
                await asyncio.sleep(0)
            await wait_until_no_streams(client)


async def test_a_client_that_answers_no_close_is_dropped(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.websocket_connection.CLOSE_TIMEOUT_S", 0.2)
    async with (
        serve(store, Limits(ping_interval_s=1.0)) as client,
        client.ws_connect("/v1/ws", autoping=False, autoclose=False) as socket,
    ):
        while (await socket.receive()).type is not WSMsgType.CLOSE:
            pass
        await wait_until_no_streams(client)


@pytest.fixture
async def quick(store: RedisStore) -> AsyncIterator[Client]:
    """Return a client of an instance that closes streams within 0.2 s."""
    async with serve(store, Limits(close_window_s=0.2)) as client:
        yield client


async def test_a_socket_opened_during_shutdown_is_closed(quick: Client) -> None:
    await close_streams(quick.app)
    async with connect_watcher(quick) as watcher:
        await watcher.receive("closing")
        assert await watcher.receive_close() == 1001


async def test_a_draining_instance_still_accepts_sockets(quick: Client) -> None:
    quick.app[DRAINING].set()
    async with connect_watcher(quick) as watcher:
        closing = asyncio.create_task(close_streams(quick.app))
        await watcher.receive("closing")
        assert await watcher.receive_close() == 1001
        await closing


async def test_a_shutdown_finishes_the_message_that_is_handled(gated: GatedStore) -> None:
    async with serve(gated, Limits(close_window_s=0)) as client:
        http_game = await create_game(client)
        move = (await http_game.legal_moves())[0]["id"]
        async with watch_game(client, http_game.id, token=http_game.owner_token) as watcher:
            await watcher.send({"type": "ping"})
            await watcher.receive("pong")  # the subscription is whole: its token was checked again
            gated.game_gate.clear()
            arrivals = gated.arrivals
            await watcher.send({"type": "act", "id": "last", "game": http_game.id, "move": move})
            await watcher.send({"type": "ping"})
            await wait_until(lambda: gated.arrivals > arrivals)
            closing = asyncio.create_task(close_streams(client.app))
            await wait_until(lambda: client.app[STREAMS].is_closing)
            gated.game_gate.set()
            received: list[dict[str, Any]] = [await watcher.receive() for _ in range(3)]
            assert [message["type"] for message in received] == ["diff", "ack", "closing"]
            assert await watcher.receive_close() == 1001
            await closing
