"""Names of players that the service accepts, made of whatever users call themselves."""

import unicodedata
from collections.abc import Iterable
from itertools import count

__all__ = ["player_name", "unique_name"]

MAX_LENGTH = 32

FORBIDDEN_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Control and format characters, line separators, and unassigned code points."""

INVISIBLE_CHARACTERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159\U00016fe4"
"""Fillers and blanks of other categories."""

VISIBLE_CATEGORIES = "LNPS"
"""The first letters of the categories that are visible by themselves: not marks, not spaces."""


def player_name(name: str) -> str:
    r"""Return a display name as a valid player name: 1 to 32 characters, one visible, no control or format ones.

    >>> player_name("Zo\u200de\n"), player_name("\u3164")
    ('Zoe', '?')
    """
    allowed = "".join(
        character
        for character in unicodedata.normalize("NFC", name)
        if character not in INVISIBLE_CHARACTERS and unicodedata.category(character) not in FORBIDDEN_CATEGORIES
    )
    short = unicodedata.normalize("NFC", allowed).strip()[:MAX_LENGTH].strip()
    return short if any(unicodedata.category(character)[0] in VISIBLE_CATEGORIES for character in short) else "?"


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return a valid name, with a number if necessary, so that it does not look like a taken one.

    >>> unique_name("Ana", ["Bo", "ANA"])
    'Ana 2'
    """
    keys = {_look(other) for other in taken}
    if _look(name) not in keys:
        return name
    numbered = (name[: MAX_LENGTH - len(f" {number}")].rstrip() + f" {number}" for number in count(2))
    return next(one for one in numbered if _look(one) not in keys)


def _look(name: str) -> str:
    """Return what names that look alike have in common: no case, width, variants of characters or repeated spaces."""
    shown = "".join(character for character in name if not _is_variation_selector(character))
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown).casefold()).split())


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
