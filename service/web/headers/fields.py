"""The headers that a typed request may have: how each is read, and what the API document says of it."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from schemas.vocabulary import DIGEST
from service.games.access import MIN_SECRET_LENGTH, is_guessable
from service.games.errors import Malformed
from service.games.ports.game_store import Revision
from service.i18n import Language
from service.web.headers.negotiation import CODINGS, negotiate_language
from service.web.problems import to_malformed

__all__ = [
    "IF_NONE_MATCH",
    "MAX_IDEMPOTENCY_KEY_LENGTH",
    "PREFER_REPRESENTATION",
    "CreatorKey",
    "Header",
    "IdempotencyKey",
    "IfMatch",
    "LastEventId",
    "Prefer",
    "PreferredLanguage",
    "SecretIdempotencyKey",
    "match_entity_tag",
]

PREFER_REPRESENTATION = "return=representation"
MAX_IDEMPOTENCY_KEY_LENGTH = 255


class Header(NamedTuple):
    """A header, as the annotation of a request's field."""

    name: str
    text: Any
    """The type of its text, with limits and a description."""
    parse: Callable[[Sequence[str]], Any]
    """Returns the field's value for the lines of the header. Raises Malformed."""


def _list_header(name: str, parse: Callable[[Sequence[str]], Any], description: str, pattern: str = "") -> Header:
    """Return a header that is a list, in any number of lines."""
    return Header(name, Annotated[str, Meta(description=description, pattern=pattern or None)], parse)


def _text_header(name: str, description: str, **limits: Any) -> Header:
    """Return a header of one line that its type describes completely."""
    text: Any = Annotated[str, Meta(description=description, **limits)]

    def parse(lines: Sequence[str]) -> str:
        if len(lines) > 1:  # a proxy may have used another one
            raise Malformed("the request has this header more than once", name)
        try:
            value: str = msgspec.convert(lines[0], text)
        except msgspec.ValidationError as error:
            raise Malformed(to_malformed(error).detail, name) from error
        return value

    return Header(name, text, parse)


_KEY_LIMITS = {"max_length": MAX_IDEMPOTENCY_KEY_LENGTH, "pattern": r"^[!-~]([ -~]*[!-~])?(?!\n)$"}

IdempotencyKey = Annotated[
    str | None,
    _text_header(
        "Idempotency-Key",
        "A key of your choice for this request and its retries: printable ASCII, unique per path and token.",
        min_length=1,
        **_KEY_LIMITS,
    ),
]

SecretIdempotencyKey = Annotated[
    str | None,
    _text_header(
        "Idempotency-Key",
        "A key of your choice for this request and its retries. The tokens are derived from it, so it must be a secret "
        "of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys with "
        "repetitions or sequences are rejected. The key is never stored.",
        min_length=MIN_SECRET_LENGTH,
        **_KEY_LIMITS,
    ),
]

_CREATOR_KEY = _text_header(
    "Creator-Key",
    "A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with "
    "`openssl rand -hex 16`; keys with repetitions or sequences are rejected. `GET /v1/seats/me/games` lists the games "
    "and seats that were created with it.",
    min_length=MIN_SECRET_LENGTH,
    max_length=202,
    pattern=r"^[A-Za-z0-9._~+/-]{32,200}={0,2}(?!\n)$",
)


def _parse_creator_key(lines: Sequence[str]) -> str:
    key: str = _CREATOR_KEY.parse(lines)
    if is_guessable(key):
        raise Malformed(f"a creator key must have {MIN_SECRET_LENGTH} or more random characters", "Creator-Key")
    return key


CreatorKey = Annotated[str | None, _CREATOR_KEY._replace(parse=_parse_creator_key)]

_ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"')
_ENTITY_TAGS = re.compile(rf"[ \t]*+(?:{_ENTITY_TAG.pattern})?[ \t]*+(?:,[ \t]*+(?:{_ENTITY_TAG.pattern})?[ \t]*+)*+")
_CODING = f"(?:{'|'.join(coding.value for coding in CODINGS)})"
_CODING_SUFFIX = re.compile(f'-{_CODING}"$')
_GAME_ENTITY_TAG = re.compile(
    rf'(?:W/(?="\d+-))?"(0|[1-9]\d{{0,9}})(?:-({DIGEST})(?:-[a-z]{{2,3}})?(?:-{_CODING})?)?"', re.ASCII
)
"""A version, and its digest with suffixes for a language and a content coding; a weak tag must have the digest."""

_DOCUMENTED_TAGS = rf"^(\*|{_ENTITY_TAGS.pattern.replace('*+', '*').replace('(?:', '(')})$"
"""RE2 needs no possessive quantifiers."""


def _parse_if_match(lines: Sequence[str]) -> list[Revision] | None:
    """Return the versions that If-Match allows, None for any, empty for none. Foreign entity tags match no version.

    A weak tag counts too if it has the digest, since proxies weaken tags and a digest identifies a state anyway.
    """
    if len(lines) == 1 and (match := _GAME_ENTITY_TAG.fullmatch(lines[0])):  # the usual case
        return [Revision(int(match[1]), match[2] or "")]
    tags = _parse_entity_tags(lines, "If-Match")
    if tags is None:
        return None
    matches = map(_GAME_ENTITY_TAG.fullmatch, tags)
    return [Revision(int(match[1]), match[2] or "") for match in matches if match]


def match_entity_tag(lines: Sequence[str], etag: str) -> str | None:
    """Return the entity tag of If-None-Match that is the response's, or that of its body in a content coding.

    None if there is none. Weak tags and `*` match too (RFC 9110, 13.1.2). Raises Malformed.
    """
    tags = _parse_entity_tags(lines, "If-None-Match")
    if tags is None:
        return etag
    strong = (tag.removeprefix("W/") for tag in tags)
    return next((tag for tag in strong if _CODING_SUFFIX.sub('"', tag) == etag), None)


def _parse_entity_tags(lines: Sequence[str], name: str) -> list[str] | None:
    """Return the entity tags as they are written; None for `*`. Raises Malformed.

    A list may be empty, and so may its elements (RFC 9110, 5.6.1).
    """
    text = ",".join(lines)
    if text.strip(" \t") == "*":
        return None
    if _ENTITY_TAGS.fullmatch(text) is None:
        raise Malformed('an entity tag is written in double quotes, for example "17"', name)
    return _ENTITY_TAG.findall(text)


IfMatch = Annotated[
    list[Revision] | None,
    _list_header(
        "If-Match",
        _parse_if_match,
        'The versions that the game must have for the request to be applied: a list of `"VERSION-DIGEST"` or '
        '`"VERSION"`, for example `"17"`, or `*` for any. Suffixes of a tag and a preceding `W/` are ignored.',
        _DOCUMENTED_TAGS,
    ),
]

IF_NONE_MATCH = _list_header(
    "If-None-Match",
    list,
    "The `ETag` of the client's copy; the response is 304 if the copy is current.",
    _DOCUMENTED_TAGS,
)
"""The header of every GET whose response has an entity tag, which is compared once that is known."""


def _prefers_representation(lines: Sequence[str]) -> bool:
    return any(
        part.partition(";")[0].replace(" ", "").replace('"', "").lower() == PREFER_REPRESENTATION
        for line in lines
        for part in line.split(",")
    )


Prefer = Annotated[
    bool,
    _list_header(
        "Prefer",
        _prefers_representation,
        f"`{PREFER_REPRESENTATION}` adds the whole GAME to the response (RFC 7240).",
    ),
]
"""Whether the request prefers the whole GAME in the response."""

PreferredLanguage = Annotated[
    Language,
    _list_header(
        "Accept-Language",
        negotiate_language,
        "The preferred languages of texts, for example `fr-CA, fr;q=0.9, en;q=0.5`; the default is English.",
    ),
]

LastEventId = Annotated[
    str | None,
    _list_header(
        "Last-Event-ID",
        ",".join,
        "`VERSION-DIGEST` of the last event received: the event stream continues after it.",
    ),
]
"""What an event stream reads itself: a page of the log has no use for it."""
