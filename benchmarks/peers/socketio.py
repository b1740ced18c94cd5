"""Engine.IO 4 and Socket.IO 5 over a WebSocket: text frames, a digit or two and JSON. Source: their protocol documents.

>>> event("/tiles", "sync", "m1", "0")
b'42/tiles,["sync","m1","0"]'
>>> name(b'42/tiles,["update","m1",{}]', "/tiles")
'update'
"""

from typing import Any

import msgspec

PATH = "/socket.io/?EIO=4&transport=websocket"
PING, PONG = b"2", b"3"
OPEN = b"0"


def join(namespace: str) -> bytes:
    """Asks to be connected to a namespace."""
    return f"40{namespace},".encode()


def event(namespace: str, *arguments: Any) -> bytes:
    """An event, its name first."""
    return f"42{namespace},".encode() + msgspec.json.encode(arguments)


def name(message: bytes, namespace: str) -> str | None:
    """An event's name, without reading what it carries; None where it is no event of the namespace."""
    head = f'42{namespace},["'.encode()
    if not message.startswith(head):
        return None
    return message[len(head) : message.index(b'"', len(head))].decode()
