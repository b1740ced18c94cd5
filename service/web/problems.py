"""The one mapping from everything that is refused to the contract's problems. Source: api.md, "Problems"."""

import logging
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from aiohttp import web

from schemas.base import encode
from schemas.problems import MEDIA_TYPE, Problem, problem
from service.games import errors as games
from service.games import ports as store
from service.telemetry.metrics import PROBLEMS
from service.telemetry.throttled import ThrottledLog
from service.web import errors

_UNAVAILABLE = ThrottledLog(logging.getLogger(__name__))

REFUSALS = (games.GameError, store.StoreError, errors.WebError)
"""Everything that `to_problem` maps."""

CHALLENGE = 'Bearer realm="south-seas"'
INVALID_TOKEN = f'{CHALLENGE}, error="invalid_token"'

DRAWING_RETRY_S = 60
"""When to ask again for a picture that failed: it is not tried before."""

TOO_MANY_OPEN_S = 10
"""When to try again where one of those that are open may have been closed meanwhile."""


class _Kind(NamedTuple):
    """The problem of a type of error; `detail` and `path` are formats of the error's attributes."""

    code: str
    detail: str
    path: str | None = None
    retry_after_s: int | None = None


_INTERNAL = _Kind("internal", "this is the service's fault, not yours")

_KINDS: Mapping[type, _Kind] = {
    games.Malformed: _Kind("malformed", "{detail}"),
    games.Unauthorized: _Kind("unauthorized", "this token opens nothing here"),
    games.WrongSeat: _Kind("wrong_seat", "this token does not act for seat {seat}"),
    games.NotOwner: _Kind("not_owner", "this token is not the owner's"),
    games.NoSuchGame: _Kind("not_found", "there is no game {game}, or it is private and this token does not open it"),
    games.TileSetMissing: _Kind(
        "store_unavailable",
        "this instance does not have the tile set {tileset}, which the game is played with",
        retry_after_s=1,
    ),
    games.UnknownTileSet: _Kind("unknown_tileset", "there is no tile set {tileset}", "$.tileset"),
    games.UnknownBot: _Kind("unknown_bot", "there is no bot {bot}", "$.players[{seat}].bot"),
    games.NoSuchTileSet: _Kind("not_found", "there is no tile set {tileset}"),
    games.GameNotActive: _Kind("not_active", "the game is {status}"),
    games.NoSuchWebhook: _Kind("not_found", "the game has no webhook {hook}"),
    games.NoSuchSeat: _Kind("not_found", "the game has no seat {seat}"),
    games.TooManyWebhooks: _Kind("limit_reached", "a game has {limit} webhooks at most: delete one first"),
    games.WebhookUrlRejected: _Kind("url_refused", "{reason}", "$.url"),
    games.GameNotFinished: _Kind("not_over", "the game is {status}: a rematch is of one that is finished or aborted"),
    games.NotYourTurn: _Kind("not_your_turn", "seat {decider} decides now, not seat {seat}"),
    games.SeatPlayedByBot: _Kind("replaced", "a bot stands in for seat {seat}: return first"),
    games.SeatNotPlayedByBot: _Kind("not_replaced", "no bot stands in for seat {seat}"),
    games.SeatResigned: _Kind("resigned", "seat {seat} has resigned"),
    games.NothingToUndo: _Kind(
        "nothing_to_undo", "seat {seat} has done nothing since something hidden was revealed, or somebody else acted"
    ),
    games.NoOpenSeat: _Kind("no_open_seat", "every seat is taken, or the game is over"),
    games.Conflict: _Kind("conflict", "{detail}"),
    games.RematchExists: _Kind("conflict", "the rematch is {next_game} already"),
    games.VersionMismatch: _Kind("version_mismatch", "the game has version {version} now"),
    games.MoveRejected: _Kind("illegal_move", "{reason}"),
    games.ListTooLong: _Kind("list_too_long", "the action before this one reveals something hidden: look at it first"),
    games.TooManyIdempotencyKeys: _Kind(
        "rate_limited", "this token has used too many idempotency keys in this game: go on without, or wait"
    ),
    games.IdempotencyKeyReused: _Kind("key_reused", "this key came with another request before"),
    store.UnreadableGame: _Kind("store_unavailable", "what is stored of this game cannot be read by this instance"),
    store.StoreBusy: _Kind(
        "store_unavailable", "too much waits for the store already: ask again later, with the same Idempotency-Key"
    ),
    store.StoreUnavailable: _Kind(
        "store_unavailable", "what was asked may have been done: ask again with the same Idempotency-Key"
    ),
    errors.NoSuchPiece: _Kind("not_found", "the tile set has no {piece}"),
    errors.NoSuchVersion: _Kind("not_found", "the game has no version {wanted}: its latest is {latest}"),
    errors.Busy: _Kind(
        "rate_limited", "too many wait for a picture, or for a game to be replayed: ask again", retry_after_s=1
    ),
    errors.RateLimited: _Kind("rate_limited", "too many {policy}: wait"),
    errors.TooManyOpen: _Kind(
        "rate_limited", "{most} {what} are open already: close one, or wait", retry_after_s=TOO_MANY_OPEN_S
    ),
    errors.OriginRefused: _Kind("origin_refused", "pages of {origin} may not open sockets and event streams here"),
    errors.NotReady: _Kind("store_unavailable", "this instance is stopping", retry_after_s=1),
    errors.DrawingFailed: _Kind(
        "store_unavailable",
        "this picture could not be drawn: ask again later, or for another size or region",
        retry_after_s=DRAWING_RETRY_S,
    ),
    errors.TaskFailing: _Kind(
        "store_unavailable", "the background task {task} of this instance keeps failing", retry_after_s=1
    ),
    errors.TooLarge: _Kind("too_large", "a body may have {limit} bytes at most"),
    errors.UnsupportedMediaType: _Kind("unsupported_media_type", "send Content-Type: application/json"),
    errors.EncodedBody: _Kind("unsupported_media_type", "send the body as it is, without Content-Encoding"),
}

