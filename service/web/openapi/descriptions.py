"""The parts of the OpenAPI document that no declaration holds: its introduction, headers and examples."""

from typing import Any

from schemas.problems import Problem, problem
from schemas.vocabulary import ID, SHIP_ID
from service.games import errors as games
from service.games.ports import StoreUnavailable
from service.web import errors
from service.web.parsing import MAX_IDEMPOTENCY_KEY_LENGTH, PREFER_REPRESENTATION
from service.web.problems import to_problem
from service.web.responses import CACHE_IMMUTABLE

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

SECURITY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the game: the owner's acts for every seat filled at creation and manages the game, "
        "a seat's acts for its seat, the spectator's reads. A public game is read without one; a private game without "
        "one of its tokens is 404.",
    }
}


def _parameter(name: str, where: str, description: str, example: Any = None, **schema: Any) -> dict[str, Any]:
    needed = {"required": True} if where == "path" else {}
    parameter = {"name": name, "in": where, **needed, "description": description, "schema": {"type": "string"} | schema}
    return parameter if example is None else {**parameter, "example": example}


PARAMETERS: dict[str, Any] = {
    "id": _parameter("id", "path", "What is no id is answered as an unknown one.", "k7m2x9qd4t1w", pattern=f"^{ID}$"),
    "If-Match": _parameter(
        "If-Match",
        "header",
        'Versions that the game must have for this to be done: a list of `"VERSION-DIGEST"` or '
        '`"VERSION"`, as `"17"`, or `*` for any. A weak tag matches none.',
    ),
    "Accept-Language": _parameter(
        "Accept-Language",
        "header",
        "The languages that texts may be in, best first, as `fr-CA, fr;q=0.9, en;q=0.5`; English where "
        "none of them is ours.",
    ),
    "If-None-Match": _parameter("If-None-Match", "header", "The `ETag` of what you have: 304 where it is still that."),
    "Idempotency-Key": _parameter(
        "Idempotency-Key",
        "header",
        "Chosen by you for this request and its retries: printable ASCII, counted per path and token.",
        minLength=1,
        maxLength=MAX_IDEMPOTENCY_KEY_LENGTH,
        pattern="^[ -~]*$",
    ),
    "Idempotency-Key-secret": _parameter(
        "Idempotency-Key",
        "header",
        "Chosen by you for this request and its retries. The tokens are made of it, so it must be a "
        "secret of 32 or more random characters of printable ASCII, as `openssl rand -hex 16` gives: one that repeats "
        "itself or counts is refused. It is never stored.",
        minLength=32,
        maxLength=MAX_IDEMPOTENCY_KEY_LENGTH,
        pattern="^[ -~]*$",
    ),
    "Creator-Key": _parameter(
        "Creator-Key",
        "header",
        "A secret of random characters that whoever creates games for others, as a chat bot, makes once "
        "and for all (`openssl rand -hex 16`); one that repeats itself or counts is refused. It is "
        "stored only hashed, and finds the games and seats that it came with: `GET /v1/seats/me/games`.",
        minLength=32,
        maxLength=202,
        pattern="^[A-Za-z0-9._~+/-]+=*$",
    ),
    "seat": _parameter("seat", "path", "A seat's number.", 1, type="integer", minimum=0, maximum=4),
    "hook": _parameter("hook", "path", "A webhook's id.", "w4k8x1m7q2zc", pattern=f"^{ID}$"),
    "tile": _parameter("tile", "path", "The id of a type of tile.", "junction-4", pattern=f"^{ID}$"),
    "ship": _parameter("ship", "path", "A ship's id.", "s16", pattern=f"^{SHIP_ID}$"),
    "Prefer": _parameter(
        "Prefer", "header", f"`{PREFER_REPRESENTATION}` puts the whole GAME into the answer (RFC 7240)."
    ),
    "Last-Event-ID": _parameter(
        "Last-Event-ID",
        "header",
        "`VERSION-DIGEST` of the last event that you have: an event stream goes on after it.",
    ),
}

