"""Lua scripts that Redis keeps by their hash."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from service.store.connection.command import count_as
from service.store.connection.pipeline import Batches, Value

__all__ = ["Script"]


class Script:
    """The script in the file `name` beside this one; sent whole only where Redis does not have it (any more).

    What a `confirmed` one writes must be on enough replicas before it counts, where that is asked for. redis-py's own
    scripts would ask by `SCRIPT EXISTS` in each pipeline.
    """

    def __init__(self, batches: Batches, name: str, *, confirmed: bool = False) -> None:
        self._send = batches.confirmed if confirmed else batches.send
        self._source = files(__package__).joinpath(name).read_bytes()
        self._hash = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()
        count_as(self._hash, name)

    async def run(self, keys: Sequence[str], *arguments: Value) -> Any:
        """What the script returns; all `keys` lie in one slot of a Cluster. Raises StoreUnavailable."""
        try:
            return await self._send("EVALSHA", self._hash, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self._send("EVAL", self._source, len(keys), *keys, *arguments)
