"""Limits of sockets, watchers, replays and unsent bytes, for an address and for an instance."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from aiohttp import WSMsgType, WSServerHandshakeError

from service.games.ports import RateLimit
from service.store.game_store import RedisStore
from service.web import charge, websocket
from service.web.accounts import MAX_REPLAYS, MAX_WAITING_REPLAYS, Account, Accounts
from service.web.charge import MAX_REPLAYS_PER_ADDRESS, Charge
from service.web.connection_limiter import CONNECTION_LIMITER, SendBufferBudget
from service.web.limits import Limits
from service.web.problems import RateLimited, TooManyWaiting
from service.web.rate_limiter import RATE_LIMITER, MessageInfo
from service.web.streams import STREAMS
from service.web.websocket import MAX_RATE_LIMITED
from tests.polling import wait_until, wait_until_unchanged
from tests.security.limited_client import make_limits, open_client_at, open_socket
from tests.security.request_costs import send
from tests.server_process import ServerProcess, start_server
from tests.telemetry.metric_samples import grown, read_samples, sum_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import GatedStore, check_problem, create_game
from tests.web.raw_http import UPGRADE, make_head
from tests.web.watcher_client import client_transport, connect_watcher, watch_game

STREAM = {"Accept": "text/event-stream"}


async def test_a_socket_that_sends_too_much_is_rejected_and_then_closed(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=20)) as client, connect_watcher(client) as watcher:
        for number in range(21 + MAX_RATE_LIMITED):
            await watcher.send({"type": "ping", "id": str(number)})
        for _ in range(19):  # the upgrade counts too
            await watcher.receive("pong")
        for _ in range(MAX_RATE_LIMITED):
            problem = (await watcher.receive("error"))["problem"]
            assert (problem["code"], problem["retry_after_s"] > 0) == ("rate_limited", True)
        closed = await watcher.socket.receive()
        assert (closed.type, closed.data) == (WSMsgType.CLOSE, 4429)


async def test_only_refusals_in_a_row_close_a_socket(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_RATE_LIMITED", 3)
    admitted = (False, False, True, False, False, True, False, False, False)
    refusals = iter(admitted)

    async def admit(charge: Charge, message: MessageInfo) -> None:
        del charge, message
        if not next(refusals):
            raise RateLimited("messages", 1, RateLimit(1, 1))

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


UNLIMITED = Limits(rate_limits=False, ping_interval_s=60)
LONG_PING = b"\x89\xfd" + bytes(4) + bytes(125)


async def flood(transport: asyncio.Transport, frame: bytes) -> None:
    """Send 30 MB of such frames, until the service has read none for half a second."""
    transport.write(frame * (30_000_000 // len(frame)))
    await wait_until_unchanged(transport.get_write_buffer_size, for_s=0.5)


async def test_pings_are_not_read_while_pongs_are_unread(store: RedisStore) -> None:
    """What is written for them is bounded by aiohttp, which waits until its answers are read."""
    async with serve(store, UNLIMITED) as client, connect_watcher(client) as watcher:
        transport = client_transport(watcher.socket)
        transport.pause_reading()
        await flood(transport, LONG_PING)
        assert transport.get_write_buffer_size() > 5_000_000
        assert max(one.unsent_bytes() for one in client.app[CONNECTION_LIMITER].connections) < 500_000
        transport.abort()


async def test_messages_are_not_read_while_one_is_handled(store: RedisStore) -> None:
    """They wait in aiohttp's queue, which reads no more than it has room for."""
    gated = GatedStore(store.client)
    gated.game_gate, gated.log_gate = asyncio.Event(), asyncio.Event()
    async with serve(gated, UNLIMITED) as client, connect_watcher(client) as watcher:
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
        game, before = await create_game(client), read_samples()
        for _ in range(2):
            await stack.enter_async_context(connect_watcher(client))
        stream = await client.get(f"{game.path}/diffs", headers=STREAM)
        assert stream.status == 200
        with pytest.raises(WSServerHandshakeError) as raised:
            await client.ws_connect("/v1/ws")
        assert raised.value.status == 429
        assert raised.value.headers is not None
        assert int(raised.value.headers["Retry-After"]) > 0
        problem = await check_problem(await client.get(f"{game.path}/diffs", headers=STREAM), 429, "rate_limited")
        assert "sockets and event streams of this address" in problem["detail"]
        assert grown(before, "rate_limited_total", policy="open-streams") == 2
        async with open_client_at(client, "127.0.0.2") as other, other.ws_connect("/v1/ws"):
            pass
        stream.close()

        async def is_admitted() -> bool:
            return await open_socket(client) == 101

        await wait_until(is_admitted)


