"""Parsing of requests: head, query, the body, which may have to be asked for, and what a client has that reconnects.

Invalid input raises Malformed.
"""

import asyncio
import re
from codecs import BOM_UTF8
from itertools import islice
from typing import TypeVar

import msgspec
from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from multidict import CIMultiDictProxy, istr

from schemas.messages import Version
from schemas.vocabulary import DIGEST, Digest
from service.games.errors import HOW_TO_AUTHENTICATE, Malformed
from service.web import problems
from service.web.app import EXPECTS_CONTINUE, LIMITS, HttpRequest
from service.web.headers import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH

T = TypeVar("T")
Q = TypeVar("Q", bound=msgspec.Struct)

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
MAX_MEDIA_TYPE_LENGTH = 200
MAX_BODY_CHUNKS = 1_000
"""Chunks of one body (RFC 9112, 7.1): each costs as much as hundreds of bytes."""
MAX_FLOATS_BYTES = 4_096
"""Bytes of JSON in which integers may be written as `1.0`: enough for every request, and cheap to decode again."""

_LAST_EVENT_ID = re.compile(f"([0-9]{{1,9}})-({DIGEST})")


SUPPORTED_VERSIONS = (HttpVersion11, HttpVersion10)
"""aiohttp's parser also knows 0.9 and 2.0."""

LIST_HEADERS = (
    hdrs.ACCEPT,
    hdrs.ACCEPT_ENCODING,
    hdrs.ACCEPT_LANGUAGE,
    hdrs.IF_MATCH,
    hdrs.IF_NONE_MATCH,
    istr("Prefer"),
    hdrs.SEC_WEBSOCKET_EXTENSIONS,
    hdrs.SEC_WEBSOCKET_PROTOCOL,
)
"""The lists that are parsed here or by aiohttp, but for Authorization, whose parsers have limits of their own."""

_IDENTITY = re.compile(r"[, \t]*(?:identity[, \t]*)?", re.IGNORECASE)
"""A list of no codings, or of the one that is none (RFC 9110, 8.4)."""

_HOST = re.compile(
    r"(\[([0-9a-f:.]+|v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+)\]|([\w.~!$&'()*+,;=-]++|%[0-9a-f]{2})*+)(:\d*)?",
    re.ASCII | re.IGNORECASE,
)
"""A host and its port (RFC 9110, 7.2; RFC 3986, 3.2.2)."""


def check_head(request: HttpRequest) -> None:
    """Raise Malformed, EncodedBody or UnknownTransferCoding for what no handler could take."""
    headers = request.headers
    _check_lists(headers)
    if "token" in request.query_string and (names := problems.TOKEN_PARAMETERS.intersection(request.query)):
        raise Malformed(f"URLs are stored and logged: {HOW_TO_AUTHENTICATE}", min(names))
    if request.version not in SUPPORTED_VERSIONS:
        raise Malformed("send HTTP/1.1")
    if _HOST.fullmatch(headers.get(hdrs.HOST, "")) is None:
        raise Malformed("it is HOST or HOST:PORT", "Host")
    codings = headers.getall(hdrs.CONTENT_ENCODING, None)
    if codings is not None and request.body_exists and _IDENTITY.fullmatch(",".join(codings)) is None:
        raise problems.EncodedBody
    # Several lines never come here: aiohttp answers 400. As a list they may be legal (RFC 9110, 5.3), but they serve to
    # smuggle requests past a proxy (RFC 9112, 11.2), and the service knows no list of codings anyway.
    if hdrs.TRANSFER_ENCODING in headers and headers[hdrs.TRANSFER_ENCODING].lower() != "chunked":
        raise problems.UnknownTransferCoding


def _check_lists(headers: CIMultiDictProxy[str]) -> None:
    """Raise Malformed if a list is longer than it may be."""
    for name in LIST_HEADERS:
        if name in headers and (
            len(text := ",".join(headers.getall(name))) > MAX_LIST_LENGTH or text.count(",") >= MAX_LIST_ELEMENTS
        ):
            raise Malformed(
                f"the header may have {MAX_LIST_LENGTH} characters and {MAX_LIST_ELEMENTS} elements, in all its lines",
                str(name),
            )


async def read_body(request: HttpRequest, decoder: msgspec.json.Decoder[T]) -> T:
    """Read and decode the body. Raises UnsupportedMediaType, BodyTooLarge, Malformed."""
    if request.headers.get(hdrs.CONTENT_TYPE) != JSON:
        _check_media_type(request)
    limits, content = request.app[LIMITS], request.content
    limit = limits.max_body_bytes
    try:
        if content.is_eof() and hdrs.CONTENT_LENGTH in request.headers:  # the usual case: all has arrived at once
            body = content.read_nowait()
        elif (request.content_length or 0) > limit:
            raise problems.BodyTooLarge(limit)
        else:
            async with asyncio.timeout(limits.request_timeout_s):
                body = await _receive_body(request, limit)
        if len(body) > limit:
            raise problems.BodyTooLarge(limit)
        if not body:
            raise Malformed("the body is empty: send JSON", "$")
        return decode_json(decoder, body.removeprefix(BOM_UTF8))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise problems.to_malformed(error, decoder.type) from error
    except TimeoutError as error:
        raise Malformed("the body was not received in time", "$") from error
    except web.RequestPayloadError as error:
        if request.content.total_bytes > limit:  # the connection may stop a fast client before the handler reads
            raise problems.BodyTooLarge(limit) from error
        raise Malformed("the body is incomplete or not encoded correctly", "$") from error


