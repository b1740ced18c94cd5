"""The mapping from errors to the problems of the API (RFC 9457)."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from aiohttp import web

from schemas.base import encode_json
from schemas.problems import MEDIA_TYPE, Problem, problem
from service.games import errors as games
from service.games.ports import game_store as store
from service.telemetry.metrics import PROBLEMS
from service.web import errors

PROBLEM_ERRORS = (games.GameError, store.StoreError, errors.WebError)
"""The errors that `to_problem` maps."""

BEARER_CHALLENGE = 'Bearer realm="south-seas"'
INVALID_TOKEN_CHALLENGE = f'{BEARER_CHALLENGE}, error="invalid_token"'

API_KEY_CHALLENGE = 'Api-Key realm="south-seas"'
UPGRADE_HEADERS = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
"""The protocol to upgrade to (RFC 9110, 15.5.22; RFC 6455, 4.4)."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing; of the others all but POST are idempotent (RFC 9110, 9.2)."""

FAILED_IMAGE_RETRY_S = 60
"""When to retry a picture that failed: the renderer does not try it before."""

TOO_MANY_CONNECTIONS_RETRY_S = 10
"""When to retry: a connection may have been closed by then."""


NOTHING_CHANGED = "nothing was changed: retry"
REPEATABLE = "the request may have been applied, and may be repeated"
MAYBE_APPLIED = "the request may have been applied: check that before you send it again"
"""What a client must know of a request during an outage; `outcome_with_key` if it has an idempotency key."""


def outcome_with_key(name: str) -> str:
    """Return what a client must know of a request with an idempotency key, which it sends as `name`."""
    return f"the request may have been applied: retry with the same {name}"


class _ProblemTemplate(NamedTuple):
    """The problem for a type of error; `detail` and `path` are formatted with the error's attributes."""

    code: str
    detail: str
    path: str | None = None
    retry_after_s: int | None = None


_INTERNAL_ERROR = _ProblemTemplate("internal", "internal server error")

