"""Requests that no client library sends: invalid lines, lengths and encodings, and very large headers."""

import re

from hypothesis import strategies as st

INJECTED = b"x-injected"

CLOSING_REQUEST = b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

SMUGGLED_REQUEST = b"GET /v1/bots HTTP/1.1\r\nHost: x\r\n\r\n"

POST = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

AMBIGUOUS: tuple[bytes, ...] = (
    POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: 2, 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: +2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: 0x2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: 2 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: -0\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: \xc2\xb2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length : 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b" Content-Length: 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer_Encoding: chunked\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n{}\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    POST + b"Transfer-Encoding: chunked\r\n\r\n\r\n{}\r\n0\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\nHost: x\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: x\r\nX\x00: a\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots HTTP/1.1 \r\nHost: x\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET\t/v1/bots\tHTTP/1.1\r\nHost: x\r\n\r\n" + SMUGGLED_REQUEST,
    b"GET /v1/bots\r\n\r\n" + SMUGGLED_REQUEST,
)
"""Requests that two parsers may interpret differently. The service must reject each and close the connection."""

METHODS = st.sampled_from(
    (
        *(b"GET", b"GET", b"POST", b"POST", b"DELETE", b"OPTIONS", b"PUT", b"TRACE", b"CONNECT", b"get", b"G\xc3T"),
        *(b"PRI", b"A" * 300),
    )
)

PATHS = (
    *(b"/", b"/livez", b"/v1/games", b"/v1/bots", b"/v1/tilesets", b"/v1/tilesets/lagoon", b"/openapi.json", b"*"),
    *(b"/v1/games/k7m2x9qd4t1w", b"/v1/games/k7m2x9qd4t1w/actions", b"/v1/ws", b"/v1/games/x/ws", b"/docs", b"/page"),
    *(b"/v1/seats/me/games", b"/v1/tilesets/lagoon/tiles/start.svg", b"/v1/games/x/board.png", b"/readyz"),
)

SUFFIXES = (
    *(b"", b"", b"", b"?", b"?a", b"?limit=1&limit=2", b"?limit=%", b"?limit=%ff", b"?cursor=%00", b"?q=%F0%9F%8F%9D"),
    b"#x",
    *(b"/%0d%0aX-Injected:%201", b"?q=%0d%0aX-Injected:%201", b"/..%2f..%2fetc/passwd", b"/%c0%ae/", b"//", b"/."),
    b";a=b",
    *(b"\xff", b"/%u0041", b"?\xf0\x9f", b"%", b"/%", b"?" + b"a=b&" * 400, b"/" + b"a" * 7000, b"?x=\x7f"),
    b"?status=waiting%00",
)

TARGETS = st.builds(
    lambda origin, path, suffix: origin + path + suffix,
    st.sampled_from(
        (b"", b"", b"", b"http://x", b"http://user:pass@x:80", b"https://evil:99999", b"//", b"x:", b"http://[::1", b"")
    ),
    st.sampled_from(PATHS),
    st.sampled_from(SUFFIXES) | st.binary(max_size=20).map(lambda data: b"?" + re.sub(rb"[\s\x00-\x1f]", b"", data)),
)