def decode_json(decoder: msgspec.json.Decoder[T], data: bytes | str) -> T:
    """Decode a body or message. A number with a zero fraction is an integer, as in JSON Schema: `1.0`, `1e0`.

    Raises what msgspec's decoders raise, and Malformed for UTF-16 and UTF-32. Only JSON that was rejected is decoded
    twice, and no more than a client sends whose language has no integers.
    """
    try:
        return decoder.decode(data)
    except msgspec.DecodeError as error:
        if isinstance(data, bytes) and b"\0" in data[:4]:
            raise Malformed("the body is UTF-16 or UTF-32: send UTF-8", "$") from error
        if "got `float`" not in str(error) or len(data) > MAX_FLOATS_BYTES:
            raise
    return msgspec.convert(_UNTYPED.decode(data), decoder.type)


def _parse_float(literal: str) -> float:
    """Return a number with a fraction or an exponent as an integer, if it is one."""
    value = float(literal)
    return int(value) if value.is_integer() else value


_UNTYPED = msgspec.json.Decoder(float_hook=_parse_float)


async def _receive_body(request: HttpRequest, limit: int) -> bytes:
    """Receive a body of at most `limit` bytes. Raises BodyTooLarge, Malformed, RequestPayloadError."""
    body, chunks = bytearray(), 0
    if request.body_exists:
        if expects_continue(request):
            request[EXPECTS_CONTINUE] = False
            await request.writer.write(CONTINUE)
            request.writer.output_size = 0  # so that aiohttp counts only the final response
        async for data, ended in request.content.iter_chunks():
            body += data
            chunks += ended
            if len(body) > limit:
                raise problems.BodyTooLarge(limit)
            if chunks > MAX_BODY_CHUNKS:
                raise Malformed(f"a body may have at most {MAX_BODY_CHUNKS} chunks", "$")
    return bytes(body)


MAX_GUESSED = 16
"""So many parameters are compared with those that the path has, which takes time."""


def read_query(request: HttpRequest, query_type: type[Q]) -> Q:
    """Return the query parameters; an empty value means that the parameter is absent.

    Unknown names are ignored, but for those that are written for something that the service has.

    Raises Malformed with the parameter as its path.
    """
    given, values = request.query, dict[str, str]()
    for name in query_type.__struct_fields__:
        match given.getall(name, []):
            case [_, _, *_]:
                raise Malformed("the query has this parameter more than once", name)
            case [value] if value:
                values[name] = value
    for name in islice(given, MAX_GUESSED) if len(given) > len(values) else ():
        if fix := problems.place_parameter(name, query_type.__struct_fields__):
            raise Malformed(fix, name)
    try:
        query = msgspec.convert(values, query_type, strict=False)
    except msgspec.ValidationError as error:
        invalid = problems.to_malformed(error, query_type)
        raise Malformed(invalid.detail, (invalid.path or "").removeprefix("$.")) from error
    for name in values:
        if getattr(query, name) is None:  # msgspec converts the word null to None
            raise Malformed("`null` is not a valid value", name)
    return query


def _check_media_type(request: HttpRequest) -> None:
    """Raise UnsupportedMediaType unless the Content-Type is JSON in UTF-8."""
    if len(request.headers.get("Content-Type", "")) > MAX_MEDIA_TYPE_LENGTH:
        raise problems.UnsupportedMediaType  # needed until Python parses 8 KB of semicolons in less than 1 s
    if request.content_type != JSON or (request.charset or "utf-8").lower() not in {"utf-8", "utf8"}:
        raise problems.UnsupportedMediaType


def without_expectation(request: HttpRequest) -> HttpRequest:
    """Return a request that has no Expect; `EXPECTS_CONTINUE` says whether it expects 100 Continue.

    A client sends its body only once the request is accepted without it (RFC 9110, 10.1.1). aiohttp would answer before
    any handler runs, so it does not get to see the header. HTTP/1.0 has no interim responses, and any other expectation
    is ignored.
    """
    if hdrs.EXPECT not in request.headers:
        return request
    headers = request.headers.copy()
    expectations = headers.popall(hdrs.EXPECT)
    accepted = request.clone(headers=headers)
    is_waiting = request.version >= HttpVersion11 and "100-continue" in map(str.lower, expectations)
    request[EXPECTS_CONTINUE] = accepted[EXPECTS_CONTINUE] = is_waiting  # the connection has the first request only
    return accepted


def expects_continue(request: HttpRequest) -> bool:
    """Return whether the client waits for 100 Continue with a body of which nothing has arrived."""
    return not request.content.total_bytes and request.get(EXPECTS_CONTINUE, False)


class ResumePoint(msgspec.Struct, frozen=True):
    """What a client says that it has, by its query or an event stream's Last-Event-ID; without `since` nothing."""

    since: Version | None = None
    digest: Digest | None = None


def parse_resume_query(request: HttpRequest) -> ResumePoint:
    """Parse the query. Raises Malformed."""
    return read_query(request, ResumePoint)


def parse_last_event_id(request: HttpRequest) -> ResumePoint:
    """Parse the Last-Event-ID header, or the query if there is none. Raises Malformed."""
    event_id = request.headers.get("Last-Event-ID")
    if not event_id:
        return parse_resume_query(request)
    match = _LAST_EVENT_ID.fullmatch(event_id)
    if match is None:
        raise Malformed("an event's id is VERSION-DIGEST", "Last-Event-ID")
    return ResumePoint(int(match[1]), match[2])
