"""The pages as they are served: all of `docs/`, whole, each link leading somewhere, nothing from elsewhere."""

import gzip
import re
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest
from aiohttp import ClientSession

from schemas.problems import KINDS
from service.web.docs.assets import SHIPPED, kept
from service.web.docs.contents import HTTP, NAMES, SOCKET, path_of
from service.web.docs.pages import page
from tests.docs.blocks import DOCS, pages
from tests.docs.read import Read
from tests.rules.test_every_rule import IDS

PLAIN = {"Accept-Encoding": "identity"}

VENDORED = "swagger-ui/"


def read(name: str) -> Read:
    """A page as it is sent."""
    return Read(page(name).body.decode())


def test_every_file_has_its_page() -> None:
    assert sorted(set(NAMES) - {HTTP, SOCKET}) == pages()
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_is_served_whole_packed_or_not_at_all(site: ClientSession, name: str) -> None:
    plain = await site.get(path_of(name), headers=PLAIN)
    packed = await site.get(path_of(name))
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
    again = await site.get(path_of(name), headers={"If-None-Match": packed.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    head = await site.head(path_of(name), headers=PLAIN)
    assert (head.status, head.headers["ETag"], await head.read()) == (200, plain.headers["ETag"], b"")


async def test_what_a_page_loads_is_kept_until_it_changes(site: ClientSession) -> None:
    for name in SHIPPED:
        of_this_release = await site.get(kept(name))
        assert (of_this_release.status, of_this_release.headers["Content-Encoding"]) == (200, "gzip")
        assert of_this_release.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        of_any = await site.get(kept(name).partition("?")[0] + "?v=0")
        assert of_any.headers["Cache-Control"] == "no-cache"


async def test_other_addresses(site: ClientSession) -> None:
    for path in ("/docs/", "/docs/index"):
        assert (await site.get(path, allow_redirects=False)).headers["Location"] == "/docs"
    for path in ("/docs/nothing", "/docs/static/nothing.js", "/docs/static/../routes.py", "/problems/nothing"):
        answer = await site.get(path, headers=PLAIN)
        assert (answer.status, (await answer.json(content_type="application/problem+json"))["code"]) == (
            404,
            "not_found",
        )


@pytest.mark.parametrize("code", KINDS)
async def test_the_type_of_every_problem_leads_to_what_it_means(site: ClientSession, code: str) -> None:
    answer = await site.get(f"/problems/{code.replace('_', '-')}", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (302, f"/docs/problems#{code}")
    anchors = read("problems").anchors
    before = anchors[: anchors.index(code)]
    assert [anchor for anchor in before if anchor.isdigit()][-1] == str(KINDS[code].status)


def test_every_rule_can_be_linked_to() -> None:
    assert {*IDS, "R8.5"} <= set(read("rules").anchors)


@pytest.mark.parametrize("name", NAMES)
async def test_every_link_leads_somewhere(site: ClientSession, name: str) -> None:
    here = read(name)
    assert len(set(here.anchors)) == len(here.anchors)
    for link in here.links:
        path, _, anchor = link.partition("#")
        if path.startswith("/docs") or not path:
            there = here if not path else read(path.removeprefix("/docs").removeprefix("/") or "index")
            assert not anchor or anchor in there.anchors, link
        elif path.startswith("/"):
            assert (await site.get(path)).status == 200, link
        else:
            assert path.startswith("https://"), link


@pytest.mark.parametrize("name", NAMES)
def test_a_page_brings_nothing_that_its_policy_forbids(name: str) -> None:
    here = read(name)
    assert all(path.startswith("/docs/static/") for path in here.loaded)
    assert all("src" in one.attributes for one in here.elements if one.tag == "script")
    assert not [one for one in here.elements if one.tag == "style" or "style" in one.attributes]


@pytest.mark.parametrize("name", pages())
def test_links_lead_somewhere_where_the_sources_are_too(name: str) -> None:
    text = re.sub(
        r"^ *```.*?^ *```$", "", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (DOCS / link).exists(), link


def test_the_viewer_is_what_was_published() -> None:
    folder = resources.files("service.web.docs").joinpath("static", "swagger-ui")
    sums = [line.split("  ") for line in folder.joinpath("SHA256SUMS").read_text().splitlines()]
    served = {name.removeprefix(VENDORED) for name in SHIPPED if name.startswith(VENDORED)}
    assert served == {name for _, name in sums}
    for digest, name in sums:
        assert sha256(folder.joinpath(name).read_bytes()).hexdigest() == digest


def test_every_file_of_static_is_served() -> None:
    static = Path(str(resources.files("service.web.docs").joinpath("static")))
    files = {str(path.relative_to(static)) for path in static.rglob("*") if path.is_file()}
    unserved = {"swagger-ui/README.md", "swagger-ui/SHA256SUMS"}
    assert files == {*(name for name in SHIPPED if not name.startswith("pictures/")), *unserved}
