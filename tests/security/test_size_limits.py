"""Everything that a client can make long, large or numerous has a limit, and a problem that names it."""

import asyncio
import json
import struct
from typing import Any

import pytest

from service.store.game_store import RedisStore
from service.web.headers import MAX_LIST_ELEMENTS, MAX_LIST_LENGTH
from service.web.middleware import LIST_HEADERS
from service.web.server import MAX_FIELD_BYTES, MAX_HEADERS, MAX_TARGET_BYTES
from tests.security.limited_client import count_admitted, make_limits
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.raw_http import make_head, open_connection, read_to_end, send_raw

TOO_MUCH: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "/v1/games", {"json": {"players": TWO_PLAYERS}, "headers": {"Idempotency-Key": "k" * 256}}),
    ("POST", "/v1/games", {"json": {"players": TWO_PLAYERS}, "headers": {"Creator-Key": "k" * 203}}),
    ("POST", "{game}/actions", {"json": {"move": "i0"}, "headers": {"Idempotency-Key": "k" * 256}}),
    ("POST", "{game}/webhooks", {"json": {"url": "https://a.example/" + "u" * 2000}}),
    ("POST", "{game}/webhooks", {"json": {"url": "https://a.example/", "events": ["turn_started"] * 65}}),
    ("GET", "/v1/games?limit=101", {}),
    ("GET", "/v1/games?cursor=" + "c" * 201, {}),
    ("GET", "/v1/seats/me/games?limit=101", {}),
    ("GET", "{game}/diffs?limit=1001", {}),
    ("GET", "{game}/story?limit=1001", {}),
    ("GET", "{game}/diffs?since=2147483648", {}),
    ("GET", "{game}/legal-moves?limit=1001", {}),
    ("GET", "{game}/legal-moves?q=" + "q" * 101, {}),
    ("GET", "{game}/board.png?width=2147483648", {}),
    ("GET", "{game}/board.svg?region=-99999,0,0,0", {}),
)


@pytest.mark.parametrize(("method", "path", "options"), TOO_MUCH)
async def test_input_beyond_a_limit_is_malformed(
    client: Client, method: str, path: str, options: dict[str, Any]
) -> None:
    game = await create_game(client)
    headers = {**bearer_header(game.owner_token), **options.get("headers", {})}
    answer = await client.request(method, path.format(game=game.path), **{**options, "headers": headers})
    await check_problem(answer, 400, "malformed")


async def test_the_number_of_tokens_in_a_header_is_limited(client: Client) -> None:
    tokens = bearer_header(", ".join(f"{number}" for number in range(101)))
    await check_problem(await client.get("/v1/seats/me/games", headers=tokens), 400, "malformed")


async def test_the_pixels_of_a_picture_are_limited(client: Client) -> None:
    game = await create_game(client)
    answer = await game.get("/board.png?width=2147483647")
    width, height = struct.unpack(">II", (await answer.read())[16:24])
    assert max(width, height) <= 4096


async def test_the_number_of_headers_is_limited(client: Client) -> None:
    for number, status in ((MAX_HEADERS - 5, 200), (MAX_HEADERS + 1, 400)):
        head = make_head("/livez", *(f"X-{index}: x" for index in range(number)))
        assert (await send_raw(client, head)).status == status


async def test_the_bytes_of_a_header_are_limited(client: Client) -> None:
    """Its name and value together, whether or not its end has arrived."""
    longest = "X: " + "a" * (MAX_FIELD_BYTES - 1)
    assert (await send_raw(client, make_head("/livez", longest))).status == 200
    async with open_connection(client) as (reader, writer):
        writer.write(make_head("/livez", longest + "aa")[:-4])
        assert f"at most {MAX_FIELD_BYTES} bytes".encode() in await read_to_end(reader)


@pytest.mark.parametrize("target", ("/v1/games?x=", "/"))
async def test_the_bytes_of_a_target_are_limited(client: Client, target: str) -> None:
    """As it is written: path and query."""
    longest = target.ljust(MAX_TARGET_BYTES, "a")
    assert (await send_raw(client, make_head(longest))).status in (200, 404)
    for more in ("a", "a" * 300_000):
        refused = await send_raw(client, make_head(longest + more))
        assert (refused.status, json.load(refused)["code"]) == (414, "uri_too_long")


@pytest.mark.parametrize("name", LIST_HEADERS)
async def test_a_list_is_limited_over_all_its_lines(client: Client, name: str) -> None:
    """Before it is parsed, and the request is charged."""
    for lines, is_too_much in (
        ([f"{name}: " + "a" * (MAX_LIST_LENGTH // 2 - 1)] * 2, False),
        ([f"{name}: " + "a" * (MAX_LIST_LENGTH // 2 - 1)] * 2 + [f"{name}: b"], True),
        ([f"{name}: " + "," * (MAX_LIST_ELEMENTS // 2 - 1)] * 2, False),
        ([f"{name}: " + "," * (MAX_LIST_ELEMENTS // 2 - 1)] * 2 + [f"{name}: b"], True),
    ):
        response = await send_raw(client, make_head("/v1/bots", *lines))
        assert "RateLimit" in response.headers
        refused = json.loads(response.read()) if response.status == 400 else {}
        assert ("elements" in refused.get("detail", "")) == is_too_much
        assert not is_too_much or (refused["code"], refused["path"]) == ("malformed", name)


EVIL = (
    ("Authorization", "Bearer " + "a," * 3_900),
    ("Authorization", "Bearer " + " " * 8_000 + "!"),
    ("If-Match", '"' * 8_000),
    ("If-None-Match", 'W/"' * 2_600),
    ("If-None-Match", '"a" ' * 2_000 + "!"),
    ("Prefer", ";" * 4_000 + "," * 4_000),
    ("Accept-Language", "a;q=0.1," * 1_000),
    ("Accept-Language", "-" * 8_000),
    ("Accept", "text/event-strea," * 480),
    ("Last-Event-ID", "1" * 8_000),
    ("X-Forwarded-For", "1.1.1.1, " * 880),
    ("Sec-WebSocket-Extensions", "permessage-deflate; " * 400),
    ("Idempotency-Key", " " * 4_000 + "\x7f"),
)


@pytest.mark.parametrize(("name", "value"), EVIL)
async def test_no_header_takes_long_to_parse(client: Client, name: str, value: str) -> None:
    """What would be tried in every way there is would not end while the test runs."""
    game = await create_game(client)
    for path in ("/diffs", "/actions", "/ws"):
        method = "POST" if path == "/actions" else "GET"
        head = make_head(game.path + path, "Content-Length: 0", f"{name}: {value}", method=method)
        assert (await send_raw(client, head)).status < 500


async def test_no_media_type_takes_long_to_parse(client: Client) -> None:
    """A second for each is what these took once."""
    headers = {"Content-Type": "application/json" + ";" * 8_000}
    async with asyncio.timeout(15):
        for _ in range(30):
            answer = await client.post("/v1/games", data=b"{}", headers=headers)
            await check_problem(answer, 415, "unsupported_media_type")


async def test_webhooks_count_as_creations(store: RedisStore) -> None:
    """Each leaves an answer behind for a day, however soon it is deleted."""
    async with serve(store, make_limits(rate_creations=8)) as client:
        game = await create_game(client)
        await game.get()
        assert await count_admitted(12, lambda: register(game), 201) <= 8


async def register(game: HTTPGame) -> Any:
    """Register a webhook, delete it, and return the first response."""
    answer = await game.post("/webhooks", {"url": "https://example.org/"})
    if answer.status == 201:
        assert (await game.delete(f"/webhooks/{(await answer.json())['id']}")).status == 204
    return answer
