"""Recording of change notifications, in this process or on another client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from unittest.mock import patch

from msgspec.structs import replace

from service.games.ports import ChangeNotification
from service.store import notifications
from service.store.game_store import connect
from service.store.notifications import ChangeNotifications


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
        async with asyncio.timeout(8):
            return replace(await self.queue.get(), sent_us=0)

    async def subscribe(self, *games: str) -> None:
        """Subscribe to games, and wait for the confirmations."""
        for game in games:
            self.notifications.subscribe(game)
        assert {(await self.next_notification()).game for _ in games} == {*games}


@asynccontextmanager
async def record_notifications(notifications: ChangeNotifications, *games: str) -> AsyncIterator[NotificationRecorder]:
    """Record the notifications of these games."""
    recorder = NotificationRecorder(notifications)
    task = asyncio.create_task(recorder.listen())
    try:
        await recorder.subscribe(*games)
        yield recorder
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def subscribe_elsewhere(
    url: str, *games: str, ping_s: float = 1.0, silence_s: float = 3.0
) -> AsyncIterator[NotificationRecorder]:
    """Record the notifications of these games on a client of its own."""
    with patch.multiple(notifications, PING_INTERVAL_S=ping_s, SILENCE_TIMEOUT_S=silence_s):
        async with connect(url, connections=1) as store, record_notifications(store._notifications, *games) as recorder:
            yield recorder
