"""The one mapping from everything that is refused to the contract's problems. Source: api.md, "Problems"."""

import logging
import re
from collections.abc import Mapping

import msgspec
from aiohttp import web

from schemas.base import encode
from schemas.problems import MEDIA_TYPE, Problem, problem
from service.games.errors import (
    Conflict,
    GameError,
    KeyReused,
    ListTooLong,
    Malformed,
    NoOpenSeat,
    NoSuchGame,
    NoSuchSeat,
    NoSuchTileSet,
    NoSuchWebhook,
    NotActive,
    NothingToUndo,
    NotOver,
    NotOwner,
    NotReplaced,
    NotYourTurn,
    Refused,
    RematchExists,
    Replaced,
    Resigned,
    TileSetMissing,
    TooManyKeys,
    TooManyWebhooks,
    Unauthorized,
    UnknownBot,
    UnknownTileSet,
    UrlRefused,
    VersionMismatch,
    WrongSeat,
)
from service.games.port import StoreBusy, StoreError, StoreUnavailable, Unreadable
from service.telemetry.metrics import PROBLEMS
from service.telemetry.throttled import ThrottledLog
from service.web.errors import (
    Busy,
    DrawingFailed,
    EncodedBody,
    NoSuchPiece,
    NoSuchVersion,
    NotReady,
    OriginRefused,
    RateLimited,
    TaskFailing,
    TooLarge,
    TooManyOpen,
    UnsupportedMediaType,
    WebError,
)

_UNAVAILABLE = ThrottledLog(logging.getLogger(__name__))

REFUSALS = (GameError, StoreError, WebError)
"""Everything that `to_problem` maps."""

CHALLENGE = 'Bearer realm="south-seas"'
INVALID_TOKEN = f'{CHALLENGE}, error="invalid_token"'

RETRY_AFTER_S = 1

DRAWING_RETRY_S = 60
"""When to ask again for a picture that failed: it is not tried before."""

TOO_MANY_OPEN_S = 10
"""When to try again where one of those that are open may have been closed meanwhile."""


