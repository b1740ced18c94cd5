r"""Names of players: normalization, validation, and keys by which the names of a game must differ.

Python 3.11 knows Unicode 14, Python 3.14 Unicode 16. All give the same answers: younger characters are accepted as they
are, and never changed.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import count

__all__ = [
    "FORBIDDEN_CATEGORIES",
    "INVISIBLE",
    "MAX_NAME_LENGTH",
    "UNICODE_14",
    "InvalidName",
    "is_visible",
    "name_key",
    "normalize_name",
    "unique_name",
]


class InvalidName(ValueError):
    """A name may not be used: `text` says why, to be filled in with `values`."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(f"`name`: {text.format(**values)}")
        self.text, self.values = text, values


MAX_NAME_LENGTH = 32
"""The maximum length of a name, as it is sent and in NFC."""

UNICODE_14 = re.compile(
    "[^"
    "\u0897\u0cf3\u0ece\u1b4e-\u1b4f\u1b7f\u1c89-\u1c8a\u2427-\u2429\u2ffc-\u2fff\u31e4-\u31ef\ua7cb-\ua7cd"
    "\ua7da-\ua7dc\U000105c0-\U000105f3\U00010d40-\U00010d8f\U00010ec2-\U00010eff\U0001123f-\U00011241"
    "\U00011380-\U000113e2\U000116d0-\U000116e3\U00011b00-\U00011bf9\U00011f00-\U00011f5a\U0001342f"
    "\U00013439-\U000143fa\U00016100-\U00016139\U00016d40-\U00016d79\U00018cff\U0001b132\U0001b155"
    "\U0001cc00-\U0001ceb3\U0001d2c0-\U0001d2d3\U0001df25-\U0001df2a\U0001e030-\U0001e08f\U0001e4d0-\U0001e5ff"
    "\U0001f6dc\U0001f774-\U0001f77f\U0001f7d9\U0001f8b2-\U0001f8c1\U0001fa75-\U0001fa77\U0001fa87-\U0001fa8f"
    "\U0001faad-\U0001faaf\U0001fabb-\U0001fabf\U0001fac6-\U0001facf\U0001fada-\U0001fadf\U0001fae8-\U0001fae9"
    "\U0001faf7-\U0001faf8\U0001fbcb-\U0001fbef\U0002b739\U0002ebf0-\U0002ee5d\U00031350-\U000323af"
    "]+"
)
"""Characters that are the same in Unicode 14 to 16, and those that are in none of them."""

FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Control and format characters, including zero-width and bidirectional ones, surrogates and private use."""

INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufdd0-\ufdef\ufff0-\ufffc"
    "\U00013439-\U0001343f\U00013441\U00013442\U00016fe4\U0001d159\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Invisible characters of other categories: fillers, the Braille blank, stand-ins for objects, and reserved ones."""

VISIBLE_CATEGORIES = "LNPS"
"""The first letters of the categories that are visible by themselves: not marks, not spaces."""

JOINERS = "\u200c\u200d"
"""The zero-width non-joiner and joiner, which some letters and emoji need between them."""

VIRAMA_CLASS = 9
"""The combining class of the signs that join consonants in the scripts of India and its neighbours."""

_IGNORED = re.compile(f"[{JOINERS}\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Joiners, and variation selectors, which select the shape of the previous character, as of an emoji."""

_CURSIVE = "\u0600-\u08ff\u1800-\u18af\U00010d00-\U00010d3f\U0001e900-\U0001e95f"
"""Scripts whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Rohingya and Adlam."""

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001fbff"

_JOINED = re.compile(f"[{_CURSIVE}][{JOINERS}][{_CURSIVE}]|[{_EMOJI}\ufe0f]\u200d[{_EMOJI}]")


def is_visible(character: str) -> bool:
    r"""Return whether a character is visible by itself.

    >>> [is_visible(one) for one in ("a", "\u0301", " ", "\u3164")]
    [True, False, False, False]
    """
    if UNICODE_14.fullmatch(character) is None:
        return True
    return unicodedata.category(character)[0] in VISIBLE_CATEGORIES and INVISIBLE.fullmatch(character) is None


def normalize_name(name: str) -> str:
    r"""Return the name, trimmed and NFC.

    Raises InvalidName if it is too long, contains a forbidden character, or no visible one.

    >>> normalize_name(" Ana\u0301 ") == "An\u00e1"
    True
    """
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidName("the name has more than {number} characters", number=MAX_NAME_LENGTH)
    trimmed = _change(name.strip(), _to_nfc)
    for index in range(len(trimmed)):
        _check_character(trimmed, index)
    if not any(map(is_visible, trimmed)):
        raise InvalidName("the name has no visible character")
    if len(trimmed) > MAX_NAME_LENGTH:
        raise InvalidName("the NFC form of the name has more than {number} characters", number=MAX_NAME_LENGTH)
    return trimmed


def name_key(name: str) -> str:
    r"""Return the key of names that count as the same: they differ in case, width, spaces or invisible characters only.

    >>> name_key("\uff21na  B") == name_key("ANA\u00a0b")
    True
    """
    shown = _IGNORED.sub("", name)
    return " ".join(_change(shown, _fold).split())


def _check_character(name: str, index: int) -> None:
    """Raise InvalidName if a name may not have the character at an index."""
    character, number = name[index], index + 1
    code = f"U+{ord(character):04X}"
    if character in JOINERS:
        if not _is_joined(name, index):
            raise InvalidName("character {number} of the name ({code}) joins nothing", number=number, code=code)
    elif INVISIBLE.fullmatch(character):
        raise InvalidName("character {number} of the name ({code}) is invisible", number=number, code=code)
    elif unicodedata.category(character) in FORBIDDEN_CATEGORIES or ord(character) & 0xFFFE == 0xFFFE:
        raise InvalidName(
            "character {number} of the name ({code}) is a control or format character", number=number, code=code
        )


def _is_joined(name: str, index: int) -> bool:
    """Return whether the joiner at an index is between letters or emoji that it changes.

    Beside a virama as in RFC 5892, A.1 and A.2; before one in Bengali and Kannada (The Unicode Standard, 12.1).
    """
    around = name[max(index - 1, 0) : index + 2]
    return _JOINED.fullmatch(around) is not None or any(
        UNICODE_14.fullmatch(neighbor) and unicodedata.combining(neighbor) == VIRAMA_CLASS for neighbor in around
    )


def _change(name: str, change: Callable[[str], str]) -> str:
    """Change what is the same in every supported version of Unicode."""
    return UNICODE_14.sub(lambda known: change(known[0]), name)


def _to_nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number if necessary, so that it does not count as a taken one.

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
