"""Every subscriber receives every message once and in order, however many there are and whatever they do meanwhile."""

import asyncio
from random import Random

import pytest

from service.games.access import AccessRecord
from service.games.channel import BATCH_SIZE, MAX_TICKS, Broadcaster, ChannelMessage, DiffsMessage, MessageBatch
from service.games.errors import GameError, NoSuchGame
from tests.store.commits import diff
from tests.telemetry.metric_samples import grown, read_samples


class RecordingSubscriber:
    """A subscriber that records the versions it receives, and in how many deliveries."""

    def __init__(self) -> None:
        self.versions: list[int] = []
        self.deliveries = 0
        self.ended: list[str] = []

    def deliver(self, message: ChannelMessage) -> None:
        assert not self.ended
        self.deliveries += 1
        for part in message.messages if isinstance(message, MessageBatch) else (message,):
            assert isinstance(part, DiffsMessage)
            self.versions += [one.version for one in part.diffs]

    def end_subscription(self, game: str, error: GameError) -> None:
        del error
        self.ended.append(game)

    def recheck_token(self, game: str, access: AccessRecord) -> None:
        """Do nothing: it has no token."""


def diff_message(version: int) -> DiffsMessage:
    return DiffsMessage(game="g", diffs=[diff(version)])


def make_broadcaster(number: int) -> tuple[Broadcaster, list[RecordingSubscriber]]:
    """Return a broadcaster with this many subscribers."""
    broadcaster, subscribers = Broadcaster("g"), [RecordingSubscriber() for _ in range(number)]
    for subscriber in subscribers:
        broadcaster.add(subscriber)
    return broadcaster, subscribers


async def run_ticks(number: int) -> None:
    """Let the event loop run."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_few_subscribers_are_served_at_once() -> None:
    broadcaster, subscribers = make_broadcaster(BATCH_SIZE)
    for version in range(1, 4):
        broadcaster.broadcast(diff_message(version))
        assert all(subscriber.versions[-1] == version for subscriber in subscribers)


async def test_many_subscribers_are_served_in_batches_and_later_messages_are_combined() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in range(1, 6):
        broadcaster.broadcast(diff_message(version))
    assert sum(len(subscriber.versions) for subscriber in subscribers) == BATCH_SIZE
    await run_ticks(10)
    assert all(subscriber.versions == [1, 2, 3, 4, 5] for subscriber in subscribers)
    assert {subscriber.deliveries for subscriber in subscribers} == {2}


async def test_a_broadcast_takes_at_most_max_ticks() -> None:
    broadcaster, subscribers = make_broadcaster(10 * MAX_TICKS * BATCH_SIZE)
    broadcaster.broadcast(diff_message(1))
    await run_ticks(MAX_TICKS + 1)
    assert all(subscriber.versions == [1] for subscriber in subscribers)


async def test_flush_serves_one_subscriber_out_of_turn() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(diff_message(version))
    broadcaster.flush(subscribers[-1])
    assert subscribers[-1].versions == [1, 2]
    assert not subscribers[-2].versions
    broadcaster.broadcast(diff_message(3))
    await run_ticks(10)
    assert all(subscriber.versions == [1, 2, 3] for subscriber in subscribers)
    broadcaster.flush(RecordingSubscriber())


async def test_flush_delivers_nothing_to_a_subscriber_that_has_everything() -> None:
    broadcaster, (subscriber,) = make_broadcaster(1)
    broadcaster.broadcast(diff_message(1))
    broadcaster.flush(subscriber)
    broadcaster.remove(subscriber)
    assert (subscriber.versions, subscriber.deliveries) == ([1], 1)


async def test_close_delivers_the_rest_first() -> None:
    broadcaster, subscribers = make_broadcaster(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(diff_message(version))
    broadcaster.close(NoSuchGame("g"))
    assert all((subscriber.versions, subscriber.ended) == ([1, 2], ["g"]) for subscriber in subscribers)
    assert not len(broadcaster)
    await run_ticks(10)
    assert all(subscriber.versions == [1, 2] for subscriber in subscribers)


@pytest.mark.parametrize("seed", range(20))
async def test_nothing_is_missed_or_repeated_in_any_order_of_operations(seed: int) -> None:
    chance, version, before = Random(seed), 0, read_samples()
    broadcaster, subscribed = make_broadcaster(0)
    started_at: dict[RecordingSubscriber, int] = {}
    for _ in range(400):
        match chance.randrange(6):
            case 0 | 1:
                for _ in range(chance.randrange(30)):
                    subscriber = RecordingSubscriber()
                    broadcaster.add(subscriber)
                    subscribed.append(subscriber)
                    started_at[subscriber] = version
            case 2 if subscribed:
                subscriber = subscribed.pop(chance.randrange(len(subscribed)))
                broadcaster.remove(subscriber)
                assert subscriber.versions == [*range(started_at[subscriber] + 1, version + 1)]
            case 3 if subscribed:
                broadcaster.flush(subscriber := chance.choice(subscribed))
                assert subscriber.versions == [*range(started_at[subscriber] + 1, version + 1)]
            case 4:
                await asyncio.sleep(0)
            case _:
                version += 1
                broadcaster.broadcast(diff_message(version))
    await run_ticks(2 * MAX_TICKS + 5)
    assert [*broadcaster] == subscribed
    assert grown(before, "deliveries_total") == sum(subscriber.deliveries for subscriber in started_at)
    for subscriber in subscribed:
        assert subscriber.versions == [*range(started_at[subscriber] + 1, version + 1)]
