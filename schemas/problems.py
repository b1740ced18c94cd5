"""Problems: the errors of the API as RFC 9457 documents."""

from typing import Annotated, NamedTuple

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import Digest, Id

MEDIA_TYPE = "application/problem+json"


class ProblemType(NamedTuple):
    """The HTTP status and title of a problem code."""

    status: int
    title: str


PROBLEM_TYPES = {
    "malformed": ProblemType(400, "The request is malformed"),
    "unauthorized": ProblemType(401, "The token is missing or unknown"),
    "wrong_seat": ProblemType(403, "The token does not act for this seat"),
    "not_owner": ProblemType(403, "Only the game's owner may do this"),
    "origin_refused": ProblemType(403, "This origin may not subscribe to games"),
    "not_found": ProblemType(404, "There is no such resource"),
    "method_not_allowed": ProblemType(405, "This path does not support this method"),
    "not_active": ProblemType(409, "The game is not being played"),
    "not_over": ProblemType(409, "The game is not over yet"),
    "not_your_turn": ProblemType(409, "Another seat must decide now"),
    "replaced": ProblemType(409, "A bot plays for this seat"),
    "not_replaced": ProblemType(409, "No bot plays for this seat"),
    "resigned": ProblemType(409, "This seat has resigned"),
    "nothing_to_undo": ProblemType(409, "There is nothing to undo"),
    "no_open_seat": ProblemType(409, "No seat is open"),
    "limit_reached": ProblemType(409, "The limit is reached"),
    "conflict": ProblemType(409, "The request conflicts with the state of the game"),
    "version_mismatch": ProblemType(412, "The game is at another version"),
    "too_large": ProblemType(413, "The request is too large"),
    "uri_too_long": ProblemType(414, "The target of the request is too long"),
    "unsupported_media_type": ProblemType(415, "The body must be application/json"),
    "illegal_move": ProblemType(422, "The rules forbid this action now"),
    "list_too_long": ProblemType(422, "An action follows one that reveals hidden information"),
    "key_reused": ProblemType(422, "This idempotency key was already used"),
    "url_refused": ProblemType(422, "Webhooks may not use this URL"),
    "unknown_tileset": ProblemType(422, "There is no such tile set"),
    "unknown_bot": ProblemType(422, "There is no such bot"),
    "upgrade_required": ProblemType(426, "This path takes WebSockets of version 13"),
    "rate_limited": ProblemType(429, "Too many requests"),
    "internal": ProblemType(500, "Internal server error"),
    "not_implemented": ProblemType(501, "The service does not know this transfer coding"),
    "store_unavailable": ProblemType(503, "The game store is unavailable"),
    "draining": ProblemType(503, "The instance is shutting down"),
    "instance_unavailable": ProblemType(503, "The instance cannot serve this now"),
}
"""Every problem code; a code has the same meaning in all responses."""


class Problem(ResponseModel):
    """An error: `code` is for programs, `detail` for people, in their language. Fields that do not apply are null."""

    type: Annotated[str, Meta(examples=["/problems/illegal-move"], extra_json_schema={"format": "uri-reference"})]
    title: str
    status: int
    detail: str
    code: Annotated[str, Meta(examples=["illegal_move"])]
    rule: Annotated[
        str | None, Meta(description="The id of the rule that forbids the action: /docs/rules#R3.3.", examples=["R3.3"])
    ] = None
    path: Annotated[str | None, Meta(description="The invalid field, as `$.players[0].name`.")] = None
    index: Annotated[int | None, Meta(description="The index of the invalid action in `actions`, from 0.")] = None
    version: Annotated[int | None, Meta(description="The game's current version.")] = None
    digest: Digest | None = None
    next_game: Annotated[Id | None, Meta(description="The existing rematch.")] = None
    retry_after_s: Annotated[int | None, Meta(description="The value of the header Retry-After.")] = None


def problem(  # noqa: PLR0913 (one parameter for each member of the document)
    code: str,
    detail: str,
    *,
    rule: str | None = None,
    path: str | None = None,
    index: int | None = None,
    version: int | None = None,
    digest: str | None = None,
    next_game: str | None = None,
    retry_after_s: int | None = None,
) -> Problem:
    """Return a problem with the status and title of its code."""
    kind = PROBLEM_TYPES[code]
    return Problem(
        type=f"/problems/{code.replace('_', '-')}",
        title=kind.title,
        status=kind.status,
        detail=detail,
        code=code,
        rule=rule,
        path=path,
        index=index,
        version=version,
        digest=digest,
        next_game=next_game,
        retry_after_s=retry_after_s,
    )
