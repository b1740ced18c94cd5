"""A visitor who uses the page by mouse, touch or keyboard, with the errors of their browser."""

import re
from typing import Literal, NamedTuple, TypedDict
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, expect

from tests.web.app_server import Client

Size = tuple[int, int]

DESKTOP: Size = (1440, 900)
PHONE: Size = (390, 844)
MINE = ".action-bar.mine:not(.busy)"
OVER = ".action-bar.game-result"


class VisitorOptions(TypedDict, total=False):
    """The screen of a visitor."""

    size: Size
    dark: bool
    touch: bool


class Visitor(NamedTuple):
    """A browser of one person's own."""

    context: BrowserContext
    page: Page

    @property
    def action_bar(self) -> Locator:
        """What is to be done now, and the buttons for it."""
        return self.page.locator(".action-bar")

    async def press(self, name: str) -> None:
        """Press a button by its words."""
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def decide(self, *, sends: bool = True) -> bool:
        """Take one decision with the first choice there is; whether there was one to take (else the game is over)."""
        await self.page.locator(f"{MINE}, {OVER}").first.wait_for()
        if await self.page.locator(OVER).count():
            return False
        before = await self.version()
        phase = await self._phase()
        if phase in {"place", "ship"} or (phase == "spot" and sends):
            await self._choices(phase).first.click()
        if phase == "ship":
            await self._pay()
        if await self.action_bar.locator(".primary").is_enabled():
            await self.action_bar.locator(".primary").click()
        else:
            await self.action_bar.locator(".buttons button:not(.primary, .undo)").click()
        await self._passed(before)
        return True

    async def version(self) -> int:
        """Return the shown version of the game."""
        return int(await self.page.locator("main").get_attribute("data-version") or 0)

    async def _pay(self) -> None:
        """Choose wares as long as more can be chosen; that may be no way to pay the ship."""
        more = self.action_bar.locator(".stepper button:last-child:enabled")
        while await more.count():
            await more.first.click()

    def _choices(self, phase: str) -> Locator:
        return self.page.locator(".ship.choosable" if phase == "ship" else "[data-choice]")

    async def _phase(self) -> Literal["place", "spot", "ship", "none"]:
        """Wait for the choices, and return them."""
        displayed = self.page.locator(".cells [data-choice], .spots [data-choice], .ship.choosable").first
        await displayed.wait_for()
        if await self.page.locator(".ship.choosable").count():
            return "ship"
        if await self.page.locator(".cells [data-choice]").count():
            return "place"
        return "spot" if await self.page.locator(".spot.place").count() else "none"

    async def _passed(self, before: int) -> None:
        """Wait until the game has gone on."""
        await self.page.wait_for_function(
            "before => document.querySelector('main').dataset.version > before", arg=before
        )


class Visitors:
    """Opens the page, and keeps every complaint of the browsers."""

    def __init__(self, browser: Browser, client: Client) -> None:
        self.client = client
        """Asks the same service, past the page."""
        self.url = str(client.make_url("/"))
        self.complaints: list[str] = []
        self._excused: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    async def come(self, path: str = "", *, size: Size = DESKTOP, dark: bool = False, touch: bool = False) -> Visitor:
        """Open the page in a new visitor's browser; `path` may be a whole link."""
        context = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            has_touch=touch,
            is_mobile=touch,
        )
        context.set_default_timeout(15_000)
        self._contexts.append(context)
        page = await context.new_page()
        self._listen(page)
        await page.goto(path if path.startswith("http") else self.url + path)
        return Visitor(context, page)

    def excuse(self, pattern: str) -> None:
        """Forget complaints that a test brings about itself, those to come too."""
        self._excused.append(pattern)

    async def leave(self) -> None:
        """Close all; nothing may have gone wrong, and nothing been asked of anybody but the service."""
        for context in self._contexts:
            await context.close()
        complaints = [one for one in self.complaints if not any(re.search(each, one) for each in self._excused)]
        assert not complaints, complaints

    def _listen(self, page: Page) -> None:
        def said(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                self.complaints.append(f"console: {message.text}")

        def asked(request: Request) -> None:
            if urlsplit(request.url).netloc != urlsplit(self.url).netloc:
                self.complaints.append(f"asked elsewhere: {request.url}")

        page.on("console", said)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", asked)


async def starts_against_the_computer(visitor: Visitor) -> None:
    """Start a game with a newcomer's single click."""
    await visitor.press("Play against the computer")
    await expect(visitor.action_bar).to_contain_text("Your turn")
