"""The documentation in a real browser: no errors, no requests to other hosts, and every page fits a phone."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, expect

from tests.browser import chromium
from tests.docs.test_site import NAMES, path_of
from tests.page.visitor import record_errors
from tests.redis_servers import connect
from tests.web.app_server import serve
from tools.openapi.document import make_openapi

DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=360, height=740)


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def base(redis_server: str) -> AsyncIterator[str]:
    """Return the URL of an instance."""
    async with connect(redis_server) as store, serve(store) as client:
        yield str(client.make_url("/"))


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, base: str) -> AsyncIterator[Page]:
    """Open a page. At the end, fail if it had an error or requested another host."""
    context = await browser.new_context(viewport=DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    page = await context.new_page()
    errors = record_errors(page, base)
    yield page
    await context.close()
    assert errors == []


async def test_every_page_fits_on_a_phone_and_has_no_error(page: Page, base: str) -> None:
    await page.set_viewport_size(PHONE)
    await page.emulate_media(color_scheme="dark")
    for name in NAMES:
        await page.goto(base + path_of(name)[1:])
        await expect(page.locator("article > h1")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


async def test_the_viewer_shows_every_operation_and_executes_one(page: Page, base: str) -> None:
    """It fills in no header: two readers would share an idempotency key, and so the tokens of one game."""
    document = make_openapi()
    items = [*document["paths"].values(), *document["webhooks"].values()]
    await page.goto(f"{base}docs/api/#/games/createGame")
    await expect(page.locator(".opblock")).to_have_count(sum(map(len, items)))
    operation = page.locator("#operations-games-createGame")
    await expect(operation.locator(".body-param__example")).to_contain_text('"name": "Ana"')
    await operation.get_by_role("button", name="Try it out").click()
    headers = operation.locator("tr[data-param-in=header] input")
    await expect(headers).to_have_count(3)
    assert [await field.input_value() for field in await headers.all()] == [""] * 3
    await operation.get_by_role("button", name="Execute").click()
    await expect(operation.locator(".live-responses-table .response-col_status").last).to_contain_text("201")


async def test_an_operation_has_code_samples(page: Page, base: str) -> None:
    await page.goto(f"{base}docs/api/#/playing/act")
    samples = page.locator("#operations-playing-act .code-samples")
    await expect(samples.locator("pre")).to_contain_text(f"curl {base}v1/games/")
    await samples.get_by_role("tab", name="TypeScript").click()
    await expect(samples.locator("pre")).to_contain_text("await client.act(")


async def test_the_chosen_language_is_shown_again(page: Page, base: str) -> None:
    await page.goto(f"{base}docs/first-game/")
    tabs = page.locator(".tabbed-set").first
    await expect(tabs.locator("pre:visible")).to_contain_text("curl -s")
    await tabs.get_by_text("Python", exact=True).click()
    await page.reload()
    await expect(tabs.locator("pre:visible")).to_have_count(1)
    await expect(tabs.locator("pre:visible")).to_contain_text("from south_seas import Client")


async def test_search_leads_to_a_section(page: Page, base: str) -> None:
    # The results are in a closed shadow tree, where no locator could wait for them.
    await page.add_init_script(
        "const attach = Element.prototype.attachShadow;"
        "Element.prototype.attachShadow = function (options) { return attach.call(this, {...options, mode: 'open'}); }"
    )
    await page.goto(f"{base}docs/", wait_until="networkidle")
    await page.keyboard.press("/")
    await page.get_by_role("combobox", name="Search").fill("idempotency key reused")
    await page.locator("a[href*='#key_reused']").wait_for()
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile("/docs/problems/.*#key_reused"))


async def test_snippets_show_the_address_of_the_site_and_can_be_copied(page: Page, base: str) -> None:
    await page.goto(f"{base}docs/first-game/")
    snippet = page.locator(".highlight").first
    await expect(snippet).to_contain_text(f"{base}v1/games")
    await snippet.hover()
    await snippet.get_by_role("button").click()
    await expect(page.get_by_text("Copied to clipboard")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("curl ")
    assert f"{base}v1/games" in copied


async def test_a_link_to_a_rule_scrolls_to_it(page: Page, base: str) -> None:
    await page.goto(f"{base}docs/rules/#R5.6")
    rule = page.locator("[id='R5.6']")
    await expect(rule).to_be_in_viewport()
    await expect(rule).to_contain_text("boat tile")
    top = await rule.bounding_box()
    header = await page.locator("header.md-header").bounding_box()
    assert top is not None
    assert header is not None
    assert top["y"] >= header["y"] + header["height"]
