"""The pages of a game's log."""

from collections.abc import AsyncGenerator

import msgspec

from south_seas.http import HttpClient, HttpRequest
from south_seas.replica import JsonObject

__all__ = ["iterate_log"]

PAGE_SIZE = 500
"""The number of diffs per request."""


class LogPage(msgspec.Struct):
    """A page of the log whose diffs stay as they were sent, so that their digests can be checked."""

    version: int
    diffs: list[JsonObject]


async def iterate_log(http: HttpClient, game: str, token: str | None, since: int) -> AsyncGenerator[JsonObject, None]:
    """Yield the diffs after version `since` up to the current one, as decoded JSON."""
    while True:
        page = await http.request(
            LogPage,
            HttpRequest("GET", f"/v1/games/{game}/diffs", {"since": since, "limit": PAGE_SIZE}),
            token,
        )
        for diff in page.diffs:
            yield diff
        since += len(page.diffs)
        if not page.diffs or since >= page.version:
            return
