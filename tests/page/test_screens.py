"""Every screen of the page, with five players whose names have the maximum length.

In each viewport every control is reachable and no text is cut off; the main screens have no violation of axe-core's
accessibility rules, on a desktop in light, and on a phone in dark.
"""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Locator, Page, expect

from service.i18n import LANGUAGES
from tests.page.conftest import GROUPED, RICH
from tests.page.visitor import (
    DESKTOP,
    PHONE,
    SIDEWAYS,
    PreparedGame,
    Size,
    Stop,
    Visitor,
    Visitors,
    decisions,
    offers,
    prepare_game,
)

NAMES = (
    *("Wilhelmina-Maximiliana of Hawaii", "WwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwW", "Bartholomäus von den Osterinseln"),
    *("Penelope Featherstonehaugh-Smyth", "Kapitän Jörg Ølberg-Ångström III"),
)
"""Each 32 characters long."""

SEED = "payments-1"
"""The seed of the tiles and the moves, with which all players get many wares."""

VIEWPORTS: tuple[Size, ...] = ((320, 480), PHONE, SIDEWAYS, (768, 1024), (1024, 768), (1280, 720), (1920, 1080))
TEXT_SIZES: tuple[Size, ...] = ((320, 568), (360, 640), PHONE, SIDEWAYS, (1280, 720))
ZOOMED: tuple[Size, ...] = ((160, 240), (422, 195), (640, 360))
"""Some of them at 200 % zoom, which halves the viewport."""

THEMES: tuple[tuple[Literal["light", "dark"], Size], ...] = (("light", DESKTOP), ("dark", PHONE))
"""In each of which axe-core looks once: both have the same elements, and every size the same colours."""

REACHABLE = (Path(__file__).parent / "reachable.js").read_text()
AXE = Path(__file__).parents[2] / "clients/node_modules/axe-core/axe.min.js"
TWO_FRAMES = "() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"


PLAYERS = """() => [...document.querySelectorAll(".player")].flatMap(player => {
  const held = [...player.querySelectorAll(".points, .wares > *, .holds > .count, .name")];
  const { left, right, bottom } = player.getBoundingClientRect();
  const isInside = box => box.width > 0 && box.left >= left && box.right <= right && box.bottom <= bottom;
  return held.filter(one => !isInside(one.getBoundingClientRect())).map(one => one.outerHTML);
})"""
"""Finds what a player has that is not on their card, or no name."""

TRANSITIONS = "() => Promise.all(document.getAnimations().map(({ finished }) => finished))"


class Screens:
    """A visitor on a phone who goes from screen to screen, and what is wrong with the screens, which fails the test."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.page = visitor.page

    async def check(self, screen: str, *shown: Locator, is_main: bool = False) -> None:
        """Wait until the elements are shown, and check the screen."""
        for element in shown:
            await expect(element).to_be_attached()
        for size in VIEWPORTS + ZOOMED:
            await self._resize(size)
            self.add(screen, size, await self.page.evaluate(REACHABLE))
        for theme, size in THEMES if is_main else ():
            await self._resize(size)
            await self.page.emulate_media(color_scheme=theme)
            await self.page.evaluate(TRANSITIONS)
            self.add(screen, f"{size} {theme}", await self._violations())
        await self._resize(PHONE)

    async def press(self, *names: str) -> None:
        """Press buttons, even if they are out of view."""
        for name in names:
            await self.visitor.button(name).dispatch_event("click")

    async def choose(self, choice: Locator) -> None:
        """Choose something, and nothing else, so that it can be confirmed."""
        await self.page.keyboard.press("Escape")
        await choice.first.press("Enter")
        await expect(self.visitor.action_bar.locator(".primary")).to_be_enabled()

    def add(self, screen: str, where: Size | str, problems: list[str]) -> None:
        """Remember what is wrong with a screen."""
        self.visitor.problems.extend(f"{screen} {where}: {problem}" for problem in problems)

    async def _resize(self, size: Size) -> None:
        await self.page.set_viewport_size({"width": size[0], "height": size[1]})
        await self.page.evaluate(TWO_FRAMES)

    async def _violations(self) -> list[str]:
        """Return axe-core's violations on the page."""
        if not AXE.exists():
            pytest.fail("axe-core is not installed: run `npm --prefix clients ci`")
        if not await self.page.evaluate("() => 'axe' in window"):
            await self.page.evaluate(AXE.read_text())
        result: dict[str, Any] = await self.page.evaluate("() => axe.run()")
        return [
            f"{one['id']}: {node['html']} {node['failureSummary']}"
            for one in result["violations"]
            for node in one["nodes"]
        ]


