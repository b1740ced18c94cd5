"""A game whose log cannot be read, or whose reading hangs, keeps nobody waiting for ever, and no other game at all."""

import asyncio
from collections.abc import Sequence

import pytest

from service.games.ports import StoredDiff, StoreUnavailable
from service.games.realtime import hub as watch_module
from service.games.realtime.hub import Watch
from service.games.realtime.messages import Position
from service.supervision import Backoff
from tests.games.realtime.watchers import Fickle, Follower, join
from tests.store.commits import action, creation, digest

TIMEOUT_S = 0.2


class Hanging(Fickle):
    """A store that does not answer for some games, or answers what nobody can use."""

    hanging: frozenset[str] = frozenset()
    damaged: frozenset[str] = frozenset()
    sweeps = 0

    async def diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log."""
        await self._answer([game])
        return await super().diffs(game, since, limit)

    async def versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """The versions."""
        self.sweeps += 1
        await self._answer(games)
        return await super().versions(games)

    async def swept(self, times: int) -> None:
        """Wait until so many sweeps more have begun."""
        until = self.sweeps + times
        async with asyncio.timeout(20):
            while self.sweeps < until:  # noqa: ASYNC110  the watch tells nobody
                await asyncio.sleep(0.01)

    async def _answer(self, games: Sequence[str]) -> None:
        if self.hanging.intersection(games):
            await asyncio.Event().wait()
        if self.damaged.intersection(games):
            raise RuntimeError("nobody expects this")


@pytest.fixture
def fickle(fickle: Fickle, monkeypatch: pytest.MonkeyPatch) -> Hanging:
    monkeypatch.setattr(watch_module, "READ_TIMEOUT_S", TIMEOUT_S)
    monkeypatch.setattr(watch_module, "JOIN_TIMEOUT_S", 2 * TIMEOUT_S)
    monkeypatch.setattr(watch_module, "FAILED", Backoff(0.01, 0.05))
    return Hanging(fickle._batches)


async def watched(watch: Watch, store: Hanging, game: str) -> Follower:
    """A watcher who knows a game's first version, when there is a second one."""
    await store.commit(creation(game))
    await store.commit(action(1, game))
    return await join(watch, store, game, since=1)


async def test_who_is_first_to_watch_a_game_whose_log_hangs_is_not_kept_waiting(watch: Watch, fickle: Hanging) -> None:
    fickle.hanging = frozenset({"hangs"})
    await fickle.commit(creation("hangs"))
    await fickle.commit(action(1, "hangs"))
    follower = Follower(1)
    waiting = asyncio.create_task(watch.join(follower, "hangs", Position(1, digest(1))))
    others = [await watched(watch, fickle, f"g{number}") for number in range(10)]
    assert not waiting.done()
    assert [other.version for other in others] == [2] * len(others)
    async with asyncio.timeout(20 * TIMEOUT_S):
        await waiting
    fickle.hanging = frozenset()
    await follower.reach(2)


async def test_who_joins_others_while_the_log_hangs_is_told_that_the_store_does_not_answer(
    watch: Watch, fickle: Hanging
) -> None:
    follower = await watched(watch, fickle, "g")
    await follower.reach(2)
    fickle.hanging = frozenset({"g"})
    late = Follower(1)
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await watch.join(late, "g", Position(1, digest(1)))
    fickle.hanging = frozenset()
    await fickle.commit(commit := action(2, "g"))
    watch.committed("g", commit.diffs)
    assert (follower.version, late.version) == (3, 1)


async def test_who_waits_for_a_version_that_is_not_read_is_told_so(watch: Watch, fickle: Hanging) -> None:
    follower = await watched(watch, fickle, "g")
    await follower.reach(2)
    fickle.hanging = frozenset({"g"})
    await fickle.commit(action(2, "g"))
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await watch.reached(follower, "g", 3)
    fickle.hanging = frozenset()
    await watch.reached(follower, "g", 3)
    assert follower.version == 3


async def test_a_read_that_nobody_expected_to_fail_is_tried_again(
    watch: Watch, fickle: Hanging, caplog: pytest.LogCaptureFixture
) -> None:
    fickle.damaged = frozenset({"fails"})
    await fickle.commit(creation("fails"))
    await fickle.commit(action(1, "fails"))
    failing = Follower(1)
    async with asyncio.timeout(5):
        await watch.join(failing, "fails", Position(1, digest(1)))
    other = await watched(watch, fickle, "g")
    await other.reach(2)
    assert failing.version == 1
    assert any("fails" in record.getMessage() and record.exc_info for record in caplog.records)
    fickle.damaged = frozenset()
    await failing.reach(2)


async def test_a_sweep_that_hangs_or_fails_is_done_again(watch: Watch, fickle: Hanging) -> None:
    fickle.deaf = True
    follower = await watched(watch, fickle, "g")
    await follower.reach(2)
    fickle.hanging = frozenset({"g"})
    watch.start()
    await fickle.commit(action(2, "g"))
    await fickle.swept(2)
    fickle.hanging, fickle.damaged = frozenset(), frozenset({"g"})
    await fickle.swept(2)
    fickle.damaged = frozenset()
    await follower.reach(3)