_MEMBERS = frozenset({"rule", "path", "index", "version", "digest", "next_game", "retry_after_s"})
"""Attributes of errors that are members of their problems."""


def to_problem(error: Exception) -> Problem:
    """The problem of anything in REFUSALS; anything else is `internal`."""
    match error:
        case games.Unauthorized(missing=True):
            return problem("unauthorized", "a token is needed")
        case games.WrongSeat(seat=None, index=index):
            return problem("wrong_seat", "this token only reads", index=index)
        case _:
            pass
    told = vars(error)
    kind = next((_KINDS[base] for base in type(error).__mro__ if base in _KINDS), _INTERNAL)
    members: dict[str, Any] = {name: told[name] for name in _MEMBERS & told.keys()}
    if kind.path is not None:
        members["path"] = kind.path.format_map(told)
    if kind.retry_after_s is not None:
        members["retry_after_s"] = kind.retry_after_s
    return problem(kind.code, kind.detail.format_map(told), **members)


def problem_response(told: Problem, more: Mapping[str, str] | None = None) -> web.Response:
    """A problem as an HTTP answer."""
    PROBLEMS.labels(told.code, "http").inc()
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-cache"}
    if told.retry_after_s is not None:
        headers["Retry-After"] = str(told.retry_after_s)
    if more is not None:
        headers.update(more)
    return web.Response(status=told.status, body=encode(told), headers=headers)


def refusal_response(error: Exception) -> web.Response:
    """The answer to a request that raised one of REFUSALS."""
    told = to_problem(error)
    if isinstance(error, games.Unauthorized):
        challenge = CHALLENGE if error.missing else INVALID_TOKEN
        return problem_response(told, {"WWW-Authenticate": challenge})
    if isinstance(error, errors.RateLimited):
        limit = f'"{error.policy}";r=0;t={error.retry_after_s}'
        return problem_response(told, {"RateLimit": limit, "RateLimit-Policy": error.header})
    if isinstance(error, errors.EncodedBody):
        return problem_response(told, {"Accept-Encoding": ""})  # none is accepted (RFC 9110, 15.5.16)
    if isinstance(error, store.StoreUnavailable):
        _UNAVAILABLE.warning("the store does not answer: %s", error)
    return problem_response(told)


def http_problem(error: web.HTTPException) -> web.Response:
    """The answer where aiohttp itself refuses a request: no such path, method, or a body that is too large."""
    match error:
        case web.HTTPMethodNotAllowed(method=method, allowed_methods=allowed):
            allow = allow_header(allowed)
            return problem_response(problem("method_not_allowed", f"{method} is none of {allow}"), {"Allow": allow})
        case web.HTTPRequestEntityTooLarge():
            return problem_response(problem("too_large", "the body is too large"))
        case web.HTTPNotFound():
            return problem_response(problem("not_found", "there is nothing at this path"))
        case _:
            return problem_response(problem("malformed", error.reason))


def allow_header(methods: set[str]) -> str:
    """What a path answers; every path answers OPTIONS."""
    return ", ".join(sorted(methods | {"OPTIONS"}))


_AT = re.compile(r"(?P<detail>.*?)(?: - at `(?P<path>.*)`)?", re.DOTALL)
_FIELD = re.compile(
    r"(?:Object (?:missing required|contains unknown) field )?`(?P<name>\w{1,64})`(?:: (?P<reason>.+))?"
)


def _invalid(told: str) -> games.Malformed:
    """A sentence of msgspec with its path taken apart, down to the field where the sentence begins with one.

    >>> refusal = _invalid("Object missing required field `name` - at `$.players[0]`")
    >>> refusal.detail, refusal.path
    ('Object missing required field `name`', '$.players[0].name')
    """
    found = _AT.fullmatch(told)
    detail, path = (found["detail"], found["path"] or "$") if found else (told, "$")
    field = _FIELD.fullmatch(detail)
    return (
        games.Malformed(field["reason"] or detail, f"{path}.{field['name']}")
        if field
        else games.Malformed(detail, path)
    )


def malformed(error: msgspec.MsgspecError | UnicodeDecodeError | RecursionError) -> games.Malformed:
    """What msgspec found wrong with a body or a message, its path apart from its text."""
    match error:
        case msgspec.ValidationError():
            return _invalid(str(error))
        case msgspec.MsgspecError():
            return games.Malformed(str(error), "$")
        case UnicodeDecodeError():
            return games.Malformed("the body is not UTF-8", "$")
        case RecursionError():
            return games.Malformed("the body is nested too deeply", "$")
