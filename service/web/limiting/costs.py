"""What requests cost beyond the one token of any, which is the processor time of reading a game, some 0.3 ms.

Each number was measured beside that, and is rounded to the dear side; tests hold every kind of request to it.
"""

__all__ = [
    "AUTH_MESSAGE",
    "SNAPSHOT",
    "SUBSCRIBE_MESSAGE",
    "bot_turn",
    "diffs",
    "diffs_to_socket",
    "drawing",
    "games",
    "replay",
    "replay_to_draw",
    "tokens_shown",
]

DIFFS = 50
"""Diffs that are sent, or told as sentences, for a token."""

GAMES = 5
"""Games of a list that are loaded."""

TOKENS_SHOWN = 10
"""Tokens of a list that are looked for."""

REPLAYED = 20
"""Versions that are played again by the rules."""

REPLAYED_TO_DRAW = 100
"""Versions whose patches are applied, for a token of pictures, which is some 1 ms."""

DRAWN = 4
"""Having a picture drawn by another process, for which a token is some 5 ms."""

PIXELS = 400_000
"""Pixels that are painted there."""

AUTH_MESSAGE = 2
SUBSCRIBE_MESSAGE = 2
"""Messages of sockets that load a game, where the token of any message is some 50 µs."""

SNAPSHOT = 4
"""Sending the whole game over a socket besides."""

DIFFS_TO_SOCKET = 20
"""Diffs that are sent over a socket for a message's token."""

LIGHT_TURN = 4
"""A turn of a bot that thinks in the event loop, where everybody waits: some 3 ms, at 5 ms for a token of bots."""

HEAVY_TURN = 40
"""The same of one that thinks in a process of its own: some 170 ms."""


def bot_turn(*, heavy: bool) -> int:
    """Tokens of bots for a turn of one."""
    return HEAVY_TURN if heavy else LIGHT_TURN


def diffs(number: int) -> int:
    """Tokens for so many diffs."""
    return number // DIFFS


def diffs_to_socket(number: int) -> int:
    """Tokens of messages for so many diffs that are sent over a socket."""
    return number // DIFFS_TO_SOCKET


def games(number: int) -> int:
    """Tokens for so many games of a list."""
    return number // GAMES


def tokens_shown(number: int) -> int:
    """Tokens for so many tokens that are shown at once."""
    return number // TOKENS_SHOWN


def replay(versions: int) -> int:
    """Tokens for so many versions of a game that is played again."""
    return versions // REPLAYED


def replay_to_draw(versions: int) -> int:
    """Tokens of pictures for so many versions of a game whose patches are applied."""
    return versions // REPLAYED_TO_DRAW


def drawing(width: int) -> int:
    """Tokens of pictures for one that is drawn; painting is for those of a width, and they are about as high."""
    return DRAWN + width * width // PIXELS
