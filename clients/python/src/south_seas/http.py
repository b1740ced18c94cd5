"""HTTP requests with safe retries: every POST has an idempotency key."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from secrets import token_hex
from typing import Any, Literal, NamedTuple, TypeVar

import aiohttp
import msgspec

from south_seas.backoff import MAX_BACKOFF_S, Backoff
from south_seas.clock import ServerClock
from south_seas.decoding import DecodingError, decode
from south_seas.errors import (
    APIError,
    ClientError,
    ConflictError,
    InvalidResponseError,
    RetryableError,
    UnreachableError,
    error_for,
)
from south_seas.models import BotList, Problem

__all__ = ["CONNECTION_ERRORS", "LOG", "PROBLEM_TYPE", "HttpClient", "HttpRequest", "QueryValue", "retry_after_s"]

T = TypeVar("T")

CONNECTION_ERRORS = (aiohttp.ClientError, TimeoutError, OSError)
"""The exceptions of failed and lost connections."""

LOG = logging.getLogger("south_seas")
"""Has a warning for each retry; silent unless the program configures logging."""
LOG.addHandler(logging.NullHandler())

PROBLEM_TYPE = "application/problem+json"
"""The media type of the service's errors (RFC 9457), and of other applications': `_read_problem` tells them apart."""

_RATE_LIMIT = re.compile(r";\s*t=(\d{1,9})(?!\d)", re.ASCII)
_SECONDS = re.compile(r"\d{1,9}", re.ASCII)


QueryValue = str | int | bool | None
"""A query parameter; None omits it."""


class HttpRequest(NamedTuple):
    """A request."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    query: Mapping[str, QueryValue] = {}
    body: Any = None
    headers: Mapping[str, str] = {}
    key: str | None = None
    """The idempotency key of a POST; None generates one."""


