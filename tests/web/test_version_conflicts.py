"""Version conflicts are retried with growing pauses, a bounded number of times, then reported."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import ClientResponse

from service.games import ports
from service.games.commands import execute
from service.games.commands.execute import MAX_ATTEMPTS
from service.games.ports import CommitOutcome, VersionConflict
from service.store.game_store import RedisStore
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, check_problem, create_game

FIVE = [{"name": name} for name in ("Ana", "Bo", "Cy", "Di", "Eve")]
KEY = "a-secret-key-of-the-client-that-nobody-knows"


class ConflictingStore(RedisStore):
    """A store whose commits fail with version conflicts."""

    left = 0
    lost = 0

    async def commit(self, commit: ports.Change) -> CommitOutcome:
        if not self.left:
            return await super().commit(commit)
        self.left -= 1
        self.lost += 1
        return VersionConflict()


class RecordingBackoff:
    """Pauses of no length that are recorded."""

    def __init__(self) -> None:
        self.failures: list[int] = []

    def delay_s(self, failures: int) -> float:
        self.failures.append(failures)
        return 0.0


@pytest.fixture
async def losing(store: RedisStore) -> ConflictingStore:
    return ConflictingStore(store._client)


@pytest.fixture
async def client(losing: ConflictingStore) -> AsyncIterator[Client]:
    async with serve(losing) as connected:
        yield connected


Change = Callable[[HTTPGame], Awaitable[ClientResponse]]

CHANGES: dict[str, Change] = {
    "create": lambda game: game.client.post("/v1/games", json={"players": FIVE}),
    "create with a key": lambda game: game.client.post(
        "/v1/games", json={"players": FIVE}, headers={"Idempotency-Key": KEY}
    ),
    "join": lambda game: game.join("Flo"),
    "act": lambda game: game.act({"move": "pass.islander"}),
    "resign": lambda game: game.post("/resign", {"seat": 0}),
    "abort": lambda game: game.delete(),
    "rematch": lambda game: game.post("/rematch"),
}


async def create_game_for(client: Client, change: str) -> HTTPGame:
    """Create a game in which a change is possible."""
    game = await create_game(client, [*FIVE[:2], {"open": True}] if change == "join" else FIVE)
    if change == "act":
        await game.act_successfully()
    if change == "rematch":
        assert (await game.delete()).status == 200
    return game


@pytest.mark.parametrize("change", CHANGES)
async def test_attempts_after_version_conflicts_are_bounded(
    client: Client, losing: ConflictingStore, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, backoff = await create_game_for(client, change), RecordingBackoff()
    monkeypatch.setattr(execute, "BACKOFF", backoff)
    losing.left = 10_000
    problem = await check_problem(await CHANGES[change](game), 409, "conflict")
    assert "nothing was done" in problem["detail"]
    assert MAX_ATTEMPTS <= losing.lost <= 1 + MAX_ATTEMPTS
    assert backoff.failures == [*range(1, MAX_ATTEMPTS)]
    losing.left = 0
    assert (await CHANGES[change](game)).status < 300


@pytest.mark.parametrize("change", CHANGES)
async def test_a_few_version_conflicts_are_retried(client: Client, losing: ConflictingStore, change: str) -> None:
    game = await create_game_for(client, change)
    losing.left = MAX_ATTEMPTS // 2
    assert (await CHANGES[change](game)).status < 300
    assert losing.lost == MAX_ATTEMPTS // 2


async def test_many_concurrent_changes_all_succeed(client: Client, losing: ConflictingStore) -> None:
    async with serve(RedisStore(losing._client)) as other:
        for _ in range(4):
            game = await create_game(client, FIVE)
            same = HTTPGame(other, game.created)
            answers = await asyncio.gather(
                *((game, same)[seat % 2].post("/resign", {"seat": seat}) for seat in range(1, 5))
            )
            assert [answer.status for answer in answers] == [200] * 4
            assert (await game.get_json())["status"] == "finished"
