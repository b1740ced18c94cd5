"""What keeps the games besides playing them: archive, export and import, mending; each is asked for by few."""

from typing import NamedTuple

from service.store.archiving import RedisArchive
from service.store.batch import Batches
from service.store.restoring import RedisMoving
from service.store.upkeep import RedisUpkeep

__all__ = ["Keeping", "keeping"]


class Keeping(NamedTuple):
    """The parts of a store for that."""

    archive: RedisArchive
    moving: RedisMoving
    upkeep: RedisUpkeep


def keeping(batches: Batches) -> Keeping:
    """Those parts over a store's connections."""
    return Keeping(RedisArchive(batches), RedisMoving(batches), RedisUpkeep(batches))
