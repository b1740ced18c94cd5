"""The problem of each error: its code, its members and its headers."""

import json
from typing import Any

import msgspec
import pytest

from schemas.lobby import CreateGame
from service.games import errors as games
from service.games import ports as store
from service.i18n import LANGUAGES
from service.web import problems
from service.web.problems import error_response, problem_response, to_malformed, to_problem
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import mocked_request

Members = dict[str, Any]

KEY = {"Idempotency-Key": "k"}
DIGEST = "d" * 32
SWEEP = "the background task sweep of this instance keeps failing"

CASES: tuple[tuple[Exception, str, Members], ...] = (
    (games.Malformed("bad", "$.x"), "malformed", {"path": "$.x"}),
    (games.Malformed("bad"), "malformed", {}),
    (
        games.Unauthorized(missing=True),
        "unauthorized",
        {"detail": f"a bearer token is required: {games.HOW_TO_AUTHENTICATE}"},
    ),
    (games.Unauthorized(missing=False), "unauthorized", {"detail": games.Unauthorized(missing=False).reason}),
    (games.ApiKeyRejected("unknown"), "unauthorized", {"detail": "unknown"}),
    (
        games.WrongSeat(None, 3),
        "wrong_seat",
        {"index": 3, "detail": "this token only reads: send a seat's or the owner's"},
    ),
    (games.WrongSeat(2, 3), "wrong_seat", {"index": 3, "detail": "this token does not act for this seat"}),
    (games.NoOwnGames(missing=True), "unauthorized", {}),
    (games.NotOwner(), "not_owner", {}),
    (games.NoSuchGame("abc"), "not_found", {}),
    (games.TileSetMissing("mine"), "store_unavailable", {"retry_after_s": 1}),
    (games.UnknownTileSet("mine"), "unknown_tileset", {"path": "$.tileset"}),
    (games.UnknownBot("deep", 2, "greedy, random"), "unknown_bot", {"path": "$.players[2].bot"}),
    (games.NoSuchTileSet("mine"), "not_found", {}),
    (games.GameNotActive("waiting"), "not_active", {}),
    (games.NoSuchWebhook("h"), "not_found", {}),
    (games.NoSuchSeat(3, 1), "not_found", {"index": 1}),
    (games.TooManyWebhooks(10), "limit_reached", {}),
    (games.WebhookUrlRejected("private"), "url_refused", {"path": "$.url"}),
    (games.GameNotFinished("active"), "not_over", {}),
    (games.NotYourTurn(1, 2, 0), "not_your_turn", {"index": 0}),
    (games.SeatPlayedByBot(1), "replaced", {}),
    (games.SeatNotPlayedByBot(1), "not_replaced", {}),
    (games.SeatResigned(1), "resigned", {}),
    (games.NothingToUndo(1), "nothing_to_undo", {}),
    (games.NoOpenSeat(), "no_open_seat", {}),
    (games.Conflict("too many"), "conflict", {}),
    (games.RematchExists("xyz"), "conflict", {"next_game": "xyz"}),
    (
        games.VersionMismatch(7, b"\xdd" * 16),
        "version_mismatch",
        {"version": 7, "digest": DIGEST, "detail": f'the game has version 7: read it, and send If-Match: "7-{DIGEST}"'},
    ),
    (games.MoveRejected("R5.6", "no", 1), "illegal_move", {"rule": "R5.6", "index": 1}),
    (games.ListTooLong(4), "list_too_long", {"index": 4}),
    (games.TooManyIdempotencyKeys(9), "rate_limited", {"retry_after_s": 9}),
    (games.IdempotencyKeyReused(), "key_reused", {}),
    (games.TokensNoLongerShown(), "key_reused", {}),
    (store.UnreadableGame("damaged"), "store_unavailable", {"retry_after_s": 1}),
    (store.GameOfLaterRelease("schema 2"), "store_unavailable", {"retry_after_s": 1}),
    (store.ArchiveUnavailable("away"), "store_unavailable", {"retry_after_s": 5}),
    (store.StoreBusy("many"), "store_unavailable", {"retry_after_s": 1}),
    (store.StoreUnavailable("gone", 5), "store_unavailable", {"retry_after_s": 5}),
    (problems.NoSuchPath(), "not_found", {"detail": "there is no such path"}),
    (problems.MethodNotAllowed("PUT", "GET"), "method_not_allowed", {"detail": "PUT is not one of GET"}),
    (problems.NoSuchPiece("tile x", ""), "not_found", {}),
    (problems.NoSuchVersion(9, 7), "not_found", {"detail": "the game has no version 9: the latest is 7"}),
    (problems.TooManyWaiting("replays", 16), "rate_limited", {"retry_after_s": 1}),
    (problems.RateLimited("reads", 4, store.RateLimit(1, 1)), "rate_limited", {"retry_after_s": 4}),
    (problems.TooManyConnections("sockets", 5, "max-sockets"), "rate_limited", {"retry_after_s": 10}),
    (problems.InstanceFull("connections", 5, "max-connections"), "instance_unavailable", {"retry_after_s": 10}),
    (problems.OriginNotAllowed("https://x.example"), "origin_refused", {}),
    (problems.ShuttingDown(), "draining", {"retry_after_s": 1}),
    (problems.RenderingFailed("too large"), "instance_unavailable", {"retry_after_s": 60}),
    (problems.BackgroundTaskFailing("sweep"), "instance_unavailable", {"retry_after_s": 1, "detail": SWEEP}),
    (problems.BodyTooLarge(100), "too_large", {"detail": "the body may have at most 100 bytes"}),
    (problems.UpgradeRequired(), "upgrade_required", {}),
    (problems.UnsupportedMediaType(), "unsupported_media_type", {}),
    (problems.EncodedBody(), "unsupported_media_type", {}),
    (problems.TargetTooLong(100), "uri_too_long", {"detail": "path and query may have at most 100 bytes"}),
    (problems.UnknownTransferCoding(), "not_implemented", {}),
    (ZeroDivisionError("secret"), "internal", {"detail": "internal server error"}),
)

