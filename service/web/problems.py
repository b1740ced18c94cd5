"""Errors of the web layer, and the mapping from all errors to the problems of the API (RFC 9457)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import ceil
from typing import Any

import msgspec
from aiohttp import web
from aiohttp.http_exceptions import (
    BadHttpMethod,
    BadStatusLine,
    InvalidHeader,
    InvalidURLError,
    LineTooLong,
    PayloadEncodingError,
)

from schemas.base import encode_json
from schemas.player_names import InvalidName
from schemas.problems import MEDIA_TYPE, Problem, problem
from service.engine import Message
from service.games import errors as games
from service.games.due_work import record_failure
from service.games.errors import ServiceError
from service.games.ports import GameOfLaterRelease, RateLimit, StoreUnavailable, UnreadableGame
from service.i18n import ENGLISH, Language, get_translator
from service.telemetry.metrics import PROBLEMS, STORE_UNAVAILABLE
from service.web.app import HttpRequest
from service.web.response_heads import WholeResponse


class WebError(ServiceError):
    """Base of the web layer's errors; nothing was changed."""


class BodyTooLarge(WebError, code="too_large", text="the body may have at most {limit} bytes"):
    """The body has more than `limit` bytes."""

    limit: int


class TargetTooLong(WebError, code="uri_too_long", text="path and query may have at most {limit} bytes"):
    """Path and query have more than `limit` bytes."""

    limit: int


class UnsupportedMediaType(
    WebError, code="unsupported_media_type", text="send Content-Type: application/json, in UTF-8"
):
    """The Content-Type is not application/json."""


class UpgradeRequired(
    WebError,
    code="upgrade_required",
    text="open a WebSocket of version 13 here; proxies must pass the headers Upgrade and Connection on",
):
    """The request is no upgrade to a WebSocket, or to another version than 13."""


class EncodedBody(WebError, code="unsupported_media_type", text="send the body without a Content-Encoding"):
    """The body has another Content-Encoding than identity."""


class UnknownTransferCoding(WebError, code="not_implemented", text="send the body with no transfer coding but chunked"):
    """The body has another transfer coding than chunked (RFC 9112, 6.1)."""


class NoSuchPath(WebError, code="not_found", text="there is no such path{hint}"):
    """The service has no such path; `hint` says which may have been meant."""

    hint: str = ""


class MethodNotAllowed(WebError, code="method_not_allowed", text="{method} is not one of {allowed}{hint}"):
    """The path does not have this method; `allowed` is the value of the Allow header, `hint` names paths nearby."""

    method: str
    allowed: str
    hint: str = ""


class NoSuchPiece(WebError, code="not_found", text="the tile set has no {piece}{hint}"):
    """The tile set has no tile or ship with this id; `hint` says which may have been meant."""

    piece: str
    hint: str


class NoSuchVersion(WebError, code="not_found", text="the game has no version {requested}: the latest is {latest}"):
    """The game has not reached the requested version."""

    requested: int
    latest: int


class TooManyWaiting(WebError, code="rate_limited", text="{limit} {what} wait already: retry"):
    """As many requests as `limit` wait for a picture to be drawn or a game to be replayed; `what` names which."""

    retry_after_s = 1

    what: str
    limit: int


class RenderingFailed(
    WebError,
    code="instance_unavailable",
    text="this picture could not be drawn: retry later, or request another size or region",
):
    """A picture could not be drawn; `reason` is for the log."""

    reason: str
    retry_after_s = 60
    """The renderer does not try it before."""


class RateLimited(
    WebError,
    code="rate_limited",
    text="over the limit of {policy}, {rate.quota} in {rate.window_s} s: retry in {wait}",
):
    """A client sends too many requests: its bucket of a policy is empty for `retry_after_s` seconds."""

    policy: str
    retry_after_s: int
    rate: RateLimit

    def __post_init__(self) -> None:
        """Say how long to wait, in minutes where that is longer than one."""
        self.wait = f"{self.retry_after_s} s" if self.retry_after_s <= 60 else f"{ceil(self.retry_after_s / 60)} min"


