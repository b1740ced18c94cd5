"""The page of a game: its card, for what is public, and one that tells nothing of everything else."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from html import unescape

import pytest
from aiohttp import ClientResponse, ClientSession, web
from redis.asyncio import Redis
from yarl import URL

from service.drawing.scene import MAX_REGION_SIDE, Region
from service.store.game_store import RedisStore
from service.web.client_ip import parse_networks
from service.web.limits import Limits
from service.web.responses import CACHE_IMMUTABLE, EXAMPLE_URL
from service.web.routes import page
from service.web.routes.page import _shown_region
from tests.polling import TIMEOUT_S
from tests.snapshots import change_snapshot
from tests.web.app_server import Client, serve
from tests.web.http_game import create_game
from tests.web.images.image_inspection import png_size
from tests.web.raw_http import open_connection, read_to_end

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
UNKNOWN = "nosuchgame12"


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PATIENCE_S", TIMEOUT_S)


@pytest.fixture
async def crawler(client: Client) -> AsyncIterator[ClientSession]:
    """Yield a client that sends no Accept by itself."""
    async with ClientSession(client.make_url("/"), skip_auto_headers=["Accept"]) as session:
        yield session


def read_card(page: str) -> dict[str, str]:
    """Return the properties of a page's card."""
    found: list[tuple[str, str]] = re.findall(r'<meta property="([\w:]+)" content="([^"]*)" />', page)
    return {name: unescape(text) for name, text in found}


async def fetch_card(crawler: ClientSession, game: str, **headers: str) -> dict[str, str]:
    """Read the card of a game's page."""
    async with crawler.get(f"/games/{game}", headers=headers) as response:
        assert response.status == web.HTTPOk.status_code
        return read_card(await response.text())


@pytest.mark.parametrize("accept", (None, "*/*", "text/html", "image/*, text/*;q=0.1", BROWSER))
async def test_a_games_address_is_the_page_with_a_card_whatever_is_accepted(
    client: Client, crawler: ClientSession, accept: str | None
) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"name": 'Bo"><script>'}])
    headers = {} if accept is None else {"Accept": accept}
    async with crawler.get(f"/games/{game.id}", headers={"X-Forwarded-Proto": "https", **headers}) as response:
        assert response.content_type == "text/html"
        assert response.headers["Vary"] == "Accept-Encoding, Accept-Language"
        body = await response.text()
    assert "<script>" not in body
    card = read_card(body)
    assert card["og:title"] == 'Ana and Bo"><script> · South Seas'
    assert card["og:description"].endswith("turn to place a tile.")
    assert card["og:url"] == f"https://{client.host}:{client.port}/games/{game.id}"
    async with client.get(f"/v1/games/{game.id}", headers=headers) as answer:
        assert answer.content_type == "application/json"


async def test_a_link_to_the_service_has_a_card_and_an_icon(client: Client, crawler: ClientSession) -> None:
    agents = (
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        *("TelegramBot (like TwitterBot)", "facebookexternalhit/1.1", "WhatsApp/2.23", "SkypeUriPreview Preview/0.5"),
    )
    for agent in agents:
        async with crawler.get("/", headers={"User-Agent": agent, "Accept": "*/*"}) as response:
            card = read_card(await response.text())
        assert (card["og:url"], card["twitter:card"]) == (str(client.make_url("/")), "summary")
        await check_picture(crawler, card)
    async with crawler.get("/", headers={"User-Agent": "robots-client/1.0", "Accept": "*/*"}) as response:
        assert response.content_type == "application/json"
    async with crawler.get("/favicon.ico") as icon:
        assert (icon.status, icon.content_type) == (200, "image/png")


async def check_picture(crawler: ClientSession, card: dict[str, str]) -> str:
    """Check that the card's picture is there, with its size; return its caching."""
    async with crawler.get(card["og:image"]) as picture:
        assert picture.content_type == card["og:image:type"]
        assert png_size(await picture.read()) == (int(card["og:image:width"]), int(card["og:image:height"]))
        return picture.headers["Cache-Control"]