WEBHOOK_HEADERS: list[dict[str, Any]] = [
    {"name": name, "in": "header", "required": True, "description": description, "schema": {"type": "string"}}
    for name, description in (
        ("webhook-id", "Equal however often the message is sent, as `k7m2x9qd4t1w.18.w4k8x1m7q2zc`."),
        ("webhook-timestamp", "The Unix second of this attempt."),
        ("webhook-signature", "`v1,` and HMAC-SHA256 in base64 of id, timestamp and body, joined by full stops."),
    )
]
"""The headers of a webhook's message."""


def _header(description: str, example: str | None = None, *, required: bool = False, **schema: Any) -> dict[str, Any]:
    needed = {"required": True} if required else {}
    header = {"description": description, **needed, "schema": {"type": "string", **schema}}
    return header if example is None else {**header, "example": example}


HEADERS: dict[str, Any] = {
    "ETag": _header(
        'What this answer tells of, as `"VERSION-DIGEST"` where it tells of a game.',
        '"17-0f3a5c1e9b7d2846a0c4e8f1b3d59627"',
        required=True,
        pattern='^"[!#-~]+"$',
    ),
    "Idempotent-Replayed": _header(
        "`true` where the request was done before with the same `Idempotency-Key`, and not again.",
        "true",
        enum=["true"],
    ),
    "Content-Language": _header("The language of the texts, where the answer holds any.", "fr"),
    "Location": _header("The path of what is new.", "/v1/games/k7m2x9qd4t1w", required=True),
    "Cache-Control": _header("It may be kept for ever.", CACHE_IMMUTABLE, required=True),
    "Preference-Applied": _header(f"`{PREFER_REPRESENTATION}` where that was preferred.", PREFER_REPRESENTATION),
    "Retry-After": _header("Seconds to wait before the next attempt.", "1", required=True, pattern="^[0-9]+$"),
    "RateLimit": _header(
        "What is left of which limit, and the seconds until all of it is there again, or with 429 until "
        "there is some (draft-ietf-httpapi-ratelimit-headers-11).",
        '"writes";r=0;t=1',
    ),
    "RateLimit-Policy": _header(
        "That limit: how much at once, and the seconds that fill it again.", '"writes";q=1000;w=10'
    ),
    "WWW-Authenticate": _header(
        "How to say who you are.", 'Bearer realm="south-seas", error="invalid_token"', required=True
    ),
    "Accept-Encoding": _header("Empty where the body had a `Content-Encoding`: none is accepted (RFC 9110, 15.5.16)."),
    "Allow": _header("The methods that this path answers.", "GET, HEAD, OPTIONS", required=True),
}

PROBLEM_HEADERS = {
    401: ["WWW-Authenticate"],
    405: ["Allow"],
    415: ["Accept-Encoding"],
    429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
    503: ["Retry-After"],
}
"""The headers of a problem by its status."""

_EXAMPLE_ERRORS = (
    games.Malformed("Expected `str`, got `int`", "$.players[0].name"),
    games.Unauthorized(missing=False),
    games.WrongSeat(1),
    games.NotOwner(),
    errors.OriginNotAllowed("https://example.org"),
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
    games.VersionMismatch(18, "5b0d7e2c9a4f1836e0d2c4b6a8f09173"),
    errors.BodyTooLarge(65_536),
    errors.UnsupportedMediaType(),
    games.MoveRejected("R3.3", "an edge does not continue its neighbour's", 0),
    games.ListTooLong(2),
    games.IdempotencyKeyReused(),
    games.WebhookUrlRejected("10.0.0.7 is not an address of the public internet"),
    games.UnknownTileSet("atoll"),
    games.UnknownBot("clever", 1),
    errors.RateLimited("requests", 1, ""),
    StoreUnavailable(""),
    Exception(),
)

PROBLEM_EXAMPLES: dict[str, Problem] = {one.code: one for one in map(to_problem, _EXAMPLE_ERRORS)} | {
    "method_not_allowed": problem("method_not_allowed", "PUT is none of GET, HEAD, OPTIONS")
}
"""An example of each kind."""
