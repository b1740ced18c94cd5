"""What an instance does for the games besides serving them, for ever and a little at a time."""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from service.archive_storage.object_storage import open_object_storage
from service.games.archive.archiver import Archiver
from service.games.context import Retention
from service.games.index_repair.repairer import IndexRepairer
from service.games.tilesets import TileSetCatalogue
from service.store.game_store import RedisStore
from service.telemetry import clock

__all__ = ["MaintenanceTask", "maintenance_tasks"]


class MaintenanceTask(NamedTuple):
    """Work without an end, and the name of its background task."""

    name: str
    run: Callable[[], Awaitable[None]]


def maintenance_tasks(
    store: RedisStore, tilesets: TileSetCatalogue, retention: Retention, archive_url: str | None
) -> Iterator[MaintenanceTask]:
    """Mending what games are found by, and archiving those that are over, if anywhere. Raises BadArchiveUrl."""
    archive = None if archive_url is None else store.archive_queue
    if archive_url is not None:
        store.is_archiving = True
        archiver = Archiver(store, store.archive_queue, open_object_storage(archive_url), tilesets, clock.now)
        yield MaintenanceTask("archive", archiver.run)
    mender = IndexRepairer(store, store.index_repair, retention, clock.now, archive_queue=archive)
    yield MaintenanceTask("index-repair", mender.run)