class TooManyConnections(
    WebError, code="rate_limited", text="{limit} {what} are already open (--{setting}): close one or retry later"
):
    """As many connections as `limit` are open, which is a setting; `what` names what they are."""

    retry_after_s = 10
    """A connection may have been closed by then."""

    what: str
    limit: int
    setting: str


class InstanceFull(TooManyConnections, code="instance_unavailable"):
    """The instance has as many connections as it accepts."""


class OriginNotAllowed(WebError, code="origin_refused", text="pages of {origin} may not open sockets or event streams"):
    """Pages of this origin may not open sockets or event streams."""

    origin: str


class ShuttingDown(WebError, code="draining", text="this instance is shutting down"):
    """The instance is shutting down."""

    retry_after_s = 1


class BackgroundTaskFailing(
    WebError, code="instance_unavailable", text="the background task {task} of this instance keeps failing"
):
    """A background task of this instance keeps failing."""

    retry_after_s = 1

    task: str


def policy_header(name: str, rate: RateLimit) -> str:
    """Return the value of `RateLimit-Policy`."""
    return f'"{name}";q={rate.quota};w={rate.window_s}'


BEARER_CHALLENGE = 'Bearer realm="south-seas"'
INVALID_TOKEN_CHALLENGE = f'{BEARER_CHALLENGE}, error="invalid_token"'

API_KEY_CHALLENGE = 'Api-Key realm="south-seas"'
NO_HEADERS: Mapping[str, str] = {}
UPGRADE_HEADERS = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
"""The protocol to upgrade to (RFC 9110, 15.5.22; RFC 6455, 4.4)."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing; of the others all but POST are idempotent (RFC 9110, 9.2)."""


NOTHING_CHANGED = Message("nothing was changed: retry")
REPEATABLE = Message("the request may have been applied, and may be repeated")
MAYBE_APPLIED = Message("the request may have been applied: check that before you send it again")
"""What a client must know of a request during an outage; `outcome_with_key` if it has an idempotency key."""


def outcome_with_key(name: str) -> str:
    """Return what a client must know of a request with an idempotency key, which it sends as `name`."""
    return Message("the request may have been applied: retry with the same {name}", name=name)


_ERROR_MEMBERS = ("rule", "path", "index", "version", "digest", "next_game", "retry_after_s")
"""Attributes of errors that become members of their problems."""


def to_problem(error: Exception, outcome: str = NOTHING_CHANGED, language: Language = ENGLISH) -> Problem:
    """Return the problem for a ServiceError, with its detail in a language; any other error is `internal`.

    `outcome` is what the client must know of its request if the store is unavailable.
    """
    if not isinstance(error, ServiceError):
        return problem("internal", get_translator(language).gettext(ServiceError.text))
    if isinstance(error, StoreUnavailable):
        STORE_UNAVAILABLE.labels(error.cause).inc()
    members: dict[str, Any] = {name: getattr(error, name, None) for name in _ERROR_MEMBERS}
    if isinstance(error, games.VersionMismatch):
        members["digest"] = error.digest.hex()
    return problem(error.code, error.describe(outcome, get_translator(language)), **members)


def problem_response(document: Problem, extra_headers: Mapping[str, str] = NO_HEADERS) -> WholeResponse:
    """Return an HTTP response with a problem."""
    PROBLEMS.labels(document.code, "http").inc()
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-cache"}
    if document.retry_after_s is not None:
        headers["Retry-After"] = str(document.retry_after_s)
    return WholeResponse(status=document.status, body=encode_json(document), headers={**headers, **extra_headers})


def error_response(error: Exception, request: web.BaseRequest, language: Language = ENGLISH) -> web.Response:
    """Return the response to a request that raised a ServiceError, in the language of its client."""
    document = to_problem(error, _outcome(request), language)
    is_damaged = isinstance(error, UnreadableGame) and not isinstance(error, GameOfLaterRelease)
    if is_damaged and isinstance(request, HttpRequest):
        record_failure("requests", request.match_info.get("id", ""), error, "its requests get 503")
    return problem_response(document, _extra_headers(error))


