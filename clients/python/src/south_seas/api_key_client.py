"""The client of an API key: the key's quotas, all games of the key, and one webhook for all of them."""

from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import aiohttp

from south_seas.backoff import Backoff
from south_seas.http import HttpClient, HttpRequest, QueryValue
from south_seas.models import (
    ApiKeyView,
    ChangeKeyWebhook,
    Games,
    KeyDeliveries,
    KeyWebhook,
    KeyWebhookCreated,
    KeyWebhooks,
    RegisterKeyWebhook,
    RotatedSecret,
    RotateSecret,
)
from south_seas.queries import DEFAULT_BACKOFF, Status

__all__ = ["ApiKeyClient"]

T = TypeVar("T")


class ApiKeyClient:
    """A client of a host of many players, such as a chat bot, with the API key that the operator gave it.

    To create games with the key, give it to `Client`. Methods raise what those of `Client` raise.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        session: aiohttp.ClientSession | None = None,
        backoff: Backoff = DEFAULT_BACKOFF,
    ) -> None:
        """Create a client of the service at `url`. The caller closes a given `session`."""
        self._http = HttpClient(url, session, backoff, None)
        self._headers = {"Api-Key": api_key}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.pool.close()

    async def key(self) -> ApiKeyView:
        """Return the name and the quotas of the key."""
        return await self._request(ApiKeyView, "GET", "/v1/keys/me")

    async def games(
        self, status: Status | None = None, *, limit: int | None = None, cursor: str | None = None
    ) -> Games:
        """Return the games that were created with the key, newest first, private ones too."""
        return await self._request(Games, "GET", "/v1/keys/me/games", status=status, limit=limit, cursor=cursor)

    async def register_webhook(self, request: RegisterKeyWebhook) -> KeyWebhookCreated:
        """Register a webhook for all games. Store the secret of the response: it cannot be read again."""
        return await self._request(KeyWebhookCreated, "POST", "/v1/keys/me/webhooks", request)

    async def webhooks(self) -> KeyWebhooks:
        """Return the webhooks of the key."""
        return await self._request(KeyWebhooks, "GET", "/v1/keys/me/webhooks")

    async def webhook(self, hook: str) -> KeyWebhook:
        """Return a webhook."""
        return await self._request(KeyWebhook, "GET", f"/v1/keys/me/webhooks/{hook}")

    async def change_webhook(self, hook: str, request: ChangeKeyWebhook) -> KeyWebhook:
        """Change the URL or the events of a webhook."""
        return await self._request(KeyWebhook, "PATCH", f"/v1/keys/me/webhooks/{hook}", request)

    async def delete_webhook(self, hook: str) -> None:
        """Delete a webhook."""
        request = HttpRequest("DELETE", f"/v1/keys/me/webhooks/{hook}", headers=self._headers)
        await self._http.request_bytes(request, None)

    async def ping_webhook(self, hook: str) -> KeyWebhook:
        """Send a test message to an active webhook."""
        return await self._request(KeyWebhook, "POST", f"/v1/keys/me/webhooks/{hook}/ping")

    async def rotate_secret(self, hook: str, request: RotateSecret | None = None) -> RotatedSecret:
        """Give a webhook a new signing secret; the current one signs too until the grace period ends."""
        return await self._request(RotatedSecret, "POST", f"/v1/keys/me/webhooks/{hook}/rotate-secret", request)

    async def retry_webhook(self, hook: str) -> KeyWebhook:
        """Try a webhook again now; a disabled one becomes active."""
        return await self._request(KeyWebhook, "POST", f"/v1/keys/me/webhooks/{hook}/retry")

    async def deliveries(self, hook: str) -> KeyDeliveries:
        """Return the latest deliveries of a webhook."""
        return await self._request(KeyDeliveries, "GET", f"/v1/keys/me/webhooks/{hook}/deliveries")

    async def _request(
        self,
        response_type: type[T],
        method: Literal["GET", "POST", "PATCH"],
        path: str,
        body: Any = None,
        **query: QueryValue,
    ) -> T:
        return await self._http.request(response_type, HttpRequest(method, path, query, body, self._headers), None)
