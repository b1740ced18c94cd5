"""How the page is served: headers, compression and caching."""

import gzip
import re
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from service.drawing.palette import PLAYER_COLORS
from service.i18n import LANGUAGES
from service.web.responses import CACHE_IMMUTABLE
from service.web.routes import page
from service.web.static_assets import list_files
from tests.web.app_server import Client

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FIGURE = Path(__file__).parents[2] / "clients/page/src/board/figure.tsx"


async def test_a_browser_gets_the_page_and_a_program_gets_links(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        assert response.content_type == "text/html"
        assert response.headers["Vary"] == "Accept-Encoding, Accept"
        assert response.headers["Cache-Control"] == "no-cache"
    async with client.get("/") as response:
        assert (await response.json())["games"] == "/v1/games"
        assert response.headers["Vary"] == "Accept-Encoding, Accept"


async def test_the_page_may_only_run_its_own_scripts_and_connect_to_its_own_service(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        policy = response.headers["Content-Security-Policy"]
        body = await response.text()
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", body)
    assert re.findall(r'(?:src|href)="(?!/)', body) == []


async def test_hashed_assets_are_immutable_and_the_page_is_revalidated(client: Client) -> None:
    async with client.get("/", headers=BROWSER) as response:
        tag = response.headers["ETag"]
        assets = re.findall(r"/assets/[\w.-]+", await response.text())
    assert {asset.rsplit(".", 1)[1] for asset in assets} == {"js", "css", "webmanifest"}
    async with ClientSession(client.make_url("/")) as browser:
        for path in assets:
            async with browser.get(path) as response:
                assert response.status == web.HTTPOk.status_code
                assert response.headers["Cache-Control"] == CACHE_IMMUTABLE
    async with client.get("/", headers={**BROWSER, "If-None-Match": tag}) as response:
        assert response.status == web.HTTPNotModified.status_code
        assert response.headers["Vary"] == "Accept-Encoding, Accept"


@pytest.mark.parametrize("path", ("/assets/nothing.js", "/assets/..%2findex.html", "/page.html"))
async def test_other_files_are_not_served(client: Client, path: str) -> None:
    async with client.get(path) as response:
        assert response.status == web.HTTPNotFound.status_code


async def test_files_are_compressed_if_the_client_accepts_it(client: Client) -> None:
    async with ClientSession(client.make_url("/"), auto_decompress=False) as browser:
        async with browser.get("/", headers=BROWSER) as compressed:
            assert compressed.headers["Content-Encoding"] == "gzip"
            decompressed = gzip.decompress(await compressed.read())
        async with browser.get("/", headers={**BROWSER, "Accept-Encoding": "identity"}) as plain:
            assert "Content-Encoding" not in plain.headers
            assert await plain.read() == decompressed
        assert plain.headers["ETag"] != compressed.headers["ETag"]


async def test_icons_are_served(client: Client) -> None:
    async with ClientSession(client.make_url("/")) as browser:
        for name in page.UNHASHED_FILES:
            async with browser.get(f"/{name}") as response:
                assert response.status == web.HTTPOk.status_code


async def test_what_a_browser_needs_at_first_has_every_language(client: Client) -> None:
    """The manifest that the page's script chooses, and the words of a browser without scripts."""
    async with client.get("/", headers=BROWSER) as response:
        body = await response.text()
    assert re.findall(r'<p lang="(\w+)">', body) == list(LANGUAGES)
    async with ClientSession(client.make_url("/")) as browser:
        for language in LANGUAGES:
            (path,) = re.findall(rf'data-{language}="([^"]+)"', body)
            async with browser.get(path) as response:
                assert response.content_type == "application/manifest+json"
                manifest = await response.json(content_type=None)
            assert manifest["lang"] == language
            assert manifest["name"] == {"en": "South Seas", "fr": "Mers du Sud", "de": "Südsee"}[language]


async def test_a_language_is_loaded_by_its_readers_alone(client: Client) -> None:
    """Scripts that every reader loads are named in the page, so that the browser fetches them side by side."""
    async with client.get("/", headers=BROWSER) as response:
        preloaded = set(re.findall(r"/assets/([\w-]+\.js)", await response.text()))
    scripts = {path.removeprefix("assets/") for path in list_files(page.PAGE) if path.endswith(".js")}
    others = {name.split("-")[0] for name in scripts - preloaded}
    assert others >= set(LANGUAGES)
    for name in scripts - preloaded:
        imported = re.findall(r'from"\./([\w-]+\.js)"', list_files(page.PAGE)[f"assets/{name}"].read_text("utf-8"))
        assert set(imported) <= preloaded, f"{name} waits for another script"


def test_islanders_have_the_colours_and_marks_of_the_images() -> None:
    source = FIGURE.read_text()
    for color, paint in PLAYER_COLORS.items():
        assert f'{color}: {{ fill: "{paint.fill}", dark: "{paint.dark}", mark: "{paint.mark}" }}' in source
        assert f'{color}: "{paint.mark_path}"' in source
