"""Limits of a WebSocket, of an address, and of a game's watchers on an instance."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, ExitStack

import pytest
from aiohttp import WSServerHandshakeError

from service.store.game_store import RedisStore
from service.web import websocket
from service.web.accounts import MAX_REPLAYS, MAX_WAITING_REPLAYS, Account, Accounts
from service.web.charge import MAX_REPLAYS_PER_ADDRESS, Charge
from service.web.connection_limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from service.web.problems import RateLimited, TooManyWaiting
from service.web.rate_limiter import RATE_LIMITER, MessageInfo
from service.web.websocket import MAX_RATE_LIMITED
from tests.polling import TIMEOUT_S, wait_until, wait_until_unchanged
from tests.security.limited_client import make_limits, open_client_at, open_socket
from tests.web.app_server import serve
from tests.web.http_game import GatedStore, check_problem, create_game
from tests.web.watcher_client import client_transport, connect_watcher, watch_game

STREAM = {"Accept": "text/event-stream"}


async def test_a_socket_that_sends_too_much_is_rejected_and_then_closed(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=20)) as client, connect_watcher(client) as watcher:
        for number in range(21 + MAX_RATE_LIMITED):
            await watcher.send({"type": "ping", "id": str(number)})
        messages = Counter[str]()
        async with asyncio.timeout(TIMEOUT_S):
            while not watcher.socket.closed:
                message = await watcher.socket.receive()
                if message.data and isinstance(message.data, str):
                    received = message.json()
                    messages[received["type"]] += 1
                    if received["type"] == "error":
                        assert received["problem"]["code"] == "rate_limited"
                        assert received["problem"]["retry_after_s"] > 0
        assert messages["pong"] == 19  # the upgrade counts too
        assert messages["error"] == MAX_RATE_LIMITED
        assert watcher.socket.close_code == 4429


async def test_only_refusals_in_a_row_close_a_socket(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_RATE_LIMITED", 3)
    admitted = (False, False, True, False, False, True, False, False, False)
    refusals = iter(admitted)

    async def admit(charge: Charge, message: MessageInfo) -> None:
        del charge, message
        if not next(refusals):
            raise RateLimited("messages", 1, "")

    async with serve(store) as client, connect_watcher(client) as watcher:
        monkeypatch.setattr(client.app[RATE_LIMITER], "admit_message", admit)
        for is_admitted in admitted:
            await watcher.request({"type": "ping"}, "pong" if is_admitted else "error")
        assert await watcher.receive_close() == 4429


async def test_malformed_messages_are_counted(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=10)) as client, connect_watcher(client) as watcher:
        codes = [(await watcher.request("{", "error"))["problem"]["code"] for _ in range(20)]
        assert codes == ["malformed"] * 9 + ["rate_limited"] * 11  # the upgrade counts too


@pytest.mark.parametrize("frame", (b"\x89\x80\0\0\0\0", b"\x8a\x80\0\0\0\0"))
async def test_protocol_pings_and_pongs_are_counted(store: RedisStore, frame: bytes) -> None:
    async with serve(store, make_limits(rate_requests=20)) as client, connect_watcher(client) as watcher:
        transport = client_transport(watcher.socket)
        transport.write(frame * (30 + MAX_RATE_LIMITED))
        assert await watcher.receive_close() == 4429


LONG_PING = b"\x89\xfd" + bytes(4) + bytes(125)


async def flood(transport: asyncio.Transport, frame: bytes) -> None:
    """Send 30 MB of such frames, until the service has read none for half a second."""
    transport.write(frame * (30_000_000 // len(frame)))
    await wait_until_unchanged(transport.get_write_buffer_size, for_s=0.5)


async def test_pings_are_not_read_while_pongs_are_unread(store: RedisStore) -> None:
    """What is written for them is bounded by aiohttp, which waits until its answers are read."""
    async with (
        serve(store, Limits(rate_limits=False, ping_interval_s=60)) as client,
        connect_watcher(client) as watcher,
    ):
        transport = client_transport(watcher.socket)
        transport.pause_reading()
        await flood(transport, LONG_PING)
        assert transport.get_write_buffer_size() > 5_000_000
        assert max(one.unsent_bytes() for one in client.app[CONNECTION_LIMITER].connections) < 500_000
        transport.abort()


async def test_messages_are_not_read_while_one_is_handled(store: RedisStore) -> None:
    """They wait in aiohttp's queue, which reads no more than it has room for."""
    gated = GatedStore(store._client)
    gated.game_gate, gated.log_gate = asyncio.Event(), asyncio.Event()
    async with (
        serve(gated, Limits(rate_limits=False, ping_interval_s=60)) as client,
        connect_watcher(client) as watcher,
    ):
        await watcher.send({"type": "subscribe", "game": "waits"})
        transport = client_transport(watcher.socket)
        await flood(transport, b"\x81\x8f" + bytes(4) + b'{"type":"ping"}')
        assert transport.get_write_buffer_size() > 5_000_000
        gated.game_gate.set()
        await watcher.receive("error")
        await watcher.receive("pong")
        transport.abort()


