"""What a client sends over HTTP, cut into requests: aiohttp gets one at a time.

What follows a request is not passed on until that is answered. So a connection knows where each head begins and ends,
pipelined requests do not pile up, and one that is malformed does not cost those before it their responses.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from aiohttp import EMPTY_PAYLOAD, HttpVersion11, StreamReader, hdrs, web

from service.web.app_keys import EXPECTS_CONTINUE

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's head; aiohttp limits its lines."""

END_OF_HEAD = b"\r\n\r\n"
"""What a head ends with, and a chunked body too."""

NO_HEAD = b"\0\r\n\r\n"
"""What no head contains: aiohttp answers 400."""

MAX_FRAMING_BYTES = 65_536
"""Bytes beside a body: chunk sizes, extensions, trailers."""

MAX_DRAINED_BYTES = 65_536
"""Bytes of a body that are read after its response, so that the client sees the response and keeps the connection."""

MAX_BODY_LENGTH = 2**63
"""Stands for the length of what has none, as a CONNECT."""


class RequestReader:
    """The requests of one connection."""

    __slots__ = (
        "_body_length",
        "_max_received_bytes",
        "_parsed",
        "body",
        "has_ended",
        "head_started_at",
        "is_answered",
        "is_buffer_full",
        "pending",
        "received_bytes",
    )

    def __init__(self, parsed: deque[tuple[Any, StreamReader]], max_body_bytes: int) -> None:
        self._parsed = parsed
        """The requests that aiohttp has parsed and that no handler has taken yet, each with its body."""
        self._max_received_bytes = max_body_bytes + MAX_FRAMING_BYTES
        """Bytes of a request that are read."""
        self.pending = bytearray()
        """What has arrived and was not passed on: it belongs to the next request, or a buffer is full."""
        self.body: StreamReader = EMPTY_PAYLOAD
        """The body of the newest request, which is empty if it has none."""
        self._body_length: int | None = None
        """Its bytes; None if it is chunked."""
        self.is_answered = True
        """Whether the newest request is answered; its body may still be arriving."""
        self.head_started_at = 0.0
        """When an incomplete head began; 0 if there is none."""
        self.received_bytes = 0
        """Bytes of the newest request, its head included."""
        self.is_buffer_full = False
        """Whether aiohttp takes no more bytes of a body, until a handler has read some."""
        self.has_ended = False
        """Whether nothing more arrives."""

    def is_waiting(self) -> bool:
        """Return whether the connection waits for its next request, or for the rest of its head."""
        return self.is_answered and self.body.is_eof()

    def read(self, parse: Callable[[bytes], None]) -> None:
        """Have aiohttp parse what belongs to the current request, or to the next if that is answered."""
        pending = self.pending
        while pending and not self.is_buffer_full and (size := self._next_size()):
            data = bytes(pending[:size])
            del pending[:size]
            self.pass_on(data, parse)
        if self.has_ended and not pending and not self.is_buffer_full and not self.body.is_eof():
            self.body.set_exception(web.RequestPayloadError("the body ended early"))

    def _next_size(self) -> int:
        """Return how many of the pending bytes are passed on next: at most to the end of a head or a body."""
        pending = self.pending
        if self.is_waiting():
            if not self.head_started_at:
                if pending[0] in END_OF_HEAD:  # empty lines before a request (RFC 9112, 2.2)
                    pending[:] = pending.lstrip(END_OF_HEAD)
                    return self._next_size() if pending else 0
                self.head_started_at = asyncio.get_running_loop().time()
                self.received_bytes = 0
            end = pending.find(END_OF_HEAD, 0, MAX_HEAD_BYTES - self.received_bytes)
            if end < 0 and self.received_bytes + len(pending) > MAX_HEAD_BYTES:
                return MAX_HEAD_BYTES - self.received_bytes
        elif self.body.is_eof() or self.received_bytes > self._max_received_bytes:
            return 0
        elif self._body_length is not None:
            return min(len(pending), self._body_length - self.body.total_bytes)
        else:
            end = pending.rfind(END_OF_HEAD)
        if end >= 0:
            return end + len(END_OF_HEAD)
        if self.has_ended:
            return len(pending)
        return len(pending) - next((size for size in (3, 2, 1) if pending.endswith(END_OF_HEAD[:size])), 0)

    def pass_on(self, data: bytes, parse: Callable[[bytes], None]) -> None:
        """Have aiohttp parse data, and see what it found; without data, it goes on with what it has."""
        self.received_bytes += len(data)
        parsed_before = len(self._parsed)
        parse(data)
        if self.head_started_at and self.received_bytes >= MAX_HEAD_BYTES and len(self._parsed) == parsed_before:
            parse(NO_HEAD)
        if len(self._parsed) > parsed_before:
            if not self.body.is_eof():
                # aiohttp found an invalid chunk, and reports it only to the next handler, not to the waiting one.
                self.body.set_exception(web.RequestPayloadError("no chunk"))
            message, self.body = self._parsed[-1]
            self._body_length = None
            if not self.body.is_eof() and not message.chunked:  # with a body, the message is no error
                self._body_length = int(message.headers.get(hdrs.CONTENT_LENGTH, MAX_BODY_LENGTH))
            self.is_answered, self.head_started_at = False, 0.0
        elif self.received_bytes > self._max_received_bytes and not self.body.is_eof():
            self.body.set_exception(web.RequestPayloadError("too much data beside the body"))


def is_last_request(request: web.BaseRequest, response: web.StreamResponse) -> bool:
    """Return whether no other request can follow this one, so that the connection closes after its response.

    None follows a body of which much is missing: each chunk is work, however small, and chunked bodies have no
    known end; nor a body that was not asked for, which may never be sent (RFC 9110, 10.1.1). An HTTP/1.0 client
    reads to the end what has no length, and may mean something else by chunks (RFC 9112, 6.1).
    """
    if request.version < HttpVersion11 and (
        response.content_length is None or hdrs.TRANSFER_ENCODING in request.headers
    ):
        return True
    body, length = request.content, request.content_length
    return not body.is_eof() and (
        length is None
        or length - body.total_bytes > MAX_DRAINED_BYTES
        or (body.total_bytes == 0 and request.get(EXPECTS_CONTINUE, False))
    )
