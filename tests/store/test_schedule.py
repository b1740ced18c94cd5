"""Games come up when they are due, and none is forgotten."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from service.games.ports import GameStore
from service.store import keys
from service.store.game_store import connect
from service.store.schedule import FAILURE_COUNT_TTL_S, GRACE_S, RedisDueQueue
from service.supervision import Backoff
from tests.games.game_fixture import Clock
from tests.store.commits import action, creation


@pytest.fixture
def clock() -> Clock:
    return Clock(1000.0)


@pytest.fixture
async def schedule(redis: Redis, redis_url: str) -> AsyncIterator[RedisDueQueue]:
    del redis  # it has emptied the deployment
    async with connect(redis_url, connections=1) as store:
        yield store.due_games


async def test_list_due_returns_due_games_the_oldest_first(store: GameStore) -> None:
    for game, at in (("late", 300), ("b", 200), ("a", 100), ("never", None)):
        await store.commit(creation(game, due_at=at))
    assert await store.due_games.list_due(99, 10) == []
    assert await store.due_games.list_due(100, 10) == ["a"]
    assert await store.due_games.list_due(250, 10) == ["a", "b"]
    assert await store.due_games.list_due(999, 2) == ["a", "b"]


async def test_a_game_stays_due_until_it_is_rescheduled(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    assert await store.due_games.list_due(100, 10) == await store.due_games.list_due(100, 10) == ["g"]
    await store.due_games.reschedule("g", 100, None)
    assert await store.due_games.list_due(100, 10) == []


async def test_a_later_commit_moves_the_date(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    await store.commit(action(1, due_at=200))
    assert await store.due_games.list_due(150, 10) == []
    assert await store.due_games.list_due(200, 10) == ["g"]


async def test_a_commit_that_conflicts_may_move_a_date_earlier_but_not_later(store: GameStore) -> None:
    await store.commit(creation(due_at=200))
    await store.commit(action(7, due_at=300))
    assert await store.due_games.list_due(200, 10) == ["g"]
    await store.commit(action(7, due_at=100))
    assert await store.due_games.list_due(100, 10) == ["g"]


async def test_a_removed_date_comes_up_once_more(schedule: RedisDueQueue, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", int(clock.now), None)
    assert await schedule.list_due(1000 + GRACE_S, 10) == []
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]
    clock.now = 1001 + GRACE_S
    await schedule.reschedule("g", int(clock.now), None)
    assert await schedule.list_due(9999, 10) == []


async def test_two_concurrent_looks_count_as_one(schedule: RedisDueQueue, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", int(clock.now), None)
    await schedule.reschedule("g", int(clock.now), None)
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]


async def test_a_look_before_a_commit_does_not_remove_its_date(schedule: RedisDueQueue, clock: Clock) -> None:
    """An instance schedules a game; another looks, removes the date, and only then the commit is stored."""
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", int(clock.now), None)
    clock.now = 1001 + GRACE_S
    assert not await schedule.schedule("g", int(clock.now) + 60)
    await schedule.reschedule("g", int(clock.now), None)
    assert await schedule.list_due(int(clock.now) + GRACE_S + 1, 10) == ["g"]


async def test_a_distant_date_must_be_confirmed(schedule: RedisDueQueue, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", int(clock.now), 5000)
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]
    clock.now = 1001 + GRACE_S
    await schedule.reschedule("g", int(clock.now), 5000)
    assert await schedule.list_due(4999, 10) == []
    assert await schedule.list_due(5000, 10) == ["g"]


async def test_a_near_date_needs_no_confirmation(schedule: RedisDueQueue, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", int(clock.now), 1005)
    assert await schedule.list_due(1004, 10) == []
    assert await schedule.list_due(1005, 10) == ["g"]


async def test_a_deadline_that_each_commit_moves_causes_few_looks(schedule: RedisDueQueue, clock: Clock) -> None:
    """As with the deadlines of turns: ten turns end in time, the eleventh does not."""
    look_count = deadline = 0
    for _ in range(11):
        deadline = int(clock.now) + 600
        if not await schedule.schedule("g", deadline):
            await schedule.reschedule("g", int(clock.now), deadline)
        for _ in range(40):
            clock.now += 1
            if await schedule.list_due(int(clock.now), 10):
                look_count += 1
                await schedule.reschedule("g", int(clock.now), deadline)
    assert look_count <= 11
    assert await schedule.list_due(deadline - 1, 10) == []
    assert await schedule.list_due(deadline, 10) == ["g"]


async def test_rescheduling_a_game_that_is_not_due(schedule: RedisDueQueue, clock: Clock) -> None:
    await schedule.reschedule("never", int(clock.now), None)
    await schedule.reschedule("later", int(clock.now), 5000)
    assert await schedule.list_due(9999, 10) == ["later"]


async def test_postpone_backs_off_and_requires_a_due_game(store: GameStore, redis: Redis) -> None:
    backoff = Backoff(2.0, 10.0, jitter=0)
    await store.commit(creation(due_at=100))
    assert await store.due_games.postpone("g", 99, backoff) is None
    now, dates = 100, []
    for failures in range(1, 5):
        assert await store.due_games.postpone("g", now, backoff) == failures
        assert await store.due_games.postpone("g", now, backoff) is None  # as for a second instance
        while not await store.due_games.list_due(now, 10):
            now += 1
        dates.append(now)
    assert dates == [102, 106, 114, 124]
    assert 0 < await redis.ttl(keys.failures(keys.GAME_SCHEDULE, "g")) <= 2 * 10 + FAILURE_COUNT_TTL_S
    assert await store.due_games.postpone("nothing", now, backoff) is None


async def test_a_commit_moves_a_postponed_game_earlier(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    assert await store.due_games.postpone("g", 100, Backoff(50.0, 50.0, jitter=0)) == 1
    await store.commit(action(1, due_at=110))
    assert await store.due_games.list_due(110, 10) == ["g"]
