"""A service, and clients with short waits."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.store.game_store import RedisStore
from south_seas import Backoff, Client
from tests.clients.scripted_service import ScriptedService, run_scripted_service
from tests.games.game_logs import decode_log, play_game
from tests.polling import TIMEOUT_S
from tests.tcp_proxy import Proxy, run_proxy
from tests.tools import NODE, require, run
from tests.web.app_server import serve

CLIENTS = Path(__file__).parents[2] / "clients"

QUICK = Backoff(initial_wait_s=0.01, max_wait_s=1.0, max_attempts=12, timeout_s=TIMEOUT_S)


@pytest.fixture
async def url(store: RedisStore) -> AsyncIterator[str]:
    """Return the URL of a running service."""
    async with serve(store) as running:
        yield str(running.make_url("/")).rstrip("/")


@pytest.fixture
async def proxy(url: str) -> AsyncIterator[Proxy]:
    """Start an unreliable proxy in front of the service."""
    async with run_proxy(url) as running:
        yield running


@pytest.fixture
async def client(proxy: Proxy) -> AsyncIterator[Client]:
    """Create a client behind the proxy."""
    async with Client(proxy.url, backoff=QUICK) as connected:
        yield connected


@pytest.fixture
async def script() -> AsyncIterator[ScriptedService]:
    """Start a scripted service with the log of a real game."""
    async with run_scripted_service(decode_log(play_game("script"))) as running:
        yield running


@pytest.fixture
async def scripted_client(script: ScriptedService) -> AsyncIterator[Client]:
    """Create a client of it."""
    async with Client(script.url, backoff=QUICK) as connected:
        yield connected


@pytest.fixture(scope="session")
def node() -> str:
    """Return the Node executable; check that the packages are installed."""
    result = require(NODE)
    assert (CLIENTS / "node_modules" / "typescript").is_dir(), "`make test` installs the packages of clients/ first"
    return str(result)


@pytest.fixture(scope="session")
def built(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the TypeScript client, and return its index."""
    folder = tmp_path_factory.mktemp("built")
    compiler = CLIENTS / "node_modules/typescript/bin/tsc"
    run(node, compiler, "--outDir", folder, "--noEmitOnError", cwd=CLIENTS / "typescript")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder / "index.js"
