"""The fair queue: attended games first, creators in turn, and bounds on the rest."""

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from service.fair_queue import FairQueue, QueueFull, Requester, UnattendedLimits
from tests.games.game_fixture import Clock
from tests.polling import TIMEOUT_S, run_ready_tasks

HOSTILE = Requester(b"bad", attended=False)
PERSON = Requester(b"good")


async def take_turns(queue: FairQueue, holder: Requester, waiting: dict[Requester, int]) -> list[Requester]:
    """Let requests wait for slots that a client holds; return in which order they start once it has returned them."""
    order: list[Requester] = []

    async def take(requester: Requester) -> None:
        async with queue.slot(requester):
            order.append(requester)
            await asyncio.sleep(0)

    held, tasks = [await queue.acquire(holder) for _ in range(2)], list[asyncio.Task[None]]()
    for requester, number in waiting.items():
        tasks += [asyncio.create_task(take(requester)) for _ in range(number)]
        await run_ready_tasks()
    assert order == []
    for started_at in held:
        queue.release(holder, started_at)
    async with asyncio.timeout(TIMEOUT_S):
        await asyncio.gather(*tasks)
    return order


async def test_a_person_waits_only_for_running_decisions() -> None:
    order = await take_turns(FairQueue(2), HOSTILE, {HOSTILE: 24, PERSON: 1})
    assert order == [PERSON, *[HOSTILE] * 24]


@pytest.mark.parametrize("attended", (True, False))
@pytest.mark.parametrize(
    ("holder", "order"), (("another", "many few few many many few"), ("many", "few few many many few many"))
)
async def test_clients_take_turns_however_many_wait(holder: str, order: str, *, attended: bool) -> None:
    """One whose work has ended comes after those who wait."""
    many, few = Requester(b"many", attended), Requester(b"few", attended)
    served = await take_turns(FairQueue(2), Requester(holder.encode(), attended), {many: 20, few: 3})
    assert b" ".join(one.client for one in served[:6]).decode() == order


async def test_a_client_with_all_its_slots_delays_no_other() -> None:
    queue = FairQueue(3, max_each=1)
    async with queue.slot(HOSTILE):
        second = asyncio.create_task(queue.acquire(HOSTILE))
        await run_ready_tasks()
        async with queue.slot(PERSON):
            assert (second.done(), queue.is_free(HOSTILE), queue.is_free(Requester(b"third"))) == (False, False, True)
    queue.release(HOSTILE, await second)


async def test_a_slot_is_wanted_by_people_and_by_others_of_its_class() -> None:
    queue, another = FairQueue(1), Requester(b"another", attended=False)
    async with queue.slot(PERSON):
        waiting = asyncio.create_task(queue.acquire(HOSTILE))
        await run_ready_tasks()
        assert [queue.do_others_wait(one) for one in (PERSON, HOSTILE, another)] == [False, False, True]
    queue.release(HOSTILE, await waiting)


async def test_one_slot_is_reserved_for_attended_games() -> None:
    queue = FairQueue(3, UnattendedLimits(2))
    waiting = [asyncio.create_task(queue.acquire(HOSTILE)) for _ in range(4)]
    await run_ready_tasks()
    async with asyncio.timeout(TIMEOUT_S), queue.slot(PERSON):
        assert [task.done() for task in waiting] == [True, True, False, False]
        for task in waiting:
            queue.release(HOSTILE, await task)


