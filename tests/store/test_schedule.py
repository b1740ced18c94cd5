"""A game with a due date comes up when that has come, and is never forgotten."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from service.games.ports import GameStore
from service.store.client import create_client
from service.store.schedule import GRACE_S, Schedule
from service.supervision import Backoff
from tests.store.commits import action, creation


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def schedule(redis: Redis, redis_url: str, clock: Clock) -> AsyncIterator[Schedule]:
    del redis  # it has emptied the deployment
    client = create_client(redis_url, connections=1)
    yield Schedule(client, clock)
    await client.aclose()


async def test_games_come_up_when_they_are_due_the_oldest_first(store: GameStore) -> None:
    for game, at in (("late", 300), ("b", 200), ("a", 100), ("never", None)):
        await store.commit(creation(game, due_at=at))
    assert await store.list_due(99, 10) == []
    assert await store.list_due(100, 10) == ["a"]
    assert await store.list_due(250, 10) == ["a", "b"]
    assert await store.list_due(999, 2) == ["a", "b"]


async def test_a_game_stays_due_until_somebody_settles_it(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    assert await store.list_due(100, 10) == await store.list_due(100, 10) == ["g"]
    await store.reschedule("g", None)
    assert await store.list_due(100, 10) == []


async def test_a_later_commit_puts_the_date_off(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    await store.commit(action(1, due_at=200))
    assert await store.list_due(150, 10) == []
    assert await store.list_due(200, 10) == ["g"]


async def test_a_commit_that_lost_may_bring_a_date_forward_but_not_put_it_off(store: GameStore) -> None:
    await store.commit(creation(due_at=200))
    await store.commit(action(7, due_at=300))
    assert await store.list_due(200, 10) == ["g"]
    await store.commit(action(7, due_at=100))
    assert await store.list_due(100, 10) == ["g"]


async def test_what_is_settled_comes_up_once_more_and_then_no_more(schedule: Schedule, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", None)
    assert await schedule.list_due(1000 + GRACE_S, 10) == []
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]
    clock.now = 1001 + GRACE_S
    await schedule.reschedule("g", None)
    assert await schedule.list_due(9999, 10) == []


async def test_two_who_settle_at_once_count_as_one(schedule: Schedule) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", None)
    await schedule.reschedule("g", None)
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]


async def test_a_promise_is_not_settled_by_whoever_looked_before(schedule: Schedule, clock: Clock) -> None:
    """The promise is made, the other looks, finds nothing due and settles, and only then the commit is stored."""
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", None)
    clock.now = 1001 + GRACE_S
    assert not await schedule.schedule("g", int(clock.now) + 60)
    await schedule.reschedule("g", None)
    assert await schedule.list_due(int(clock.now) + GRACE_S + 1, 10) == ["g"]


async def test_a_date_far_away_must_be_found_twice(schedule: Schedule, clock: Clock) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", 5000)
    assert await schedule.list_due(1001 + GRACE_S, 10) == ["g"]
    clock.now = 1001 + GRACE_S
    await schedule.reschedule("g", 5000)
    assert await schedule.list_due(4999, 10) == []
    assert await schedule.list_due(5000, 10) == ["g"]


async def test_a_near_date_counts_at_once(schedule: Schedule) -> None:
    await schedule.schedule("g", 990)
    await schedule.reschedule("g", 1005)
    assert await schedule.list_due(1004, 10) == []
    assert await schedule.list_due(1005, 10) == ["g"]


async def test_a_date_that_each_commit_moves_on_is_kept_and_seldom_looked_at(schedule: Schedule, clock: Clock) -> None:
    """As the deadlines of turns: ten turns end in time, at the eleventh nobody plays any more."""
    looks = deadline = 0
    for _ in range(11):
        deadline = int(clock.now) + 600
        if not await schedule.schedule("g", deadline):
            await schedule.reschedule("g", deadline)
        for _ in range(40):
            clock.now += 1
            if await schedule.list_due(int(clock.now), 10):
                looks += 1
                await schedule.reschedule("g", deadline)
    assert looks <= 11
    assert await schedule.list_due(deadline - 1, 10) == []
    assert await schedule.list_due(deadline, 10) == ["g"]


async def test_settling_what_was_not_due(schedule: Schedule) -> None:
    await schedule.reschedule("never", None)
    await schedule.reschedule("later", 5000)
    assert await schedule.list_due(9999, 10) == ["later"]


async def test_a_game_that_failed_is_put_off_ever_longer_and_only_while_it_is_due(store: GameStore) -> None:
    backoff = Backoff(2.0, 10.0, jitter=0)
    await store.commit(creation(due_at=100))
    assert await store.postpone("g", 99, backoff) is None
    now, dates = 100, []
    for failures in range(1, 5):
        assert await store.postpone("g", now, backoff) == failures
        assert await store.postpone("g", now, backoff) is None  # as another instance finds it
        while not await store.list_due(now, 10):
            now += 1
        dates.append(now)
    assert dates == [102, 106, 114, 124]
    assert await store.postpone("nothing", now, backoff) is None


async def test_whoever_acts_brings_a_game_that_was_put_off_forward(store: GameStore) -> None:
    await store.commit(creation(due_at=100))
    assert await store.postpone("g", 100, Backoff(50.0, 50.0, jitter=0)) == 1
    await store.commit(action(1, due_at=110))
    assert await store.list_due(110, 10) == ["g"]
