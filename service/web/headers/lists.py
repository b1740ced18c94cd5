"""Headers that are lists (RFC 9110, 5.6.1): all their lines together are bounded before any of them is parsed."""

from collections.abc import Sequence

from aiohttp import hdrs
from multidict import CIMultiDictProxy, istr

from service.games.errors import Malformed

__all__ = ["MAX_LIST_ELEMENTS", "MAX_LIST_LENGTH", "check_lists", "join_lines"]

MAX_LIST_LENGTH = 2_000
MAX_LIST_ELEMENTS = 64
"""Characters and elements of a list, in all its lines; a list that is parsed earlier is cut there."""

LIST_HEADERS = (
    hdrs.ACCEPT,
    hdrs.ACCEPT_ENCODING,
    hdrs.ACCEPT_LANGUAGE,
    hdrs.IF_MATCH,
    hdrs.IF_NONE_MATCH,
    istr("Prefer"),
    hdrs.SEC_WEBSOCKET_EXTENSIONS,
    hdrs.SEC_WEBSOCKET_PROTOCOL,
)
"""The lists that are parsed here or by aiohttp, but for Authorization, whose parsers have limits of their own."""


def check_lists(headers: CIMultiDictProxy[str]) -> None:
    """Raise Malformed if a list is longer than it may be."""
    for name in LIST_HEADERS:
        lines = headers.getall(name, None)
        if lines is not None and _is_too_long(lines):
            raise Malformed(
                f"the header may have {MAX_LIST_LENGTH} characters and {MAX_LIST_ELEMENTS} elements, in all its lines",
                str(name),
            )


def join_lines(lines: Sequence[str]) -> str:
    """Return the lines of a header as one, cut after a whole element if it is too long."""
    text = ",".join(lines)
    return text if len(text) <= MAX_LIST_LENGTH else text[:MAX_LIST_LENGTH].rpartition(",")[0]


def _is_too_long(lines: Sequence[str]) -> bool:
    return sum(map(len, lines)) > MAX_LIST_LENGTH or sum(line.count(",") + 1 for line in lines) > MAX_LIST_ELEMENTS
