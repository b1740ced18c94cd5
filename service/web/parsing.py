"""Parsing of requests: body, query and headers. Invalid input raises Malformed."""

import asyncio
import re
from typing import TypeVar

import msgspec
from aiohttp import hdrs, web

from schemas.base import without_bom
from schemas.vocabulary import DIGEST
from service.games.access import MIN_SECRET_LENGTH, is_guessable
from service.games.commands.active_game import ExpectedVersion
from service.games.errors import Malformed
from service.web.app_keys import LIMITS
from service.web.connections.protocol import reading_body
from service.web.errors import BodyTooLarge, UnsupportedMediaType
from service.web.expectations import continue_if_expected
from service.web.headers.bearer_tokens import _parse_single_header
from service.web.headers.negotiation import CODINGS
from service.web.problems import to_malformed

T = TypeVar("T")
Q = TypeVar("Q", bound=msgspec.Struct)

JSON = "application/json"
PREFER_REPRESENTATION = "return=representation"
MAX_IDEMPOTENCY_KEY_LENGTH = 255
MAX_MEDIA_TYPE_LENGTH = 200
MAX_BODY_CHUNKS = 1_000
"""Chunks of one body (RFC 9112, 7.1): each costs as much as hundreds of bytes."""
MAX_FLOATS_BYTES = 4_096
"""Bytes of JSON in which integers may be written as `1.0`: enough for every request, and cheap to decode again."""

CREATOR_KEY = "[A-Za-z0-9._~+/-]{32,200}={0,2}"
IDEMPOTENCY_KEY = "[!-~]([ -~]*[!-~])?"
"""Its length is bounded beside it, by MAX_IDEMPOTENCY_KEY_LENGTH."""

_CREATOR_KEY = re.compile(CREATOR_KEY)
_IDEMPOTENCY_KEY = re.compile(IDEMPOTENCY_KEY)
_ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
ENTITY_TAG_LIST = re.compile(
    rf"[ \t]*+(?:{_ENTITY_TAG.pattern})?[ \t]*+(?:,[ \t]*+(?:{_ENTITY_TAG.pattern})?[ \t]*+)*+"
)
_CODING = f"(?:{'|'.join(coding.value for coding in CODINGS)})"
_CODING_SUFFIX = re.compile(f'-{_CODING}"$')
_GAME_ENTITY_TAG = re.compile(
    rf'(?:W/(?="\d+-))?"(0|[1-9]\d{{0,9}})(?:-({DIGEST})(?:-[a-z]{{2,3}})?(?:-{_CODING})?)?"', re.ASCII
)
"""A version, and its digest with suffixes for a language and a content coding; a weak tag must have the digest."""


async def read_body(request: web.Request, decoder: msgspec.json.Decoder[T]) -> T:
    """Read and decode the body. Raises UnsupportedMediaType, BodyTooLarge, Malformed."""
    if request.headers.get("Content-Type") != JSON:
        _check_media_type(request)
    limits, content = request.app[LIMITS], request.content
    limit = limits.max_body_bytes
    try:
        if content.is_eof() and hdrs.CONTENT_LENGTH in request.headers:  # the usual case: all has arrived at once
            body = content.read_nowait()
        elif (request.content_length or 0) > limit:
            raise BodyTooLarge(limit)
        else:
            async with asyncio.timeout(limits.request_timeout_s):
                body = await _receive_body(request, limit)
        if len(body) > limit:
            raise BodyTooLarge(limit)
        return decode_json(decoder, without_bom(body))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise to_malformed(error) from error
    except TimeoutError as error:
        raise Malformed("the body was not received in time", "$") from error
    except web.RequestPayloadError as error:
        if request.content.total_bytes > limit:  # the connection may stop a fast client before the handler reads
            raise BodyTooLarge(limit) from error
        raise Malformed("the body is incomplete or not encoded correctly", "$") from error


def decode_json(decoder: msgspec.json.Decoder[T], data: bytes | str) -> T:
    """Decode a body or message. A number with a zero fraction is an integer, as in JSON Schema: `1.0`, `1e0`.

    Raises what msgspec's decoders raise. Only JSON that was rejected is decoded twice, and no more than a client sends
    whose language has no integers.
    """
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        if "got `float`" not in str(error) or len(data) > MAX_FLOATS_BYTES:
            raise
    return msgspec.convert(_UNTYPED.decode(data), decoder.type)


def _parse_float(literal: str) -> float:
    """Return a number with a fraction or an exponent as an integer, if it is one."""
    value = float(literal)
    return int(value) if value.is_integer() else value


_UNTYPED = msgspec.json.Decoder(float_hook=_parse_float)


async def _receive_body(request: web.Request, limit: int) -> bytes:
    """Receive a body of at most `limit` bytes. Raises BodyTooLarge, Malformed, RequestPayloadError."""
    body, chunks = bytearray(), 0
    if request.body_exists:
        await continue_if_expected(request)
        with reading_body(request):
            async for data, ended in request.content.iter_chunks():
                body += data
                chunks += ended
                if len(body) > limit:
                    raise BodyTooLarge(limit)
                if chunks > MAX_BODY_CHUNKS:
                    raise Malformed(f"a body may have at most {MAX_BODY_CHUNKS} chunks", "$")
    return bytes(body)


