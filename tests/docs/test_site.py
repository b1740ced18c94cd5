"""The documentation site: every page is served from here alone, links lead somewhere, and code blocks run."""

import gzip
import os
import re
import sys
import tomllib
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from aiohttp import ClientSession
from yarl import URL

from schemas.problems import PROBLEM_TYPES
from service.web.responses import Asset, list_files, load_file
from service.web.routes.page import CLIENTS, SITE
from tests.docs.blocks import DOCS, Block, ParsedPage, blocks, check_json, make_script, pages, read_page
from tests.rules.test_every_rule import IDS
from tests.tools import CURL, ROOT, require, run_program
from tools.docs.__main__ import fill_in
from tools.docs.figures import FIGURES, PARTS
from tools.site.__main__ import HERE, MADE_FROM

PLAIN = {"Accept-Encoding": "identity"}
NAMES = tuple(name for name in (*pages(), *MADE_FROM.values()) if name != "index")


def path_of(name: str) -> str:
    return f"/docs/{name}/"


def load(path: str) -> Asset:
    """Return a file of the site."""
    return load_file(SITE, path)


@cache
def parse(name: str) -> ParsedPage:
    """Return a page as it is sent."""
    return ParsedPage(load(f"{name}/index.html").body.decode())


def test_every_page_is_in_the_navigation() -> None:
    start = ParsedPage(load("index.html").body.decode())
    assert {f"{name}/" for name in NAMES} <= {link.removeprefix("./") for link in start.links}


async def test_a_page_is_served_plain_compressed_or_not_modified(site: ClientSession) -> None:
    for path in ("/docs/", *map(path_of, NAMES)):
        plain = await site.get(path, headers=PLAIN)
        packed = await site.get(path)
        body = await plain.read()
        assert body.lstrip().startswith(b"<!doctype html>"), path
        assert plain.headers["Content-Type"] == "text/html; charset=utf-8"
        assert gzip.decompress(await packed.read()) == body
        assert plain.headers["ETag"] != packed.headers["ETag"]
        caching = "private, no-cache" if str(plain.url.origin()).encode() in body else "no-cache"
        assert plain.headers["Cache-Control"] == packed.headers["Cache-Control"] == caching
        assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
        again = await site.get(path, headers={"If-None-Match": packed.headers["ETag"]})
        assert (again.status, await again.read()) == (304, b"")
        head = await site.head(path, headers=PLAIN)
        assert (head.status, head.headers["ETag"], await head.read()) == (200, plain.headers["ETag"], b"")


async def test_a_page_has_one_url(site: ClientSession) -> None:
    for path, query in (("/docs", ""), ("/docs/rules", "?x=1&y=%20"), ("/docs/api", "")):
        answer = await site.get(URL(f"{path}{query}", encoded=True), allow_redirects=False)
        target = answer.url.join(URL(answer.headers["Location"])).relative()
        assert (answer.status, str(target)) == (302, f"{path}/{query}")


async def test_unknown_paths_are_not_found(site: ClientSession) -> None:
    for path in ("docs/nothing", "docs/assets/", "docs/assets/../../page/index.html", "docs//", "problems/nothing"):
        answer = await site.get(f"/{path}", headers=PLAIN)
        problem = await answer.json(content_type="application/problem+json")
        assert (answer.status, problem["code"]) == (404, "not_found"), path


async def test_every_file_has_a_media_type(site: ClientSession) -> None:
    """Text has a charset: clients that guess read Latin-1."""
    types = {path.rpartition(".")[2]: load(path).media_type for path in list_files(SITE)}
    assert {kind for kind in types.values() if "; charset=utf-8" not in kind} == {"image/png", "application/json"}
    assert (types["js"], types["css"]) == ("text/javascript; charset=utf-8", "text/css; charset=utf-8")
    assert (types["png"], types["svg"]) == ("image/png", "image/svg+xml; charset=utf-8")
    assert load("assets/swagger-ui/LICENSE").media_type == "text/plain; charset=utf-8"
    answer = await site.get("/docs/search.json", headers=PLAIN)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert await answer.read()


def test_the_wheel_takes_every_file_that_a_page_links() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["*"]
    names = {path.rpartition("/")[2] for folder in (SITE, CLIENTS) for path in list_files(folder)}
    assert {name for name in names if not any(fnmatch(name, pattern) for pattern in patterns)} == {"SHA256SUMS"}


async def test_the_packages_of_the_clients_are_found_from_the_index(site: ClientSession) -> None:
    links = await (await site.get("/", headers=PLAIN)).json()
    index = await site.get(links["clients"], headers=PLAIN)
    links = {URL(link).suffix: link for link in re.findall('href="([^"]+)"', await index.text())}
    for suffix, media_type in ((".whl", "application/zip"), (".tgz", "application/gzip"), (".zip", "application/zip")):
        package = await site.get(index.url.join(URL(links[suffix])))
        assert (package.status, package.headers["Content-Type"]) == (200, media_type)
        assert "Content-Encoding" not in package.headers
        assert await package.read()
    moved = await site.get("/clients", allow_redirects=False)
    assert (moved.status, moved.headers["Location"]) == (302, "clients/")


