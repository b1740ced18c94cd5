"""A visitor who uses the page by mouse, touch or keyboard, in games that tests play over the API up to some state."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from random import Random
from typing import Any, Literal, NamedTuple, TypedDict, Unpack
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request

from tests.web.app_server import Client
from tests.web.http_game import HTTPGame

Size = tuple[int, int]

DESKTOP: Size = (1440, 900)
PHONE: Size = (390, 844)
SIDEWAYS: Size = (844, 390)
MINE = ".action-bar.mine:not(.busy)"
OVER = ".action-bar.game-result"


class VisitorOptions(TypedDict, total=False):
    """The browser options of a visitor."""

    size: Size
    touch: bool
    locale: str
    worker: bool
    """Whether the page may have its service worker."""


class Visitor(NamedTuple):
    """A visitor with their own browser context."""

    context: BrowserContext
    page: Page
    touch: bool
    problems: list[str]
    """What is wrong with the page."""

    @property
    def action_bar(self) -> Locator:
        """The bar with the current decision and its buttons."""
        return self.page.locator(".action-bar")

    def button(self, name: str) -> Locator:
        """Return the button with this text."""
        return self.page.get_by_role("button", name=name, exact=True)

    async def press(self, name: str) -> None:
        """Press a button by its text."""
        await self.use(self.button(name))

    async def use(self, element: Locator) -> None:
        """Tap or click on an element."""
        await (element.tap() if self.touch else element.click())

    async def disconnect(self) -> None:
        """Cut the visitor off from the network."""
        await self.context.set_offline(offline=True)
        await self.page.evaluate("dispatchEvent(new Event('offline'))")

    async def reconnect(self) -> None:
        """Give the visitor the network back."""
        await self.context.set_offline(offline=False)

    async def decide(self, *, place_islanders: bool = True) -> bool:
        """Take one decision by the first choice. Return False if the game is over."""
        await self.page.locator(f"{MINE}, {OVER}").first.wait_for()
        if await self.page.locator(OVER).count():
            return False
        before = await self.version()
        phase = await self._phase()
        chooses = phase == "place" or (phase == "spot" and place_islanders)
        if chooses or phase == "ship":
            await self.use(self._choices(phase).first)
        if phase == "ship":
            await self._pay()
        primary = self.action_bar.locator(".primary")
        if chooses or await primary.is_enabled():  # a busy page enables it later
            await self.use(primary)
        else:
            await self.use(self.action_bar.locator(".buttons button:not(.primary, .undo)"))
        await self.wait_for_change(before)
        return True

    async def play(self, *, place_islander_every: int) -> int:
        """Take all decisions until the game is over, and return their number."""
        decisions = 0
        while await self.decide(place_islanders=decisions % place_islander_every == 0):
            decisions += 1
        return decisions

    async def version(self) -> int:
        """Return the shown version of the game."""
        return int(await self.page.locator("main").get_attribute("data-version") or 0)

    async def _pay(self) -> None:
        """Choose wares while more can be chosen, which may result in an illegal payment."""
        more = self.action_bar.locator(".stepper button:last-child:enabled")
        while await more.count():
            await self.use(more.first)

    def _choices(self, phase: str) -> Locator:
        return self.page.locator(".ship.choosable" if phase == "ship" else "[data-choice][tabindex='0']")

    async def _phase(self) -> Literal["place", "spot", "ship", "none"]:
        """Wait for the choices, and return their type."""
        choices = self.page.locator(".cells [data-choice], .spots [data-choice], .ship.choosable").first
        await choices.wait_for()
        if await self.page.locator(".ship.choosable").count():
            return "ship"
        if await self.page.locator(".cells [data-choice]").count():
            return "place"
        return "spot" if await self.page.locator(".spot.place").count() else "none"

    async def wait_for_change(self, before: int) -> None:
        """Wait until the page shows a later version of the game."""
        await self.page.wait_for_function(
            "before => document.querySelector('main').dataset.version > before", arg=before
        )


class Visitors:
    """Opens the page for visitors, and records the errors of their browsers."""

    def __init__(self, browser: Browser, client: Client) -> None:
        self.client = client
        """A client of the same service, without the page."""
        self.url = str(client.make_url("/"))
        self._problems: list[list[str]] = []
        mismatch = "cross-world service worker resource mismatch"  # the worker takes over while the page loads
        self._expected_errors = ["Service Worker registration blocked", mismatch]
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    async def open(self, path: str = "", **options: Unpack[VisitorOptions]) -> Visitor:
        """Open the page in a new visitor's browser; `path` may be an absolute URL."""
        (width, height), touch = options.get("size", DESKTOP), options.get("touch", False)
        context = await self._browser.new_context(
            service_workers="allow" if options.get("worker") else "block",
            viewport={"width": width, "height": height},
            color_scheme="light",
            locale=options.get("locale", "en"),
            reduced_motion="reduce",
            has_touch=touch,
            is_mobile=touch,
        )
        self._contexts.append(context)
        page = await context.new_page()
        self._problems.append(problems := record_errors(page, self.url))
        await page.goto(path if path.startswith("http") else self.url + path)
        return Visitor(context, page, touch, problems)

    def expect_error(self, pattern: str) -> None:
        """Ignore past and future errors that match a pattern, which the test causes itself."""
        self._expected_errors.append(pattern)

    async def close(self) -> None:
        """Close all browser contexts, and fail if something is wrong with a page that was not expected."""
        for context in self._contexts:
            await context.close()
        errors = [
            error
            for error in chain(*self._problems)
            if not any(re.search(pattern, error) for pattern in self._expected_errors)
        ]
        assert not errors, errors


