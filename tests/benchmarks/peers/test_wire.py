"""What goes over the sockets of the measured servers, byte for byte."""

import struct

import pytest

from benchmarks.peers import socketio, wire
from benchmarks.peers.colyseus import message


def served(payload: bytes, kind: int = wire.TEXT) -> bytes:
    """A server's frame: as a client's, without mask."""
    sent = wire.frame(kind, payload)
    head = len(sent) - len(payload) - len(wire.NO_MASK)
    return bytes((sent[0], sent[1] & 0x7F)) + sent[2:head] + payload


@pytest.mark.parametrize(
    ("length", "head"),
    (
        (0, b"\x81\x80"),
        (125, b"\x81\xfd"),
        (126, b"\x81\xfe" + struct.pack(">H", 126)),
        (65_535, b"\x81\xfe" + struct.pack(">H", 65_535)),
        (65_536, b"\x81\xff" + struct.pack(">Q", 65_536)),
    ),
)
def test_a_frame_tells_its_length_as_rfc_6455_says(length: int, head: bytes) -> None:
    assert wire.frame(wire.TEXT, b"a" * length) == head + b"\0\0\0\0" + b"a" * length


@pytest.mark.parametrize("length", (0, 125, 126, 65_535, 65_536))
def test_frames_are_split_wherever_they_were_cut(length: int) -> None:
    payload = b"b" * length
    data = served(payload) + served(b"last", wire.BINARY)
    for cut in {0, 1, 2, 5, length, len(data) - 1}:
        first, rest = wire.split(data[:cut])
        second, left = wire.split(rest + data[cut:])
        assert (first + second, left) == ([(wire.TEXT, payload), (wire.BINARY, b"last")], b"")


def test_events_are_socket_ios() -> None:
    assert socketio.join("/tiles") == b"40/tiles,"
    sent = socketio.event("/tiles", "update", {"type": "MAKE_MOVE"}, 3, "m1", "0")
    assert sent == b'42/tiles,["update",{"type":"MAKE_MOVE"},3,"m1","0"]'
    assert socketio.name(sent, "/tiles") == "update"
    assert socketio.name(sent, "/chess") is None
    assert socketio.name(socketio.PING, "/tiles") is None


def test_messages_are_colyseuss() -> None:
    assert message("place", [7, 3]) == b"\x0d\xa5place\x92\x07\x03"
