"""The page is served within its bounds and in each language; its modules' own tests and its lesson pass."""

import asyncio
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import RawTestServer
from playwright.async_api import Browser
from yarl import URL

from service.drawing.palette import PLAYER_COLORS
from service.i18n import LANGUAGES
from service.store.game_store import RedisStore
from service.web.headers import parse_frame_ancestors
from service.web.limits import Limits
from service.web.responses import CACHE_IMMUTABLE, list_files
from service.web.routes import page
from tests.docs.blocks import blocks
from tests.page.test_journeys import START_WORKER, WITHOUT_STORAGE
from tests.tools import NODE, ROOT, require, run
from tests.web.app_server import Client, serve
from tests.web.http_game import create_game
from tests.web.images.image_inspection import png_size
from verification.chaos.haproxy import run_haproxy

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ROUND_TRIPS_BYTES = 30_000
"""What could be loaded while requests wait for each other: six times 100 ms."""
FIGURE = Path(__file__).parents[2] / "clients/page/src/board/figure.tsx"


async def test_a_browser_gets_the_page_and_a_program_gets_links(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        assert response.content_type == "text/html"
        assert response.headers["Vary"] == "Accept-Encoding, Accept-Language, Accept, User-Agent"
        assert response.headers["Cache-Control"] == "no-cache"
    async with client.get("/") as response:
        assert (await response.json())["games"] == "/v1/games"
        assert response.headers["Vary"] == "Accept-Encoding, Accept, User-Agent"


async def test_the_page_may_only_run_its_own_scripts_and_connect_to_its_own_service(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        policy = response.headers["Content-Security-Policy"]
        body = await response.text()
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", body)
    assert re.findall(r'(?:src|href)="(?!\./)', body) == []


async def test_hashed_assets_are_immutable_and_the_page_is_revalidated(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        tag = response.headers["ETag"]
        assets = re.findall(r"/assets/[\w.-]+", await response.text())
    assert {asset.rsplit(".", 1)[1] for asset in assets} == {"js", "css"}
    async with ClientSession(client.make_url("/")) as browser:
        for path in assets:
            async with browser.get(path) as response:
                assert response.status == web.HTTPOk.status_code
                assert response.headers["Cache-Control"] == CACHE_IMMUTABLE
    async with client.get("/", headers={**BROWSER, "If-None-Match": tag}) as response:
        assert response.status == web.HTTPNotModified.status_code
        assert response.headers["Vary"] == "Accept-Encoding, Accept-Language, Accept, User-Agent"


async def test_a_full_board_is_there_within_four_seconds_at_50_kb_a_second(client: Client) -> None:
    """What a browser loads before it can draw the end of a game, for the first time."""
    game = await create_game(client, seed="slow")
    assert len((await game.play_randomly(Random(1)))["board"]) > 60
    async with client.get("/", headers=BROWSER) as response:
        page = await response.text()
    (drawing,) = re.findall(r'name="drawing" content="(\w+)"', page)
    files = re.findall(r'(?:src|href)="\.(/assets/[\w.-]+)"', page)
    read = [f"{game.path}/diffs?since=0&limit=1000", f"{game.path}/scores", "/v1/tilesets/lagoon"]
    read += [f"/games/{game.id}", f"/v1/tilesets/lagoon/tiles.svg?drawing={drawing}", *files]
    sizes = {}
    async with ClientSession(client.make_url("/"), auto_decompress=False) as browser:
        for path in read:
            async with browser.get(path) as response:
                sizes[path] = len(await response.read())
    assert sum(sizes.values()) < 4 * 50_000 - ROUND_TRIPS_BYTES, sizes


@pytest.mark.parametrize(
    ("ancestor", "is_shown"), (("", False), ("http://app.other.example", False), ("http://*.localhost:{}", True))
)
async def test_the_page_is_played_in_a_frame_of_the_sites_that_the_operator_names(
    browser: Browser, store: RedisStore, unused_tcp_port: int, ancestor: str, *, is_shown: bool
) -> None:
    ancestors = parse_frame_ancestors(ancestor.format(unused_tcp_port))

    async def send_site(_: web.BaseRequest) -> web.Response:
        return web.Response(text=f'<iframe src="{link}"></iframe>', content_type="text/html")

    async with (
        serve(store, Limits(frame_ancestors=ancestors)) as client,
        RawTestServer(send_site, port=unused_tcp_port),
        await browser.new_context(locale="en", service_workers="block") as context,
    ):
        await context.add_init_script(WITHOUT_STORAGE)
        game = await create_game(client, first_seat=0)
        link = client.make_url(f"/games/{game.id}#seat0={game.seat_tokens[0]}")
        site = await context.new_page()
        await site.goto(f"http://app.localhost:{unused_tcp_port}/")
        frame = site.frame_locator("iframe")
        assert await frame.locator("script").count() == is_shown
        if is_shown:
            await frame.locator(".cell").first.click()
            await frame.locator(".action-bar .primary").click()
            await frame.locator("main[data-version='2']").wait_for()
            await frame.get_by_role("button", name="Menu").click()
            assert await frame.locator(".menu-list").is_visible()
            assert await frame.locator("header.bar").count() == 0


BEHIND_A_PATH = """\
defaults
    mode http
    timeout connect 1s
    timeout client 60s
    timeout server 60s
frontend players
    bind 127.0.0.1:{port}
    bind unix@{ready}
    default_backend instances
backend instances
    {replace}
    server one 127.0.0.1:{instance}
"""


FETCH_TWO = """async () => {
  const fetched = async (path) => [(await fetch(path)).status, (await caches.match(path)) !== undefined];
  return [await fetched("/games/v1/tilesets/lagoon"), await fetched("/games/v1/tilesets/nothing")];
}"""
"""Fetches what never changes, and what is missing now; tells status, and whether it is kept."""


@pytest.mark.parametrize("base_path", ("/games", ""))
async def test_behind_a_path_the_page_is_played_and_opens_without_a_network(
    browser: Browser, store: RedisStore, unused_tcp_port: int, tmp_path: Path, base_path: str
) -> None:
    """With the setting, and without it behind the haproxy of the documentation, which removes the path."""
    (replace,) = [block.code for block in blocks("operating") if block.annotation.endswith("in the backend of haproxy")]
    origin = f"http://127.0.0.1:{unused_tcp_port}"
    haproxy: dict[str, Any] = {"port": unused_tcp_port, "ready": tmp_path / "ready", "replace": replace}
    async with (
        serve(store, Limits(base_path=base_path)) as client,
        run_haproxy(tmp_path, BEHIND_A_PATH.format(instance=client.port, **haproxy), haproxy["ready"]),
        await browser.new_context(locale="en", service_workers="allow") as context,
    ):
        requested: list[str] = []
        context.on("request", lambda request: requested.append(URL(request.url).path))
        page = await context.new_page()
        await page.goto(f"{origin}/games" if base_path else f"{origin}/games/")
        await page.get_by_role("button", name="Play against the computer").click()
        await page.locator(".action-bar.mine").wait_for()
        assert re.fullmatch("/games/games/[a-z0-9]+", URL(page.url).path)
        await page.reload()  # from now on it is below the worker's path
        await page.evaluate(START_WORKER.replace('"/', '"/games/'))
        assert await page.evaluate(FETCH_TWO) == [[200, True], [404, False]]
        await context.set_offline(offline=True)
        await page.reload()
        await page.locator(".action-bar").wait_for()
        await page.goto(f"{origin}/games/")
        await page.get_by_role("button", name="Play against the computer").wait_for()
    assert {path for path in requested if not path.startswith("/games/")} == ({base_path} if base_path else set())


async def test_nothing_is_animated_that_draws_the_board_anew_for_each_frame(client: Client) -> None:
    """Browsers move and fade what is drawn already; other properties cost a phone most of each frame."""
    async with client.get("/", headers=BROWSER) as response:
        (path,) = re.findall(r"/assets/[\w.-]+\.css", await response.text())
    async with ClientSession(client.make_url("/")) as browser, browser.get(path) as response:
        style = await response.text()
    animations = re.findall(r"@keyframes [\w-]+{((?:[^{}]+{[^{}]*})+)}", style)
    assert len(animations) == style.count("@keyframes ") > 0
    animated = {name for frames in animations for name in re.findall(r"([\w-]+):", frames)}
    assert animated == {"opacity", "transform"}


@pytest.mark.parametrize("path", ("/assets/nothing.js", "/assets/..%2findex.html", "/page.html"))
async def test_other_files_are_not_served(client: Client, path: str) -> None:
    async with client.get(path) as response:
        assert response.status == web.HTTPNotFound.status_code


async def test_icons_are_served(client: Client) -> None:
    async with ClientSession(client.make_url("/")) as browser:
        for name in page.UNHASHED_FILES:
            async with browser.get(f"/{name}") as response:
                assert response.status == web.HTTPOk.status_code


@pytest.mark.parametrize(
    ("accepted", "language", "name"),
    (("de-AT, en;q=0.5", "de", "Südsee"), ("fr", "fr", "Mers du Sud"), ("pt", "en", "South Seas")),
)
async def test_the_page_has_the_browsers_language(client: Client, accepted: str, language: str, name: str) -> None:
    """Its own words, those of its manifest, and the script with all others, which alone is loaded."""
    async with client.get("/", headers={**BROWSER, "Accept-Language": accepted}) as response:
        assert response.headers["Content-Language"] == language
        assert response.headers["Vary"] == "Accept-Encoding, Accept-Language, Accept, User-Agent"
        body = await response.text()
    assert f'<html lang="{language}">' in body
    assert f"<title>{name}</title>" in body
    assert re.findall(r"/assets/(en|fr|de)-\w+\.js", body) == [language]
    (path,) = re.findall(r'rel="manifest" href="([^"]+)"', body)
    async with ClientSession(client.make_url("/")) as browser, browser.get(path) as response:
        assert response.content_type == "application/manifest+json"
        manifest = await response.json(content_type=None)
    assert (manifest["lang"], manifest["name"]) == (language, name)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_script_waits_for_another_one(client: Client, language: str) -> None:
    """What the page's scripts import is named in the page, so that the browser fetches it beside them."""
    async with client.get("/", headers={**BROWSER, "Accept-Language": language}) as response:
        named = set(re.findall(r"/assets/([\w-]+\.js)", await response.text()))
    files = list_files(page.PAGE)
    imported = {
        found
        for name in named
        for found in re.findall(r'(?:from|import)"\./([\w-]+\.js)"', files[f"assets/{name}"].read_text("utf-8"))
    }
    assert imported <= named


def test_islanders_have_the_colours_and_marks_of_the_images() -> None:
    source = FIGURE.read_text()
    for color, paint in PLAYER_COLORS.items():
        assert f'{color}: {{ fill: "{paint.fill}", dark: "{paint.dark}", mark: "{paint.mark}" }}' in source
        assert f'{color}: "{paint.mark_path}"' in source


async def test_the_icons_for_phones_have_the_sizes_that_they_are_asked_for_with(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        (path,) = re.findall(r'rel="manifest" href="([^"]+)"', await response.text())
    async with ClientSession(client.make_url("/")) as browser:
        async with browser.get(path) as response:
            icons = (await response.json(content_type="application/manifest+json"))["icons"]
        assert {icon["purpose"] for icon in icons if "purpose" in icon} == {"any", "maskable"}
        sizes = {icon["src"]: icon["sizes"] for icon in icons if icon["type"] == "image/png"}
        for source, size in {**sizes, "../apple-touch-icon.png": "180x180"}.items():
            async with browser.get(response.url.join(URL(source))) as image:
                assert "x".join(map(str, png_size(await image.read()))) == size


def test_the_modules_of_the_page_pass_their_tests() -> None:
    run(require(NODE), "clients/page/scripts/test.mjs", cwd=ROOT)


MAX_TURNS = 16
"""Turns of both players; a learner needs some 15 seconds for each of their own."""


async def test_the_lesson_explains_everything_within_a_few_turns(client: Client) -> None:
    """Where a new tile set or bot makes it fail, `node scripts/lesson.mjs URL --search 300` finds another seed."""
    script = "clients/page/scripts/lesson.mjs"
    output = await asyncio.to_thread(run, require(NODE), script, str(client.make_url("/")), cwd=ROOT)
    lesson = json.loads(output)
    assert lesson["missing"] == []
    assert lesson["told"]["over"] <= MAX_TURNS