def _extra_headers(error: Exception) -> Mapping[str, str]:
    match error:
        case games.Unauthorized(missing=missing):
            return {"WWW-Authenticate": BEARER_CHALLENGE if missing else INVALID_TOKEN_CHALLENGE}
        case games.ApiKeyRejected():
            return {"WWW-Authenticate": API_KEY_CHALLENGE}
        case RateLimited(policy=policy, rate=rate, retry_after_s=wait_s):
            limit = f'"{policy}";r=0;t={wait_s}'
            return {"RateLimit": limit, "RateLimit-Policy": policy_header(policy, rate)}
        case EncodedBody():
            return {"Accept-Encoding": ""}  # none is accepted (RFC 9110, 15.5.16)
        case UpgradeRequired():
            return UPGRADE_HEADERS
        case MethodNotAllowed(allowed=allowed):
            return {"Allow": allowed}
        case _:
            return {}


def _outcome(request: web.BaseRequest) -> str:
    if request.method in SAFE_METHODS:
        return NOTHING_CHANGED
    if request.method != "POST":
        return REPEATABLE
    return outcome_with_key("Idempotency-Key") if "Idempotency-Key" in request.headers else MAYBE_APPLIED


MAX_TARGET_BYTES = 2_048
"""Bytes of a request's target: the router takes quadratic time for many slashes, and each parameter takes time."""

MAX_HEADERS = 64
"""Headers of one request; browsers and proxies send about half as many."""

MAX_FIELD_BYTES = 8_190
"""Bytes of a header; another number than that of the target, by which the two are told apart."""

_MALFORMED: tuple[tuple[type[Exception], str], ...] = (
    (InvalidHeader, "a header is malformed"),
    (InvalidURLError, "the target of the request is malformed"),
    (BadHttpMethod, "the method is unknown, or this is not HTTP: TLS ends at a proxy"),
    (BadStatusLine, "the request line is malformed"),
    (PayloadEncodingError, "the body is not encoded correctly"),
)
"""What a client is told for a type of aiohttp's errors, whose own messages quote the request, tokens too."""

_NOT_HTTP = (
    f"this is not HTTP/1.1: check the header lines, of which {MAX_HEADERS} may come, Host, Content-Length, "
    "Transfer-Encoding, the body's chunks, and that nothing follows Connection: close"
)
"""The same for any other."""


def describe_malformed(error: BaseException | None) -> Problem:
    """Return the problem for an error of aiohttp's parser."""
    if isinstance(error, LineTooLong):
        _, limit, *_ = error.args
        if limit == MAX_TARGET_BYTES:
            return to_problem(TargetTooLong(MAX_TARGET_BYTES))
        return problem("malformed", f"a header may have at most {MAX_FIELD_BYTES} bytes")
    for kind, detail in _MALFORMED:
        if isinstance(error, kind):
            return problem("malformed", detail)
    return problem("malformed", _NOT_HTTP)


TOKEN_PARAMETERS = frozenset({"token", "access_token"})
"""Names under which clients send tokens where none belongs."""

_MESSAGE_WITH_PATH = re.compile(r"(?P<detail>.*?)(?: - at `(?P<path>.*)`)?", re.DOTALL)
_MESSAGE_WITH_FIELD = re.compile(
    r"(?:Object (?:missing required|contains unknown) field )?`(?P<name>[\w.\[\]]{1,64})`(?:: (?P<reason>.+))?"
)


NO_LINE_FEED = r"(?!\\n)"
"""What patterns have for Python alone, as msgspec quotes it."""


def _parse_validation_message(message: str) -> games.Malformed:
    """Split a message of msgspec into detail and path; a field at the start of the message becomes part of the path.

    >>> refusal = _parse_validation_message("Object missing required field `name` - at `$.players[0]`")
    >>> refusal.detail, refusal.path
    ('Object missing required field `name`', '$.players[0].name')
    """
    match = _MESSAGE_WITH_PATH.fullmatch(message.replace(NO_LINE_FEED, ""))
    detail, path = (match["detail"], match["path"] or "$") if match else (message, "$")
    if field := _MESSAGE_WITH_FIELD.fullmatch(detail):
        detail, path = field["reason"] or detail, f"{path}.{field['name']}"
    return games.Malformed(detail, path)


