"""What an instance does for the games besides serving them, for ever and a little at a time."""

from collections.abc import Coroutine, Iterator
from typing import Any

from service.games.archive.archiving import Archiver
from service.games.context import Retention
from service.games.tilesets import TileSetCatalogue
from service.games.upkeep.mending import Mender
from service.keeping.objects import objects_at
from service.store.store import RedisStore
from service.telemetry import clock

__all__ = ["keeping_games"]


def keeping_games(
    store: RedisStore, tilesets: TileSetCatalogue, retention: Retention, archive_url: str | None
) -> Iterator[Coroutine[Any, Any, None]]:
    """Mending what games are found by, and archiving those that are over, if anywhere. Raises BadArchiveUrl."""
    archive = None if archive_url is None else store.keeping.archive
    if archive_url is not None:
        store.archiving = True
        yield Archiver(store, store.keeping.archive, objects_at(archive_url), tilesets, clock.now).keep_archiving()
    yield Mender(store, store.keeping.upkeep, retention, clock.now, archive=archive).keep_mending()
