"""Requests, each sent again where that is safe: a POST's idempotency key makes the second do nothing twice."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from secrets import token_hex
from typing import Any, Literal, NamedTuple, TypeVar

import aiohttp
import msgspec

from schemas.base import encode
from schemas.problems import Problem
from service.client.backoff import Backoff
from service.client.decoding import Undecodable, decode
from service.client.errors import (
    Busy,
    ClientError,
    Conflict,
    Refused,
    Unreachable,
    Unreadable,
    refusal,
    unknown_problem,
)

__all__ = ["LOST", "Asked", "Http", "Value", "retry_after_s"]

T = TypeVar("T")

LOST = (aiohttp.ClientError, TimeoutError, OSError)
"""What is raised where a connection fails or breaks."""

_RATE_LIMIT = re.compile(r";\s*t=(\d+)", re.ASCII)


Value = str | int | bool | None
"""Of a query's parameter; None leaves it out."""


class Asked(NamedTuple):
    """A request."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    query: Mapping[str, Value] = {}
    body: Any = None
    headers: Mapping[str, str] = {}
    key: str | None = None
    """Of a POST; None makes one."""


class Http:
    """One service; every method raises Refused, Unreachable and Unreadable."""

    def __init__(self, url: str, session: aiohttp.ClientSession | None, backoff: Backoff, language: str | None) -> None:
        self.url = url.rstrip("/")
        self.backoff = backoff
        self._language = language
        self._session = session
        self._is_own = session is None

    @property
    def session(self) -> aiohttp.ClientSession:
        """The connections; made when they are needed first."""
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session

    async def close(self) -> None:
        """Close the connections, unless they were given from outside."""
        if self._is_own and self._session is not None:
            await self._session.close()

    def headers(self, token: str | None) -> dict[str, str]:
        """What every request says."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return headers if self._language is None else {**headers, "Accept-Language": self._language}

    async def ask(self, kind: type[T], asked: Asked, token: str | None) -> T:
        """The answer to a request, decoded."""
        content = await self.read(asked, token)
        try:
            return decode(content, kind)
        except Undecodable as error:
            raise Unreadable(self.url + asked.path, str(error)) from error

    async def read(self, asked: Asked, token: str | None) -> bytes:
        """The answer to a request, as it came."""
        headers = {**self.headers(token), **asked.headers}
        if asked.method == "POST":
            headers["Idempotency-Key"] = asked.key or token_hex(32)
        if asked.body is not None:
            headers["Content-Type"] = "application/json"
        failures = 0
        while True:
            try:
                return await self._once(asked, headers)
            except (Unreachable, Refused) as error:
                wait_s = self._wait_s(error, failures)
                failures += 1
                if wait_s is None or failures >= self.backoff.tries:
                    raise
            await asyncio.sleep(wait_s)

    async def _once(self, asked: Asked, headers: dict[str, str]) -> bytes:
        query = {name: _said(value) for name, value in asked.query.items() if value is not None}
        data = None if asked.body is None else encode(asked.body)
        timeout = aiohttp.ClientTimeout(total=self.backoff.timeout_s)
        try:
            async with self.session.request(
                asked.method, self.url + asked.path, params=query, headers=headers, data=data, timeout=timeout
            ) as answer:
                content = await answer.read()
        except LOST as error:
            raise Unreachable(self.url, str(error) or type(error).__name__) from error
        if not answer.ok:
            raise refusal(_problem(answer, content))
        return content

    def _wait_s(self, error: ClientError, failures: int) -> float | None:
        """How long to wait before the next try; None where there should be none."""
        jittered = self.backoff.wait_s(failures)
        match error:
            case Unreachable():
                return jittered
            case Conflict(code="conflict") if failures:  # the try whose answer was lost may be at work still
                return jittered
            case Busy(retry_after_s=asked_s):
                wait_s = (asked_s or 0) + jittered
                return wait_s if wait_s <= self.backoff.longest_s + jittered else None
            case _:
                return None


def _said(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problem(answer: aiohttp.ClientResponse, content: bytes) -> Problem:
    """The service's problem document; one of our own where something between us and the service answered."""
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = unknown_problem(answer.status, f"{answer.status} {answer.reason}")
    if problem.retry_after_s is None:
        problem = msgspec.structs.replace(problem, retry_after_s=retry_after_s(answer.headers, answer.status))
    return problem


def retry_after_s(headers: Mapping[str, str], status: int) -> int | None:
    """What the headers of an answer ask for: Retry-After, or the end of the RateLimit's window."""
    asked = headers.get("Retry-After")
    if asked is None:
        window = _RATE_LIMIT.search(headers.get("RateLimit", ""))
        return int(window[1]) if window is not None and status == 429 else None
    if asked.isascii() and asked.isdigit():
        return int(asked)
    try:
        at = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(0, int((at - datetime.now(UTC)).total_seconds()) + 1)
