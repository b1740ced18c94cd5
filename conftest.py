"""Fixtures for all tests: a real Redis server, and a store on it."""

import logging
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio
import redis as redis_client
from hypothesis import HealthCheck, settings
from redis.asyncio import Redis

from service.games import tilesets
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore, connect
from tests import tools
from tests.polling import TIMEOUT_S
from tests.redis_servers import reserve_ports
from tests.server_process import start_server

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the slowest tests and all topologies of Redis")
    parser.addoption("--write-slowest", action="store_true", help="write tests/slowest.txt from this run's times")
    parser.addoption(
        "--require-all",
        action="store_true",
        help="fail tests whose programs are not installed, instead of skipping them",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--slow") and config.args == config.getini("testpaths"):
        config.args.append("verification")
    if config.getoption("--require-all"):
        tools.require_all()


ONLY_ALL = ("tests/benchmarks", "tests/docs", "tests/generators", "tests/test_tools.py", "tests/test_budget.py")
"""What checks the checks and the texts: `make test-all` (`--slow`) runs it, and whoever names it."""


SLOWEST = tools.read_slowest()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out `ONLY_ALL` without `--slow`; pytest does not ask for a path that the command line names."""
    is_left_out = collection_path.relative_to(config.rootpath).as_posix() in ONLY_ALL
    return True if is_left_out and not config.getoption("--slow") else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processes for `-n auto`: three for each processor, since most tests wait for others."""
    return min(3 * (os.cpu_count() or 1), 16)


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what only `--slow` runs: the slowest tests of a measured run, and all topologies of Redis but one."""
    indices = item.callspec.indices if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    if item.nodeid in SLOWEST or indices.get("deployed") or indices.get("program"):
        item.add_marker("slow")


@pytest.hookimpl(tryfirst=True, specname="pytest_collection_modifyitems")
def pytest_leave_out_slow(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked without `--slow`, unless the command line names files or tests."""
    if config.getoption("--slow") or config.args != config.getini("testpaths"):
        return
    left_out = [item for item in items if item.get_closest_marker("slow")]
    items[:] = [item for item in items if not item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each process begin with its share of the longest tests, those with a time-out of their own: none starts last.

    `--dist worksteal` gives each process an equal part of the list, and it runs its part from the front.
    """
    longest = [item for item in items if item.get_closest_marker("timeout")]
    others = [item for item in items if not item.get_closest_marker("timeout")]
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0"))
    if not processes:
        return
    ordered: list[pytest.Item] = []
    for process in range(processes):
        first = longest[process::processes]
        share = max(0, (len(items) - len(ordered)) // (processes - process) - len(first))
        ordered += first + others[:share]
        others = others[share:]
    items[:] = ordered


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print which programs are missing, how many tests were skipped, and how to install them."""
    if config.getoption("--write-slowest"):
        reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("")]
        tools.SLOWEST.write_text("".join(f"{one}\n" for one in tools.pick_slowest(reports)), encoding="utf-8")
    reasons = [str(report.longrepr[2]) for report in terminalreporter.getreports("skipped")]
    lines = [*tools.summary(reasons)]
    if lines:
        terminalreporter.section("skipped: programs are missing on this machine")
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture(autouse=True)
def log_levels() -> Iterator[None]:
    """Restore the loggers' levels, which commands in this process change, since captured logs use memory."""
    loggers = (logging.getLogger(), logging.getLogger("service.web.access"))
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


@pytest.fixture(autouse=True)
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same seeds in each run, for the games of services in this process: no test depends on chance."""
    monkeypatch.setattr(tilesets, "random_seed", map("{:064x}".format, count(1)).__next__)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """Create an empty directory whose path is short enough for unix sockets."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        yield Path(directory)


@pytest.fixture
def unused_tcp_port() -> int:
    """Return a port for a server of this test: pytest-asyncio's own may be taken by another before it listens."""
    return reserve_ports(1)[0]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def redis_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Start a Redis server for this test run, and return its URL."""
    async with embedded_server(tmp_path_factory.mktemp("data")) as server:
        yield server.url


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """Empty that server, and return its URL."""
    with redis_client.Redis.from_url(redis_server) as client:
        client.flushall()
    return redis_server


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """Connect a plain client to that server."""
    async with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    """Create an empty store on that server."""
    async with connect(redis_url, timeout_s=TIMEOUT_S) as connected:
        yield connected


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Start the service in its own process, for all tests that need no settings of their own; nobody empties it."""
    async with start_server(tmp_path_factory.mktemp("service"), None, "--rate-limits", "off") as service:
        yield service.url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def second_redis_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Start a second Redis server."""
    async with embedded_server(tmp_path_factory.mktemp("second")) as server:
        yield server.url


@pytest.fixture
async def second_redis(second_redis_url: str) -> AsyncIterator[Redis]:
    """Return a plain client of the second server, emptied."""
    async with Redis.from_url(second_redis_url) as client:
        await client.flushall()
        yield client


@pytest.fixture
async def second_store(second_redis: Redis, second_redis_url: str) -> AsyncIterator[RedisStore]:
    """Return a store on the second server, empty."""
    del second_redis  # it has emptied the server
    async with connect(second_redis_url, timeout_s=TIMEOUT_S) as store:
        yield store