def to_problem(error: Exception) -> Problem:  # noqa: C901, PLR0911, PLR0912, PLR0915 (a table)
    """The problem of anything in REFUSALS; anything else is `internal`."""
    match error:
        case Malformed(detail=detail, path=path):
            return problem("malformed", detail, path=path)
        case Unauthorized(missing=missing):
            return problem("unauthorized", "a token is needed" if missing else "this token opens nothing here")
        case WrongSeat(seat=None, index=index):
            return problem("wrong_seat", "this token only reads", index=index)
        case WrongSeat(seat=seat, index=index):
            return problem("wrong_seat", f"this token does not act for seat {seat}", index=index)
        case NotOwner():
            return problem("not_owner", "this token is not the owner's")
        case NoSuchGame(game=game):
            return problem("not_found", f"there is no game {game}, or it is private and this token does not open it")
        case TileSetMissing(tileset=tileset):
            detail = f"this instance does not have the tile set {tileset}, which the game is played with"
            return problem("store_unavailable", detail, retry_after_s=RETRY_AFTER_S)
        case UnknownTileSet(tileset=tileset):
            return problem("unknown_tileset", f"there is no tile set {tileset}", path="$.tileset")
        case UnknownBot(bot=bot, seat=seat):
            return problem("unknown_bot", f"there is no bot {bot}", path=f"$.players[{seat}].bot")
        case NoSuchTileSet(tileset=tileset):
            return problem("not_found", f"there is no tile set {tileset}")
        case NoSuchPiece(piece=piece):
            return problem("not_found", f"the tile set has no {piece}")
        case NoSuchVersion(version=version, latest=latest):
            return problem("not_found", f"the game has no version {version}: its latest is {latest}")
        case Busy():
            detail = "too many wait for a picture, or for a game to be replayed: ask again"
            return problem("rate_limited", detail, retry_after_s=RETRY_AFTER_S)
        case RateLimited(policy=policy, retry_after_s=retry_after_s):
            return problem("rate_limited", f"too many {policy}: wait", retry_after_s=retry_after_s)
        case TooManyOpen(what=what, most=most):
            detail = f"{most} {what} are open already: close one, or wait"
            return problem("rate_limited", detail, retry_after_s=TOO_MANY_OPEN_S)
        case OriginRefused(origin=origin):
            return problem("origin_refused", f"pages of {origin} may not open sockets and event streams here")
        case NotActive(status=status):
            return problem("not_active", f"the game is {status}")
        case NoSuchWebhook(hook=hook):
            return problem("not_found", f"the game has no webhook {hook}")
        case NoSuchSeat(seat=seat):
            return problem("not_found", f"the game has no seat {seat}")
        case TooManyWebhooks(most=most):
            return problem("limit_reached", f"a game has {most} webhooks at most: delete one first")
        case UrlRefused(reason=reason):
            return problem("url_refused", reason, path="$.url")
        case NotOver(status=status):
            return problem("not_over", f"the game is {status}: a rematch is of one that is finished or aborted")
        case NotYourTurn(seat=seat, decider=decider, index=index):
            return problem("not_your_turn", f"seat {decider} decides now, not seat {seat}", index=index)
        case Replaced(seat=seat, index=index):
            return problem("replaced", f"a bot stands in for seat {seat}: return first", index=index)
        case NotReplaced(seat=seat):
            return problem("not_replaced", f"no bot stands in for seat {seat}")
        case Resigned(seat=seat):
            return problem("resigned", f"seat {seat} has resigned")
        case NothingToUndo(seat=seat):
            detail = f"seat {seat} has done nothing since something hidden was revealed, or somebody else acted"
            return problem("nothing_to_undo", detail)
        case NoOpenSeat():
            return problem("no_open_seat", "every seat is taken, or the game is over")
        case Conflict(detail=detail):
            return problem("conflict", detail)
        case RematchExists(game=game):
            return problem("conflict", f"the rematch is {game} already", next_game=game)
        case VersionMismatch(version=version, digest=digest):
            return problem("version_mismatch", f"the game has version {version} now", version=version, digest=digest)
        case Refused(rule=rule, reason=reason, index=index):
            return problem("illegal_move", reason, rule=rule, index=index)
        case ListTooLong(index=index):
            detail = "the action before this one reveals something hidden: look at it first"
            return problem("list_too_long", detail, index=index)
        case TooManyKeys(retry_after_s=retry_after_s):
            detail = "this token has used too many idempotency keys in this game: go on without, or wait"
            return problem("rate_limited", detail, retry_after_s=retry_after_s)
        case KeyReused():
            return problem("key_reused", "this key came with another request before")
        case Unreadable(retry_after_s=retry_after_s):
            detail = "what is stored of this game cannot be read by this instance"
            return problem("store_unavailable", detail, retry_after_s=retry_after_s)
        case StoreBusy(retry_after_s=retry_after_s):
            detail = "too much waits for the store already: ask again later, with the same Idempotency-Key"
            return problem("store_unavailable", detail, retry_after_s=retry_after_s)
        case StoreUnavailable(retry_after_s=retry_after_s):
            detail = "what was asked may have been done: ask again with the same Idempotency-Key"
            return problem("store_unavailable", detail, retry_after_s=retry_after_s)
        case NotReady():
            return problem("store_unavailable", "this instance is stopping", retry_after_s=RETRY_AFTER_S)
        case DrawingFailed():
            detail = "this picture could not be drawn: ask again later, or for another size or region"
            return problem("store_unavailable", detail, retry_after_s=DRAWING_RETRY_S)
        case TaskFailing(task=task):
            detail = f"the background task {task} of this instance keeps failing"
            return problem("store_unavailable", detail, retry_after_s=RETRY_AFTER_S)
        case TooLarge(limit=limit):
            return problem("too_large", f"a body may have {limit} bytes at most")
        case UnsupportedMediaType():
            return problem("unsupported_media_type", "send Content-Type: application/json")
        case EncodedBody():
            return problem("unsupported_media_type", "send the body as it is, without Content-Encoding")
        case _:
            return problem("internal", "this is the service's fault, not yours")


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
    if isinstance(error, Unauthorized):
        challenge = CHALLENGE if error.missing else INVALID_TOKEN
        return problem_response(told, {"WWW-Authenticate": challenge})
    if isinstance(error, RateLimited):
        limit = f'"{error.policy}";r=0;t={error.retry_after_s}'
        return problem_response(told, {"RateLimit": limit, "RateLimit-Policy": error.header})
    if isinstance(error, EncodedBody):
        return problem_response(told, {"Accept-Encoding": ""})  # none is accepted (RFC 9110, 15.5.16)
    if isinstance(error, StoreUnavailable):
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


def _invalid(told: str) -> Malformed:
    """A sentence of msgspec with its path taken apart, down to the field where the sentence begins with one.

    >>> refusal = _invalid("Object missing required field `name` - at `$.players[0]`")
    >>> refusal.detail, refusal.path
    ('Object missing required field `name`', '$.players[0].name')
    """
    found = _AT.fullmatch(told)
    detail, path = (found["detail"], found["path"] or "$") if found else (told, "$")
    field = _FIELD.fullmatch(detail)
    return Malformed(field["reason"] or detail, f"{path}.{field['name']}") if field else Malformed(detail, path)


def malformed(error: msgspec.MsgspecError | UnicodeDecodeError | RecursionError) -> Malformed:
    """What msgspec found wrong with a body or a message, its path apart from its text."""
    match error:
        case msgspec.ValidationError():
            return _invalid(str(error))
        case msgspec.MsgspecError():
            return Malformed(str(error), "$")
        case UnicodeDecodeError():
            return Malformed("the body is not UTF-8", "$")
        case RecursionError():
            return Malformed("the body is nested too deeply", "$")
