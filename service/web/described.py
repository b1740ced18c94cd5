"""The parts of the OpenAPI document that no declaration holds: its introduction, headers and examples."""

from typing import Any

from schemas.problems import Problem, problem
from schemas.vocabulary import ID, SHIP_ID
from service.web.answers import IMMUTABLE
from service.web.asked import MAX_KEY, REPRESENTATION

INFO: dict[str, Any] = {
    "title": "South Seas",
    "version": "1.0.0",
    "license": {"name": "MIT", "identifier": "MIT"},
    "summary": "Play Carcassonne: South Seas over HTTP, WebSocket and server-sent events.",
    "description": """\
Create a game, share its tokens, ask for the legal moves, send one of them; follow the diffs by polling, as an event
stream, or over the WebSocket that [/asyncapi.json](/asyncapi.json) describes. [/docs](/docs) has it all for reading.

**Growth.** `/v1` only grows: ignore fields, enumeration values, events and query parameters that you do not know. An
unknown field in a request is refused. Answers carry every field, null where empty; in requests null is absent.

**Versions.** Every change of a game is one version and one diff. `ETag` is `"VERSION-DIGEST"` of the game on every
answer that tells of one, with `-fr` or `-de` behind it where the texts are in that language: send it in
`If-None-Match` to get 304 while nothing has changed, and it, or `"VERSION"`, in `If-Match` to change exactly what you
saw. Applying a diff's `patch` (RFC 6902) to GAME gives the next GAME.

**Coordinates.** x grows east, y grows south, the start tile lies at (0, 0). `rotation` counts quarter turns clockwise.
Half-edges are numbered clockwise from the north-west corner: 0 is n's west half, 7 is w's north half. Turning a tile by
r adds r to its edges and 2r to its half-edges.

**Languages.** What people read (legal moves, the story) comes in English, French or German, as `Accept-Language` asks.
Move ids, events and problems are the same for everybody; a problem's `detail` is English.

**Retries.** Every POST takes an `Idempotency-Key`: for 24 hours the same key with the same body does nothing again. The
second answer carries `Idempotent-Replayed: true` and the first one's status, `version`, `digest`, `diffs` and tokens;
`game`, `next` and `legal_moves` are as they are now. A token may use 1000 keys in a game within 24 hours. Where
tokens are handed out it must be a secret of 32 or more random characters.

**Problems.** Whatever is refused is answered as `application/problem+json` (RFC 9457), `code` being for programs. Every
path answers HEAD and OPTIONS; every origin may read every answer.
""",
}

TAGS = [
    {"name": "games", "description": "Create, list, join, read and abort games."},
    {"name": "playing", "description": "Ask what may be done, do it, and follow what happens."},
    {"name": "tile sets", "description": "The tiles and ships that games are played with."},
    {"name": "webhooks", "description": "Let a server be told what happens."},
    {"name": "service", "description": "The service itself."},
]

SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the game: the owner's acts for every seat filled at creation and manages the game, "
        "a seat's acts for its seat, the spectator's reads. A public game is read without one; a private game without "
        "one of its tokens is 404.",
    }
}

