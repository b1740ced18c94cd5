"""What requests cost beyond the one token of any, which is the processor time of reading a game, some 0.3 ms.

Each number was measured beside that, and is rounded to the dear side; tests hold every kind of request to it.
"""

__all__ = [
    "ACCESS_TOKENS_PER_TOKEN",
    "AUTH_MESSAGE",
    "DIFFS_PER_TOKEN",
    "DIFFS_TO_SOCKET_PER_TOKEN",
    "HEAVY_BOT_TURN",
    "LIGHT_BOT_TURN",
    "LISTED_GAMES_PER_TOKEN",
    "PATCHED_VERSIONS_PER_TOKEN",
    "PIXELS_PER_TOKEN",
    "RENDERED_PICTURE",
    "REPLAYED_VERSIONS_PER_TOKEN",
    "SNAPSHOT_MESSAGE",
    "SUBSCRIBE_MESSAGE",
]

DIFFS_PER_TOKEN = 50
"""Diffs that are sent, or told as sentences."""

LISTED_GAMES_PER_TOKEN = 5
"""Games of a list that are loaded."""

ACCESS_TOKENS_PER_TOKEN = 10
"""Access tokens of a list that are looked for."""

REPLAYED_VERSIONS_PER_TOKEN = 20
"""Versions that are played again by the rules."""

PATCHED_VERSIONS_PER_TOKEN = 100
"""Versions whose patches are applied, for a token of pictures, which is some 1 ms."""

RENDERED_PICTURE = 4
"""Having a picture drawn by another process, for which a token is some 5 ms."""

PIXELS_PER_TOKEN = 400_000
"""Pixels that are painted there."""

AUTH_MESSAGE = 2
SUBSCRIBE_MESSAGE = 2
"""Messages of sockets that load a game, where the token of any message is some 50 µs."""

SNAPSHOT_MESSAGE = 4
"""Sending the whole game over a socket besides."""

DIFFS_TO_SOCKET_PER_TOKEN = 20
"""Diffs that are sent over a socket, for a message's token."""

LIGHT_BOT_TURN = 4
"""A turn of a bot that thinks in the event loop, where everybody waits: some 3 ms, at 5 ms for a token of bots."""

HEAVY_BOT_TURN = 40
"""The same of one that thinks in a process of its own: some 170 ms."""