async def read_optional_body(request: web.Request, decoder: msgspec.json.Decoder[T]) -> T:
    """Read and decode the body as `read_body` does; no body means `{}`."""
    return await read_body(request, decoder) if request.body_exists else decoder.decode(b"{}")


def read_query(request: web.Request, query_type: type[Q]) -> Q:
    """Return the query parameters; unknown names are ignored, and an empty value means that the parameter is absent.

    Raises Malformed with the parameter as its path.
    """
    values: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in query_type.__struct_fields__:
            continue
        if name in values:
            raise Malformed("the query has this parameter more than once", name)
        values[name] = value
    values = {name: value for name, value in values.items() if value}
    try:
        query = msgspec.convert(values, query_type, strict=False)
    except msgspec.ValidationError as error:
        invalid = to_malformed(error)
        raise Malformed(invalid.detail, (invalid.path or "").removeprefix("$.")) from error
    for name in values:
        if getattr(query, name) is None:  # msgspec converts the word null to None
            raise Malformed("`null` is not a valid value", name)
    return query


def parse_creator_key(request: web.Request) -> str | None:
    """Return the Creator-Key: a random secret of 32 to 200 token characters. Raises Malformed."""
    key = _parse_single_header(request, "Creator-Key")
    if key is not None and _CREATOR_KEY.fullmatch(key) is None:
        raise Malformed("a creator key is a secret of 32 to 200 characters of A-Z a-z 0-9 . _ ~ + / -", "Creator-Key")
    if key is not None and is_guessable(key):
        raise Malformed(
            f"a creator key must be a secret of {MIN_SECRET_LENGTH} or more random characters", "Creator-Key"
        )
    return key


def parse_idempotency_key(request: web.Request) -> str | None:
    """Return the Idempotency-Key: 1 to 255 printable ASCII characters. Raises Malformed."""
    key = _parse_single_header(request, "Idempotency-Key")
    if key is not None and (len(key) > MAX_IDEMPOTENCY_KEY_LENGTH or _IDEMPOTENCY_KEY.fullmatch(key) is None):
        raise Malformed(
            f"an idempotency key has 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters", "Idempotency-Key"
        )
    return key


def parse_if_match(request: web.Request) -> list[ExpectedVersion] | None:
    """Return the versions that If-Match allows, None for any, empty for none. Foreign entity tags match no version.

    A weak tag counts too if it has the digest, since proxies weaken tags and a digest identifies a state anyway.
    """
    lines = request.headers.getall("If-Match", None)
    if lines is None:
        return None
    if len(lines) == 1 and (match := _GAME_ENTITY_TAG.fullmatch(lines[0])):  # the usual case
        return [ExpectedVersion(int(match[1]), match[2])]
    tags = _parse_entity_tags(request, "If-Match")
    if tags is None:
        return None
    matches = map(_GAME_ENTITY_TAG.fullmatch, tags)
    return [ExpectedVersion(int(match[1]), match[2]) for match in matches if match]


def match_if_none_match(request: web.Request, etag: str) -> str | None:
    """Return the entity tag of If-None-Match that is the response's, or that of its body in a content coding.

    None if there is none. Weak tags and `*` match too (RFC 9110, 13.1.2).
    """
    if "If-None-Match" not in request.headers:
        return None
    tags = _parse_entity_tags(request, "If-None-Match")
    if tags is None:
        return etag
    strong = (tag.removeprefix("W/") for tag in tags)
    return next((tag for tag in strong if _CODING_SUFFIX.sub('"', tag) == etag), None)


def prefers_representation(request: web.Request) -> bool:
    """Return whether the request prefers the whole GAME in the response (RFC 7240)."""
    prefer = request.headers.getall("Prefer", ())
    return bool(prefer) and any(
        part.partition(";")[0].replace(" ", "").replace('"', "").lower() == PREFER_REPRESENTATION
        for line in prefer
        for part in line.split(",")
    )


def _parse_entity_tags(request: web.Request, name: str) -> list[str] | None:
    """Return the entity tags as they are written; None for `*` or no header. Raises Malformed.

    A list may be empty, and so may its elements (RFC 9110, 5.6.1).
    """
    lines = request.headers.getall(name, None)
    if lines is None:
        return None
    text = ",".join(lines)
    if text.strip(" \t") == "*":
        return None
    if ENTITY_TAG_LIST.fullmatch(text) is None:
        raise Malformed('an entity tag is written in double quotes, for example "17"', name)
    return _ENTITY_TAG.findall(text)


def _check_media_type(request: web.Request) -> None:
    """Raise UnsupportedMediaType unless the Content-Type is JSON in UTF-8."""
    if len(request.headers.get("Content-Type", "")) > MAX_MEDIA_TYPE_LENGTH:
        raise UnsupportedMediaType  # needed until Python parses 8 KB of semicolons in less than 1 s
    if request.content_type != JSON or (request.charset or "utf-8").lower() not in {"utf-8", "utf8"}:
        raise UnsupportedMediaType


def get_path_id(request: web.Request) -> str:
    """Return the id in the path."""
    return request.match_info["id"]