async def test_the_watchers_of_a_game_are_limited(store: RedisStore) -> None:
    async with serve(store, Limits(max_watchers_per_game=2)) as client:
        game, other, before = await create_game(client), await create_game(client), read_samples()
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
            assert grown(before, "rate_limited_total", policy="watchers") == 3


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
    default = Limits().allowed_origins
    for allowed, origin in ((default, "https://anything.example"), (default, "null"), (("null",), "null")):
        async with serve(store, Limits(allowed_origins=allowed)) as client:
            assert await open_socket(client, Origin=origin) == 101


async def test_running_and_waiting_replays_are_limited() -> None:
    accounts = Accounts(Limits())

    async def replay(address: str) -> None:
        async with Charge(accounts.get(address)).replay_slot():
            assert accounts.replays.slots_in_use <= MAX_REPLAYS
            await asyncio.sleep(0)

    results = await asyncio.gather(*(replay(f"address {number}") for number in range(25)), return_exceptions=True)
    assert results.count(None) == MAX_REPLAYS + MAX_WAITING_REPLAYS
    assert accounts.replays.slots_in_use == 0


async def test_old_boards_and_undoing_are_replays(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charge, "MAX_REPLAYS_PER_ADDRESS", 0)
    async with serve(store) as client:
        game = await create_game(client)
        await game.act_successfully()
        for response in (await game.get("/board.txt?v=1"), await game.post("/undo")):
            await check_problem(response, 429, "rate_limited")
        async with connect_watcher(client, token=game.owner_token) as watcher:
            await watcher.request_error({"type": "undo", "game": game.id}, "rate_limited")


async def test_the_replays_of_an_address_are_limited() -> None:
    """The others have the rest, and wait for no more than what runs; its whole site waits as one."""
    accounts, order = Accounts(Limits()), list[str]()

    async def replay(address: str) -> None:
        async with Charge(accounts.get(address)).replay_slot():
            order.append(address)
            await asyncio.sleep(0)

    async with AsyncExitStack() as stack:
        for _ in range(MAX_REPLAYS):
            await stack.enter_async_context(Charge(accounts.get("2001:db8:1:1::")).replay_slot())
        waiting = [asyncio.create_task(replay("2001:db8:1:1::")) for _ in range(MAX_REPLAYS_PER_ADDRESS - MAX_REPLAYS)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyWaiting):
            await replay("2001:db8:1:1::")
        waiting += [asyncio.create_task(replay(address)) for address in ("2001:db8:1:2::", "b")]
        await asyncio.sleep(0)
        assert order == []
    await asyncio.gather(*waiting)
    assert order[0] == "b"
    assert (accounts.get("2001:db8:1:1::").replays, accounts.get("b").replays) == (0, 0)


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


MB = 1_000_000

LARGE_PATH = "/openapi.json"
"""Some 300 KB."""

LARGE_REQUESTS = make_head(LARGE_PATH) * 20
"""What each client requests: more than the kernel buffers."""


