"""Whoever watches is told everything once and in order, however many there are and whatever they do meanwhile."""

import asyncio
from random import Random

import pytest

from service.games.errors import GameError, NoSuchGame
from service.games.realtime.broadcaster import BATCH_SIZE, MAX_TICKS, Broadcaster
from service.games.realtime.messages import ChannelMessage, DiffsMessage, MessageBatch
from tests.games.realtime.subscribers import FailingSubscriber
from tests.store.commits import diff


class Listener:
    """Keeps the versions that it was told, and in how many pieces."""

    def __init__(self) -> None:
        self.versions: list[int] = []
        self.pieces = 0
        self.lost: list[str] = []

    def deliver(self, message: ChannelMessage) -> None:
        """Take them."""
        assert not self.lost
        self.pieces += 1
        for part in message.messages if isinstance(message, MessageBatch) else (message,):
            assert isinstance(part, DiffsMessage)
            self.versions += [one.version for one in part.diffs]

    def end_subscription(self, game: str, error: GameError) -> None:
        """Take the end."""
        del error
        self.lost.append(game)


def change(version: int) -> DiffsMessage:
    """One version."""
    return DiffsMessage(game="g", diffs=[diff(version)])


def watched_by(number: int) -> tuple[Broadcaster, list[Listener]]:
    """As many watchers."""
    broadcaster, listeners = Broadcaster("g"), [Listener() for _ in range(number)]
    for listener in listeners:
        broadcaster.add(listener)
    return broadcaster, listeners


async def ticks(number: int) -> None:
    """Give others their turn."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_few_are_told_at_once() -> None:
    broadcaster, listeners = watched_by(BATCH_SIZE)
    for version in range(1, 4):
        broadcaster.broadcast(change(version))
        assert all(listener.versions[-1] == version for listener in listeners)


async def test_many_are_told_tick_by_tick_and_what_comes_meanwhile_together() -> None:
    broadcaster, listeners = watched_by(4 * BATCH_SIZE)
    for version in range(1, 6):
        broadcaster.broadcast(change(version))
    assert sum(len(listener.versions) for listener in listeners) == BATCH_SIZE
    await ticks(10)
    assert all(listener.versions == [1, 2, 3, 4, 5] for listener in listeners)
    assert {listener.pieces for listener in listeners} == {2}


async def test_a_round_takes_so_many_ticks_and_no_more() -> None:
    broadcaster, listeners = watched_by(10 * MAX_TICKS * BATCH_SIZE)
    broadcaster.broadcast(change(1))
    await ticks(MAX_TICKS + 1)
    assert all(listener.versions == [1] for listener in listeners)


async def test_one_can_be_told_out_of_turn() -> None:
    broadcaster, listeners = watched_by(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(change(version))
    broadcaster.flush(listeners[-1])
    assert listeners[-1].versions == [1, 2]
    assert not listeners[-2].versions
    broadcaster.broadcast(change(3))
    await ticks(10)
    assert all(listener.versions == [1, 2, 3] for listener in listeners)
    broadcaster.flush(Listener())


async def test_who_leaves_is_told_the_rest_and_who_comes_only_what_is_still_to_come() -> None:
    broadcaster, listeners = watched_by(4 * BATCH_SIZE)
    broadcaster.broadcast(change(1))
    broadcaster.remove(listeners[-1])
    assert listeners[-1].versions == [1]
    late = Listener()
    broadcaster.add(late)
    broadcaster.broadcast(change(2))
    await ticks(10)
    assert (listeners[-1].versions, late.versions) == ([1], [2])
    assert listeners[-1] not in broadcaster
    assert len(broadcaster) == 4 * BATCH_SIZE


async def test_at_the_end_all_are_told_the_rest_first() -> None:
    broadcaster, listeners = watched_by(4 * BATCH_SIZE)
    for version in (1, 2):
        broadcaster.broadcast(change(version))
    broadcaster.close(NoSuchGame("g"))
    assert all((listener.versions, listener.lost) == ([1, 2], ["g"]) for listener in listeners)
    assert not len(broadcaster)
    await ticks(10)
    assert all(listener.versions == [1, 2] for listener in listeners)


@pytest.mark.parametrize("error", (ConnectionResetError("gone"), ValueError("a fault")))
async def test_the_fault_of_one_keeps_nobody_from_being_told(error: Exception) -> None:
    broadcaster, listeners = watched_by(BATCH_SIZE)
    broadcaster.add(FailingSubscriber(error))
    more = [Listener() for _ in range(BATCH_SIZE)]
    for listener in more:
        broadcaster.add(listener)
    for version in (1, 2):
        broadcaster.broadcast(change(version))
        await ticks(5)
    assert all(listener.versions == [1, 2] for listener in [*listeners, *more])


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_in_whatever_order_nothing_is_missed_or_repeated(seed: int) -> None:
    chance, version = Random(seed), 0
    broadcaster, watching = watched_by(0)
    began: dict[Listener, int] = {}
    for _ in range(400):
        match chance.randrange(6):
            case 0 | 1:
                for _ in range(chance.randrange(30)):
                    listener = Listener()
                    broadcaster.add(listener)
                    watching.append(listener)
                    began[listener] = version
            case 2 if watching:
                listener = watching.pop(chance.randrange(len(watching)))
                broadcaster.remove(listener)
                assert listener.versions == [*range(began[listener] + 1, version + 1)]
            case 3 if watching:
                broadcaster.flush(listener := chance.choice(watching))
                assert listener.versions == [*range(began[listener] + 1, version + 1)]
            case 4:
                await asyncio.sleep(0)
            case _:
                version += 1
                broadcaster.broadcast(change(version))
    await ticks(2 * MAX_TICKS + 5)
    assert [*broadcaster] == watching
    for listener in watching:
        assert listener.versions == [*range(began[listener] + 1, version + 1)]
