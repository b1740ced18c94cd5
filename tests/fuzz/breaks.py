"""What no client may send on a socket, and the codes that it is closed with; what aiohttp lets pass is not here.

That is: a frame without a mask, a control frame that says that it is compressed, what is compressed and cut off, and
the codes 1006 and from 5000 on. None of it does the service any harm.
"""

import zlib
from collections.abc import Callable

from tests.fuzz import frames
from tests.fuzz.frames import CLOSE, CONTINUATION, DEFLATED, FINAL, PING, TEXT, encode_frame

Break = Callable[[int, bool], tuple[bytes, set[int]]]

BREAKS: dict[str, Break] = {
    "rsv2": lambda _, __: (encode_frame(TEXT, b"{}", flags=FINAL | 0x20), {1002}),
    "rsv3": lambda _, __: (encode_frame(TEXT, b"{}", flags=FINAL | 0x10), {1002}),
    "compressed, or not agreed": lambda _, agreed: (
        encode_frame(TEXT, b"\xff\xff\xff", flags=FINAL | DEFLATED),
        {1000} if agreed else {1002},
    ),
    "unknown kind": lambda _, __: (encode_frame(0x3, b"x"), {1002}),
    "unknown control": lambda _, __: (encode_frame(0xB, b"x"), {1002}),
    "long control": lambda _, __: (encode_frame(PING, b"x" * 126), {1002}),
    "control in parts": lambda _, __: (encode_frame(PING, b"x", flags=0), {1002}),
    "continuation of none": lambda _, __: (encode_frame(CONTINUATION, b"x"), {1002}),
    "text within text": lambda _, __: (encode_frame(TEXT, b"{", flags=0) + encode_frame(TEXT, b"}"), {1002}),
    "compressed continuation": lambda _, __: (
        encode_frame(TEXT, b"{", flags=0) + encode_frame(CONTINUATION, b"}", flags=FINAL | DEFLATED),
        {1002},
    ),
    "no utf-8": lambda _, __: (encode_frame(TEXT, b"\xff\xfe"), {1007}),
    "no utf-8 over two": lambda _, __: (
        encode_frame(TEXT, b"\xc3", flags=0) + encode_frame(CONTINUATION, b"("),
        {1007},
    ),
    "surrogate": lambda _, __: (encode_frame(TEXT, b"\xed\xa0\x80"), {1007}),
    "too large": lambda most, _: (encode_frame(TEXT, b" " * (most + 1)), {1009}),
    "claims all there is": lambda _, __: (encode_frame(TEXT, b"", length=2**63 - 1), {1009}),
    "claims more than there is": lambda _, __: (encode_frame(TEXT, b"", length=2**64 - 1), {1009, 1002}),
    "large in parts": lambda most, _: (
        encode_frame(TEXT, b" " * most, flags=0) + encode_frame(CONTINUATION, b"  "),
        {1009},
    ),
    "bomb": lambda most, agreed: (
        encode_frame(TEXT, frames.deflate(b" " * (50 * most)), flags=FINAL | DEFLATED),
        {1009} if agreed else {1002},
    ),
    "other compression": lambda _, agreed: (
        encode_frame(TEXT, zlib.compress(b'{"type":"ping"}'), flags=FINAL | DEFLATED),
        {1000} if agreed else {1002},
    ),
    "close of one byte": lambda _, __: (encode_frame(CLOSE, b"\x03"), {1002}),
    "close with no code": lambda _, __: (encode_frame(CLOSE, (1005).to_bytes(2)), {1002}),
    "close with 0": lambda _, __: (encode_frame(CLOSE, (0).to_bytes(2)), {1002}),
    "close with no utf-8": lambda _, __: (encode_frame(CLOSE, (1000).to_bytes(2) + b"\xff"), {1007}),
    "close": lambda _, __: (encode_frame(CLOSE, (1001).to_bytes(2) + b"going"), {1000}),
    "close without a word": lambda _, __: (encode_frame(CLOSE, b""), {1000}),
    "close, then more": lambda _, __: (encode_frame(CLOSE, b"") + encode_frame(TEXT, b"{}") * 100, {1000}),
    "another http request": lambda _, __: (b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", {1002}),
}
"""By name: bytes that end the socket, and the codes that it may be closed with."""