async def test_the_picture_of_a_card_stays_as_it_is(client: Client, crawler: ClientSession) -> None:
    game = await create_game(client)
    card = await fetch_card(crawler, game.id)
    assert await check_picture(crawler, card) == CACHE_IMMUTABLE
    await game.act_successfully()
    assert await check_picture(crawler, card) == CACHE_IMMUTABLE
    assert (await fetch_card(crawler, game.id))["og:image"] != card["og:image"]


async def test_a_card_has_the_language_of_its_reader(client: Client, crawler: ClientSession) -> None:
    game = await create_game(client)
    for path, title, text in ((game.id, "Ana und Bo · Südsee", "am Zug"), (UNKNOWN, "Eine Partie", "Öffne den Link")):
        card = await fetch_card(crawler, path, **{"Accept-Language": "de"})
        assert card["og:title"].startswith(title)
        assert text in card["og:description"]


async def test_a_game_has_a_card_in_every_status(client: Client, crawler: ClientSession) -> None:
    nobody = await create_game(client, [{"open": True}, {"open": True}])
    waiting = await create_game(client, [{"name": "Ana"}, {"open": True}])
    aborted = await create_game(client)
    await aborted.delete()
    expected = (
        (nobody, "A game of Carcassonne: South Seas", "Waiting for 2 more players."),
        (waiting, "Ana · South Seas", "Waiting for 1 more player."),
        (aborted, "Ana and Bo · South Seas", "The game was aborted."),
    )
    for game, title, text in expected:
        card = await fetch_card(crawler, game.id)
        assert (card["og:title"], card["og:description"]) == (title, text)
        await check_picture(crawler, card)


async def test_a_private_game_has_the_page_that_no_game_has(client: Client, crawler: ClientSession) -> None:
    """The same bytes and headers, and a card with a picture of its own."""
    private = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}], visibility="private")
    pages = []
    for game, token in ((private.id, ""), (private.id, private.owner_token), (UNKNOWN, "")):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with crawler.get(f"/games/{game}", headers=headers) as response:
            own = ("Date", "Rate", "X-")  # of each response
            same = {name: value for name, value in response.headers.items() if not name.startswith(own)}
            pages.append((response.status, await response.text(), same))
    assert pages[0] == pages[1] == pages[2]
    card = read_card(pages[0][1])
    assert card["og:title"] == "A game of Carcassonne: South Seas"
    assert "og:url" not in card
    assert private.id not in pages[0][1]
    await check_picture(crawler, card)


LOCALIZED = ("/clients/", "/docs/first-game/", "/docs/search.json", "/openapi.json", "/asyncapi.json")
"""Texts that have the URL of the service in place of the example's."""


@pytest.mark.parametrize("path", (*LOCALIZED, "/games/", f"/games/{UNKNOWN}"))
async def test_no_shared_cache_stores_what_names_the_host_of_its_request(
    client: Client, crawler: ClientSession, path: str
) -> None:
    if path == "/games/":
        path += (await create_game(client)).id
    for host, scheme in (("games.example", "https"), ("[2001:db8::7]:8000", "http")):
        headers = {"Host": host, "X-Forwarded-Proto": scheme}
        async with crawler.get(path, headers=headers) as response:
            assert response.headers["Cache-Control"] == "private, no-cache"
            tag, body = response.headers["ETag"], await response.text()
        assert f"{scheme}://{host}/" in body
        assert EXAMPLE_URL.decode() not in body
        if path == "/asyncapi.json":
            server = json.loads(body)["servers"]["service"]
            named = server["variables"]["host"]["default"]
            assert (server["protocol"], named) == ({"http": "ws", "https": "wss"}[scheme], host)
        async with crawler.get(path, headers={"If-None-Match": tag}) as response:
            assert response.status == web.HTTPOk.status_code
            own = response.headers["ETag"]
        async with crawler.get(path, headers={"If-None-Match": f"W/{own}"}) as response:
            assert response.status == web.HTTPNotModified.status_code
            assert response.headers["Cache-Control"] == "private, no-cache"
        async with crawler.head(path) as response:
            assert (response.status, response.headers["ETag"]) == (web.HTTPOk.status_code, own)


