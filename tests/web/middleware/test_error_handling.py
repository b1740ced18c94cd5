"""HTTP on every path: methods, CORS, and problems for unknown paths."""

import json

import pytest

from schemas.problems import PROBLEM_TYPES, problem
from service.web.app import ROUTES
from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS, check_problem, create_game
from tests.web.raw_http import send_raw

METHODS = {route.path: {one.method for one in ROUTES if one.path == route.path} for route in ROUTES}
EXPOSED = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id"
REQUESTED = "authorization,baggage,cache-control,content-type,idempotency-key,sentry-trace,x-requested-with"


async def fill_path(client: Client, path: str) -> str:
    """Return a path with its parameters filled in: a tile set, or a new game."""
    id_ = "lagoon" if "tilesets" in path else (await create_game(client)).id
    return path.format_map({"id": id_, "hook": "none", "seat": "0", "tile": "cross", "ship": "s01"})


@pytest.mark.parametrize("path", sorted(METHODS))
async def test_options_lists_the_methods_of_a_path(client: Client, path: str) -> None:
    there = await fill_path(client, path)
    allowed = METHODS[path] | {"OPTIONS"} | ({"HEAD"} if "GET" in METHODS[path] else set())
    for method in ("PUT", "PATCH", "TRACE", "PROPFIND", "DELETE", "POST", "GET"):
        if method in allowed:
            continue
        response = await client.request(method, there)
        await check_problem(response, 405, "method_not_allowed")
        assert set(response.headers["Allow"].split(", ")) == allowed
    options = await client.options(there)
    assert (options.status, await options.read()) == (204, b"")
    assert set(options.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", sorted(path for path in METHODS if "GET" in METHODS[path]))
async def test_head_is_get_without_the_body(client: Client, path: str) -> None:
    there = await fill_path(client, path)
    head, get = await client.head(there), await client.get(there)
    assert (head.status, await head.read()) == (get.status, b"")
    assert head.headers.keys() == get.headers.keys()
    for name in ("Content-Type", "Content-Length", "Content-Encoding", "ETag", "Cache-Control", "Vary", "Link"):
        assert head.headers.get(name) == get.headers.get(name)


@pytest.mark.parametrize("path", sorted(METHODS))
async def test_preflight_allows_every_origin(client: Client, path: str) -> None:
    there, headers = await fill_path(client, path), {"Access-Control-Request-Headers": REQUESTED}
    for method in METHODS[path]:
        asked = {"Origin": "https://example.org", "Access-Control-Request-Method": method}
        response = await client.options(there, headers=headers | asked)
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert method in response.headers["Access-Control-Allow-Methods"].split(", ")
        assert response.headers["Access-Control-Allow-Headers"].split(", ") == REQUESTED.split(",")
        assert int(response.headers["Access-Control-Max-Age"]) > 0
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(("path", "method"), (("/nowhere", "GET"), ("/v1/games", "PUT"), ("/v1/games/none", "BREW")))
async def test_a_preflight_of_a_request_that_has_a_problem_lets_the_page_read_it(
    client: Client, path: str, method: str
) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": method}
    response = await client.options(path, headers={**asked, "Access-Control-Request-Headers": "x-one"})
    assert response.status == 204
    assert method in response.headers["Access-Control-Allow-Methods"].split(", ")
    assert response.headers["Access-Control-Allow-Headers"] == "x-one"
    assert (await client.options("/nowhere")).status == 404


@pytest.mark.parametrize("path", ("/v1/games", "/v1/bots", "/nowhere", "/docs"))
async def test_a_token_in_a_url_is_refused(client: Client, path: str) -> None:
    response = await client.get(path, params={"token": "a" * 43, "limit": "1"})
    problem = await response.json(content_type="application/problem+json")
    assert (response.status, problem["code"], problem["path"]) == (400, "malformed", "token")
    assert "aaa" not in problem["detail"]


async def test_a_preflight_lists_names_of_headers_only(client: Client) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    assert "Access-Control-Allow-Headers" not in (await client.options("/v1/games", headers=asked)).headers
    for requested, listed in (
        ("x-one , ,x-two\t", "x-one, x-two"),
        ('x-one;"<two>"', "x-one, two"),
        (",".join(["x-one"] * 100), ", ".join(["x-one"] * 100)),
    ):
        response = await client.options("/v1/games", headers={**asked, "Access-Control-Request-Headers": requested})
        assert response.headers["Access-Control-Allow-Headers"] == listed


async def test_every_origin_may_read_every_response(client: Client) -> None:
    game = await create_game(client)
    tag = (await game.get()).headers["ETag"]
    for response in (
        await game.get(),
        await game.get("", **{"If-None-Match": tag}),
        await game.act({"move": "i0"}),
        await client.post("/v1/games", json={"players": TWO_PLAYERS}),
        await client.get("/nowhere"),
        await client.put("/v1/games"),
        await client.get("/openapi.json"),
    ):
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.headers["Access-Control-Expose-Headers"] == EXPOSED
        assert "Access-Control-Allow-Credentials" not in response.headers


async def test_an_unknown_path_is_not_found(client: Client) -> None:
    for path in ("/nowhere", "/v1", "/v1/", "/v1/games/", "/v1/game", "/V1/games", "/v1/games/abc/moves"):
        for response in (await client.get(path), await client.post(path, json={})):
            await check_problem(response, 404, "not_found")
    assert (await client.options("/nowhere")).status == 404


async def test_http_1_0_is_supported(client: Client) -> None:
    response = await send_raw(client, b"GET /livez HTTP/1.0\r\n\r\n")
    assert (response.status, json.load(response)) == (200, {"status": "ok"})


async def test_an_internal_error_reveals_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = await create_game(client)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr("service.web.routes.games.build_view", broken)
    response = await game.get()
    document = await check_problem(response, 500, "internal")
    assert document["detail"] == problem("internal", "internal server error").detail
    assert "broken" not in await response.text()
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert record.getMessage() == f"GET {game.path} failed"
    assert game.owner_token not in caplog.text


def test_every_status_has_its_problem_codes() -> None:
    statuses = {kind.status for kind in PROBLEM_TYPES.values()}
    assert statuses >= {400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 426, 429, 503}