@pytest.mark.parametrize(
    ("limits", "pauses_s"),
    (
        (UnattendedLimits(1, time_share=0.25), [3.0, 1.0]),
        (UnattendedLimits(1, time_share=0.25, overhead_s=0.5), [4.0, 2.0]),
        (UnattendedLimits(1, time_share=0.5), [0.0, 0.0]),
        (UnattendedLimits(1), [0.0, 0.0]),
    ),
)
async def test_unattended_games_pause_for_the_rest_of_the_time_of_all_slots(
    monkeypatch: pytest.MonkeyPatch, limits: UnattendedLimits, pauses_s: list[float]
) -> None:
    """With a quarter of two slots, work for 3 s takes 6 s, and then for 1 s takes 2 s."""
    clock, queue, timers = Clock(100.0), FairQueue(2, limits), list[tuple[float, Callable[[], None]]]()
    monkeypatch.setattr("service.fair_queue.perf_counter", clock)
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda *timer: timers.append(timer))
    paused_s, started_at = [], await queue.acquire(HOSTILE)
    for work_s in (3.0, 1.0):
        clock.now += work_s
        queue.release(HOSTILE, started_at)
        waiting = asyncio.create_task(queue.acquire(HOSTILE))
        await run_ready_tasks()
        assert waiting.done() == (not timers)
        paused_s.append(sum(pause_s for pause_s, _ in timers))
        clock.now += paused_s[-1]
        for _, end_pause in timers:
            end_pause()
        timers.clear()
        started_at = await waiting
    queue.release(HOSTILE, started_at)
    assert paused_s == pytest.approx(pauses_s)
    assert queue.slots_in_use == 0


async def test_a_waiter_starts_after_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the pause ends during the check."""
    times = count()
    monkeypatch.setattr("service.fair_queue.perf_counter", lambda: next(times) / 10_000)
    queue = FairQueue(2, UnattendedLimits(2, time_share=0.3))
    assert len(await take_turns(queue, HOSTILE, {HOSTILE: 100})) == 100


async def test_attended_games_do_not_wait_for_the_pause() -> None:
    queue = FairQueue(1, UnattendedLimits(1, time_share=1e-12))
    async with queue.slot(HOSTILE):
        await asyncio.sleep(0)
    waiting = asyncio.create_task(queue.acquire(HOSTILE))
    await run_ready_tasks()
    for _ in range(100):
        async with asyncio.timeout(TIMEOUT_S), queue.slot(PERSON):
            await asyncio.sleep(0)
    assert queue.queue_length(attended=False) == 1
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert queue.queue_length(attended=False) == 0


async def test_a_full_queue_rejects_the_latest_of_the_largest_creator() -> None:
    queue = FairQueue(1, max_waiting=10)
    async with queue.slot(PERSON):
        many = [asyncio.create_task(queue.acquire(Requester(b"1, with many"))) for _ in range(10)]
        await run_ready_tasks()
        few = [asyncio.create_task(queue.acquire(Requester(b"2, with few"))) for _ in range(3)]
        await run_ready_tasks()
        assert [task.done() for task in many] == [False] * 7 + [True] * 3
        for task in many[7:]:
            with pytest.raises(QueueFull):
                await task
        assert not any(task.done() for task in few)
        assert queue.queue_length(attended=True) == 10
        for task in (*many, *few):
            task.cancel()
        await asyncio.gather(*many, *few, return_exceptions=True)
    assert queue.queue_length(attended=True) == queue.slots_in_use == 0


@pytest.mark.parametrize("seed", range(20))
async def test_cancelled_requests_leak_no_slot(seed: int) -> None:
    """Cancel random requests at random moments: slots are never exceeded and none is lost."""
    chance, queue = Random(seed), FairQueue(2, UnattendedLimits(1), max_waiting=6)
    running: Counter[bool] = Counter()

    async def work(claim: Requester) -> None:
        async with queue.slot(claim):
            running[claim.attended] += 1
            assert running[False] <= 1
            assert running.total() <= 2
            try:
                for _ in range(chance.randrange(4)):
                    await asyncio.sleep(0)
            finally:
                running[claim.attended] -= 1

    tasks: list[asyncio.Task[None]] = []
    for _ in range(200):
        claim = Requester(bytes([chance.randrange(4)]), attended=chance.random() < 0.5)
        tasks.append(asyncio.create_task(work(claim)))
        if chance.random() < 0.5:
            chance.choice(tasks).cancel()
        if chance.random() < 0.3:
            await asyncio.sleep(0)
    async with asyncio.timeout(TIMEOUT_S):
        result = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(one) for one in result} <= {type(None), asyncio.CancelledError, QueueFull}
    assert None in result
    assert queue.slots_in_use == queue.queue_length(attended=True) == queue.queue_length(attended=False) == 0
    async with asyncio.timeout(TIMEOUT_S), queue.slot(HOSTILE), queue.slot(PERSON):
        assert queue.slots_in_use == 2
