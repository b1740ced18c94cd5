"""Notifications are what commit.lua published, reach all subscribers, and continue after any failure."""

import asyncio
import operator
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from service.games.diffs import next_digest, prepend_digest
from service.games.ports import ChangeNotification, Revision, StoredDiff
from service.store import keys, log_entries, notifications
from service.store.embedded import embedded_server
from service.store.game_store import RedisStore
from service.store.log_entries import COMMIT_ID_BYTES, DIFFS, HEADER_BYTES, MAX_BYTES, decode_notification
from service.store.notifications import MAX_UNREAD, ChangeNotifications, PubSubConnection
from tests.games.game_logs import AT
from tests.polling import TIMEOUT_S, in_background, wait_until
from tests.redis_servers import connect
from tests.store.commits import action, creation, diff, digest
from tests.store.conftest import SingleServer


def compose(diffs: Sequence[StoredDiff], *, entries: Sequence[bytes] | None = None) -> bytes:
    """Return the notification of a commit with these diffs, as commit.lua publishes it."""
    packed = entries or [log_entries.pack(bytes(COMMIT_ID_BYTES), "a", one) for one in diffs]
    before = Revision(diffs[0].version - 1, diffs[0].previous)
    return msgspec.msgpack.encode((log_entries.pack_revision(before), False, 5, packed))


def bomb() -> bytes:
    """Return an entry of which a few bytes become very many."""
    return log_entries.pack(bytes(COMMIT_ID_BYTES), "a", replace(DIFFS_AFTER_3[0], data=bytes(2 * MAX_BYTES)))


DIFFS_AFTER_3 = [diff(4), diff(5)]
VALID = compose(DIFFS_AFTER_3)
ENTRIES = [log_entries.pack(bytes(COMMIT_ID_BYTES), "a", one) for one in DIFFS_AFTER_3]

FORGERIES = {
    "cut": VALID[:-1],
    "too long": VALID + b"\x00",
    "no entries": msgspec.msgpack.encode((bytes(20), False, 5)),
    "a revision of no game": msgspec.msgpack.encode((bytes(19), False, 5, ENTRIES)),
    "an entry of no bytes": compose(DIFFS_AFTER_3, entries=[*ENTRIES, b""]),
    "another content": compose([replace(DIFFS_AFTER_3[0], data=DIFFS_AFTER_3[0].data.replace(b"4}", b"5}"))]),
    "another digest": compose([replace(DIFFS_AFTER_3[0], digest=digest(5))]),
    "another previous digest": compose([replace(DIFFS_AFTER_3[0], previous=digest(2))]),
    "a version is missing": compose([diff(4), diff(6)]),
    "of a later release": compose(
        DIFFS_AFTER_3[:1], entries=[ENTRIES[0][:HEADER_BYTES] + b"\0\2" + ENTRIES[0][HEADER_BYTES + 2 :]]
    ),
    "a bomb": compose(DIFFS_AFTER_3[:1], entries=[bomb()]),
}


def test_a_notification_brings_the_diffs_of_its_commit() -> None:
    assert decode_notification("a", VALID) == ChangeNotification("a", DIFFS_AFTER_3, sent_us=5)