PARAMETERS: dict[str, Any] = {
    "id": {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "What is no id is answered as an unknown one.",
        "schema": {"type": "string", "pattern": f"^{ID}$"},
        "example": "k7m2x9qd4t1w",
    },
    "If-Match": {
        "name": "If-Match",
        "in": "header",
        "description": 'Versions that the game must have for this to be done: a list of `"VERSION-DIGEST"` or '
        '`"VERSION"`, as `"17"`, or `*` for any. A weak tag matches none.',
        "schema": {"type": "string"},
    },
    "Accept-Language": {
        "name": "Accept-Language",
        "in": "header",
        "description": "The languages that texts may be in, best first, as `fr-CA, fr;q=0.9, en;q=0.5`; English where "
        "none of them is ours.",
        "schema": {"type": "string"},
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The `ETag` of what you have: 304 where it is still that.",
        "schema": {"type": "string"},
    },
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Chosen by you for this request and its retries: printable ASCII, counted per path and token.",
        "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": "^[ -~]*$"},
    },
    "Idempotency-Key-secret": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Chosen by you for this request and its retries. The tokens are made of it, so it must be a "
        "secret of 32 or more random characters of printable ASCII, as `openssl rand -hex 16` gives: one that repeats "
        "itself or counts is refused. It is never stored.",
        "schema": {"type": "string", "minLength": 32, "maxLength": MAX_KEY, "pattern": "^[ -~]*$"},
    },
    "Creator-Key": {
        "name": "Creator-Key",
        "in": "header",
        "description": "A secret of random characters that whoever creates games for others, as a chat bot, makes once "
        "and for all (`openssl rand -hex 16`); one that repeats itself or counts is refused. It is "
        "stored only hashed, and finds the games and seats that it came with: `GET /v1/seats/me/games`.",
        "schema": {"type": "string", "minLength": 32, "maxLength": 202, "pattern": "^[A-Za-z0-9._~+/-]+=*$"},
    },
    "seat": {
        "name": "seat",
        "in": "path",
        "required": True,
        "description": "A seat's number.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 4},
        "example": 1,
    },
    "hook": {
        "name": "hook",
        "in": "path",
        "required": True,
        "description": "A webhook's id.",
        "schema": {"type": "string", "pattern": f"^{ID}$"},
        "example": "w4k8x1m7q2zc",
    },
    "tile": {
        "name": "tile",
        "in": "path",
        "required": True,
        "description": "The id of a type of tile.",
        "schema": {"type": "string", "pattern": f"^{ID}$"},
        "example": "junction-4",
    },
    "ship": {
        "name": "ship",
        "in": "path",
        "required": True,
        "description": "A ship's id.",
        "schema": {"type": "string", "pattern": f"^{SHIP_ID}$"},
        "example": "s16",
    },
    "Prefer": {
        "name": "Prefer",
        "in": "header",
        "description": f"`{REPRESENTATION}` puts the whole GAME into the answer (RFC 7240).",
        "schema": {"type": "string"},
    },
    "Last-Event-ID": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "`VERSION-DIGEST` of the last event that you have: an event stream goes on after it.",
        "schema": {"type": "string"},
    },
}

SENT_WITH: list[dict[str, Any]] = [
    {
        "name": name,
        "in": "header",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
    }
    for name, description in (
        ("webhook-id", "Equal however often the message is sent, as `k7m2x9qd4t1w.18.w4k8x1m7q2zc`."),
        ("webhook-timestamp", "The Unix second of this attempt."),
        ("webhook-signature", "`v1,` and HMAC-SHA256 in base64 of id, timestamp and body, joined by full stops."),
    )
]
"""The headers of a webhook's message."""

