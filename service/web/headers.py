"""The headers of requests: how each is read, and what the API document says of it.

Accept, Accept-Encoding and Accept-Language have weights (RFC 9110, 12.4.2 and 12.5). Headers that are lists (5.6.1) are
bounded, all their lines together, before any of them is parsed.

Bearer tokens of the Authorization header (RFC 6750) have one parser, for authentication and rate limits alike.

Browsers send no token on their own, so a page of another origin opens only what its user has a token for. By default
every origin may, as with CORS; operators may name those that may, this service's own among them. The request's Host
does not count: a page whose name was made to point here (DNS rebinding) sends its own. Programs send no Origin.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple

import msgspec
from aiohttp import hdrs, web
from msgspec import Meta
from multidict import CIMultiDictProxy, istr

from schemas.vocabulary import DIGEST
from service.games.access import MIN_SECRET_LENGTH, is_guessable
from service.games.api_key import SECRET_PREFIX
from service.games.errors import Malformed, NoOwnGames, Unauthorized
from service.games.ports import Revision
from service.i18n import ENGLISH, LANGUAGES, Language
from service.web.app import HttpRequest
from service.web.client_ip import HASH_BYTES, BearerToken
from service.web.connection import get_connection
from service.web.problems import MethodNotAllowed, NoSuchPath, OriginNotAllowed, error_response, to_malformed
from service.web.response_heads import WholeResponse

MAX_LIST_LENGTH = 2_000
MAX_LIST_ELEMENTS = 64
"""Characters and elements of a list, in all its lines; a list that is parsed earlier is cut there."""


def join_lines(lines: Sequence[str]) -> str:
    """Return the lines of a header as one, cut after a whole element if it is too long."""
    text = ",".join(lines)
    return text if len(text) <= MAX_LIST_LENGTH else text[:MAX_LIST_LENGTH].rpartition(",")[0]


CODINGS = (web.ContentCoding.gzip, web.ContentCoding.deflate)
"""The content codings of responses, the preferred one first."""

_WEIGHT = re.compile(r"[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


def parse_weights(header: str) -> dict[str, float]:
    """Return the weight of each element of a header, by its name in lower case; invalid weights are ignored.

    >>> parse_weights("text/html;level=1, application/json; q=0.5, */*;q=0")
    {'text/html': 1.0, 'application/json': 0.5, '*/*': 0.0}
    """
    weights: dict[str, float] = {}
    for element in header.split(",")[:MAX_LIST_ELEMENTS]:
        name, *parameters = (part.strip() for part in element.lower().split(";"))
        weight = _WEIGHT.fullmatch(next((one for one in parameters if one.startswith("q=")), "q=1"))
        if name and weight:
            weights[name] = max(weights.get(name, 0.0), float(weight[1]))
    return weights


@lru_cache(maxsize=256)
def negotiate_coding(accepted: str) -> web.ContentCoding | None:
    """Return the content coding that an Accept-Encoding prefers; None for none, or if it accepts no other."""
    weights = parse_weights(accepted)
    default = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: weights.get(coding.value, default))
    weight = weights.get(best.value, default)
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else None


def prefers_media_type(request: web.BaseRequest, media_type: str, default: str) -> bool:
    """Return whether the client prefers a media type to the default one.

    With equal weights it does if it names the type, and the default one only by a wildcard.
    """
    lines = request.headers.getall(hdrs.ACCEPT, None)
    return lines is not None and _prefers(join_lines(lines), media_type, default)


@lru_cache(maxsize=256)
def _prefers(accepted: str, media_type: str, default: str) -> bool:
    weights = parse_weights(accepted)
    rank = _rank(weights, media_type)
    return rank[0] > 0 and rank > _rank(weights, default)


def _rank(weights: dict[str, float], media_type: str) -> tuple[float, int]:
    """Return the weight of a media type, and how precisely the client names it."""
    ranges = ("*/*", f"{media_type.partition('/')[0]}/*", media_type)
    return next(((weights[one], ranges.index(one)) for one in reversed(ranges) if one in weights), (0.0, 0))


def add_vary(response: web.Response, name: str) -> web.Response:
    """Add the name of a request header to `Vary`."""
    varied = response.headers.get("Vary")
    response.headers["Vary"] = f"{varied}, {name}" if varied else name
    return response


def negotiate_language(lines: Sequence[str]) -> Language:
    """Return the supported language that the lines of Accept-Language prefer; English if they accept none.

    `fr-CA` matches `fr`, `*` matches every language that is not named, and `q=0` excludes one. Invalid ranges are
    ignored.
    """
    return _negotiate(join_lines(lines))


def set_content_language(response: web.Response, language: str) -> web.Response:
    """Add `Content-Language`, and `Accept-Language` to `Vary`."""
    response.headers["Content-Language"] = language
    return add_vary(response, hdrs.ACCEPT_LANGUAGE)


@lru_cache(maxsize=256)
def _negotiate(accepted: str) -> Language:
    """Return the supported language that a header prefers."""
    weights: dict[str, float] = {}
    for name, weight in parse_weights(accepted).items():
        language = name.partition("-")[0] if weight else name
        weights[language] = max(weights.get(language, 0.0), weight)
    default = weights.get("*", 0.0)
    best = max(LANGUAGES, key=lambda language: weights.get(language, default))
    return best if weights.get(best, default) else ENGLISH


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
    """Return a header of one line that its type describes completely: by both lengths and a pattern."""
    text: Any = Annotated[str, Meta(description=description, **limits)]
    lengths, matches = range(limits["min_length"], limits["max_length"] + 1), re.compile(limits["pattern"]).match

    def parse(lines: Sequence[str]) -> str:
        if len(lines) > 1:  # a proxy may have used another one
            raise Malformed("the request has this header more than once", name)
        if len(lines[0]) not in lengths or matches(lines[0]) is None:
            try:
                msgspec.convert(lines[0], text)  # says what is wrong, and takes longer
            except msgspec.ValidationError as error:
                raise Malformed(to_malformed(error, text).detail, name) from error
        return lines[0]

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
        "of 32 or more random characters of printable ASCII, for example from `openssl rand -hex 16`. Keys that "
        "repeat themselves, or consist of words, numbers and dates, are rejected. The key is never stored.",
        min_length=MIN_SECRET_LENGTH,
        **_KEY_LIMITS,
    ),
]

_CREATOR_KEY = _text_header(
    "Creator-Key",
    "A random secret of a client that creates games for others, such as a chat bot. Create it once, for example with "
    "`openssl rand -hex 16`; keys that repeat themselves, or consist of words, numbers and dates, are rejected. "
    "`GET /v1/seats/me/games` lists the games and seats that were created with it.",
    min_length=MIN_SECRET_LENGTH,
    max_length=202,
    pattern=r"^[A-Za-z0-9._~+/-]{32,200}={0,2}(?!\n)$",
)


def _parse_creator_key(lines: Sequence[str]) -> str:
    key: str = _CREATOR_KEY.parse(lines)
    if is_guessable(key):
        raise Malformed(f"send {MIN_SECRET_LENGTH} random characters (`openssl rand -hex 16`)", "Creator-Key")
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
        return [Revision(int(match[1]), bytes.fromhex(match[2] or ""))]
    tags = _parse_entity_tags(lines, "If-Match")
    if tags is None:
        return None
    matches = map(_GAME_ENTITY_TAG.fullmatch, tags)
    return [Revision(int(match[1]), bytes.fromhex(match[2] or "")) for match in matches if match]


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
        "Prefer", _prefers_representation, f"`{PREFER_REPRESENTATION}` adds the whole GAME to the response (RFC 7240)."
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
        "Last-Event-ID", ",".join, "`VERSION-DIGEST` of the last event received: the event stream continues after it."
    ),
]
"""What an event stream reads itself: a page of the log has no use for it."""


MAX_BEARER_TOKENS = 100

_TOKEN68 = r"[A-Za-z0-9._~+/-]{1,200}={0,2}"
"""A token (RFC 9110, 11.2): ASCII only. Only the word before it is matched without case, which is faster."""
_TOKEN = re.compile(_TOKEN68, re.ASCII)
_BEARER = re.compile(rf"(?i:bearer) {{1,8}}({_TOKEN68})", re.ASCII)
"""A header whose size is bounded, since connections cache it."""
_BEARER_LIST = re.compile(rf"(?i:bearer) +({_TOKEN68}(?:[ \t]*,[ \t]*{_TOKEN68})*)", re.ASCII)


_TOKEN_HASH = blake2b(digest_size=HASH_BYTES, person=b"token")
"""The hash of no text yet: to copy it takes half the time of creating another."""


def make_token_id(token: str) -> bytes:
    """Return the hash of a token: a memory dump must reveal no tokens, and tokens may be long."""
    token_hash = _TOKEN_HASH.copy()
    token_hash.update(token.encode())
    return token_hash.digest()


_PLACEHOLDERS = frozenset({"undefined", "null", "none", "nil", "token", "secret"})
"""What clients send whose variable has no value, or who copy an example."""

NO_TOKEN = BearerToken(None, b"", [])


def read_bearer_token(request: web.BaseRequest) -> BearerToken:
    """Return the bearer token, NO_TOKEN without an Authorization header. Raises Unauthorized for any other header.

    Most clients send the same header with every request of a connection, so the connection caches the last one.
    """
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        return NO_TOKEN
    connection = get_connection(request)
    token = connection.bearer_token
    if token is None or token.lines != lines:
        match = _BEARER.fullmatch(lines[0]) if len(lines) == 1 else None
        if match is None:
            raise Unauthorized(missing=False, is_malformed=True)
        check_token(match[1])
        token = connection.bearer_token = BearerToken(match[1], make_token_id(match[1]), lines)
    return token


def parse_bearer_tokens(request: web.BaseRequest) -> list[str]:
    """Return the bearer tokens of a list, at least one. Raises NoOwnGames without one, Malformed for too many."""
    lines = request.headers.getall(hdrs.AUTHORIZATION, None)
    if lines is None:
        raise NoOwnGames(missing=True)
    match = _BEARER_LIST.fullmatch(lines[0]) if len(lines) == 1 else None
    if match is None:
        raise Unauthorized(missing=False, is_malformed=True)
    tokens = [token.strip(" \t") for token in match[1].split(",")]
    check_token(tokens[0])
    if len(tokens) > MAX_BEARER_TOKENS:
        raise Malformed(f"the header may have at most {MAX_BEARER_TOKENS} tokens", "Authorization")
    return tokens


def check_token(token: str) -> None:
    """Raise Unauthorized unless the text is a valid token of an Authorization header."""
    if token.lower() in _PLACEHOLDERS:
        raise Unauthorized(missing=False, placeholder=token)
    if token.startswith(SECRET_PREFIX):
        raise Unauthorized(missing=False, is_api_key=True)
    if _TOKEN.fullmatch(token) is None:
        raise Unauthorized(missing=False, is_malformed=True)


def find_misspellings(names: Iterable[str]) -> dict[str, str]:
    """Return the headers by what clients write for them, in lower case: with `X-`, with another separator or none.

    >>> sorted(find_misspellings(["If-Match"]))
    ['if-match', 'if_match', 'ifmatch', 'x-if-match', 'x_if_match', 'xifmatch']
    """
    return {
        f"{prefix}{name}".lower().replace("-", separator): name
        for name in names
        for prefix in ("", "X-")
        for separator in ("-", "_", "")
    }


def check_spelling(headers: CIMultiDictProxy[str], names: Mapping[str, str]) -> None:
    """Raise Malformed for a header that is written for one of `names` which the request does not have."""
    for written in headers:
        name = names.get(written.lower())
        if name is not None and name not in headers:
            raise Malformed(f"send it as the header {name}", str(written))


API_KEY_HEADER = istr("Api-Key")


def parse_api_key(request: web.BaseRequest) -> str | None:
    """Return the secret in the header Api-Key, whatever its form. Raises Malformed for several of them."""
    first, *others = request.headers.getall(API_KEY_HEADER, (None,))
    if others:  # a proxy may have used another one
        raise Malformed("the request has this header more than once", "Api-Key")
    return first


REQUESTED_HEADERS = istr("Access-Control-Request-Headers")
REQUESTED_METHOD = istr("Access-Control-Request-Method")
PREFLIGHT_MAX_AGE_S = 7200

_ORIGIN = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?|null", re.IGNORECASE)

ALL_ORIGINS = ("*",)

MAX_SHOWN_CHARACTERS = 100
"""Characters of an origin that an error message shows."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header or a method."""