@pytest.mark.parametrize("code", PROBLEM_TYPES)
async def test_the_type_of_every_problem_redirects_to_its_explanation(site: ClientSession, code: str) -> None:
    answer = await site.get(f"/problems/{code.replace('_', '-')}", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (302, f"../docs/problems/#{code}")
    assert code in parse("problems").anchors
    assert f"### {code}\n**{PROBLEM_TYPES[code].status}.** " in (DOCS / "problems.md").read_text(encoding="utf-8")


def test_every_rule_can_be_linked_to() -> None:
    assert {*IDS, "R8.5"} <= set(parse("rules").anchors)


@pytest.mark.parametrize("name", NAMES)
async def test_links_to_the_service_and_to_rules_have_targets(site: ClientSession, name: str) -> None:
    actual = parse(name)
    assert len(set(actual.anchors)) == len(actual.anchors)
    for link in actual.links:
        path, _, anchor = link.partition("#")
        if path == path_of("rules"):
            assert anchor in parse("rules").anchors, link
        elif path.startswith("/"):
            assert (await site.get(path)).status == 200, link


@pytest.mark.parametrize("name", NAMES)
def test_a_page_loads_this_sites_files_alone(name: str) -> None:
    """Inline scripts are the generator's; the Content-Security-Policy names their digests."""
    actual = parse(name)
    assert all(re.match(r"\.\.?/", path) for path in actual.loaded)
    assert not [one for one in actual.elements if one.tag == "style" or "style" in one.attributes]


def read_prose(file: Path) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("file", (*ROOT.glob("*.md"), *DOCS.glob("*.md")), ids=lambda file: file.name)
def test_a_link_of_a_source_leads_to_a_file_and_a_heading_on_a_code_host(file: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)", read_prose(file)):
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        assert link.startswith("https://") or target.exists(), link
        if anchor and not link.startswith("https://"):
            headings = re.findall(r"^#+ (.+)$", read_prose(target), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings], link


def test_a_source_has_what_the_site_shows() -> None:
    """`make check` compares the figures; none begins a line, which Markdown would take for HTML."""
    sources = "\n".join(file.read_text(encoding="utf-8") for file in DOCS.glob("*.md"))
    assert {*re.findall(r"<!-- (\w+) -->(?=.)", sources)} - {"end"} == {*FIGURES}
    assert {*re.findall(r"^<!-- (\w+) -->$", sources, re.MULTILINE)} == {*PARTS, "end"}
    assert not re.search(r"^ *<!-- \w+ -->.", sources, re.MULTILINE)
    assert fill_in("so <!-- max_webhooks -->7<!-- end -->") == "so <!-- max_webhooks -->10<!-- end -->"


def test_the_viewer_is_as_published() -> None:
    folder = HERE / "assets" / "swagger-ui"
    sums = [line.split("  ") for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in sums} == {file.name for file in folder.iterdir()} - {"SHA256SUMS", "README.md"}
    for digest, name in sums:
        assert sha256((folder / name).read_bytes()).hexdigest() == digest


RUNNABLE_PAGES = [page for page in pages() if any(block.is_run for block in blocks(page))]

JSON_BLOCKS = [
    block
    for page in pages()
    for block in blocks(page)
    if block.language == "json" and not (block.is_run or block.is_not_run)
]

EXPECTED_OUTPUT = {
    "absent": ("move_undone", "player_returned", "player_resigned", r"^ok +rules"),
    "bot-in-40-lines": ("'reason': 'last_",),
    "chat-bot": ("abandonne",),
    "clients": ("refused by rule R3", "by now", "tiles in the bag"),
    "first-game": ("'reason': 'last_", r"^last_\w+ \[", r"^ok +rules", '"code": "version_mismatch"'),
    "how-it-works": (r"^\d{2,} diffs verified$",),
    "phone-app": ("tile_placed", "^subscribed$"),
    "websocket": (
        ".*\n".join(
            (
                *("^received welcome", "sent", "received ack", "sent", "received subscribed", "sent", "received diff"),
                *("received ack", "sent", "received error", "sent", "received snapshot", "sent", "received ack$"),
            )
        ),
    ),
}
"""Patterns that the output of a page's shell must contain."""

EXPECTED_PROBLEMS = {"first-game": {"version-mismatch"}}
"""The problems that a page causes on purpose."""


@pytest.mark.parametrize("page", RUNNABLE_PAGES)
async def test_a_page_can_be_followed_from_top_to_bottom(page: str, service_url: str, tmp_path: Path) -> None:
    require(CURL)
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / ".venv").symlink_to(Path(sys.prefix))
    script = make_script((block for block in blocks(page) if block.is_run), service_url.removeprefix("http://"))
    path = f"{sys.base_prefix}/bin{os.pathsep}{os.environ['PATH']}"  # a shim of `python3` would take most of the time
    environment = {"PATH": path, "HOME": str(tmp_path)}
    shell = await run_program(*("sh", "-c", script), cwd=folder, env=environment, start_new_session=True)
    assert shell.returncode == 0, f"{shell.stderr}\n{shell.stdout[-2000:]}"
    for pattern in EXPECTED_OUTPUT.get(page, ()):
        assert re.search(pattern, shell.stdout, re.MULTILINE), pattern
    assert set(re.findall(r'"/problems/([a-z-]+)"', shell.stdout)) == EXPECTED_PROBLEMS.get(page, set())


@pytest.mark.parametrize("block", JSON_BLOCKS, ids=lambda block: f"{block.page}:{block.line}")
def test_json_blocks_match_their_schemas(block: Block) -> None:
    check_json(block)


@pytest.mark.parametrize("page", RUNNABLE_PAGES)
def test_a_page_says_where_the_project_s_programs_are(page: str) -> None:
    assert "project's root" in read_page(page) or not any(
        ".venv/" in block.code for block in blocks(page) if block.is_run
    )


@pytest.mark.parametrize("page", pages())
def test_a_block_that_is_not_run_says_why(page: str) -> None:
    for block in blocks(page):
        assert not block.is_not_run or len(block.annotation.removeprefix("no-run:").split()) > 2, block


def test_the_bot_in_40_lines_has_40() -> None:
    (bot,) = [block for block in blocks("bot-in-40-lines") if block.file == "bot.py"]
    assert len(bot.code.splitlines()) == 40