OPTIONAL = ("path", "rule", "index", "version", "digest", "next_game", "retry_after_s")


@pytest.mark.parametrize(("error", "code", "members"), CASES, ids=lambda case: type(case).__name__)
def test_each_error_has_its_problem(error: Exception, code: str, members: Members) -> None:
    document = msgspec.to_builtins(to_problem(error))
    assert document["code"] == code
    assert {name: document.get(name) for name in OPTIONAL} == {name: members.get(name) for name in OPTIONAL}
    assert "{" not in document["detail"]
    assert members.get("detail", document["detail"]) == document["detail"]


def _name_refusal(name: str) -> games.Malformed:
    with pytest.raises(msgspec.ValidationError, match="name") as refusal:
        msgspec.convert({"players": [{"name": name}, {"name": "Bo"}]}, CreateGame)
    return to_malformed(refusal.value, CreateGame)


GIVEN = (games.Malformed, games.ApiKeyRejected, games.WebhookUrlRejected, games.MoveRejected, games.Conflict)
"""Errors whose text is given where they are raised."""

WORDED: dict[Exception, str] = {
    _name_refusal("\u0958" * 17): "die NFC-Form des Namens hat mehr als 32 Zeichen",
    _name_refusal("\u0301"): "der Name hat kein sichtbares Zeichen",
    _name_refusal("a\u200bb"): "das 2. Zeichen des Namens (U+200B) ist ein Steuer- oder Formatzeichen",
    _name_refusal("a\u3164"): "das 2. Zeichen des Namens (U+3164) ist unsichtbar",
    _name_refusal("a\u200d"): "das 2. Zeichen des Namens (U+200D) verbindet nichts",
    games.GameNotActive("waiting"): "das Spiel wartet noch auf Spieler",
    games.Unauthorized(missing=False, is_malformed=True): "das ist kein Token: sende Authorization: Bearer TOKEN, "
    "ohne Anführungszeichen, oder über einen WebSocket eine Nachricht `auth` mit `game`, und TOKEN allein als `token`",
    problems.RateLimited("reads", 100, store.RateLimit(1, 2)): "zu viele Anfragen (Grenze reads: 1 in 2 s): "
    "versuche es in 2 min noch einmal",
    store.StoreUnavailable("gone"): "der Speicher antwortet nicht; es wurde nichts geändert: versuche es noch einmal",
}


@pytest.mark.parametrize("error", (*(one for one, *_ in CASES if not isinstance(one, GIVEN)), *WORDED))
def test_a_detail_is_in_the_language_of_its_reader(error: Exception) -> None:
    english, french, german = (to_problem(error, language=language).detail for language in LANGUAGES)
    assert len({english, german, french}) == 3
    assert WORDED.get(error, german) == german
    assert "{" not in german + french