def parse_origins(text: str) -> tuple[str, ...]:
    """Return the origins of a text, separated by commas, or ALL_ORIGINS. Raises ValueError.

    >>> parse_origins("https://example.org, null"), parse_origins("*")
    (('https://example.org', 'null'), ('*',))
    """
    origins = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if origins in {ALL_ORIGINS, ()}:
        return ALL_ORIGINS
    for origin in origins:
        if _ORIGIN.fullmatch(origin) is None:
            raise ValueError(
                f"{origin} is not an origin: write https://example.org, null or *, with commas between several"
            )
    return origins


def parse_frame_ancestors(text: str) -> tuple[str, ...]:
    """Return the origins of a text, which may stand for all below a domain. Raises ValueError.

    >>> parse_frame_ancestors("https://discord.com, https://*.example.org")
    ('https://discord.com', 'https://*.example.org')
    """
    parse_origins(text.replace("://*.", "://"))
    return tuple(text.replace(",", " ").split())


def check_origin(request: HttpRequest, allowed: tuple[str, ...]) -> None:
    """Raise OriginNotAllowed for a page of another origin than the allowed ones."""
    origin = request.headers.get("Origin")
    if allowed != ALL_ORIGINS and origin is not None and origin.lower() not in allowed:
        raise OriginNotAllowed(origin[:MAX_SHOWN_CHARACTERS])