@asynccontextmanager
async def open_silent_client(port: int | None, request: bytes, source: str = "127.0.0.1") -> AsyncIterator[None]:
    """Connect a client that sends a request and does not read."""
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        one.setblocking(False)
        one.bind((source, 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(one, ("127.0.0.1", port))
        await loop.sock_sendall(one, request)
        yield


def resident_bytes(service: ServerProcess) -> int:
    """Return the resident memory of the process."""
    return int(Path(f"/proc/{service.process.pid}/statm").read_text().split()[1]) * 4_096


def kernel_bytes(port: int) -> int:
    """Return the bytes that the kernel buffers for the service's clients."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(int(one[4].partition(":")[0], 16) for one in lines if int(one[1].partition(":")[2], 16) == port)


async def test_clients_that_do_not_read_use_little_memory(tmp_path: Path, redis_url: str) -> None:
    """In the process, a tenth of the 600 MB that they request; the system by itself would take megabytes for each."""
    many = 100
    async with start_server(tmp_path, redis_url) as service, AsyncExitStack() as stack:
        port = urlsplit(service.url).port
        assert port is not None
        await send(service.url, make_head(LARGE_PATH, "Connection: close"))
        before = resident_bytes(service)
        for _ in range(many):
            await stack.enter_async_context(open_silent_client(port, LARGE_REQUESTS))
        await wait_until_unchanged(lambda: resident_bytes(service), for_s=1)
        assert resident_bytes(service) - before < 60 * MB
        assert kernel_bytes(port) < many * 0.3 * MB


def unsent_bytes(client: Client, address: str | None = None) -> int:
    """Return the unsent bytes of an address, or of all."""
    connections = client.app[CONNECTION_LIMITER].connections
    return sum(one.unsent_bytes() for one in connections if address in (None, one.charge.account.client))


def dropped_connections(kind: str) -> float:
    """Return how many connections were dropped because they did not read."""
    return sum_samples(read_samples(), "slow_readers_dropped_total", kind=kind)


async def download(client: Client, address: str) -> int:
    """Return how many bytes a client gets that reads."""
    async with open_client_at(client, address) as reader:
        return len(await (await reader.get(LARGE_PATH)).read())


@pytest.mark.parametrize(
    ("limits", "address"),
    (
        pytest.param(Limits(max_unsent_bytes_per_address=2 * MB), "127.0.0.1", id="of an address"),
        pytest.param(Limits(rate_limits=False, max_unsent_bytes_total=2 * MB), None, id="of an instance"),
    ),
)
async def test_unsent_bytes_are_limited(store: RedisStore, limits: Limits, address: str | None) -> None:
    """The connections with most unsent bytes are dropped first."""
    async with serve(store, limits) as client, AsyncExitStack() as stack:
        size, dropped = await download(client, "127.0.0.1"), dropped_connections("response")
        assert size > 0.2 * MB
        for source in ("127.0.0.2", *["127.0.0.1"] * 15):
            await stack.enter_async_context(open_silent_client(client.port, LARGE_REQUESTS, source))
            await wait_until(lambda: unsent_bytes(client, "127.0.0.2") > 0)
        await wait_until(lambda: dropped_connections("response") - dropped > 2)
        assert unsent_bytes(client, address) <= 2 * MB + size
        assert unsent_bytes(client, "127.0.0.2") > 0
        assert await download(client, address or "127.0.0.2") == size


@pytest.mark.parametrize("kind", ("socket", "stream"))
async def test_the_unsent_bytes_of_sockets_and_event_streams_are_limited(
    store: RedisStore, kind: Literal["socket", "stream"]
) -> None:
    limits = Limits(max_unsent_bytes=100 * MB, max_unsent_bytes_per_address=2 * MB, sse_comment_interval_s=0.2)
    async with serve(store, limits) as client, AsyncExitStack() as stack:
        game, dropped = await create_game(client), dropped_connections(kind)
        stream = make_head(f"{game.path}/diffs", "Accept: text/event-stream")
        request = stream if kind == "stream" else make_head(f"{game.path}/ws", *UPGRADE)
        for _ in range(4):
            await stack.enter_async_context(open_silent_client(client.port, request))
        await wait_until(lambda: len(client.app[STREAMS]) == 4)
        while dropped_connections(kind) == dropped:
            for one in [*client.app[STREAMS]]:
                one._write(bytes(200_000))  # as what is told of a game
            await asyncio.sleep(0)
        assert unsent_bytes(client) <= 2.2 * MB
        await wait_until(lambda: len(client.app[STREAMS]) < 4)


def make_writer(accounts: Accounts, address: str, unsent_bytes: int) -> Any:
    """Return a connection with a given send buffer."""
    return Mock(charge=Charge(accounts.get(address)), unsent_bytes=Mock(return_value=unsent_bytes))


BUDGET = Limits(max_unsent_bytes_per_address=100, addresses_per_network=2, max_unsent_bytes_total=1000)


@pytest.fixture
def accounts() -> Accounts:
    return Accounts(BUDGET)


@pytest.fixture
def budget() -> SendBufferBudget:
    return SendBufferBudget(BUDGET)


def record_all(budget: SendBufferBudget, *writers: Any) -> list[bool]:
    """Record the send buffers; return which connections were dropped."""
    for one in writers:
        budget.record(one, one.unsent_bytes())
    return [one.drop.called for one in writers]


@pytest.mark.parametrize(
    ("limits", "sizes", "dropped"),
    (
        pytest.param(BUDGET, (40, 40, 40), [True, False, False], id="which has not read for the longest"),
        pytest.param(BUDGET, (10, 500), [True, False], id="before a response beyond the limit of an address"),
        pytest.param(BUDGET._replace(rate_limits=False), (500, 500), [False] * 2, id="none without limits by address"),
    ),
)
def test_the_first_connection_of_an_address_is_dropped(
    accounts: Accounts, limits: Limits, sizes: tuple[int, ...], dropped: list[bool]
) -> None:
    assert record_all(SendBufferBudget(limits), *[make_writer(accounts, "a", size) for size in sizes]) == dropped


def test_bytes_that_were_read_meanwhile_are_not_counted(accounts: Accounts, budget: SendBufferBudget) -> None:
    first, second = make_writer(accounts, "a", 60), make_writer(accounts, "a", 60)
    record_all(budget, first)
    first.unsent_bytes.return_value = 1
    assert record_all(budget, second) == [False]
    first.drop.assert_not_called()
    assert budget.total == accounts.get("a").unsent_bytes == 61


def test_nothing_is_kept_of_a_connection_without_unsent_bytes(accounts: Accounts, budget: SendBufferBudget) -> None:
    writers = [make_writer(accounts, *one) for one in (("a", 10), ("a", 20), ("2001:db8:1::", 30))]
    record_all(budget, *writers)
    for writer in writers:
        budget.forget(writer)
        budget.forget(writer)
    assert (budget.total, budget._connections, budget._accounts) == (0, {}, {})
    assert [level.unsent_bytes for one in writers for level in one.charge.account.levels] == [0] * 4


def test_the_unsent_bytes_of_all_addresses_are_bounded(
    accounts: Accounts, budget: SendBufferBudget, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator is told once of a thousand dropped connections."""
    writers = [make_writer(accounts, str(number), 30) for number in range(40)]
    assert sum(record_all(budget, *writers)) == budget.dropped > 4
    assert budget.total <= 1000
    assert len(caplog.records) == 1
    writers[-1].drop.assert_not_called()


def test_the_unsent_bytes_of_an_ipv6_network_are_bounded(accounts: Accounts, budget: SendBufferBudget) -> None:
    """However many of its addresses somebody uses."""
    writers = [make_writer(accounts, f"2001:db8:1:{number:x}::", 30) for number in range(40)]
    other = make_writer(accounts, "2001:db8:2::", 90)
    assert record_all(budget, other, *writers).count(True) > 30
    assert budget.total <= 200 + 90
    other.drop.assert_not_called()


def test_a_network_has_the_limit_of_several_addresses() -> None:
    for addresses, dropped in ((4, False), (3, True)):
        accounts = Accounts(BUDGET._replace(addresses_per_network=addresses))
        writers = [make_writer(accounts, f"2001:db8:1:{number:x}::", 90) for number in range(4)]
        assert any(record_all(SendBufferBudget(accounts.limits), *writers)) == dropped, addresses
