"""Whether a secret that a client chose is evidently none: tokens are made of it, or games are found by it.

What is random cannot be told from what only looks so. What repeats itself, counts, or has hardly any different
characters can be told, and is what people type who want to get on.
"""

from collections import Counter
from itertools import pairwise
from math import log2

__all__ = ["MIN_SECRET", "is_guessable"]

MIN_SECRET = 32
"""Characters of a secret at least: 128 random bits as hexadecimal digits."""

MIN_BITS = 60.0
"""As `_bits` counts them: of 100,000 random secrets of 32 decimal digits all had 66 or more, of hexadecimal ones 87."""

MAX_STEPS = 0.75
"""Share of characters that follow the one before in the alphabet, or repeat it, up to which that may be chance."""


def is_guessable(secret: str) -> bool:
    """Whether this is evidently no secret of random characters.

    >>> is_guessable("a" * 40), is_guessable("tides-and-islands-" * 3), is_guessable("abcdefghijklmnopqrstuvwxyz012345")
    (True, True, True)
    >>> is_guessable("6e2f0c9b8d4a7153f0e1d2c3b4a59687")
    False
    """
    if len(secret) < MIN_SECRET:
        return True
    steps = sum(abs(ord(one) - ord(other)) <= 1 for one, other in pairwise(secret))
    return steps > MAX_STEPS * (len(secret) - 1) or _bits(secret) < MIN_BITS


def _bits(text: str) -> float:
    """How many bits it would take to tell its characters, if each were drawn as often as it occurs (Shannon).

    What was there before, three characters or more of it, tells nothing new.
    """
    share = -sum(number * log2(number / len(text)) for number in Counter(text).values()) / len(text)
    return share * (2 + len({text[start : start + 3] for start in range(len(text) - 2)}))
