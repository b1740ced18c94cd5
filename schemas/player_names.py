"""Names of players: normalization, validation, and keys for names that look alike.

Source: api.md, "Ground rules". Invisible characters are Unicode's Default_Ignorable ones and its blanks.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

__all__ = [
    "FORBIDDEN_CATEGORIES",
    "INVISIBLE_CHARACTERS",
    "MAX_NAME_LENGTH",
    "is_visible",
    "name_key",
    "normalize_name",
    "unique_name",
]

MAX_NAME_LENGTH = 32
"""The maximum length of a name, trimmed and NFC."""

FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control and format characters, including zero-width and bidirectional ones, and unassigned code points."""

INVISIBLE_CHARACTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159\U00016fe4"
)
"""Invisible characters of other categories: fillers and the Braille blank."""

VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Characters that select the shape of the previous one, as of an emoji, and are invisible themselves."""

VISIBLE_CATEGORIES = "LNPS"
"""The first letters of the categories that are visible by themselves: not marks, not spaces."""


def is_visible(character: str) -> bool:
    r"""Return whether a character is visible by itself.

    >>> [is_visible(one) for one in ("a", "\u0301", " ", "\u3164")]
    [True, False, False, False]
    """
    return unicodedata.category(character)[0] in VISIBLE_CATEGORIES and character not in INVISIBLE_CHARACTERS


def normalize_name(name: str) -> str:
    r"""Return the name, trimmed and NFC.

    Raises ValueError if it is too long, contains a forbidden character, or no visible one.

    >>> normalize_name(" Ana\u0301 ") == "An\u00e1"
    True
    """
    trimmed = unicodedata.normalize("NFC", name.strip())
    for index, character in enumerate(trimmed):
        if character in INVISIBLE_CHARACTERS or unicodedata.category(character) in FORBIDDEN_CATEGORIES:
            what = "is invisible" if character in INVISIBLE_CHARACTERS else "is a control or format character"
            raise ValueError(f"`name`: character {index + 1} of the name (U+{ord(character):04X}) {what}")
    if not any(map(is_visible, trimmed)):
        raise ValueError("`name`: the name has no visible character")
    if len(trimmed) > MAX_NAME_LENGTH:
        raise ValueError(f"`name`: the NFC form of the name has more than {MAX_NAME_LENGTH} characters")
    return trimmed


def name_key(name: str) -> str:
    r"""Return the key of names that look alike: without case, width, invisible characters and repeated spaces.

    >>> name_key("\uff21na  B") == name_key("ANA\u00a0b")
    True
    """
    shown = "".join(
        " " if character in INVISIBLE_CHARACTERS else character
        for character in name
        if character not in VARIATION_SELECTORS
    )
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown).casefold())
    visible = (character for character in folded if unicodedata.category(character) not in FORBIDDEN_CATEGORIES)
    return " ".join("".join(visible).split())


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number if necessary, so that it does not look like a taken one.

    >>> unique_name("Greedy", ["Ana", "GREEDY"])
    'Greedy 2'
    """
    keys = {name_key(other) for other in taken}
    return next(one for one in _numbered_names(name) if name_key(one) not in keys)


def _numbered_names(name: str) -> Iterator[str]:
    yield name
    for number in count(2):
        end = f" {number}"
        yield name[: MAX_NAME_LENGTH - len(end)].rstrip() + end
