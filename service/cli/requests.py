"""Requests of the commands to a running service."""

import asyncio
from http import HTTPStatus
from typing import Any, TypeVar

import aiohttp
import click
import msgspec

from schemas.base import DECODING_ERRORS
from schemas.problems import Problem

T = TypeVar("T")


TIMEOUT = aiohttp.ClientTimeout(total=30.0)
"""The limit of one request."""

MAX_PAUSE_S = 10
"""The longest wait that a rate limit may ask for; after a longer one the request has failed."""


class RequestFailed(click.ClickException):
    """A service does not answer, or not as requested; the message says why."""


async def fetch(session: aiohttp.ClientSession, url: str, expected: type[T], method: str = "GET", **options: Any) -> T:
    """Return the decoded response of a service, with aiohttp's options of a request. Raises RequestFailed."""
    base = url.partition("/v1/")[0]
    try:
        while True:
            async with session.request(method, url, **options) as response:
                content = await response.read()
            pause_s = response.headers.get("Retry-After", "")
            if response.status != HTTPStatus.TOO_MANY_REQUESTS or pause_s not in map(str, range(MAX_PAUSE_S + 1)):
                break
            await asyncio.sleep(int(pause_s))
        if response.ok:
            return msgspec.json.decode(content, type=expected)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise RequestFailed(f"{base} is unreachable: {str(error) or type(error).__name__}") from error
    except DECODING_ERRORS as error:
        raise RequestFailed(f"{base} is not a South Seas service: {error}") from error
    try:
        detail = msgspec.json.decode(content, type=Problem).detail
    except DECODING_ERRORS:
        detail = f"{response.status} {response.reason}"
    raise RequestFailed(f"{url}: {detail}")
