"""What requests cost beyond their first token, which stands for the CPU time of reading a game, some 0.3 ms.

Each cost was measured relative to that and rounded up; `tests/security/test_costs.py` checks every kind of request.
"""

__all__ = [
    "ACCESS_TOKENS_PER_TOKEN",
    "AUTH_MESSAGE",
    "BYTES_PER_TOKEN",
    "DIFFS_PER_TOKEN",
    "DIFFS_TO_SOCKET_PER_TOKEN",
    "FRAMES_PER_TOKEN",
    "HEAVY_BOT_TURN",
    "LIGHT_BOT_TURN",
    "LISTED_GAMES_PER_TOKEN",
    "MESSAGE_BYTES_PER_TOKEN",
    "PATCHED_VERSIONS_PER_TOKEN",
    "PIXELS_PER_TOKEN",
    "RECEIVED_BYTES_PER_TOKEN",
    "RENDERED_PICTURE",
    "REPLAYED_VERSIONS_PER_TOKEN",
    "SNAPSHOT_MESSAGE",
    "SUBSCRIBE_MESSAGE",
]

RECEIVED_BYTES_PER_TOKEN = 4_096
"""Bytes of a request, its body and what frames it: they are parsed.

The dearest are chunks of one byte each, and seats of a new game.
"""

MESSAGE_BYTES_PER_TOKEN = 512
"""Bytes of a WebSocket message, inflated: a token for messages is a sixth of one for requests."""

FRAMES_PER_TOKEN = 64
"""Frames that a WebSocket receives, empty ones too."""

BYTES_PER_TOKEN = 65_536
"""Bytes of a response."""

DIFFS_PER_TOKEN = 50
"""Diffs that are sent, or described in sentences."""

LISTED_GAMES_PER_TOKEN = 5
"""Games of a list that are loaded."""

ACCESS_TOKENS_PER_TOKEN = 10
"""Access tokens of a list that are looked up."""

REPLAYED_VERSIONS_PER_TOKEN = 20
"""Versions that are replayed by the rules."""

PATCHED_VERSIONS_PER_TOKEN = 100
"""Versions whose patches are applied, for a token of pictures, which stands for some 1 ms."""

RENDERED_PICTURE = 4
"""Rendering a picture in another process, where a token stands for some 5 ms."""

PIXELS_PER_TOKEN = 400_000
"""Pixels that are painted there."""

AUTH_MESSAGE = 2
SUBSCRIBE_MESSAGE = 2
"""WebSocket messages that load a game; the first token of a message stands for some 50 µs."""

SNAPSHOT_MESSAGE = 4
"""Sending the snapshot of a game over a WebSocket, in addition."""

DIFFS_TO_SOCKET_PER_TOKEN = 20
"""Diffs that are sent over a WebSocket, for a token of a message."""

LIGHT_BOT_TURN = 4
"""A turn of a bot that runs in the event loop: some 3 ms; a token of bots stands for 5 ms."""

HEAVY_BOT_TURN = 40
"""A turn of a bot that runs in a process of its own: some 170 ms."""