@pytest.mark.parametrize(
    ("guess", "code"),
    (
        ({"type": "auth", "token": "guess"}, "unauthorized"),
        ({"type": "auth", "game": "unknown", "token": "guess"}, "not_found"),
        ({"type": "subscribe", "game": "unknown"}, "not_found"),
        ({"type": "act", "game": "unknown", "move": "i9"}, "not_found"),
    ),
)
async def test_guesses_over_an_open_socket_are_limited(store: RedisStore, guess: dict[str, str], code: str) -> None:
    """And they count for the requests of their address, as requests do for theirs."""
    async with serve(store, make_limits(rate_guesses=20)) as client:
        game = await create_game(client)
        async with connect_watcher(client) as watcher:
            errors = [await watcher.request({"game": game.id, **guess}, "error") for _ in range(40)]
            codes = [error["problem"]["code"] for error in errors]
            assert 20 <= codes.count(code) <= 23
            assert set(codes[23:]) == {"rate_limited"}
        assert (await client.get(game.path)).status == 429
        assert (await game.get()).status == 200


async def test_the_open_sockets_and_streams_of_an_address_are_limited(store: RedisStore) -> None:
    async with (
        serve(store, Limits(max_streams_per_address=3, sse_comment_interval_s=0.2)) as client,
        AsyncExitStack() as stack,
    ):
        game = await create_game(client)
        for _ in range(2):
            await stack.enter_async_context(connect_watcher(client))
        stream = await client.get(f"{game.path}/diffs", headers=STREAM)
        assert stream.status == 200
        with pytest.raises(WSServerHandshakeError) as raised:
            await client.ws_connect("/v1/ws")
        assert raised.value.status == 429
        assert raised.value.headers is not None
        assert int(raised.value.headers["Retry-After"]) > 0
        await check_problem(await client.get(f"{game.path}/diffs", headers=STREAM), 429, "rate_limited")
        async with open_client_at(client, "127.0.0.2") as other, other.ws_connect("/v1/ws"):
            pass
        stream.close()

        async def is_admitted() -> bool:
            return await open_socket(client) == 101

        await wait_until(is_admitted)


async def test_the_watchers_of_a_game_are_limited(store: RedisStore) -> None:
    async with serve(store, Limits(max_watchers_per_game=2)) as client:
        game, other = await create_game(client), await create_game(client)
        async with watch_game(client, game.id), connect_watcher(client) as watcher:
            await watcher.subscribe(game.id)
            await watcher.subscribe(game.id)
            await check_problem(await client.get(f"{game.path}/diffs", headers=STREAM), 429, "rate_limited")
            async with connect_watcher(client, f"/v1/games/{game.id}/ws") as third:
                assert await third.receive_close() == 4429
            async with connect_watcher(client) as fourth:
                error = await fourth.request_error({"type": "subscribe", "game": game.id}, "rate_limited")
                assert error["game"] == game.id
                await fourth.subscribe(other.id)


