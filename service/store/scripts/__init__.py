"""Lua scripts, which Redis caches by their hash. Each `*.lua` file documents its KEYS, ARGV and reply."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from service.store.connection.command import name_script_metric
from service.store.connection.pipeline import Argument, PipelinedClient

__all__ = ["Script"]


class Script:
    """The script in the file `name` of this package, sent as a whole only if Redis does not have it cached.

    redis-py's own scripts would send `SCRIPT EXISTS` in each pipeline.
    """

    def __init__(self, client: PipelinedClient, name: str, *, wait_for_replicas: bool = False) -> None:
        self._client = client
        self._wait = wait_for_replicas
        """Whether a run succeeds only once replicas have acknowledged what it writes."""
        self._source = files(__package__).joinpath(name).read_bytes()
        self._hash = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()
        name_script_metric(self._hash, name)

    async def run(self, keys: Sequence[str], *arguments: Argument) -> Any:
        """Run the script and return its reply. In a Cluster all `keys` are in one slot. Raise StoreUnavailable."""
        call = (len(keys), *keys, *arguments)
        try:
            return await self._client.execute("EVALSHA", self._hash, *call, wait_for_replicas=self._wait)
        except NoScriptError:
            return await self._client.execute("EVAL", self._source, *call, wait_for_replicas=self._wait)
