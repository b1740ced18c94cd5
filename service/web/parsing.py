"""Reading what a request asks: its body, its query, its headers. Whatever is wrong with them raises Malformed."""

import asyncio
import re
from typing import TypeVar

import msgspec
from aiohttp import hdrs, web

from schemas.vocabulary import DIGEST
from service.games.access import MIN_SECRET, is_guessable
from service.games.commands.execute import ExpectedVersion
from service.games.errors import Malformed, Unauthorized
from service.web.app_keys import LIMITS
from service.web.connections.protocol import reading_body
from service.web.errors import TooLarge, UnsupportedMediaType
from service.web.problems import malformed

T = TypeVar("T")
Q = TypeVar("Q", bound=msgspec.Struct)

JSON = "application/json"
REPRESENTATION = "return=representation"
MAX_KEY = 255
MAX_BEARERS = 100
MOST_MEDIA_TYPE = 200
MAX_CHUNKS = 1_000
"""That a body may come in (RFC 9112, 7.1): each is as much work as hundreds of bytes."""

_TOKEN68 = r"[A-Za-z0-9._~+/-]{1,200}={0,2}"
"""A token (RFC 9110, 11.2): of these characters and no others, however alike Unicode holds them."""
_ONE_TOKEN = re.compile(_TOKEN68, re.ASCII)
_BEARER = re.compile(rf"bearer +({_TOKEN68})", re.ASCII | re.IGNORECASE)
_BEARERS = re.compile(rf"bearer +({_TOKEN68}(?:[ \t]*,[ \t]*{_TOKEN68})*)", re.ASCII | re.IGNORECASE)
_CREATOR = re.compile(r"[A-Za-z0-9._~+/-]{32,200}={0,2}", re.ASCII)
_KEY = re.compile(rf"[\x20-\x7e]{{1,{MAX_KEY}}}")
_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e]*)"')
_TAGS = re.compile(rf"[ \t]*+(?:{_TAG.pattern})?[ \t]*+(?:,[ \t]*+(?:{_TAG.pattern})?[ \t]*+)*+")
_VERSION = re.compile(rf"(0|[1-9]\d{{0,9}})(?:-({DIGEST})(?:-[a-z]{{2,3}})?)?", re.ASCII)
_OWN_TAG = re.compile(f'"{_VERSION.pattern}"', re.ASCII)


async def read_body(request: web.Request, decoder: msgspec.json.Decoder[T]) -> T:
    """The body in the shape that `decoder` wants. Raises UnsupportedMediaType, TooLarge, Malformed."""
    if request.headers.get("Content-Type") != JSON:
        _check_media_type(request)
    limit = request.app[LIMITS].max_body_bytes
    length = request.content_length
    if length is not None and length > limit:
        raise TooLarge(limit)
    try:
        if length is None or not request.content.is_eof():
            async with asyncio.timeout(request.app[LIMITS].request_timeout_s):
                body = await _receive(request, limit)
            return decoder.decode(body)
        body = request.content.read_nowait()  # it came with the head, as nearly always
        if len(body) > limit:
            raise TooLarge(limit)
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(error) from error
    except TimeoutError as error:
        raise Malformed("the body did not come in time", "$") from error
    except web.RequestPayloadError as error:
        raise Malformed("the body is cut off or wrongly encoded", "$") from error


async def _receive(request: web.Request, limit: int) -> bytes:
    """A body of at most `limit` bytes, as it comes. Raises TooLarge, Malformed, RequestPayloadError."""
    body, chunks = bytearray(), 0
    if request.body_exists:
        with reading_body(request):
            async for data, ended in request.content.iter_chunks():
                body += data
                chunks += ended
                if len(body) > limit:
                    raise TooLarge(limit)
                if chunks > MAX_CHUNKS:
                    raise Malformed(f"a body may come in {MAX_CHUNKS} chunks at most", "$")
    return bytes(body)


async def read_optional_body(request: web.Request, decoder: msgspec.json.Decoder[T]) -> T:
    """The same where no body at all means `{}`."""
    return await read_body(request, decoder) if request.body_exists else decoder.decode(b"{}")


def read_query(request: web.Request, shape: type[Q]) -> Q:
    """The query's parameters; names that nobody knows are ignored. Raises Malformed, its path the parameter's name."""
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in shape.__struct_fields__:
            continue
        if name in given:
            raise Malformed("this parameter is given twice", name)
        given[name] = value
    try:
        asked = msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        wrong = malformed(error)
        raise Malformed(wrong.detail, (wrong.path or "").removeprefix("$.")) from error
    for name in given:
        if getattr(asked, name) is None:  # msgspec takes the word null for it
            raise Malformed("`null` is no value of this parameter", name)
    return asked


