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


class Client:
    """Requests slots of a queue, and records in which order they start."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.order: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.at_once = self.most_unattended = 0

    def request(self, name: str, claim: Requester, done: asyncio.Event | None = None) -> None:
        """Request a slot and use it until an event."""
        self.tasks.append(asyncio.create_task(self._request(name, claim, done)))

    async def _request(self, name: str, claim: Requester, done: asyncio.Event | None) -> None:
        async with self.queue.slot(claim):
            self.order.append(name)
            self.at_once += not claim.attended
            self.most_unattended = max(self.most_unattended, self.at_once)
            await (done.wait() if done else asyncio.sleep(0))
            self.at_once -= not claim.attended

    async def all(self) -> None:
        """Wait for all requests."""
        async with asyncio.timeout(TIMEOUT_S):
            await asyncio.gather(*self.tasks)


async def test_a_person_waits_only_for_running_decisions() -> None:
    served = Client(FairQueue(1))
    async with served.queue.slot(HOSTILE):
        for number in range(24):
            served.request(f"hostile {number}", HOSTILE)
        await run_ready_tasks()
        served.request("person", PERSON)
        await run_ready_tasks()
        assert served.order == []
    await served.all()
    assert served.order.index("person") == 0


@pytest.mark.parametrize("attended", (True, False))
async def test_creators_take_turns_however_many_wait(*, attended: bool) -> None:
    served = Client(FairQueue(1))
    async with served.queue.slot(PERSON):
        for number in range(50):
            served.request(f"many {number}", Requester(b"many", attended))
        await run_ready_tasks()
        for number in range(3):
            served.request(f"few {number}", Requester(b"few", attended))
        await run_ready_tasks()
    await served.all()
    assert [served.order.index(f"few {number}") for number in range(3)] == [1, 3, 5]
    assert [name for name in served.order if "many" in name] == [f"many {number}" for number in range(50)]


async def test_a_client_waits_only_for_running_work_of_one_with_many_requests() -> None:
    served = Client(FairQueue(1))
    many, few = Requester(b"many"), Requester(b"few")
    async with served.queue.slot(many):
        for number in range(8):
            served.request(f"many {number}", many)
        await run_ready_tasks()
        served.request("few", few)
        await run_ready_tasks()
    await served.all()
    assert served.order[:3] == ["few", "many 0", "many 1"]


async def test_many_creators_are_served_in_turn() -> None:
    served = Client(FairQueue(1))
    async with served.queue.slot(PERSON):
        for creator in range(10):
            for _ in range(5):
                served.request(str(creator), Requester(bytes([creator])))
        await run_ready_tasks()
    await served.all()
    rounds = [served.order[at : at + 10] for at in range(0, 50, 10)]
    assert all(Counter(one) == Counter(map(str, range(10))) for one in rounds)


async def test_one_slot_is_reserved_for_attended_games() -> None:
    served, done = Client(FairQueue(3, UnattendedLimits(2))), asyncio.Event()
    for number in range(6):
        served.request(f"hostile {number}", HOSTILE, done)
    await run_ready_tasks()
    served.request("person", PERSON)
    await run_ready_tasks()
    assert served.order == ["hostile 0", "hostile 1", "person"]
    done.set()
    await served.all()
    assert served.most_unattended == 2


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
    served = Client(FairQueue(1, UnattendedLimits(1, time_share=0.3)))
    for number in range(100):
        served.request(str(number), HOSTILE)
    await served.all()
    assert len(served.order) == 100


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
