"""A game whose log cannot be read, or whose reading hangs, keeps nobody waiting for ever, and no other game at all."""

import asyncio
from collections.abc import Sequence

import pytest

from service.games.ports import StoredDiff, StoreUnavailable
from service.games.realtime import hub as hub_module
from service.games.realtime import stream_reader, version_sweep
from service.games.realtime.hub import Hub
from service.games.realtime.stream_position import StreamPosition
from service.supervision import Backoff
from tests.games.realtime.subscribers import UnreliableStore, VersionSubscriber, subscribe
from tests.store.commits import action, creation, digest

TIMEOUT_S = 0.2


class Hanging(UnreliableStore):
    """A store that does not answer for some games, or answers what nobody can use."""

    hanging: frozenset[str] = frozenset()
    damaged: frozenset[str] = frozenset()
    sweeps = 0

    async def load_diffs(self, game: str, since: int, limit: int) -> list[StoredDiff]:
        """The log."""
        await self._answer([game])
        return await super().load_diffs(game, since, limit)

    async def load_versions(self, games: Sequence[str]) -> list[tuple[int, str] | None]:
        """The versions."""
        self.sweeps += 1
        await self._answer(games)
        return await super().load_versions(games)

    async def swept(self, times: int) -> None:
        """Wait until so many sweeps more have begun."""
        until = self.sweeps + times
        async with asyncio.timeout(20):
            while self.sweeps < until:  # noqa: ASYNC110  the hub tells nobody
                await asyncio.sleep(0.01)

    async def _answer(self, games: Sequence[str]) -> None:
        if self.hanging.intersection(games):
            await asyncio.Event().wait()
        if self.damaged.intersection(games):
            raise RuntimeError("nobody expects this")


@pytest.fixture
def unreliable_store(unreliable_store: UnreliableStore, monkeypatch: pytest.MonkeyPatch) -> Hanging:
    for module in (stream_reader, version_sweep, hub_module):
        monkeypatch.setattr(module, "READ_TIMEOUT_S", TIMEOUT_S)
    monkeypatch.setattr(hub_module, "SUBSCRIBE_TIMEOUT_S", 2 * TIMEOUT_S)
    monkeypatch.setattr(stream_reader, "FAILURE_BACKOFF", Backoff(0.01, 0.05))
    return Hanging(unreliable_store._client)


async def watched(hub: Hub, store: Hanging, game: str) -> VersionSubscriber:
    """A watcher who knows a game's first version, when there is a second one."""
    await store.commit(creation(game))
    await store.commit(action(1, game))
    return await subscribe(hub, store, game, since=1)


async def test_who_is_first_to_watch_a_game_whose_log_hangs_is_not_kept_waiting(
    hub: Hub, unreliable_store: Hanging
) -> None:
    unreliable_store.hanging = frozenset({"hangs"})
    await unreliable_store.commit(creation("hangs"))
    await unreliable_store.commit(action(1, "hangs"))
    follower = VersionSubscriber(1)
    waiting = asyncio.create_task(hub.subscribe(follower, "hangs", StreamPosition(1, digest(1))))
    others = [await watched(hub, unreliable_store, f"g{number}") for number in range(10)]
    assert not waiting.done()
    assert [other.version for other in others] == [2] * len(others)
    async with asyncio.timeout(20 * TIMEOUT_S):
        await waiting
    unreliable_store.hanging = frozenset()
    await follower.reach(2)


async def test_who_joins_others_while_the_log_hangs_is_told_that_the_store_does_not_answer(
    hub: Hub, unreliable_store: Hanging
) -> None:
    follower = await watched(hub, unreliable_store, "g")
    await follower.reach(2)
    unreliable_store.hanging = frozenset({"g"})
    late = VersionSubscriber(1)
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await hub.subscribe(late, "g", StreamPosition(1, digest(1)))
    unreliable_store.hanging = frozenset()
    await unreliable_store.commit(commit := action(2, "g"))
    hub.publish_commit("g", commit.diffs)
    assert (follower.version, late.version) == (3, 1)


async def test_who_waits_for_a_version_that_is_not_read_is_told_so(hub: Hub, unreliable_store: Hanging) -> None:
    follower = await watched(hub, unreliable_store, "g")
    await follower.reach(2)
    unreliable_store.hanging = frozenset({"g"})
    await unreliable_store.commit(action(2, "g"))
    async with asyncio.timeout(20 * TIMEOUT_S):
        with pytest.raises(StoreUnavailable, match="not read"):
            await hub.wait_for_version(follower, "g", 3)
    unreliable_store.hanging = frozenset()
    await hub.wait_for_version(follower, "g", 3)
    assert follower.version == 3


async def test_a_read_that_nobody_expected_to_fail_is_tried_again(
    hub: Hub, unreliable_store: Hanging, caplog: pytest.LogCaptureFixture
) -> None:
    unreliable_store.damaged = frozenset({"fails"})
    await unreliable_store.commit(creation("fails"))
    await unreliable_store.commit(action(1, "fails"))
    failing = VersionSubscriber(1)
    async with asyncio.timeout(5):
        await hub.subscribe(failing, "fails", StreamPosition(1, digest(1)))
    other = await watched(hub, unreliable_store, "g")
    await other.reach(2)
    assert failing.version == 1
    assert any("fails" in record.getMessage() and record.exc_info for record in caplog.records)
    unreliable_store.damaged = frozenset()
    await failing.reach(2)


async def test_a_sweep_that_hangs_or_fails_is_done_again(hub: Hub, unreliable_store: Hanging) -> None:
    unreliable_store.deaf = True
    follower = await watched(hub, unreliable_store, "g")
    await follower.reach(2)
    unreliable_store.hanging = frozenset({"g"})
    hub.start()
    await unreliable_store.commit(action(2, "g"))
    await unreliable_store.swept(2)
    unreliable_store.hanging, unreliable_store.damaged = frozenset(), frozenset({"g"})
    await unreliable_store.swept(2)
    unreliable_store.damaged = frozenset()
    await follower.reach(3)