HEADERS: dict[str, Any] = {
    "ETag": {
        "description": 'What this answer tells of, as `"VERSION-DIGEST"` where it tells of a game.',
        "required": True,
        "schema": {"type": "string", "pattern": '^"[!#-~]+"$'},
        "example": '"17-0f3a5c1e9b7d2846a0c4e8f1b3d59627"',
    },
    "Idempotent-Replayed": {
        "description": "`true` where the request was done before with the same `Idempotency-Key`, and not again.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "Content-Language": {
        "description": "The language of the texts, where the answer holds any.",
        "schema": {"type": "string"},
        "example": "fr",
    },
    "Location": {
        "description": "The path of what is new.",
        "required": True,
        "schema": {"type": "string"},
        "example": "/v1/games/k7m2x9qd4t1w",
    },
    "Cache-Control": {
        "description": "It may be kept for ever.",
        "required": True,
        "schema": {"type": "string"},
        "example": IMMUTABLE,
    },
    "Preference-Applied": {
        "description": f"`{REPRESENTATION}` where that was preferred.",
        "schema": {"type": "string"},
        "example": REPRESENTATION,
    },
    "Retry-After": {
        "description": "Seconds to wait before the next attempt.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
        "example": "1",
    },
    "RateLimit": {
        "description": "What is left of which limit, and the seconds until all of it is there again, or with 429 until "
        "there is some (draft-ietf-httpapi-ratelimit-headers-11).",
        "schema": {"type": "string"},
        "example": '"writes";r=0;t=1',
    },
    "RateLimit-Policy": {
        "description": "That limit: how much at once, and the seconds that fill it again.",
        "schema": {"type": "string"},
        "example": '"writes";q=1000;w=10',
    },
    "WWW-Authenticate": {
        "description": "How to say who you are.",
        "required": True,
        "schema": {"type": "string"},
        "example": 'Bearer realm="south-seas", error="invalid_token"',
    },
    "Accept-Encoding": {
        "description": "Empty where the body had a `Content-Encoding`: none is accepted (RFC 9110, 15.5.16).",
        "schema": {"type": "string"},
    },
    "Allow": {
        "description": "The methods that this path answers.",
        "required": True,
        "schema": {"type": "string"},
        "example": "GET, HEAD, OPTIONS",
    },
}

PROBLEM_HEADERS = {
    401: ["WWW-Authenticate"],
    405: ["Allow"],
    415: ["Accept-Encoding"],
    429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
    503: ["Retry-After"],
}
"""The headers of a problem by its status."""

_PROBLEMS = (
    problem("malformed", "Expected `str`, got `int`", path="$.players[0].name"),
    problem("unauthorized", "this token opens nothing here"),
    problem("wrong_seat", "this token does not act for seat 1"),
    problem("not_owner", "this token is not the owner's"),
    problem("origin_refused", "pages of https://example.org may not open sockets and event streams here"),
    problem("not_found", "there is no game k7m2x9qd4t1w, or it is private and this token does not open it"),
    problem("method_not_allowed", "PUT is none of GET, HEAD, OPTIONS"),
    problem("not_active", "the game is finished"),
    problem("not_over", "the game is active: a rematch is of one that is finished or aborted"),
    problem("not_your_turn", "seat 1 decides now, not seat 0"),
    problem("replaced", "a bot stands in for seat 1: return first"),
    problem("not_replaced", "no bot stands in for seat 1"),
    problem("resigned", "seat 1 has resigned"),
    problem("nothing_to_undo", "seat 1 has done nothing since something hidden was revealed, or somebody else acted"),
    problem("no_open_seat", "every seat is taken, or the game is over"),
    problem("limit_reached", "a game has 10 webhooks at most: delete one first"),
    problem("conflict", "red is taken"),
    problem(
        "version_mismatch",
        "the game has version 18 now",
        version=18,
        digest="5b0d7e2c9a4f1836e0d2c4b6a8f09173",
    ),
    problem("too_large", "a body may have 65536 bytes at most"),
    problem("unsupported_media_type", "send Content-Type: application/json"),
    problem("illegal_move", "an edge does not continue its neighbour's", rule="R3.3", index=0),
    problem("list_too_long", "the action before this one reveals something hidden: look at it first", index=2),
    problem("key_reused", "this key came with another request before"),
    problem("url_refused", "10.0.0.7 is not an address of the public internet", path="$.url"),
    problem("unknown_tileset", "there is no tile set atoll", path="$.tileset"),
    problem("unknown_bot", "there is no bot clever", path="$.players[1].bot"),
    problem("rate_limited", "too many requests: wait", retry_after_s=1),
    problem("internal", "this is the service's fault, not yours"),
    problem("store_unavailable", "what was asked may have been done: ask again with the same key", retry_after_s=1),
)

PROBLEMS: dict[str, Problem] = {one.code: one for one in _PROBLEMS}
"""An example of each kind."""
