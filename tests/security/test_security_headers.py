"""The security headers of every kind of response."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientResponse, ClientSession

from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.security.limited_client import make_limits, request_game
from tests.web.app_server import Client, serve
from tests.web.http_game import create_game
from tests.web.raw_http import send_raw

PATHS = ("/", "/nowhere", "/docs", "/docs/api", "/docs/rules", "/favicon.svg", "/openapi.json", "/livez", "/v1/games")
PICTURES = ("/board.svg", "/board.png", "/board.txt")


@asynccontextmanager
async def every_kind(client: Client) -> AsyncIterator[list[ClientResponse]]:
    """Return responses of all kinds."""
    game = await create_game(client)
    tag = (await game.get()).headers["ETag"]
    async with ClientSession(client.make_url("/")) as browser:
        answers = [
            await browser.get(game.path + "/diffs", headers={"Accept": "text/event-stream"}),
            await browser.get(game.path),
            await browser.get(game.path, headers={"If-None-Match": tag}),
            await request_game(browser),
            await browser.post("/v1/games", json={}),
            await browser.put("/v1/games"),
            await browser.options("/v1/games"),
            await browser.get("/", headers={"Accept": "text/html"}),
            await browser.get("/docs/", allow_redirects=False),
            *[await browser.get(path) for path in PATHS],
            *[await browser.get(game.path + path) for path in PICTURES],
        ]
        yield answers
        for answer in answers:
            answer.close()


def check(answer: ClientResponse) -> None:
    """Fail unless a response has the headers of all responses."""
    where = f"{answer.method} {answer.url} {answer.status}"
    headers = answer.headers
    assert headers.getall("X-Content-Type-Options") == ["nosniff"], where
    (policy,) = headers.getall("Content-Security-Policy")
    assert "default-src 'none'" in policy, where
    assert "frame-ancestors 'none'" in policy, where
    assert headers.getall("Referrer-Policy") == ["no-referrer"], where
    assert headers.getall("Server") == ["south-seas"], where
    if answer.content_type == "text/html" and answer.status == 200:
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin", where
    assert "Set-Cookie" not in headers, where
    assert "Strict-Transport-Security" not in headers, where


async def test_every_response_has_the_security_headers(store: RedisStore) -> None:
    async with serve(store) as client, every_kind(client) as answers:
        for answer in answers:
            check(answer)


async def test_a_response_to_malformed_http_has_the_security_headers(client: Client) -> None:
    answer = await send_raw(client, b"NONSENSE\r\n\r\n")
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'"


async def test_the_setting_adds_strict_transport_security(store: RedisStore) -> None:
    async with serve(store, Limits(hsts_max_age_s=31_536_000)) as client, every_kind(client) as answers:
        for answer in answers:
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


async def test_a_rate_limited_response_has_the_security_headers(store: RedisStore) -> None:
    async with serve(store, make_limits(rate_requests=1)) as client:
        answers = [await client.get("/v1/bots") for _ in range(5)]
        assert answers[-1].status == 429
        assert answers[-1].headers["X-Content-Type-Options"] == "nosniff"
        assert answers[-1].headers["Access-Control-Allow-Origin"] == "*"
