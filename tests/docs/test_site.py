"""The documentation site: every page is served, every link works, nothing comes from other hosts."""

import gzip
import re
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest
from aiohttp import ClientSession

from schemas.problems import PROBLEM_TYPES
from service.web.docs.assets import CONTENT_TYPES, static_url
from service.web.docs.contents import HTTP, MESSAGES, NAMES, page_path
from service.web.docs.highlighting import highlight_code
from service.web.docs.pages import load_page
from service.web.docs.search import Section, page_sections
from tests.docs.blocks import DOCS, EXAMPLE_HOST, blocks, pages
from tests.docs.parsed_page import ParsedPage
from tests.rules.test_every_rule import IDS

PLAIN = {"Accept-Encoding": "identity"}

VENDORED = ("minisearch", "swagger-ui")


@cache
def parse(name: str) -> ParsedPage:
    """Return a page as it is sent; most tests look at all pages."""
    return ParsedPage(load_page(name).body.decode())


def test_every_file_has_its_page() -> None:
    assert sorted(set(NAMES) - {HTTP, MESSAGES}) == pages()
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_is_served_plain_compressed_or_not_modified(site: ClientSession, name: str) -> None:
    plain = await site.get(page_path(name), headers=PLAIN)
    packed = await site.get(page_path(name))
    body = await plain.read()
    assert body.startswith(b"<!DOCTYPE html>")
    assert plain.headers["Content-Type"] == "text/html; charset=utf-8"
    assert gzip.decompress(await packed.read()) == body
    assert plain.headers["ETag"] != packed.headers["ETag"]
    for answer in (plain, packed):
        assert answer.status == 200
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in answer.headers["Content-Security-Policy"]
    again = await site.get(page_path(name), headers={"If-None-Match": packed.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    head = await site.head(page_path(name), headers=PLAIN)
    assert (head.status, head.headers["ETag"], await head.read()) == (200, plain.headers["ETag"], b"")


async def test_static_files_are_cached_until_they_change(site: ClientSession) -> None:
    for name in CONTENT_TYPES:
        of_this_release = await site.get(static_url(name))
        assert (of_this_release.status, of_this_release.headers["Content-Encoding"]) == (200, "gzip")
        assert of_this_release.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        of_any = await site.get(static_url(name).partition("?")[0] + "?v=0")
        assert of_any.headers["Cache-Control"] == "no-cache"


async def test_redirects_and_unknown_addresses(site: ClientSession) -> None:
    for path in ("/docs/", "/docs/index"):
        assert (await site.get(path, allow_redirects=False)).headers["Location"] == "/docs"
    for path in ("/docs/nothing", "/docs/static/nothing.js", "/docs/static/../routes.py", "/problems/nothing"):
        answer = await site.get(path, headers=PLAIN)
        assert (answer.status, (await answer.json(content_type="application/problem+json"))["code"]) == (
            404,
            "not_found",
        )


@pytest.mark.parametrize("code", PROBLEM_TYPES)
async def test_the_type_of_every_problem_redirects_to_its_explanation(site: ClientSession, code: str) -> None:
    answer = await site.get(f"/problems/{code.replace('_', '-')}", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (302, f"/docs/problems#{code}")
    anchors = parse("problems").anchors
    before = anchors[: anchors.index(code)]
    assert [anchor for anchor in before if anchor.isdigit()][-1] == str(PROBLEM_TYPES[code].status)


def test_every_rule_can_be_linked_to() -> None:
    assert {*IDS, "R8.5"} <= set(parse("rules").anchors)


@pytest.mark.parametrize("name", NAMES)
async def test_every_link_has_a_target(site: ClientSession, name: str) -> None:
    actual = parse(name)
    assert len(set(actual.anchors)) == len(actual.anchors)
    for link in actual.links:
        path, _, anchor = link.partition("#")
        if path.startswith("/docs") or not path:
            there = actual if not path else parse(path.removeprefix("/docs").removeprefix("/") or "index")
            assert not anchor or anchor in there.anchors, link
        elif path.startswith("/"):
            assert (await site.get(path)).status == 200, link
        else:
            assert path.startswith("https://"), link


@pytest.mark.parametrize("name", NAMES)
def test_a_page_contains_nothing_that_its_policy_forbids(name: str) -> None:
    actual = parse(name)
    assert all(path.startswith("/docs/static/") for path in actual.loaded)
    assert all("src" in one.attributes for one in actual.elements if one.tag == "script")
    assert not [one for one in actual.elements if one.tag == "style" or "style" in one.attributes]
    assert b"&lt;!--" not in load_page(name).body


@pytest.mark.parametrize("name", pages())
def test_links_between_source_files_lead_to_files(name: str) -> None:
    text = re.sub(
        r"^ *```.*?^ *```$", "", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (DOCS / link).exists(), link


@pytest.mark.parametrize("folder", VENDORED)
def test_vendored_files_are_as_published(folder: str) -> None:
    path = resources.files("service.web.docs").joinpath("static", folder)
    sums = [line.split("  ") for line in path.joinpath("SHA256SUMS").read_text().splitlines()]
    served = {name.removeprefix(f"{folder}/") for name in CONTENT_TYPES if name.startswith(f"{folder}/")}
    assert served == {name for _, name in sums}
    for digest, name in sums:
        assert sha256(path.joinpath(name).read_bytes()).hexdigest() == digest


def test_every_file_of_static_is_served() -> None:
    static = Path(str(resources.files("service.web.docs").joinpath("static")))
    files = {str(path.relative_to(static)) for path in static.rglob("*") if path.is_file()}
    unserved = {f"{folder}/{name}" for folder in VENDORED for name in ("README.md", "SHA256SUMS")}
    assert files == {*(name for name in CONTENT_TYPES if not name.startswith("pictures/")), *unserved}


async def test_every_search_result_has_a_target(site: ClientSession) -> None:
    sections = await (await site.get("/docs/search.json", headers=PLAIN)).json()
    operations = {section["url"] for section in sections if "#/" in section["url"]}
    assert f"{page_path(HTTP)}#/games/createGame" in operations
    for section in sections:
        path, _, anchor = section["url"].partition("#")
        name = path.removeprefix("/docs").removeprefix("/") or "index"
        assert section["url"] in operations or not anchor or anchor in parse(name).anchors
    assert {section["url"].partition("#")[0] for section in sections} == {page_path(name) for name in NAMES}


def test_search_sections_have_the_text_below_their_heading() -> None:
    body = "<h1>Pages</h1><p>One<b>2</b></p><h2 id='a'>An <code>a</code></h2><ul><li>x</li><li>y</li></ul>"
    assert page_sections("/docs/p", "Page", body) == [
        Section("/docs/p", "Page", "Pages", "One2"),
        Section("/docs/p#a", "Page", "An a", "x y"),
    ]


@pytest.mark.parametrize("name", pages())
def test_highlighting_keeps_the_example_origin_in_one_piece(name: str) -> None:
    """`docs.js` replaces it with the reader's address, text node by text node."""
    for block in blocks(name):
        expected = block.code.count(f"http://{EXAMPLE_HOST}")
        assert highlight_code(block.code, block.language).count(f"http://{EXAMPLE_HOST}") == expected