def bearer(request: web.BaseRequest) -> str | None:
    """The token, None without one; raises Unauthorized for a header of another form, or several.

    There is no other parser: the access check and the rate limiter must not see two tokens in one header.
    """
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        return None
    found = _BEARER.fullmatch(lines[0]) if len(lines) == 1 else None
    if found is None:
        raise Unauthorized(missing=False)
    return found[1]


def bearers(request: web.BaseRequest) -> list[str]:
    """The tokens of a list, at least one; raises Unauthorized without any, Malformed for too many."""
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        raise Unauthorized(missing=True)
    found = _BEARERS.fullmatch(lines[0]) if len(lines) == 1 else None
    if found is None:
        raise Unauthorized(missing=False)
    tokens = [token.strip(" \t") for token in found[1].split(",")]
    if len(tokens) > MAX_BEARERS:
        raise Malformed(f"a list may have {MAX_BEARERS} tokens at most", "Authorization")
    return tokens


def check_token(text: str) -> None:
    """Raise Unauthorized for what would be no token in a header either."""
    if _ONE_TOKEN.fullmatch(text) is None:
        raise Unauthorized(missing=False)


def creator_key(request: web.Request) -> str | None:
    """The Creator-Key: a secret of 32 to 200 of the characters that tokens are made of, which are random."""
    key = _single(request, "Creator-Key")
    if key is not None and _CREATOR.fullmatch(key) is None:
        raise Malformed("a creator's key is a secret of 32 to 200 of A-Z a-z 0-9 . _ ~ + / -", "Creator-Key")
    if key is not None and is_guessable(key):
        raise Malformed(f"a creator's key must be a secret of {MIN_SECRET} or more random characters", "Creator-Key")
    return key


def idempotency_key(request: web.Request) -> str | None:
    """The Idempotency-Key: 1 to 255 printable ASCII characters."""
    key = _single(request, "Idempotency-Key")
    if key is not None and _KEY.fullmatch(key) is None:
        raise Malformed(f"a key is 1 to {MAX_KEY} printable ASCII characters", "Idempotency-Key")
    return key


def _single(request: web.Request, name: str) -> str | None:
    """A header that may come once; raises Malformed for several, of which others may have looked at another one."""
    lines = request.headers.getall(name, None)
    if lines is None:
        return None
    if len(lines) > 1:
        raise Malformed("this header comes once", name)
    return lines[0]


def if_match(request: web.Request) -> list[ExpectedVersion] | None:
    """The versions that If-Match allows, None for any. Weak tags and those that are not ours match none."""
    lines = request.headers.getall("If-Match", None)
    if lines is None:
        return None
    if len(lines) == 1 and (one := _OWN_TAG.fullmatch(lines[0])):  # nearly always
        return [ExpectedVersion(int(one[1]), one[2])]
    tags = _entity_tags(request, "If-Match")
    if tags is None:
        return None
    expected = []
    for weak, tag in tags:
        version = _VERSION.fullmatch(tag)
        if version and not weak:
            expected.append(ExpectedVersion(int(version[1]), version[2]))
    return expected


def unchanged(request: web.Request, etag: str) -> bool:
    """Whether If-None-Match names what the answer would be (RFC 9110, 13.1.2: weak tags count, `*` does too)."""
    if "If-None-Match" not in request.headers:
        return False
    tags = _entity_tags(request, "If-None-Match")
    return tags is None or any(f'"{tag}"' == etag for _, tag in tags)


def wants_representation(request: web.Request) -> bool:
    """Whether the request prefers the whole GAME in the answer (RFC 7240)."""
    prefer = request.headers.getall("Prefer", ())
    return bool(prefer) and any(
        part.partition(";")[0].replace(" ", "").replace('"', "").lower() == REPRESENTATION
        for line in prefer
        for part in line.split(",")
    )


def _entity_tags(request: web.Request, name: str) -> list[tuple[bool, str]] | None:
    """A list of entity tags, each weak or not; None for `*` and without the header. Raises Malformed."""
    lines = request.headers.getall(name, None)
    if lines is None:
        return None
    text = ",".join(lines)
    if text.strip(" \t") == "*":
        return None
    if _TAGS.fullmatch(text) is None or not (tags := _TAG.findall(text)):
        raise Malformed('an entity tag is written in double quotes, as "17"', name)
    return [(bool(weak), tag) for weak, tag in tags]


def _check_media_type(request: web.Request) -> None:
    """Raise UnsupportedMediaType unless the body calls itself JSON in UTF-8."""
    if len(request.headers.get("Content-Type", "")) > MOST_MEDIA_TYPE:
        raise UnsupportedMediaType  # Python's parser of it takes a second for 8 KB of semicolons
    if request.content_type != JSON or (request.charset or "utf-8").lower() not in {"utf-8", "utf8"}:
        raise UnsupportedMediaType


def path_id(request: web.Request) -> str:
    """The id in the path."""
    return request.match_info["id"]
