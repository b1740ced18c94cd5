"""Unsent bytes are limited for an address and for an instance, whatever they are."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest

from service.store.game_store import RedisStore
from service.web.accounts import Accounts
from service.web.charge import Charge
from service.web.connection_limiter import CONNECTION_LIMITER, SendBufferBudget
from service.web.limits import Limits
from service.web.streaming import STREAMS
from tests.polling import wait_until, wait_until_unchanged
from tests.security.limited_client import open_client_at
from tests.security.request_costs import send
from tests.server_process import ServerProcess, start_server
from tests.telemetry.metric_samples import read_samples, sum_samples
from tests.web.app_server import Client, serve
from tests.web.http_game import create_game
from tests.web.raw_http import UPGRADE, make_head

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
        await wait_until_unchanged(lambda: kernel_bytes(port))
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


class Writer:
    """A connection with a given send buffer."""

    kind: Literal["response"] = "response"

    client: str | None = None

    def __init__(self, accounts: Accounts, address: str, holds: int) -> None:
        self.charge = Charge(accounts.get(address))
        self.holds = holds
        self.cut = False

    def unsent_bytes(self) -> int:
        return self.holds

    def drop(self) -> None:
        self.cut = True


BUDGET = Limits(max_unsent_bytes_per_address=100, addresses_per_network=2, max_unsent_bytes_total=1000)


@pytest.fixture
def accounts() -> Accounts:
    return Accounts(BUDGET)


@pytest.fixture
def budget() -> SendBufferBudget:
    return SendBufferBudget(BUDGET)


def record_all(budget: SendBufferBudget, *writers: Writer) -> list[bool]:
    """Record the send buffers; return which connections were dropped."""
    for one in writers:
        budget.record(one, one.holds)
    return [one.cut for one in writers]


@pytest.mark.parametrize(
    ("limits", "sizes", "dropped"),
    (
        pytest.param(BUDGET, (40, 40, 40), [True, False, False], id="which has not read for the longest"),
        pytest.param(BUDGET, (10, 500), [True, False], id="before a response beyond the limit of an address"),
        pytest.param(
            BUDGET._replace(rate_limits=False), (500, 500), [False, False], id="none without limits by address"
        ),
    ),
)
def test_the_first_connection_of_an_address_is_dropped(
    accounts: Accounts, limits: Limits, sizes: tuple[int, ...], dropped: list[bool]
) -> None:
    assert record_all(SendBufferBudget(limits), *[Writer(accounts, "a", size) for size in sizes]) == dropped


def test_bytes_that_were_read_meanwhile_are_not_counted(accounts: Accounts, budget: SendBufferBudget) -> None:
    first, second = Writer(accounts, "a", 60), Writer(accounts, "a", 60)
    budget.record(first, 60)
    first.holds = 1
    assert record_all(budget, second) == [False]
    assert not first.cut
    assert budget.total == accounts.get("a").unsent_bytes == 61


def test_nothing_is_kept_of_a_connection_without_unsent_bytes(accounts: Accounts, budget: SendBufferBudget) -> None:
    writers = [Writer(accounts, *one) for one in (("a", 10), ("a", 20), ("2001:db8:1::", 30))]
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
    writers = [Writer(accounts, str(number), 30) for number in range(40)]
    assert sum(record_all(budget, *writers)) == budget.dropped > 4
    assert budget.total <= 1000
    assert len(caplog.records) == 1
    assert not writers[-1].cut


def test_the_unsent_bytes_of_an_ipv6_network_are_bounded(accounts: Accounts, budget: SendBufferBudget) -> None:
    """However many of its addresses somebody uses."""
    writers = [Writer(accounts, f"2001:db8:1:{number:x}::", 30) for number in range(40)]
    other = Writer(accounts, "2001:db8:2::", 90)
    assert record_all(budget, other, *writers).count(True) > 30
    assert budget.total <= 200 + 90
    assert not other.cut


def test_a_network_has_the_limit_of_several_addresses() -> None:
    for addresses, dropped in ((4, False), (3, True)):
        accounts = Accounts(BUDGET._replace(addresses_per_network=addresses))
        writers = [Writer(accounts, f"2001:db8:1:{number:x}::", 90) for number in range(4)]
        assert any(record_all(SendBufferBudget(accounts.limits), *writers)) == dropped, addresses