_TEMPLATES: Mapping[type, _ProblemTemplate] = {
    games.Malformed: _ProblemTemplate("malformed", "{detail}"),
    games.Unauthorized: _ProblemTemplate("unauthorized", "this token is not valid here"),
    games.ApiKeyRejected: _ProblemTemplate("unauthorized", "{reason}"),
    games.WrongSeat: _ProblemTemplate("wrong_seat", "this token does not act for seat {seat}"),
    games.NotOwner: _ProblemTemplate("not_owner", "this token of the game may not do that; the owner's may"),
    games.NoSuchGame: _ProblemTemplate(
        "not_found", "there is no game {game}, or it is private and this token is not valid for it"
    ),
    games.TileSetMissing: _ProblemTemplate(
        "store_unavailable",
        "this instance does not have the game's tile set {tileset}",
        retry_after_s=1,
    ),
    games.UnknownTileSet: _ProblemTemplate("unknown_tileset", "there is no tile set {tileset}", "$.tileset"),
    games.UnknownBot: _ProblemTemplate("unknown_bot", "there is no bot {bot}", "$.players[{seat}].bot"),
    games.NoSuchTileSet: _ProblemTemplate("not_found", "there is no tile set {tileset}"),
    games.GameNotActive: _ProblemTemplate("not_active", "the game is {status}"),
    games.NoSuchWebhook: _ProblemTemplate("not_found", "there is no webhook {hook}"),
    games.NoSuchSeat: _ProblemTemplate("not_found", "the game has no seat {seat}"),
    games.TooManyWebhooks: _ProblemTemplate(
        "limit_reached", "there is a maximum of {limit} webhooks, which is reached: delete one first"
    ),
    games.WebhookUrlRejected: _ProblemTemplate("url_refused", "{reason}", "$.url"),
    games.GameNotFinished: _ProblemTemplate(
        "not_over", "the game is {status}: only a finished or aborted game can have a rematch"
    ),
    games.NotYourTurn: _ProblemTemplate("not_your_turn", "seat {decider} has to decide now, not seat {seat}"),
    games.SeatPlayedByBot: _ProblemTemplate("replaced", "a bot plays for seat {seat}: return to the seat first"),
    games.SeatNotPlayedByBot: _ProblemTemplate("not_replaced", "no bot plays for seat {seat} in place of its player"),
    games.SeatResigned: _ProblemTemplate("resigned", "seat {seat} has resigned"),
    games.NothingToUndo: _ProblemTemplate(
        "nothing_to_undo", "seat {seat} has no action to undo: hidden information was revealed or another seat acted"
    ),
    games.NoOpenSeat: _ProblemTemplate("no_open_seat", "every seat is taken, or the game is over"),
    games.Conflict: _ProblemTemplate("conflict", "{detail}"),
    games.RematchExists: _ProblemTemplate("conflict", "the game already has the rematch {next_game}"),
    games.VersionMismatch: _ProblemTemplate("version_mismatch", "the game has version {version}"),
    games.MoveRejected: _ProblemTemplate("illegal_move", "{reason}"),
    games.ListTooLong: _ProblemTemplate(
        "list_too_long", "the previous action reveals hidden information: send this one in a new request"
    ),
    games.TooManyIdempotencyKeys: _ProblemTemplate(
        "rate_limited", "this token has used too many idempotency keys in this game: wait, or send none"
    ),
    games.IdempotencyKeyReused: _ProblemTemplate("key_reused", "this idempotency key was used for another request"),
    store.UnreadableGame: _ProblemTemplate("store_unavailable", "this instance cannot read the stored game"),
    store.StoreBusy: _ProblemTemplate("store_unavailable", "too many commands wait for the store; {outcome}"),
    store.StoreUnavailable: _ProblemTemplate("store_unavailable", "the store does not respond; {outcome}"),
    errors.NoSuchPiece: _ProblemTemplate("not_found", "the tile set has no {piece}"),
    errors.NoSuchVersion: _ProblemTemplate("not_found", "the game has no version {requested}: the latest is {latest}"),
    errors.QueueFull: _ProblemTemplate(
        "rate_limited", "too many requests wait for a picture or a replay: retry", retry_after_s=1
    ),
    errors.RateLimited: _ProblemTemplate("rate_limited", "over the limit of {policy}: retry later"),
    errors.TooManyConnections: _ProblemTemplate(
        "rate_limited",
        "{limit} {what} are already open: close one or retry later",
        retry_after_s=TOO_MANY_CONNECTIONS_RETRY_S,
    ),
    errors.OriginNotAllowed: _ProblemTemplate(
        "origin_refused", "pages of {origin} may not open sockets or event streams"
    ),
    errors.ShuttingDown: _ProblemTemplate("draining", "this instance is shutting down", retry_after_s=1),
    errors.RenderingFailed: _ProblemTemplate(
        "store_unavailable",
        "this picture could not be drawn: retry later, or request another size or region",
        retry_after_s=FAILED_IMAGE_RETRY_S,
    ),
    errors.BackgroundTaskFailing: _ProblemTemplate(
        "store_unavailable", "the background task {task} of this instance keeps failing", retry_after_s=1
    ),
    errors.BodyTooLarge: _ProblemTemplate("too_large", "the body may have at most {limit} bytes"),
    errors.TargetTooLong: _ProblemTemplate("uri_too_long", "path and query may have at most {limit} bytes"),
    errors.UpgradeRequired: _ProblemTemplate("upgrade_required", "upgrade to WebSocket version 13"),
    errors.UnsupportedMediaType: _ProblemTemplate("unsupported_media_type", "send Content-Type: application/json"),
    errors.EncodedBody: _ProblemTemplate("unsupported_media_type", "send the body without a Content-Encoding"),
    errors.UnknownTransferCoding: _ProblemTemplate(
        "not_implemented", "send the body with no transfer coding but chunked"
    ),
}

_ERROR_MEMBERS = frozenset({"rule", "path", "index", "version", "digest", "next_game", "retry_after_s"})
"""Attributes of errors that become members of their problems."""


