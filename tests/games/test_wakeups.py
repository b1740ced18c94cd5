"""Wakeups: each game once, and a bounded number."""

import asyncio

import pytest

from service.games import context as module
from service.games.context import Wakeups


async def test_a_game_is_taken_once() -> None:
    wakeups = Wakeups()
    for game in ("a", "b", "a"):
        wakeups.add(game)
    assert wakeups.take() == ["a", "b"]
    assert wakeups.take() == []


async def test_wait_ends_with_a_game_and_not_with_one_that_was_taken() -> None:
    wakeups = Wakeups()
    waiting = asyncio.create_task(wakeups.wait(3600.0))
    await asyncio.sleep(0)
    wakeups.add("a")
    await waiting
    await wakeups.wait(3600.0)
    wakeups.take()
    waiting = asyncio.create_task(wakeups.wait(3600.0))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


def test_they_are_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAKEUPS", 2)
    wakeups = Wakeups()
    for game in ("a", "b", "c"):
        wakeups.add(game)
    assert wakeups.take() == ["a", "b"]
