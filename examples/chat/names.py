"""Names of players: as users write them, or without what the service refuses."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from typing import TypeVar

from south_seas import BadRequestError

__all__ = ["plain_name", "send_names", "unique_names"]

T = TypeVar("T")

MAX_LENGTH = 32

FILLERS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
"""Letters and symbols that are invisible."""

UNSEEN = re.compile("[\\s\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
"""Spaces, joiners and variation selectors: names that differ in these only look alike."""


async def send_names(names: Sequence[str], taken: Sequence[str], send: Callable[[list[str]], Awaitable[T]]) -> T:
    """Send a request with the names of users; with plain ones if the service refuses one of them."""
    try:
        return await send(unique_names([_shorten(name) for name in names], taken))
    except BadRequestError as error:
        if not (error.problem.path or "").endswith(".name"):
            raise
        return await send(unique_names([plain_name(name) for name in names], taken))


def plain_name(name: str) -> str:
    r"""Return a name of visible characters and spaces only, which the service accepts.

    >>> plain_name("Zoe\u0308\u202e\n"), plain_name("\u3164")
    ('Zoë', '?')
    """
    visible = (one for one in unicodedata.normalize("NFC", name) if _is_visible(one) or one == " ")
    return _shorten("".join(visible)) or "?"


def unique_names(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names, with numbers where necessary, so that none looks like another one or a taken one.

    >>> unique_names(["Ana", "Bo"], ["Cy", "ANA"])
    ['Ana 2', 'Bo']
    """
    unique: list[str] = []
    skeletons = {_skeleton(other) for other in taken}
    for name in names:
        unique.append(next(one for one in _numbered(name) if _skeleton(one) not in skeletons))
        skeletons.add(_skeleton(unique[-1]))
    return unique


def _numbered(name: str) -> Iterator[str]:
    yield name
    for end in (f" {number}" for number in count(2)):
        yield name[: MAX_LENGTH - len(end)].rstrip() + end


def _shorten(name: str) -> str:
    sendable = name.encode(errors="replace").decode()  # a lone surrogate is no text
    return sendable.strip()[:MAX_LENGTH].strip()


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in FILLERS


def _skeleton(name: str) -> str:
    """Return what names that look alike have in common: no case, no width, nothing unseen."""
    folded = unicodedata.normalize("NFKC", UNSEEN.sub("", name)).casefold()
    return UNSEEN.sub("", unicodedata.normalize("NFKC", folded))
