"""Catching up: reads a game's stream from its channel's position on, and publishes what is new.

If the stream does not continue at the position, the game's history was replaced, as by a failover that lost commits:
then subscribers get the whole game.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from service.engine import build_view
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.game_failures import record_failure
from service.games.ports.game_store import (
    ChangeNotification,
    GameRecord,
    GameStore,
    StoredDiff,
    StoreUnavailable,
    UnreadableGame,
)
from service.games.realtime.broadcaster import SnapshotMessage
from service.games.realtime.channel import Channel
from service.games.repository import decode_with_index
from service.games.tilesets import TileSetCatalogue
from service.supervision import Backoff, spawn
from service.telemetry import clock, tracing
from service.telemetry.metrics import DELIVERY_LAG, HISTORIES_REPLACED

LOG = logging.getLogger(__name__)

PAGE_SIZE = 200
"""Diffs per read of a stream."""

READ_TIMEOUT_S = 10.0
"""A read that takes longer counts as failed and is retried, so that a store that hangs blocks no channel for ever."""

UNAVAILABLE_BACKOFF = Backoff(0.05, 1.0, jitter=0)
"""Between attempts while the store does not respond."""

FAILURE_BACKOFF = Backoff(1.0, 60.0)
"""Between attempts after any other error."""


class StreamReader:
    """Keeps channels up to date; each has at most one task that reads its stream."""

    def __init__(self, store: GameStore, tilesets: TileSetCatalogue, close: Callable[[Channel], None]) -> None:
        self._store = store
        self._tilesets = tilesets
        self._close = close
        """Removes a channel from the hub."""

    def request_read(self, channel: Channel) -> None:
        """Read a channel's stream soon; `Channel.wait_for_read` waits for that."""
        channel.is_behind = True
        if channel.reader is None or channel.reader.done():
            channel.reader = spawn("realtime-reader", self._read_stream(channel))

    async def _read_stream(self, channel: Channel) -> None:
        """Read until the stream holds no more; retry for as long as the channel is open."""
        failures = 0
        try:
            while (channel.is_behind or channel.has_diverged) and not channel.is_closed:
                channel.is_behind = False
                try:
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        if channel.has_diverged:
                            await self._resynchronize(channel)
                        else:
                            diffs = await self._store.load_diffs(channel.game, channel.position.version, PAGE_SIZE)
                            _publish(channel, diffs)
                except Exception as error:  # noqa: BLE001  one game that fails does not affect the others
                    failures += 1
                    channel.is_behind = True
                    channel.notify_read()
                    await asyncio.sleep(record_read_failure(channel.game, error, failures))
                else:
                    failures = 0
                    channel.notify_read()
        finally:
            channel.notify_read()

    async def _resynchronize(self, channel: Channel) -> None:
        """Continue after a break in the history: from the position if it is valid again, else with the whole game."""
        game, (version, digest) = channel.game, channel.position
        record = await self._store.load_since(game, version)
        if record is None:
            self._close(channel)
            channel.subscribers.close(NoSuchGame(game))
            return
        if record.resume_from(digest) is not None:
            # A promoted primary lacked a commit for a moment, and the commit was then retried.
            channel.has_diverged, channel.is_behind = False, True
            return
        try:
            snapshot = build_snapshot(self._tilesets, game, record)
        except TileSetMissing as error:
            self._close(channel)
            channel.subscribers.close(error)
            return
        LOG.warning("the history of game %s was replaced: sending its subscribers the whole game", game)
        HISTORIES_REPLACED.inc()
        channel.publish_snapshot(snapshot)
        channel.is_behind = True


def build_snapshot(tilesets: TileSetCatalogue, game: str, record: GameRecord) -> SnapshotMessage:
    """Build the message that sends the whole game. Raises TileSetMissing, UnreadableGame."""
    view = build_view(*decode_with_index(tilesets, record))
    return SnapshotMessage(game=game, digest=record.revision.digest, view=view)


def record_read_failure(game: str, error: Exception, failures: int) -> float:
    """Log that a game could not be read, unless the store is unavailable; return the seconds until the next attempt."""
    if isinstance(error, (StoreUnavailable, TimeoutError)) and not isinstance(error, UnreadableGame):
        return UNAVAILABLE_BACKOFF.delay_s(failures)
    record_failure("realtime", game, error, "its subscribers wait")
    return FAILURE_BACKOFF.delay_s(failures)


def publish_notified(channel: Channel, notification: ChangeNotification) -> bool:
    """Publish the diffs that a notification brings; return False if the stream must be read instead."""
    if notification.version is None:
        return False
    if notification.version <= channel.position.version:
        return True
    parent = notification.traceparent
    attributes = {"south_seas.game": channel.game}
    with tracing.span("deliver", "consumer", parent, attributes) if parent else nullcontext():
        is_published = bool(notification.diffs) and channel.publish(notification.diffs)
    if is_published:
        _REMOTE_LAG.observe(max(0.0, clock.now() - notification.sent_us / 1e6))
    return is_published


def _publish(channel: Channel, diffs: Sequence[StoredDiff]) -> None:
    """Publish a page of the stream, and note what is to be read next."""
    if not channel.publish(diffs):
        channel.has_diverged = True
    elif len(diffs) == PAGE_SIZE:
        channel.is_behind = True


_REMOTE_LAG = DELIVERY_LAG.labels("remote")
