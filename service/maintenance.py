"""The maintenance tasks of an instance, which run in the background for as long as it does."""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from service.archive_storage.object_storage import open_object_storage
from service.games.archive.archiver import Archiver
from service.games.context import Retention
from service.games.index_repair.repairer import IndexRepairer
from service.games.tilesets import TileSetCatalogue
from service.store.game_store import RedisStore
from service.telemetry import clock

__all__ = ["MaintenanceTask", "make_maintenance_tasks"]


class MaintenanceTask(NamedTuple):
    """Endless work, and the name of its background task."""

    name: str
    run: Callable[[], Awaitable[None]]


def make_maintenance_tasks(
    store: RedisStore, tilesets: TileSetCatalogue, retention: Retention, archive_url: str | None
) -> Iterator[MaintenanceTask]:
    """Yield the tasks that repair indexes and, with an archive URL, archive finished games.

    Raises InvalidArchiveURL.
    """
    archive_queue = None if archive_url is None else store.archive_queue
    if archive_url is not None:
        store.is_archiving = True
        archiver = Archiver(store, store.archive_queue, open_object_storage(archive_url), tilesets, clock.now)
        yield MaintenanceTask("archive", archiver.run)
    repairer = IndexRepairer(store, store.index_repair, retention, clock.now, archive_queue=archive_queue)
    yield MaintenanceTask("index-repair", repairer.run)
