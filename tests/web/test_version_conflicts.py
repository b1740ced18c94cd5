"""Version conflicts are retried with growing pauses, a bounded number of times, then reported."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter

import pytest
from aiohttp import ClientResponse

from service.games.commands.execute import MAX_ATTEMPTS
from service.games.ports import Commit, CommitOutcome, VersionConflict
from service.store.game_store import RedisStore
from tests.web.app_server import Client, serve
from tests.web.http_game import HTTPGame, bearer_header, check_problem, create_game

FIVE = [{"name": name} for name in ("Ana", "Bo", "Cy", "Di", "Eve")]
KEY = "a-secret-key-of-the-client-that-nobody-knows"


class ConflictingStore(RedisStore):
    """A store whose commits fail with version conflicts."""

    left = 0
    lost = 0

    async def commit(self, commit: Commit) -> CommitOutcome:
        """Lose, or commit."""
        if not self.left:
            return await super().commit(commit)
        self.left -= 1
        self.lost += 1
        return VersionConflict(1, "somebody else's")


@pytest.fixture
async def losing(store: RedisStore) -> ConflictingStore:
    return ConflictingStore(store._client)


@pytest.fixture
async def client(losing: ConflictingStore) -> AsyncIterator[Client]:
    async with serve(losing) as connected:
        yield connected


async def create(game: HTTPGame) -> ClientResponse:
    """Create a game."""
    return await game.client.post("/v1/games", json={"players": FIVE})


async def create_with_key(game: HTTPGame) -> ClientResponse:
    """Create a game with an idempotency key."""
    return await game.client.post("/v1/games", json={"players": FIVE}, headers={"Idempotency-Key": KEY})


async def join(game: HTTPGame) -> ClientResponse:
    """Take the open seat."""
    return await game.join("Flo")


async def act(game: HTTPGame) -> ClientResponse:
    """Perform the first legal move."""
    return await game.act(await game.first_move())


async def resign(game: HTTPGame) -> ClientResponse:
    """Resign."""
    return await game.post("/resign", {"seat": 0})


async def abort(game: HTTPGame) -> ClientResponse:
    """Abort the game."""
    return await game.delete()


async def rematch(game: HTTPGame) -> ClientResponse:
    """Create a rematch."""
    return await game.post("/rematch")


CHANGES: tuple[Callable[[HTTPGame], Awaitable[ClientResponse]], ...] = (
    create,
    create_with_key,
    join,
    act,
    resign,
    abort,
    rematch,
)


async def game_for(client: Client, change: Callable[[HTTPGame], Awaitable[ClientResponse]]) -> HTTPGame:
    """Create a game in which a change is possible."""
    game = await create_game(client, [*FIVE[:2], {"open": True}] if change is join else FIVE)
    if change is rematch:
        assert (await abort(game)).status == 200
    return game


@pytest.mark.parametrize("change", CHANGES)
async def test_attempts_after_version_conflicts_are_bounded(
    client: Client, losing: ConflictingStore, change: Callable[[HTTPGame], Awaitable[ClientResponse]]
) -> None:
    game = await game_for(client, change)
    losing.left, started_at = 10_000, perf_counter()
    problem = await check_problem(await change(game), 409, "conflict")
    assert "nothing was done" in problem["detail"]
    assert 5 <= losing.lost <= 1 + MAX_ATTEMPTS
    assert perf_counter() - started_at > 0.2  # as all that time there were pauses
    losing.left = 0
    assert (await change(game)).status < 300


@pytest.mark.parametrize("change", CHANGES)
async def test_a_few_version_conflicts_are_retried(
    client: Client, losing: ConflictingStore, change: Callable[[HTTPGame], Awaitable[ClientResponse]]
) -> None:
    game = await game_for(client, change)
    losing.left = MAX_ATTEMPTS // 2
    assert (await change(game)).status < 300
    assert losing.lost == MAX_ATTEMPTS // 2


async def test_many_concurrent_changes_all_succeed(client: Client, losing: ConflictingStore) -> None:
    async with serve(RedisStore(losing._client)) as other:
        for _ in range(4):
            game = await create_game(client, FIVE)
            same = HTTPGame(other, game.created)
            bodies = [{"seat": seat} for seat in range(1, 5)]
            answers = await asyncio.gather(
                *(
                    (game if body["seat"] % 2 else same).client.post(
                        f"{game.path}/resign", json=body, headers=bearer_header(game.owner_token)
                    )
                    for body in bodies
                )
            )
            assert [answer.status for answer in answers] == [200] * len(bodies)
            assert (await game.get_json())["status"] == "finished"
