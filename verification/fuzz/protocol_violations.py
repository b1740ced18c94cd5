"""Violations of the WebSocket protocol, and close frames, each with the codes with which the service may answer.

aiohttp accepts truncated compressed data, which does the service no harm and is missing here.
"""

import zlib
from collections.abc import Callable

from verification.fuzz import frames
from verification.fuzz.frames import CLOSE, CONTINUATION, DEFLATED, FINAL, PING, TEXT, encode_frame

ProtocolViolation = Callable[[int, bool], tuple[bytes, set[int]]]

PROTOCOL_VIOLATIONS: dict[str, ProtocolViolation] = {
    "rsv2": lambda _, __: (encode_frame(TEXT, b"{}", flags=FINAL | 0x20), {1002}),
    "rsv3": lambda _, __: (encode_frame(TEXT, b"{}", flags=FINAL | 0x10), {1002}),
    "invalid deflate data": lambda _, is_deflating: (
        encode_frame(TEXT, b"\xff\xff\xff", flags=FINAL | DEFLATED),
        {1007} if is_deflating else {1002},
    ),
    "unknown opcode": lambda _, __: (encode_frame(0x3, b"x"), {1002}),
    "unknown control opcode": lambda _, __: (encode_frame(0xB, b"x"), {1002}),
    "long control": lambda _, __: (encode_frame(PING, b"x" * 126), {1002}),
    "fragmented control": lambda _, __: (encode_frame(PING, b"x", flags=0), {1002}),
    "continuation without a start": lambda _, __: (encode_frame(CONTINUATION, b"x"), {1002}),
    "text within a fragmented text": lambda _, __: (
        encode_frame(TEXT, b"{", flags=0) + encode_frame(TEXT, b"}"),
        {1002},
    ),
    "compressed continuation": lambda _, __: (
        encode_frame(TEXT, b"{", flags=0) + encode_frame(CONTINUATION, b"}", flags=FINAL | DEFLATED),
        {1002},
    ),
    "invalid utf-8": lambda _, __: (encode_frame(TEXT, b"\xff\xfe"), {1007}),
    "invalid utf-8 over two frames": lambda _, __: (
        encode_frame(TEXT, b"\xc3", flags=0) + encode_frame(CONTINUATION, b"("),
        {1007},
    ),
    "surrogate": lambda _, __: (encode_frame(TEXT, b"\xed\xa0\x80"), {1007}),
    "too large": lambda max_bytes, _: (encode_frame(TEXT, b" " * (max_bytes + 1)), {1009}),
    "largest length": lambda _, __: (encode_frame(TEXT, b"", length=2**63 - 1), {1009}),
    "length out of range": lambda _, __: (encode_frame(TEXT, b"", length=2**64 - 1), {1009, 1002}),
    "too large in fragments": lambda max_bytes, _: (
        encode_frame(TEXT, b" " * max_bytes, flags=0) + encode_frame(CONTINUATION, b"  "),
        {1009},
    ),
    "decompression bomb": lambda max_bytes, is_deflating: (
        encode_frame(TEXT, frames.deflate(b" " * (50 * max_bytes)), flags=FINAL | DEFLATED),
        {1009} if is_deflating else {1002},
    ),
    "zlib instead of deflate": lambda _, is_deflating: (
        encode_frame(TEXT, zlib.compress(b'{"type":"ping"}'), flags=FINAL | DEFLATED),
        {1007} if is_deflating else {1002},
    ),
    "close of one byte": lambda _, __: (encode_frame(CLOSE, b"\x03"), {1002}),
    "close with a reserved code": lambda _, __: (encode_frame(CLOSE, (1005).to_bytes(2)), {1002}),
    "close with 0": lambda _, __: (encode_frame(CLOSE, (0).to_bytes(2)), {1002}),
    "close with invalid utf-8": lambda _, __: (encode_frame(CLOSE, (1000).to_bytes(2) + b"\xff"), {1007}),
    "close with 1006": lambda _, __: (encode_frame(CLOSE, (1006).to_bytes(2)), {1002}),
    "close with 5000": lambda _, __: (encode_frame(CLOSE, (5000).to_bytes(2)), {1002}),
    "close": lambda _, __: (encode_frame(CLOSE, (1001).to_bytes(2) + b"going"), {1001}),
    "close without a code": lambda _, __: (encode_frame(CLOSE, b""), {1005}),
    "close, then more": lambda _, __: (encode_frame(CLOSE, b"") + encode_frame(TEXT, b"{}") * 100, {1005}),
    "unmasked": lambda _, __: (encode_frame(TEXT, b"{}", mask=None), {1002}),
    "unmasked close": lambda _, __: (encode_frame(CLOSE, b"", mask=None), {1002}),
    "compressed ping": lambda _, __: (encode_frame(PING, b"", flags=FINAL | DEFLATED), {1002}),
    "an http request": lambda _, __: (b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", {1002}),
}
"""By name: a function of the maximum message size, and of whether compression is negotiated, that returns the bytes to
send and the allowed close codes."""