_PATH_PART = re.compile(r"\.(\w+)|\[")
_INVALID_VALUE = re.compile(r"Invalid (?:enum )?value '(.{1,64})'")
_WRONG_LENGTH = "Expected `array` of length"
_WRONG_FORM = " matching regex "
_JSON_FIXES = {
    "JSON is malformed: object keys must be strings": ": names and texts stand in double quotes",
    "JSON is malformed: invalid character": ": names and texts stand in double quotes, all of it in UTF-8",
    "Input data was truncated": ": send a whole JSON text",
}
_QUOTES = (
    (re.compile("Expected `int.*got `str`"), "a number, without quotes"),
    (re.compile("Expected `bool.*got `str`"), "true or false, without quotes"),
    (re.compile("Expected `str.*got `(int|float|bool|object)`"), "a text in double quotes"),
)
"""What to send in place of a value with quotes where none belong, or without."""
_HEADERS = {
    games.snake_case(name): name for name in ("Api-Key", "Creator-Key", "Idempotency-Key", "If-Match", "Prefer")
}
_HEADERS |= dict.fromkeys(("lang", "language", "locale"), "Accept-Language") | {"version": "If-Match"}
"""The headers that clients send as fields or parameters, by these names."""

_SYNONYMS = {
    "status": "state",
    "include": "include_legal_moves legal_moves",
    "cursor since": "page offset after from start skip next next_cursor page_token",
    "limit width": "per_page page_size size count max max_results w h height",
    "turn_timeout_s": "timeout time_limit turn_timeout",
    "visibility": "private public",
    "x": "position cell coordinates",
    "move": "id move_id",
    "bot": "kind type",
    "external_user": "user user_id",
    "waiting": "open",
    "dark": "night",
    "place_islander": "place_meeple place_figure",
    "game_finished": "game_over game_ended",
    "key": "idempotency_key",
    "if_match": "version",
}
"""The parameters, fields and values that clients mean by those of other services."""

Schema = dict[str, Any]


@cache
def _read_schemas(kind: Any) -> tuple[Iterable[Schema], Schema]:
    return msgspec.json.schema_components((kind,), ref_template="{name}")


def _follow(kind: Any, path: str) -> list[Schema]:
    """Return the JSON Schemas of the value at a path, which has one of them."""
    (whole,), named = _read_schemas(kind)
    schemas = _alternatives(whole, named)
    for name in _PATH_PART.findall(path):
        parts = [one.get("properties", {}).get(name, {}) if name else one.get("items", {}) for one in schemas]
        schemas = [each for part in parts for each in _alternatives(part, named)]
    return schemas


def _alternatives(schema: Schema, named: Schema) -> list[Schema]:
    schema = named.get(schema.get("$ref", ""), schema)
    return [each for one in schema["anyOf"] for each in _alternatives(one, named)] if "anyOf" in schema else [schema]


def _fields(schemas: list[Schema]) -> list[str]:
    return [*dict.fromkeys(name for one in schemas for name in one.get("properties", ()))]


def _values(schemas: list[Schema]) -> list[str]:
    return [str(value) for one in schemas for value in one.get("enum", ())]


def _find_meant(word: str, known: Sequence[str]) -> str | None:
    """Return which of the known words a word is, or else stands for."""
    meant = " ".join([word, *(names for names, written in _SYNONYMS.items() if word in written.split())]).split()
    return next((one for one in meant if one in known), None)


def place_parameter(name: str, known: Sequence[str]) -> str:
    """Return what to send in place of a query parameter, with which a client means another one; empty for any other.

    >>> place_parameter("perPage", ["limit", "cursor"]), place_parameter("utm_source", ["limit", "cursor"])
    ('did you mean `limit`?', '')
    """
    snake = games.snake_case(name)
    if name in known:
        return ""
    if snake in _HEADERS:
        return f"send it as the header {_HEADERS[snake]}"
    if snake == "format" and "theme" in known:
        return "the path ends with the format: .png or .svg"
    meant = _find_meant(snake, known) or games.find_closest(snake, known, 0.8)
    return f"did you mean `{meant}`?" if meant else ""