def record_errors(page: Page, url: str) -> list[str]:
    """Return a list that receives the errors and warnings of a page, and what it requests of another host than this."""
    errors: list[str] = []

    def record_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            errors.append(f"console: {message.text}")

    def record_foreign_request(request: Request) -> None:
        if urlsplit(request.url).netloc not in {"", urlsplit(url).netloc}:
            errors.append(f"request to another host: {request.url}")

    page.on("console", record_console)
    page.on("pageerror", lambda error: errors.append(f"error: {error}"))
    page.on("request", record_foreign_request)
    return errors


Moves = list[dict[str, Any]]
Stop = Callable[[Moves], bool]
"""Returns whether to stop where these moves are legal."""

KEEP_WARES = ("place_tile", "place_islander", "take_ship", "pass", "retrieve_islander", "deliver")
"""Preferences of a player who collects wares."""


class PreparedGame(HTTPGame):
    """A game of human players, whose moves its seed determines."""

    def __init__(self, client: Client, seed: str, created: dict[str, Any], *, is_private: bool) -> None:
        super().__init__(client, created)
        self.seed = seed
        self.is_private = is_private

    @property
    def link(self) -> str:
        """The path of the link to watch the game."""
        return f"games/{self.id}#spectator={self.spectator_token}"

    async def play_until(self, stop: Stop) -> None:
        """Play the same moves each time, by KEEP_WARES, until the legal moves meet the condition."""
        rng = Random(self.seed)
        moves = await self.legal_moves()
        while not stop(moves):
            rng.shuffle(moves)
            best = min(moves, key=lambda move: KEEP_WARES.index(move["action"]["type"]))
            response = await self.act({"move": best["id"]}, query="?include=legal_moves")
            moves = (await response.json())["legal_moves"]["moves"]

    async def open_for(self, visitors: Visitors, *seats: int, **options: Unpack[VisitorOptions]) -> Visitor:
        """Open this game in the browser of a visitor with these seats' tokens."""
        visitor = await visitors.open(**options)
        tokens = {seat: self.seat_tokens[seat] for seat in seats}
        stored: dict[str, Any] = {"id": self.id, "owner": None, "spectator": self.spectator_token, "seats": tokens}
        stored |= {"private": self.is_private, "opened": 0}
        await visitor.page.evaluate("game => localStorage.setItem('south-seas.tables', JSON.stringify([game]))", stored)
        await visitor.page.goto(f"{visitors.url}games/{self.id}")
        return visitor


async def prepare_game(
    visitors: Visitors, seed: str = "page", names: Sequence[str] = ("Ana", "Bo"), **more: Any
) -> PreparedGame:
    """Create a game of human players."""
    request = {"players": [{"name": name} for name in names], "seed": seed, "first_seat": 0, **more}
    is_private = more.get("visibility") == "private"
    async with visitors.client.post("/v1/games", json=request) as response:
        return PreparedGame(visitors.client, seed, await response.json(), is_private=is_private)


def offers(action_type: str, count: int = 1) -> Stop:
    """Return a condition: at least `count` legal moves of a type; for deliveries, for the same ship."""

    def condition(moves: Moves) -> bool:
        actions = [move["action"] for move in moves if move["action"]["type"] == action_type]
        counts = Counter(action["ship"] if action_type == "deliver" else action_type for action in actions)
        return max(counts.values(), default=0) >= count

    return condition


def decisions(count: int) -> Stop:
    """Return a condition: a tile is to be placed after so many decisions."""
    asked = 0

    def condition(moves: Moves) -> bool:
        nonlocal asked
        asked += 1
        return asked > count and offers("place_tile")(moves)

    return condition