def service_url(request: HttpRequest) -> str | None:
    """Return the service's URL as the client of a request has it; None without a host, as in HTTP/1.0.

    A proxy that ends TLS says so. No text needs an escape for it, and no shared cache may store a response with it.
    """
    is_secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
    origin = f"http{'s' * is_secure}://{request.headers.get(hdrs.HOST, '')}"
    return f"{origin}{request.base_path}" if _ORIGIN.fullmatch(origin) else None


def options_response(request: HttpRequest, error: NoSuchPath | MethodNotAllowed) -> web.Response:
    """Return the response to OPTIONS, also for the preflight of a browser's request to another origin.

    Pages may send any header: their tracing, for example, adds `baggage` to each request. `*` would not allow
    Authorization (Fetch, 4.8), so the preflight lists those that it was asked for. It is answered for unknown paths and
    methods too, so that the page can read the problem of the request itself.
    """
    allowed = error.allowed if isinstance(error, MethodNotAllowed) else ""
    method = request.headers.get(REQUESTED_METHOD, "")
    if not allowed and not method:
        return error_response(error, request)
    methods = [allowed, *(_NAME.findall(method)[:1] if method not in allowed.split(", ") else [])]
    headers = {
        "Access-Control-Allow-Methods": ", ".join(filter(None, methods)),
        "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
    }
    if allowed:
        headers["Allow"] = allowed
    if requested := _NAME.findall(join_lines(request.headers.getall(REQUESTED_HEADERS, ()))):
        headers["Access-Control-Allow-Headers"] = ", ".join(requested)
    return WholeResponse(status=204, headers=headers)
