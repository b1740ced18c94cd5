"""The texts of the OpenAPI document that routes do not declare: introduction, response headers and examples."""

from typing import Any

from schemas.problems import Problem, problem
from service.games import errors as games
from service.games.api_key import UNKNOWN_KEY
from service.games.ports import UnreadableGame
from service.web import problems
from service.web.headers import PREFER_REPRESENTATION
from service.web.limits import Limits
from service.web.problems import to_problem
from service.web.responses import CACHE_IMMUTABLE

INFO: dict[str, Any] = {
    "title": "South Seas",
    "version": "1.0.0",
    "license": {"name": "MIT", "identifier": "MIT"},
    "summary": "Play Carcassonne: South Seas over HTTP, WebSocket and server-sent events.",
    "description": """\
Create a game, share its tokens, read the legal moves and send one of them. Follow the diffs by polling, as an event
stream, or over the WebSocket that [/asyncapi.json](/asyncapi.json) describes. The guides are at [/docs](/docs).

**Compatibility.** `/v1` only grows: ignore fields, enumeration values and events that you do not know. Unknown fields
in a request are rejected. Responses contain every field, null if empty; null in a request, and an empty query
parameter, mean absent. Numbers are 32-bit integers; in a request `1.0` is one too.

**Versions.** Each change of a game is one version and one diff. Every response about a game has the `ETag`
`"VERSION-DIGEST"`, with the suffix `-fr` or `-de` if its texts are in that language, and `-gzip` or `-deflate` if it is
compressed. Send it in `If-None-Match` to get 304 while the game has not changed. Send it, or `"VERSION"`, in `If-Match`
to change exactly the version that you have; suffixes do not count, nor does `W/`. A diff's `patch` (RFC 6902), applied
to GAME, gives the next GAME.

**Lists.** Each list has an `ETag`, so that a repeated request may get 304. If there are more entries, `Link` has the
URL of the next page (`rel="next"`).

**Compression.** Responses over 1 KB are compressed with gzip or deflate as `Accept-Encoding` asks, except PNG, event
streams, and responses with tokens. Request bodies must not be compressed.

**Rate limits.** Each counted response has `RateLimit` and `RateLimit-Policy`.

**Coordinates.** x grows east, y grows south, and the start tile is at (0, 0). `rotation` counts quarter turns
clockwise. Half-edges are numbered clockwise from the north-west corner: 0 is the west half of n, 7 is the north half of
w. Turning a tile by r adds r to its edges and 2r to its half-edges.

**Languages.** Texts for people (legal moves, the story) are in English, French or German, as `Accept-Language`
requests. Move ids, events and problems do not depend on the language; the `detail` of a problem is in English.

**Retries.** Every POST accepts an `Idempotency-Key`: for 24 hours, a second request with the same key and body is not
applied again. Its response has `Idempotent-Replayed: true` and the first response's status, `version`, `digest`,
`diffs` and tokens; `game`, `next` and `legal_moves` are current. A token may use 1000 keys in a game within 24 hours.
Where a response contains tokens, the key must be a secret of 32 or more random characters; after 10 minutes it returns
them only with the `Api-Key` or `Creator-Key` of the first request, and is `key_reused` without.

**Problems.** Errors are `application/problem+json` documents (RFC 9457) with a `code` for programs. Every path supports
HEAD, where it supports GET, and OPTIONS. Every origin may read every response. The upgrade to a WebSocket, which is no
operation of this document, has the problem 426 `upgrade_required` if it is no upgrade to version 13.
""",
}

TAGS = [
    {"name": "games", "description": "Create, list, join, read and abort games."},
    {"name": "playing", "description": "Read the legal moves, act, and follow the game."},
    {"name": "tile sets", "description": "The tiles and ships that games are played with."},
    {"name": "webhooks", "description": "Register servers that receive the changes of a game."},
    {"name": "callbacks", "description": "The requests that the service sends to a webhook's URL."},
    {"name": "API keys", "description": "For hosts of many players: all games of a key."},
    {"name": "service", "description": "Health, API documents and the web page."},
]

SECURITY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the game. The owner token acts for every seat filled at creation and manages the "
        "game, a seat token acts for its seat, and the spectator token reads. A public game can be read without a "
        "token; a private game without one of its tokens is 404.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "Api-Key",
        "description": "The secret of an API key, which the operator gives to hosts of many players, such as a chat "
        "bot. Requests with a key count against its quotas in place of the limits of the client's address. "
        "It is not for web pages, whose readers would see it.",
    },
}