VERSIONS = st.sampled_from(
    (b"HTTP/1.1",) * 6
    + (b"HTTP/1.0", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/1.", b"HTTP/1.10", b"http/1.1", b"", b"ICY/1.1")
)

NAMES = (
    *(b"Authorization", b"Accept", b"Accept-Language", b"Accept-Encoding", b"If-Match", b"If-None-Match", b"Prefer"),
    *(b"Idempotency-Key", b"Creator-Key", b"Expect", b"Connection", b"Upgrade", b"Range", b"Content-Encoding"),
    *(b"Api-Key", b"Cookie"),
    *(b"Last-Event-ID", b"X-Forwarded-For", b"Forwarded", b"Content-Type", b"Sec-WebSocket-Key", b"Origin", b"Trailer"),
    *(b"Sec-WebSocket-Version", b"Sec-WebSocket-Extensions", b"Sec-WebSocket-Protocol", b"TE", b"Keep-Alive"),
    b"traceparent",
    *(b"X-Request-Id", b"If-Modified-Since", b"Max-Forwards", b"X-HTTP-Method-Override", b"Content-Location", b"Via"),
    b"Date",
)

VALUES = (
    *(b"", b" ", b"x", b"100-continue", b"keep-alive", b"close", b"upgrade", b"websocket", b"13", b"*", b"*/*"),
    b"\xff\xfe",
    *(b"Bearer ", b"Bearer x", b"Bearer x, y", b"Basic eDp5", b"bearer \x7f", b'"1"', b'W/"1"', b'"1', b'"\xe9"'),
    *(b"1-x", b","),
    *(b"text/event-stream", b"application/json", b"application/json; charset=utf-16", b"image/png;q=0.1", b"gzip"),
    b"br",
    *(b"fr-CA, fr;q=0.9", b"fr;q=1.0001", b"*;q=0", b"x" * 7000, b";" * 500, b"fr," * 600, b"bytes=0-1", b"::1"),
    b"1.2.3.4, x",
    *(b"dGhlIHNhbXBsZSBub25jZQ==", b"permessage-deflate; server_max_window_bits=0", b'for="[::1]:80";proto=https'),
    b"%0d%0aX-Injected: 1",
    *(b"17-" + b"0" * 32, b"9" * 40, b"\t\t", b"a\tb", b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-01"),
    b'return=representation; x="',
)

MAX_HEADER_BYTES = 7900
"""A little less than the service accepts."""

LARGE_VALUES = st.builds(
    lambda prefix, repeated, suffix: (
        prefix + (repeated * MAX_HEADER_BYTES)[: MAX_HEADER_BYTES - len(prefix) - len(suffix)] + suffix
    ),
    st.sampled_from(
        (b"", b"a", b"a;", b'"', b"application/json", b"application/json; ", b"Bearer ", b"for=", b"bytes=", b"=?")
    ),
    st.sampled_from(
        (b" ", b"\t", b";", b",", b"(", b'"', b'\\"', b"a", b"a=", b"a,", b"<", b"-a", b"%", b"=?", b"*", b"'", b"a b ")
    ),
    st.sampled_from((b"", b"x", b'"', b"!", b")")),
)
"""Headers for which a careless parser takes quadratic time, or recurses too deeply."""

HEADERS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES) | LARGE_VALUES), max_size=5)

BODIES = st.sampled_from(
    (
        *(b"", b"", b"{}", b'{"players":[{"name":"Ana"},{"name":"Bo"}]}', b"\xff", b"[" * 5000),
        *(b'{"players":' + b"[{}]" * 3 + b"}", b"\x1f\x8b\x08"),
    )
)

EXTENSIONS = st.sampled_from((b"", b"", b";x", b";x=y", b';x="a;b"', b";" + b"x" * 5000, b";\xff"))


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Draw a request, valid or with several defects."""
    head = b" ".join(part for part in (draw(METHODS), draw(TARGETS), draw(VERSIONS)) if part)
    lines = [head]
    if draw(st.integers(0, 9)):
        lines.append(b"Host: x")
    lines += [name + b": " + value for name, value in draw(HEADERS)]
    body = draw(BODIES)
    match draw(st.sampled_from(("length", "length", "chunks", "none", "short", "trailer"))):
        case "length":
            lines.append(b"Content-Length: %d" % len(body))
            sent = body
        case "short":
            lines.append(b"Content-Length: %d" % (len(body) + 1))
            sent = body
        case "chunks":
            lines.append(b"Transfer-Encoding: chunked")
            sent = _chunked(draw, body) + b"0\r\n\r\n"
        case "trailer":
            lines.append(b"Transfer-Encoding: chunked")
            sent = _chunked(draw, body) + b"0\r\nX-Injected: 1\r\nContent-Length: 9\r\n\r\n"
        case _:
            sent = b""
    end = draw(st.sampled_from((b"\r\n", b"\r\n", b"\r\n", b"\r\n", b"\n")))
    return end.join([*lines, b"", b""]) + sent


def _chunked(draw: st.DrawFn, body: bytes) -> bytes:
    extension = draw(EXTENSIONS)
    size = draw(st.sampled_from((1, 7, 10_000)))
    pieces = [body[start : start + size] for start in range(0, min(len(body), 40 * size), size)]
    return b"".join(b"%x" % len(piece) + extension + b"\r\n" + piece + b"\r\n" for piece in pieces)