def test_an_error_has_a_hash() -> None:
    """Tracebacks and loggers keep the errors that they have seen in sets."""
    assert len({error for error, _, _ in CASES}) == len(CASES)


def test_every_error_is_among_these() -> None:
    """Of a base of others only those."""
    kinds = {kind for module in (games, store, problems) for kind in vars(module).values() if isinstance(kind, type)}
    leaves = {kind for kind in kinds if issubclass(kind, games.ServiceError) and not kind.__subclasses__()}
    assert leaves <= {type(error) for error, _, _ in CASES}


@pytest.mark.parametrize(
    ("error", "status", "headers"),
    (
        (games.Unauthorized(missing=True), 401, {"WWW-Authenticate": 'Bearer realm="south-seas"'}),
        (
            games.Unauthorized(missing=False),
            401,
            {"WWW-Authenticate": 'Bearer realm="south-seas", error="invalid_token"'},
        ),
        (games.ApiKeyRejected("unknown"), 401, {"WWW-Authenticate": 'Api-Key realm="south-seas"'}),
        (
            problems.RateLimited("reads", 4, store.RateLimit(1, 1)),
            429,
            {"Retry-After": "4", "RateLimit": '"reads";r=0;t=4', "RateLimit-Policy": '"reads";q=1;w=1'},
        ),
        (problems.EncodedBody(), 415, {"Accept-Encoding": ""}),
        (problems.MethodNotAllowed("PUT", "GET, OPTIONS"), 405, {"Allow": "GET, OPTIONS"}),
        (
            problems.UpgradeRequired(),
            426,
            {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"},
        ),
        (store.StoreUnavailable("gone", 5), 503, {"Retry-After": "5"}),
        (games.NotOwner(), 403, {}),
    ),
    ids=lambda case: type(case).__name__,
)
def test_the_response_to_an_error_has_its_headers(error: Exception, status: int, headers: dict[str, str]) -> None:
    before, document = read_samples(), to_problem(error)
    response = error_response(error, mocked_request("GET", "/"))
    assert response.status == status
    assert response.headers == {"Content-Type": "application/problem+json", "Cache-Control": "no-cache", **headers}
    assert response.text is not None
    assert json.loads(response.text)["code"] == document.code
    assert grown(before, "problems_total", code=document.code, via="http") == 1


@pytest.mark.parametrize(
    ("method", "headers", "outcome"),
    (
        *((method, {}, "nothing was changed: retry") for method in ("GET", "HEAD", "OPTIONS")),
        *((method, {}, "the request may have been applied, and may be repeated") for method in ("DELETE", "PATCH")),
        ("POST", {}, "the request may have been applied: check that before you send it again"),
        ("POST", KEY, "the request may have been applied: retry with the same Idempotency-Key"),
        ("GET", KEY, "nothing was changed: retry"),
    ),
)
def test_in_an_outage_the_problem_says_what_was_done(method: str, headers: dict[str, str], outcome: str) -> None:
    request = mocked_request(method, "/", headers)
    for error, cause in (
        (store.StoreUnavailable("gone"), "the store does not respond"),
        (store.StoreBusy("many"), "too many commands wait for the store"),
    ):
        response = error_response(error, request)
        assert response.text is not None
        assert json.loads(response.text)["detail"] == f"{cause}; {outcome}"


def test_a_problem_may_have_more_headers() -> None:
    document = to_problem(problems.TooManyWaiting("replays", 16))
    response = problem_response(document, {"X-More": "1", "Cache-Control": "no-store"})
    assert (response.headers["X-More"], response.headers["Retry-After"]) == ("1", "1")
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("error", "detail", "path"),
    (
        (msgspec.ValidationError("Expected `int` - at `$.x`"), "Expected `int`", "$.x"),
        (msgspec.ValidationError("Expected `int`"), "Expected `int`", "$"),
        (
            msgspec.ValidationError("Object missing required field `a` - at `$.x`"),
            "Object missing required field `a`",
            "$.x.a",
        ),
        (msgspec.ValidationError("`name`: too many - at `$.x`"), "too many", "$.x.name"),
        (msgspec.DecodeError("JSON is malformed"), "JSON is malformed", "$"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), "the body is not UTF-8", "$"),
        (RecursionError("deep"), "the body is nested too deeply", "$"),
    ),
)
def test_a_decoding_error_says_what_is_wrong_and_where(error: Any, detail: str, path: str) -> None:
    malformed = to_malformed(error, dict[str, int])
    assert (malformed.detail, malformed.path) == (detail, path)