def _find_fix(detail: str, path: str, kind: Any) -> str:
    """Return what to send in place of a value that is none of its type."""
    schemas, invalid = _follow(kind, path), _INVALID_VALUE.match(detail)
    fields, values = _fields(schemas), _values(schemas)
    if invalid is not None and path == "$.type" and invalid[1] in _values(_follow(kind, "$.action.type")):
        return f': did you mean {{"type": "act", "action": {{"type": "{invalid[1]}", ...}}}}?'
    if values and (invalid is not None or detail.startswith("Object missing")):
        given = games.snake_case(invalid[1] if invalid else "")
        return games.suggest(_find_meant(given, values) or given, values)
    if detail.startswith("Object contains unknown field"):
        return _place_field(path, kind)
    if path == "$" and detail.endswith("got `array`"):
        if "type" in fields:
            return ": send each message on its own"
        lists = [name for name in fields if any("items" in one for one in _follow(kind, f"$.{name}"))]
        return f': did you mean {{"{lists[0]}": [...]}}?' if lists else ""
    if fields and detail.endswith("got `str`"):
        move = 'did you mean {"move": ...}? Else ' if "move" in _fields(_follow(kind, "$")) else ""
        return f": {move}an object of {', '.join(fields)}, without quotes around it"
    if not detail.startswith(_WRONG_LENGTH) and (items := fields or _fields(_follow(kind, f"{path}[]"))):
        return f": {'an object' if fields else 'a list of objects'} of {', '.join(items)}"
    quotes = [fix for pattern, fix in _QUOTES if pattern.match(detail)]
    return "".join(f": {fix}" for fix in [*quotes, *(one["description"] for one in schemas if "description" in one)])


def _place_field(path: str, kind: Any) -> str:
    """Return where a field belongs that its object does not have."""
    parent, _, name = path.rpartition(".")
    if name in TOKEN_PARAMETERS:
        return f": {games.HOW_TO_AUTHENTICATE}"
    snake, known, root = games.snake_case(name), _fields(_follow(kind, parent)), _fields(_follow(kind, "$"))
    for fields in (known, root):
        if (meant := _find_meant(snake, fields)) is not None:
            if meant == snake and fields is not known:
                return f': did you mean {{"{meant}": ...}} in the outermost object?'
            return games.suggest(meant, fields)
    if snake in _HEADERS and "type" not in root:
        return f": send it as the header {_HEADERS[snake]}"
    inner = next((one for one in known if name in _fields(_follow(kind, f"{parent}.{one}"))), None)
    return f': did you mean {{"{inner}": {{"{name}": ...}}}}?' if inner else games.suggest(name, known)


def to_malformed(error: msgspec.MsgspecError | UnicodeDecodeError | RecursionError, kind: Any) -> games.Malformed:
    """Return the Malformed error for a value that is none of its type, with the path apart from the text."""
    if isinstance(error, msgspec.ValidationError):
        malformed = _parse_validation_message(str(error))
        cause = error.__cause__
        invalid = cause if cause is None else cause.__cause__ or cause  # which says of a list what is wrong with a name
        if isinstance(invalid, InvalidName):
            malformed.detail = Message(invalid.text, **invalid.values)
            return malformed
        fix = _find_fix(malformed.detail, malformed.path or "$", kind)
        says_all = fix and (malformed.detail.startswith(_WRONG_LENGTH) or _WRONG_FORM in malformed.detail)
        malformed.detail = fix.removeprefix(": ") if says_all else f"{malformed.detail}{fix}"
        return malformed
    if isinstance(error, msgspec.MsgspecError):
        return games.Malformed(f"{error}{_JSON_FIXES.get(str(error).partition(' (')[0], '')}", "$")
    is_deep = isinstance(error, RecursionError)
    return games.Malformed("the body is nested too deeply" if is_deep else "the body is not UTF-8", "$")
