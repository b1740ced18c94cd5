"""Lua scripts that Redis keeps by their hash."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from service.store.batch import Batches, Value

__all__ = ["Script"]


class Script:
    """The script in the file `name` beside this one; sent whole only where Redis does not have it (any more)."""

    def __init__(self, batches: Batches, name: str) -> None:
        self._batches = batches
        self._source = files(__package__).joinpath(name).read_bytes()
        self._hash = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()

    async def run(self, keys: Sequence[str], *arguments: Value) -> Any:
        """What the script returns; all `keys` lie in one slot of a Cluster. Raises StoreUnavailable."""
        try:
            return await self._batches.send("EVALSHA", self._hash, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self._batches.send("EVAL", self._source, len(keys), *keys, *arguments)