async def _prepare(visitors: Visitors, **options: Any) -> PreparedGame:
    return await prepare_game(visitors, SEED, NAMES, **options)


async def _open(visitors: Visitors, game: PreparedGame, *seats: int) -> Screens:
    return Screens(await game.open_for(visitors, *(seats or range(5)), size=PHONE, touch=True))


async def _open_at(visitors: Visitors, stop: Stop, *, resigned: int = 0, **options: Any) -> Screens:
    """Open a game that was played until a condition was met, and in which so many players have resigned then."""
    game = await _prepare(visitors, **options)
    await game.play_until(stop)
    await _resign(game, resigned)
    return await _open(visitors, game)


async def test_screens_before_a_game(visitors: Visitors) -> None:
    visitors.expect_error("404")
    waiting = {"players": [*({"name": name} for name in NAMES[:4]), {"open": True}]}
    await visitors.client.post("/v1/games", json=waiting)
    async with visitors.client.post("/v1/games", json={**waiting, "visibility": "private"}) as response:
        private = await response.json()
    await _resign(await _prepare(visitors), 4)
    await _prepare(visitors)
    screens = await _open(visitors, await _prepare(visitors))
    page, dialog = screens.page, screens.page.locator("dialog")
    await expect(screens.visitor.action_bar).to_be_visible()
    await page.goto(visitors.url)
    await expect(page.locator(".game-row")).to_have_count(4)
    await screens.check("lobby", page.locator(".game-row").first, is_main=True)
    await screens.visitor.press("Play with friends")
    await dialog.get_by_label("Your name").fill(NAMES[0])
    for seat in range(2, 6):
        await dialog.locator(".seat select").nth(seat - 1).select_option("here")
        await dialog.get_by_label(f"Name for seat {seat}").fill(NAMES[seat - 1])
    await dialog.get_by_label("Time for each decision").select_option("60")
    await screens.check("creating", dialog.get_by_label("When time runs out"), is_main=True)
    await dialog.locator(".seat select").nth(1).select_option("friend")
    await screens.visitor.press("Create game")
    await screens.check("inviting", page.get_by_label("Link to this game"))
    await page.goto(f"{visitors.url}games/{private['game']['id']}#spectator={private['spectator_token']}")
    await screens.check("joining", screens.visitor.button("Join the game"))
    await page.goto(f"{visitors.url}games/nothing-here")
    await screens.check("missing", page.get_by_role("link", name="All games").last)


async def test_screens_of_a_lesson(visitors: Visitors) -> None:
    visitor = await visitors.open(size=PHONE, touch=True)
    screens = Screens(visitor)
    await screens.check("first-visit", visitor.button("Learn by playing"), is_main=True)
    await visitor.press("Learn by playing")
    await screens.check("lesson", screens.page.locator(".shining .cell"), is_main=True)
    await visitor.decide()
    await screens.check("lesson-islander", screens.page.locator(".lesson"), is_main=True)