class ConnectionPool:
    """The connections of clients that derive from one another, opened at their first use."""

    def __init__(self, session: aiohttp.ClientSession | None) -> None:
        self._session = session
        self._is_owner = session is None

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session, created if the caller gave none."""
        if self._session is None:
            # Proxies are those of HTTPS_PROXY.
            self._session = aiohttp.ClientSession(trust_env=True, middlewares=(_raise_refused_upgrade,))
        return self._session

    async def close(self) -> None:
        """Close the connections, unless the caller gave the session."""
        if self._is_owner and self._session is not None:
            await self._session.close()


class HttpClient:
    """Requests to one service. Methods raise APIError, UnreachableError and InvalidResponseError."""

    def __init__(self, url: str, session: aiohttp.ClientSession | None, backoff: Backoff, language: str | None) -> None:
        self.url = url.rstrip("/")
        if self.url.endswith("/v1"):
            raise ValueError(f"{url}: give the url without /v1, which the client adds")
        self.backoff = backoff
        self.language = language
        self.clock = ServerClock()
        self.pool = ConnectionPool(session)

    def headers(self, token: str | None) -> dict[str, str]:
        """Return the headers that every request has."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return headers if self.language is None else {**headers, "Accept-Language": self.language}

    async def request(self, response_type: type[T], request: HttpRequest, token: str | None) -> T:
        """Send a request and return the decoded response."""

        def decode_response(content: bytes) -> T:
            try:
                return decode(content, response_type)
            except DecodingError as error:
                raise InvalidResponseError(self.url + request.path, str(error)) from error

        return await self._request(decode_response, request, token)

    async def request_bytes(self, request: HttpRequest, token: str | None) -> bytes:
        """Send a request and return the body of the response."""
        return await self._request(bytes, request, token)

    async def is_answering(self) -> bool:
        """Return whether the service itself answers a request."""
        try:
            decode(await self._send(HttpRequest("GET", "/v1/bots"), self.headers(None)), BotList)
        except (ClientError, DecodingError):
            return False
        return True

    async def _request(self, read: Callable[[bytes], T], request: HttpRequest, token: str | None) -> T:
        """Send a request until the service itself responds, or as often as the backoff permits."""
        headers = {**self.headers(token), **request.headers}
        if request.method == "POST":
            headers["Idempotency-Key"] = request.key or token_hex(32)
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        failures = 0
        while True:
            try:
                return read(await self._send(request, headers))
            except (UnreachableError, InvalidResponseError, APIError) as error:
                wait_s = self._wait_s(error, failures)
                failures += 1
                if wait_s is None or self.backoff.is_exhausted(failures):
                    raise
                LOG.warning("retrying %s %s in %.1f s: %s", request.method, request.path, wait_s, error)
            await asyncio.sleep(wait_s)

    async def _send(self, request: HttpRequest, headers: dict[str, str]) -> bytes:
        query = {name: _query_text(value) for name, value in request.query.items() if value is not None}
        data = None if request.body is None else msgspec.json.encode(request.body)
        timeout = aiohttp.ClientTimeout(total=self.backoff.timeout_s)
        sent_at = time.monotonic()
        try:
            async with self.pool.session.request(
                request.method,
                self.url + request.path,
                params=query,
                headers=headers,
                data=data,
                timeout=timeout,
                allow_redirects=False,  # the service sends none; a portal would be asked in its place
            ) as response:
                self._observe_date(request, response, sent_at)
                content = await response.read()
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise UnreachableError(self.url, "a URL begins with http:// or https://, and names a host") from error
        except CONNECTION_ERRORS as error:
            raise UnreachableError(self.url, str(error) or type(error).__name__) from error
        problem = _read_problem(content) if response.content_type == PROBLEM_TYPE else None
        wait_s = retry_after_s(response.headers, response.status, is_problem=problem is not None)
        if problem is not None:
            raise error_for(msgspec.structs.replace(problem, retry_after_s=problem.retry_after_s or wait_s))
        if response.status >= 300 or response.content_type == "text/html":
            target = response.headers.get("Location")
            what = f"{response.status} {response.reason}" + (f" to {target}" if target else "")
            raise UnreachableError(self.url, f"{what}, which is no answer of the service", wait_s)
        return content

    def _observe_date(self, request: HttpRequest, response: aiohttp.ClientResponse, sent_at: float) -> None:
        """Set the clock by the response to a POST, which no cache stores."""
        if request.method == "POST" and (date := _parse_date(response.headers.get("Date", ""))) is not None:
            self.clock.observe(date, sent_at, time.monotonic())

    def _wait_s(self, error: ClientError, failures: int) -> float | None:
        """Return the wait before the next attempt; None if there is none."""
        jittered, bound_s = self.backoff.wait_s(failures), self.backoff.max_wait_s
        match error:
            case InvalidResponseError():  # another application's: a portal, or a proxy that has lost its way
                return jittered
            case ConflictError(code="conflict") if failures:  # the attempt whose response was lost may still be running
                return jittered
            case RetryableError(retry_after_s=int(wait_s)) if (
                wait_s > bound_s and self.backoff.max_attempts is not None
            ):
                return None
            case RetryableError(retry_after_s=wait_s) | UnreachableError(retry_after_s=wait_s):
                return min(wait_s or 0, bound_s) + jittered
            case _:
                return None


async def _raise_refused_upgrade(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Raise what `ws_connect` raises, with the detail of the problem, which `ws_connect` does not read."""
    response = await handler(request)
    if aiohttp.hdrs.UPGRADE not in request.headers or response.content_type != PROBLEM_TYPE:
        return response
    if (problem := _read_problem(await response.read())) is not None:
        raise aiohttp.WSServerHandshakeError(
            response.request_info,
            response.history,
            status=response.status,
            message=problem.detail,
            headers=response.headers,
        )
    return response


def _query_text(value: QueryValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read_problem(content: bytes) -> Problem | None:
    """Return a problem of the service, whose type names its code; None for another application's."""
    with suppress(DecodingError):
        problem = decode(content, Problem)
        if problem.type == f"/problems/{problem.code.replace('_', '-')}":
            return problem
    return None


def retry_after_s(headers: Mapping[str, str], status: int, *, is_problem: bool) -> int | None:
    """Return the wait in seconds that headers ask for: Retry-After, or the reset of RateLimit.

    What stands in for the service, and so sends no problem of it, delays no longer than the backoff.
    """
    value = headers.get("Retry-After")
    if value is None:
        window = _RATE_LIMIT.search(headers.get("RateLimit", ""))
        if window is None or status != 429:
            return None
        wait_s = int(window[1])
    elif _SECONDS.fullmatch(value):
        wait_s = int(value)
    elif (at := _parse_date(value)) is not None:
        wait_s = max(0, int((at - datetime.now(UTC)).total_seconds()) + 1)
    else:
        return None
    return wait_s if is_problem else min(wait_s, MAX_BACKOFF_S)


def _parse_date(value: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return at.replace(tzinfo=at.tzinfo or UTC)
