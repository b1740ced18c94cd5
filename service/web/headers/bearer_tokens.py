"""Bearer tokens of the Authorization header (RFC 6750): the only parser, for authentication and rate limits alike."""

import re
from hashlib import blake2b
from typing import NamedTuple

from aiohttp import hdrs, web
from multidict import istr

from service.games.errors import Malformed, Unauthorized
from service.web.client_ip import HASH_BYTES
from service.web.connections.protocol import get_connection

__all__ = [
    "API_KEY_HEADER",
    "BearerToken",
    "check_token",
    "make_token_id",
    "parse_api_key",
    "parse_bearer_tokens",
    "read_bearer_token",
]

MAX_BEARER_TOKENS = 100

_TOKEN68 = r"[A-Za-z0-9._~+/-]{1,200}={0,2}"
"""A token (RFC 9110, 11.2): ASCII only. Only the word before it is matched without case, which is faster."""
_TOKEN = re.compile(_TOKEN68, re.ASCII)
_BEARER = re.compile(rf"(?i:bearer) {{1,8}}({_TOKEN68})", re.ASCII)
"""A header whose size is bounded, since connections cache it."""
_BEARER_LIST = re.compile(rf"(?i:bearer) +({_TOKEN68}(?:[ \t]*,[ \t]*{_TOKEN68})*)", re.ASCII)


class BearerToken(NamedTuple):
    """The token of an Authorization header."""

    text: str | None
    """None without the header."""
    id: bytes
    """What stands for it in rate limits."""
    lines: list[str]
    """The lines of the header."""


_TOKEN_HASH = blake2b(digest_size=HASH_BYTES, person=b"token")
"""The hash of no text yet: to copy it takes half the time of creating another."""


def make_token_id(token: str) -> bytes:
    """Return the hash of a token: a memory dump must reveal no tokens, and tokens may be long."""
    token_hash = _TOKEN_HASH.copy()
    token_hash.update(token.encode())
    return token_hash.digest()


NO_TOKEN = BearerToken(None, b"", [])


def read_bearer_token(request: web.BaseRequest) -> BearerToken:
    """Return the bearer token, NO_TOKEN without an Authorization header. Raises Unauthorized for any other header.

    Most clients send the same header with every request of a connection, so the connection caches the last one.
    """
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        return NO_TOKEN
    connection = get_connection(request)
    token = connection.bearer_token
    if token is None or token.lines != lines:
        match = _BEARER.fullmatch(lines[0]) if len(lines) == 1 else None
        if match is None:
            raise Unauthorized(missing=False)
        token = connection.bearer_token = BearerToken(match[1], make_token_id(match[1]), lines)
    return token


def parse_bearer_tokens(request: web.BaseRequest) -> list[str]:
    """Return the bearer tokens of a list, at least one. Raises Unauthorized without a token, Malformed for too many."""
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        raise Unauthorized(missing=True)
    match = _BEARER_LIST.fullmatch(lines[0]) if len(lines) == 1 else None
    if match is None:
        raise Unauthorized(missing=False)
    tokens = [token.strip(" \t") for token in match[1].split(",")]
    if len(tokens) > MAX_BEARER_TOKENS:
        raise Malformed(f"the header may have at most {MAX_BEARER_TOKENS} tokens", "Authorization")
    return tokens


def check_token(token: str) -> None:
    """Raise Unauthorized unless the text is a valid token of an Authorization header."""
    if _TOKEN.fullmatch(token) is None:
        raise Unauthorized(missing=False)


API_KEY_HEADER = istr("Api-Key")


def parse_api_key(request: web.BaseRequest) -> str | None:
    """Return the secret in the header Api-Key, whatever its form. Raises Malformed for several of them."""
    first, *others = request.headers.getall(API_KEY_HEADER, (None,))
    if others:  # a proxy may have used another one
        raise Malformed("the request has this header more than once", "Api-Key")
    return first