WEBHOOK_HEADERS: list[dict[str, Any]] = [
    {"name": name, "in": "header", "required": True, "description": description, "schema": {"type": "string"}}
    for name, description in (
        ("webhook-id", "The message's id, the same for every attempt, for example `k7m2x9qd4t1w.18.w4k8x1m7q2zc`."),
        ("webhook-timestamp", "The time of this attempt in Unix seconds."),
        ("webhook-signature", "`v1,` and the HMAC-SHA256, in base64, of id, timestamp and body joined by full stops."),
    )
]
"""The headers of a webhook request."""


def _header(description: str, example: str | None = None, *, required: bool = False, **schema: Any) -> dict[str, Any]:
    needed = {"required": True} if required else {}
    header = {"description": description, **needed, "schema": {"type": "string", **schema}}
    return header if example is None else {**header, "example": example}


HEADERS: dict[str, Any] = {
    "ETag": _header(
        'The entity tag of the response; `"VERSION-DIGEST"` for a game.',
        '"17-0f3a5c1e9b7d2846a0c4e8f1b3d59627"',
        required=True,
        pattern='^"[!#-~]+"$',
    ),
    "Idempotent-Replayed": _header(
        "`true` if an earlier request with the same `Idempotency-Key` was applied, and this one was not.",
        "true",
        enum=["true"],
    ),
    "Link": _header("The next page, if there is one (RFC 8288).", '</v1/games?limit=50&cursor=50>; rel="next"'),
    "Content-Language": _header("The language of the texts, if the response contains any.", "fr"),
    "Location": _header("The path of the new resource.", "/v1/games/k7m2x9qd4t1w", required=True),
    "Cache-Control": _header("The response may be cached forever.", CACHE_IMMUTABLE, required=True),
    "Preference-Applied": _header(f"`{PREFER_REPRESENTATION}` if the request preferred it.", PREFER_REPRESENTATION),
    "Retry-After": _header("Seconds to wait before the next attempt.", "1", required=True, pattern="^[0-9]+$"),
    "RateLimit": _header(
        "The rate limit, its remaining quota, and the seconds until the quota is full again, or with 429 until some of "
        "it is available (draft-ietf-httpapi-ratelimit-headers-11).",
        '"requests";r=0;t=1',
    ),
    "RateLimit-Policy": _header(
        "The rate limit's quota, and the seconds in which it refills.", '"requests";q=2500;w=10'
    ),
    "WWW-Authenticate": _header(
        "The authentication scheme.", 'Bearer realm="south-seas", error="invalid_token"', required=True
    ),
    "Accept-Encoding": _header(
        "Empty if the body had another `Content-Encoding` than `identity`: none is accepted (RFC 9110, 15.5.16)."
    ),
    "Allow": _header("The methods that the path supports.", "GET, HEAD, OPTIONS", required=True),
}

PROBLEM_HEADERS = {
    401: ["WWW-Authenticate"],
    405: ["Allow"],
    415: ["Accept-Encoding"],
    429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
    503: ["Retry-After"],
}
"""The headers of a problem, by status."""

_EXAMPLE_ERRORS = (
    games.Malformed("Expected `str`, got `int`", "$.players[0].name"),
    games.ApiKeyRejected(UNKNOWN_KEY),
    games.Unauthorized(missing=False),
    games.WrongSeat(1),
    games.NotOwner(),
    problems.OriginNotAllowed("https://example.org"),
    games.NoSuchGame("k7m2x9qd4t1w"),
    games.GameNotActive("finished"),
    games.GameNotFinished("active"),
    games.NotYourTurn(0, 1),
    games.SeatPlayedByBot(1),
    games.SeatNotPlayedByBot(1),
    games.SeatResigned(1),
    games.NothingToUndo(1),
    games.NoOpenSeat(),
    games.TooManyWebhooks(10),
    games.Conflict("red is taken"),
    games.VersionMismatch(18, bytes.fromhex("5b0d7e2c9a4f1836e0d2c4b6a8f09173")),
    problems.BodyTooLarge(65_536),
    problems.TargetTooLong(2_048),
    problems.UnsupportedMediaType(),
    games.MoveRejected("R3.3", "an edge does not continue its neighbour's", 0),
    problems.UpgradeRequired(),
    games.ListTooLong(2),
    games.IdempotencyKeyReused(),
    games.WebhookUrlRejected("10.0.0.7 is not a public address"),
    games.UnknownTileSet("atoll"),
    games.UnknownBot("clever", 1, "expert, greedy, random"),
    problems.RateLimited("requests", 1, Limits().rate_requests),
    problems.UnknownTransferCoding(),
    UnreadableGame(""),
    problems.ShuttingDown(),
    problems.BackgroundTaskFailing("scheduler"),
    Exception(),
)

PROBLEM_EXAMPLES: dict[str, Problem] = {one.code: one for one in map(to_problem, _EXAMPLE_ERRORS)} | {
    "method_not_allowed": problem("method_not_allowed", "PUT is not one of GET, HEAD, OPTIONS")
}
"""An example of each problem, by code."""