async def test_only_pages_of_allowed_origins_open_sockets(store: RedisStore) -> None:
    async with serve(store, Limits(allowed_origins=("https://good.example",))) as client:
        assert await open_socket(client) == 101
        for origin in ("https://good.example", "https://GOOD.example"):
            assert await open_socket(client, Origin=origin) == 101, origin
            assert await open_socket(client, Origin=origin, Host="behind.a.proxy.example") == 101, origin
        own = str(client.make_url("")).rstrip("/")
        assert await open_socket(client, Origin=own) == 403
        assert await open_socket(client, Origin="http://rebound.example", Host="rebound.example") == 403
        for origin in ("https://evil.example", "http://good.example", "https://good.example.evil.example", "null", "x"):
            for path in ("/v1/ws", "/v1/games/abc/ws"):
                assert await open_socket(client, path, Origin=origin) == 403, origin
        game = await create_game(client)
        for path, more in (("/v1/ws", {}), (game.path + "/diffs", STREAM)):
            answer = await client.get(path, headers={"Origin": "https://evil.example", **more})
            await check_problem(answer, 403, "origin_refused")


async def test_without_a_setting_every_origin_is_allowed(store: RedisStore) -> None:
    for allowed, origin in ((("*",), "https://anything.example"), (("*",), "null"), (("null",), "null")):
        async with serve(store, Limits(allowed_origins=allowed)) as client:
            assert await open_socket(client, Origin=origin) == 101


async def test_running_and_waiting_replays_are_limited() -> None:
    accounts, running, most = Accounts(Limits()), 0, 0

    async def one(address: str) -> bool:
        nonlocal running, most
        try:
            async with Charge(accounts.get(address)).replay_slot():
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1
        except TooManyWaiting:
            return False
        return True

    finished = await asyncio.gather(*(one(f"address {number}") for number in range(25)))
    assert (sum(finished), most) == (MAX_REPLAYS + MAX_WAITING_REPLAYS, MAX_REPLAYS)
    assert accounts.replays.slots_in_use == 0


async def test_the_replays_of_an_address_are_limited() -> None:
    """The others have the rest, and wait for no more than what runs."""
    accounts, order = Accounts(Limits()), list[str]()

    async def replay(address: str) -> None:
        async with Charge(accounts.get(address)).replay_slot():
            order.append(address)
            await asyncio.sleep(0)

    async with AsyncExitStack() as stack:
        for _ in range(MAX_REPLAYS):
            await stack.enter_async_context(Charge(accounts.get("a")).replay_slot())
        waiting = [asyncio.create_task(replay("a")) for _ in range(MAX_REPLAYS_PER_ADDRESS - MAX_REPLAYS)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyWaiting):
            await replay("a")
        waiting.append(asyncio.create_task(replay("b")))
        await asyncio.sleep(0)
        assert order == []
    await asyncio.gather(*waiting)
    assert order[0] == "b"
    assert (accounts.get("a").replays, accounts.get("b").replays) == (0, 0)


def test_what_an_address_has_at_once_is_limited() -> None:
    """And what its network has, of which each address has a part."""
    accounts = Accounts(Limits(addresses_per_network=3))
    own, sibling, other, alone = map(accounts.get, ("2001:db8:1:1::", "2001:db8:1:2::", "2001:db8:2::", "192.0.2.1"))

    def is_refused(account: Account) -> bool:
        try:
            with account.occupy("pictures", 2):
                return False
        except TooManyWaiting:
            return True

    for account in (own, alone):
        with account.occupy("pictures", 2), account.occupy("pictures", 2):
            assert (is_refused(account), is_refused(sibling), is_refused(other)) == (True, False, False)
        assert not is_refused(account)
    with ExitStack() as stack:
        for number in range(6):
            stack.enter_context(accounts.get(f"2001:db8:1:1{number // 2}::").occupy("pictures", 2))
        assert (is_refused(own), is_refused(other)) == (True, False)
    assert (own.site.pictures, sibling.site) == (0, own.site)