@pytest.mark.parametrize("message", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_notification_is_none(message: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has its own text
        decode_notification("a", message)


RELEASED = {"c80e": "c80e565e1cc63da895f927cc1147cd35e4b36cb3f861df5c1ceb37ce692a45c0"}
"""The SHA-256 of each dictionary that a release had, by its id. None may go: what it wrote could not be read."""


def test_dictionaries_stay_as_they_were_and_a_missing_one_is_named() -> None:
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in log_entries.DICTIONARIES.iterdir()}
    assert {f"diffs-{digest[:4]}.zdict" for digest in found.values()} == {*found}
    assert {f"diffs-{one}.zdict": digest for one, digest in RELEASED.items()}.items() <= found.items()
    stored = log_entries.DIFFS.compress(b"{}")
    assert stored.startswith(log_entries.NEWEST)
    for other in (b"\1\x28", b"\1", b""):
        with pytest.raises(ValueError, match=f"needs the dictionary {other.hex()}, which this version does not have"):
            log_entries.DIFFS.decompress(other + stored[2:] if len(other) == 2 else other)


def test_a_notification_of_another_game_is_none() -> None:
    def notification(events: bytes) -> bytes:
        body = b'"at":"%b",%b"game":"a","patch":[{"op":"replace","path":"/version","value":4}%b],"version":4}'
        body %= AT.encode(), events, b',{"op":"replace","path":"/updated_at","value":"%b"}' % AT.encode()
        own = next_digest(digest(3), b"{" + body)
        return compose([StoredDiff(4, own, digest(3), AT, prepend_digest(own, b"{" + body))])

    for events in (b"", b'"events":[{"game":""}],'):  # the latter looks as if its entry had it shorter
        assert decode_notification("a", notification(events)).diffs[-1].version == 4
    with pytest.raises(ValueError, match="damaged"):
        decode_notification("b", notification(b""))


@given(st.integers(0, len(VALID) - 1), st.integers(1, 255))
def test_whatever_a_changed_byte_does_it_changes_no_diff(position: int, change: int) -> None:
    changed = bytearray(VALID)
    changed[position] ^= change
    try:
        notification = decode_notification("a", bytes(changed))
    except ValueError:
        return
    assert [one.data for one in notification.diffs] == [one.data for one in DIFFS_AFTER_3]
    assert all(former.digest == latter.previous for former, latter in pairwise(notification.diffs))


def test_what_was_compressed_is_read_back_or_refused() -> None:
    value = VALID * 3
    stored = DIFFS.compress(value)
    for cut in range(len(stored)):
        with pytest.raises(ValueError):  # noqa: PT011  each has its own text
            DIFFS.decompress(stored[:cut])
    with pytest.raises(ValueError, match="too long"):
        DIFFS.decompress(stored + b"\x00")
    with pytest.raises(ValueError, match="too large"):
        DIFFS.decompress(DIFFS.compress(bytes(MAX_BYTES + 1)))


class NotificationRecorder:
    """Collects notifications in a queue."""

    def __init__(self, notifications: ChangeNotifications) -> None:
        self.notifications = notifications
        self.queue: asyncio.Queue[ChangeNotification] = asyncio.Queue()

    async def listen(self) -> None:
        async for notification in self.notifications.listen():
            self.queue.put_nowait(notification)

    async def next_notification(self) -> ChangeNotification:
        """Wait for the next notification, and return it without its time."""
        async with asyncio.timeout(TIMEOUT_S):
            return (await self.queue.get())._replace(sent_us=0)

    async def subscribe(self, *games: str) -> None:
        """Subscribe to games, and wait for the confirmations."""
        for game in games:
            self.notifications.subscribe(game)
        assert {(await self.next_notification()).game for _ in games} == {*games}


@asynccontextmanager
async def record_notifications(
    notifications: ChangeNotifications, *games: str, ping_s: float = 1.0, silence_s: float = TIMEOUT_S
) -> AsyncIterator[NotificationRecorder]:
    """Record the notifications of these games."""
    with patch.multiple("service.store.notifications", PING_INTERVAL_S=ping_s, SILENCE_TIMEOUT_S=silence_s):
        recorder = NotificationRecorder(notifications)
        async with in_background(recorder.listen()):
            await recorder.subscribe(*games)
            yield recorder


@asynccontextmanager
async def subscribe_elsewhere(url: str, *games: str, **limits: float) -> AsyncIterator[NotificationRecorder]:
    """Record the notifications of these games on a client of its own."""
    async with (
        connect(url, connections=1) as store,
        record_notifications(store.change_notifications, *games, **limits) as recorder,
    ):
        yield recorder


def news(game: str, *versions: int) -> ChangeNotification:
    """Return the notification of a commit with these versions, without its time."""
    return ChangeNotification(game, [diff(version) for version in versions])


async def wait_for_subscribers(redis: Redis, count: int) -> list[str]:
    """Wait until `count` connections are subscribed, and return their ids."""
    clients = list[str]()

    async def are_subscribed() -> bool:
        clients[:] = [client["id"] for client in await redis.client_list(_type="pubsub")]
        return len(clients) == count

    await wait_until(are_subscribed)
    return clients


async def test_a_commit_notifies_all_other_subscribers(store: RedisStore, redis_url: str) -> None:
    async with (
        subscribe_elsewhere(redis_url, "a", "b") as one,
        subscribe_elsewhere(redis_url, "a") as two,
        record_notifications(store.change_notifications, "a"),
    ):
        await store.commit(creation("a"))
        await store.commit(creation("b"))
        await store.commit(action(1, "a", count=3))
        assert [await one.next_notification() for _ in range(3)] == [news("a", 1), news("b", 1), news("a", 2, 3, 4)]
        assert [await two.next_notification() for _ in range(2)] == [news("a", 1), news("a", 2, 3, 4)]


async def test_the_committing_process_is_not_notified(store: RedisStore, redis_url: str) -> None:
    async with record_notifications(store.change_notifications, "a", "b") as own:
        await store.commit(creation("a"))
        async with subscribe_elsewhere(redis_url, "b") as other:
            await store.commit(creation("b"))
            assert await other.next_notification() == news("b", 1)
        assert await own.next_notification() == news("b", 1)


async def test_a_committer_that_has_unsubscribed_is_not_counted(store: RedisStore, redis_url: str) -> None:
    async with record_notifications(store.change_notifications, "a"), subscribe_elsewhere(redis_url, "a") as other:
        store.unsubscribe("a")
        await wait_until(lambda: not store.change_notifications.count_own_subscribers("a"))
        await store.commit(creation("a"))
        assert await other.next_notification() == news("a", 1)


async def test_a_committer_that_has_lost_its_connection_is_not_counted(
    single_server: SingleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "RECONNECT_DELAY_S", 60.0)
    store, redis = single_server.store, single_server.redis
    async with record_notifications(store.change_notifications, "a"):
        (own,) = await redis.client_list(_type="pubsub")
        async with subscribe_elsewhere(single_server.url, "a") as other:
            await redis.client_kill_filter(_id=own["id"])
            await wait_until(lambda: not store.change_notifications.is_up)
            await store.commit(creation("a"))
            assert await other.next_notification() == news("a", 1)


async def test_neither_a_conflict_nor_a_game_after_its_unsubscription_notifies(
    store: RedisStore, redis_url: str
) -> None:
    async with subscribe_elsewhere(redis_url, "gone", "a", "b") as other:
        other.notifications.unsubscribe("a")
        await store.commit(action(1, "gone"))
        await store.commit(creation("a"))
        await store.commit(creation("b"))
        assert await other.next_notification() == news("b", 1)


async def test_a_requested_unsubscription_does_not_reassign_games(single_server: SingleServer) -> None:
    topology, reassign = single_server.store.client.topology, asyncio.Event()
    (primary,) = topology.primaries()
    subscriber = PubSubConnection(topology, primary, lambda _: None, reassign)
    for games in ({"a", "b"}, {"b", "c"}, set[str]()):
        subscriber.set_games(games)
        await wait_until(partial(operator.eq, subscriber.subscribed, games))
    assert not reassign.is_set()
    await subscriber.aclose()


async def test_many_subscriptions_share_one_connection(single_server: SingleServer) -> None:
    games = [f"g{number}" for number in range(500)]
    async with subscribe_elsewhere(single_server.url, *games) as other:
        await wait_for_subscribers(single_server.redis, 1)
        await asyncio.gather(*(single_server.store.commit(creation(game)) for game in games))
        assert {(await other.next_notification()).game for _ in games} == {*games}


async def test_notifications_continue_after_the_connection_is_killed(single_server: SingleServer) -> None:
    async with subscribe_elsewhere(single_server.url, "a") as other:
        for _ in range(3):
            assert await single_server.redis.client_kill_filter(_type="pubsub") == 1
            assert await other.next_notification() == ChangeNotification("a")
        await single_server.store.commit(creation("a"))
        assert await other.next_notification() == news("a", 1)
        await wait_until(lambda: not other.notifications._reassign.is_set())  # or primaries are looked up all the time
    assert "pubsub-subscribe" not in {task.get_name() for task in asyncio.all_tasks()}


async def test_pings_keep_silent_connections_open(single_server: SingleServer, monkeypatch: pytest.MonkeyPatch) -> None:
    silences = list[asyncio.Timeout]()

    def timeout(delay_s: float) -> asyncio.Timeout:
        silences.append(asyncio.timeout(delay_s))
        return silences[-1]

    monkeypatch.setattr(notifications, "asyncio", SimpleNamespace(**{**vars(asyncio), "timeout": timeout}))
    async with subscribe_elsewhere(single_server.url, "a", ping_s=0.02):
        before = await wait_for_subscribers(single_server.redis, 1)
        ends_at = silences[-1].when() or 0
        await wait_until(lambda: (silences[-1].when() or 0) > ends_at + 0.1)
        assert await wait_for_subscribers(single_server.redis, 1) == before


async def test_a_silent_connection_without_replies_is_replaced(short_path: Path, program: Path) -> None:
    async with (
        embedded_server(short_path, program=program) as server,
        Redis.from_url(server.url) as redis,
        subscribe_elsewhere(server.url, "a", ping_s=0.02, silence_s=0.1) as other,
    ):
        before = await wait_for_subscribers(redis, 1)
        os.kill(server.pid, signal.SIGSTOP)
        await wait_until(lambda: not other.notifications.is_up)
        os.kill(server.pid, signal.SIGCONT)
        assert await other.next_notification() == ChangeNotification("a")
        assert await wait_for_subscribers(redis, 1) != before


async def test_notifications_continue_after_a_restart_of_the_server(short_path: Path, program: Path) -> None:
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(embedded_server(short_path, program=program))
        async with connect(first.url) as store, subscribe_elsewhere(first.url, "a") as other:
            await stack.aclose()
            await wait_until(lambda: not other.notifications.is_up)
            async with embedded_server(short_path, program=program) as second:
                assert second.url == first.url
                assert await other.next_notification() == ChangeNotification("a")
                await store.commit(creation("a"))
                assert await other.next_notification() == news("a", 1)


async def test_the_connection_closes_with_its_listener(single_server: SingleServer) -> None:
    async with subscribe_elsewhere(single_server.url, "a"):
        await wait_for_subscribers(single_server.redis, 1)
    await wait_for_subscribers(single_server.redis, 0)


async def test_a_malformed_notification_is_ignored(single_server: SingleServer) -> None:
    """Whoever may publish can send anything: it neither reaches a client nor ends the connection."""
    forged = (*FORGERIES.values(), b"", b"no notice", b"\x00\x01\xc0", bytes(1 << 20))
    async with subscribe_elsewhere(single_server.url, "a") as other:
        (before,) = await wait_for_subscribers(single_server.redis, 1)
        for message in forged:
            await single_server.redis.publish(keys.game("a"), message)
        await single_server.store.commit(creation("a"))
        assert await other.next_notification() == news("a", 1)
        assert await wait_for_subscribers(single_server.redis, 1) == [before]


async def test_unread_notifications_are_bounded(redis_url: str) -> None:
    async with connect(redis_url, connections=1) as store:
        notifications = store.change_notifications
        for version in range(MAX_UNREAD + 5):
            notifications._push(ChangeNotification(f"g{version}"))
        assert notifications._unread.qsize() == MAX_UNREAD


async def test_a_connection_that_is_closed_under_a_ping_is_replaced(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """To write to a closed transport is a RuntimeError in uvloop, and nothing in asyncio."""
    get_message = PubSub.get_message
    closed: list[Any] = []

    def write(_data: object) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    async def close_and_get_message(self: Any, **options: Any) -> object:
        if self.subscribed and not closed:
            closed.append(self)
            self.connection._writer.close()
            monkeypatch.setattr(self.connection._writer, "writelines", write)
            return None
        return await get_message(self, **options)

    monkeypatch.setattr(PubSub, "get_message", close_and_get_message)
    async with aclosing(store.notifications()) as notifications, asyncio.timeout(TIMEOUT_S):
        store.subscribe("a")
        for _ in range(2):  # one for each connection
            assert await anext(notifications) == ChangeNotification("a")
    assert closed
    assert "pubsub" not in caplog.text