async def test_screens_of_placing_and_of_what_is_beside_the_board(visitors: Visitors) -> None:
    screens = await _open_at(visitors, decisions(30), tileset=RICH, edition="german")
    page, choices = screens.page, screens.page.locator("[data-choice]")
    async with visitors.client.get(f"/v1/tilesets/{RICH}") as response:
        types = {tile["id"] for tile in (await response.json())["tiles"]}
    await screens.check("placing", page.locator(".cell").first, is_main=True)
    await screens.choose(choices)
    await screens.check("placing-chosen", page.locator(".trial"))
    for names in (("Menu",), ("Menu", "Help"), ("Menu", "Continue on another device"), ("Menu", "Give up")):
        await screens.press(*names)
        await screens.check(names[-1], page.locator(".menu-list, dialog").last, is_main=names[-1] == "Give up")
        await page.reload()
    await screens.press("More")
    for number in range(3):
        await page.get_by_role("tab").nth(number).dispatch_event("click")
        await screens.check(f"tab {number}", page.locator("[role=tabpanel] li").first)
        await expect(page.locator(".tiles-left li")).to_have_count(len(types) if number == 1 else 0)
    await page.locator(".player .find").first.dispatch_event("click")
    await screens.press("More")
    await expect(page.locator(".breakdown")).to_contain_text("From incomplete features")
    await page.locator(".islander").first.dispatch_event("click")
    await screens.check("islanders", page.locator(".inspected"))


async def test_screens_of_islanders_and_of_paying(visitors: Visitors) -> None:
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")
    game = await _prepare(visitors, tileset=RICH, edition="german")
    await game.play_until(decisions(30))
    await game.play_until(offers("place_islander", 3))
    screens = await _open(visitors, game)
    page = screens.page
    await screens.check("placing-islander", page.locator(".spot.place").first, is_main=True)
    await page.locator(".spots [data-choice]").first.press("Enter")
    await screens.check("placing-islander-chosen")
    await game.play_until(offers("retrieve_islander", 2))
    await screens.check("retrieving", page.locator(".spot.retrieve").first)
    await screens.choose(page.get_by_role("button", name="Take back your"))
    await screens.check("retrieving-chosen")
    await game.play_until(offers("deliver", 6))
    await screens.check("delivering", page.locator(".ship.choosable").first)
    await page.locator(".ship.choosable").first.press("Enter")
    await screens.check("paying", page.get_by_role("group", name="Pay with"), is_main=True)
    await expect(page.locator(".ship-tooltip")).to_have_count(0)
    await screens.visitor.disconnect()
    while await screens.visitor.action_bar.locator(".primary").is_disabled():
        await page.locator(".stepper button:last-child:enabled").first.dispatch_event("click")
    await screens.visitor.action_bar.locator(".primary").dispatch_event("click")
    await screens.check("offline", page.locator(".problem"))


async def test_larger_text_hides_nothing_that_can_be_pressed_or_read(visitors: Visitors) -> None:
    """From 320 px on, in each language: paying for a ship, and what the players have."""
    screens = await _open_at(visitors, offers("deliver", 4), tileset=GROUPED)
    page, ship = screens.page, screens.page.locator(".ship.choosable").first
    for language in LANGUAGES:
        was_paying = await page.locator(".steppers").is_visible()
        await _speak(page, language)
        if was_paying:  # the choice outlives the reload
            await expect(page.locator(".steppers")).to_be_visible()
        async for where in _texts(page, language):
            await page.keyboard.press("Escape")
            await expect(page.locator(".steppers")).to_have_count(0)
            await ship.press("Enter")
            await expect(page.locator(".steppers")).to_be_in_viewport(ratio=0.9)
            await expect(page.locator(".action-bar .primary")).to_be_in_viewport(ratio=0.9)
            screens.add("paying", where, await page.evaluate(REACHABLE))
            screens.add("players", where, await page.evaluate(PLAYERS))


async def test_larger_text_hides_nothing_of_the_menu_and_of_dialogs(visitors: Visitors) -> None:
    screens = await _open(visitors, await _prepare(visitors), 0)
    page, entries = screens.page, screens.page.locator(".menu-list button")
    for language in LANGUAGES:
        await _speak(page, language)
        elsewhere = entries.filter(has_text=re.compile("another device|autre appareil|anderen Gerät"))
        for dialog, entry in {None: None, "help": entries.first, "share": elsewhere, "resign": entries.last}.items():
            await page.locator(".menu > button").dispatch_event("click")
            if entry is not None:
                await entry.dispatch_event("click")
            async for where in _texts(page, language, 200):
                screens.add(dialog or "menu", where, await page.evaluate(REACHABLE))
            await page.reload()


