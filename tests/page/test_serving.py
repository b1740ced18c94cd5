"""How the page is served: headers, compression and caching."""

import gzip
import re
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from service.web.drawing.palette import PLAYER_COLORS, PLAYER_MARKS
from service.web.responses import CACHE_IMMUTABLE
from service.web.routes import page
from tests.web.app_server import Client

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FIGURE = Path(__file__).parents[2] / "clients/page/src/board/figure.tsx"


async def test_a_browser_gets_the_page_and_a_program_where_to_go_on(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as answer:
        assert answer.content_type == "text/html"
        assert answer.headers["Vary"] == "Accept-Encoding, Accept"
        assert answer.headers["Cache-Control"] == "no-cache"
    async with client.get("/") as answer:
        assert (await answer.json())["games"] == "/v1/games"
        assert answer.headers["Vary"] == "Accept-Encoding, Accept"


async def test_the_page_may_only_run_its_own_scripts_and_ask_its_own_service(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as answer:
        policy = answer.headers["Content-Security-Policy"]
        body = await answer.text()
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", body)
    assert re.findall(r'(?:src|href)="(?!/)', body) == []


async def test_files_named_for_what_they_hold_are_kept_for_good_and_the_page_is_asked_for_again(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as answer:
        tag = answer.headers["ETag"]
        assets = re.findall(r"/assets/[\w.-]+", await answer.text())
    assert len(assets) == 2
    async with ClientSession(client.make_url("/")) as browser:
        for path in assets:
            async with browser.get(path) as answer:
                assert answer.status == web.HTTPOk.status_code
                assert answer.headers["Cache-Control"] == CACHE_IMMUTABLE
    async with client.get("/", headers={**BROWSER, "If-None-Match": tag}) as answer:
        assert answer.status == web.HTTPNotModified.status_code
        assert answer.headers["Vary"] == "Accept-Encoding, Accept"


@pytest.mark.parametrize("path", ("/assets/nothing.js", "/assets/..%2findex.html", "/page.html"))
async def test_nothing_else_is_served(client: Client, path: str) -> None:
    async with client.get(path) as answer:
        assert answer.status == web.HTTPNotFound.status_code


async def test_files_are_packed_for_whoever_takes_them_packed(client: Client) -> None:
    async with ClientSession(client.make_url("/"), auto_decompress=False) as browser:
        async with browser.get("/", headers=BROWSER) as packed:
            assert packed.headers["Content-Encoding"] == "gzip"
            unpacked = gzip.decompress(await packed.read())
        async with browser.get("/", headers={**BROWSER, "Accept-Encoding": "identity"}) as plain:
            assert "Content-Encoding" not in plain.headers
            assert await plain.read() == unpacked
        assert plain.headers["ETag"] != packed.headers["ETag"]


async def test_icon_and_manifest_are_there(client: Client) -> None:
    async with ClientSession(client.make_url("/")) as browser:
        for name in page.UNHASHED_FILES:
            async with browser.get(f"/{name}") as answer:
                assert answer.status == web.HTTPOk.status_code


def test_figures_have_the_colours_and_marks_of_the_pictures() -> None:
    drawn = FIGURE.read_text()
    for color, paint in PLAYER_COLORS.items():
        assert f'{color}: {{ fill: "{paint.fill}", dark: "{paint.dark}", mark: "{paint.mark}" }}' in drawn
        assert f'{color}: "{PLAYER_MARKS[color]}"' in drawn
