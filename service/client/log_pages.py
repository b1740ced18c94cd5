"""The pages of a game's log."""

from collections.abc import AsyncGenerator

from schemas.diffs import Diffs
from service.client.http import HttpClient, HttpRequest
from service.client.replica import JsonObject

__all__ = ["iterate_log"]

PAGE_SIZE = 500
"""The number of diffs per request."""


async def iterate_log(http: HttpClient, game: str, token: str | None, since: int) -> AsyncGenerator[JsonObject, None]:
    """Yield the diffs after version `since` up to the current one, as decoded JSON."""
    while True:
        page = await http.request(
            Diffs[JsonObject],
            HttpRequest("GET", f"/v1/games/{game}/diffs", {"since": since, "limit": PAGE_SIZE}),
            token,
        )
        for diff in page.diffs:
            yield diff
        since += len(page.diffs)
        if not page.diffs or since >= page.version:
            return
