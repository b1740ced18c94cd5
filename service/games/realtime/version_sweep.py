"""The sweep: compares all followed games with the store, as notifications of commits and revocations may be lost."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from service.games.ports.game_store import GameStore, StoreUnavailable
from service.games.realtime.channel import Channel, ChannelRegistry
from service.games.realtime.stream_reader import READ_TIMEOUT_S, StreamReader
from service.telemetry.metrics import MISSED_NOTIFICATIONS

__all__ = ["VersionSweep"]

BATCH_SIZE = 200
"""Games whose versions are read with one pipeline."""


class VersionSweep:
    """Finds channels that are behind the store, or not part of its history, and has their streams read.

    `recheck_tokens` is called with each channel that missed a revocation.
    """

    def __init__(
        self,
        store: GameStore,
        registry: ChannelRegistry,
        reader: StreamReader,
        recheck_tokens: Callable[[Channel], None],
        interval_s: float,
    ) -> None:
        self._store = store
        self._registry = registry
        self._reader = reader
        self._recheck_tokens = recheck_tokens
        self._interval_s = interval_s

    async def run(self) -> None:
        """Compare all games once per interval, in batches spread over it, until cancelled."""
        while True:
            games = [*self._registry.channels]
            batches = [games[start : start + BATCH_SIZE] for start in range(0, len(games), BATCH_SIZE)] or [[]]
            for batch in batches:
                await asyncio.sleep(self._interval_s / len(batches))
                with suppress(StoreUnavailable, TimeoutError):  # the next sweep tries again
                    async with asyncio.timeout(READ_TIMEOUT_S):
                        await self._compare_versions(batch)

    async def _compare_versions(self, games: Sequence[str]) -> None:
        channels = [channel for game in games if (channel := self._registry.channels.get(game)) is not None]
        known = [channel.position for channel in channels]
        versions = await self._store.load_versions([channel.game for channel in channels])
        for channel, position, stored in zip(channels, known, versions, strict=True):
            revision, last_revocation = stored or (None, channel.last_revocation)
            if last_revocation != channel.last_revocation:
                channel.last_revocation = last_revocation
                self._recheck_tokens(channel)
            if channel.compare(position, revision):
                if channel.reader is None or channel.reader.done():
                    MISSED_NOTIFICATIONS.inc()
                self._reader.request_read(channel)
