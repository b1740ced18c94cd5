"""Whoever watches is told everything once and in order, however many there are and whatever they do meanwhile."""

import asyncio
from random import Random

import pytest

from service.games.errors import GameError, NoSuchGame
from service.games.realtime.broadcaster import AT_ONCE, STEPS, Telling
from service.games.realtime.messages import Changed, News, Together
from tests.games.realtime.watchers import Broken
from tests.store.commits import diff


class Listener:
    """Keeps the versions that it was told, and in how many pieces."""

    def __init__(self) -> None:
        self.versions: list[int] = []
        self.pieces = 0
        self.lost: list[str] = []

    def deliver(self, news: News) -> None:
        """Take them."""
        assert not self.lost
        self.pieces += 1
        for part in news.parts if isinstance(news, Together) else (news,):
            assert isinstance(part, Changed)
            self.versions += [one.version for one in part.diffs]

    def lose(self, game: str, error: GameError) -> None:
        """Take the end."""
        del error
        self.lost.append(game)


def change(version: int) -> Changed:
    """One version."""
    return Changed(game="g", diffs=[diff(version)])


def watched_by(number: int) -> tuple[Telling, list[Listener]]:
    """As many watchers."""
    telling, listeners = Telling("g"), [Listener() for _ in range(number)]
    for listener in listeners:
        telling.enter(listener)
    return telling, listeners


async def ticks(number: int) -> None:
    """Give others their turn."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_few_are_told_at_once() -> None:
    telling, listeners = watched_by(AT_ONCE)
    for version in range(1, 4):
        telling.tell(change(version))
        assert all(listener.versions[-1] == version for listener in listeners)


async def test_many_are_told_tick_by_tick_and_what_comes_meanwhile_together() -> None:
    telling, listeners = watched_by(4 * AT_ONCE)
    for version in range(1, 6):
        telling.tell(change(version))
    assert sum(len(listener.versions) for listener in listeners) == AT_ONCE
    await ticks(10)
    assert all(listener.versions == [1, 2, 3, 4, 5] for listener in listeners)
    assert {listener.pieces for listener in listeners} == {2}


async def test_a_round_takes_so_many_ticks_and_no_more() -> None:
    telling, listeners = watched_by(10 * STEPS * AT_ONCE)
    telling.tell(change(1))
    await ticks(STEPS + 1)
    assert all(listener.versions == [1] for listener in listeners)


async def test_one_can_be_told_out_of_turn() -> None:
    telling, listeners = watched_by(4 * AT_ONCE)
    for version in (1, 2):
        telling.tell(change(version))
    telling.catch_up(listeners[-1])
    assert listeners[-1].versions == [1, 2]
    assert not listeners[-2].versions
    telling.tell(change(3))
    await ticks(10)
    assert all(listener.versions == [1, 2, 3] for listener in listeners)
    telling.catch_up(Listener())


async def test_who_leaves_is_told_the_rest_and_who_comes_only_what_is_still_to_come() -> None:
    telling, listeners = watched_by(4 * AT_ONCE)
    telling.tell(change(1))
    telling.leave(listeners[-1])
    assert listeners[-1].versions == [1]
    late = Listener()
    telling.enter(late)
    telling.tell(change(2))
    await ticks(10)
    assert (listeners[-1].versions, late.versions) == ([1], [2])
    assert listeners[-1] not in telling
    assert len(telling) == 4 * AT_ONCE


async def test_at_the_end_all_are_told_the_rest_first() -> None:
    telling, listeners = watched_by(4 * AT_ONCE)
    for version in (1, 2):
        telling.tell(change(version))
    telling.end(NoSuchGame("g"))
    assert all((listener.versions, listener.lost) == ([1, 2], ["g"]) for listener in listeners)
    assert not len(telling)
    await ticks(10)
    assert all(listener.versions == [1, 2] for listener in listeners)


@pytest.mark.parametrize("error", (ConnectionResetError("gone"), ValueError("a fault")))
async def test_the_fault_of_one_keeps_nobody_from_being_told(error: Exception) -> None:
    telling, listeners = watched_by(AT_ONCE)
    telling.enter(Broken(error))
    more = [Listener() for _ in range(AT_ONCE)]
    for listener in more:
        telling.enter(listener)
    for version in (1, 2):
        telling.tell(change(version))
        await ticks(5)
    assert all(listener.versions == [1, 2] for listener in [*listeners, *more])


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_in_whatever_order_nothing_is_missed_or_repeated(seed: int) -> None:
    chance, version = Random(seed), 0
    telling, watching = watched_by(0)
    began: dict[Listener, int] = {}
    for _ in range(400):
        match chance.randrange(6):
            case 0 | 1:
                for _ in range(chance.randrange(30)):
                    listener = Listener()
                    telling.enter(listener)
                    watching.append(listener)
                    began[listener] = version
            case 2 if watching:
                listener = watching.pop(chance.randrange(len(watching)))
                telling.leave(listener)
                assert listener.versions == [*range(began[listener] + 1, version + 1)]
            case 3 if watching:
                telling.catch_up(listener := chance.choice(watching))
                assert listener.versions == [*range(began[listener] + 1, version + 1)]
            case 4:
                await asyncio.sleep(0)
            case _:
                version += 1
                telling.tell(change(version))
    await ticks(2 * STEPS + 5)
    assert [*telling] == watching
    for listener in watching:
        assert listener.versions == [*range(began[listener] + 1, version + 1)]