def to_problem(error: Exception, outcome: str = NOTHING_CHANGED) -> Problem:
    """Return the problem for one of PROBLEM_ERRORS; any other error is `internal`.

    `outcome` is what the client must know of its request if the store is unavailable.
    """
    match error:
        case games.Unauthorized(missing=True):
            return problem("unauthorized", "a token is required")
        case games.WrongSeat(seat=None, index=index):
            return problem("wrong_seat", "this token can only read", index=index)
        case _:
            pass
    attributes = vars(error)
    template = next((_TEMPLATES[base] for base in type(error).__mro__ if base in _TEMPLATES), _INTERNAL_ERROR)
    members: dict[str, Any] = {name: attributes[name] for name in _ERROR_MEMBERS & attributes.keys()}
    if template.path is not None:
        members["path"] = template.path.format_map(attributes)
    if template.retry_after_s is not None:
        members["retry_after_s"] = template.retry_after_s
    return problem(template.code, template.detail.format_map({**attributes, "outcome": outcome}), **members)


def problem_response(document: Problem, extra_headers: Mapping[str, str] | None = None) -> web.Response:
    """Return an HTTP response with a problem."""
    PROBLEMS.labels(document.code, "http").inc()
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-cache"}
    if document.retry_after_s is not None:
        headers["Retry-After"] = str(document.retry_after_s)
    if extra_headers is not None:
        headers.update(extra_headers)
    return web.Response(status=document.status, body=encode_json(document), headers=headers)


def error_response(error: Exception, request: web.BaseRequest) -> web.Response:
    """Return the response to a request that raised one of PROBLEM_ERRORS."""
    document = to_problem(error, _outcome(request))
    if isinstance(error, games.Unauthorized):
        challenge = BEARER_CHALLENGE if error.missing else INVALID_TOKEN_CHALLENGE
        return problem_response(document, {"WWW-Authenticate": challenge})
    if isinstance(error, games.ApiKeyRejected):
        return problem_response(document, {"WWW-Authenticate": API_KEY_CHALLENGE})
    if isinstance(error, errors.RateLimited):
        limit = f'"{error.policy}";r=0;t={error.retry_after_s}'
        return problem_response(document, {"RateLimit": limit, "RateLimit-Policy": error.header})
    if isinstance(error, errors.EncodedBody):
        return problem_response(document, {"Accept-Encoding": ""})  # none is accepted (RFC 9110, 15.5.16)
    if isinstance(error, errors.UpgradeRequired):
        return problem_response(document, UPGRADE_HEADERS)
    return problem_response(document)


def _outcome(request: web.BaseRequest) -> str:
    if request.method in SAFE_METHODS:
        return NOTHING_CHANGED
    if request.method != "POST":
        return REPEATABLE
    return outcome_with_key("Idempotency-Key") if "Idempotency-Key" in request.headers else MAYBE_APPLIED


def http_exception_response(error: web.HTTPException) -> web.Response:
    """Return the response for an error of aiohttp itself: unknown path, unknown method, or body too large."""
    match error:
        case web.HTTPMethodNotAllowed(method=method, allowed_methods=allowed):
            allow = format_allow_header(allowed)
            return problem_response(problem("method_not_allowed", f"{method} is not one of {allow}"), {"Allow": allow})
        case web.HTTPRequestEntityTooLarge():
            return problem_response(problem("too_large", "the body is too large"))
        case web.HTTPNotFound():
            return problem_response(problem("not_found", "there is no such path"))
        case _:
            return problem_response(problem("malformed", error.reason))


def format_allow_header(methods: set[str]) -> str:
    """Return the value of the Allow header; every path allows OPTIONS."""
    return ", ".join(sorted(methods | {"OPTIONS"}))


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
    field = _MESSAGE_WITH_FIELD.fullmatch(detail)
    return (
        games.Malformed(field["reason"] or detail, f"{path}.{field['name']}")
        if field
        else games.Malformed(detail, path)
    )


def to_malformed(error: msgspec.MsgspecError | UnicodeDecodeError | RecursionError) -> games.Malformed:
    """Return the Malformed error for a decoding error, with the path apart from the text."""
    match error:
        case msgspec.ValidationError():
            return _parse_validation_message(str(error))
        case msgspec.MsgspecError():
            return games.Malformed(str(error), "$")
        case UnicodeDecodeError():
            return games.Malformed("the body is not UTF-8", "$")
        case RecursionError():
            return games.Malformed("the body is nested too deeply", "$")
