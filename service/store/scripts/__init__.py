"""Lua scripts that Redis keeps by their hash."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from service.store.connection.command import name_script_metric
from service.store.connection.pipeline import Argument, PipelinedClient

__all__ = ["Script"]


class Script:
    """The script in the file `name` beside this one; sent whole only where Redis does not have it (any more).

    What a `confirmed` one writes must be on enough replicas before it counts, where that is asked for. redis-py's own
    scripts would ask by `SCRIPT EXISTS` in each pipeline.
    """

    def __init__(self, client: PipelinedClient, name: str, *, wait_for_replicas: bool = False) -> None:
        self._send = client.confirmed if wait_for_replicas else client.execute
        self._source = files(__package__).joinpath(name).read_bytes()
        self._hash = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()
        name_script_metric(self._hash, name)

    async def run(self, keys: Sequence[str], *arguments: Argument) -> Any:
        """What the script returns; all `keys` lie in one slot of a Cluster. Raises StoreUnavailable."""
        try:
            return await self._send("EVALSHA", self._hash, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self._send("EVAL", self._source, len(keys), *keys, *arguments)