@pytest.mark.parametrize("header", ("", "Host:\r\n", "Host: evil'\r\n", "Host: evil&lt;\r\n"))
async def test_without_a_host_no_text_names_an_address_of_the_machine(client: Client, header: str) -> None:
    """HTTP/1.0 needs no Host; aiohttp would then name the socket's own address."""
    game = await create_game(client)
    for path in (f"/games/{game.id}", *LOCALIZED):
        async with open_connection(client) as (reader, writer):
            writer.write(f"GET {path} HTTP/1.0\r\n{header}\r\n".encode())
            page = await read_to_end(reader)
        assert page.startswith(b"HTTP/1.0 200")
        assert b"\r\nCache-Control: private, no-cache\r\n" in page
        assert (EXAMPLE_URL in page) is (path in LOCALIZED)
        assert not any(text in page for text in (b"evil", b"<meta property", str(client.port).encode()))


async def test_a_page_is_there_if_its_game_is_unreadable(client: Client, crawler: ClientSession, redis: Redis) -> None:
    game = await create_game(client)
    await change_snapshot(redis, game.id, lambda stored: stored[: len(stored) // 2])
    assert (await fetch_card(crawler, game.id))["og:title"] == "A game of Carcassonne: South Seas"


async def test_a_page_does_not_wait_for_a_store_that_hangs(
    client: Client, crawler: ClientSession, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await create_game(client)
    with monkeypatch.context() as hanging:
        hanging.setattr(page, "PATIENCE_S", 0.05)
        hanging.setattr(store, "load", lambda *_: asyncio.Event().wait())
        assert (await fetch_card(crawler, game.id))["og:title"] == "A game of Carcassonne: South Seas"
    assert (await fetch_card(crawler, game.id))["og:url"].endswith(game.id)


@pytest.mark.parametrize(
    ("damaged", "mended"),
    (
        *(("abc123/", "/games/abc123"), ("/abc123", "/games/abc123")),
        *(("ABC123", "/games/abc123"), ("abc123).", "/games/abc123")),
        ("abc123%23seat0=a_B-c", "/games/abc123#seat0=a_B-c"),
        ("", "/"),
        ("x" * 33, "/"),
    ),
)
async def test_a_damaged_link_leads_to_the_games_page(crawler: ClientSession, damaged: str, mended: str) -> None:
    async with crawler.get(URL(f"/games/{damaged}", encoded=True), allow_redirects=False) as response:
        assert response.status == web.HTTPFound.status_code
        assert str(response.url.join(URL(response.headers["Location"])).relative()) == mended


PROXIED = Limits(trusted_proxies=parse_networks("127.0.0.1"))


@pytest.mark.parametrize(
    ("base_path", "limits", "sent", "header"),
    (
        ("/games", Limits(base_path="/games"), "/games", ()),
        ("/games", Limits(base_path="/games"), "", ()),
        ("/v1/a", PROXIED._replace(base_path="/v1/a"), "", (("X-Forwarded-Prefix", "/other"),)),
        ("/games", PROXIED, "", (("X-Forwarded-Prefix", "games"),)),
        ("/a/b/c", PROXIED, "", (("X-Forwarded-Prefix", "/a/, /b/"), ("X-Forwarded-Prefix", "/c"))),
    ),
)
async def test_behind_a_path_all_links_have_it(
    store: RedisStore, base_path: str, limits: Limits, sent: str, header: tuple[tuple[str, str], ...]
) -> None:
    """Whether the proxy removes the path, and whether a setting or a header names it."""
    async with serve(store, limits) as client, ClientSession(client.make_url("/"), headers=header) as session:

        async def get(path: str) -> tuple[ClientResponse, str]:
            response = await session.get(sent + path, allow_redirects=False)
            return response, await response.text()

        await create_game(client)
        created = await session.post(f"{sent}/v1/games", json={"players": [{"name": "Ana"}, {"bot": "random"}]})
        game = (await created.json())["game"]["id"]
        assert created.headers["Location"] == f"{base_path}/v1/games/{game}"
        listed, _ = await get("/v1/games?limit=1")
        assert listed.headers["Link"].startswith(f"<{base_path}/v1/games?limit=1&cursor=")
        _, html = await get(f"/games/{game}")
        roots = {
            re.sub("(assets/|manifests/|docs/|)[^/]*$", "", link) for link in re.findall(r' (?:src|href)="(.*?)"', html)
        }
        assert roots == {f"{base_path}/"}
        card = read_card(html)
        assert card["og:url"].endswith(f":{client.port}{base_path}/games/{game}")
        assert f":{client.port}{base_path}/v1/games/{game}/board.png?" in card["og:image"]
        redirects = {"/docs": "/docs/", "/docs/rules": "/docs/rules/", "/problems/draining": "/docs/problems/"}
        for path, leads in redirects.items():
            moved, _ = await get(path)
            assert URL(f"http://a{base_path}{path}").join(URL(moved.headers["Location"])).path == base_path + leads
        _, text = await get("/clients/")
        assert f"pip install http://{client.host}:{client.port}{base_path}/clients/" in text
        openapi, text = await get("/openapi.json")
        assert json.loads(text)["servers"] == [{"url": base_path}]
        assert f"({base_path}/docs)" in text
        assert json.loads((await get("/asyncapi.json"))[1])["servers"]["service"]["pathname"] == base_path
        unchanged = await session.get(f"{sent}/openapi.json", headers={"If-None-Match": openapi.headers["ETag"]})
        assert unchanged.status == web.HTTPNotModified.status_code


@pytest.mark.parametrize(
    ("path", "status", "hint"),
    (
        *((f"/games{path}", 404, "did you mean /v1/games?") for path in ("/v1/game", "/v1/games/")),
        *((f"/games{path}", 404, "health at /livez") for path in ("/health", "/foo")),
        *((path, 200, "") for path in ("/games/abcdefghij12", "/games/games/abcdefghij12", "/games", "/games/livez")),
        ("/games//ABCDEFGHIJ12).", 302, ""),
    ),
)
async def test_below_a_path_a_mistake_is_no_page(store: RedisStore, path: str, status: int, hint: str) -> None:
    async with serve(store, Limits(base_path="/games")) as client, ClientSession(client.make_url("/")) as session:
        response = await session.get(path, allow_redirects=False)
        assert (response.status, hint in await response.text()) == (status, True)


@pytest.mark.parametrize("prefix", ("//evil.example", "/evil/../x", '/evil"><script>', "a,//evil", "/evil" + "x" * 99))
@pytest.mark.parametrize("limits", (PROXIED, Limits()))
async def test_what_is_no_path_or_from_no_trusted_proxy_is_in_no_response(
    store: RedisStore, limits: Limits, prefix: str
) -> None:
    lies = {"X-Forwarded-Prefix": prefix if limits is PROXIED else "/evil", "Accept": "text/html"}
    async with serve(store, limits) as client, ClientSession(client.make_url("/"), headers=lies) as session:
        created = await session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]})
        paths = ("/", f"/games/{UNKNOWN}", "/openapi.json", "/asyncapi.json", "/docs", "/problems/draining")
        for answer in [created, *[await session.get(path, allow_redirects=False) for path in paths]]:
            assert answer.status < web.HTTPBadRequest.status_code
            assert "evil" not in await answer.text()
            assert "evil" not in str(answer.headers)


def test_the_picture_of_a_card_is_wide_and_within_the_bounds_of_a_region() -> None:
    assert _shown_region(Region(0, 0, 4, 9)) == Region(-2, 0, 7, 9)
    assert _shown_region(Region(0, 0, 9, 4)) == Region(0, 0, 9, 4)
    assert _shown_region(Region(0, 0, 0, MAX_REGION_SIDE)) is None