async def test_larger_text_hides_nothing_of_a_result(visitors: Visitors) -> None:
    screens = await _open_at(visitors, decisions(30), resigned=4)
    page = screens.page
    for language in LANGUAGES:
        await _speak(page, language)
        await page.locator(".ranking").wait_for()
        async for where in _texts(page, language):
            screens.add("result", where, await page.evaluate(REACHABLE))


async def _speak(page: Page, language: str) -> None:
    chosen = {"language": language}
    await page.evaluate("chosen => localStorage.setItem('south-seas.likes', JSON.stringify(chosen))", chosen)
    await page.reload()


async def _texts(page: Page, language: str, *sizes: int) -> AsyncIterator[str]:
    """Show the page in different sizes, with larger and larger text."""
    for width, height in TEXT_SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        for percent in sizes or (100, 150, 200):
            await page.evaluate("size => document.documentElement.style.fontSize = size", f"{percent}%")
            await page.evaluate(TWO_FRAMES)
            yield f"{language} {width}x{height} {percent} %"


async def test_screens_of_an_impossible_payment_and_of_others_turns(visitors: Visitors) -> None:
    """A bot plays for seat 0 once its time has run out, and everything stays in its place."""
    screens = await _open_at(visitors, offers("deliver", 4), tileset=GROUPED)
    await screens.page.locator(".ship.choosable").first.press("Enter")
    for amount in await screens.page.get_by_role("spinbutton").all():
        await amount.press("Home")
    for amount in (await screens.page.locator("[role=spinbutton][aria-valuemax='3']").all())[:2]:
        for _ in range(2):
            await amount.press("ArrowUp")
    status = screens.visitor.action_bar.locator(".payment-status")
    await screens.check("impossible-payment", screens.page.locator(".payment-status"), is_main=True)
    await expect(status).to_contain_text("Not these together")
    timed = await _prepare(visitors, turn_timeout_s=1, on_timeout="bot")
    others = await _open(visitors, timed, 0)
    page, take_over = others.page, others.visitor.button("Take over")
    top = await page.locator(".board").evaluate("board => board.getBoundingClientRect().top")
    await expect(take_over).to_be_visible()
    assert await page.locator(".board").evaluate("board => board.getBoundingClientRect().top") == top
    await others.check("timed-out", page.locator(".action-bar.theirs"))
    for size in (PHONE, SIDEWAYS, DESKTOP):
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await expect(take_over).to_be_in_viewport(ratio=1)
    await expect(page).to_have_title(re.compile("^Played by the computer"))


async def test_screens_after_a_game(visitors: Visitors) -> None:
    screens = await _open_at(visitors, decisions(30), resigned=4)
    await screens.check("result", screens.page.locator(".action-bar.game-result"))
    await screens.visitor.press("Replay the game")
    await screens.visitor.press("Last step")
    await screens.check("replay", screens.page.locator(".action-bar.replay"))


async def test_a_result_of_five_players_does_not_scroll_on_a_phone_on_its_side(visitors: Visitors) -> None:
    game = await prepare_game(visitors, SEED, (NAMES[0], "Bo", "Cy", "Di", "Ed"))
    while not await game.has_ended():
        await game.act(await game.first_move())
    visitor = await game.open_for(visitors, 0, size=SIDEWAYS, touch=True)
    await expect(visitor.page.locator(".ranking tbody tr")).to_have_count(5)
    screen = visitor.page.locator(".screen")
    assert await screen.evaluate("screen => screen.scrollHeight <= screen.clientHeight")


async def _resign(game: PreparedGame, seats: int) -> None:
    for seat in range(seats):
        (await game.post("/resign", {"seat": seat})).raise_for_status()
